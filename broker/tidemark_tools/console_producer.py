"""`tidemark console-producer`: writes lines of stdin to a topic as kafka-console-producer does."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from tidemark_protocol.batch import LogRecord
from tidemark_tools.client.client import Client, client_settings
from tidemark_tools.client.connection import wall_ms
from tidemark_tools.client.errors import Failed
from tidemark_tools.client.producer import Failure, Producer
from tidemark_tools.client_properties import (
    InvalidProperty,
    Renamed,
    drawn,
    given_properties,
    number_of,
    producer_settings,
    take_old_names,
    truth_of,
)
from tidemark_tools.options import JoptTool, Parsed, check_bootstrap, require, run, table

LINE_READER: Final = "org.apache.kafka.tools.LineMessageReader"
CHUNK_BYTES: Final = 64 * 1024
OPTIONS: Final = table("""
    topic <topic>  REQUIRED: The topic.
    bootstrap-server <server to connect to>  REQUIRED: brokers, HOST1:PORT1,HOST2:PORT2.
    sync  Send line by line, and stop at the first error.
    compression-codec [compression-codec]  none, gzip, snappy, lz4 or zstd; gzip if the value is left out.
    request-required-acks <request required acks>  all (or -1), 1 or 0. (default: -1)
    request-timeout-ms <Integer: request timeout ms>  Timeout of a request. (default: 1500)
    max-block-ms <Long: max block on send>  How long to wait for the topic. (default: 60000)
    message-send-max-retries <Integer>  How often to retry. (default: 3)
    batch-size <Integer: size>  Size of a batch in bytes. (default: 16384)
    reader-property <prop>  A setting of the line reader: parse.key=false, parse.headers=false,
        ignore.error=false, key.separator=\\t, headers.delimiter=\\t, headers.separator=',',
        headers.key.separator=':', null.marker (the text that means null, none). A line is headers, key,
        value.
    reader-config <config file>  A properties file with settings of the line reader.
    command-property <producer_prop>  A setting of the producer, key=value.
    command-config <config file>  A properties file with settings of the producer.
    property <prop>  (DEPRECATED) --reader-property
    producer-property <producer_prop>  (DEPRECATED) --command-property
    producer.config <config file>  (DEPRECATED) --command-config
    max-partition-memory-bytes <Integer: memory in bytes per partition>  (DEPRECATED) --batch-size (default:
        16384)
    line-reader <reader_class>  Only the default works. (default: org.apache.kafka.tools.LineMessageReader)
    timeout <Long: timeout_ms>  Ignored: lines are sent as they arrive. (default: 1000)
    retry-backoff-ms <Long>  Ignored. (default: 100)
    metadata-expiry-ms <Long: metadata expiration interval>  Ignored. (default: 300000)
    max-memory-bytes <Long: total memory in bytes>  Ignored. (default: 33554432)
    socket-buffer-size <Integer: size>  Ignored. (default: 102400)
""")
RENAMED: Final = (
    Renamed("command-property", "producer-property"),
    Renamed("command-config", "producer.config"),
    Renamed("reader-property", "property"),
)
CLASH: Final = "Options --{new} and --{old} cannot be specified together."
WARNING: Final = (
    "Warning: --{old} is deprecated and will be removed in a future version. Use --{new} instead."
)
# Setting -> the option whose value it gets if the option was given or the setting was not.
MERGED: Final = {
    "linger.ms": "timeout",
    "acks": "request-required-acks",
    "request.timeout.ms": "request-timeout-ms",
    "retries": "message-send-max-retries",
    "retry.backoff.ms": "retry-backoff-ms",
    "send.buffer.bytes": "socket-buffer-size",
    "buffer.memory": "max-memory-bytes",
    "batch.size": "batch-size",
    "metadata.max.age.ms": "metadata-expiry-ms",
    "max.block.ms": "max-block-ms",
}
Headers = list[tuple[str, bytes | None]]

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")


def _check(parsed: Parsed) -> None:
    require(parsed, "topic")
    check_bootstrap(parsed.text("bootstrap-server"))
    take_old_names(parsed, CLASH, WARNING, *RENAMED)


TOOL: Final = JoptTool(
    "This tool helps to read data from standard input and publish it to Kafka.", OPTIONS, _check
)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code.

    It is 0 even if a broker refuses lines, unless --sync was given, and 1 if no broker responds.
    """
    return run(TOOL, arguments, _run)


