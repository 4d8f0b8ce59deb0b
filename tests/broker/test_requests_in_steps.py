"""What befalls a request that is worked on in steps: its client hangs up, the broker stops, or goes back to a
snapshot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from tests.broker.whole import DEADLINE_S, Whole, WorkingClock, running, start
from tidemark.testing.storage import MemoryStorage
from tidemark.turns import TURN_MS

TOPICS: Final = 200
PARTITIONS: Final = 2
WIDE: Final = 450  # partitions of one topic, which are created in parts


def many_topics() -> dict[str, Any]:
    topics = [
        {"Name": f"t{n}", "NumPartitions": PARTITIONS, "ReplicationFactor": 1} for n in range(TOPICS)
    ]
    return {"Topics": topics}


def a_wide_topic() -> dict[str, Any]:
    return {"Topics": [{"Name": "wide", "NumPartitions": WIDE, "ReplicationFactor": 1}]}


def partitions(whole: Whole) -> dict[str, int]:
    """Return the number of partitions of each topic."""
    return {name: len(topic.partitions) for name, topic in whole.broker.cluster.topics.items()}


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not condition():
            await asyncio.sleep(0)


def in_steps() -> WorkingClock:
    """A clock by which every step takes a turn of the loop."""
    clock = WorkingClock()
    clock.look_ms = TURN_MS
    return clock


def test_a_stop_finishes_what_a_request_has_begun_to_create() -> None:
    async def story() -> None:
        storage = MemoryStorage()
        whole = await start(storage, in_steps())
        client = await whole.client()
        await client.make_topic("acknowledged")
        client.send("CreateTopics", 7, many_topics())
        await until(lambda: len(partitions(whole)) > 1)
        assert len(partitions(whole)) < TOPICS
        await whole.broker.stop()
        answered = await client.answer("CreateTopics", 7)
        assert {topic["ErrorCode"] for topic in answered["Topics"]} == {0}
        client.writer.close()
        async with running(storage) as again:
            assert partitions(again) == {"acknowledged": 1} | {f"t{n}": PARTITIONS for n in range(TOPICS)}

    asyncio.run(story())


def test_a_stop_finishes_a_topic_whose_first_partitions_exist() -> None:
    async def story() -> None:
        storage = MemoryStorage()
        async with running(storage, in_steps()) as whole:
            (await whole.client()).send("CreateTopics", 7, a_wide_topic())
            await until(lambda: partitions(whole))
            assert partitions(whole)["wide"] < WIDE
        async with running(storage) as again:
            assert partitions(again) == {"wide": WIDE}

    asyncio.run(story())


def test_a_stop_drops_a_request_that_has_not_changed_anything() -> None:
    async def story() -> None:
        storage = MemoryStorage()
        async with running(storage, in_steps()) as whole:
            client = await whole.client()
            client.send("CreateTopics", 7, many_topics())
            await until(lambda: whole.broker.turns._jobs)
            assert not partitions(whole)
        assert await client.reader.read() == b""
        async with running(storage) as again:
            assert not partitions(again)

    asyncio.run(story())


def test_a_client_that_hangs_up_leaves_no_topic_half_created() -> None:
    async def story() -> None:
        async with running(MemoryStorage(), in_steps()) as whole:
            client = await whole.client()
            client.send("CreateTopics", 7, a_wide_topic())
            await until(lambda: partitions(whole))
            assert partitions(whole)["wide"] < WIDE
            (connection,) = whole.broker.server._connections
            connection.abort()
            await until(lambda: partitions(whole)["wide"] == WIDE)

    asyncio.run(story())
