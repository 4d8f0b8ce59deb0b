"""The directory of a killed Apache Kafka: our broker gives the responses that Kafka gave.

While Kafka runs, its directory cannot be opened.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import kafka_oracle
from tests.broker_process import two_free_ports
from tests.clients.test_opening import refusal, serving
from tests.kafka_oracle import KafkaNode
from tests.wire import Connection
from tidemark_protocol import to_dict
from tidemark_protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from tidemark_protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from tidemark_protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest
from tidemark_protocol.messages.end_txn import EndTxnRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tidemark_protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

SETTINGS = {
    "offsets.topic.num.partitions": "3",
    "metadata.log.max.record.bytes.between.snapshots": "2000",  # so that its log has a snapshot
    "metadata.log.max.snapshot.interval.ms": "500",
}
DEADLINE_S = 30
CONSUMER_GROUPS = ["next", "next-left"]
CLASSIC_GROUPS = ["simple", "stable", "in-a-transaction"]
GROUPS = [*CONSUMER_GROUPS, *CLASSIC_GROUPS]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNode]:
    node = KafkaNode(tmp_path_factory.mktemp("node"), two_free_ports(), SETTINGS)
    node.start()
    yield node
    node.stop(signal.SIGKILL)


def until_ready(ask: Callable[[], Any]) -> Any:
    """Repeat until the response has no error, because coordinators need time."""
    deadline = time.monotonic() + DEADLINE_S
    while (response := ask()).error_code and time.monotonic() < deadline:
        time.sleep(0.05)
    assert response.error_code == 0, response
    return response


def tell(kafka: Connection) -> None:
    """Create groups of every kind, and offsets in open and ended transactions."""
    kafka.ask("CreateTopics", 7, CreateTopicsRequest([CreatableTopic("orders", 3, 1)], 10_000))
    for key_type, key in ((0, "simple"), (1, "tx-open")):
        find = FindCoordinatorRequest(key, key_type)
        until_ready(partial(kafka.ask, "FindCoordinator", 3, find))
    until_ready(lambda: _committed(kafka, "simple", 1, 11))
    _join_classic(kafka, "stable")
    for group in CONSUMER_GROUPS:
        _join(kafka, group)
        until_ready(partial(_committed, kafka, group, 0, 20, member_id="m" * 22, epoch=2))
    leave = ConsumerGroupHeartbeatRequest("next-left", "m" * 22, -1)
    assert kafka.ask("ConsumerGroupHeartbeat", 1, leave).error_code == 0
    _commit_in_transaction(kafka, "tx-ended", 0, 30, ends=True)
    _commit_in_transaction(kafka, "tx-open", 1, 31, ends=False)


def _committed(
    kafka: Connection, group: str, partition: int, offset: int, *, member_id: str = "", epoch: int = -1
) -> Any:
    topics = [
        OffsetCommitRequestTopic("orders", partitions=[OffsetCommitRequestPartition(partition, offset)])
    ]
    request = OffsetCommitRequest(group, epoch, member_id, topics=topics)
    return kafka.ask("OffsetCommit", 9, request).topics[0].partitions[0]


def _join_classic(kafka: Connection, group: str) -> None:
    protocols = [JoinGroupRequestProtocol("range", b"\0\0\0\0\0\1\0\6orders\xff\xff\xff\xff")]
    joined = kafka.ask(
        "JoinGroup", 3, JoinGroupRequest(group, 60_000, 60_000, "", None, "consumer", protocols)
    )
    assert joined.error_code == 0
    assignments = [SyncGroupRequestAssignment(joined.member_id, b"\0\0\0\0\0\0\xff\xff\xff\xff")]
    sync = SyncGroupRequest(group, 1, joined.member_id, assignments=assignments)
    assert kafka.ask("SyncGroup", 3, sync).error_code == 0


def _join(kafka: Connection, group: str) -> None:
    """Join as a member that is assigned the whole topic, in its second epoch."""
    join = ConsumerGroupHeartbeatRequest(
        group,
        "m" * 22,
        0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["orders"],
        topic_partitions=[],
    )
    joined = until_ready(lambda: kafka.ask("ConsumerGroupHeartbeat", 1, join))
    assert joined.member_epoch == 2


def _commit_in_transaction(
    kafka: Connection, transactional_id: str, partition: int, offset: int, *, ends: bool
) -> None:
    begun = until_ready(
        lambda: kafka.ask("InitProducerId", 4, InitProducerIdRequest(transactional_id, 60_000))
    )
    who = (begun.producer_id, begun.producer_epoch)
    added = AddOffsetsToTxnRequest(transactional_id, *who, "in-a-transaction")
    until_ready(lambda: kafka.ask("AddOffsetsToTxn", 3, added))
    topics = [
        TxnOffsetCommitRequestTopic("orders", partitions=[TxnOffsetCommitRequestPartition(partition, offset)])
    ]
    commit = TxnOffsetCommitRequest(transactional_id, "in-a-transaction", *who, topics=topics)
    until_ready(lambda: kafka.ask("TxnOffsetCommit", 3, commit).topics[0].partitions[0])
    if ends:
        until_ready(lambda: kafka.ask("EndTxn", 3, EndTxnRequest(transactional_id, *who, True)))


def what_it_says(bootstrap: str) -> dict[str, Any]:
    connection = Connection(bootstrap)
    responses = {
        "groups": connection.ask("ListGroups", 5, ListGroupsRequest()).groups,
        "consumer": connection.ask(
            "ConsumerGroupDescribe", 1, ConsumerGroupDescribeRequest(CONSUMER_GROUPS)
        ).groups,
        "classic": connection.ask("DescribeGroups", 6, DescribeGroupsRequest(CLASSIC_GROUPS)).groups,
    }
    result: dict[str, Any] = {
        what: sorted(
            (to_dict(entry) for entry in entries if entry.group_id in GROUPS),
            key=lambda entry: entry["GroupId"],
        )
        for what, entries in responses.items()
    }
    for group in GROUPS:
        for stable in (False, True):
            response = connection.ask(
                "OffsetFetch", 7, OffsetFetchRequest(group, None, require_stable=stable)
            )
            result[f"{group}, {stable=}"] = {
                (topic.name, partition.partition_index): to_dict(partition)
                for topic in response.topics
                for partition in topic.partitions
            }
    connection.socket.close()
    return result


def test_the_directory_of_a_killed_kafka_gives_kafkas_responses(node: KafkaNode, tmp_path: Path) -> None:
    kafka = Connection(node.bootstrap)
    tell(kafka)
    kafka.socket.close()
    before = until_told(node)
    assert "in use" in refusal("--from", node.data_dir)
    node.stop(signal.SIGKILL)
    assert [*node.data_dir.glob("__cluster_metadata-0/*.checkpoint")]
    with serving("--from", node.data_dir) as opened:
        assert what_it_says(opened.ready["bootstrap_servers"]) == before
        rules = {place: result["rule"] for place, result in opened.offsets().items()}
        opened.stop()
    assert rules == {
        ("simple", "orders", 1): "standalone",
        ("next", "orders", 0): "active",
        ("next-left", "orders", 0): "topic_not_subscribed",
        ("in-a-transaction", "orders", 0): "standalone",
    }


def until_told(node: KafkaNode) -> dict[str, Any]:
    """Return Kafka's responses once the marker of the ended transaction is written."""
    deadline = time.monotonic() + DEADLINE_S
    while not (result := what_it_says(node.bootstrap))["in-a-transaction, stable=False"]:
        assert time.monotonic() < deadline, result
        time.sleep(0.05)
    return result
