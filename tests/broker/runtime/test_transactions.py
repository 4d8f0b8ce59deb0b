"""The transactional write path: batches of producers, markers, and obligations that survive a restart."""

from __future__ import annotations

import asyncio
import json
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from kio.records.readers import read_batch

from tests.broker.log.builders import a_log
from tests.broker.runtime.transactions import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    COORDINATOR_EPOCH,
    LEADER_EPOCH,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    START_MS,
    Node,
    prepared,
)
from tidemark.core.apply import RecordsTooLarge
from tidemark.core.result import Marker, Record, Result
from tidemark.log.partition import PartitionLog
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.runtime.journal import Journal, JournaledLog
from tidemark.testing.storage import FaultyStorage, MemoryStorage
from tidemark_protocol.batch import TRANSACTIONAL, control_type, headers, records, set_offset_and_epoch
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

GOLDEN: Final = Path(__file__).parents[2] / "golden"
PRODUCER: Final = 7
EPOCH: Final = 1
TOPICS: Final = ("orders", "payments")
ONE_MARKER_END: Final = 3  # of a user log: two records and a marker
KEY: Final = OffsetCommitKey("g", "orders", 0)
PARTITIONS: Final = {"orders": [0], "payments": [0], OFFSETS_TOPIC: [0]}


# batches


def journaled(log: PartitionLog, leader_epoch: int = LEADER_EPOCH) -> JournaledLog:
    return JournaledLog(log, leader_epoch=leader_epoch, base_sequence=0)


def bytes_of(log: PartitionLog) -> bytes:
    return b"".join(bytes(stored.buf[stored.start : stored.end]) for stored in log.batches())


def at_offset(batch: bytes, base_offset: int, leader_epoch: int) -> bytes:
    """Return the batch with another base offset, which no CRC covers."""
    moved = bytearray(batch)
    set_offset_and_epoch(moved, 0, base_offset, leader_epoch)
    return bytes(moved)


def markers_of_kafka() -> list[Any]:
    lines = map(json.loads, (GOLDEN / "record_batches.jsonl").read_text().splitlines())
    batches = [(bytes.fromhex(line["hex"]), line["batches"][0]) for line in lines if "batches" in line]
    found = [each for each in batches if each[1]["control"] and each[1]["transactional"]]
    assert len(found) >= 4
    return found


@pytest.mark.parametrize("place", range(4))
def test_a_marker_has_the_bytes_that_kafka_writes(place: int) -> None:
    stored, golden = markers_of_kafka()[place]
    record = golden["records"][0]
    marker = Marker(
        0,
        golden["producer_id"],
        golden["producer_epoch"],
        committed=record["key"] == "00000001",
        coordinator_epoch=int(record["value"][4:], 16),
    )
    log, journal = a_log(), Journal()
    epoch = golden["partition_leader_epoch"]
    journal.end_transaction(journaled(log, epoch), marker, golden["base_timestamp"])
    journal.write(golden["base_timestamp"])
    assert at_offset(bytes_of(log), golden["base_offset"], epoch) == stored


def transactional_batches_of_kafka() -> list[tuple[bytes, Any]]:
    found = []
    with tarfile.open(GOLDEN / "kafka-4.3.1" / "data.tar.gz") as archive:
        for member in archive:
            if member.name.startswith("data/__consumer_offsets-") and member.name.endswith(".log"):
                data = archive.extractfile(member).read()  # type: ignore[union-attr]
                found += [
                    (data[position : position + header.size], header)
                    for position, header in headers(data)
                    if header.attributes == TRANSACTIONAL and header.count  # compaction leaves empty batches
                ]
    return found


def test_records_of_a_transaction_have_the_bytes_that_kafka_writes() -> None:
    batches = transactional_batches_of_kafka()
    assert max(header.count for _, header in batches) > 1
    for stored, header in batches:
        log, journal = a_log(), Journal()
        target = journaled(log, header.leader_epoch)
        entries = [(record.key, record.value) for record in records(stored, 0, header)]
        journal.add_all({target: entries}, header.base_timestamp, (header.producer_id, header.producer_epoch))
        journal.write(header.base_timestamp)
        assert at_offset(bytes_of(log), header.base_offset, header.leader_epoch) == stored


