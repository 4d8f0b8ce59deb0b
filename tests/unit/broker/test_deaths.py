"""The broker dies at every step of a change of topics. Nothing that was acknowledged is lost.

The steps are the operations on its disk. At each of them the process is killed, the power fails, or the disk
fails permanently. Then the broker starts again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from itertools import count
from typing import Any, Final

import pytest

from tests.unit.broker.whole import Client, Whole, running, start
from tidemark_protocol.batch import LogRecord, build_batch, records
from tidemark_testing.storage import FaultyStorage

pytestmark = pytest.mark.slow  # each lets the broker die at every step

PARTITIONS: Final = 2
MINUTES_MS: Final = 60_000
# User records are synced before they are acknowledged. Otherwise a power cut may lose them, as in Kafka.
SETTINGS: Final = {
    "log_flush_interval_messages": "1",
    "log_segment_delete_delay_ms": "0",
    "log_retention_check_interval_ms": "1000",
}
Story = Callable[[Whole], Awaitable[None]]


class Died(Exception):
    """The broker has died."""


def produced(value: bytes, topic: str = "orders") -> dict[str, Any]:
    batch = build_batch([LogRecord(0, 1_000, None, value)]).hex()
    data = [{"Index": index, "Records": batch} for index in range(PARTITIONS)]
    return {"Acks": -1, "TimeoutMs": 1000, "TopicData": [{"Name": topic, "PartitionData": data}]}


def created(name: str) -> dict[str, Any]:
    return {"Topics": [{"Name": name, "NumPartitions": PARTITIONS, "ReplicationFactor": 1}]}


def values_of(whole: Whole, topic: str) -> list[list[bytes | None]]:
    """Return the values in each partition's log."""
    found = []
    for index in range(PARTITIONS):
        log = whole.state.logs.get(topic, index)
        batches = [] if log is None else list(log.batches())
        found.append(
            [record.value for each in batches for record in records(each.buf, each.start, each.header)]
        )
    return found


async def lived(whole: Whole, storage: FaultyStorage, story: Story) -> bool:
    """Return whether the story ended before the broker died."""
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    told = asyncio.ensure_future(story(whole))
    while not (told.done() or storage.dead or whole.node.failed.done()):
        await asyncio.sleep(0)
    if told.done() and told.exception() is None:
        return True
    told.cancel()
    with suppress(BaseException):
        await told
    return False


def faults(storage: FaultyStorage, fault: str, step: int) -> None:
    if fault in ("kill -9", "power cut"):
        storage.die_after = step
    else:
        storage.stays_broken = True
        storage.fail_next = {fault: step}


def after(storage: FaultyStorage, fault: str) -> None:
    storage.crash() if fault == "power cut" else storage.kill()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0)


class Recreated:
    """A topic with a record in each partition and a committed offset is deleted and created again, and gets
    new records.
    """

    def __init__(self) -> None:
        self.acknowledged: set[str] = set()

    async def before(self, client: Client) -> None:
        await client.make_topic("orders", PARTITIONS)
        await client.ask("Produce", 7, produced(b"old"))
        await client.find()
        await client.commit("billing", 1)

    async def __call__(self, whole: Whole) -> None:
        whole.clock.advance_wall(1_000)  # the offset is older than the new topic
        client = await whole.client()
        client.send("DeleteTopics", 5, {"TopicNames": ["orders"], "TimeoutMs": 1000})
        client.send("CreateTopics", 7, created("orders"))
        client.send("Produce", 7, produced(b"new"))
        for api, version in (("DeleteTopics", 5), ("CreateTopics", 7), ("Produce", 7)):
            await client.answer(api, version)
            self.acknowledged.add(api)
        whole.clock.advance(10 * MINUTES_MS)  # retention passes remove the old files
        await until(lambda: not whole.engine.housekeeping.is_deleting)

    def check(self, whole: Whole, old_id: bytes) -> None:
        topic = whole.state.cluster.topics.get("orders")
        if topic is None:
            assert "CreateTopics" not in self.acknowledged, "the new topic is lost"
        elif topic.topic_id == old_id:
            assert "DeleteTopics" not in self.acknowledged, "the old topic is back"
            assert values_of(whole, "orders") == [[b"old"]] * PARTITIONS
            assert whole.state.groups.offsets.of("billing"), "the topic is back, its offset is not"
        else:
            assert not whole.state.groups.offsets.of("billing"), "an offset of the old topic"
            found = values_of(whole, "orders")
            assert all(values in ([], [b"new"]) for values in found), found
            assert "Produce" not in self.acknowledged or found == [[b"new"]] * PARTITIONS


