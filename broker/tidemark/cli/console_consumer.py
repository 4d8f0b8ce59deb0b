"""`tidemark console-consumer`: records of a topic to stdout, as kafka-console-consumer prints them.

KIP-211: a group whose name the tool makes up commits nothing unless it is asked to, so that it leaves no
offsets behind; one that the user names does.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Mapping
from types import FrameType
from typing import BinaryIO, Final, NoReturn

from tidemark.cli.client import CannotConnect, Client, ClientError, Spot, client_settings
from tidemark.cli.console import ConfigError, drawn, given_properties, number_of, renamed
from tidemark.cli.consumer import EARLIEST, LATEST, Consumer, ConsumerSettings, NoOffset, NoRecord, Topics
from tidemark.cli.fetching import BrokenRecords, Fetcher, FetchSettings
from tidemark.cli.formatters import (
    DEFAULT_FORMATTER,
    Format,
    FormatError,
    UnknownFormatter,
    as_json,
    formatter,
)
from tidemark.cli.java import java_text
from tidemark.cli.membership import GroupSettings, Membership
from tidemark.cli.options import (
    DONE,
    FAILED,
    HELP,
    VERSION,
    Option,
    OptionError,
    Parsed,
    UsageError,
    help_or_version,
    parse,
    require,
    usage_error,
)

PURPOSE: Final = "This tool helps to read data from Kafka topics and outputs it to standard output."
FORMATTER_PROPERTIES: Final = (
    "A setting of the formatter: print.timestamp, print.partition, print.offset, print.delivery, "
    "print.epoch, print.headers, print.key (all false), print.value (true), key.separator, line.separator, "
    "headers.separator, null.literal, key.deserializer, value.deserializer, headers.deserializer."
)
OPTIONS: Final = (
    HELP,
    VERSION,
    Option("bootstrap-server", "REQUIRED: brokers to ask first.", "server to connect to"),
    Option("topic", "The topic.", "topic"),
    Option("include", "A regular expression for topics.", "Java regex (String)"),
    Option("partition", "Read this partition alone, without a group.", "partition", "Integer"),
    Option("offset", "Where to begin: a number, earliest or latest.", "consume offset", default="latest"),
    Option("from-beginning", "Begin with the earliest record where nothing is committed."),
    Option("max-messages", "End after so many records.", "num_messages", "Integer"),
    Option("timeout-ms", "End where no record comes for so long.", "timeout_ms", "Long"),
    Option("group", "The consumer group; none: one that is made up.", "consumer group id"),
    Option("isolation-level", "read_committed or read_uncommitted.", None, default="read_uncommitted"),
    Option("formatter", "The class that prints a record.", "class", default=DEFAULT_FORMATTER),
    Option("formatter-property", FORMATTER_PROPERTIES, "prop"),
    Option("formatter-config", "A properties file with settings of the formatter.", "config file"),
    Option("key-deserializer", "What keys are.", "deserializer for keys"),
    Option("value-deserializer", "What values are.", "deserializer for values"),
    Option("skip-message-on-error", "Pass over a record that the formatter cannot print."),
    Option("enable-systest-events", "Say on stdout when the tool ends."),
    Option("command-property", "A setting of the consumer, key=value.", "consumer_prop"),
    Option("command-config", "A properties file with settings of the consumer.", "config file"),
    Option("property", "(DEPRECATED) --formatter-property", "prop"),
    Option("consumer-property", "(DEPRECATED) --command-property", "consumer_prop"),
    Option("consumer.config", "(DEPRECATED) --command-config", "config file"),
    Option("json", "Print a line of JSON for each record (tidemark's own)."),
)
RENAMED: Final = (("command-property", "consumer-property"), ("command-config", "consumer.config"))
WARNING: Final = "Option --{} is deprecated and will be removed in a future version. Use --{} instead."
HINT: Final = (
    "The consumer rebalance protocol (KIP-848) is production-ready! Set group.protocol=consumer to try it "
    "out. See https://kafka.apache.org/documentation/#consumer_rebalance_protocol"
)
MADE_UP_GROUPS: Final = 100_000
CALL_TIMEOUT_MS: Final = 10_000
TERMINATED: Final = 128 + signal.SIGTERM
INTERRUPTED: Final = 128 + signal.SIGINT
RESETS: Final = {"earliest": EARLIEST, "latest": LATEST, "none": None}
ISOLATION_LEVELS: Final = {"read_uncommitted": 0, "read_committed": 1}
RANGE_ASSIGNOR: Final = "org.apache.kafka.clients.consumer.RangeAssignor"
DEFAULTS: Final = {
    "client.id": "console-consumer",
    "enable.auto.commit": "true",
    "auto.commit.interval.ms": "5000",
    "session.timeout.ms": "45000",
    "heartbeat.interval.ms": "3000",
    "max.poll.interval.ms": "300000",
    "metadata.max.age.ms": "300000",
    "fetch.max.wait.ms": "500",
    "fetch.min.bytes": "1",
    "fetch.max.bytes": "52428800",
    "max.partition.fetch.bytes": "1048576",
    "allow.auto.create.topics": "true",
    "partition.assignment.strategy": RANGE_ASSIGNOR,
}


class Ended(Exception):
    """A signal asks the tool to end. The argument is its exit code."""


class Conflict(Exception):
    """What the tool says on stderr and ends for, without the table of options."""


def main(arguments: list[str]) -> int:
    """The exit code. 0 also where a topic is unknown, and where no record came in time, as with Kafka's."""
    try:
        parsed = parse(OPTIONS, arguments)
    except OptionError as error:
        return usage_error(str(error), OPTIONS)
    try:
        code = help_or_version(PURPOSE, OPTIONS, parsed)
        if code is not None:
            return code
        _check(parsed)
        renamed(
            parsed, WARNING, ("command-property", "consumer-property"), ("command-config", "consumer.config")
        )
        properties = _properties(parsed)
        offset = _offset(parsed)
        idle_ms = parsed.number("timeout-ms")
        chosen = _formatter(parsed)
    except UsageError as error:
        return usage_error(str(error), OPTIONS)
    except OSError as error:
        return _failed(error.filename or str(error))
    except (OptionError, Conflict, ClientError) as error:
        return _failed(str(error))
    return _run(parsed, properties, offset, None if idle_ms is None or idle_ms < 0 else idle_ms, chosen)


