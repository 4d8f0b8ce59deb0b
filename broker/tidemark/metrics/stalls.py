"""How long the event loop delays its callbacks, measured by a timer that is due at known moments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from tidemark.metrics.registry import Metrics

EVERY_MS: Final = 50


class _Clock(Protocol):
    def steady_ms(self) -> int: ...
    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> Any: ...


class StallWatch:
    """Measures the running loop, from start() to stop()."""

    __slots__ = ("_clock", "_due_ms", "_metrics", "_timer")

    def __init__(self, clock: _Clock, metrics: Metrics) -> None:
        self._clock = clock
        self._metrics = metrics
        self._due_ms = 0
        self._timer: Any = None

    def start(self) -> None:
        self._due_ms = self._clock.steady_ms() + EVERY_MS
        self._timer = self._clock.call_at(self._due_ms, self._woken)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _woken(self) -> None:
        late_s = max(0, self._clock.steady_ms() - self._due_ms) / 1000
        self._metrics.event_loop_stall.observe(late_s)
        self._metrics.event_loop_stall_max = max(self._metrics.event_loop_stall_max, late_s)
        self.start()
