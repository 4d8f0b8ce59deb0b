"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import finished
from tidemark.core.context import Operation
from tidemark.core.decision import Record
from tidemark.handlers.topics.delete_topics import delete_topics
from tidemark.handlers.topics.elect_leaders import PREFERRED, UNCLEAN, elect_leaders
from tidemark.metadata.model import DIRECTORY_LOST, NO_LEADER
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    PartitionResult,
    ReplicaElectionResult,
    TopicPartitions,
)
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord

NOT_NEEDED = ErrorCode.ELECTION_NOT_NEEDED


def with_a_lost_partition() -> ClusterStory:
    """A directory of Kafka's may lack the log of a partition. Partition 1 is such a one."""
    story = ClusterStory()
    story.create("orders", partitions=2)
    topic_id = story.cluster.topics["orders"].topic_id
    lost = PartitionChangeRecord(1, topic_id, leader=NO_LEADER, directories=[DIRECTORY_LOST])
    story.store([Record(None, lost)])
    return story


def elect(story: ClusterStory, kind: int, topics: dict[str, list[int]] | None) -> list[ReplicaElectionResult]:
    named = None if topics is None else [TopicPartitions(*item) for item in topics.items()]
    results: list[ReplicaElectionResult] = story.ask(
        elect_leaders, ElectLeadersRequest(kind, named), 2
    ).replica_election_results
    return results


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (PREFERRED, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE),
        (UNCLEAN, ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE),
    ],
)
def test_partition_whose_log_is_not_here_gets_no_leader(kind: int, code: ErrorCode) -> None:
    story = with_a_lost_partition()
    lost = PartitionResult(1, code, code.text)
    assert elect(story, kind, {"orders": [0, 1]}) == [
        ReplicaElectionResult("orders", [PartitionResult(0, NOT_NEEDED, NOT_NEEDED.text), lost])
    ]
    assert elect(story, kind, None) == [ReplicaElectionResult("orders", [lost])]


@pytest.mark.parametrize("change", ["create", "delete"])
def test_list_of_all_topics_is_that_of_the_first_step(change: str) -> None:
    story = ClusterStory()
    story.create("orders")
    story.create("payments")
    steps = elect_leaders(story.cluster, story.context(2), ElectLeadersRequest(PREFERRED, None))
    next(steps)
    if change == "create":
        story.create("refunds")
    else:
        request = DeleteTopicsRequest(topic_names=["payments"], timeout_ms=1_000)
        story.ask(delete_topics, request, 5)
    listed = finished(steps).response.replica_election_results
    assert [each.topic for each in listed] == ["orders", "payments"]


def test_client_without_alter_on_the_cluster_is_refused() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, *_: operation != Operation.ALTER
    with pytest.raises(KafkaError) as refused:
        elect(story, PREFERRED, {})
    assert refused.value.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