def _run(parsed: Parsed) -> None:
    if parsed.value("line-reader") != LINE_READER:
        raise InvalidProperty(parsed.text("line-reader"))
    reader = line_reader(
        client_settings(parsed.value("reader-config")) | given_properties(parsed.values("reader-property"))
    )
    properties = _properties(parsed)
    settings = producer_settings(properties)
    if properties.get("enable.idempotence", "") == "true" and settings.acks != -1:
        raise InvalidProperty(
            "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee "
            "idempotence."
        )
    number_of(properties, "linger.ms", "LONG")
    topic = parsed.text("topic")
    with Client(parsed.text("bootstrap-server"), settings=properties) as client:
        producer = Producer(client, topic, settings, drawn())
        for records in _records(reader):
            if parsed.has("sync"):
                for record in records:
                    for failure in producer.send([record]):
                        raise InvalidProperty(failure.error)
            else:
                for failure in producer.send(records):
                    _log(topic, failure)
                if producer.unreachable is not None:
                    raise producer.unreachable


def _records(reader: LineReader) -> Iterator[list[LogRecord]]:
    """Yield the records of each read from stdin. A malformed line raises LineError after those before it."""
    number = 0
    for lines in _read_lines():
        records: list[LogRecord] = []
        try:
            for text in lines:
                number += 1
                records.append(reader.parse(number, text))
        except LineError:
            yield records
            raise
        if records:
            yield records


def _read_lines() -> Iterator[Iterator[str]]:
    """Yield lines as they arrive. On a terminal, print a prompt."""
    prompts = sys.stdin.isatty() and sys.stdout.isatty()
    lines = Lines()
    while True:
        if prompts:
            print(">", end="", flush=True)
        chunk = os.read(sys.stdin.fileno(), CHUNK_BYTES)
        if not chunk:
            break
        yield lines.feed(chunk)
    yield lines.end()


def _log(topic: str, failure: Failure) -> None:
    """Print an error as Kafka's tool logs it."""
    key, value = _size(failure.record.key), _size(failure.record.value)
    print(
        f"ERROR Error when sending message to topic {topic} with key: {key}, value: {value} with error: "
        f"{failure.error}",
        file=sys.stderr,
    )


def _size(content: bytes | None) -> str:
    return "null" if content is None else f"{len(content)} bytes"


def _properties(parsed: Parsed) -> dict[str, str]:
    """Return the producer's settings, merged as Kafka's tool does."""
    properties = client_settings(parsed.value("command-config"))
    properties |= given_properties(parsed.values("command-property"))
    codec = (parsed.text("compression-codec") or "gzip") if parsed.has("compression-codec") else "none"
    properties["compression.type"] = codec
    properties.setdefault("client.id", "console-producer")
    merged = MERGED
    if parsed.has("max-partition-memory-bytes"):
        print(
            "Warning: --max-partition-memory-bytes is deprecated and will be removed in Apache Kafka 5.0. "
            "Use --batch-size instead."
        )
        merged = MERGED | {"batch.size": "max-partition-memory-bytes"}
    for name, option in merged.items():
        value = parsed.text(option)
        if parsed.has(option) or name not in properties:
            properties[name] = value
    return properties


class LineError(Failed):
    """A line cannot be parsed, or the settings are contradictory. The message is Kafka's."""


