"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tidemark.core.context import Operation
from tidemark.handlers.cluster.add_raft_voter import add_raft_voter
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.add_raft_voter import AddRaftVoterRequest, Listener

DIRECTORY = bytes(range(16))


def test_quorum_of_one_node_cannot_grow() -> None:
    listeners = [Listener("controller", "127.0.0.1", 9093)]
    request = AddRaftVoterRequest("cluster-id", 1000, 2, DIRECTORY, listeners)
    response = ClusterStory().ask(add_raft_voter, request, 1)
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION


def test_client_without_alter_on_the_cluster_is_refused() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, *_: operation != Operation.ALTER
    with pytest.raises(KafkaError) as refused:
        story.ask(add_raft_voter, AddRaftVoterRequest(), 1)
    assert refused.value.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
