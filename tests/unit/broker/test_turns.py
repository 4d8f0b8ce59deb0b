"""Budgets of long work: its amount in a turn of the event loop, and its pauses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

from tidemark.clock import SystemClock
from tidemark.turns import REQUESTS_MS, TAKEN_MAX, TURN_MS, Pace, Slice, Turns
from tidemark_testing.clock import VirtualClock


class Host:
    """A clock that work moves on."""

    def __init__(self) -> None:
        self.ms = 0

    def now_ms(self) -> int:
        return self.ms


def a_job(turns: Turns, host: Host, steps: int, done: Callable[[], None]) -> Callable[[], None]:
    """A job of that many steps of one millisecond."""
    left = steps

    def job() -> None:
        nonlocal left
        while left:
            left -= 1
            host.ms += 1
            if turns.spend() and left:
                turns.later(job)
                return
        done()

    return job


async def turns_of_the_loop(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_turn_of_long_work_ends_after_its_time() -> None:
    host, finished = Host(), []
    turns = Turns(host.now_ms)
    turns.later(a_job(turns, host, 3 * TURN_MS, lambda: finished.append("job")))
    await turns_of_the_loop(1)
    assert host.ms <= TURN_MS + 1
    assert not finished
    await turns_of_the_loop(4)
    assert finished == ["job"]


async def test_jobs_share_one_turn_and_take_turns() -> None:
    host, finished = Host(), []
    turns = Turns(host.now_ms)
    turns.later(a_job(turns, host, 10 * TURN_MS, lambda: finished.append("long")))
    turns.later(a_job(turns, host, 1, lambda: finished.append("short")))
    for _ in range(30):
        before = host.ms
        await turns_of_the_loop(1)
        assert host.ms - before <= TURN_MS + 1
    assert finished == ["short", "long"]


async def test_long_work_outside_of_the_queue_counts_towards_the_same_turn() -> None:
    host = Host()
    turns = Turns(host.now_ms)
    assert not turns.spend()
    host.ms += TURN_MS
    assert turns.spend()
    await turns_of_the_loop(2)
    assert not turns.spend()


async def test_turn_that_is_over_makes_requests_wait_until_long_work_had_its_turn() -> None:
    host, finished = Host(), []
    turns = Turns(host.now_ms)
    assert not turns.spend()
    host.ms += REQUESTS_MS - 1
    assert turns.spend()
    assert not turns.is_over
    host.ms += 1
    assert turns.spend()
    assert turns.is_over
    turns.later(a_job(turns, host, 10 * TURN_MS, lambda: finished.append("long")))
    await turns_of_the_loop(1)
    assert not turns.is_over
    assert not finished


async def test_short_jobs_are_called_before_long_work_that_waits_longer() -> None:
    host, finished = Host(), []
    turns = Turns(host.now_ms)
    for number in range(3):
        turns.later(a_job(turns, host, 2 * TURN_MS, lambda number=number: finished.append(number)))
    turns.first(lambda: finished.append("short"), 1)
    await turns_of_the_loop(1)
    assert finished == ["short"]


async def test_many_short_jobs_do_not_stop_long_work() -> None:
    host, finished = Host(), []
    turns = Turns(host.now_ms)

    def short() -> None:
        host.ms += 1
        turns.first(short, 1)

    for _ in range(3 * TURN_MS):
        turns.first(short, 1)
    turns.later(a_job(turns, host, 3 * TURN_MS, lambda: finished.append("long")))
    for _ in range(10):
        before = host.ms
        await turns_of_the_loop(1)
        assert host.ms - before <= 2 * TURN_MS + 2
    assert finished == ["long"]


async def test_cheap_job_overtakes_expensive_ones_that_came_before() -> None:
    host, called = Host(), []
    turns = Turns(host.now_ms)

    def take(name: str) -> None:
        host.ms += TURN_MS
        called.append(name)

    for number in range(20):
        turns.first(partial(take, f"expensive {number}"), 4000)
    await turns_of_the_loop(3)
    began = len(called)
    assert 0 < began < 10
    turns.first(partial(take, "cheap"), 60)
    await turns_of_the_loop(30)
    assert called.index("cheap") <= began + 1
    assert len(called) == 21


async def test_cheap_jobs_without_end_do_not_hold_back_an_expensive_one() -> None:
    host, called = Host(), []
    turns = Turns(host.now_ms)

    def cheap() -> None:
        host.ms += TURN_MS
        called.append("cheap")
        turns.first(cheap, 100)

    turns.first(cheap, 100)
    turns.first(lambda: called.append("expensive"), 450)
    await turns_of_the_loop(20)
    assert called.index("expensive") <= 2


async def test_short_jobs_that_were_called_are_not_kept() -> None:
    host, called = Host(), []
    turns = Turns(host.now_ms)

    class Job:
        def __init__(self, cost: int) -> None:
            self.cost = cost

        def __call__(self) -> None:
            called.append(self.cost)
            turns.first(Job(self.cost), self.cost)
            host.ms += 1

    for cost in (1, 1, 1000, 1000):
        turns.first(Job(cost), cost)
    await turns_of_the_loop(2000)
    assert {1, 1000} <= set(called)
    assert len(called) > 5 * TAKEN_MAX
    first = turns._first
    assert max(len(first._by_cost), len(first._by_age)) <= 2 * first.count + TAKEN_MAX


async def test_work_after_all_that_waits_is_called_after_short_jobs_and_long_work() -> None:
    host, called = Host(), []
    turns = Turns(host.now_ms)
    turns.first(lambda: called.append("short"), 1)
    turns.later(lambda: called.append("long"))
    turns.after_waiting(lambda: called.append("after"))
    await turns_of_the_loop(5)
    assert called == ["short", "long", "after"]
    turns.after_waiting(lambda: called.append("at once"))
    assert called[-1] == "at once"


async def test_coroutines_that_rest_are_woken_one_in_each_turn() -> None:
    host = Host()
    turns = Turns(host.now_ms)
    worked: list[int] = []

    async def work(number: int) -> None:
        for _ in range(3):
            while not turns.spend():
                host.ms += 1
            worked.append(number)
            await turns.rest()

    tasks = [asyncio.ensure_future(work(number)) for number in range(3)]
    longest = 0
    while not all(task.done() for task in tasks):
        before = host.ms
        await turns_of_the_loop(1)
        longest = max(longest, host.ms - before)
    assert sorted(worked) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert longest <= 2 * TURN_MS


async def test_a_coroutine_that_was_cancelled_while_it_rested_does_not_take_a_turn() -> None:
    host, finished = Host(), []
    turns = Turns(host.now_ms)
    resting = asyncio.ensure_future(turns.rest())
    await turns_of_the_loop(1)
    turns.later(lambda: finished.append("next"))
    resting.cancel()
    await turns_of_the_loop(3)
    assert finished == ["next"]


async def test_cleared_callbacks_are_not_called() -> None:
    turns = Turns(Host().now_ms)
    called: list[str] = []
    turns.later(lambda: called.append("job"))
    turns.clear()
    await turns_of_the_loop(3)
    assert called == []


async def test_a_background_job_rests_as_long_as_it_worked() -> None:
    pace = Pace(SystemClock())
    began = time.perf_counter()
    while not pace.spend():
        pass
    worked = time.perf_counter() - began
    began = time.perf_counter()
    await pace.rest()
    rested = time.perf_counter() - began
    assert not pace.spend()
    assert worked * 1000 > TURN_MS - 1.1  # the clock counts whole milliseconds
    assert rested * 1000 > TURN_MS - 1.1


def test_a_background_job_does_not_rest_while_the_clock_is_frozen() -> None:
    pace = Pace(VirtualClock())
    assert not any(pace.spend() for _ in range(1_000))


async def test_a_slice_rests_when_its_work_is_done_and_then_restarts() -> None:
    others = 0

    async def count_turns() -> None:
        nonlocal others
        while True:
            others += 1
            await asyncio.sleep(0)

    counting = asyncio.ensure_future(count_turns())
    budget = Slice(10)
    for _ in range(9):
        await budget.pause()
    assert others == 0
    await budget.pause()
    assert others == 1
    await budget.pause(25)
    assert others == 2
    await budget.pause(9)
    assert others == 2
    counting.cancel()
