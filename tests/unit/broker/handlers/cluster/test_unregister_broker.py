from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tidemark.core.context import Operation
from tidemark.core.decision import Record
from tidemark.handlers.cluster.unregister_broker import unregister_broker
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.unregister_broker import UnregisterBrokerRequest
from tidemark_protocol.records.register_broker_record import RegisterBrokerRecord


def test_broker_that_has_left_is_unregistered_after_a_restart_too() -> None:
    story = ClusterStory()
    story.store([Record(None, RegisterBrokerRecord(broker_id=2, broker_epoch=7))])
    response = story.ask(unregister_broker, UnregisterBrokerRequest(2), 0)
    assert (response.error_code, response.error_message) == (ErrorCode.NONE, "")
    assert list(story.restarted().brokers) == [1]


def test_running_broker_cannot_be_unregistered() -> None:
    """Kafka does it, and the node serves no partition until it is restarted."""
    story = ClusterStory()
    response = story.ask(unregister_broker, UnregisterBrokerRequest(1), 0)
    assert response.error_code == ErrorCode.INVALID_REQUEST
    assert response.error_message == (
        "Broker 1 is running. Only a broker that has been stopped can be unregistered."
    )
    assert list(story.cluster.brokers) == [1]


def test_client_without_alter_on_the_cluster_is_refused() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, *_: operation != Operation.ALTER
    with pytest.raises(KafkaError) as refused:
        story.ask(unregister_broker, UnregisterBrokerRequest(2), 0)
    assert refused.value.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
