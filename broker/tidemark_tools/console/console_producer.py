"""`tidemark console-producer`: writes lines of stdin to a topic as kafka-console-producer does."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Final

from tidemark_protocol.batch import LogRecord
from tidemark_protocol.compression import Codec
from tidemark_tools.bootstrap import check_bootstrap
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import ClientError
from tidemark_tools.client.producer import Failure, Producer, ProducerSettings
from tidemark_tools.client.settings import client_settings
from tidemark_tools.console.line_reader import LineError, LineReader, Lines, line_reader
from tidemark_tools.console.properties import (
    InvalidProperty,
    Renamed,
    drawn,
    given_properties,
    number_of,
    take_old_names,
)
from tidemark_tools.options import HELP, VERSION, CommandLine, Option, Parsed, require, run

PURPOSE: Final = "This tool helps to read data from standard input and publish it to Kafka."
LINE_READER: Final = "org.apache.kafka.tools.LineMessageReader"
CHUNK_BYTES: Final = 64 * 1024
READER_PROPERTIES: Final = (
    "A setting of the line reader: parse.key=false, parse.headers=false, ignore.error=false, "
    "key.separator=\\t, headers.delimiter=\\t, headers.separator=',', headers.key.separator=':', "
    "null.marker (the text that means null, none). A line is headers, key, value."
)
OPTIONS: Final = (
    HELP,
    VERSION,
    Option("topic", "REQUIRED: The topic.", "topic"),
    Option("bootstrap-server", "REQUIRED: brokers, HOST1:PORT1,HOST2:PORT2.", "server to connect to"),
    Option("sync", "Send line by line, and stop at the first error."),
    Option(
        "compression-codec",
        "none, gzip, snappy, lz4 or zstd; gzip if the value is left out.",
        "compression-codec",
        optional=True,
    ),
    Option("request-required-acks", "all (or -1), 1 or 0.", "request required acks", default="-1"),
    Option("request-timeout-ms", "Timeout of a request.", "request timeout ms", "Integer", default="1500"),
    Option("max-block-ms", "How long to wait for the topic.", "max block on send", "Long", default="60000"),
    Option("message-send-max-retries", "How often to retry.", None, "Integer", default="3"),
    Option("batch-size", "Size of a batch in bytes.", "size", "Integer", default="16384"),
    Option("reader-property", READER_PROPERTIES, "prop"),
    Option("reader-config", "A properties file with settings of the line reader.", "config file"),
    Option("command-property", "A setting of the producer, key=value.", "producer_prop"),
    Option("command-config", "A properties file with settings of the producer.", "config file"),
    Option("property", "(DEPRECATED) --reader-property", "prop"),
    Option("producer-property", "(DEPRECATED) --command-property", "producer_prop"),
    Option("producer.config", "(DEPRECATED) --command-config", "config file"),
    Option(
        "max-partition-memory-bytes",
        "(DEPRECATED) --batch-size",
        "memory in bytes per partition",
        "Integer",
        default="16384",
    ),
    Option("line-reader", "Only the default works.", "reader_class", default=LINE_READER),
    Option("timeout", "Ignored: lines are sent as they arrive.", "timeout_ms", "Long", default="1000"),
    Option("retry-backoff-ms", "Ignored.", None, "Long", default="100"),
    Option("metadata-expiry-ms", "Ignored.", "metadata expiration interval", "Long", default="300000"),
    Option("max-memory-bytes", "Ignored.", "total memory in bytes", "Long", default="33554432"),
    Option("socket-buffer-size", "Ignored.", "size", "Integer", default="102400"),
)
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
ACKS: Final = {"all": -1, "-1": -1, "0": 0, "1": 1}
CODECS: Final = {codec.name.lower(): codec for codec in Codec}


def _check(parsed: Parsed) -> None:
    require(parsed, "topic")
    check_bootstrap(parsed.value("bootstrap-server") or "")
    take_old_names(parsed, CLASH, WARNING, *RENAMED)


LINE: Final = CommandLine(PURPOSE, OPTIONS, _check)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code.

    It is 0 even if a broker refuses lines, unless --sync was given, and 1 if no broker responds.
    """
    return run(LINE, arguments, _run, ClientError, InvalidProperty, LineError)


def _run(parsed: Parsed) -> None:
    if parsed.value("line-reader") != LINE_READER:
        raise InvalidProperty(parsed.value("line-reader") or "")
    reader = line_reader(
        client_settings(parsed.value("reader-config")) | given_properties(parsed.values("reader-property"))
    )
    properties = _properties(parsed)
    settings = _settings(properties)
    topic = parsed.value("topic") or ""
    with Client(parsed.value("bootstrap-server") or "", settings=properties) as client:
        producer = Producer(client, topic, settings, drawn())
        for records in _records(reader):
            if parsed.has("sync"):
                _send_each(producer, records)
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
                line = reader.parse(number, text)
                records.append(LogRecord(0, _now_ms(), line.key, line.value, line.headers))
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


def _send_each(producer: Producer, records: list[LogRecord]) -> None:
    for record in records:
        for failure in producer.send([record]):
            raise InvalidProperty(failure.error)


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


def _now_ms() -> int:
    """Return the time for records. Importing Clock would load asyncio and double the start-up time."""
    return time.time_ns() // 1_000_000  # noqa: TID251


def _properties(parsed: Parsed) -> dict[str, str]:
    """Return the producer's settings, merged as Kafka's tool does."""
    properties = client_settings(parsed.value("command-config"))
    properties |= given_properties(parsed.values("command-property"))
    codec = (parsed.value("compression-codec") or "gzip") if parsed.has("compression-codec") else "none"
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
        value = parsed.value(option) or ""
        if parsed.has(option) or name not in properties:
            properties[name] = value
    return properties


def _settings(properties: dict[str, str]) -> ProducerSettings:
    acks, codec = properties["acks"], properties["compression.type"]
    if codec not in CODECS:
        raise InvalidProperty(
            f"Invalid value {codec} for configuration compression.type: String must be one of: "
            f"{', '.join(CODECS)}"
        )
    if acks.strip() not in ACKS:
        raise InvalidProperty(
            f"Invalid value {acks} for configuration acks: String must be one of: all, -1, 0, 1"
        )
    if properties.get("enable.idempotence", "") == "true" and ACKS[acks.strip()] != -1:
        raise InvalidProperty(
            "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee "
            "idempotence."
        )
    number_of(properties, "linger.ms", "LONG")
    return ProducerSettings(
        ACKS[acks.strip()],
        CODECS[codec],
        number_of(properties, "batch.size", "INT"),
        number_of(properties, "request.timeout.ms", "INT"),
        number_of(properties, "retries", "INT"),
        number_of(properties, "max.block.ms", "LONG"),
    )
