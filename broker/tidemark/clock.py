"""The clock: the only module that reads the time. It has two timelines in whole milliseconds, never mixed.

Wall time is stored and compared with retention. Steady time drives the timeouts of the protocol.
"""

from __future__ import annotations

import asyncio
import heapq
import time
import types
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Final, Protocol

from tidemark.late_dataclass import dataclass

# Returns the host's steady time in nanoseconds, to measure what takes less than a millisecond. The frame of a
# function of ours would cost as much as the look at the clock.
precise_ns: Final = time.perf_counter_ns


@types.coroutine
def turn() -> Generator[None, None, None]:
    """Let the event loop run everything else that is ready. This does not wait."""
    yield


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    """The time, as every part of the broker receives it."""

    def wall_ms(self) -> int:
        """Return milliseconds since the epoch. They do not decrease within a process unless a test moves
        them.
        """

    def log_ms(self) -> int:
        """Return the wall time by which user data ages. It does not change when a test moves wall time."""

    def steady_ms(self) -> int:
        """Return milliseconds since some fixed moment."""

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> Timer:
        """Run callback on the loop once steady time has reached the given moment."""

    def after_reading(self, callback: Callable[[], None]) -> Timer:
        """Run callback after the loop has read everything that has arrived by now.

        A timer that judges silence (a session, an idle connection) needs this. After a stall the loop runs
        its timers first, while the heartbeats that arrived meanwhile are still in the sockets.
        """

    def host_ms(self) -> int:
        """Return the host's steady time, which tests do not move. Scheduled tasks sleep by it."""

    async def sleep_until(self, host_ms: int) -> None: ...


class AfterReading:
    """A callback that waits for one poll of the sockets.

    libuv runs timers, then the callbacks of `call_soon`, then polls. So a callback that a timer schedules
    runs before the poll. A callback that this one schedules runs after the poll.
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
    """Real time. If the host's clock is set back, wall time stops until the host's clock has caught up."""

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
    """Differences between a MovableClock and real time, in ms. frozen_at_ms: the wall time at which it
    stopped.
    """

    wall_ms: int = 0
    logs_ms: int = 0
    frozen_at_ms: int | None = None


class MovedTimer:
    """A timer of `MovableClock.call_at`."""

    __slots__ = ("_cancelled", "at_ms", "callback")

    def __init__(self, at_ms: int, callback: Callable[[], None], cancelled: Callable[[], None]) -> None:
        self.at_ms = at_ms
        self.callback: Callable[[], None] | None = callback
        self._cancelled = cancelled

    def cancel(self) -> None:
        if self.callback is not None:
            self.callback = None
            self._cancelled()


class MovableClock:
    """Real time that a test can move, each timeline on its own.

    Scheduled tasks sleep in the host's time (`sleep_until`). Timers of sessions, rebalances and waiting
    fetches follow the moved steady time (`call_at`).
    """

    CANCELLED_MIN: Final = 64  # timers, before they are removed although they are not due yet

    __slots__ = (
        "_armed", "_cancelled", "_heap", "_moving", "_numbers", "_real", "_wall_ms", "moves",
        "steady_moved_ms",
    )  # fmt: skip

    def __init__(self, real: Clock) -> None:
        self.moves = Moves()
        self.steady_moved_ms = 0
        self._real = real
        self._wall_ms = -(2**63)
        self._heap: list[tuple[int, int, MovedTimer]] = []
        self._cancelled = 0  # timers that were cancelled since the heap was cleaned
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
        timer = MovedTimer(steady_ms, callback, self._was_cancelled)
        heapq.heappush(self._heap, (steady_ms, next(self._numbers), timer))
        if self._heap[0][2] is timer:
            self._arm()
        return timer

    def _was_cancelled(self) -> None:
        """Remove cancelled timers once they are the half: a client may ask for one of 24 days."""
        self._cancelled += 1
        if self._cancelled >= max(self.CANCELLED_MIN, len(self._heap) // 2):
            self._cancelled = 0
            self._heap = [each for each in self._heap if each[2].callback is not None]
            heapq.heapify(self._heap)

    def after_reading(self, callback: Callable[[], None]) -> Timer:
        """Call it as the next timer while a test moves time, so that the move does not skip it."""
        if self._moving:
            return self.call_at(self.steady_ms(), callback)
        return self._real.after_reading(callback)

    def host_ms(self) -> int:
        return self._real.steady_ms()

    async def sleep_until(self, host_ms: int) -> None:
        await self._real.sleep_until(host_ms)

    def take_up(self, moves: Moves) -> None:
        """Set the differences at a start, before any part of the broker has read the time."""
        self.moves = moves
        self._wall_ms = -(2**63)

    # Movements, for tests.

    @property
    def moved_ms(self) -> int:
        """Difference between wall time and real time, in ms."""
        real_ms = self._real.wall_ms()
        return self._wall_at(real_ms) - real_ms

    def move_wall(self, ms: int) -> None:
        """Move wall time forwards or back. The caller checks whether it may go back."""
        self._wall_ms = self.wall_ms() + ms
        if self.moves.frozen_at_ms is not None:
            self.moves.frozen_at_ms = self._wall_ms
        self.moves.wall_ms += ms

    def move_logs(self, ms: int) -> None:
        self.moves.logs_ms += ms

    def freeze(self) -> None:
        self.moves.frozen_at_ms = self.wall_ms()

    def resume(self) -> None:
        """Let wall time continue from where it stopped."""
        now = self.wall_ms()
        self.moves.frozen_at_ms = None
        self.moves.wall_ms = now - self._real.wall_ms()

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Stop wall time within the block, so that a move inside it is exact to the millisecond.

        Afterwards the time that has passed is added: after a move by eight days, the difference to real time
        is eight days, not some milliseconds less.
        """
        was_frozen = self.moves.frozen_at_ms is not None
        self.freeze()
        try:
            yield
        finally:
            if not was_frozen:
                self.moves.frozen_at_ms = None

    async def move_both(self, ms: int, settle: Callable[[], Awaitable[None]] | None = None) -> None:
        """Move wall and steady time together. Timers that become due are called in order, at their moment.

        What was due before is settled first. Time stands still after each timer until settle() returns.
        """
        for _ in range(AfterReading.TURNS):
            await turn()  # timers that wait for a poll were due before time moves
        if settle is not None:
            await settle()
        self._moving = True
        try:
            with self.standing_still():
                await self._move_to(self.steady_moved_ms + ms, settle)
        finally:
            self._moving = False
        self._arm()

    async def _move_to(self, moved_ms: int, settle: Callable[[], Awaitable[None]] | None) -> None:
        while (timer := self._next_due(self._real.steady_ms() + moved_ms)) is not None:
            self._step_to(min(timer.at_ms - self._real.steady_ms(), moved_ms))
            self._call(timer)
            await turn()
            if settle is not None:
                await settle()
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
        """Set one real timer, for the earliest of these timers."""
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
