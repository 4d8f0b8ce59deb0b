from __future__ import annotations

from tests.broker.cluster_story import ClusterStory
from tidemark.handlers.topics.list_partition_reassignments import list_partition_reassignments
from tidemark_protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest


def test_no_reassignment_is_ever_in_progress() -> None:
    response = ClusterStory().ask(list_partition_reassignments, ListPartitionReassignmentsRequest(), 0)
    assert (response.error_code, response.error_message, response.topics) == (0, None, [])


def test_client_that_may_not_describe_the_cluster_is_refused() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, kind, name: False
    assert story.ask(list_partition_reassignments, ListPartitionReassignmentsRequest(), 0).error_code == 31