def _failed(message: str) -> int:
    print(message, file=sys.stderr)
    return FAILED


def _check(parsed: Parsed) -> None:
    if parsed.has("topic") == parsed.has("include"):
        raise UsageError("Exactly one of the following arguments is required: [topic], [include]")
    if parsed.has("partition"):
        parsed.number("partition")
        if not parsed.has("topic"):
            raise UsageError("The topic is required when partition is specified.")
        if parsed.has("from-beginning") and parsed.has("offset"):
            raise UsageError("Options from-beginning and offset cannot be specified together.")
    elif parsed.has("offset"):
        raise UsageError("The partition is required when offset is specified.")
    require(parsed, "bootstrap-server")


def _properties(parsed: Parsed) -> dict[str, str]:
    """The consumer's settings, as Kafka's tool puts them together."""
    properties = client_settings(parsed.value("command-config"))
    given = given_properties(parsed.values("command-property"))
    in_settings = [each["group.id"] for each in (properties, given) if "group.id" in each]
    groups = list(dict.fromkeys([*parsed.values("group"), *in_settings]))
    if len(groups) > 1:
        quoted = ", ".join(f"'{group}'" for group in groups)
        raise UsageError(
            "The group ids provided in different places (directly using '--group', via "
            "'--consumer-property', or via '--consumer.config') do not match. Detected group ids: " + quoted
        )
    if groups and parsed.has("partition"):
        raise UsageError("Options group and partition cannot be specified together.")
    properties |= given
    _set_reset(parsed, properties)
    if parsed.has("isolation-level") or "isolation.level" not in properties:
        properties["isolation.level"] = parsed.value("isolation-level") or ""
    if not groups:
        properties["group.id"] = f"console-consumer-{drawn() % MADE_UP_GROUPS}"
        properties.setdefault("enable.auto.commit", "false")
    else:
        properties["group.id"] = groups[0]
    return DEFAULTS | properties


