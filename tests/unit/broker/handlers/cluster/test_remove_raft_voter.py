"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tidemark.core.context import Operation
from tidemark.handlers.cluster.remove_raft_voter import remove_raft_voter
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.remove_raft_voter import RemoveRaftVoterRequest


def test_quorum_of_one_node_cannot_shrink() -> None:
    request = RemoveRaftVoterRequest("cluster-id", 1, bytes(range(16)))
    assert ClusterStory().ask(remove_raft_voter, request, 0).error_code == ErrorCode.UNSUPPORTED_VERSION


def test_client_without_alter_on_the_cluster_is_refused() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, *_: operation != Operation.ALTER
    with pytest.raises(KafkaError) as refused:
        story.ask(remove_raft_voter, RemoveRaftVoterRequest(), 0)
    assert refused.value.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
