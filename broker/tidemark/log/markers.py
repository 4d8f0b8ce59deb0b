"""The control batch that ends a transaction in a log."""

from __future__ import annotations

from typing import Final

from tidemark.core.decision import Marker
from tidemark_protocol.batch import ControlType, build_control_batch

END_TXN_MARKER_VERSION: Final = b"\0\0"  # Kafka: EndTransactionMarker, which writes version 0


def marker_batch(marker: Marker, now_ms: int, *, append_time: bool = False) -> bytes:
    """Return the control batch of a marker. Kafka: MemoryRecords.withEndTransactionMarker."""
    return build_control_batch(
        ControlType.COMMIT if marker.committed else ControlType.ABORT,
        END_TXN_MARKER_VERSION + marker.coordinator_epoch.to_bytes(4, "big", signed=True),
        now_ms,
        producer_id=marker.producer_id,
        producer_epoch=marker.producer_epoch,
        append_time=append_time,
    )