@pytest.mark.parametrize("fault", ["kill -9", "power cut", "append", "sync", "write", "name"])
def test_a_death_during_topic_deletion_and_creation_loses_nothing(fault: str) -> None:
    async def one(step: int) -> bool:
        storage, story = FaultyStorage(step), Recreated()
        whole = await start(storage, **SETTINGS)
        await story.before(await whole.client())
        old_id = whole.state.cluster.topics["orders"].topic_id
        faults(storage, fault, step)
        whole_story = await lived(whole, storage, story)
        untouched = whole_story and step_is_left(storage, fault)
        await whole.abandon()
        after(storage, fault)
        async with running(storage, **SETTINGS) as again:
            story.check(again, old_id)
        async with running(storage, **SETTINGS) as again:
            story.check(again, old_id)
        return not untouched

    assert steps(one) > 1


def test_offsets_survive_a_topic_deletion_that_a_power_cut_reverts() -> None:
    """The seed decides which parts of the two logs reach the disk before the first sync."""

    async def one(seed: int) -> bool:
        storage, story = FaultyStorage(seed), Recreated()
        whole = await start(storage, **SETTINGS)
        await story.before(await whole.client())
        old_id = whole.state.cluster.topics["orders"].topic_id
        storage.stays_broken = True
        storage.fail_next = {"sync": 0}
        assert not await lived(whole, storage, story)
        await whole.abandon()
        storage.crash()
        async with running(storage, **SETTINGS) as again:
            story.check(again, old_id)
            topic = again.state.cluster.topics.get("orders")
            return topic is not None and topic.topic_id == old_id

    # Each run has its own loop, whose exception handler ignores the errors of the dead broker.
    taken_back = [asyncio.run(one(seed)) for seed in range(40)]
    assert any(taken_back)


def step_is_left(storage: FaultyStorage, fault: str) -> bool:
    """Return whether the story has fewer steps."""
    return not storage.dead if fault in ("kill -9", "power cut") else fault in storage.fail_next


def steps(one: Callable[[int], Coroutine[Any, Any, bool]]) -> int:
    """Run once for each step, until there is none. Return the number of steps."""
    for step in count():
        # Each run has its own loop, whose exception handler ignores the errors of the dead broker.
        if not asyncio.run(one(step)):
            return step
    raise AssertionError


class Snapshotted:
    """The metadata log grows, is replaced by a snapshot, and grows again."""

    def __init__(self) -> None:
        self.acknowledged: list[str] = []

    async def create(self, client: Client, names: Iterator[str] | list[str]) -> None:
        for name in names:
            assert await client.make_topic(name) == 0
            self.acknowledged.append(name)

    async def __call__(self, whole: Whole) -> None:
        client = await whole.client()
        await self.create(client, ["a", "b"])
        whole.clock.advance(MINUTES_MS)
        await until(lambda: whole.state.metadata_log.log_start_offset > 0)
        await self.create(client, ["c"])


@pytest.mark.parametrize("sync", ["always", "interval", "never"])
@pytest.mark.parametrize("fault", ["kill -9", "power cut"])
def test_a_death_during_a_metadata_snapshot_loses_no_topic(fault: str, sync: str) -> None:
    settings = {"tidemark_sync": sync, "metadata_log_max_record_bytes_between_snapshots": "1"}

    async def one(step: int) -> bool:
        storage, story = FaultyStorage(step), Snapshotted()
        whole = await start(storage, **settings)
        storage.die_after = step
        whole_story = await lived(whole, storage, story)
        untouched = whole_story and not storage.dead
        await whole.abandon()
        after(storage, fault)
        if fault == "power cut" and sync != "always":
            story.acknowledged.clear()  # without sync=always, the last ones may be lost
        whole = await start(storage, **settings)
        assert set(story.acknowledged) <= whole.state.cluster.topics.keys()
        await story.create(await whole.client(), ["d", "e"])
        await whole.abandon()  # a clean stop would write a snapshot over it
        storage.kill()
        async with running(storage, **settings) as again:
            assert set(story.acknowledged) <= again.state.cluster.topics.keys()
        return not untouched

    assert steps(one) > 1