def test_batches_are_in_the_order_of_their_records_one_for_each_run_of_a_producer() -> None:
    log, journal = a_log(), Journal()
    target = journaled(log)
    journal.add(target, b"a", b"1", START_MS)
    journal.add(target, b"b", b"2", START_MS)
    journal.add_all({target: [(b"c", b"3")]}, START_MS, (PRODUCER, EPOCH))
    journal.add_all({target: [(b"d", b"4"), (b"e", b"5")]}, START_MS, (PRODUCER, EPOCH))
    journal.add_all({target: [(b"f", b"6")]}, START_MS, (PRODUCER, EPOCH + 1))
    journal.add(target, b"g", None, START_MS)
    journal.end_transaction(target, Marker(0, PRODUCER, EPOCH + 1, True, COORDINATOR_EPOCH), START_MS)
    journal.add(target, b"h", b"7", START_MS)
    assert journal.write(START_MS) == [log]
    assert journal.appended == 8

    data = bytes_of(log)
    found, position = [], 0
    while position < len(data):
        batch, size = read_batch(data, position)
        transactional, control = bool(batch.attributes & 0x10), bool(batch.attributes & 0x20)
        keys = [record.key for record in batch.records]
        found.append((batch.producer_id, batch.producer_epoch, transactional, control, keys))
        position += size
    assert found == [
        (-1, -1, False, False, [b"a", b"b"]),
        (PRODUCER, EPOCH, True, False, [b"c", b"d", b"e"]),
        (PRODUCER, EPOCH + 1, True, False, [b"f"]),
        (-1, -1, False, False, [b"g"]),
        (PRODUCER, EPOCH + 1, True, True, [b"\0\0\0\1"]),
        (-1, -1, False, False, [b"h"]),
    ]


def test_records_of_a_transaction_that_are_too_large_change_nothing() -> None:
    log, journal = a_log(batch_bytes_max=200), Journal()
    with pytest.raises(RecordsTooLarge):
        journal.add_all({journaled(log): [(b"k", b"v" * 200)]}, START_MS, (PRODUCER, EPOCH))
    assert not journal.pending


def test_a_marker_for_a_log_that_is_deleted_before_the_flush_is_dropped() -> None:
    log, journal = a_log(), Journal()
    deletable = JournaledLog(log, leader_epoch=0, base_sequence=0, deletable=True)
    journal.end_transaction(deletable, Marker(0, PRODUCER, EPOCH, True), START_MS)
    log.abandon()
    journal.write(START_MS)
    assert log.log_end_offset == 0


# obligations


def effective_markers(log: PartitionLog) -> list[bool]:
    """Return whether each transaction that ended in this log was committed.

    Readers ignore a marker that ends no open transaction.
    """
    open_producers, found = set(), []
    for stored in log.batches():
        header = stored.header
        if not header.is_control:
            open_producers.add(header.producer_id)
        elif header.producer_id in open_producers:
            open_producers.remove(header.producer_id)
            (record,) = records(stored.buf, stored.start, header)
            found.append(control_type(record.key) == 1)
    return found


def begin(node: Node) -> None:
    """Write to both user logs and commit an offset in one transaction."""
    for topic in TOPICS:
        node.produce(topic, PRODUCER, EPOCH, b"one", b"two")
    commit = OffsetCommitValue(42, commit_timestamp=START_MS)
    node.runtime.accept("Groups", Result(records=(Record(KEY, commit, (PRODUCER, EPOCH)),)))


class Ending:
    """The transaction ends. acknowledged: the decision is durable, so its client may have the response."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.acknowledged = False

    async def __call__(self, node: Node) -> None:
        node.runtime.accept("Transactions", prepared(self.status, PRODUCER, EPOCH, PARTITIONS))
        node.after_durable.call(self._acknowledge)
        await node.settled()
        assert node.failed is None

    def _acknowledge(self) -> None:
        self.acknowledged = True


def check_ended(node: Node, *, committed: bool) -> None:
    """Check that each log has one effective marker and no open transaction."""
    assert not node.state.prepared
    assert node.state.complete == {"tx": COMPLETE_COMMIT if committed else COMPLETE_ABORT}
    for topic in (*TOPICS, OFFSETS_TOPIC):
        log = node.log(topic)
        assert effective_markers(log) == [committed], topic
        assert log.last_stable_offset == log.log_end_offset
        assert log.producers.first_unstable is None
    offset = node.groups.offsets.get("g", "orders", 0)
    assert (offset is not None) == committed
    assert not node.groups.offsets.pending("g")


class WholeOrNothing(FaultyStorage):
    """A power cut loses all of a file's unsynced bytes, or none. Torn batches would hide wrong orders."""

    def _surviving_content(self, node: Any) -> bytes:
        return self._random.choice((bytes(node.content), bytes(node.durable)))


