"""Fetch. Codes, sizes, orders and nulls are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.unit.broker.data_node import NODE_ID, START_MS, DataNode, a_batch, answer, turns_of
from tidemark.core.context import Operation
from tidemark.core.decision import Marker
from tidemark.handlers.data.fetch import fetch
from tidemark.log.partition import marker_batch
from tidemark.log.storage import StoredFile
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ReplicaState,
)
from tidemark_testing.storage import MemoryStorage

Wanted = tuple[str | bytes, int, int] | tuple[str | bytes, int, int, dict[str, int]]

ORDERS_BATCH = len(a_batch(3))  # 85 bytes, as in the frames that were sent to Kafka
PAYMENTS_BATCH = len(a_batch(1))  # 69


def a_node() -> DataNode:
    """orders: three batches of three records; payments: two of one; empty."""
    node = DataNode()
    node.topic("orders")
    node.topic("payments")
    node.topic("empty")
    node.append("orders", *[a_batch(3) for _ in range(3)])
    node.append("payments", *[a_batch(1) for _ in range(2)])
    return node


def a_request(*wanted: Wanted, **fields: Any) -> FetchRequest:
    """Return a request. wanted: topic name or id, partition, offset, other fields. Each has a topic entry."""
    topics = []
    for topic, index, offset, *more in wanted:
        partition = FetchPartition(index, fetch_offset=offset, partition_max_bytes=100_000)
        for name, value in (more[0] if more else {}).items():
            setattr(partition, name, value)
        name, topic_id = (topic, bytes(16)) if isinstance(topic, str) else ("", topic)
        topics.append(FetchTopic(name, topic_id, [partition]))
    return FetchRequest(**{"min_bytes": 1, "max_bytes": 10_000_000, "topics": topics, **fields})


def ask(
    node: DataNode, *wanted: Wanted, version: int = 12, denied: tuple[int, ...] = (), **fields: Any
) -> FetchResponse:
    request = a_request(*wanted, **fields)
    response = answer(fetch(node.logs, node.context(version, denied=denied), request))
    assert isinstance(response, FetchResponse)
    response.ENCODERS[version](bytearray(), response)
    return response


def ask_one(node: DataNode, *wanted: Wanted, version: int = 12, **fields: Any) -> PartitionData:
    return ask(node, *wanted, version=version, **fields).responses[0].partitions[0]


def sizes(response: FetchResponse) -> list[tuple[str, int, int]]:
    return [
        (topic.topic, partition.error_code, len(partition.records or b""))
        for topic in response.responses
        for partition in topic.partitions
    ]


def failure(code: ErrorCode, index: int = 0) -> PartitionData:
    return PartitionData(index, code, -1, -1, -1, aborted_transactions=None)


def refusal(code: ErrorCode, index: int = 0) -> PartitionData:
    return PartitionData(index, code, -1, -1, -1, aborted_transactions=[])


# One partition


def test_a_read_committed_fetch_gets_a_list_of_aborted_transactions() -> None:
    assert ask_one(a_node(), ("orders", 0, 0), isolation_level=1).aborted_transactions == []
    assert ask_one(a_node(), ("orders", 0, 9), isolation_level=1).aborted_transactions == []


def test_a_read_committed_fetch_ends_at_the_last_stable_offset() -> None:
    node = a_node()
    open_transaction = a_batch(1, attributes=16, producer_id=7, producer_epoch=0, sequence=0)
    node.append("orders", open_transaction, a_batch(1))
    committed = ask_one(node, ("orders", 0, 6), isolation_level=1)
    assert (committed.last_stable_offset, len(committed.records or b"")) == (9, ORDERS_BATCH)
    beyond = ask_one(node, ("orders", 0, 10), isolation_level=1)
    assert (beyond.error_code, beyond.records) == (ErrorCode.NONE, b"")
    assert len(ask_one(node, ("orders", 0, 6)).records or b"") == ORDERS_BATCH + 2 * PAYMENTS_BATCH


class CountingStorage(MemoryStorage):
    """Counts the segments that are opened."""

    opened = 0

    def open(self, path: str, *, create: bool = False) -> StoredFile:
        self.opened += path.endswith(".log")
        return super().open(path, create=create)


def test_a_read_committed_fetch_opens_only_segments_that_it_reads_or_that_have_aborted_transactions() -> None:
    storage = CountingStorage()
    node = DataNode(open_files_max=1, storage=storage)
    node.topic("orders")
    log = node.log("orders")
    for index in range(50):
        node.append("orders", a_batch(1))
        if index == 30:
            data = a_batch(1, attributes=16, producer_id=7, producer_epoch=0, sequence=0)
            abort = marker_batch(Marker(0, 7, 0, committed=False, coordinator_epoch=0), START_MS)
            log.append(data, leader_epoch=0, now_ms=START_MS)
            log.append(abort, leader_epoch=0, now_ms=START_MS, from_client=False)
        log.roll(START_MS)
    log.mark_synced(log.sync())
    storage.opened = 0
    read = {"partition_max_bytes": PAYMENTS_BATCH}
    assert ask_one(node, ("orders", 0, 0, read), isolation_level=1).aborted_transactions == []
    assert storage.opened == 2
    again = DataNode(open_files_max=1, storage=storage)
    again.topic("orders")
    storage.opened = 0
    assert ask_one(again, ("orders", 0, 0, read), isolation_level=1).aborted_transactions == []
    aborted = ask_one(again, ("orders", 0, 31, read), isolation_level=1).aborted_transactions
    assert [(each.producer_id, each.first_offset) for each in aborted or ()] == [(7, 31)]
    assert storage.opened <= 5


def test_a_search_for_aborted_transactions_in_many_segments_lets_other_clients_run() -> None:
    """An open transaction before them: no entry of an index is conclusive."""
    node = DataNode(ticking=True)
    node.topic("orders")
    log = node.log("orders")
    node.append("orders", a_batch(1))
    node.append("orders", a_batch(1, attributes=16, producer_id=7, producer_epoch=0, sequence=0))
    for producer_id in range(100, 200):
        log.roll(START_MS)
        data = a_batch(1, attributes=16, producer_id=producer_id, producer_epoch=0, sequence=0)
        log.append(data, leader_epoch=0, now_ms=START_MS)
        abort = marker_batch(Marker(0, producer_id, 0, committed=False, coordinator_epoch=0), START_MS)
        log.append(abort, leader_epoch=0, now_ms=START_MS, from_client=False)
    request = a_request(("orders", 0, 0), isolation_level=1)
    assert turns_of(fetch(node.logs, node.context(12), request)) >= 20


@pytest.mark.parametrize(
    ("epoch", "expected"),
    [(-5, ErrorCode.NONE), (-1, ErrorCode.NONE), (3, ErrorCode.FENCED_LEADER_EPOCH), (4, ErrorCode.NONE),
     (5, ErrorCode.UNKNOWN_LEADER_EPOCH)],
)  # fmt: skip
def test_the_leader_epoch_of_the_client_is_checked(epoch: int, expected: ErrorCode) -> None:
    node = a_node()
    node.cluster.topics["orders"].partitions[0].leader_epoch = 4
    data = ask_one(node, ("orders", 0, 0, {"current_leader_epoch": epoch}))
    assert data.error_code == expected
    if expected:
        assert data == failure(expected)


def test_fenced_client_gets_the_leader_since_version_16() -> None:
    node = a_node()
    topic_id = node.cluster.topics["orders"].topic_id
    node.cluster.topics["orders"].partitions[0].leader_epoch = 4
    fenced = (topic_id, 0, 0, {"current_leader_epoch": 3})
    response = ask(node, fenced, version=16)
    assert response.responses[0].partitions[0].current_leader == LeaderIdAndEpoch(NODE_ID, 4)
    assert response.node_endpoints == [NodeEndpoint(NODE_ID, "broker.example", 9092, None)]
    assert ask(node, fenced, version=15).node_endpoints == []


@pytest.mark.parametrize(
    ("offset", "epoch", "expected"),
    [
        (0, 0, None),
        (3, -5, None),
        (20, 0, EpochEndOffset(0, 9)),
        (8, 1, EpochEndOffset(0, 9)),
        (9, 2, None),
    ],
)
def test_diverging_client_gets_the_diverging_epoch(
    offset: int, epoch: int, expected: EpochEndOffset | None
) -> None:
    node = a_node()
    node.log("orders").begin_epoch(2)
    node.cluster.topics["orders"].partitions[0].leader_epoch = 2
    data = ask_one(node, ("orders", 0, offset, {"last_fetched_epoch": epoch}))
    assert (data.error_code, data.diverging_epoch) == (ErrorCode.NONE, expected)
    if expected is not None:
        assert data.records == b""


@pytest.mark.parametrize(("offset", "epoch"), [(0, 5), (-3, 0)])
def test_unknown_last_fetched_epoch_is_out_of_range(offset: int, epoch: int) -> None:
    data = ask_one(a_node(), ("orders", 0, offset, {"last_fetched_epoch": epoch}))
    assert data == failure(ErrorCode.OFFSET_OUT_OF_RANGE)


# Refused without reading


def test_unknown_and_unauthorized_partitions_come_last() -> None:
    response = ask(a_node(), ("nope", 0, 0), ("orders", 0, 0), ("orders", 8, 0), ("payments", 0, 0))
    assert [(topic.topic, [p.partition_index for p in topic.partitions]) for topic in response.responses] == [
        ("orders", [0]),
        ("payments", [0]),
        ("nope", [0]),
        ("orders", [8]),
    ]
    assert response.responses[2].partitions == [refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
    assert response.responses[3].partitions == [refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 8)]


def test_unknown_id_is_refused_before_authorization() -> None:
    node = a_node()
    topic_id = node.cluster.topics["orders"].topic_id
    response = ask(node, (b"x" * 16, 0, 0), (topic_id, 0, 0), version=13, denied=(Operation.READ,))
    assert response.responses == [
        FetchableTopicResponse("", b"x" * 16, [refusal(ErrorCode.UNKNOWN_TOPIC_ID)]),
        FetchableTopicResponse("", topic_id, [refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED)]),
    ]


def test_authorization_is_checked_before_existence() -> None:
    response = ask(a_node(), ("nope", 0, 0), denied=(Operation.READ,))
    assert response.responses[0].partitions == [refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED)]


def test_a_partition_whose_log_is_not_here_yet_has_no_leader() -> None:
    node = DataNode()
    node.topic("orders", logs=False)
    assert ask_one(node, ("orders", 0, 0)) == failure(ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_follower_needs_the_right_of_a_broker_and_no_other() -> None:
    node = a_node()
    denied = {"replica_id": 5, "denied": (Operation.CLUSTER_ACTION,)}
    for wanted in (("orders", 0, 0), ("nope", 0, 0)):
        assert ask_one(node, wanted, **denied) == refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    unknown = (b"x" * 16, 0, 0)
    state = ReplicaState(5, -1)
    by_id = {"version": 17, "replica_state": state}
    assert ask_one(node, unknown, denied=(Operation.CLUSTER_ACTION,), **by_id) == refusal(
        ErrorCode.TOPIC_AUTHORIZATION_FAILED
    )
    assert ask_one(node, unknown, **by_id) == refusal(ErrorCode.UNKNOWN_TOPIC_ID)
    read = {"replica_id": 5, "denied": (Operation.READ,)}
    assert ask_one(node, ("orders", 0, 0), **read) == failure(ErrorCode.NOT_LEADER_OR_FOLLOWER)


# Sizes


def test_an_empty_partition_does_not_use_up_the_first_batch() -> None:
    response = ask(a_node(), ("empty", 0, 0), ("orders", 0, 0), max_bytes=1)
    assert sizes(response) == [("empty", 0, 0), ("orders", 0, ORDERS_BATCH)]


# Sessions


def test_session_is_opened_and_continued() -> None:
    node = a_node()
    opened = ask(node, ("orders", 0, 9), ("nope", 0, 0), session_epoch=0)
    assert opened.session_id != 0
    same: dict[str, Any] = {"session_id": opened.session_id}
    assert sizes(ask(node, **same, session_epoch=1)) == [("nope", 3, 0)]
    node.append("orders", a_batch(3))
    assert sizes(ask(node, **same, session_epoch=2)) == [("orders", 0, ORDERS_BATCH), ("nope", 3, 0)]


def test_session_remembers_the_name_of_an_id() -> None:
    node = a_node()
    topic = node.cluster.topics["orders"]
    opened = ask(node, (topic.topic_id, 0, 9), (bytes(15) + b"x", 0, 0), version=13, session_epoch=0)
    same: dict[str, Any] = {"session_id": opened.session_id, "version": 13}
    del node.cluster.topics["orders"], node.cluster.topics_by_id[topic.topic_id]
    assert [p.error_code for t in ask(node, **same, session_epoch=1).responses for p in t.partitions] == [
        100,
        3,
    ]
    node.cluster.topics["orders"] = topic  # created again, with another id
    again = [p.error_code for t in ask(node, **same, session_epoch=2).responses for p in t.partitions]
    assert again == [ErrorCode.INCONSISTENT_TOPIC_ID, ErrorCode.UNKNOWN_TOPIC_ID]


def test_unknown_session_is_checked_before_the_isolation_level() -> None:
    response = ask(a_node(), session_id=99, session_epoch=1, isolation_level=5)
    assert response.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


# Long polling


def test_a_fetch_of_many_partitions_leaves_turns_to_others() -> None:
    node = DataNode(ticking=True)
    node.topic("wide", 100)
    request = a_request(*[("wide", index, 0) for index in range(100)], max_wait_ms=0)
    assert turns_of(fetch(node.logs, node.context(12), request)) > 100


@pytest.mark.parametrize("version", [12, 13])
def test_a_fetch_of_many_unknown_partitions_leaves_turns_to_others(version: int) -> None:
    node = DataNode(ticking=True)
    topic: str | bytes = "nope" if version == 12 else b"nope".ljust(16)
    wanted = a_request(*[(topic, index, 0) for index in range(100)])
    assert turns_of(fetch(node.logs, node.context(version), wanted)) > 50


def test_a_fetch_that_forgets_many_partitions_leaves_turns_to_others() -> None:
    node = DataNode(ticking=True)
    forgotten = [ForgottenTopic("nope", bytes(16), list(range(100)))]
    assert turns_of(fetch(node.logs, node.context(12), FetchRequest(forgotten_topics_data=forgotten))) > 20


async def test_a_topic_that_is_deleted_while_others_are_read_is_unknown() -> None:
    node = DataNode(ticking=True)
    node.topic("orders", 100)
    node.topic("payments")
    node.append("payments", a_batch(1))
    wanted = [("orders", index, 0) for index in range(100)]
    request = a_request(*wanted, ("payments", 0, 0))

    async def story() -> FetchResponse:
        reading = asyncio.ensure_future(fetch(node.logs, node.context(12), request))
        while node.logs.traffic.of("payments").fetch_requests == 0:  # until the partitions are examined
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        del node.cluster.topics["payments"]
        node.logs.delete("payments", 0)
        return await reading

    assert sizes(await story()) == [("orders", 0, 0)] * 100 + [("payments", 3, 0)]


@asynccontextmanager
async def waited_on() -> AsyncIterator[DataNode]:
    """Yield a node, and check afterwards that no fetch left a timer or a listener behind."""
    node = a_node()
    yield node
    assert not node.clock.step(), "a timer was left behind"
    for topic in ("orders", "payments"):
        log = node.logs.get(topic, 0)
        assert log is None or not log._listeners, "a listener was left behind"


async def parked(
    node: DataNode, *wanted: Wanted, version: int = 12, **fields: Any
) -> asyncio.Task[FetchResponse]:
    request = a_request(*wanted, **{"max_wait_ms": 500, **fields})
    task = asyncio.ensure_future(fetch(node.logs, node.context(version), request))
    await _turns()
    assert not task.done()
    return task


async def _turns() -> None:
    """Run as many turns of the loop as a woken coroutine needs to finish."""
    for _ in range(4):
        await asyncio.sleep(0)


async def test_fetch_without_records_returns_when_the_wait_is_over() -> None:
    async with waited_on() as node:
        task = await parked(node, ("orders", 0, 9))
        node.clock.advance(499)
        await _turns()
        assert not task.done()
        node.clock.advance(1)
        assert sizes(await task) == [("orders", 0, 0)]


async def test_a_fetch_waits_for_min_bytes_over_all_partitions() -> None:
    async with waited_on() as node:
        min_bytes = ORDERS_BATCH + 2 * PAYMENTS_BATCH + 1
        task = await parked(node, ("orders", 0, 6), ("payments", 0, 0), min_bytes=min_bytes)
        node.append("payments", a_batch(1))
        assert sizes(await task) == [("orders", 0, ORDERS_BATCH), ("payments", 0, 3 * PAYMENTS_BATCH)]


async def test_an_append_that_is_not_enough_leaves_the_fetch_waiting() -> None:
    async with waited_on() as node:
        task = await parked(node, ("orders", 0, 9), min_bytes=ORDERS_BATCH + 1)
        node.append("orders", a_batch(3))
        await _turns()
        assert not task.done()
        node.append("orders", a_batch(3))
        assert sizes(await task) == [("orders", 0, 2 * ORDERS_BATCH)]


async def test_available_records_are_returned_when_the_wait_is_over() -> None:
    async with waited_on() as node:
        task = await parked(node, ("orders", 0, 0), min_bytes=100_000)
        node.clock.advance(500)
        assert sizes(await task) == [("orders", 0, 3 * ORDERS_BATCH)]


async def test_refused_partitions_beside_a_waiting_one_do_not_shorten_the_wait() -> None:
    async with waited_on() as node:
        task = await parked(node, ("nope", 0, 0), ("orders", 0, 9))
        node.clock.advance(500)
        assert sizes(await task) == [("orders", 0, 0), ("nope", 3, 0)]


@pytest.mark.parametrize(
    ("wanted", "fields"),
    [
        ((), {}),
        ((("nope", 0, 0),), {}),
        ((("orders", 0, 9), ("payments", 0, 77)), {}),
        ((("orders", 0, 20, {"last_fetched_epoch": 0}),), {}),
        ((("orders", 0, 9),), {"min_bytes": 0}),
        ((("orders", 0, 9),), {"min_bytes": -1}),
        ((("orders", 0, 9),), {"max_wait_ms": 0}),
        ((("orders", 0, 9),), {"max_wait_ms": -1}),
        ((("orders", 0, 0, {"partition_max_bytes": 100}),), {"min_bytes": 1000, "max_bytes": 100}),
    ],
)  # fmt: skip
def test_fetch_does_not_wait_if_kafka_does_not(wanted: tuple[Wanted, ...], fields: dict[str, Any]) -> None:
    ask(a_node(), *wanted, **{"max_wait_ms": 500, **fields})


async def test_closed_connection_leaves_no_listener() -> None:
    async with waited_on() as node:
        task = await parked(node, ("orders", 0, 9), ("payments", 0, 2))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_topic_that_is_deleted_ends_the_wait() -> None:
    async with waited_on() as node:
        task = await parked(node, ("orders", 0, 9))
        del node.cluster.topics["orders"]
        node.logs.delete("orders", 0)
        response = await task
        assert sizes(response) == [("orders", 3, 0)]
        assert response.responses[0].partitions[0].aborted_transactions is None


async def test_records_that_are_deleted_under_a_waiting_reader_end_the_wait() -> None:
    async with waited_on() as node:
        task = await parked(node, ("orders", 0, 6), min_bytes=100_000)
        node.log("orders").advance_log_start(8)
        node.append("orders", a_batch(3))
        assert sizes(await task) == [("orders", 1, 0)]


async def calls_of_an_append(partitions: int) -> int:
    """Count the function calls of an append that is too small to end the wait of a large fetch."""
    node = a_node()
    node.topic("wide", partitions)
    for index in range(partitions):
        node.append("wide", a_batch(1), partition=index)
    wide = [("wide", index, 0) for index in range(partitions)]
    task = await parked(node, *wide, min_bytes=1_000_000)
    count = 0

    def profile(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    node.append("wide", a_batch(1))
    sys.setprofile(None)
    task.cancel()
    return count


async def test_an_append_costs_the_same_however_many_other_partitions_a_fetch_waits_for() -> None:
    assert await calls_of_an_append(100) == await calls_of_an_append(2)


async def test_bytes_of_several_partitions_add_up_while_a_fetch_waits() -> None:
    async with waited_on() as node:
        min_bytes = 2 * ORDERS_BATCH + 2 * PAYMENTS_BATCH
        task = await parked(node, ("orders", 0, 9), ("payments", 0, 2), min_bytes=min_bytes)
        for topic, count in (("orders", 3), ("payments", 1), ("orders", 3)):
            node.append(topic, a_batch(count))
            await _turns()
            assert not task.done()
        node.append("payments", a_batch(1))
        assert sizes(await task) == [("orders", 0, 2 * ORDERS_BATCH), ("payments", 0, 2 * PAYMENTS_BATCH)]


async def test_a_log_start_that_rose_while_a_fetch_waited_is_returned() -> None:
    async with waited_on() as node:
        task = await parked(node, ("orders", 0, 9), ("payments", 0, 2))
        node.log("orders").advance_log_start(4)
        node.append("payments", a_batch(1))
        assert (await task).responses[0].partitions[0].log_start_offset == 4


async def test_several_appends_in_one_turn_wake_a_fetch_once_that_returns_all() -> None:
    async with waited_on() as node:
        task = await parked(node, ("orders", 0, 9))
        node.append("orders", a_batch(3), a_batch(3))
        assert sizes(await task) == [("orders", 0, 2 * ORDERS_BATCH)]


def test_fetched_bytes_are_counted_as_in_kafka() -> None:
    # tests/conformance/test_meters.py compares these with Kafka's meters.
    node = a_node()
    ask(node, ("orders", 0, 0), ("payments", 0, 0), ("orders", 9, 0))
    ask(node, ("orders", 0, 999))
    ask(node, ("orders", 0, 0, {"partition_max_bytes": -5}))
    traffic = node.logs.traffic
    assert traffic.reading("fetch_requests") == {"": 4, "orders": 3, "payments": 1}
    assert traffic.of("orders").bytes_out == 3 * ORDERS_BATCH
    assert traffic.of("payments").bytes_out == 2 * PAYMENTS_BATCH
    assert traffic.reading("failed_fetch_requests") == {"": 1, "orders": 1, "payments": 0}


def test_fetch_returns_one_batch_while_unread_responses_fill_the_memory() -> None:
    node = a_node()
    node.unsent.reserve(100_000_000)
    wanted = (("orders", 0, 0), ("payments", 0, 0))
    assert sizes(ask(node, *wanted)) == [("orders", 0, ORDERS_BATCH), ("payments", 0, 0)]
    node.unsent.reserve(-100_000_000)
    assert sizes(ask(node, *wanted)) == [("orders", 0, 3 * ORDERS_BATCH), ("payments", 0, 2 * PAYMENTS_BATCH)]


def test_a_fetch_leaves_no_memory_reserved() -> None:
    node = a_node()
    for version in (12, 17):
        ask(node, ("orders", 0, 0), version=version)
        ask(node, ("orders", 0, 99), version=version)
    with pytest.raises(KafkaError):
        ask(node, ("orders", 0, 0), version=12, isolation_level=7)
    assert node.unsent.room() == 100_000_000
