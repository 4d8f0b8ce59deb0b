"""A restart and a snapshot rebuild the same state."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.broker.cluster_story import (
    APPEND,
    BROKER,
    DELETE,
    DIRECTORY_ID,
    GROUP,
    SET,
    SUBTRACT,
    TOPIC,
    ClusterStory,
    a_start,
    new_cluster,
    through_the_log,
)
from tidemark.core.decision import Record
from tidemark.handlers.topics.create_partitions import create_partitions
from tidemark.handlers.topics.delete_topics import delete_topics
from tidemark.handlers.topics.metadata import metadata
from tidemark.metadata.bootstrap import finalized_features, start_records
from tidemark.metadata.state import Cluster
from tidemark_protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tidemark_protocol.records.abort_transaction_record import AbortTransactionRecord
from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord
from tidemark_protocol.records.begin_transaction_record import BeginTransactionRecord
from tidemark_protocol.records.broker_registration_change_record import BrokerRegistrationChangeRecord
from tidemark_protocol.records.client_quota_record import ClientQuotaRecord, EntityData
from tidemark_protocol.records.end_transaction_record import EndTransactionRecord
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord
from tidemark_protocol.records.no_op_record import NoOpRecord
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.register_broker_record import BrokerFeature, RegisterBrokerRecord
from tidemark_protocol.records.topic_record import TopicRecord
from tidemark_protocol.records.user_scram_credential_record import UserScramCredentialRecord


def from_snapshot(cluster: Cluster) -> Cluster:
    restored = new_cluster()
    for record in through_the_log(cluster.snapshot_records()):
        restored.replay(record)
    return restored


NAMES = st.sampled_from(["orders", "a.b", "a_b", "pay", "x", "__consumer_offsets", "bad/name", ""])
VALUES = st.sampled_from(["1", "5000", "compact", "delete", "compact,delete", "abc", None])
KEYS = st.sampled_from(
    ["retention.ms", "cleanup.policy", "message.max.bytes", "consumer.session.timeout.ms", "nope"]
)
CHANGES = st.tuples(KEYS, st.sampled_from([SET, DELETE, APPEND, SUBTRACT]), VALUES)
DECISIONS = st.one_of(
    st.tuples(st.just("create"), NAMES, st.integers(-1, 4), st.dictionaries(KEYS, VALUES, max_size=2)),
    st.tuples(st.just("grow"), NAMES, st.integers(0, 6)),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.just("auto"), NAMES),
    st.tuples(st.just("alter"), st.sampled_from([TOPIC, BROKER, GROUP]), NAMES, CHANGES),
    st.tuples(st.just("producer"), st.integers(1, 3)),
    st.tuples(st.just("cut"), NAMES, st.integers(0, 3)),
)


def carry_out(story: ClusterStory, decision: tuple[Any, ...]) -> None:
    match decision:
        case ("create", name, partitions, configs):
            story.create(name, partitions, -1, configs=configs)
        case ("grow", name, count):
            story.ask(
                create_partitions, CreatePartitionsRequest([CreatePartitionsTopic(name, count)], 30_000), 3
            )
        case ("delete", name):
            story.ask(delete_topics, DeleteTopicsRequest(topic_names=[name], timeout_ms=30_000), 5)
        case ("auto", name):
            story.ask(metadata, MetadataRequest([MetadataRequestTopic(name=name)]), 9)
        case ("alter", kind, name, change):
            story.alter(kind, name, change)
        case ("producer", times):
            for _ in range(times):
                story.new_producer_id()
        case ("cut", name, index):
            story.store(story.cluster.leader_epoch_records([(name, index)]))


@settings(max_examples=150, deadline=None)
@given(st.lists(DECISIONS, max_size=25))
def test_rebuilt_equals_live_and_a_snapshot_loses_nothing(decisions: list[tuple[Any, ...]]) -> None:
    story = ClusterStory()
    for decision in decisions:
        story.wall_ms += 1
        carry_out(story, decision)
    live = story.cluster.hard_state()
    assert story.restarted().hard_state() == live
    restored = from_snapshot(story.cluster)
    assert restored.hard_state() == live
    assert from_snapshot(restored).hard_state() == live
    for name, topic in story.cluster.topics.items():
        assert restored.topic_config(name) == story.cluster.topic_config(name)
        assert [partition.index for partition in topic.partitions] == list(range(len(topic.partitions)))


def test_unused_records_are_kept() -> None:
    story = ClusterStory()
    for value in (
        AccessControlEntryRecord(b"a" * 16, 2, "orders", 3, "User:alice", "*", 3, 3),
        UserScramCredentialRecord("alice", 1, b"salt", b"stored", b"server", 4096),
        ClientQuotaRecord([EntityData("user", "alice")], "consumer_byte_rate", 1024.0, False),
    ):
        story.store([Record(None, value)])
    restored = from_snapshot(story.cluster)
    assert list(restored.acls.by_id) == [b"a" * 16]
    assert list(restored.scram_credentials) == [("alice", 1)]
    assert [quota.value for quota in restored.quotas.values()] == [1024.0]
    story.store(
        [Record(None, ClientQuotaRecord([EntityData("user", "alice")], "consumer_byte_rate", 0.0, True))]
    )
    assert story.cluster.quotas == {}


def test_changes_of_a_transaction_apply_at_its_end_unless_it_is_aborted() -> None:
    cluster = new_cluster()
    topic = Record(None, TopicRecord("orders", b"o" * 16))
    for value in (BeginTransactionRecord(), topic.value, AbortTransactionRecord()):
        cluster.replay(Record(None, value))
    assert cluster.topics == {}
    for value in (BeginTransactionRecord(), topic.value):
        cluster.replay(Record(None, value))
    assert cluster.topics == {}
    cluster.replay(Record(None, EndTransactionRecord()))
    assert list(cluster.topics) == ["orders"]


def test_partition_change_keeps_other_fields() -> None:
    story = ClusterStory()
    story.create("orders")
    topic = story.cluster.topics["orders"]
    no_leader = PartitionChangeRecord(
        0, topic.topic_id, isr=[], leader=-1, eligible_leader_replicas=[1], last_known_elr=[1]
    )
    story.store([Record(None, no_leader)])
    partition = topic.partitions[0]
    assert (partition.leader, partition.isr, partition.replicas) == (-1, [], [1])
    assert (partition.leader_epoch, partition.partition_epoch) == (1, 1)
    story.store([Record(None, PartitionChangeRecord(0, topic.topic_id, isr=[1]))])
    assert (partition.leader, partition.leader_epoch, partition.partition_epoch) == (-1, 1, 2)
    assert partition.directories == [DIRECTORY_ID]


def test_a_new_leader_keeps_the_settings_that_were_read_and_drops_responses() -> None:
    story = ClusterStory()
    story.create("orders")
    topic = story.cluster.topics["orders"]
    config = story.cluster.topic_config("orders")
    topic.prepared["metadata"] = "a response"
    story.store([Record(None, PartitionChangeRecord(0, topic.topic_id, leader=1))])
    assert story.cluster.topic_config("orders") is config
    assert "metadata" not in topic.prepared
    story.alter(TOPIC, "orders", ("retention.ms", SET, "5000"))
    assert story.cluster.topic_config("orders").retention_ms == 5000


def test_the_cluster_has_no_deadlines_and_nothing_to_settle() -> None:
    story = ClusterStory()
    story.create("orders")
    assert story.cluster.deadlines.next() is None
    assert story.cluster.marked == set()
    story.cluster.replay(Record(None, NoOpRecord()))


def test_a_first_start_writes_the_clusters_records_and_registers_the_node() -> None:
    cluster = new_cluster()
    records = start_records(cluster, a_start(offset=1))
    assert [type(record.value).__name__ for record in records] == [
        "BeginTransactionRecord",
        *["FeatureLevelRecord"] * 6,
        "ConfigRecord",
        "EndTransactionRecord",
        "RegisterControllerRecord",
        "RegisterBrokerRecord",
        "BrokerRegistrationChangeRecord",
    ]
    for record in through_the_log(records):
        cluster.replay(record)
    assert cluster.broker_epoch == 11  # the offset of its own registration
    assert not cluster.brokers[1].fenced
    assert cluster.features == {
        "metadata.version": 33,
        "eligible.leader.replicas.version": 1,
        "group.version": 1,
        "share.version": 2,
        "streams.version": 1,
        "transaction.version": 2,
    }


def test_a_second_start_writes_nothing_unless_something_is_new() -> None:
    story = ClusterStory()
    assert start_records(story.cluster, a_start(offset=20)) == ()
    moved = start_records(story.cluster, a_start(offset=20, port=9999))
    assert [type(record.value).__name__ for record in moved] == [
        "RegisterControllerRecord",
        "RegisterBrokerRecord",
        "BrokerRegistrationChangeRecord",
    ]
    story.store(moved)
    assert story.cluster.broker_epoch == 21


def an_earlier_directory(*levels: tuple[str, int], **supported: int) -> Cluster:
    """Return a cluster whose node is registered with these features, as an earlier version has left it."""
    cluster = new_cluster()
    for name, level in levels:
        cluster.replay(Record(None, FeatureLevelRecord(name, level)))
    for record in start_records(cluster, a_start()):
        if isinstance(record.value, RegisterBrokerRecord):
            record.value.features = [
                BrokerFeature(name.replace("_", "."), 0, highest) for name, highest in supported.items()
            ]
        cluster.replay(record)
    return cluster


OF_TIDEMARK = (("metadata.version", 30), ("eligible.leader.replicas.version", 1))


GROUPS = ("group.version", 1)
TRANSACTIONS = ("transaction.version", 2)
SHARES = ("share.version", 1)
STREAMS = ("streams.version", 1)


@pytest.mark.parametrize(
    ("levels", "supported", "raised"),
    [
        (
            OF_TIDEMARK,
            {"group_version": 0, "transaction_version": 0},
            [GROUPS, TRANSACTIONS, SHARES, STREAMS],
        ),
        (
            (*OF_TIDEMARK, GROUPS),
            {"group_version": 1, "transaction_version": 0},
            [TRANSACTIONS, SHARES, STREAMS],
        ),
        (
            (*OF_TIDEMARK, GROUPS, TRANSACTIONS),
            {"group_version": 1, "transaction_version": 2},
            [SHARES, STREAMS],
        ),
        (
            (*OF_TIDEMARK, GROUPS, TRANSACTIONS, SHARES),
            {"group_version": 1, "transaction_version": 2, "share_version": 1},
            [STREAMS],
        ),
        (OF_TIDEMARK, {"group_version": 1, "transaction_version": 0}, [TRANSACTIONS, SHARES, STREAMS]),
    ],
    ids=[
        "before the consumer protocol",
        "before transactions",
        "before share groups",
        "before streams groups",
        "with a group.version that was lowered",
    ],
)
def test_a_start_enables_what_is_new_in_a_directory_of_an_earlier_version(
    levels: tuple[tuple[str, int], ...], supported: dict[str, int], raised: list[tuple[str, int]]
) -> None:
    cluster = an_earlier_directory(*levels, **supported)
    records = start_records(cluster, a_start(offset=20))
    assert [type(record.value).__name__ for record in records[:3]] == [
        "RegisterControllerRecord",
        "RegisterBrokerRecord",
        "BrokerRegistrationChangeRecord",
    ]
    assert [record.value for record in records[3:]] == [FeatureLevelRecord(*level) for level in raised]
    for record in through_the_log(records):
        cluster.replay(record)
    assert start_records(cluster, a_start(offset=30)) == ()


@pytest.mark.parametrize(
    ("levels", "supported"),
    [
        # a client has lowered all of them
        (
            OF_TIDEMARK,
            {"group_version": 1, "transaction_version": 2, "share_version": 1, "streams_version": 1},
        ),
        ((("metadata.version", 21),), {}),  # a directory of Kafka 3.9
        ((*OF_TIDEMARK, TRANSACTIONS), {}),  # one of Kafka 4.3, without the consumer protocol
        ((*OF_TIDEMARK, GROUPS, STREAMS), {}),  # the same, without transactions
    ],
)
def test_a_start_keeps_levels_that_were_lowered_and_those_of_kafka(
    levels: tuple[tuple[str, int], ...], supported: dict[str, int]
) -> None:
    cluster = an_earlier_directory(*levels, **supported)
    values = [record.value for record in start_records(cluster, a_start(offset=20))]
    assert not any(isinstance(value, FeatureLevelRecord) for value in values)


def test_start_takes_leadership_of_partitions_without_a_leader() -> None:
    story = ClusterStory()
    story.create("orders")
    topic = story.cluster.topics["orders"]
    change = PartitionChangeRecord(
        0, topic.topic_id, isr=[], leader=-1, eligible_leader_replicas=[1], last_known_elr=[1]
    )
    shutdown = BrokerRegistrationChangeRecord(1, 7, in_controlled_shutdown=1)
    story.store([Record(None, shutdown), Record(None, change)])
    story.store(start_records(story.cluster, a_start(offset=30)))
    partition = topic.partitions[0]
    assert (partition.leader, partition.isr, partition.leader_epoch) == (1, [1], 2)
    assert (partition.eligible_leader_replicas, partition.last_known_elr) == ([], [])
    assert not story.cluster.brokers[1].in_controlled_shutdown


def test_unserved_features_are_not_reported_in_any_directory() -> None:
    story = ClusterStory()
    for name, level in (("group.version", 1), ("of.a.later.version", 1), ("metadata.version", 30)):
        story.store([Record(None, FeatureLevelRecord(name, level))])
    assert finalized_features(story.cluster) == {
        "metadata.version": 30,
        "eligible.leader.replicas.version": 1,
        "group.version": 1,
        "share.version": 2,
        "streams.version": 1,
        "transaction.version": 2,
    }
    assert from_snapshot(story.cluster).features["of.a.later.version"] == 1


def test_partition_keeps_its_leader_in_the_epoch_after_a_truncation() -> None:
    story = ClusterStory()
    story.create("orders")
    topic = story.cluster.topics["orders"]
    change = PartitionChangeRecord(0, topic.topic_id, replicas=[2], isr=[2], leader=2)
    story.store([Record(None, change)])
    story.store(story.cluster.leader_epoch_records([("orders", 0)]))
    partition = story.cluster.topics["orders"].partitions[0]
    assert (partition.leader, partition.isr, partition.leader_epoch) == (2, [2], 2)


@pytest.mark.parametrize("cut", [[("nosuch", 0)], [("orders", 9)]])
def test_deleted_partition_needs_no_new_epoch_after_truncation(cut: list[tuple[str, int]]) -> None:
    story = ClusterStory()
    story.create("orders")
    assert story.cluster.leader_epoch_records(cut) == ()


def test_partition_needs_little_memory() -> None:
    cluster, topic_id = new_cluster(), bytes(range(16))
    cluster.replay(Record(None, TopicRecord("orders", topic_id)))
    tracemalloc.start()
    try:
        for index in range(10_000):
            decoded = PartitionRecord(
                index, topic_id, [1], [1], [], [], 1, directories=[bytes(16)], creation_time_ms=10**12 + index
            )
            cluster.replay(Record(None, decoded))
        assert tracemalloc.get_traced_memory()[0] < 300 * 10_000
    finally:
        tracemalloc.stop()
