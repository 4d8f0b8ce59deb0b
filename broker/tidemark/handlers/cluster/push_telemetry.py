"""PushTelemetry: checks the metrics of a client, and drops them (KIP-714).

ApiVersions does not list it, as in Kafka without a plugin for metrics, so that no client sends it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from tidemark.core.context import Context
from tidemark.core.decision import Decision
from tidemark.handlers.cluster.get_telemetry_subscriptions import (
    COMPRESSIONS,
    TELEMETRY_BYTES_MAX,
    TelemetryClient,
    client_of,
    subscription_id,
)
from tidemark.handlers.routes import command
from tidemark.metadata.state import Cluster
from tidemark_protocol.compression import CompressionError, TooLarge, decompress
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.push_telemetry import PushTelemetryRequest, PushTelemetryResponse

RESERVED_IDS: Final = (bytes(16), bytes(15) + b"\1")
UNCOMPRESSED: Final = 0
_SUBSCRIBE_AGAIN: Final = (ErrorCode.UNKNOWN_SUBSCRIPTION_ID, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)


@command(PushTelemetryRequest, state=Cluster, versions=range(0, 1))
def push_telemetry(cluster: Cluster, ctx: Context, request: PushTelemetryRequest) -> Decision[Any]:
    client_id = request.client_instance_id
    if client_id in RESERVED_IDS:
        return Decision(PushTelemetryResponse(0, ErrorCode.INVALID_REQUEST))
    client = client_of(cluster, client_id)
    code = _code(client, ctx.wall_ms, request)
    after = TelemetryClient(
        client.asked_ms,
        client.pushed_ms if client.terminating else ctx.wall_ms,
        code in _SUBSCRIBE_AGAIN,
        client.terminating or request.terminating,
    )
    return Decision(
        PushTelemetryResponse(0, code), after=(partial(cluster.telemetry_client_seen, client_id, after),)
    )


def _code(client: TelemetryClient, now_ms: int, request: PushTelemetryRequest) -> ErrorCode:
    if client.terminating:
        return ErrorCode.INVALID_REQUEST
    # Clients add jitter to the interval: a push may follow its subscription at once.
    in_time = client.asked_ms > client.pushed_ms or client.is_due(now_ms)
    if not in_time and not request.terminating:
        return ErrorCode.THROTTLING_QUOTA_EXCEEDED
    if request.subscription_id != subscription_id(request.client_instance_id):
        return ErrorCode.UNKNOWN_SUBSCRIPTION_ID
    compression = request.compression_type
    if compression not in (UNCOMPRESSED, *COMPRESSIONS):
        return ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    if len(request.metrics) > TELEMETRY_BYTES_MAX:
        return ErrorCode.TELEMETRY_TOO_LARGE
    if compression != UNCOMPRESSED and request.metrics:
        try:
            decompress(compression, request.metrics, TELEMETRY_BYTES_MAX)
        except TooLarge:
            pass  # they are dropped anyway
        except CompressionError:
            return ErrorCode.INVALID_RECORD
    return ErrorCode.NONE
