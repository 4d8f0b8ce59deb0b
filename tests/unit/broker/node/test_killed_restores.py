"""A kill or a power cut at any file operation of a restore leaves the old state or the restored one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pytest

from tests.unit.broker.node.test_snapshots import end_of, produce, topics_of
from tests.unit.broker.whole import Whole, running, start
from tidemark.node.node import UnknownSnapshot
from tidemark_testing.storage import FaultyStorage, ProcessKilled

HOUR_MS = 3_600_000
OPERATIONS_MAX = 1000  # a restore of this directory needs some 130
SETTINGS = {"tidemark_test_api": "true", "log_flush_interval_messages": "1"}  # records are synced, too

pytestmark = pytest.mark.slow


@dataclass
class State:
    """The log end offsets, the committed offsets, and how far time was moved."""

    ends: dict[str, int]
    offsets: dict[str, int]
    moved_ms: int


OLD = State({"orders": 5, "later": 1}, {"readers": 3, "others": 1}, HOUR_MS)
RESTORED = State({"orders": 2, "deleted": 1}, {"readers": 1}, 0)


async def state_of(whole: Whole) -> State:
    client = await whole.client()
    return State(
        {topic: await end_of(client, topic) for topic in await topics_of(client)},
        {
            group: value.offset
            for group in whole.state.groups.groups
            for value in whole.state.groups.offsets.of(group).values()
        },
        whole.state.clock.wall_ms() - whole.clock.wall_ms(),
    )


async def begin(storage: FaultyStorage) -> tuple[Whole, str]:
    """Return a node in the state OLD, and the id of a snapshot of RESTORED."""
    whole = await start(storage, **SETTINGS)
    client = await whole.client()
    await client.find()
    for topic in ("orders", "deleted"):
        await client.make_topic(topic)
    await produce(client, "orders", b"a", b"b")
    await produce(client, "deleted", b"x")
    await client.commit("readers", 1)
    snapshot = await whole.node.snapshots.create()
    await client.make_topic("later")
    await client.ask("DeleteTopics", 1, {"TopicNames": ["deleted"], "TimeoutMs": 1000})
    await produce(client, "orders", b"c", b"d", b"e")
    await produce(client, "later", b"y")
    await client.commit("readers", 3)
    await client.commit("others", 1, "later")
    time = whole.time
    await time.advance(HOUR_MS, cleanup=False, sessions=False, logs=False)
    assert await state_of(whole) == OLD
    return whole, snapshot


async def end(whole: Whole) -> None:
    """Stop as a kill does."""
    await whole.abandon()
    for client in whole._clients:
        client.writer.close()
        with suppress(OSError):
            await client.writer.wait_closed()


async def state_after(storage: FaultyStorage) -> State:
    async with running(storage, **SETTINGS) as whole:
        found = await state_of(whole)
        with pytest.raises(UnknownSnapshot):
            await whole.node.snapshots.restore("1")
    assert not [name for name, _ in storage.list() if "snapshots" in name or "restore" in name]
    return found


@pytest.mark.parametrize("ends", [FaultyStorage.kill, FaultyStorage.crash], ids=["a kill", "a power cut"])
def test_a_restore_killed_at_any_file_operation_is_complete_or_not_begun(
    ends: Callable[[FaultyStorage], None],
) -> None:
    async def found_after(operations: int) -> State | None:
        """Return the state after a kill, or None if the restore needed no more operations."""
        storage = FaultyStorage(seed=operations)
        whole, snapshot = await begin(storage)
        storage.die_after = operations
        with suppress(ProcessKilled):
            await whole.node.snapshots.restore(snapshot)
        died = storage.dead
        await end(whole)
        ends(storage)
        return await state_after(storage) if died else None

    found = []
    for operations in range(OPERATIONS_MAX):
        # Each run has its own loop, as each killed process would have.
        state = asyncio.run(found_after(operations))
        if state is None:
            break
        assert state in (OLD, RESTORED), operations
        found.append(state)
    turned = found.index(RESTORED)
    assert turned > 10
    assert found == [OLD] * turned + [RESTORED] * (len(found) - turned)
    assert len(found) > turned + 20
