"""`tidemark console-consumer`: prints the records of a topic as kafka-console-consumer does.

By default, a group with a generated name commits nothing, so that it leaves no offsets behind (KIP-211). A
group that the user names does commit.
"""

from __future__ import annotations

import re
import sys
from typing import BinaryIO, Final

from tidemark_tools.client.client import EARLIEST, LATEST, Client, TopicPartition, client_settings
from tidemark_tools.client.consumer import BrokenRecords, Consumer, NoOffset, NoRecord
from tidemark_tools.client.errors import (
    AuthenticationFailed,
    BadAddress,
    CannotConnect,
    CannotRead,
    ClientError,
    Failed,
    Unreachable,
)
from tidemark_tools.client.reset_policy import NEW_PARTITIONS
from tidemark_tools.client_properties import (
    InvalidProperty,
    Renamed,
    consumer_config,
    drawn,
    given_properties,
    open_consumer,
    take_old_names,
)
from tidemark_tools.formatters import Format, FormatError, UnknownFormatter, as_json, formatter
from tidemark_tools.main import INTERRUPTED, TERMINATED, Terminated, give_up_stdout, raise_at_sigterm
from tidemark_tools.options import DONE, FAILED, JoptTool, Parsed, UsageError, require, run, table

OPTIONS: Final = table("""
    bootstrap-server <server to connect to>  REQUIRED: brokers to connect to.
    topic <topic>  The topic.
    include <Java regex (String)>  A regular expression for topics.
    partition <Integer: partition>  Read only this partition, without a group.
    offset <consume offset>  Where to start: a number, earliest or latest. (default: latest)
    from-beginning  Start with the earliest record if nothing is committed.
    max-messages <Integer: num_messages>  End after this number of records.
    timeout-ms <Long: timeout_ms>  End if no record arrives for this time.
    group <consumer group id>  The consumer group. Default: a generated name.
    isolation-level <String>  read_committed or read_uncommitted. (default: read_uncommitted)
    formatter <class>  The class that prints a record. (default:
        org.apache.kafka.tools.consumer.DefaultMessageFormatter)
    formatter-property <prop>  A setting of the formatter: print.timestamp, print.partition, print.offset,
        print.delivery, print.epoch, print.headers, print.key (all false), print.value (true), key.separator,
        line.separator, headers.separator, null.literal, key.deserializer, value.deserializer,
        headers.deserializer.
    formatter-config <config file>  A properties file with settings of the formatter.
    key-deserializer <deserializer for keys>  The deserializer class for keys.
    value-deserializer <deserializer for values>  The deserializer class for values.
    skip-message-on-error  Skip a record that the formatter cannot print.
    enable-systest-events  Print a line on stdout when the tool ends.
    command-property <consumer_prop>  A setting of the consumer, key=value.
    command-config <config file>  A properties file with settings of the consumer.
    property <prop>  (DEPRECATED) --formatter-property
    consumer-property <consumer_prop>  (DEPRECATED) --command-property
    consumer.config <config file>  (DEPRECATED) --command-config
    json  Print a line of JSON for each record (tidemark's own).
""")
RENAMED: Final = (
    Renamed("command-property", "consumer-property"),
    Renamed("command-config", "consumer.config"),
)
CLASH: Final = "Options --{old} and --{new} cannot be specified together."
WARNING: Final = "Option --{old} is deprecated and will be removed in a future version. Use --{new} instead."
CALL_TIMEOUT_MS: Final = 5_000  # after this time, a warning says that no broker responds
MADE_UP_GROUPS: Final = 100_000
RESETS: Final = {"earliest": EARLIEST, "latest": LATEST}


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


