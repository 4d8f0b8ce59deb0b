"""`tidemark console-share-consumer`: prints and acknowledges records as kafka-console-share-consumer does."""

from __future__ import annotations

import sys
from typing import BinaryIO, Final

from tidemark_tools.client.client import Client, client_settings
from tidemark_tools.client.consumer import BrokenRecords, NoRecord
from tidemark_tools.client.errors import (
    AuthenticationFailed,
    BadAddress,
    CannotConnect,
    ClientError,
    Failed,
    Unreachable,
)
from tidemark_tools.client.share_consumer import AcknowledgeType, ShareConsumer, ShareSettings
from tidemark_tools.client_properties import (
    InvalidProperty,
    Renamed,
    given_properties,
    number_of,
    take_old_names,
)
from tidemark_tools.console_consumer import CLASH, WARNING, chosen_formatter
from tidemark_tools.formatters import Format, FormatError
from tidemark_tools.java import map_order
from tidemark_tools.main import INTERRUPTED, TERMINATED, Terminated, give_up_stdout, raise_at_sigterm
from tidemark_tools.options import DONE, FAILED, JoptTool, Parsed, UsageError, require, run, table

OPTIONS: Final = table("""
    bootstrap-server <server to connect to>  REQUIRED: brokers to connect to.
    topic <topic>  REQUIRED: the topic.
    group <share group id>  The share group. (default: console-share-consumer)
    max-messages <Integer: num_messages>  End after this number of records.
    timeout-ms <Integer: timeout_ms>  End if no record arrives for this time.
    reject  Reject each record, which archives it.
    release  Release each record, so that it is delivered again.
    reject-message-on-error  Reject a record that the formatter cannot print, and go on.
    formatter <class>  The class that prints a record. (default:
        org.apache.kafka.tools.consumer.DefaultMessageFormatter)
    formatter-property <prop>  A setting of the formatter, as of console-consumer: print.delivery prints how
        often a record was delivered.
    formatter-config <config file>  A properties file with settings of the formatter.
    key-deserializer <deserializer for keys>  The deserializer class for keys.
    value-deserializer <deserializer for values>  The deserializer class for values.
    enable-systest-events  Print a line on stdout when the tool ends.
    command-property <consumer_prop>  A setting of the consumer, key=value.
    command-config <config file>  A properties file with settings of the consumer.
    property <prop>  (DEPRECATED) --formatter-property
    consumer-property <consumer_prop>  (DEPRECATED) --command-property
    consumer-config <config file>  (DEPRECATED) --command-config
    json  Print a line of JSON for each record (tidemark's own).
""")
RENAMED: Final = (
    Renamed("command-property", "consumer-property"),
    Renamed("command-config", "consumer-config"),
)
DEFAULT_GROUP: Final = "console-share-consumer"
# Kafka's defaults.
DEFAULTS: Final = {
    "max.poll.records": "500",
    "fetch.max.wait.ms": "500",
    "fetch.min.bytes": "1",
    "fetch.max.bytes": "52428800",
}
CALL_TIMEOUT_MS: Final = 5_000  # after this time, a warning says that no broker responds


def _check(parsed: Parsed) -> None:
    if not parsed.has("topic"):
        raise UsageError("--topic is a required argument")
    require(parsed, "bootstrap-server")
    if parsed.has("reject") and parsed.has("release"):
        raise UsageError("At most one of --reject and --release may be specified.")