async def lived(node: Node, storage: FaultyStorage, ending: Ending) -> bool:
    """Return whether the transaction ended completely before the process died."""
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    task = asyncio.ensure_future(ending(node))
    while not (task.done() or storage.dead or node.failed):
        await asyncio.sleep(0)
    whole = task.done() and task.exception() is None
    task.cancel()
    with suppress(BaseException):
        await task
    return whole


@pytest.mark.asyncio
@pytest.mark.parametrize("status", [PREPARE_COMMIT, PREPARE_ABORT])
async def test_markers_reach_all_logs_of_a_transaction(status: int) -> None:
    storage = MemoryStorage()
    node = Node(storage, *TOPICS)
    begin(node)
    await Ending(status)(node)
    check_ended(node, committed=status == PREPARE_COMMIT)
    await node.abandon()


@pytest.mark.asyncio
@pytest.mark.parametrize("status", [PREPARE_COMMIT, PREPARE_ABORT])
@pytest.mark.parametrize("fault", ["kill -9", "power cut"])
@pytest.mark.parametrize("seed", range(10))
async def test_a_restart_writes_the_markers_that_a_death_prevented(
    seed: int, fault: str, status: int
) -> None:
    """The process dies at every operation on its disk. seed: decides which bytes a power cut loses."""
    steps = repeated = 0
    untouched = False
    while not untouched:
        untouched, ends = await _death_and_restart(WholeOrNothing(100 * seed + steps), fault, status, steps)
        repeated += any(end > ONE_MARKER_END for end in ends)
        steps += 1
    assert steps > 5
    assert repeated, "no death came between the markers and the record that they are written"


async def _death_and_restart(
    storage: FaultyStorage, fault: str, status: int, step: int
) -> tuple[bool, list[int]]:
    """Die at this step and restart. Return whether there was no such step, and the ends of the user logs."""
    ending, committed = Ending(status), status == PREPARE_COMMIT
    node = Node(storage, *TOPICS)
    begin(node)
    await node.settled()
    storage.die_after = step
    untouched = await lived(node, storage, ending) and not storage.dead
    await node.abandon()
    storage.crash() if fault == "power cut" else storage.kill()

    node = Node(storage, *TOPICS)
    await node.settled()
    if not (ending.acknowledged or node.state.complete):
        assert not any(effective_markers(node.log(topic)) for topic in TOPICS)
        await ending(node)  # the client's retry
    check_ended(node, committed=committed)
    ends = [node.log(topic).log_end_offset for topic in TOPICS]
    await node.abandon()
    storage.kill()

    node = Node(storage, *TOPICS)  # no marker is owed any more
    await node.settled()
    assert [node.log(topic).log_end_offset for topic in TOPICS] == ends
    check_ended(node, committed=committed)
    await node.abandon()
    return untouched, ends


@pytest.mark.asyncio
async def test_a_partition_that_was_deleted_needs_no_marker() -> None:
    storage = MemoryStorage()
    node = Node(storage, "orders")
    node.produce("orders", PRODUCER, EPOCH, b"one")
    node.runtime.accept(
        "Transactions", prepared(PREPARE_COMMIT, PRODUCER, EPOCH, {"orders": [0], "deleted": [0]})
    )
    await node.settled()
    assert node.state.complete == {"tx": COMPLETE_COMMIT}
    assert effective_markers(node.log("orders")) == [True]
    await node.abandon()


@pytest.mark.asyncio
async def test_an_obligation_without_a_log_to_write_is_fulfilled_in_a_later_turn() -> None:
    node = Node(MemoryStorage())
    node.runtime.accept("Transactions", prepared(PREPARE_ABORT, PRODUCER, EPOCH, {"deleted": [0]}))
    assert node.state.prepared
    await node.settled()
    assert node.state.complete == {"tx": COMPLETE_ABORT}
    await node.abandon()
