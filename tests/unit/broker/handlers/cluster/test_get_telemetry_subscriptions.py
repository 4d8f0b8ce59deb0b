"""The expected responses are those of Apache Kafka 4.3.1; tests/conformance/cases/telemetry.py has more."""

from __future__ import annotations

from tests.unit.broker.cluster_story import ClusterStory
from tidemark.handlers.cluster.get_telemetry_subscriptions import (
    PUSH_INTERVAL_MS,
    get_telemetry_subscriptions,
)
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.get_telemetry_subscriptions import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
)


def subscribe(story: ClusterStory, client: bytes) -> GetTelemetrySubscriptionsResponse:
    request = GetTelemetrySubscriptionsRequest(client)
    response: GetTelemetrySubscriptionsResponse = story.ask(get_telemetry_subscriptions, request, 0)
    return response


def test_new_client_gets_an_id_and_no_metrics() -> None:
    story = ClusterStory()
    first, second = subscribe(story, bytes(16)), subscribe(story, bytes(16))
    assert any(first.client_instance_id)
    assert first.client_instance_id != second.client_instance_id
    assert first.requested_metrics == []


def test_client_that_asks_too_soon_is_throttled() -> None:
    story = ClusterStory()
    client = subscribe(story, bytes(16)).client_instance_id
    assert subscribe(story, client).error_code == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    story.wall_ms += PUSH_INTERVAL_MS
    assert subscribe(story, client).error_code == ErrorCode.NONE
