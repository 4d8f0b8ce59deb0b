"""The clock: the only file that asks what time it is. Two timelines in whole milliseconds, never mixed.

Wall time is written down and compared with retention; steady time drives what the protocol waits for.
"""

from __future__ import annotations

import asyncio
import heapq
import time
import types
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Final, Protocol


@types.coroutine
def turn() -> Generator[None, None, None]:
    """The loop does what else there is to do, then comes back. This is no wait."""
    yield


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    """Every part that needs time takes one of these."""

    def wall_ms(self) -> int:
        """Milliseconds since the epoch. Never runs backwards by itself within a process."""

    def log_ms(self) -> int:
        """The wall time by which user data ages: it stays where it is when a test moves the days."""

    def steady_ms(self) -> int:
        """Milliseconds since some fixed moment."""

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> Timer:
        """Runs callback on the loop once steady time has reached the given moment."""

    def after_reading(self, callback: Callable[[], None]) -> Timer:
        """Run callback after the loop has read everything that has arrived by now.

        A timer that judges silence (a session, an idle connection) needs this. After a stall the loop runs
        its timers first, while the heartbeats that arrived meanwhile are still in the sockets.
        """

    def host_ms(self) -> int:
        """The host's steady time, which nobody moves: what scheduled tasks sleep by."""

    async def sleep_until(self, host_ms: int) -> None: ...


class AfterReading:
    """A callback that waits for one poll of the sockets.

    libuv runs timers, then what `call_soon` scheduled, then polls. So a callback that a timer schedules
    still runs before the poll; only what that one schedules in turn runs after it.
    """

    TURNS: Final = 2

    __slots__ = ("_callback", "_handle", "_loop")

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._handle = self._loop.call_soon(self._before_poll)

    def _before_poll(self) -> None:
        self._handle = self._loop.call_soon(self._callback)

    def cancel(self) -> None:
        self._handle.cancel()


class SystemClock:
    """Real time. When the host's clock is set back, wall time stands still until it is overtaken."""

    __slots__ = ("_wall_ms",)

    def __init__(self) -> None:
        self._wall_ms = 0

    def wall_ms(self) -> int:
        now = time.time_ns() // 1_000_000
        if now > self._wall_ms:
            self._wall_ms = now
        return self._wall_ms

    def log_ms(self) -> int:
        return self.wall_ms()

    def steady_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> Timer:
        delay_s = max(0.0, (steady_ms - self.steady_ms()) / 1000)
        return asyncio.get_running_loop().call_later(delay_s, callback)

    def after_reading(self, callback: Callable[[], None]) -> Timer:
        return AfterReading(callback)

    def host_ms(self) -> int:
        return self.steady_ms()

    async def sleep_until(self, host_ms: int) -> None:
        while (left := host_ms - self.host_ms()) > 0:
            await asyncio.sleep(left / 1000)


@dataclass(slots=True)
class Moves:
    """How far a MovableClock is from real time, in ms. frozen_at_ms: where wall time stands still."""

    wall_ms: int = 0
    logs_ms: int = 0
    frozen_at_ms: int | None = None


