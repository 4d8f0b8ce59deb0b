"""Clocks for tests, whose wall time and steady time move only on request."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from itertools import count
from typing import Final

from tidemark.clock import AfterReading, Timer

START_WALL_MS: Final = 1_700_000_000_000


class VirtualTimer:
    """A timer of `VirtualClock.call_at`."""

    __slots__ = ("at_ms", "callback", "cancelled")

    def __init__(self, at_ms: int, callback: Callable[[], None]) -> None:
        self.at_ms = at_ms
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True
        self.callback = _nothing  # the clock keeps the timer until it is due


def _nothing() -> None:
    pass


class VirtualClock:
    """A Clock that moves only with `advance`. Timers fire in order, each at its own time."""

    __slots__ = ("_heap", "_numbers", "_steady_ms", "_wall_ms")

    def __init__(self, wall_ms: int = START_WALL_MS) -> None:
        self._wall_ms = wall_ms
        self._steady_ms = 0
        self._heap: list[tuple[int, int, VirtualTimer]] = []
        self._numbers = count()

    def wall_ms(self) -> int:
        return self._wall_ms

    def log_ms(self) -> int:
        return self._wall_ms

    def steady_ms(self) -> int:
        return self._steady_ms

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> VirtualTimer:
        timer = VirtualTimer(steady_ms, callback)
        heapq.heappush(self._heap, (steady_ms, next(self._numbers), timer))
        return timer

    def after_reading(self, callback: Callable[[], None]) -> Timer:
        """Call back at the current time when `advance` continues: time stops while the loop reads."""
        return self.call_at(self._steady_ms, callback)

    def host_ms(self) -> int:
        return self._steady_ms

    async def sleep_until(self, host_ms: int) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        timer = self.call_at(host_ms, lambda: None if woken.done() else woken.set_result(None))
        try:
            await woken
        finally:
            timer.cancel()

    def advance(self, ms: int) -> None:
        """Move wall and steady time. Timers that become due are called at their time."""
        end = self._steady_ms + ms
        while self._heap and self._heap[0][0] <= end:
            at_ms, _, timer = heapq.heappop(self._heap)
            if not timer.cancelled:
                self._move_to(max(at_ms, self._steady_ms))
                timer.callback()
        self._move_to(end)

    def step(self, end_ms: int | None = None) -> bool:
        """Move to the next timer and call it. Return False if there is none until end_ms; time is then."""
        while self._heap and (end_ms is None or self._heap[0][0] <= end_ms):
            at_ms, _, timer = heapq.heappop(self._heap)
            if not timer.cancelled:
                self._move_to(max(at_ms, self._steady_ms))
                timer.callback()
                return True
        if end_ms is not None:
            self._move_to(end_ms)
        return False

    def advance_wall(self, ms: int) -> None:
        """Move wall time only: sessions, which use steady time, do not expire."""
        self._wall_ms += ms

    def _move_to(self, steady_ms: int) -> None:
        self._wall_ms += steady_ms - self._steady_ms
        self._steady_ms = steady_ms


class LoopClock(VirtualClock):
    """A VirtualClock under a running loop, which calls timers that are already due in its next turn."""

    __slots__ = ()

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> VirtualTimer:
        timer = super().call_at(steady_ms, callback)
        if steady_ms <= self._steady_ms:
            asyncio.get_running_loop().call_soon(self.advance, 0)
        return timer

    def after_reading(self, callback: Callable[[], None]) -> Timer:
        return AfterReading(callback)
