"""Rates over sliding windows, and counts of events with their rate. Kafka: `Rate`, `SampledStat`, `Meter`.

A rate is the sum of the values in the last windows, divided by the time that they span. At least all
windows but one count as full. Times are steady, in milliseconds.
"""

from __future__ import annotations

from math import floor, isnan
from typing import Final

from tidemark.late_dataclass import dataclass
from tidemark.settings.broker import BrokerSettings

WINDOWS: Final = BrokerSettings.metrics_num_samples.default
WINDOW_MS: Final = BrokerSettings.metrics_sample_window_ms.default
LINES_PER_SECOND_MAX: Final = 10  # a client that repeats an error must not fill the log
SECOND_MS: Final = 1000


class LineLimit:
    """Limits the log lines that clients cause to LINES_PER_SECOND_MAX."""

    __slots__ = ("_lines", "_not_logged", "_second")

    def __init__(self) -> None:
        self._second = -1
        self._lines = 0  # in this second
        self._not_logged = 0

    def take(self, now_ms: int) -> dict[str, int] | None:
        """Return further fields of the next line: how many were not logged. None: do not log it."""
        second = now_ms // SECOND_MS
        if second != self._second:
            self._second, self._lines = second, 0
        if self._lines == LINES_PER_SECOND_MAX:
            self._not_logged += 1
            return None
        self._lines += 1
        more = {"not_logged": self._not_logged} if self._not_logged else {}
        self._not_logged = 0
        return more


@dataclass(slots=True)
class _Sample:
    start_ms: int
    last_ms: int  # of its latest record
    total: float = 0

    def reset(self, now_ms: int) -> None:
        self.start_ms = self.last_ms = now_ms
        self.total = 0


class Rate:
    """Values per second over the last windows.

    total  of all samples. The rate is at most this, divided by the time of all windows but one
    """

    __slots__ = ("_at", "_samples", "_window_ms", "_windows", "total")

    def __init__(self, windows: int = WINDOWS, window_ms: int = WINDOW_MS) -> None:
        self._windows = windows
        self._window_ms = window_ms
        self._samples: list[_Sample] = []  # a ring, which is not full at first
        self._at = 0
        self.total = 0.0

    def record(self, value: float, now_ms: int) -> None:
        samples = self._samples
        if not samples:
            samples.append(_Sample(now_ms, now_ms))
        elif now_ms - samples[self._at].start_ms >= self._window_ms:
            # One sample more than windows: the oldest one overlaps the time that is measured.
            self._at = (self._at + 1) % (self._windows + 1)
            if self._at == len(samples):
                samples.append(_Sample(now_ms, now_ms))
            else:
                self.total -= samples[self._at].total
                samples[self._at].reset(now_ms)
        self.total += value
        sample = samples[self._at]
        sample.total += value
        sample.last_ms = now_ms

    @property
    def last_ms(self) -> int:
        """Return the time of the last record."""
        return self._samples[self._at].last_ms

    def window_ms(self, now_ms: int) -> int:
        """Empty samples that are too old, as Kafka does. Return the time over which the rate is measured.

        It has at least all windows but one, so that the first records do not make a high rate.
        """
        if not self._samples:
            self._samples.append(_Sample(now_ms, now_ms))
        expired_ms = now_ms - self._windows * self._window_ms
        for sample in self._samples:
            if sample.last_ms <= expired_ms:
                self.total -= sample.total
                sample.reset(now_ms)
        elapsed_ms = now_ms - min(each.start_ms for each in self._samples)
        missing = self._windows - 1 - elapsed_ms // self._window_ms
        return max(elapsed_ms + max(missing, 0) * self._window_ms, 1)

    def per_second(self, now_ms: int) -> float:
        window_ms = self.window_ms(now_ms)
        return sum(each.total for each in self._samples) / (window_ms / SECOND_MS)

    def throttle_ms(self, limit: float, now_ms: int) -> int:
        """Return the time after which the rate is at its limit if nothing more is recorded."""
        rate = self.per_second(now_ms)
        if isnan(limit) or rate <= limit:
            return 0
        return floor((rate - limit) / limit * self.window_ms(now_ms) + 0.5)


class Meter:
    """`mark` counts events. `count` is the number of all events, `rate` that of recent ones per second.

    The hot path adds to `count` instead, which is cheaper, and something calls `settle` soon after. `settled`
    is the count at the last call.
    """

    __slots__ = ("_rate", "count", "settled")

    def __init__(self, windows: int = WINDOWS, window_ms: int = WINDOW_MS) -> None:
        self.count = 0
        self.settled = 0
        self._rate = Rate(windows, window_ms)

    def mark(self, events: int, now_ms: int) -> None:
        self.count += events
        self.settle(now_ms)

    def settle(self, now_ms: int) -> None:
        """Assign this time to the events counted since the last call."""
        events = self.count - self.settled
        if events:
            self.settled = self.count
            self._rate.record(events, now_ms)

    def rate(self, now_ms: int) -> float:
        """Return events per second."""
        self.settle(now_ms)
        return self._rate.per_second(now_ms)
