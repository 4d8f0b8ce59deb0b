from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import interrupted
from tidemark.core.context import Operation
from tidemark.core.decision import Record
from tidemark.handlers.cluster.unregister_broker import unregister_broker
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.unregister_broker import UnregisterBrokerRequest
from tidemark_protocol.records.register_broker_record import RegisterBrokerRecord
from tidemark_protocol.records.unregister_broker_record import UnregisterBrokerRecord


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


def two_brokers() -> ClusterStory:
    """Return a cluster whose second broker leads a partition."""
    story = ClusterStory()
    story.cluster.set_nodes({1: None, 2: None})
    story.store([Record(None, RegisterBrokerRecord(broker_id=2, broker_epoch=7, fenced=False))])
    assert not story.create("orders", -1, -1, assignments=[(0, [2, 1])]).error_message
    return story


def test_topic_that_is_created_during_a_pause_gets_another_leader() -> None:
    story = two_brokers()
    interrupted(
        unregister_broker(story.cluster, story.context(0), UnregisterBrokerRequest(2)),
        0,
        story.accept,
        lambda: story.create("payments", -1, -1, assignments=[(0, [2, 1])]),
    )
    assert [*story.cluster.brokers] == [1]
    for name in ("orders", "payments"):
        (partition,) = story.cluster.topics[name].partitions
        assert (partition.leader, partition.isr) == (1, [1])


def test_broker_is_unregistered_once_by_two_requests() -> None:
    """A controller of Kafka cannot replay a record that unregisters an unknown broker."""
    story = two_brokers()
    request = UnregisterBrokerRequest(2)
    second = interrupted(
        unregister_broker(story.cluster, story.context(0), request),
        0,
        story.accept,
        lambda: story.ask(unregister_broker, request, 0),
    )
    assert second.response.error_code == ErrorCode.BROKER_ID_NOT_REGISTERED
    assert sum(isinstance(each.value, UnregisterBrokerRecord) for each in story.log) == 1