class MovedTimer:
    """What `MovableClock.call_at` gives back."""

    __slots__ = ("at_ms", "callback")

    def __init__(self, at_ms: int, callback: Callable[[], None]) -> None:
        self.at_ms = at_ms
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class MovableClock:
    """Real time that a test may move, each timeline by itself.

    What sleeps (`sleep_until`: the scheduled tasks) sleeps in the host's time; timers (`call_at`: sessions,
    rebalances, fetch waits) follow steady time where it is moved to.
    """

    __slots__ = ("_armed", "_heap", "_moving", "_numbers", "_real", "_wall_ms", "moves", "steady_moved_ms")

    def __init__(self, real: Clock) -> None:
        self.moves = Moves()
        self.steady_moved_ms = 0
        self._real = real
        self._wall_ms = -(2**63)
        self._heap: list[tuple[int, int, MovedTimer]] = []
        self._numbers = count()
        self._armed: Timer | None = None
        self._moving = False

    def wall_ms(self) -> int:
        return self._wall_at(self._real.wall_ms())

    def _wall_at(self, real_ms: int) -> int:
        moves = self.moves
        now = moves.frozen_at_ms if moves.frozen_at_ms is not None else real_ms + moves.wall_ms
        self._wall_ms = max(now, self._wall_ms)
        return self._wall_ms

    def log_ms(self) -> int:
        return self._real.wall_ms() + self.moves.logs_ms

    def steady_ms(self) -> int:
        return self._real.steady_ms() + self.steady_moved_ms

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> MovedTimer:
        timer = MovedTimer(steady_ms, callback)
        heapq.heappush(self._heap, (steady_ms, next(self._numbers), timer))
        if self._heap[0][2] is timer:
            self._arm()
        return timer

    def after_reading(self, callback: Callable[[], None]) -> Timer:
        """While a test moves time, callback is the next thing that is due: its moment must not pass."""
        if self._moving:
            return self.call_at(self.steady_ms(), callback)
        return self._real.after_reading(callback)

    def host_ms(self) -> int:
        return self._real.steady_ms()

    async def sleep_until(self, host_ms: int) -> None:
        await self._real.sleep_until(host_ms)

    def take_up(self, moves: Moves) -> None:
        """At a start, before anybody has built upon what time it is."""
        self.moves = moves
        self._wall_ms = -(2**63)

    # what a test may do

    @property
    def moved_ms(self) -> int:
        """How far wall time is from real time."""
        real_ms = self._real.wall_ms()
        return self._wall_at(real_ms) - real_ms

    def move_wall(self, ms: int) -> None:
        """Forwards or back. Whether it may go back is the caller's to know."""
        self._wall_ms = self.wall_ms() + ms
        if self.moves.frozen_at_ms is not None:
            self.moves.frozen_at_ms = self._wall_ms
        self.moves.wall_ms += ms

    def move_logs(self, ms: int) -> None:
        self.moves.logs_ms += ms

    def freeze(self) -> None:
        self.moves.frozen_at_ms = self.wall_ms()

    def resume(self) -> None:
        """Goes on from where it stands."""
        now = self.wall_ms()
        self.moves.frozen_at_ms = None
        self.moves.wall_ms = now - self._real.wall_ms()

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Wall time, so that what is reached in between is reached to the millisecond. Afterwards it has come
        as far as real time has meanwhile: who moves it by eight days is eight days from real time, not some
        milliseconds less.
        """
        was_frozen = self.moves.frozen_at_ms is not None
        self.freeze()
        try:
            yield
        finally:
            if not was_frozen:
                self.moves.frozen_at_ms = None

    async def move_both(self, ms: int) -> None:
        """Moves wall and steady time together; what is due on the way is called in order."""
        for _ in range(AfterReading.TURNS):
            await turn()  # what waits there is due before time moves
        self._moving = True
        try:
            with self.standing_still():
                await self._move_to(self.steady_moved_ms + ms)
        finally:
            self._moving = False
        self._arm()

    async def _move_to(self, moved_ms: int) -> None:
        while (timer := self._next_due(self._real.steady_ms() + moved_ms)) is not None:
            self._step_to(min(timer.at_ms - self._real.steady_ms(), moved_ms))
            self._call(timer)
            await turn()
        self._step_to(moved_ms)

    def _step_to(self, steady_moved_ms: int) -> None:
        step = max(steady_moved_ms - self.steady_moved_ms, 0)
        self.steady_moved_ms += step
        self.move_wall(step)

    def _next_due(self, steady_ms: int) -> MovedTimer | None:
        while self._heap and (self._heap[0][2].callback is None or self._heap[0][0] <= steady_ms):
            _, _, timer = heapq.heappop(self._heap)
            if timer.callback is not None:
                return timer
        return None

    def _call(self, timer: MovedTimer) -> None:
        callback, timer.callback = timer.callback, None
        assert callback is not None
        callback()

    def _arm(self) -> None:
        """One real timer, for the earliest of ours."""
        if self._armed is not None:
            self._armed.cancel()
            self._armed = None
        while self._heap and self._heap[0][2].callback is None:
            heapq.heappop(self._heap)
        if self._heap:
            self._armed = self._real.call_at(self._heap[0][0] - self.steady_moved_ms, self._real_time_came)

    def _real_time_came(self) -> None:
        self._armed = None
        while (timer := self._next_due(self.steady_ms())) is not None:
            self._call(timer)
        self._arm()
