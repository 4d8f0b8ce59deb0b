"""What the broker counts with: ints and dicts of our own, so that counting costs next to nothing.

    metrics.requests["OffsetCommit", 8] += 1
    metrics.offset_commits.mark(10, now_ms)
    metrics.flush_duration.observe(0.004)
    metrics.watch("groups", lambda: {"Stable": 3, "Empty": 1})     # asked at each scrape

prometheus-client comes in at a scrape only (text.py).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from tidemark.metrics.catalogue import RECORDS, SECONDS
from tidemark.metrics.rates import WINDOW_MS, WINDOWS, Meter

# One label's value, or a tuple of them where there is more than one label.
Labels = tuple[str | int, ...] | str | int
Reading = float | Mapping[Any, float]  # by Labels; a Mapping's key type would not let str stand for Labels


class Counter(dict[Labels, int]):
    """Label values -> count. A key that was never counted reads 0."""

    __slots__ = ()

    def __missing__(self, key: Labels) -> int:
        return 0


class Histogram:
    """Counts by size. bounds are the buckets' upper ends, ascending."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds: Final = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


METERS: Final = ("offset_commits", "offsets_expired", "offset_deletions", "group_rebalances")


class Metrics:
    """One per broker. An attribute per counter and histogram of the catalogue; gauges are watched, or set
    here.

    steady_ms is asked when a rate is read; windows and window_ms are those of every rate. A meter reads as
    its count, and under its name with `_rate` as its rate.
    """

    __slots__ = (
        "bad_input",
        "cleanup_duration",
        "cleanup_runs",
        "connections",
        "connections_opened",
        "event_loop_stall",
        "event_loop_stall_max",
        "flush_duration",
        "flush_records",
        "group_rebalances",
        "offset_commits",
        "offset_deletions",
        "offset_expirations",
        "offsets_expired",
        "offsets_removed",
        "received_bytes",
        "request_errors",
        "requests",
        "sent_bytes",
        "watched",
    )

    def __init__(
        self,
        steady_ms: Callable[[], int] = lambda: 0,
        windows: int = WINDOWS,
        window_ms: int = WINDOW_MS,
    ) -> None:
        self.requests = Counter()  # (api, version)
        self.request_errors = Counter()  # (api, error code or its name)
        self.connections = Counter()  # listener; goes down as well
        self.connections_opened = Counter()  # listener
        self.received_bytes = Counter()  # listener
        self.sent_bytes = Counter()  # listener
        self.bad_input = Counter()  # BadInput
        self.offset_commits = Meter(windows, window_ms)
        self.offset_deletions = Meter(windows, window_ms)
        self.offset_expirations = Counter()  # Rule
        self.offsets_removed = Counter()  # cause
        self.offsets_expired = Meter(windows, window_ms)  # all rules
        self.cleanup_runs = 0
        self.cleanup_duration = Histogram(SECONDS)
        self.group_rebalances = Meter(windows, window_ms)
        self.event_loop_stall = Histogram(SECONDS)
        self.event_loop_stall_max = 0.0
        self.flush_duration = Histogram(SECONDS)
        self.flush_records = Histogram(RECORDS)
        self.watched: dict[str, Callable[[], Reading]] = {
            f"{name}_rate": partial(_rate, getattr(self, name), steady_ms) for name in METERS
        }
        self.watch("requests_as_kafka", self._requests_as_kafka)
        # Kafka's connections hang on a network thread; there is one, and it is the event loop.
        self.watch(
            "connections_by_processor",
            lambda: {(listener, 0): count for listener, count in self.connections.items()},
        )

    def settle_meters(self, steady_ms: int) -> None:
        """What was only counted so far has happened now."""
        for meter in (self.offset_commits, self.offset_deletions, self.group_rebalances):
            meter.settle(steady_ms)

    def watch(self, attribute: str, read: Callable[[], Reading]) -> None:
        """read() is asked for the gauge's value, or its values by label, whenever somebody looks."""
        self.watched[attribute] = read

    def _requests_as_kafka(self) -> Reading:
        """A Fetch counts by who sends it as well; other brokers send none here."""
        requests = self.reading("requests")
        assert isinstance(requests, Mapping)
        fetches = {("FetchConsumer", version): n for (api, version), n in requests.items() if api == "Fetch"}
        return {**requests, **fetches}

    def reading(self, attribute: str) -> Reading | Histogram | None:
        """What stands there now; None: nobody keeps it."""
        if (read := self.watched.get(attribute)) is not None:
            return read()
        value: Reading | Histogram | Meter | None = getattr(self, attribute, None)
        return value.count if isinstance(value, Meter) else value


def _rate(meter: Meter, steady_ms: Callable[[], int]) -> float:
    return meter.rate(steady_ms())