def _set_reset(parsed: Parsed, properties: dict[str, str]) -> None:
    beginning = parsed.has("from-beginning")
    given = properties.get("auto.offset.reset")
    if given is None:
        properties["auto.offset.reset"] = "earliest" if beginning else "latest"
    elif beginning and given != "earliest":
        raise Conflict(
            f"Can't simultaneously specify --from-beginning and 'auto.offset.reset={given}', please remove "
            "one option"
        )


def _offset(parsed: Parsed) -> int:
    """Of --partition: EARLIEST, LATEST or a number."""
    if not parsed.has("offset"):
        return EARLIEST if parsed.has("from-beginning") else LATEST
    text = parsed.value("offset") or ""
    offset = RESETS.get(text.lower())
    if offset is not None:
        return offset
    if not re.fullmatch("[+]?[0-9]+", text) or int(text) >= 2**63:
        raise UsageError(
            f"The provided offset value '{text}' is incorrect. Valid values are 'earliest', 'latest', or a "
            "non-negative long."
        )
    return int(text)


def _formatter(parsed: Parsed) -> Format:
    if parsed.has("json"):
        return as_json
    renamed(parsed, WARNING, ("formatter-property", "property"))
    try:
        properties = client_settings(parsed.value("formatter-config"))
    except OSError as error:
        raise UsageError(str(error.filename)) from None
    for name in ("key-deserializer", "value-deserializer"):
        if parsed.value(name):
            properties[name.replace("-", ".")] = parsed.value(name) or ""
    properties |= given_properties(parsed.values("formatter-property"))
    try:
        return formatter(parsed.value("formatter") or "", properties)
    except UnknownFormatter as error:
        raise UsageError(str(error)) from None


def _run(
    parsed: Parsed, properties: Mapping[str, str], offset: int, idle_ms: int | None, chosen: Format
) -> int:
    """The exit code, after the last line on stderr."""
    printed = Printed(sys.stdout.buffer, chosen, skips=parsed.has("skip-message-on-error"))
    try:
        if not parsed.has("partition"):
            print(HINT, file=sys.stderr)
        code = _consume(parsed, properties, offset, idle_ms, printed)
    except (ConfigError, OptionError, ClientError, FormatError) as error:
        _log("Unknown error when running consumer: ", error)
        code = FAILED
    if parsed.has("enable-systest-events"):
        print("shutdown_complete")
    return code


def _log(text: str, error: Exception) -> None:
    """What Kafka's tool logs."""
    print(f"ERROR {text}{java_text(error)}", file=sys.stderr)


class Printed:
    """Prints records, and counts them. skips: whether one that cannot be printed is passed over."""

    def __init__(self, out: BinaryIO, chosen: Format, *, skips: bool) -> None:
        self._out = out
        self._format = chosen
        self._skips = skips
        self.count = 0

    def all(self, consumer: Consumer, at_most: int | None) -> None:
        """As many as there are, or at most that many. Raises NoRecord, FormatError, BrokenPipeError."""
        if at_most is not None and at_most >= 0 and self.count >= at_most:
            return
        for consumed in consumer.records(self._out.flush):
            self.count += 1
            try:
                self._out.write(self._format(consumed))
            except FormatError as error:
                if not self._skips:
                    raise
                _log("Error processing message, skipping this message: ", error)
            if self.count == at_most:
                break
        self._out.flush()


def _consume(
    parsed: Parsed, properties: Mapping[str, str], offset: int, idle_ms: int | None, printed: Printed
) -> int:
    managed = not parsed.has("partition")
    settings = _settings(properties, idle_ms)
    group = _group(properties)
    timeout_ms = CALL_TIMEOUT_MS if idle_ms is None else min(CALL_TIMEOUT_MS, idle_ms)
    with Client(parsed.value("bootstrap-server") or "", timeout_ms=timeout_ms, settings=properties) as client:
        topics = _topics(client, parsed, create=settings.allow_auto_create)
        membership = Membership(client, group, topics.names, topics.counts)
        fetcher = Fetcher(client, _fetch_settings(properties, settings.isolation_level))
        consumer = Consumer(client, fetcher, topics, settings, membership, managed=managed)
        if not managed:
            consumer.assign(Spot(parsed.value("topic") or "", parsed.number("partition") or 0), offset)
        at_most = parsed.number("max-messages")
        signal.signal(signal.SIGTERM, _end)
        try:
            return _print_all(printed, consumer, at_most)
        finally:
            _close(consumer)
            print(f"Processed a total of {printed.count} messages", file=sys.stderr)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise Ended(TERMINATED)


