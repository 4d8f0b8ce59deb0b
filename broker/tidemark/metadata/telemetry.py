"""Clients that want to push metrics (KIP-714), and their last requests. Kafka: `ClientMetricsManager`.

Nothing is subscribed: a broker without a plugin for metrics has no use for them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tidemark.core.java import uuid_hash
from tidemark.metadata.state import Cluster
from tidemark_protocol.checksum import crc32c

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
