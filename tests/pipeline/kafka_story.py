"""Make Kafka write to `__consumer_offsets`, and query its state, over plain connections.

All requests have versions that Kafka 3.9 supports.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tests.wire import Connection, request
from tidemark_protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from tidemark_protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.end_txn import EndTxnRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tidemark_protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

DEADLINE_S: Final = 30
PARTITIONS: Final = 50  # of __consumer_offsets, Kafka's default
LATEST: Final = -1
OFFSETS_TOPIC: Final = "__consumer_offsets"
SUBSCRIPTION: Final = b"\0\0\0\0\0\1\0\6orders\xff\xff\xff\xff"
NO_ASSIGNMENT: Final = b"\0\0\0\0\0\0\xff\xff\xff\xff"
MEMBER_ID: Final = "m" * 22
SIMPLE: Final = tuple(f"simple-{number}" for number in range(80))
FLOODED: Final = ("flood-0", "flood-1", "flood-2", "flood-3")
OTHERS: Final = ("", "retained", "classic", "consumers", "doomed-readers", "transactional")
GROUPS: Final = (*SIMPLE, *FLOODED, *OTHERS)
# (group, topic, partition) -> committed offset, leader epoch, metadata
Committed = dict[tuple[str, str, int], tuple[int, int, str]]


def until_ready(ask: Callable[[], Any]) -> Any:
    """Repeat the request until the response has no error: coordinators and transactions need time."""
    deadline = time.monotonic() + DEADLINE_S
    while (answer := ask()).error_code and time.monotonic() < deadline:
        time.sleep(0.02)
    assert answer.error_code == 0, answer
    return answer


def tell(kafka: Connection, consumers: bool) -> None:
    """Create groups in every log partition, commits and deletions of every kind, and transactions of every
    outcome. consumers: this release serves the KIP-848 protocol.
    """
    create(kafka, {"orders": 6, "doomed": 2})
    until_ready(partial(kafka.ask, "FindCoordinator", 3, FindCoordinatorRequest("simple-0", 0)))
    until_ready(partial(kafka.ask, "FindCoordinator", 3, FindCoordinatorRequest("tx-0", 1)))
    for number, group in enumerate(SIMPLE):
        commit(kafka, group, {number % 6: number * 1000 - 3}, metadata="é" * (number % 7))
    commit(kafka, "", {0: -5, 5: 2**62}, metadata='a "quoted", one')
    commit(kafka, "retained", {0: 7, 1: 8}, version=2, retention_ms=3_600_000)
    join_classic(kafka, "classic")
    commit(kafka, "doomed-readers", {0: 1, 1: 2}, topic="doomed")
    commit(kafka, "doomed-readers", {3: 33})
    delete_offset(kafka, "simple-1", 1)
    deleted = kafka.ask("DeleteGroups", 2, DeleteGroupsRequest(["simple-2", "retained"]))
    assert [result.error_code for result in deleted.results] == [0, 0]
    if consumers:
        join_consumer(kafka, "consumers")
    for number, outcome in enumerate((True, False, None)):
        in_transaction(kafka, f"tx-{number}", "transactional", {number: 500 + number}, commits=outcome)
    in_transaction(kafka, "tx-0", "simple-5", {5: 12345}, commits=True)
    kafka.ask("DeleteTopics", 5, DeleteTopicsRequest(topic_names=["doomed"], timeout_ms=10_000))
    until_gone(kafka, "doomed-readers", "doomed")


def go_on(kafka: Connection) -> None:
    """Write more into the same logs, after a restart."""
    for number, group in enumerate(SIMPLE):
        commit(kafka, group, {0: number, 1: number}, metadata="again")
    in_transaction(kafka, "tx-3", "transactional", {3: 503}, commits=True)
    in_transaction(kafka, "tx-4", "transactional", {4: 504}, commits=None)
    delete_offset(kafka, "simple-7", 1)


def create(kafka: Connection, topics: dict[str, int]) -> None:
    created = [CreatableTopic(name, partitions, 1) for name, partitions in topics.items()]
    kafka.ask("CreateTopics", 5, CreateTopicsRequest(created, 10_000))


def commit_request(
    group: str, offsets: dict[int, int], *, topic: str = "orders", metadata: str = "", retention_ms: int = -1
) -> OffsetCommitRequest:
    partitions = [
        OffsetCommitRequestPartition(partition, offset, committed_metadata=metadata)
        for partition, offset in offsets.items()
    ]
    return OffsetCommitRequest(
        group, retention_time_ms=retention_ms, topics=[OffsetCommitRequestTopic(topic, partitions=partitions)]
    )


def commit(kafka: Connection, group: str, offsets: dict[int, int], *, version: int = 8, **how: Any) -> None:
    asked = commit_request(group, offsets, **how)
    until_ready(lambda: kafka.ask("OffsetCommit", version, asked).topics[0].partitions[0])


def delete_offset(kafka: Connection, group: str, partition: int) -> None:
    topic = OffsetDeleteRequestTopic("orders", [OffsetDeleteRequestPartition(partition)])
    answer = until_ready(lambda: kafka.ask("OffsetDelete", 0, OffsetDeleteRequest(group, [topic])))
    assert answer.topics[0].partitions[0].error_code == 0


def join_classic(kafka: Connection, group: str) -> str:
    """Join as the only member, in generation 1. Return the member id."""
    protocols = [JoinGroupRequestProtocol("range", SUBSCRIPTION)]
    join = JoinGroupRequest(group, 1_800_000, 60_000, "", None, "consumer", protocols)
    joined = until_ready(lambda: kafka.ask("JoinGroup", 3, join))
    assignments = [SyncGroupRequestAssignment(joined.member_id, NO_ASSIGNMENT)]
    sync = SyncGroupRequest(group, 1, joined.member_id, assignments=assignments)
    assert kafka.ask("SyncGroup", 3, sync).error_code == 0
    return str(joined.member_id)


def join_consumer(kafka: Connection, group: str) -> None:
    join = ConsumerGroupHeartbeatRequest(
        group,
        MEMBER_ID,
        0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["orders"],
        topic_partitions=[],
    )
    until_ready(lambda: kafka.ask("ConsumerGroupHeartbeat", 0, join))


def in_transaction(
    kafka: Connection, transactional_id: str, group: str, offsets: dict[int, int], *, commits: bool | None
) -> None:
    """Write in a transaction. commits None: leave it open."""
    begin = InitProducerIdRequest(transactional_id, 600_000)
    begun = until_ready(lambda: kafka.ask("InitProducerId", 4, begin))
    who = (begun.producer_id, begun.producer_epoch)
    until_ready(
        lambda: kafka.ask("AddOffsetsToTxn", 3, AddOffsetsToTxnRequest(transactional_id, *who, group))
    )
    partitions = [TxnOffsetCommitRequestPartition(partition, offset) for partition, offset in offsets.items()]
    topics = [TxnOffsetCommitRequestTopic("orders", partitions=partitions)]
    asked = TxnOffsetCommitRequest(transactional_id, group, *who, topics=topics)
    until_ready(lambda: kafka.ask("TxnOffsetCommit", 3, asked).topics[0].partitions[0])
    if commits is not None:
        until_ready(lambda: kafka.ask("EndTxn", 3, EndTxnRequest(transactional_id, *who, commits)))
        # The marker is in the log once the coordinator lets the transactional id begin anew.
        until_ready(lambda: kafka.ask("InitProducerId", 4, begin))


def until_gone(kafka: Connection, group: str, topic: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while any(name == topic for _, name, _ in committed_of(kafka, group)):
        assert time.monotonic() < deadline, f"{topic} is still there"
        time.sleep(0.05)


def committed(kafka: Connection) -> Committed:
    """Return all committed offsets, as Kafka returns them to OffsetFetch."""
    found: Committed = {}
    for group in GROUPS:
        found |= committed_of(kafka, group)
    return found


def committed_of(kafka: Connection, group: str) -> Committed:
    answer = until_ready(lambda: kafka.ask("OffsetFetch", 7, OffsetFetchRequest(group, None)))
    return {
        (group, topic.name, each.partition_index): (
            each.committed_offset,
            each.committed_leader_epoch,
            each.metadata,
        )
        for topic in answer.topics
        for each in topic.partitions
    }


def log_ends(kafka: Connection) -> dict[int, int]:
    """Return the end of each partition of `__consumer_offsets`."""
    asked = [ListOffsetsPartition(partition, timestamp=LATEST) for partition in range(PARTITIONS)]
    topic = ListOffsetsTopic(OFFSETS_TOPIC, asked)

    deadline = time.monotonic() + DEADLINE_S
    while True:
        told = kafka.ask("ListOffsets", 5, ListOffsetsRequest(-1, 0, [topic])).topics[0].partitions
        if not any(each.error_code for each in told):
            return {each.partition_index: each.offset for each in told}
        assert time.monotonic() < deadline, told
        time.sleep(0.05)


class Flood:
    """Send large commits until the Kafka is killed."""

    def __init__(self, bootstrap: str, group: str) -> None:
        self._connection = Connection(bootstrap)
        partitions = [OffsetCommitRequestPartition(0, each, -1, -1, "x" * 4096) for each in range(200)]
        asked = OffsetCommitRequest(group, topics=[OffsetCommitRequestTopic("orders", partitions=partitions)])
        self._frame = request("OffsetCommit", 8, asked)

    def begin(self) -> None:
        """Return after the first response, with the next commit on its way."""
        self._connection.send(self._frame)
        self._connection.answer()
        self._connection.send(self._frame)

    def close(self) -> None:
        self._connection.socket.close()