TOOL: Final = JoptTool(
    "This tool helps to read data from Kafka topics using share groups and outputs it to standard output.",
    OPTIONS,
    _check,
)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code.

    As in Kafka's tool, it is 0 even if the topic is unknown or no record arrives in time.
    """
    return run(TOOL, arguments, _run)


def _run(parsed: Parsed) -> int:
    take_old_names(parsed, CLASH, WARNING, *RENAMED)
    properties = _properties(parsed)
    chosen = chosen_formatter(parsed)
    sys.stdout.flush()  # records are written to the buffer below it
    try:
        code = _consume(parsed, properties, _Printed(sys.stdout.buffer, chosen, parsed))
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
    named = [parsed.text("group")] if parsed.has("group") else []
    groups = list(dict.fromkeys([*named, *in_settings]))
    if len(groups) > 1:
        quoted = ", ".join(f"'{group}'" for group in map_order(groups))
        raise UsageError(
            "The group ids provided in different places (directly using '--group', via "
            "'--consumer-property', or via '--consumer-config') do not match. Detected group ids: " + quoted
        )
    properties |= given
    return {
        "client.id": DEFAULT_GROUP, **properties, "group.id": groups[0] if groups else DEFAULT_GROUP,
    }  # fmt: skip


def _settings(properties: dict[str, str]) -> ShareSettings:
    given = {**DEFAULTS, **properties}
    if not given["group.id"].strip():
        raise InvalidProperty("The configured group.id should not be an empty string or whitespace.")
    return ShareSettings(
        given["group.id"],
        given.get("client.rack") or None,
        number_of(given, "max.poll.records", "INT"),
        number_of(given, "fetch.max.wait.ms", "INT"),
        number_of(given, "fetch.min.bytes", "INT"),
        number_of(given, "fetch.max.bytes", "INT"),
    )


def _log(text: str, error: Exception) -> None:
    """Print an error as Kafka's tool logs it."""
    print(f"ERROR {text}{error}", file=sys.stderr)


class _Printed:
    """Prints, counts and acknowledges records."""

    def __init__(self, out: BinaryIO, chosen: Format, parsed: Parsed) -> None:
        self._out = out
        self._format = chosen
        self._rejects_errors = parsed.has("reject-message-on-error")
        self._how = AcknowledgeType.ACCEPT
        if parsed.has("reject"):
            self._how = AcknowledgeType.REJECT
        elif parsed.has("release"):
            self._how = AcknowledgeType.RELEASE
        self.count = 0

    def all(self, consumer: ShareConsumer, idle_ms: int | None, max_messages: int) -> None:
        """Print records, at most max_messages; -1: all. Raises NoRecord, FormatError, BrokenPipeError."""
        if self.count >= max_messages >= 0:
            return
        for acquired in consumer.records(idle_ms, self._out.flush):
            self.count += 1
            how = self._how
            try:
                self._out.write(self._format(acquired.consumed))
            except FormatError as error:
                if not self._rejects_errors:
                    raise
                _log("Error processing message, rejecting this message: ", error)
                how = AcknowledgeType.REJECT
            consumer.acknowledge(acquired, how)
            if self.count == max_messages:
                break
        self._out.flush()


def _consume(parsed: Parsed, properties: dict[str, str], printed: _Printed) -> int:
    given_ms = parsed.number("timeout-ms")
    idle_ms = None if given_ms is None or given_ms < 0 else given_ms
    settings = _settings(properties)
    timeout_ms = CALL_TIMEOUT_MS if idle_ms is None else min(CALL_TIMEOUT_MS, idle_ms)
    with Client(parsed.text("bootstrap-server"), timeout_ms=timeout_ms, settings=properties) as client:
        consumer = ShareConsumer(client, parsed.text("topic"), settings)
        raise_at_sigterm()
        try:
            max_messages = parsed.number("max-messages")
            return _print_all(printed, consumer, idle_ms, -1 if max_messages is None else max_messages)
        except (KeyboardInterrupt, Terminated) as error:
            client.close()  # a response may still arrive on the old connection
            return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
        finally:
            _close(consumer)
            print(f"Processed a total of {printed.count} messages", file=sys.stderr)


def _print_all(printed: _Printed, consumer: ShareConsumer, idle_ms: int | None, max_messages: int) -> int:
    """Print records and return the exit code: 0 after an error of a broker, 1 if no broker responds."""
    try:
        printed.all(consumer, idle_ms, max_messages)
    except NoRecord:
        pass
    except BrokenPipeError:
        print("Unable to write to standard out, closing consumer.", file=sys.stderr)
        give_up_stdout()
    except (AuthenticationFailed, CannotConnect, BadAddress, Unreachable) as error:
        print(f"Error: {error}", file=sys.stderr)
        return FAILED
    except (ClientError, BrokenRecords) as error:
        _log("Error processing message, terminating consumer process: ", error)
    return DONE


def _close(consumer: ShareConsumer) -> None:
    try:
        sys.stdout.buffer.flush()
        consumer.close()
    except BrokenPipeError:
        give_up_stdout()
    except (ClientError, OSError) as error:
        print(f"WARN could not leave the group: {error}", file=sys.stderr)
