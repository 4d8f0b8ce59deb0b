"""Turns: how long work shares the event loop with everything else.

One request must not stall the clients of other connections, however large it is. Long work is therefore cut
into short steps. All long work of the broker together gets TURN_MS in each turn of the loop; then the loop
reads and answers what has arrived meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

TURN_MS: Final = 4
LARGE_BATCHES_MAX: Final = 4  # decompressed at a time, of at most 100 MiB each


class Turns:
    """The queue of work that waits for a later turn of the event loop, first come, first served.

    now_ms: steady time of the host. A test clock that stands still makes every turn endless.
    large_batches: held by work that decompresses a large record batch, so that few are in memory at a time.
    """

    __slots__ = ("_began_ms", "_given_away", "_jobs", "_now_ms", "_scheduled", "large_batches")

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._jobs: deque[Callable[[], None]] = deque()
        self._began_ms: int | None = None
        self._scheduled = False
        self.large_batches = asyncio.Semaphore(LARGE_BATCHES_MAX)
        self._given_away = False  # a coroutine was woken: it works before any other job does

    def over(self) -> bool:
        """True if long work has used up this turn of the loop. The first call in a turn starts its time.

        Ask after each step. A step that takes longer than a millisecond is too long.
        """
        if self._began_ms is None:
            self._began_ms = self._now_ms()
            self._schedule()
            return False
        return self._now_ms() - self._began_ms >= TURN_MS

    def later(self, job: Callable[[], None]) -> None:
        """Call job in a later turn. The job stops when `over` is true, and calls `later` to go on."""
        self._jobs.append(job)
        self._schedule()

    def after_waiting(self, job: Callable[[], None]) -> None:
        """Call job at once, or, if work waits for a turn, once all of that had one."""
        if self._jobs:
            self.later(job)
        else:
            job()

    async def rest(self) -> None:
        """Wait for a later turn in which there is time for long work."""
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not woken.done():
                woken.set_result(None)
                self._given_away = True

        self.later(wake)
        await woken
        self._began_ms = None

    def clear(self) -> None:
        """Forget all waiting work: the state that it worked on is gone."""
        self._jobs.clear()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        self._scheduled = False
        self._began_ms = None
        self._given_away = False
        jobs = self._jobs
        while jobs and not self._given_away and not self.over():
            jobs.popleft()()
        if jobs:
            self._schedule()


__all__ = ["TURN_MS", "Turns"]
