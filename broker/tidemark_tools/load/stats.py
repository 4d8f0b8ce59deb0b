"""Throughput and latencies of a load, in the words of kafka-producer-perf-test."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Final

MEGABYTE: Final = 1024 * 1024
QUANTILES: Final = (0.5, 0.95, 0.99, 0.999)


class Stats:
    """Counts of records, which are written in batches. Times are in milliseconds.

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