class LineReader(NamedTuple):
    """A parser and its settings. null_marker: the text that means null."""

    parse_key: bool = False
    key_separator: str = "\t"
    parse_headers: bool = False
    headers_delimiter: str = "\t"
    headers_separator: str = ","
    headers_key_separator: str = ":"
    ignore_error: bool = False
    null_marker: str | None = None

    def parse(self, number: int, text: str) -> LogRecord:
        """Parse line `number` to a record with the time of the call. Raises LineError."""
        headers, rest = self._cut(
            number, text, text, self.headers_delimiter, "headers delimiter", wanted=self.parse_headers
        )
        key, value = self._cut(number, text, rest, self.key_separator, "key separator", wanted=self.parse_key)
        return LogRecord(0, wall_ms(), self._bytes(key), self._bytes(value), self._headers(number, headers))

    def _cut(
        self, number: int, line: str, text: str, separator: str, name: str, *, wanted: bool
    ) -> tuple[str | None, str]:
        """Split at the separator. The first part is None if no split is wanted, or an error is ignored."""
        if not wanted:
            return None, text
        before, found, after = text.partition(separator)
        if found or not separator:
            return before, after
        if self.ignore_error:
            return None, text
        raise LineError(f"No {name} found on line number {number}: '{line}'")

    def _bytes(self, text: str | None) -> bytes | None:
        return None if text is None or text == self.null_marker else text.encode()

    def _headers(self, number: int, text: str | None) -> Headers:
        if text is None or text == self.null_marker:
            return []
        pairs = re.split(self.headers_separator, text)
        while len(pairs) > 1 and not pairs[-1]:  # Java's split drops trailing empty strings
            pairs.pop()
        return [self._header(number, pair) for pair in pairs]

    def _header(self, number: int, pair: str) -> tuple[str, bytes | None]:
        key, found, value = pair.partition(self.headers_key_separator)
        if not found:
            if self.ignore_error:
                return pair, None
            raise LineError(f"No header key separator found in pair '{pair}' on line number {number}")
        if key == self.null_marker:
            raise LineError(
                f"Header keys should not be equal to the null marker '{self.null_marker}' as they can't be "
                "null"
            )
        return key, self._bytes(value)


def line_reader(properties: Mapping[str, str]) -> LineReader:
    """Return the reader for these `--reader-property`s. Unknown ones are ignored. Raises LineError."""
    default = LineReader()
    reader = LineReader(
        truth_of(properties, "parse.key"),
        properties.get("key.separator", default.key_separator),
        truth_of(properties, "parse.headers"),
        properties.get("headers.delimiter", default.headers_delimiter),
        properties.get("headers.separator", default.headers_separator),
        properties.get("headers.key.separator", default.headers_key_separator),
        truth_of(properties, "ignore.error"),
        properties.get("null.marker"),
    )
    delimiter = ("headers.delimiter", reader.headers_delimiter)
    separator = ("headers.separator", reader.headers_separator)
    key_separator = ("headers.key.separator", reader.headers_key_separator)
    null = ("null.marker", reader.null_marker)
    for (one, text), (other, same) in (
        (delimiter, separator), (delimiter, key_separator), (separator, key_separator),
        (null, ("key.separator", reader.key_separator)), (null, separator), (null, delimiter),
        (null, key_separator),
    ):  # fmt: skip
        if text == same:
            raise LineError(f"{one} and {other} may not be equal")
    return reader


class Lines:
    """Splits a stream of bytes into lines, without their ends: \\n, \\r or \\r\\n."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[str]:
        """Yield the lines that these bytes complete."""
        data = self._rest + data
        begin = 0
        for end in _LINE_END.finditer(data):
            if end[0] == b"\r" and end.end() == len(data):
                break  # a \n may follow
            yield _text(data[begin : end.start()])
            begin = end.end()
        self._rest = data[begin:]

    def end(self) -> Iterator[str]:
        """Yield the last line if it has no line end."""
        if self._rest:
            yield _text(self._rest.removesuffix(b"\r"))
        self._rest = b""


def _text(line: bytes) -> str:
    return line.decode("utf-8", "java")
