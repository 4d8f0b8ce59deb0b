"""Decode records of `__share_group_state`, row by row, as the columns of schemas.SHARE_STATE."""

from __future__ import annotations

from typing import Any, Final

from tidemark_protocol.kafka_json import uuid_text
from tidemark_protocol.records.share_snapshot import ShareSnapshotKey, ShareSnapshotValue
from tidemark_protocol.records.share_update import ShareUpdateKey
from tidemark_protocol.stored_share_state import decode_share_state

Row = dict[str, Any]

SHARE_STATE_KEYS: Final = range(ShareSnapshotKey.API_KEY, ShareUpdateKey.API_KEY + 1)
RECORD_TYPES: Final = {ShareSnapshotKey.API_KEY: "ShareSnapshot", ShareUpdateKey.API_KEY: "ShareUpdate"}
STATES: Final = {0: "available", 1: "acquired", 2: "acknowledged", 3: "archiving", 4: "archived"}


def share_state_row(key: bytes, value: bytes | None) -> Row:
    """Return the fields of key and value; a missing column is null. Raises WireError."""
    named, state = decode_share_state(key, value)
    row: Row = {
        "record_type": RECORD_TYPES[named.API_KEY],
        "group": named.group_id,
        "topic_id": uuid_text(named.topic_id),
        "partition": named.partition,
        "tombstone": state is None,
    }
    if state is None:
        return row
    row |= {
        "snapshot_epoch": state.snapshot_epoch,
        "leader_epoch": _unless_absent(state.leader_epoch),
        "start_offset": _unless_absent(state.start_offset),
        "delivery_complete_count": _unless_absent(state.delivery_complete_count),
        "batches": [
            {
                "first_offset": batch.first_offset,
                "last_offset": batch.last_offset,
                "state": STATES.get(batch.delivery_state, str(batch.delivery_state)),
                "delivery_count": batch.delivery_count,
            }
            for batch in state.state_batches
        ],
    }
    if isinstance(state, ShareSnapshotValue):
        row |= {
            "state_epoch": state.state_epoch,
            "create_timestamp_ms": state.create_timestamp,
            "write_timestamp_ms": state.write_timestamp,
        }
    return row


def _unless_absent(number: int) -> int | None:
    return None if number == -1 else number
