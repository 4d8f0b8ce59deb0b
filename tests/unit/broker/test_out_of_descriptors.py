"""No descriptor is free for a while: requests that need one are refused or wait, and the broker stays."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from typing import Any, Final

import pytest

from tests.unit.broker.log.builders import (
    a_log,
    aborted_transactions,
    all_values,
    from_producer,
    put,
    values_in,
)
from tests.unit.broker.whole import DEADLINE_S, Client, Whole, a_commit, running, start
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.manager import RETRY_MS
from tidemark_protocol.batch import TRANSACTIONAL, ControlType, LogRecord, build_batch, build_control_batch
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.storage import MemoryStorage

STORAGE_ERROR: Final = int(ErrorCode.KAFKA_STORAGE_ERROR)
PARTITIONS: Final = 3
CHECKPOINT_MS: Final = 60_000  # the default of log.flush.offset.checkpoint.interval.ms


class Exhausted(MemoryStorage):
    """A disk on which the operations in `refused` find no descriptor. refusals: how many were refused.

    While goes_on is not set, the operations in `slow` wait for it. is_waiting: one does.
    """

    def __init__(self, *refused: str) -> None:
        super().__init__()
        self.refused: set[str] = set(refused)
        self.refusals = 0
        self.slow: set[str] = set()
        self.is_waiting = threading.Event()
        self.goes_on = threading.Event()
        self.goes_on.set()

    def about_to(self, operation: str) -> None:
        if operation in self.slow and not self.goes_on.is_set():
            self.is_waiting.set()
            assert self.goes_on.wait(DEADLINE_S)
        if operation in self.refused:
            self.refusals += 1
            raise OutOfDescriptors(OSError(errno.EMFILE, os.strerror(errno.EMFILE), "orders-0"))


async def produced(client: Client) -> list[int]:
    records = build_batch([LogRecord(0, 1_000, None, b"x")]).hex()
    data = [{"Index": index, "Records": records} for index in range(PARTITIONS)]
    body = {"Acks": -1, "TimeoutMs": 1000, "TopicData": [{"Name": "orders", "PartitionData": data}]}
    (topic,) = (await client.ask("Produce", 9, body))["Responses"]
    return [each["ErrorCode"] for each in topic["PartitionResponses"]]


async def serves(whole: Whole) -> None:
    """Check that the next client is served."""
    assert not whole.node.failed.done()
    client = await whole.client()
    assert await produced(client) == [0] * PARTITIONS
    await client.find("next")
    assert await client.commit("next", 1) == 0


async def test_a_produce_that_finds_no_descriptor_is_refused_for_each_partition() -> None:
    storage = Exhausted()
    async with running(storage) as whole:
        client = await whole.client()
        assert await client.make_topic(partitions=PARTITIONS) == 0
        storage.refused = {"name", "write", "append"}
        assert await produced(client) == [STORAGE_ERROR] * PARTITIONS
        storage.refused = set()
        await serves(whole)


@pytest.mark.parametrize("operation", ["append", "sync"])
async def test_a_commit_waits_until_its_log_can_be_opened(operation: str) -> None:
    storage = Exhausted()
    async with running(storage) as whole:
        client = await whole.client()
        assert await client.make_topic(partitions=PARTITIONS) == 0
        await client.find()
        assert await client.commit("g", 1) == 0
        storage.refused = {operation}
        client.send("OffsetCommit", 8, a_commit("g", 2))
        assert await client.is_silent()
        storage.refused = set()
        whole.clock.advance(RETRY_MS)
        answered = await client.answer("OffsetCommit", 8)
        assert answered["Topics"][0]["Partitions"][0]["ErrorCode"] == 0
        assert await client.committed("g") == 2
        await serves(whole)


async def test_a_retry_that_finds_nothing_to_write_does_not_end_the_flushes() -> None:
    """The timer of a retry may wake the flusher while it syncs what another request has written meanwhile."""
    storage = Exhausted()
    async with running(storage) as whole:
        client = await whole.client()
        assert await client.make_topic(partitions=PARTITIONS) == 0
        await client.find()
        storage.slow = {"sync"}
        storage.goes_on.clear()
        client.send("OffsetCommit", 8, a_commit("g", 2))
        assert await client.is_silent()
        whole.engine.group_commit.wake()
        storage.goes_on.set()
        await client.answer("OffsetCommit", 8)
        assert await client.commit("g", 3) == 0
        await serves(whole)


async def test_a_stop_ends_although_the_work_of_a_scheduled_task_is_refused() -> None:
    storage = Exhausted()
    async with running(storage) as whole:
        client = await whole.client()
        assert await client.make_topic(partitions=PARTITIONS) == 0
        assert await produced(client) == [0] * PARTITIONS
        keeping = whole.engine.housekeeping
        storage.slow = {"write"}
        storage.goes_on.clear()
        whole.clock.advance(CHECKPOINT_MS)
        assert await asyncio.to_thread(storage.is_waiting.wait, DEADLINE_S)
        storage.refused = {"write"}
        stop = asyncio.ensure_future(keeping.stop())
        await asyncio.sleep(0)
        storage.goes_on.set()
        async with asyncio.timeout(DEADLINE_S):
            await stop
        assert not whole.lines.of("a scheduled task failed")
        storage.refused = set()
        await serves(whole)


@pytest.mark.parametrize("mode", ["always", "interval"])
@pytest.mark.parametrize("operation", ["append", "sync"])
async def test_a_stop_waits_until_a_descriptor_is_free(operation: str, mode: str) -> None:
    storage = Exhausted()
    whole = await start(storage, tidemark_sync=mode)
    client = await whole.client()
    assert await client.make_topic(partitions=PARTITIONS) == 0
    await client.find()
    assert await client.commit("g", 1) == 0
    storage.refused = {operation}
    client.send("OffsetCommit", 8, a_commit("g", 2))
    await client.is_silent()
    stop = asyncio.ensure_future(whole.node.stop())
    await client.is_silent()
    assert not stop.done()
    assert storage.refusals <= 2  # it rests in between
    storage.refused = set()
    whole.clock.advance(RETRY_MS)
    async with asyncio.timeout(DEADLINE_S):
        await stop
    assert not whole.node.failed.done()
    whole.clock.advance(CHECKPOINT_MS)  # timers that were armed before do nothing
    client.writer.close()
    async with running(storage) as again:
        assert await (await again.client()).committed("g") == 2


@pytest.mark.parametrize("operation", ["sync", "write"])
async def test_a_stop_without_a_descriptor_for_the_last_files_succeeds(operation: str) -> None:
    storage = Exhausted()
    whole = await start(storage)
    client = await whole.client()
    assert await client.make_topic(partitions=PARTITIONS) == 0
    assert await produced(client) == [0] * PARTITIONS
    await client.find()
    assert await client.commit("g", 1) == 0
    client.writer.close()
    await whole.reads()
    storage.refused = {operation}
    await whole.node.stop()
    assert not whole.node.failed.done()
    (line,) = whole.lines.of("the next start recovers the logs")
    assert os.strerror(errno.EMFILE) in line["reason"]
    storage.refused = set()
    async with running(storage) as again:
        assert await (await again.client()).committed("g") == 1
        await serves(again)


def marker(producer_id: int, *, committed: bool = False) -> bytes:
    kind = ControlType.COMMIT if committed else ControlType.ABORT
    return build_control_batch(kind, bytes(6), 9, producer_id=producer_id, producer_epoch=0)


@pytest.fixture
def storage() -> Exhausted:
    return Exhausted()


def test_a_marker_is_not_written_without_its_entry_in_the_index(storage: Exhausted) -> None:
    log = a_log(storage)
    log.append(from_producer(7, 0, attributes=TRANSACTIONAL), leader_epoch=0, now_ms=0)
    storage.refused = {"name"}
    before = log.log_end_offset
    with pytest.raises(OutOfDescriptors):
        log.append(marker(7), leader_epoch=0, now_ms=0, from_client=False)
    assert log.log_end_offset == before
    storage.refused = set()
    log.append(marker(7), leader_epoch=0, now_ms=0, from_client=False)
    assert [(each.first_offset, each.last_offset) for each in aborted_transactions(log, 0, 9)] == [(0, 1)]


@pytest.mark.parametrize("operation", ["name", "write", "append"])
def test_a_batch_that_is_refused_changes_nothing(operation: str, storage: Exhausted) -> None:
    log = a_log(storage, segment_bytes=100)
    for offset in range(3):  # each begins a segment
        storage.refused = {operation}
        with pytest.raises(OutOfDescriptors):
            put(log, b"refused")
        assert (log.log_end_offset, log.high_watermark) == (offset, offset)
        storage.refused = set()
        assert put(log, b"%d" % offset) == offset
    log.close()
    again = a_log(storage, recovery_point=3)
    read = [again.read(each, 1 << 20, up_to=3, at_least_one_batch=True) for each in range(3)]
    assert [values_in(each)[0] for each in read] == [(0, b"0"), (1, b"1"), (2, b"2")]
    assert again.leader_epoch == 0


@pytest.mark.parametrize("operation", ["name", "write", "append"])
def test_a_roll_that_is_refused_leaves_no_segment_behind(operation: str, storage: Exhausted) -> None:
    log = a_log(storage, segment_bytes=200)
    put(log, b"0")
    storage.refused = {operation}
    with pytest.raises(OutOfDescriptors):
        put(log, b"x" * 100)
    storage.refused = set()
    assert put(log, b"1") == 1  # small enough for the first segment
    log.mark_synced(log.sync())
    assert [segment.base_offset for segment in log.segments] == [0] or operation == "append"
    log.abandon()
    again = a_log(storage, recovery_point=2, clean=False)
    assert again.log_end_offset == 2
    assert all_values(again) == [(0, b"0"), (1, b"1")]


def test_a_sync_that_is_refused_may_be_repeated(storage: Exhausted) -> None:
    log = a_log(storage)
    put(log, b"x")
    storage.refused = {"sync"}
    for _ in range(2):
        with pytest.raises(OutOfDescriptors):
            log.sync()
    storage.refused = set()
    assert log.sync() == 1
    log.mark_synced(1)
    assert not log.needs_sync


async def test_a_log_that_cannot_be_begun_is_begun_later() -> None:
    class Unlisted(Exhausted):
        def list(self, directory: str = "") -> list[Any]:
            self.about_to("list")
            return super().list(directory)

    storage = Unlisted()
    async with running(storage) as whole:
        client = await whole.client()
        assert await client.make_topic(partitions=PARTITIONS) == 0
        storage.refused = {"list"}
        assert await produced(client) == [STORAGE_ERROR] * PARTITIONS
        storage.refused = set()
        await serves(whole)
