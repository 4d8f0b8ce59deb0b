"""The expected responses are those of Apache Kafka 4.3.1, of KIP-1327 for version 14."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import START_MS, finished
from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import (
    Decision,
    OffsetsTopicCreated,
    Record,
    ShareStateTopicCreated,
    TransactionsTopicCreated,
)
from tidemark.handlers.topics.metadata import metadata
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.register_broker_record import RegisterBrokerRecord
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord
from tidemark_protocol.wire import ZERO_UUID

UNKNOWN_ID = bytes(range(16))


@pytest.fixture
def story() -> ClusterStory:
    story = ClusterStory()
    story.create("orders", 2)
    story.create("quiet")
    return story


def ask(
    story: ClusterStory,
    version: int,
    *names: str | bytes | None,
    create: bool = False,
    operations: bool = False,
) -> MetadataResponse:
    topics = [
        MetadataRequestTopic(name, None) if isinstance(name, bytes) else MetadataRequestTopic(ZERO_UUID, name)
        for name in names
    ]
    response: MetadataResponse = story.ask(
        metadata, MetadataRequest(topics, create, operations, operations), version
    )
    return response


def told(response: MetadataResponse) -> dict[str | None, int]:
    return {topic.name: topic.error_code for topic in response.topics}


def test_null_means_all_topics_and_before_version_1_an_empty_list_does(story: ClusterStory) -> None:
    for version in range(1, 15):
        assert told(story.ask(metadata, MetadataRequest(None), version)) == {"orders": 0, "quiet": 0}
        assert told(story.ask(metadata, MetadataRequest([]), version)) == {}
    assert told(story.ask(metadata, MetadataRequest([]), 0)) == {"orders": 0, "quiet": 0}


def test_broker_has_the_address_that_the_client_used(story: ClusterStory) -> None:
    response = ask(story, 12)
    assert [(b.node_id, b.host, b.port, b.rack) for b in response.brokers] == [
        (1, "broker.test", 19092, None)
    ]
    assert (response.cluster_id, response.controller_id) == ("cluster-id", 1)


def test_partition_has_leader_epoch_and_replicas(story: ClusterStory) -> None:
    story.store(story.cluster.leader_epoch_records([("orders", 1)]))
    first, second = ask(story, 12, "orders").topics[0].partitions
    assert (first.partition_index, first.leader_id, first.leader_epoch) == (0, 1, 0)
    assert (second.partition_index, second.leader_id, second.leader_epoch) == (1, 1, 1)
    assert (second.replica_nodes, second.isr_nodes, second.offline_replicas) == ([1], [1], [])


def test_a_cached_response_is_rebuilt_when_the_topic_changes(story: ClusterStory) -> None:
    assert ask(story, 9, "orders").topics[0].partitions[0].leader_epoch == 0
    story.store(story.cluster.leader_epoch_records([("orders", 0)]))
    assert ask(story, 9, "orders").topics[0].partitions[0].leader_epoch == 1


def bodies(story: ClusterStory, version: int = 13, **fields: bool) -> dict[int, bytes] | None:
    """Return the cache of encoded responses that comes with all topics."""
    request = MetadataRequest(None, **fields)
    decided = finished(metadata(story.cluster, story.context(version), request))
    assert isinstance(decided, Decision)
    return decided.bodies


def test_response_with_all_topics_is_encoded_once_until_topics_change(story: ClusterStory) -> None:
    for change in (
        lambda: story.create("new"),
        lambda: story.store(story.cluster.leader_epoch_records([("orders", 0)])),
        lambda: story.store([Record(None, RemoveTopicRecord(story.cluster.topics["new"].topic_id))]),
    ):
        first = bodies(story)
        assert first is not None and first is bodies(story) is bodies(story, 9)
        change()
        assert bodies(story) is not first


def test_response_with_all_topics_is_encoded_anew_for_other_fields_and_clients(story: ClusterStory) -> None:
    first = bodies(story)
    assert bodies(story, include_topic_authorized_operations=True) is not first
    first = bodies(story)
    assert bodies(story, include_cluster_authorized_operations=True) is not first
    assert bodies(story, 14) is None, "it depends on the time"
    story.allowed = lambda operation, kind, name: True
    assert bodies(story) is None, "it depends on the client's rights"


def test_version_14_has_the_age_of_partitions(story: ClusterStory) -> None:
    story.wall_ms = START_MS + 1234
    assert [p.partition_age_ms for p in ask(story, 14, "orders").topics[0].partitions] == [1234, 1234]
    story.wall_ms = START_MS + 2000
    assert [p.partition_age_ms for p in ask(story, 14, "orders").topics[0].partitions] == [2000, 2000]
    story.wall_ms = START_MS - 5
    assert [p.partition_age_ms for p in ask(story, 14, "orders").topics[0].partitions] == [0, 0]
    assert [p.partition_age_ms for p in ask(story, 13, "orders").topics[0].partitions] == [-1, -1]


def test_the_age_of_a_partition_that_kafka_created_is_unknown(story: ClusterStory) -> None:
    record = next(record.value for record in story.log if isinstance(record.value, PartitionRecord))
    record.creation_time_ms = -1
    cluster = story.restarted()
    story.cluster = cluster
    assert ask(story, 14, "orders").topics[0].partitions[0].partition_age_ms == -1


@pytest.mark.parametrize("name", ["bad/n", "x_y", "__cluster_metadata"])
def test_a_topic_with_an_invalid_name_is_not_created(story: ClusterStory, name: str) -> None:
    story.create("x.y")
    ask(story, 9, name, create=True)
    assert name not in story.cluster.topics


@pytest.mark.parametrize("name", ["orders", "__consumer_offsets", "__share_group_state"])
def test_no_topic_is_created_while_all_brokers_are_fenced(name: str) -> None:
    story = ClusterStory()
    story.cluster.set_nodes(dict.fromkeys((1, 2, 3)))
    story.store([Record(None, RegisterBrokerRecord(broker_id=each, fenced=True)) for each in (1, 2, 3)])
    assert told(ask(story, 9, name, create=True)) == {name: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
    assert not story.cluster.topics
    assert not story.effects


def test_transactions_topic_is_created_with_its_settings_and_effect(story: ClusterStory) -> None:
    response = ask(story, 9, "__transaction_state", create=True)
    assert response.topics[0].is_internal
    assert story.effects == [TransactionsTopicCreated(1)]
    assert story.cluster.topics["__transaction_state"].configs["compression.type"] == "uncompressed"


def test_share_state_topic_is_created_with_its_settings_and_effect(story: ClusterStory) -> None:
    response = ask(story, 9, "__share_group_state", create=True)
    assert response.topics[0].is_internal
    assert story.effects == [ShareStateTopicCreated(1)]
    assert story.cluster.topics["__share_group_state"].configs["retention.ms"] == "-1"


def test_offsets_topic_is_created_with_its_settings_and_effect(story: ClusterStory) -> None:
    response = ask(story, 9, "__consumer_offsets", create=True)
    assert response.topics[0].is_internal
    assert story.effects == [OffsetsTopicCreated(1)]
    assert story.cluster.topics["__consumer_offsets"].configs == {
        "compression.type": "producer",
        "cleanup.policy": "compact",
        "segment.bytes": "104857600",
    }


def test_topics_by_id(story: ClusterStory) -> None:
    topic_id = story.cluster.topics["orders"].topic_id
    response = ask(story, 12, topic_id, topic_id, UNKNOWN_ID)
    assert [(t.error_code, t.name, t.topic_id) for t in response.topics] == [
        (0, "orders", topic_id),
        (100, None, UNKNOWN_ID),
    ]


def test_ids_before_version_12_refuse_every_topic(story: ClusterStory) -> None:
    topic_id = story.cluster.topics["orders"].topic_id
    response = ask(story, 10, topic_id, "quiet")
    assert [(t.error_code, t.name, t.topic_id) for t in response.topics] == [
        (42, "", topic_id),
        (42, "quiet", ZERO_UUID),
    ]
    assert (response.brokers, response.cluster_id, response.controller_id) == ([], None, -1)


def test_hidden_topic_is_refused_by_name_and_missing_from_all(story: ClusterStory) -> None:
    story.allowed = lambda operation, kind, name: kind != ResourceType.TOPIC or name != "orders"
    assert told(story.ask(metadata, MetadataRequest(None), 9)) == {"quiet": 0}
    topic_id = story.cluster.topics["orders"].topic_id
    refused = ask(story, 12, "orders").topics[0]
    assert (refused.error_code, refused.name, refused.topic_id) == (29, "orders", ZERO_UUID)
    refused = ask(story, 12, topic_id).topics[0]
    assert (refused.error_code, refused.name, refused.topic_id) == (29, None, topic_id)


def test_without_the_right_to_create_no_topic_is_created(story: ClusterStory) -> None:
    story.allowed = lambda operation, kind, name: operation != Operation.CREATE
    assert told(ask(story, 9, "fresh", create=True)) == {"fresh": 29}
    assert told(ask(story, 9, "fresh", create=False)) == {"fresh": 3}
    assert "fresh" not in story.cluster.topics
