"""Encoding of the records of `__share_group_state`. Kafka: ShareCoordinatorRecordSerde.

A record has an int16 type (0: snapshot, 1: update) and the key, then an int16 version and the value. No other
module of a start needs this one: a broker without share groups does not pay for it.
"""

from __future__ import annotations

from typing import Any, Final

from tidemark_protocol.records.share_snapshot import ShareSnapshotKey, ShareSnapshotValue
from tidemark_protocol.records.share_update import ShareUpdateKey, ShareUpdateValue
from tidemark_protocol.stored import UnknownRecordType
from tidemark_protocol.wire import WireError

_PREFIX_BYTES: Final = 2
_VALUE_VERSION: Final = 0
_RECORDS: Final[dict[int, tuple[Any, Any]]] = {
    ShareSnapshotKey.API_KEY: (ShareSnapshotKey, ShareSnapshotValue),
    ShareUpdateKey.API_KEY: (ShareUpdateKey, ShareUpdateValue),
}


def encode_share_state(
    key: ShareSnapshotKey | ShareUpdateKey, value: ShareSnapshotValue | ShareUpdateValue | None
) -> tuple[bytes, bytes | None]:
    """Return key and value as stored in the log. The value of a tombstone is None. Raises WireError."""
    key_bytes = bytearray(key.API_KEY.to_bytes(_PREFIX_BYTES, "big"))
    key.ENCODERS[0](key_bytes, key)
    if value is None:
        return bytes(key_bytes), None
    value_bytes = bytearray(_VALUE_VERSION.to_bytes(_PREFIX_BYTES, "big"))
    value.ENCODERS[_VALUE_VERSION](value_bytes, value)
    return bytes(key_bytes), bytes(value_bytes)


def decode_share_state(
    key: bytes, value: bytes | None
) -> tuple[ShareSnapshotKey | ShareUpdateKey, ShareSnapshotValue | ShareUpdateValue | None]:
    """Return key and value as objects. A value of None is a tombstone.

    Raises UnknownRecordType for an unknown type of key or version of value, which Kafka skips, and WireError
    for anything else that cannot be read.
    """
    found = _RECORDS.get(_prefix(key))
    if found is None:
        raise UnknownRecordType(f"record type {_prefix(key)}")
    key_type, value_type = found
    decoded, _ = key_type.DECODERS[0](key, _PREFIX_BYTES, len(key))
    if value is None:
        return decoded, None
    decode = value_type.DECODERS.get(_prefix(value))
    if decode is None:
        raise UnknownRecordType(f"{value_type.NAME} version {_prefix(value)}")
    read, _ = decode(value, _PREFIX_BYTES, len(value))
    return decoded, read


def _prefix(data: bytes) -> int:
    if len(data) < _PREFIX_BYTES:
        raise WireError(f"{len(data)} bytes where a version should be")
    return int.from_bytes(data[:_PREFIX_BYTES], "big", signed=True)
