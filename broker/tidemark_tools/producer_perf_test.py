"""`tidemark producer-perf-test`: writes records as fast as it can, as kafka-producer-perf-test does.

The producer has one thread and waits for each batch, so that it shows what one synchronous client gets.
"""

from __future__ import annotations

import sys
import time
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Final

from tidemark_protocol.batch import LogRecord
from tidemark_protocol.java import murmur2
from tidemark_tools.argparse4j import Argparse4jTool
from tidemark_tools.client.client import Client, client_settings, read_text
from tidemark_tools.client.connection import now_s, wall_ms
from tidemark_tools.client.producer import Producer
from tidemark_tools.client_properties import InvalidProperty, drawn, given_properties, producer_settings
from tidemark_tools.options import Parsed, UsageError, run, table

LETTERS: Final = range(ord("A"), ord("Z") + 1)
RECORD_OVERHEAD: Final = 20  # bytes of a record besides its value, roughly
PAYLOADS: Final = ("record-size", "payload-file", "payload-monotonic")
MEGABYTE: Final = 1024 * 1024
QUANTILES: Final = (0.5, 0.95, 0.99, 0.999)
BATCHES_PER_S: Final = 100  # a limited load is sent in this many steps, so that it is even
TOOL: Final = Argparse4jTool(
    "kafka-producer-perf-test",
    "This tool is used to verify the producer performance.",
    table("""
    bootstrap-server <BOOTSTRAP-SERVER>  Brokers to connect to.
    * topic <TOPIC>  The topic to write to.
    * num-records <Long: NUM-RECORDS>  The number of records.
    payload-delimiter <PAYLOAD-DELIMITER>  What separates the payloads in --payload-file. (default: \\n)
    * throughput <THROUGHPUT>  The maximum number of records per second, roughly; -1: no limit.
    producer-props <List: PROP-NAME=PROP-VALUE>  (DEPRECATED) --command-property
    command-property <List: PROP-NAME=PROP-VALUE>  Settings of the producer.
    producer.config <CONFIG-FILE>  (DEPRECATED) --command-config
    command-config <CONFIG-FILE>  A properties file with settings of the producer.
    warmup-records <Long: WARMUP-RECORDS>  Records at the start that a second summary leaves out. (default: 0)
    reporting-interval <Long: INTERVAL-MS>  Milliseconds between two lines. (default: 5000)
    record-size <Integer: RECORD-SIZE>  Bytes of each value.
    payload-file <PAYLOAD-FILE>  A file with payloads. Each record gets one of them.
    print-metrics  Ignored: this client has no metrics.
    payload-monotonic  The values are the numbers 0, 1, 2, ...
"""),
)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _run)


def _check(parsed: Parsed) -> None:
    chosen = [name for name in PAYLOADS if parsed.has(name)]
    flags = [f"--{name}" for name in (chosen or PAYLOADS)]
    if not chosen:
        raise UsageError(f"one of the arguments {' '.join(flags)} is required")
    if len(chosen) > 1:
        raise UsageError(f"argument {flags[1]}: not allowed with argument {flags[0]}")
    text = parsed.text("throughput")
    try:
        float(text)
    except ValueError:
        raise UsageError(
            f"argument --throughput: could not convert '{text}' to Double (For input string: \"{text}\")"
        ) from None
    for name in ("num-records", "record-size", "reporting-interval"):
        if (number := parsed.number(name)) is not None and number <= 0:
            raise UsageError(f"--{name} should be greater than zero.")


def _properties(parsed: Parsed) -> dict[str, str]:
    properties = client_settings(parsed.value("producer.config"))
    properties |= client_settings(parsed.value("command-config"))
    for name in ("producer-props", "command-property"):
        properties |= given_properties(parsed.values(name))
    if address := parsed.value("bootstrap-server"):
        properties["bootstrap.servers"] = address
    if "bootstrap.servers" not in properties:
        raise InvalidProperty("At least one of --bootstrap-server and bootstrap.servers must be specified.")
    if "transactional.id" in properties:
        raise InvalidProperty("transactional.id: tidemark's producer has no transactions")
    return {"client.id": "perf-producer-client", **properties}


