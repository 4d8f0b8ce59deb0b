"""A count of events and their rate over sliding windows. Kafka: `Meter`, `SampledStat`, `Rate`.

The rate is the number of events in the last windows, divided by the time that they span. At least all windows
but one count as full. Times are steady, in milliseconds.
"""

from __future__ import annotations

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
class _Window:
    start_ms: int
    last_ms: int  # of its latest event
    events: int = 0

    def begin(self, now_ms: int) -> None:
        self.start_ms = self.last_ms = now_ms
        self.events = 0


class Meter:
    """`mark` counts events. `count` is the number of all events, `rate` that of recent ones per second.

    The hot path adds to `count` instead, which is cheaper, and something calls `settle` soon after. `settled`
    is the count at the last call.
    """

    __slots__ = ("_at", "_window", "_window_ms", "_windows", "_windows_max", "count", "settled")

    def __init__(self, windows: int = WINDOWS, window_ms: int = WINDOW_MS) -> None:
        self.count = 0
        self.settled = 0
        self._windows_max: Final = (
            windows + 1
        )  # one more than requested, because the oldest is still partly in use
        self._window_ms: Final = window_ms
        self._windows: list[_Window] = []  # a ring, which is not full at first
        self._at = -1
        self._window: _Window | None = None  # the current one

    def mark(self, events: int, now_ms: int) -> None:
        self.count += events
        self.settle(now_ms)

    def settle(self, now_ms: int) -> None:
        """Assign this time to the events counted since the last call."""
        events = self.count - self.settled
        if not events:
            return
        self.settled = self.count
        window = self._window
        if window is None or now_ms - window.start_ms >= self._window_ms:
            window = self._next(now_ms)
        window.events += events
        window.last_ms = now_ms

    def rate(self, now_ms: int) -> float:
        """Return events per second. As in Kafka, this empties windows whose events are too old."""
        self.settle(now_ms)
        if not self._windows:
            self._next(now_ms)
        for window in self._windows:
            if now_ms - window.last_ms >= (self._windows_max - 1) * self._window_ms:
                window.begin(now_ms)
        events = sum(window.events for window in self._windows)
        return events * 1000 / self._elapsed_ms(now_ms)

    def _elapsed_ms(self, now_ms: int) -> int:
        elapsed_ms = now_ms - min(window.start_ms for window in self._windows)
        missing = self._windows_max - 2 - elapsed_ms // self._window_ms
        return max(elapsed_ms + max(missing, 0) * self._window_ms, 1)

    def _next(self, now_ms: int) -> _Window:
        self._at = (self._at + 1) % self._windows_max
        if self._at == len(self._windows):
            self._windows.append(_Window(now_ms, now_ms))
        else:
            self._windows[self._at].begin(now_ms)
        self._window = self._windows[self._at]
        return self._window
