"""DeleteRecords. Codes and low watermarks are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

import pytest

from tests.unit.broker.data_node import DataNode, a_batch, answer
from tidemark.core.context import Operation
from tidemark.handlers.data.delete_records import delete_records
from tidemark.log.manager import LogManager
from tidemark.settings.broker import BrokerSettings
from tidemark.workers import R, SystemWorkers
from tidemark_protocol.checkpoints import decode_offsets
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.log_files import LOG_STARTS
from tidemark_protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopic,
)
from tidemark_testing.storage import FaultyStorage


def a_node(policy: str = "delete") -> DataNode:
    node = DataNode()
    node.topic("orders", cleanup_policy=policy)
    node.append("orders", a_batch(5, key=b"k"))
    return node


def ask(
    node: DataNode, *wanted: tuple[str, int, int], version: int = 2, denied: tuple[int, ...] = ()
) -> DeleteRecordsResponse:
    """wanted: topic, partition, offset."""
    response = asyncio.run(asking(node, *wanted, version=version, denied=denied))
    assert isinstance(response, DeleteRecordsResponse)
    response.ENCODERS[version](bytearray(), response)
    return response


def asking(
    node: DataNode, *wanted: tuple[str, int, int], version: int = 2, denied: tuple[int, ...] = ()
) -> Coroutine[Any, Any, Any]:
    request = DeleteRecordsRequest(
        [DeleteRecordsTopic(name, [DeleteRecordsPartition(index, offset)]) for name, index, offset in wanted]
    )
    return delete_records(node.logs, node.context(version, denied=denied), request)


def ask_one(
    node: DataNode, offset: int, topic: str = "orders", index: int = 0, *, denied: tuple[int, ...] = ()
) -> tuple[int, int]:
    """Return error code and low watermark."""
    found = ask(node, (topic, index, offset), denied=denied).topics[0].partitions[0]
    assert found.partition_index == index
    return found.error_code, found.low_watermark


def test_minus_1_deletes_up_to_the_high_watermark() -> None:
    assert ask_one(a_node(), -1) == (ErrorCode.NONE, 5)


def test_records_of_a_compacted_topic_are_not_deleted_by_offset() -> None:
    assert ask_one(a_node("compact"), 77) == (ErrorCode.POLICY_VIOLATION, -1)
    assert ask_one(a_node("compact,delete"), 1) == (ErrorCode.NONE, 1)


def test_records_of_an_internal_topic_are_not_deleted() -> None:
    node = DataNode()
    node.topic("__consumer_offsets", cleanup_policy="compact")
    assert ask_one(node, 77, "__consumer_offsets") == (ErrorCode.INVALID_TOPIC_EXCEPTION, -1)


def test_a_partition_whose_log_is_not_here_yet_has_no_leader() -> None:
    node = DataNode()
    node.topic("orders", logs=False)
    assert ask_one(node, 1) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)


def test_authorization_is_checked_before_existence() -> None:
    refused = ask_one(a_node(), 1, "nope", denied=(Operation.DELETE,))
    assert refused == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, -1)


# The new start is durable before the response.


def a_faulty_node(partitions: int = 1) -> tuple[DataNode, FaultyStorage]:
    """Return a node whose records, but not whose log starts, are durable."""
    storage = FaultyStorage(seed=1)
    node = DataNode(storage=storage)
    node.topic("orders", partitions)
    for index in range(partitions):
        node.append("orders", a_batch(5), partition=index)
        log = node.log("orders", index)
        log.mark_synced(log.sync())
    return node, storage


def start_after_a_restart(node: DataNode, index: int = 0) -> int:
    again = LogManager(node.logs.storage, BrokerSettings(), node.clock, node.logs.settings_of)
    again.open()
    log = again.get("orders", index)
    assert log is not None
    return log.log_start_offset


@pytest.mark.parametrize("end", ["kill", "crash"])
def test_an_acknowledged_start_survives_the_end_of_the_process(end: str) -> None:
    node, storage = a_faulty_node()
    assert ask_one(node, 3) == (ErrorCode.NONE, 3)
    getattr(storage, end)()
    assert start_after_a_restart(node) == 3


def test_a_request_makes_one_write_for_all_partitions_and_none_if_nothing_is_raised() -> None:
    node, storage = a_faulty_node(partitions=3)
    storage.fail_next["write"] = 1  # the second write would fail
    response = ask(node, ("orders", 0, 1), ("orders", 1, 2), ("orders", 2, 0))
    assert [each.error_code for topic in response.topics for each in topic.partitions] == [0, 0, 0]
    assert answer(asking(node, ("orders", 0, 1), ("orders", 1, 0))).topics[0].partitions[0].low_watermark == 1
    assert storage.fail_next == {"write": 0}


def test_partitions_whose_new_start_cannot_be_written_have_an_error() -> None:
    node, storage = a_faulty_node(partitions=3)
    assert ask_one(node, 1, index=2) == (ErrorCode.NONE, 1)
    storage.fail_next["write"] = 0
    results = of_one_topic(node, {0: 1, 1: 77, 2: 1})
    assert results == [
        DeleteRecordsPartitionResult(0, -1, ErrorCode.KAFKA_STORAGE_ERROR),
        DeleteRecordsPartitionResult(1, -1, ErrorCode.OFFSET_OUT_OF_RANGE),
        DeleteRecordsPartitionResult(2, 1, ErrorCode.NONE),
    ]
    # The same request again writes what the first one could not.
    assert of_one_topic(node, {0: 1})[0] == DeleteRecordsPartitionResult(0, 1, ErrorCode.NONE)
    storage.crash()
    assert start_after_a_restart(node) == 1


def of_one_topic(node: DataNode, offsets: dict[int, int]) -> list[DeleteRecordsPartitionResult]:
    asked = DeleteRecordsTopic("orders", [DeleteRecordsPartition(*each) for each in offsets.items()])
    response = asyncio.run(delete_records(node.logs, node.context(2), DeleteRecordsRequest([asked])))
    (topic,) = response.topics
    return list(topic.partitions)


class Held(SystemWorkers):
    """Runs nothing before `release`."""

    def __init__(self) -> None:
        self.held: list[Callable[[], None]] = []

    def run(self, work: Callable[..., R], *arguments: Any) -> asyncio.Future[R]:
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self.held.append(lambda: future.set_result(work(*arguments)))
        return future

    def release(self) -> None:
        for each in self.held:
            each()
        self.held.clear()


def test_a_repeated_request_waits_for_the_write_in_progress() -> None:
    async def story() -> None:
        node, _ = a_faulty_node(partitions=2)
        node.logs.workers = workers = Held()
        first = asyncio.ensure_future(asking(node, ("orders", 0, 2)))
        await asyncio.sleep(0)
        again = asyncio.ensure_future(asking(node, ("orders", 0, 2)))
        other = asyncio.ensure_future(asking(node, ("orders", 1, 2)))
        await asyncio.sleep(0)
        first.cancel()  # its client has hung up
        await asyncio.sleep(0)
        assert not again.done()
        assert len(workers.held) == 1, "the requests that came meanwhile share the next write"
        workers.release()
        while not workers.held:
            await asyncio.sleep(0)
        assert not again.done()
        assert not other.done()
        workers.release()
        for waiting in (again, other):
            assert (await waiting).topics[0].partitions[0].low_watermark == 2
        assert start_after_a_restart(node, 1) == 2

    asyncio.run(story())


def test_a_request_below_the_start_waits_until_the_start_in_its_response_is_durable() -> None:
    """Seed 11282 of the simulation: the first request waited for a slow disk when the power was cut."""

    async def story() -> None:
        node, _ = a_faulty_node()
        node.logs.workers = workers = Held()
        first = asyncio.ensure_future(asking(node, ("orders", 0, 2)))
        await asyncio.sleep(0)
        below = asyncio.ensure_future(asking(node, ("orders", 0, 0)))
        await asyncio.sleep(0)
        assert not below.done()
        workers.release()
        while not workers.held:
            await asyncio.sleep(0)
        workers.release()
        for waiting in (first, below):
            assert (await waiting).topics[0].partitions[0].low_watermark == 2

    asyncio.run(story())


def test_an_older_copy_does_not_replace_a_newer_one() -> None:
    async def story() -> None:
        node, _ = a_faulty_node()
        node.logs.workers = workers = Held()
        asked = asyncio.ensure_future(asking(node, ("orders", 0, 2)))
        await asyncio.sleep(0)
        node.log("orders").advance_log_start(4)
        node.logs.checkpoint()
        workers.release()
        await asked
        assert start_after_a_restart(node) == 4

    asyncio.run(story())


def test_nothing_is_written_once_the_logs_are_abandoned() -> None:
    """A snapshot is restored meanwhile: the write must not change the files of the next incarnation."""

    async def story() -> None:
        node, _ = a_faulty_node()
        node.logs.workers = workers = Held()
        asked = asyncio.ensure_future(asking(node, ("orders", 0, 2)))
        await asyncio.sleep(0)
        node.logs.abandon()
        workers.release()
        asked.cancel()
        assert start_after_a_restart(node) == 0

    asyncio.run(story())


def test_a_start_is_kept_until_the_removal_of_its_segments_is_durable() -> None:
    node, storage = a_faulty_node()
    log = node.log("orders")
    log.roll(0)
    log.mark_synced(log.sync())
    assert ask_one(node, 5) == (ErrorCode.NONE, 5)
    log.delete_segments(1, 0)
    node.logs.checkpoint()
    for seed in range(10):
        disk = copy.deepcopy(storage)
        disk._random = Random(seed)
        disk.crash()
        again = LogManager(disk, BrokerSettings(), node.clock, node.logs.settings_of)
        again.open()
        found = again.get("orders", 0)
        assert found is not None
        assert found.log_start_offset == 5
    log.mark_synced(log.sync())
    node.logs.checkpoint()
    assert decode_offsets(storage.read(LOG_STARTS)) == {}