def _print_all(printed: Printed, consumer: Consumer, at_most: int | None) -> int:
    """The exit code. What the consumer fails of is logged and no failure of the tool's."""
    try:
        printed.all(consumer, at_most)
    except NoRecord:
        pass
    except KeyboardInterrupt:
        return INTERRUPTED
    except Ended as error:
        return int(error.args[0])
    except BrokenPipeError:
        print("Unable to write to standard out, closing consumer.", file=sys.stderr)
        _give_up_stdout()
    except (ClientError, NoOffset, BrokenRecords) as error:
        _log("Error processing message, terminating consumer process: ", error)
    return DONE


def _give_up_stdout() -> None:
    """So that nobody tries to flush it at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _close(consumer: Consumer) -> None:
    try:
        sys.stdout.buffer.flush()
        consumer.close()
    except BrokenPipeError:
        _give_up_stdout()
    except (ClientError, OSError) as error:
        print(f"WARN The group was not told that we leave: {error}", file=sys.stderr)


def _topics(client: Client, parsed: Parsed, *, create: bool) -> Topics:
    try:
        return Topics(client, parsed.value("topic"), parsed.value("include"), create=create)
    except re.error as error:
        raise ConfigError(f"{error}: {parsed.value('include')}") from None


def _settings(properties: Mapping[str, str], idle_ms: int | None) -> ConsumerSettings:
    return ConsumerSettings(
        reset=RESETS[_one_of(properties, "auto.offset.reset", RESETS)],
        auto_commit=_truth(properties, "enable.auto.commit"),
        auto_commit_interval_ms=number_of(properties, "auto.commit.interval.ms", "INT"),
        metadata_max_age_ms=number_of(properties, "metadata.max.age.ms", "LONG"),
        isolation_level=ISOLATION_LEVELS[_one_of(properties, "isolation.level", ISOLATION_LEVELS)],
        allow_auto_create=_truth(properties, "allow.auto.create.topics"),
        idle_ms=idle_ms,
    )


def _group(properties: Mapping[str, str]) -> GroupSettings:
    """Raises ConfigError and CannotConnect for what this consumer is not able to."""
    protocol = properties.get("group.protocol", "classic").lower()
    if protocol != "classic":
        raise CannotConnect(
            f"group.protocol={protocol}: tidemark's console consumer speaks the classic protocol only"
        )
    strategies = properties["partition.assignment.strategy"].split(",")
    if RANGE_ASSIGNOR not in (strategy.strip() for strategy in strategies):
        raise CannotConnect(
            f"partition.assignment.strategy={properties['partition.assignment.strategy']}: tidemark's "
            f"console consumer knows {RANGE_ASSIGNOR} only"
        )
    if not properties["group.id"].strip():
        raise ConfigError("The configured group.id should not be an empty string or whitespace.")
    return GroupSettings(
        properties["group.id"],
        properties.get("group.instance.id"),
        number_of(properties, "session.timeout.ms", "INT"),
        number_of(properties, "heartbeat.interval.ms", "INT"),
        number_of(properties, "max.poll.interval.ms", "INT"),
    )


def _fetch_settings(properties: Mapping[str, str], isolation_level: int) -> FetchSettings:
    return FetchSettings(
        isolation_level,
        number_of(properties, "fetch.max.wait.ms", "INT"),
        number_of(properties, "fetch.min.bytes", "INT"),
        number_of(properties, "fetch.max.bytes", "INT"),
        number_of(properties, "max.partition.fetch.bytes", "INT"),
    )


def _one_of(properties: Mapping[str, str], name: str, allowed: Mapping[str, object]) -> str:
    value = properties[name]
    if value.lower() not in allowed:
        raise ConfigError(
            f"Invalid value {value} for configuration {name}: String must be one of: "
            f"{', '.join(sorted(allowed))}"
        )
    return value.lower()


def _truth(properties: Mapping[str, str], name: str) -> bool:
    return properties[name].strip().lower() == "true"