TOOL: Final = JoptTool(
    "This tool helps to read data from Kafka topics and outputs it to standard output.", OPTIONS
)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code.

    As in Kafka's tool, it is 0 even if the topic is unknown or no record arrives in time.
    """
    return run(TOOL, arguments, _run)


def _run(parsed: Parsed) -> int:
    _check(parsed)
    take_old_names(parsed, CLASH, WARNING, *RENAMED)
    given_ms = parsed.number("timeout-ms")
    properties = _properties(parsed)
    offset = _start_offset(parsed)
    idle_ms = None if given_ms is None or given_ms < 0 else given_ms
    chosen = chosen_formatter(parsed)
    sys.stdout.flush()  # records are written to the buffer below it
    printed = Printed(sys.stdout.buffer, chosen, skips=parsed.has("skip-message-on-error"))
    try:
        code = _consume(parsed, properties, offset, idle_ms, printed)
    except Failed as error:
        _log("Unknown error when running consumer: ", error)
        code = FAILED
    if parsed.has("enable-systest-events"):
        print("shutdown_complete")
    return code


def _properties(parsed: Parsed) -> dict[str, str]:
    """Return the consumer's settings, merged as Kafka's tool does."""
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
    beginning, reset = parsed.has("from-beginning"), properties.get("auto.offset.reset")
    if reset is None:
        properties["auto.offset.reset"] = "earliest" if beginning else "latest"
    elif beginning and reset != "earliest":
        raise Failed(
            f"Can't simultaneously specify --from-beginning and 'auto.offset.reset={reset}', please remove "
            "one option"
        )
    if parsed.has("isolation-level") or "isolation.level" not in properties:
        properties["isolation.level"] = parsed.text("isolation-level")
    if not groups:
        properties["group.id"] = f"console-consumer-{drawn() % MADE_UP_GROUPS}"
        properties.setdefault("enable.auto.commit", "false")
    else:
        properties["group.id"] = groups[0]
    return {"client.id": "console-consumer", **properties}


def _start_offset(parsed: Parsed) -> int:
    """Return where --partition starts: EARLIEST, LATEST or a number."""
    if not parsed.has("offset"):
        return EARLIEST if parsed.has("from-beginning") else LATEST
    text = parsed.text("offset")
    if text.lower() in RESETS:
        return RESETS[text.lower()]
    if not re.fullmatch("[+]?[0-9]+", text) or int(text) >= 2**63:
        raise UsageError(
            f"The provided offset value '{text}' is incorrect. Valid values are 'earliest', 'latest', or a "
            "non-negative long."
        )
    return int(text)


def chosen_formatter(parsed: Parsed) -> Format:
    if parsed.has("json"):
        return as_json
    take_old_names(parsed, CLASH, WARNING, Renamed("formatter-property", "property"))
    try:
        properties = client_settings(parsed.value("formatter-config"))
    except CannotRead as error:
        raise UsageError(error.path if error.missing else str(error)) from None
    for name in ("key-deserializer", "value-deserializer"):
        if parsed.value(name):
            properties[name.replace("-", ".")] = parsed.text(name)
    properties |= given_properties(parsed.values("formatter-property"))
    try:
        return formatter(parsed.text("formatter"), properties)
    except UnknownFormatter as error:
        raise UsageError(str(error)) from None


def _log(text: str, error: Exception) -> None:
    """Print an error as Kafka's tool logs it."""
    print(f"ERROR {text}{error}", file=sys.stderr)


class Printed:
    """Prints and counts records. skips: skip a record that cannot be printed."""

    def __init__(self, out: BinaryIO, chosen: Format, *, skips: bool) -> None:
        self._out = out
        self._format = chosen
        self._skips = skips
        self.count = 0

    def all(self, consumer: Consumer, max_messages: int | None) -> None:
        """Print records, at most max_messages. Raises NoRecord, FormatError, BrokenPipeError."""
        if max_messages is not None and max_messages >= 0 and self.count >= max_messages:
            return
        for consumed in consumer.records(self._out.flush):
            self.count += 1
            try:
                self._out.write(self._format(consumed))
            except FormatError as error:
                if not self._skips:
                    raise
                _log("Error processing message, skipping this message: ", error)
            if self.count == max_messages:
                break
        self._out.flush()


def _consume(
    parsed: Parsed, properties: dict[str, str], offset: int, idle_ms: int | None, printed: Printed
) -> int:
    """Print the records. offset: where --partition starts. idle_ms: None means no limit."""
    partition = parsed.number("partition")
    config = consumer_config(properties, idle_ms)
    if partition is not None and properties.get(NEW_PARTITIONS, "").strip():
        raise InvalidProperty(f"{NEW_PARTITIONS} cannot be set together with --partition")
    timeout_ms = CALL_TIMEOUT_MS if idle_ms is None else min(CALL_TIMEOUT_MS, idle_ms)
    with Client(parsed.text("bootstrap-server"), timeout_ms=timeout_ms, settings=properties) as client:
        consumer = open_consumer(
            client,
            config,
            topic=parsed.value("topic"),
            include=parsed.value("include"),
            managed=partition is None,
        )
        if partition is not None:
            consumer.assign(TopicPartition(parsed.text("topic"), partition), offset)
        raise_at_sigterm()
        try:
            return _print_all(printed, consumer, parsed.number("max-messages"))
        except (KeyboardInterrupt, Terminated) as error:
            client.close()  # a response may still arrive on the old connection
            return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
        finally:
            _close(consumer)
            print(f"Processed a total of {printed.count} messages", file=sys.stderr)


def _print_all(printed: Printed, consumer: Consumer, max_messages: int | None) -> int:
    """Print records and return the exit code: 0 after an error of a broker, 1 if no broker responds."""
    try:
        printed.all(consumer, max_messages)
    except NoRecord:
        pass
    except BrokenPipeError:
        print("Unable to write to standard out, closing consumer.", file=sys.stderr)
        give_up_stdout()
    except (AuthenticationFailed, CannotConnect, BadAddress, Unreachable) as error:
        print(f"Error: {error}", file=sys.stderr)
        return FAILED
    except (ClientError, NoOffset, BrokenRecords) as error:
        _log("Error processing message, terminating consumer process: ", error)
    return DONE


def _close(consumer: Consumer) -> None:
    try:
        sys.stdout.buffer.flush()
        consumer.close()
    except BrokenPipeError:
        give_up_stdout()
    except (ClientError, OSError) as error:
        print(f"WARN could not leave the group: {error}", file=sys.stderr)
