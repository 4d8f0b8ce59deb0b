"""ListOffsets. Codes, timestamps, offsets and epochs are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from tests.unit.broker.data_node import DataNode, a_batch, a_record, answer, in_turns, turns_of
from tidemark.core.context import Operation
from tidemark.handlers.data.list_offsets import list_offsets
from tidemark_protocol.compression import Codec, compress
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)


def a_node() -> DataNode:
    """orders: offsets 0-2 at 1000, 1050, 1020; 3 at 1040; 4-5 at 1050; 6-7 without a time. empty: nothing."""
    node = DataNode()
    node.topic("orders")
    node.topic("empty")
    first = [a_record(0), a_record(1, timestamp_delta=50), a_record(2, timestamp_delta=20)]
    node.append(
        "orders",
        a_batch(records=first, timestamp=1000, max_timestamp=1050),
        a_batch(1, timestamp=1040),
        a_batch(2, timestamp=1050),
        a_batch(2, timestamp=-1),
    )
    return node


def ask(
    node: DataNode, *wanted: tuple[str, int, int], version: int = 11, epoch: int = -1, denied: tuple[int, ...]
    = (), **fields: Any,
) -> ListOffsetsResponse:  # fmt: skip
    """wanted: topic, partition, timestamp."""
    request = ListOffsetsRequest(
        replica_id=fields.pop("replica_id", -1),
        topics=[
            ListOffsetsTopic(name, [ListOffsetsPartition(index, epoch, at)]) for name, index, at in wanted
        ],
        **fields,
    )
    response = answer(list_offsets(node.logs, node.context(version, denied=denied), request))
    assert isinstance(response, ListOffsetsResponse)
    response.ENCODERS[version](bytearray(), response)
    return response


def ask_one(
    node: DataNode, timestamp: int, *, topic: str = "orders", index: int = 0, version: int = 11, **fields: Any
) -> tuple[int, int, int, int]:
    """Return error code, timestamp, offset and leader epoch."""
    found = ask(node, (topic, index, timestamp), version=version, **fields).topics[0].partitions[0]
    assert found.partition_index == index
    return found.error_code, found.timestamp, found.offset, found.leader_epoch


def refusal(code: ErrorCode) -> tuple[int, int, int, int]:
    return code, -1, -1, -1


@pytest.mark.parametrize(
    ("timestamp", "expected"),
    [
        (-1, (0, -1, 8, 0)),
        (-2, (0, -1, 0, 0)),
        (-3, (0, 1050, 1, 0)),
        (-4, (0, -1, 0, 0)),
        (-5, (0, -1, -1, -1)),
        (-6, (0, -1, -1, -1)),
        (0, (0, 1000, 0, 0)),
        (1000, (0, 1000, 0, 0)),
        (1001, (0, 1050, 1, 0)),
        (1050, (0, 1050, 1, 0)),
        (1051, (0, -1, -1, -1)),
    ],
)
def test_an_offset_is_found_by_time_or_by_the_end_of_the_log(
    timestamp: int, expected: tuple[int, int, int, int]
) -> None:
    assert ask_one(a_node(), timestamp) == expected


@pytest.mark.parametrize("timestamp", [-7, -100])
def test_other_negative_timestamp_is_unsupported_for_every_topic(timestamp: int) -> None:
    assert ask_one(a_node(), timestamp) == refusal(ErrorCode.UNSUPPORTED_VERSION)
    assert ask_one(a_node(), timestamp, topic="nope") == refusal(ErrorCode.UNSUPPORTED_VERSION)


def test_deleted_records_are_not_found() -> None:
    node = a_node()
    node.log("orders").advance_log_start(8)
    assert ask_one(node, -2) == (0, -1, 8, 0)
    assert ask_one(node, 0) == (0, -1, -1, -1)


def test_largest_timestamp_may_be_a_deleted_record_until_its_segment_is_deleted() -> None:
    node = a_node()
    node.log("orders").advance_log_start(8)
    assert ask_one(node, -3) == (0, 1050, 1, 0)


def test_read_committed_ends_at_the_last_stable_offset() -> None:
    node = a_node()
    late = a_batch(1, attributes=16, producer_id=7, producer_epoch=0, sequence=0, timestamp=9000)
    node.append("orders", late)
    assert ask_one(node, -1) == (0, -1, 9, 0)
    assert ask_one(node, -1, isolation_level=1) == (0, -1, 8, 0)
    assert ask_one(node, -3) == (0, 9000, 8, 0)
    assert ask_one(node, -3, isolation_level=1) == (0, -1, -1, -1)
    assert ask_one(node, 9000, isolation_level=1) == (0, -1, -1, -1)
    assert ask_one(node, -1, isolation_level=1, replica_id=-2) == (0, -1, 9, 0)


def test_an_unknown_isolation_level_is_an_error_of_each_partition() -> None:
    assert ask_one(a_node(), -1, isolation_level=9) == refusal(ErrorCode.UNKNOWN_SERVER_ERROR)


@pytest.mark.parametrize(
    ("epoch", "code"),
    [(5, ErrorCode.UNKNOWN_LEADER_EPOCH), (-5, ErrorCode.FENCED_LEADER_EPOCH)],
)
def test_the_leader_epoch_of_the_client_is_checked(epoch: int, code: ErrorCode) -> None:
    assert ask_one(a_node(), -1, epoch=epoch) == refusal(code)


def test_authorization_is_checked_before_existence() -> None:
    refused = ask_one(a_node(), -1, topic="nope", denied=(Operation.DESCRIBE,))
    assert refused == refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED)


def test_a_partition_whose_log_is_not_here_yet_has_no_leader() -> None:
    node = DataNode()
    node.topic("orders", logs=False)
    assert ask_one(node, -1) == refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_a_partition_named_twice_is_refused_once() -> None:
    response = ask(a_node(), ("orders", 0, -1), ("empty", 0, -1), ("orders", 0, -2))
    assert [topic.name for topic in response.topics] == ["orders", "empty"]
    assert response.topics[0].partitions == [ListOffsetsPartitionResponse(0, ErrorCode.INVALID_REQUEST)]
    twice_unknown = ask(a_node(), ("nope", 0, -1), ("nope", 0, -1))
    assert twice_unknown.topics[0].partitions == [ListOffsetsPartitionResponse(0, ErrorCode.INVALID_REQUEST)]


def test_offset_has_the_epoch_of_its_record() -> None:
    node = a_node()
    node.log("orders").append(a_batch(1, timestamp=7000), leader_epoch=3, now_ms=0)
    node.cluster.topics["orders"].partitions[0].leader_epoch = 3
    assert ask_one(node, -2) == (0, -1, 0, 0)
    assert ask_one(node, 7000) == (0, 7000, 8, 3)
    assert ask_one(node, -1) == (0, -1, 9, 3)


# Large requests and large batches


def a_request(*wanted: tuple[str, int, int]) -> ListOffsetsRequest:
    return ListOffsetsRequest(
        replica_id=-1,
        topics=[ListOffsetsTopic(name, [ListOffsetsPartition(index, -1, at)]) for name, index, at in wanted],
    )


def a_large_batch(count: int = 2, value: bytes = bytes(1 << 20), **fields: Any) -> bytes:
    """A few kilobytes that hold megabytes."""
    return a_batch(
        count, value=value, attributes=Codec.ZSTD, compress=partial(compress, Codec.ZSTD), **fields
    )


@pytest.mark.parametrize("timestamp", [-1, -3, 1000])
@pytest.mark.parametrize("topic", ["orders", "nope"])
def test_many_partitions_leave_turns_to_others(timestamp: int, topic: str) -> None:
    node = DataNode(ticking=True)
    node.topic("orders", 100)
    request = a_request(*[(topic, index, timestamp) for index in range(100)])
    assert turns_of(list_offsets(node.logs, node.context(11), request)) > 50


def test_many_topics_without_partitions_leave_turns_to_others() -> None:
    node = DataNode(ticking=True)
    request = ListOffsetsRequest(topics=[ListOffsetsTopic(f"nope{n}", []) for n in range(100)])
    assert turns_of(list_offsets(node.logs, node.context(11), request)) >= 50


@pytest.mark.parametrize("timestamp", [-3, 5000])
async def test_a_large_batch_is_decompressed_in_a_thread(timestamp: int) -> None:
    node = a_node()
    node.append("orders", a_large_batch(timestamp=5000))

    async def story() -> ListOffsetsResponse:
        request = a_request(("orders", 0, timestamp))
        task = asyncio.ensure_future(list_offsets(node.logs, node.context(11), request))
        await asyncio.sleep(0)
        assert not task.done()
        return await task

    found = (await story()).topics[0].partitions[0]
    assert (found.error_code, found.timestamp, found.offset) == (0, 5000, 8)


def test_a_batch_of_many_records_is_searched_in_many_turns() -> None:
    node = DataNode(ticking=True)
    node.topic("orders")
    node.append("orders", a_batch(5000, timestamp=1000), a_batch(1, timestamp=2000))
    node.log("orders").advance_log_start(4999)
    assert turns_of(list_offsets(node.logs, node.context(11), a_request(("orders", 0, 1000)))) > 4


def test_a_search_through_many_batches_needs_many_turns() -> None:
    node = DataNode(ticking=True)
    node.topic("orders")
    node.append("orders", a_batch(timestamp=1000), *[a_batch(timestamp=10)] * 3000, a_batch(timestamp=2000))
    turns, response = in_turns(list_offsets(node.logs, node.context(11), a_request(("orders", 0, 1500))))
    assert turns > 2
    assert response.topics[0].partitions[0].offset == 3001


async def test_a_topic_that_is_deleted_while_its_log_is_searched_is_unknown() -> None:
    node = DataNode(ticking=True)
    node.topic("orders")
    node.append("orders", a_batch(timestamp=1000), *[a_batch(timestamp=10)] * 3000, a_batch(timestamp=2000))
    request = a_request(("orders", 0, 1500))

    async def story() -> ListOffsetsResponse:
        searching = asyncio.ensure_future(list_offsets(node.logs, node.context(11), request))
        await asyncio.sleep(0)
        assert not searching.done()
        del node.cluster.topics["orders"]
        node.logs.delete("orders", 0)
        return await searching

    response = await story()
    assert response.topics[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
