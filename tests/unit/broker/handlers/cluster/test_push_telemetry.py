"""The expected responses are those of Apache Kafka 4.3.1; tests/conformance/cases/telemetry.py has more."""

from __future__ import annotations

from tests.unit.broker.cluster_story import ClusterStory
from tidemark.handlers.cluster.get_telemetry_subscriptions import (
    PUSH_INTERVAL_MS,
    get_telemetry_subscriptions,
)
from tidemark.handlers.cluster.push_telemetry import push_telemetry
from tidemark.metadata.state import TELEMETRY_CLIENTS_MAX
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.get_telemetry_subscriptions import GetTelemetrySubscriptionsRequest
from tidemark_protocol.messages.push_telemetry import PushTelemetryRequest

CLIENT = bytes(range(16))


def subscribe(story: ClusterStory) -> int:
    request = GetTelemetrySubscriptionsRequest(CLIENT)
    response = story.ask(get_telemetry_subscriptions, request, 0)
    assert response.error_code == ErrorCode.NONE
    subscription: int = response.subscription_id
    return subscription


def push(story: ClusterStory, subscription: int, client: bytes = CLIENT) -> int:
    code: int = story.ask(push_telemetry, PushTelemetryRequest(client, subscription), 0).error_code
    return code


def test_push_is_accepted_after_each_interval() -> None:
    story = ClusterStory()
    subscription = subscribe(story)
    assert push(story, subscription) == ErrorCode.NONE
    story.wall_ms += PUSH_INTERVAL_MS - 1
    assert push(story, subscription) == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    story.wall_ms += PUSH_INTERVAL_MS
    assert push(story, subscription) == ErrorCode.NONE


def test_client_with_an_unknown_subscription_may_subscribe_again_at_once() -> None:
    story = ClusterStory()
    subscription = subscribe(story)
    assert push(story, subscription + 1) == ErrorCode.UNKNOWN_SUBSCRIPTION_ID
    assert subscribe(story) == subscription


def test_number_of_remembered_clients_is_bounded() -> None:
    story = ClusterStory()
    for number in range(TELEMETRY_CLIENTS_MAX + 5):
        push(story, 1, client=(number + 2).to_bytes(16, "big"))
    assert len(story.cluster.telemetry_clients) == TELEMETRY_CLIENTS_MAX
