"""No request and no connection leaves objects that only the garbage collector could free."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from tests.unit.broker.garbage import no_collector
from tests.unit.broker.server.test_disconnecting import A_LONG_FETCH, reset, waiting_client
from tests.unit.broker.whole import Client, Whole, running
from tidemark_testing.storage import MemoryStorage

ROUNDS = 20
WAIT_MS = 500
# The test API switches on the journal of requests, which keeps the last ones.
VARIANTS = [{}, {"tidemark_test_api": "true", "tidemark_requests_max": "2"}]


def objects() -> Counter[str]:
    """Return the number of objects of the broker, by type."""
    return Counter(
        f"{type(each).__module__}.{type(each).__qualname__}"
        for each in gc.get_objects()
        if str(type(each).__module__).startswith("tidemark") or type(each).__name__ in ("Task", "Future")
    )


async def growth(step: Callable[[], Awaitable[None]]) -> dict[str, int]:
    """Return the types of which ROUNDS steps left an object each."""
    for _ in range(3):
        await step()
    before = objects()
    for _ in range(ROUNDS):
        await step()
    grown = objects() - before
    return {name: count for name, count in grown.items() if count >= ROUNDS // 2}


async def poll(whole: Whole, client: Client) -> None:
    client.send("Fetch", 4, A_LONG_FETCH | {"MaxWaitMs": WAIT_MS})
    async with asyncio.timeout(20):
        while not any(each.session.parked for each in whole.server._connections):
            await asyncio.sleep(0)
    whole.clock.advance(WAIT_MS)
    assert (await client.answer("Fetch", 4))["Responses"][0]["Partitions"][0]["ErrorCode"] == 0


@pytest.mark.parametrize("settings", VARIANTS)
async def test_fetch_that_waits_leaves_no_cycle(settings: dict[str, str]) -> None:
    async with running(MemoryStorage(), **settings) as whole:
        client = await whole.client()
        await client.make_topic()
        with no_collector():
            assert not await growth(lambda: poll(whole, client))


async def test_connection_that_is_reset_while_it_waits_leaves_no_cycle(whole: Whole) -> None:
    await (await whole.client()).make_topic()

    async def step() -> None:
        reset(await waiting_client(whole, behind=1, max_wait_ms=WAIT_MS))
        whole._clients.pop()
        async with asyncio.timeout(20):
            while len(whole.server._connections) > 1:
                await asyncio.sleep(0.001)
        whole.clock.advance(WAIT_MS)  # the virtual clock keeps a timer until it is due

    with no_collector():
        assert not await growth(step)