def _payloads(parsed: Parsed) -> Callable[[int], bytes]:
    """Return a function that returns the value of record n."""
    if parsed.has("payload-monotonic"):
        return lambda n: str(n).encode()
    path = parsed.value("payload-file")
    if path is None:
        value = bytes(LETTERS[_hash(n) % len(LETTERS)] for n in range(parsed.number("record-size") or 0))
        return lambda n: value
    delimiter = parsed.text("payload-delimiter").replace("\\n", "\n")
    payloads = [part.encode() for part in read_text(path).split(delimiter) if part]
    if not payloads:
        raise InvalidProperty(f"File does not exist or empty file provided: {path}")
    return lambda n: payloads[_hash(n) % len(payloads)]


def _hash(number: int) -> int:
    """Return a number that looks random and is the same in every run."""
    return murmur2(number.to_bytes(8, "big"))


def _run(parsed: Parsed) -> None:
    _check(parsed)
    properties, value_of = _properties(parsed), _payloads(parsed)
    settings = producer_settings(properties)
    count, warmup = parsed.number("num-records") or 0, parsed.number("warmup-records") or 0
    interval_ms = parsed.number("reporting-interval") or 0
    size = len(value_of(0)) + RECORD_OVERHEAD
    throughput = float(parsed.text("throughput"))
    if warmup:
        print(
            f"Warmup first {warmup} records. Steady state results will print after the complete test summary."
        )
    with Client(properties["bootstrap.servers"], settings=properties) as client:
        producer = Producer(client, parsed.text("topic"), settings, drawn())
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


class Stats:
    """Throughput and latencies of records, which are written in batches. Times are in milliseconds.

    label: what the summary calls the records: "" or " steady state".
    """

    def __init__(self, began_ms: float, label: str = "") -> None:
        self._began_ms = began_ms
        self._label = label
        self._latencies: list[tuple[float, int]] = []  # of each batch, with its number of records
        self._bytes = 0
        self.records = 0

    def add(self, records: int, size: int, latency_ms: float) -> None:
        """Count a batch of this many records and bytes that took this long."""
        self._latencies.append((latency_ms, records))
        self._bytes += size
        self.records += records

    def window(self, now_ms: float) -> str:
        """Return the line about an interval that ends now."""
        return (
            f"{self._rates(now_ms, '.1f')}, {self._average():.1f} ms avg latency, "
            f"{self._longest():.1f} ms max latency."
        )

    def total(self, now_ms: float) -> str:
        """Return the line at the end."""
        quantiles = zip(self._quantiles(), ("50th", "95th", "99th", "99.9th"), strict=True)
        return (
            f"{self._rates(now_ms, 'f')}, {self._average():.2f} ms avg latency, "
            f"{self._longest():.2f} ms max latency, "
            f"{', '.join(f'{ms} ms {name}' for ms, name in quantiles)}."
        )

    def _rates(self, now_ms: float, form: str) -> str:
        seconds = max(now_ms - self._began_ms, 1) / 1000
        rate = format(self.records / seconds, form)
        megabytes = self._bytes / seconds / MEGABYTE
        return f"{self.records}{self._label} records sent, {rate} records/sec ({megabytes:.2f} MB/sec)"

    def _average(self) -> float:
        return sum(ms * records for ms, records in self._latencies) / max(self.records, 1)

    def _longest(self) -> float:
        return max((ms for ms, _ in self._latencies), default=0)

    def _quantiles(self) -> list[int]:
        """Return the latencies below which these shares of the records are."""
        ordered = sorted(self._latencies)
        up_to = list(accumulate(records for _, records in ordered))
        places = [min(bisect_right(up_to, share * self.records), len(ordered) - 1) for share in QUANTILES]
        return [int(ordered[place][0]) if ordered else 0 for place in places]


class Pace:
    """Limits a load to a number of records per second. per_s: not above 0 for no limit."""

    def __init__(self, per_s: float, now_s: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._per_s = per_s
        self._now_s = now_s
        self._sleep = sleep
        self._began_s = now_s()

    def batch(self, most: int) -> int:
        """Return how many records to send at once, at most `most`."""
        return most if self._per_s <= 0 else max(1, min(most, int(self._per_s / BATCHES_PER_S)))

    def wait(self, sent: int) -> None:
        """Wait until so many records may have been sent."""
        if self._per_s > 0:
            early_s = sent / self._per_s - (self._now_s() - self._began_s)
            if early_s > 0:
                self._sleep(early_s)
