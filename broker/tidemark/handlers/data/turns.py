"""How a long transfer shares the event loop with the requests of other clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

from tidemark.turns import Turns
from tidemark_protocol.contents import Steps

T = TypeVar("T")


async def each(items: Iterable[T], turns: Turns) -> AsyncIterator[T]:
    """Yield the items. Between them, leave the loop to others once this turn of it is over."""
    is_first = True
    for item in items:
        if not is_first and turns.spend():
            await turns.rest()
        is_first = False
        yield item


async def do_steps(steps: Steps[T], turns: Turns) -> T:
    """Do the steps over many turns of the loop, and in another thread what may be done there.

    A batch is among `Turns.large_batches` from the first work of a thread, its decompression, until its
    steps are done.
    """
    holds_memory = False
    try:
        work = next(steps)
        while True:
            if work is None:
                if turns.spend():
                    await turns.rest()
                work = next(steps)
                continue
            if not holds_memory:
                await turns.large_batches.acquire()
                holds_memory = True
            work = steps.send(await asyncio.get_running_loop().run_in_executor(None, work))
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        if holds_memory:
            turns.large_batches.release()


__all__ = ["do_steps", "each"]
