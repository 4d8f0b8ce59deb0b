"""Budgets: how much of the event loop long work may use before other work runs.

One request must not stall the clients of other connections, however large it is. Long work is therefore cut
into short steps, and spends from a budget after each step:

    for item in items:
        examine(item)
        await budget.pause(cost)

Three budgets differ in what they measure and for how long they rest. `Turns` is shared by all requests: all
of them together get 4 ms in each turn of the loop. `Pace` is for one background job, which rests as long as
it works. `Slice` is for one scrape or listing, and counts units of work instead of time.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from dataclasses import field
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any, Final, TypeVar

from tidemark.clock import Clock, turn
from tidemark.late_dataclass import dataclass
from tidemark.workers import Workers

T = TypeVar("T")

TURN_MS: Final = 4
# For new requests, which are small on the whole. With less, those of 64 connections with 16 each would take
# several turns, and share fewer syncs.
REQUESTS_MS: Final = 12
# After this much work, requests check whether their turn is over: fourteen of the smallest ones, or
# one of 8 KB. A look at the clock costs half a microsecond.
LOOK_COST: Final = 8 * 1024
REQUEST_COST: Final = 512  # of a request, beside one for each of its bytes
# Requests that wait for a turn are served before long work if they have no more bytes: the requests of most
# clients, but not a commit of hundreds of partitions.
SHORT_BYTES: Final = 4 * 1024
FIRST_COST_MAX: Final = REQUEST_COST + SHORT_BYTES
TAKEN_MAX: Final = 64  # entries of short jobs that were taken are kept up to this number
LARGE_BATCHES_MAX: Final = 4  # decompressed at a time, of at most 100 MiB each


class Budget(ABC):
    """The amount of work that a long operation may do before it rests."""

    __slots__ = ()

    @abstractmethod
    def spend(self, cost: int = 1) -> bool:
        """Account for a step that was done. Return True if the budget is used up.

        A step that takes longer than a millisecond is too long. cost: its size, for a budget that counts
        work.
        """

    @abstractmethod
    async def rest(self) -> None:
        """Let other work run, then renew the budget."""

    async def pause(self, cost: int = 1) -> None:
        """Spend, and rest if the budget is used up.

        A loop over very small steps calls `spend` and `rest` itself, which saves a coroutine for each step.
        """
        if self.spend(cost):
            await self.rest()


class Slice(Budget):
    """A fixed amount of work in each turn of the loop."""

    __slots__ = ("_cost_max", "_spent")

    def __init__(self, cost_max: int) -> None:
        self._cost_max = cost_max
        self._spent = 0

    def spend(self, cost: int = 1) -> bool:
        self._spent += cost
        return self._spent >= self._cost_max

    def renew(self) -> None:
        self._spent = 0

    async def rest(self) -> None:
        self.renew()
        await turn()


class Pace(Budget):
    """TURN_MS of work for a background job, then a rest of the same length.

    With a test clock that is frozen, the job never has to rest.
    """

    __slots__ = ("_began_ms", "_clock")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_ms = clock.host_ms()

    def spend(self, cost: int = 1) -> bool:
        return self._clock.host_ms() - self._began_ms >= TURN_MS

    async def rest(self) -> None:
        now_ms = self._clock.host_ms()
        await self._clock.sleep_until(2 * now_ms - self._began_ms)
        self._began_ms = self._clock.host_ms()


@dataclass(slots=True, order=True)
class _ShortJob:
    cost: int
    number: int
    call: Callable[[], None] | None = field(compare=False)  # None: it was taken


class _ShortJobs:
    """Jobs of which the cheapest and the oldest are taken in turn."""

    __slots__ = ("_by_age", "_by_cost", "_number", "_takes_oldest", "count")

    def __init__(self) -> None:
        self._by_cost: list[_ShortJob] = []  # a heap
        self._by_age: deque[_ShortJob] = deque()
        self.count = 0
        self._number = 0
        self._takes_oldest = False

    def add(self, cost: int, call: Callable[[], None]) -> None:
        self._number += 1
        self.count += 1
        job = _ShortJob(cost, self._number, call)
        heappush(self._by_cost, job)
        self._by_age.append(job)

    def take(self) -> Callable[[], None]:
        """Remove one and return it. There must be one."""
        while True:
            job = self._by_age.popleft() if self._takes_oldest else heappop(self._by_cost)
            call, job.call = job.call, None
            if call is not None:
                break
        self._takes_oldest = not self._takes_oldest
        self.count -= 1
        if len(self._by_cost) > 2 * self.count + TAKEN_MAX:  # most of them were taken as the oldest
            self._by_cost = [each for each in self._by_cost if each.call is not None]
            heapify(self._by_cost)
        return call

    def clear(self) -> None:
        self._by_cost.clear()
        self._by_age.clear()
        self.count = 0


class Turns(Budget):
    """TURN_MS in each turn of the loop for long work of all requests together, and REQUESTS_MS for new ones.

    Work that has used up the budget waits in a queue for a later turn, first come, first served. In between,
    the loop serves the requests that have arrived. Once those of all connections together have used up their
    time, the others wait: few bytes for the beginning of the next turn, more of them behind long work.
    Of few bytes, alternately the fewest and those that wait longest are next: 300 clients with 4 KB each do
    not delay one with 60 bytes, nor do thousands of those hold back the 300.

    now_ms: steady time of the host. A frozen test clock makes every turn endless.
    worker: one thread, which decodes and encodes long messages in order
    is_over: this turn of the loop is used up, so that no further request may begin
    cost: of the requests since the last look at the time, in bytes
    large_batches: held by work that decompresses a large record batch, so that few are in memory at a time.
    """

    __slots__ = ("_began_ms", "_first", "_given_away", "_jobs", "_now_ms", "_scheduled", "_worker",
                 "_working", "cost", "is_over", "large_batches")  # fmt: skip

    def __init__(self, now_ms: Callable[[], int], worker: Executor | None = None) -> None:
        self._now_ms = now_ms
        self._worker = worker
        self._working: set[asyncio.Future[Any]] = set()
        self._first = _ShortJobs()
        self._jobs: deque[Callable[[], None]] = deque()
        self.cost = 0
        self.is_over = False
        self._began_ms: int | None = None
        self._scheduled = False
        self.large_batches = asyncio.Semaphore(LARGE_BATCHES_MAX)
        self._given_away = False  # a coroutine was woken: it works before any other job does

    def spend(self, cost: int = 1) -> bool:
        """Return True if this turn of the loop is used up. The first call in a turn starts its time."""
        if self._began_ms is None:
            self._began_ms = self._now_ms()
            self._schedule()
            return False
        spent_ms = self._now_ms() - self._began_ms
        self.is_over = spent_ms >= REQUESTS_MS
        return spent_ms >= TURN_MS

    def requests_must_wait(self) -> bool:
        """Look at the time. Return True if no further request may begin in this turn."""
        self.spend()
        return self.is_over

    def first(self, job: Callable[[], None], cost: int) -> None:
        """Call a short job at the beginning of a turn, before the long work that waits. cost: in bytes."""
        self._first.add(cost, job)
        self._schedule()

    def later(self, job: Callable[[], None]) -> None:
        """Call job in a later turn. It stops when `spend` returns True, and calls `later` to continue."""
        self._jobs.append(job)
        self._schedule()

    def after_waiting(self, job: Callable[[], None]) -> None:
        """Call job at once, or, if work waits for a turn, once all of that had one."""
        if self._first.count:
            self.first(lambda: self.later(job), FIRST_COST_MAX)
        elif self._jobs:
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

    def in_worker(self, work: Callable[[], Any], then: Callable[[asyncio.Future[Any]], None]) -> None:
        """Call work in the worker thread, and `then` in a later turn, with the result or the exception."""
        assert self._worker is not None, "these turns have no worker"
        self.when_done(asyncio.wrap_future(self._worker.submit(work)), then)

    def when_done(self, future: asyncio.Future[Any], then: Callable[[asyncio.Future[Any]], None]) -> None:
        """Call `then` in a later turn, once this future is done."""
        self._working.add(future)
        future.add_done_callback(partial(self._worked, then))

    def _worked(self, then: Callable[[asyncio.Future[Any]], None], future: asyncio.Future[Any]) -> None:
        if future in self._working:
            self._working.remove(future)
            self.later(partial(then, future))

    def clear(self) -> None:
        """Drop all waiting work. Call this when the state that it works on is dropped."""
        self._first.clear()
        self._jobs.clear()
        working, self._working = self._working, set()
        for future in working:
            future.cancel()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        self._scheduled = False
        self._given_away = False
        if self._first.count:
            self._renew()
            while self._first.count and not self.spend():
                self._first.take()()
        if self._jobs:
            self._renew()
            while self._jobs and not self._given_away and not self.spend():
                self._jobs.popleft()()
        if self._first.count or self._jobs:
            self._schedule()
        self._renew()

    def _renew(self) -> None:
        self._began_ms = None
        self.is_over = False


async def do_steps(steps: Generator[Any, Any, T], turns: Turns, workers: Workers) -> T:
    """Run steps over many turns of the loop, and in a worker thread the functions that they yield.

    A batch holds one of `Turns.large_batches` from its decompression, the first work in a thread, to its last
    step.
    """
    holds_memory = False
    try:
        work = next(steps)
        while True:
            if not callable(work):
                if turns.spend():
                    await turns.rest()
                work = next(steps)
                continue
            if not holds_memory:
                await turns.large_batches.acquire()
                holds_memory = True
            work = steps.send(await workers.run(work))
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        if holds_memory:
            turns.large_batches.release()


__all__ = ["TURN_MS", "Budget", "Pace", "Slice", "Turns", "do_steps"]
