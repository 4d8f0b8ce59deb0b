"""GetTelemetrySubscriptions: the metrics that a client should push, which are none (KIP-714).

ApiVersions does not list it, as in Kafka without a plugin for metrics, so that no client sends it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple
from uuid import UUID

from tidemark.core.context import Context
from tidemark.core.decision import Decision
from tidemark.core.java import uuid_hash
from tidemark.handlers.routes import command
from tidemark.metadata.state import Cluster
from tidemark_protocol.checksum import crc32c
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.get_telemetry_subscriptions import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
)

PUSH_INTERVAL_MS: Final = 300_000
TELEMETRY_BYTES_MAX: Final = 1024 * 1024  # telemetry.max.bytes
COMPRESSIONS: Final = (4, 3, 1, 2)  # zstd, lz4, gzip, snappy, in Kafka's order of preference
_CHECKSUM: Final = crc32c(f"[]{PUSH_INTERVAL_MS}".encode())  # of the metrics and of the interval
_SIGN: Final = 1 << 31


class TelemetryClient(NamedTuple):
    """A client instance: the wall times of its last requests, and what became of them.

    may_ask_again: its last push was refused in a way that a new subscription fixes
    """

    asked_ms: int = 0
    pushed_ms: int = 0
    may_ask_again: bool = False
    terminating: bool = False

    def is_due(self, now_ms: int) -> bool:
        """Return whether the interval has passed since the last request."""
        return now_ms - max(self.asked_ms, self.pushed_ms) >= PUSH_INTERVAL_MS


def client_of(cluster: Cluster, client_id: bytes) -> TelemetryClient:
    found: TelemetryClient = cluster.telemetry_clients.get(client_id, TelemetryClient())
    return found


def subscription_id(client_id: bytes) -> int:
    """Return the number of the subscription to nothing, which differs between clients."""
    value = _CHECKSUM ^ uuid_hash(client_id)
    return (value ^ _SIGN) - _SIGN


@command(GetTelemetrySubscriptionsRequest, state=Cluster, versions=range(0, 1))
def get_telemetry_subscriptions(
    cluster: Cluster, ctx: Context, request: GetTelemetrySubscriptionsRequest
) -> Decision[Any]:
    client_id = request.client_instance_id
    if not any(client_id):
        client_id = UUID(ctx.new_id()).bytes
    client = client_of(cluster, client_id)
    due = client.is_due(ctx.wall_ms)
    if not due and not client.may_ask_again:
        return Decision(GetTelemetrySubscriptionsResponse(0, ErrorCode.THROTTLING_QUOTA_EXCEEDED))
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
    return Decision(response, after=(partial(cluster.telemetry_client_seen, client_id, client),))
