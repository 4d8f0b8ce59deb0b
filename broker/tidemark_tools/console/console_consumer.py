"""`tidemark console-consumer`: prints the records of a topic as kafka-console-consumer does.

By default, a group with a generated name commits nothing, so that it leaves no offsets behind (KIP-211). A
group that the user names does commit.
"""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Mapping
from types import FrameType
from typing import BinaryIO, Final, NamedTuple, NoReturn

from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import Client
from tidemark_tools.client.consumer import Consumer, NoOffset, NoRecord, Topics
from tidemark_tools.client.errors import (
    AuthenticationFailed,
    BadAddress,
    CannotConnect,
    CannotRead,
    ClientError,
    Unreachable,
)
from tidemark_tools.client.fetching import BrokenRecords, Fetcher
from tidemark_tools.client.group_member import GroupMember, GroupSettings
from tidemark_tools.client.settings import client_settings
from tidemark_tools.console.consumer_settings import (
    Conflict,
    check_assigned,
    consumer_properties,
    consumer_settings,
    fetch_settings,
    group_settings,
    start_offset,
    uses_consumer_protocol,
)
from tidemark_tools.console.formatters import (
    DEFAULT_FORMATTER,
    Format,
    FormatError,
    UnknownFormatter,
    as_json,
    formatter,
)
from tidemark_tools.console.properties import InvalidProperty, Renamed, given_properties, take_old_names
from tidemark_tools.options import (
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
from tidemark_tools.streams import give_up_stdout

PURPOSE: Final = "This tool helps to read data from Kafka topics and outputs it to standard output."
FORMATTER_PROPERTIES: Final = (
    "A setting of the formatter: print.timestamp, print.partition, print.offset, print.delivery, "
    "print.epoch, print.headers, print.key (all false), print.value (true), key.separator, line.separator, "
    "headers.separator, null.literal, key.deserializer, value.deserializer, headers.deserializer."
)
OPTIONS: Final = (
    HELP,
    VERSION,
    Option("bootstrap-server", "REQUIRED: brokers to connect to.", "server to connect to"),
    Option("topic", "The topic.", "topic"),
    Option("include", "A regular expression for topics.", "Java regex (String)"),
    Option("partition", "Read only this partition, without a group.", "partition", "Integer"),
    Option("offset", "Where to start: a number, earliest or latest.", "consume offset", default="latest"),
    Option("from-beginning", "Start with the earliest record if nothing is committed."),
    Option("max-messages", "End after this number of records.", "num_messages", "Integer"),
    Option("timeout-ms", "End if no record arrives for this time.", "timeout_ms", "Long"),
    Option("group", "The consumer group. Default: a generated name.", "consumer group id"),
    Option("isolation-level", "read_committed or read_uncommitted.", None, default="read_uncommitted"),
    Option("formatter", "The class that prints a record.", "class", default=DEFAULT_FORMATTER),
    Option("formatter-property", FORMATTER_PROPERTIES, "prop"),
    Option("formatter-config", "A properties file with settings of the formatter.", "config file"),
    Option("key-deserializer", "The deserializer class for keys.", "deserializer for keys"),
    Option("value-deserializer", "The deserializer class for values.", "deserializer for values"),
    Option("skip-message-on-error", "Skip a record that the formatter cannot print."),
    Option("enable-systest-events", "Print a line on stdout when the tool ends."),
    Option("command-property", "A setting of the consumer, key=value.", "consumer_prop"),
    Option("command-config", "A properties file with settings of the consumer.", "config file"),
    Option("property", "(DEPRECATED) --formatter-property", "prop"),
    Option("consumer-property", "(DEPRECATED) --command-property", "consumer_prop"),
    Option("consumer.config", "(DEPRECATED) --command-config", "config file"),
    Option("json", "Print a line of JSON for each record (tidemark's own)."),
)
RENAMED: Final = (
    Renamed("command-property", "consumer-property"),
    Renamed("command-config", "consumer.config"),
)
CLASH: Final = "Options --{old} and --{new} cannot be specified together."
WARNING: Final = "Option --{old} is deprecated and will be removed in a future version. Use --{new} instead."
CALL_TIMEOUT_MS: Final = 5_000  # after this time, a warning says that no broker responds
TERMINATED: Final = 128 + signal.SIGTERM
INTERRUPTED: Final = 128 + signal.SIGINT


class Arguments(NamedTuple):
    """A valid command line. offset: where --partition starts. idle_ms: None means no limit."""

    parsed: Parsed
    properties: Mapping[str, str]
    offset: int
    idle_ms: int | None


class Ended(Exception):
    """A signal ends the tool. The argument is the exit code."""


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code.

    As in Kafka's tool, it is 0 even if the topic is unknown or no record arrives in time.
    """
    try:
        parsed = parse(OPTIONS, arguments)
    except OptionError as error:
        return usage_error(str(error), OPTIONS)
    try:
        code = help_or_version(PURPOSE, OPTIONS, parsed)
        if code is not None:
            return code
        _check(parsed)
        take_old_names(parsed, CLASH, WARNING, *RENAMED)
        idle_ms = parsed.number("timeout-ms")
        given = Arguments(
            parsed,
            consumer_properties(parsed),
            start_offset(parsed),
            None if idle_ms is None or idle_ms < 0 else idle_ms,
        )
        chosen = _formatter(parsed)
    except UsageError as error:
        return usage_error(str(error), OPTIONS)
    except (OptionError, Conflict, ClientError) as error:
        return _failed(str(error))
    sys.stdout.flush()  # records are written to the buffer below it
    return _run(given, Printed(sys.stdout.buffer, chosen, skips=parsed.has("skip-message-on-error")))


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


def _formatter(parsed: Parsed) -> Format:
    if parsed.has("json"):
        return as_json
    take_old_names(parsed, CLASH, WARNING, Renamed("formatter-property", "property"))
    try:
        properties = client_settings(parsed.value("formatter-config"))
    except CannotRead as error:
        raise UsageError(error.path if error.missing else str(error)) from None
    for name in ("key-deserializer", "value-deserializer"):
        if parsed.value(name):
            properties[name.replace("-", ".")] = parsed.value(name) or ""
    properties |= given_properties(parsed.values("formatter-property"))
    try:
        return formatter(parsed.value("formatter") or "", properties)
    except UnknownFormatter as error:
        raise UsageError(str(error)) from None


def _run(arguments: Arguments, printed: Printed) -> int:
    """Consume, print errors, and return the exit code."""
    try:
        code = _consume(arguments, printed)
    except (InvalidProperty, OptionError, ClientError, FormatError) as error:
        _log("Unknown error when running consumer: ", error)
        code = FAILED
    if arguments.parsed.has("enable-systest-events"):
        print("shutdown_complete")
    return code


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


def _consume(arguments: Arguments, printed: Printed) -> int:
    parsed, properties = arguments.parsed, arguments.properties
    managed = not parsed.has("partition")
    settings = consumer_settings(properties, arguments.idle_ms)
    group, fetching = group_settings(properties), fetch_settings(properties)
    if not managed:
        check_assigned(properties)
    timeout_ms = CALL_TIMEOUT_MS if arguments.idle_ms is None else min(CALL_TIMEOUT_MS, arguments.idle_ms)
    with Client(parsed.value("bootstrap-server") or "", timeout_ms=timeout_ms, settings=properties) as client:
        topics = _topics(client, parsed, create=settings.allow_auto_create)
        heartbeats = managed and uses_consumer_protocol(properties)
        membership = (
            _consumer_membership(client, group, topics) if heartbeats else _membership(client, group, topics)
        )
        consumer = Consumer(client, Fetcher(client, fetching), topics, settings, membership, managed=managed)
        if not managed:
            consumer.assign(
                TopicPartition(parsed.value("topic") or "", parsed.number("partition") or 0), arguments.offset
            )
        signal.signal(signal.SIGTERM, _end)
        try:
            return _print_all(printed, consumer, parsed.number("max-messages"))
        except (KeyboardInterrupt, Ended) as error:
            client.close()  # a response may still arrive on the old connection
            return int(error.args[0]) if isinstance(error, Ended) else INTERRUPTED
        finally:
            _close(consumer)
            print(f"Processed a total of {printed.count} messages", file=sys.stderr)


def _membership(client: Client, group: GroupSettings, topics: Topics) -> GroupMember:
    from tidemark_tools.client.membership import Membership

    return Membership(client, group, topics.names, topics.counts)


def _consumer_membership(client: Client, group: GroupSettings, topics: Topics) -> GroupMember:
    from tidemark_tools.client.heartbeats import ConsumerMembership

    return ConsumerMembership(client, group, topics.names, topics.names_of)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise Ended(TERMINATED)


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


def _topics(client: Client, parsed: Parsed, *, create: bool) -> Topics:
    try:
        return Topics(client, parsed.value("topic"), parsed.value("include"), create=create)
    except re.error as error:
        raise InvalidProperty(f"{error}: {parsed.value('include')}") from None
