"""GetTelemetrySubscriptions: the metrics that a client should push, which are none (KIP-714).

ApiVersions does not list it, as in Kafka without a plugin for metrics, so that no client sends it.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from tidemark.core.context import Context
from tidemark.core.result import Result
from tidemark.handlers.routes import command
from tidemark.metadata.state import Cluster
from tidemark.metadata.telemetry import (
    COMPRESSIONS,
    PUSH_INTERVAL_MS,
    TELEMETRY_BYTES_MAX,
    client_of,
    subscription_id,
)
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.get_telemetry_subscriptions import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
)


@command(GetTelemetrySubscriptionsRequest, state=Cluster, versions=range(0, 1))
def get_telemetry_subscriptions(
    cluster: Cluster, ctx: Context, request: GetTelemetrySubscriptionsRequest
) -> Result[Any]:
    client_id = request.client_instance_id
    if not any(client_id):
        client_id = UUID(ctx.new_id()).bytes
    client = client_of(cluster, client_id)
    due = client.is_due(ctx.wall_ms)
    if not due and not client.may_ask_again:
        return Result(GetTelemetrySubscriptionsResponse(0, ErrorCode.THROTTLING_QUOTA_EXCEEDED))
    response = GetTelemetrySubscriptionsResponse(
        client_instance_id=client_id,
        subscription_id=subscription_id(client_id),
        accepted_compression_types=list(COMPRESSIONS),
        push_interval_ms=PUSH_INTERVAL_MS,
        telemetry_max_bytes=TELEMETRY_BYTES_MAX,
        delta_temporality=True,
    )
    asked_ms = ctx.wall_ms if due else client.asked_ms
    client = client._replace(asked_ms=asked_ms, may_ask_again=False)
    return Result(response, after=(partial(cluster.telemetry_client_seen, client_id, client),))
