from __future__ import annotations

from collections.abc import Callable

from tidemark.metrics import Metrics
from tidemark.node.environment import STALL_CHECK_MS, StallWatch


class LateClock:
    """Runs each timer late, by a given time."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.timers: list[tuple[int, Callable[[], None]]] = []

    def steady_ms(self) -> int:
        return self.now_ms

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> LateClock:
        self.timers.append((steady_ms, callback))
        return self

    def cancel(self) -> None:
        self.timers.clear()

    def run_next(self, *, late_ms: int) -> None:
        due_ms, callback = self.timers.pop(0)
        self.now_ms = due_ms + late_ms
        callback()


def test_a_late_timer_is_a_stall_and_the_longest_is_kept() -> None:
    clock, metrics = LateClock(), Metrics()
    watch = StallWatch(clock, metrics)
    watch.start()
    for late_ms in (0, 30, 10):
        clock.run_next(late_ms=late_ms)
    assert metrics.event_loop_stall_max == 0.03
    assert sum(metrics.event_loop_stall.counts) == 3
    assert metrics.event_loop_stall.total == 0.04


def test_the_next_timer_is_due_from_now_on() -> None:
    clock, metrics = LateClock(), Metrics()
    StallWatch(clock, metrics).start()
    clock.run_next(late_ms=500)
    assert clock.timers[0][0] == clock.now_ms + STALL_CHECK_MS


def test_a_stopped_watch_leaves_no_timer() -> None:
    clock = LateClock()
    watch = StallWatch(clock, Metrics())
    watch.start()
    watch.stop()
    assert clock.timers == []
