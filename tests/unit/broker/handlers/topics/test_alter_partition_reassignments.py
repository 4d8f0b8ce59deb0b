"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import error_response
from tidemark.core.context import Operation
from tidemark.core.decision import Record
from tidemark.handlers.topics.alter_partition_reassignments import (
    alter_partition_reassignments,
)
from tidemark.metadata.model import DIRECTORY_LOST, NO_LEADER
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord


def moving(topic: str, index: int, brokers: list[int] | None) -> AlterPartitionReassignmentsRequest:
    partition = ReassignablePartition(index, brokers)
    return AlterPartitionReassignmentsRequest(topics=[ReassignableTopic(topic, [partition])])


def test_reassignment_to_this_node_changes_nothing() -> None:
    story = ClusterStory()
    story.create("orders")
    before = len(story.log)
    (topic,) = story.ask(alter_partition_reassignments, moving("orders", 0, [1]), 1).responses
    assert [each.error_code for each in topic.partitions] == [ErrorCode.NONE]
    assert len(story.log) == before


def test_partition_whose_log_is_not_here_cannot_be_assigned() -> None:
    story = ClusterStory()
    story.create("orders")
    topic_id = story.cluster.topics["orders"].topic_id
    lost = PartitionChangeRecord(0, topic_id, leader=NO_LEADER, directories=[DIRECTORY_LOST])
    story.store([Record(None, lost)])
    (topic,) = story.ask(alter_partition_reassignments, moving("orders", 0, [1]), 1).responses
    assert [(each.error_code, each.error_message) for each in topic.partitions] == [
        (ErrorCode.INVALID_REPLICA_ASSIGNMENT, "The log of partition orders-0 is not on this node.")
    ]


def test_client_without_alter_on_the_cluster_is_refused_for_each_partition() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, *_: operation != Operation.ALTER
    request = moving("orders", 0, [1])
    with pytest.raises(KafkaError) as refused:
        story.ask(alter_partition_reassignments, request, 1)
    response = error_response(request, refused.value.code)
    code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert (response.error_code, response.error_message) == (code, code.text)
    assert [(each.error_code, each.error_message) for each in response.responses[0].partitions] == [
        (code, code.text)
    ]
