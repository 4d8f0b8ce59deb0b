"""Coroutines start eagerly: without a task if they do not wait, else in arrival order."""

from __future__ import annotations

import asyncio

import pytest

from tidemark.engine.coordinator import start


async def gives(value: int) -> int:
    return value


def test_a_coroutine_that_does_not_wait_finishes_at_once() -> None:
    assert start(gives(5)) == (5, None)


def test_an_exception_before_the_first_wait_is_raised_at_once() -> None:
    async def fails() -> None:
        raise KeyError("k")

    with pytest.raises(KeyError):
        start(fails())


async def test_a_coroutine_that_waits_continues_later() -> None:
    steps: list[str] = []
    first: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def waits() -> int:
        steps.append("started")
        got = await first
        steps.append(f"got {got}")
        await asyncio.wait_for(gives(1), 1)
        return got + 1

    done, rest = start(waits())
    assert done is None and rest is not None and steps == ["started"]
    task = asyncio.ensure_future(rest)
    first.set_result(7)
    assert await task == 8
    assert steps == ["started", "got 7"]


@pytest.mark.parametrize("steps_of_its_task", [0, 1])
async def test_cancelling_the_rest_cancels_the_coroutine(steps_of_its_task: int) -> None:
    seen: list[str] = []
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def waits() -> None:
        try:
            await never
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    _, rest = start(waits())
    assert rest is not None
    task = asyncio.ensure_future(rest)
    for _ in range(steps_of_its_task):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == ["cancelled"]
