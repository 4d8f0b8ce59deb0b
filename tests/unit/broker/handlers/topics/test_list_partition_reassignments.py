from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tidemark.handlers.topics.list_partition_reassignments import list_partition_reassignments
from tidemark_protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
    OngoingPartitionReassignment,
)


def test_no_reassignment_is_in_progress() -> None:
    response = ClusterStory().ask(list_partition_reassignments, ListPartitionReassignmentsRequest(), 0)
    assert (response.error_code, response.error_message, response.topics) == (0, None, [])


@pytest.mark.parametrize("indexes", [None, [], [0, 7]])
def test_client_that_may_not_describe_the_cluster_gets_its_partitions_without_replicas(
    indexes: list[int] | None,
) -> None:
    story = ClusterStory()
    story.allowed = lambda operation, kind, name: False
    named = None if indexes is None else [ListPartitionReassignmentsTopics("foo", indexes)]
    response = story.response(
        list_partition_reassignments, ListPartitionReassignmentsRequest(topics=named), 0
    )
    assert (response.error_code, response.error_message) == (31, "Cluster authorization failed.")
    assert [(topic.name, topic.partitions) for topic in response.topics] == (
        [] if indexes is None else [("foo", [OngoingPartitionReassignment(index) for index in indexes])]
    )
