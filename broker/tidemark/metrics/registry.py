"""The counts of one broker: plain ints and dicts, so that counting is cheap.

    metrics.requests["OffsetCommit", 8] += 1
    metrics.offset_commits.mark(10, now_ms)
    metrics.flush_duration.observe(0.004)
    metrics.watch("groups", lambda: {"Stable": 3, "Empty": 1})     # read at each scrape

catalogue.py defines the metrics. Only a scrape imports prometheus-client (text.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tidemark.metrics.catalogue import METER_OF_API, METERS, Definitions
from tidemark.metrics.definition import Counter, Histogram, Labels, Reading, made
from tidemark.metrics.rates import WINDOW_MS, WINDOWS, Meter


class Metrics(Definitions):
    """The counters of one broker."""

    __slots__ = ("_moved_by_requests", "_watched")

    def __init__(
        self,
        steady_ms: Callable[[], int] = lambda: 0,
        windows: int = WINDOWS,
        window_ms: int = WINDOW_MS,
    ) -> None:
        """steady_ms: the time at which a rate is read. windows, window_ms: those of every rate."""
        for attribute, value in made(Definitions, windows, window_ms):
            setattr(self, attribute, value)
        self._moved_by_requests: tuple[Meter, ...] = tuple(
            getattr(self, mark.meter) for mark in METER_OF_API.values()
        )
        self._watched: dict[str, Callable[[], Reading]] = {
            f"{name}_rate": partial(_rate, getattr(self, name), steady_ms) for name in METERS
        }
        self.watch("requests_as_kafka", self._requests_as_kafka)
        self.watch("verifications", lambda: sum(self.verification_duration.counts))
        # In Kafka a connection belongs to a network thread. There is one here, the event loop.
        self.watch(
            "connections_by_processor",
            lambda: {(listener, 0): count for listener, count in self.connections.items()},
        )

    def settle_meters(self, steady_ms: int) -> None:
        """Assign this time to everything that requests have counted since the last call."""
        for meter in self._moved_by_requests:
            if meter.count != meter.settled:
                meter.settle(steady_ms)

    def watch(self, attribute: str, read: Callable[[], Reading]) -> None:
        """Let read() return the value of a metric, or its values by label, whenever it is needed."""
        assert attribute in Definitions.__slots__, f"no metric is called {attribute}"
        self._watched[attribute] = read

    def _requests_as_kafka(self) -> Reading:
        """Kafka counts a Fetch also by its sender. Other brokers send none here."""
        requests = self.reading("requests")
        assert isinstance(requests, Mapping)
        fetches = {("FetchConsumer", version): n for (api, version), n in requests.items() if api == "Fetch"}
        return {**requests, **fetches}

    def reading(self, attribute: str) -> Reading | Histogram | None:
        """Return the value now. None: a gauge that is not watched."""
        if (read := self._watched.get(attribute)) is not None:
            return read()
        value: Reading | Histogram | Meter | None = getattr(self, attribute, None)
        return value.count if isinstance(value, Meter) else value


def _rate(meter: Meter, steady_ms: Callable[[], int]) -> float:
    return meter.rate(steady_ms())


__all__ = ["Counter", "Histogram", "Labels", "Metrics", "Reading"]
