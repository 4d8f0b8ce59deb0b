"""`tidemark producer-perf-test`: writes records as fast as it can, as kafka-producer-perf-test does.

The producer has one thread and waits for each batch, so that it shows what one synchronous client gets.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final

from tidemark_protocol.batch import LogRecord
from tidemark_protocol.java import murmur2
from tidemark_tools.client.client import Client
from tidemark_tools.client.connection import now_s, wall_ms
from tidemark_tools.client.errors import ClientError
from tidemark_tools.client.producer import Producer
from tidemark_tools.client.settings import client_settings, read_text
from tidemark_tools.console.properties import InvalidProperty, drawn, given_properties
from tidemark_tools.load.pace import Pace
from tidemark_tools.load.producing import producer_settings
from tidemark_tools.load.stats import Stats
from tidemark_tools.options import KAFKA_RELEASE
from tidemark_tools.subcommands import Argument, Given, Tool, fail, run

LETTERS: Final = range(ord("A"), ord("Z") + 1)
RECORD_OVERHEAD: Final = 20  # bytes of a record besides its value, roughly
PROPERTY: Final = "PROP-NAME=PROP-VALUE"
PAYLOADS: Final = ("record_size", "payload_file", "payload_monotonic")
TOOL: Final = Tool(
    "kafka-producer-perf-test",
    "This tool is used to verify the producer performance.",
    KAFKA_RELEASE,
    (
        Argument("--bootstrap-server", "Brokers to connect to.", metavar="BOOTSTRAP-SERVER"),
        Argument("--topic", "The topic to write to.", metavar="TOPIC", required=True),
        Argument("--num-records", "The number of records.", "Long", "NUM-RECORDS", required=True),
        Argument(
            "--payload-delimiter",
            "What separates the payloads in --payload-file.",
            metavar="PAYLOAD-DELIMITER",
            default="\\n",
        ),
        Argument(
            "--throughput",
            "The maximum number of records per second, roughly; -1: no limit.",
            metavar="THROUGHPUT",
            required=True,
        ),
        Argument("--producer-props", "(DEPRECATED) --command-property", "List", PROPERTY),
        Argument("--command-property", "Settings of the producer.", "List", PROPERTY),
        Argument("--producer.config", "(DEPRECATED) --command-config", metavar="CONFIG-FILE"),
        Argument(
            "--command-config", "A properties file with settings of the producer.", metavar="CONFIG-FILE"
        ),
        Argument(
            "--warmup-records",
            "Records at the start that a second summary leaves out.",
            "Long",
            "WARMUP-RECORDS",
            default=0,
        ),
        Argument(
            "--reporting-interval", "Milliseconds between two lines.", "Long", "INTERVAL-MS", default=5000
        ),
        Argument("--record-size", "Bytes of each value.", "Integer", "RECORD-SIZE"),
        Argument(
            "--payload-file", "A file with payloads. Each record gets one of them.", metavar="PAYLOAD-FILE"
        ),
        Argument("--print-metrics", "Ignored: this client has no metrics.", "Flag"),
        Argument("--payload-monotonic", "The values are the numbers 0, 1, 2, ...", "Flag"),
    ),
    (),
)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    return run(TOOL, arguments, _run, ClientError, InvalidProperty)


def _check(given: Given) -> None:
    chosen = [name for name in PAYLOADS if given.values[name] is not None]
    flags = ["--" + name.replace("_", "-") for name in (chosen or PAYLOADS)]
    if not chosen:
        fail(TOOL, f"one of the arguments {' '.join(flags)} is required")
    if len(chosen) > 1:
        fail(TOOL, f"argument {flags[1]}: not allowed with argument {flags[0]}")
    try:
        float(given.text("throughput"))
    except ValueError:
        text = given.text("throughput")
        fail(
            TOOL,
            f"argument --throughput: could not convert '{text}' to Double (For input string: \"{text}\")",
        )
    for name in ("num_records", "record_size", "reporting_interval"):
        if (number := given.number(name)) is not None and number <= 0:
            fail(TOOL, f"--{name.replace('_', '-')} should be greater than zero.")


def _properties(given: Given) -> dict[str, str]:
    properties = client_settings(given.text_or_none("producer.config"))
    properties |= client_settings(given.text_or_none("command_config"))
    for name in ("producer_props", "command_property"):
        properties |= given_properties((given.text_or_none(name) or "").splitlines())
    if address := given.text_or_none("bootstrap_server"):
        properties["bootstrap.servers"] = address
    if "bootstrap.servers" not in properties:
        raise InvalidProperty("At least one of --bootstrap-server and bootstrap.servers must be specified.")
    if "transactional.id" in properties:
        raise InvalidProperty("transactional.id: tidemark's producer has no transactions")
    return {"client.id": "perf-producer-client", **properties}


def _payloads(given: Given) -> Callable[[int], bytes]:
    """Return a function that returns the value of record n."""
    if given.values["payload_monotonic"] is not None:
        return lambda n: str(n).encode()
    path = given.text_or_none("payload_file")
    if path is None:
        value = bytes(LETTERS[_hash(n) % len(LETTERS)] for n in range(given.number("record_size") or 0))
        return lambda n: value
    delimiter = given.text("payload_delimiter").replace("\\n", "\n")
    payloads = [part.encode() for part in read_text(path).split(delimiter) if part]
    if not payloads:
        raise InvalidProperty(f"File does not exist or empty file provided: {path}")
    return lambda n: payloads[_hash(n) % len(payloads)]


def _hash(number: int) -> int:
    """Return a number that looks random and is the same in every run."""
    return murmur2(number.to_bytes(8, "big"))


def _run(given: Given) -> None:
    _check(given)
    properties, value_of = _properties(given), _payloads(given)
    settings = producer_settings(properties)
    count, warmup = given.number("num_records") or 0, given.number("warmup_records") or 0
    interval_ms = given.number("reporting_interval") or 0
    size = len(value_of(0)) + RECORD_OVERHEAD
    throughput = float(given.text("throughput"))
    if warmup:
        print(
            f"Warmup first {warmup} records. Steady state results will print after the complete test summary."
        )
    with Client(properties["bootstrap.servers"], settings=properties) as client:
        producer = Producer(client, given.text("topic"), settings, drawn())
        pace = Pace(throughput, now_s, time.sleep)
        total = Stats(now_s() * 1000)
        window = Stats(now_s() * 1000)
        steady: Stats | None = None
        window_ends_ms = now_s() * 1000 + interval_ms
        sent = 0
        while sent < count:
            if warmup and steady is None and sent >= warmup:
                steady = Stats(now_s() * 1000, " steady state")
            left = (count if steady is not None or not warmup else min(count, warmup)) - sent
            most = pace.batch(max(1, settings.batch_size // size))
            records = [LogRecord(0, wall_ms(), None, value_of(sent + n), ()) for n in range(min(left, most))]
            began_ms = now_s() * 1000
            failures = producer.send(records)
            if producer.unreachable is not None:
                raise producer.unreachable
            for error in {failure.error for failure in failures}:
                print(f"ERROR {error}", file=sys.stderr)
            sent += len(records)
            written = len(records) - len(failures)
            bytes_here = sum(len(record.value or b"") for record in records) if not failures else 0
            took_ms = now_s() * 1000 - began_ms
            for stats in (total, window, steady):
                if stats is not None and written:
                    stats.add(written, bytes_here, took_ms)
            if now_s() * 1000 >= window_ends_ms and sent < count:
                print(window.window(now_s() * 1000), flush=True)
                window, window_ends_ms = Stats(now_s() * 1000), now_s() * 1000 + interval_ms
            pace.wait(sent)
        print(total.total(now_s() * 1000))
        if steady is not None:
            print(steady.total(now_s() * 1000))
