"""Long work of log APIs, done in short steps between which other clients are served."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterable
from typing import Any, TypeVar

from tidemark.turns import Turns
from tidemark.workers import Workers

T = TypeVar("T")


async def each(items: Iterable[T], turns: Turns) -> AsyncIterator[T]:
    """Yield the items. Between them, rest if the budget of this turn of the loop is used up."""
    is_first = True
    for item in items:
        if not is_first and turns.spend():
            await turns.rest()
        is_first = False
        yield item


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


__all__ = ["do_steps", "each"]
