"""Encoding of the records of `__transaction_state`. Kafka: TransactionLog.

A record has an int16 version and the key, then an int16 version and the value. No other module of a start
needs this one: a broker without transactions does not pay for it.
"""

from __future__ import annotations

from typing import Final

from tidemark_protocol.records.transaction_log import TransactionLogKey, TransactionLogValue
from tidemark_protocol.stored import UnknownRecordType
from tidemark_protocol.wire import WireError

STATUSES: Final = range(8)  # Kafka's TransactionState
_KEY_VERSION: Final = (0).to_bytes(2, "big")
_VERSION_BYTES: Final = 2


def encode_transaction(
    key: TransactionLogKey, value: TransactionLogValue | None, version: int
) -> tuple[bytes, bytes | None]:
    """Return key and value as stored in the log. The value of a tombstone is None.

    version: of the value, 0 if the feature transaction.version is 0, else 1. Raises WireError.
    """
    key_bytes = bytearray(_KEY_VERSION)
    TransactionLogKey.ENCODERS[0](key_bytes, key)
    if value is None:
        return bytes(key_bytes), None
    value_bytes = bytearray(version.to_bytes(_VERSION_BYTES, "big"))
    TransactionLogValue.ENCODERS[version](value_bytes, value)
    return bytes(key_bytes), bytes(value_bytes)


def decode_transaction(
    key: bytes, value: bytes | None
) -> tuple[TransactionLogKey, TransactionLogValue | None]:
    """Return key and value as objects. A value of None is a tombstone.

    Raises UnknownRecordType for an unknown version of key or value, which Kafka skips, and WireError for
    anything else that cannot be read.
    """
    if key[:_VERSION_BYTES] != _KEY_VERSION:
        raise UnknownRecordType(f"record type {_version(key)}")
    decoded, _ = TransactionLogKey.DECODERS[0](key, _VERSION_BYTES, len(key))
    if value is None:
        return decoded, None
    decode = TransactionLogValue.DECODERS.get(_version(value))
    if decode is None:
        raise UnknownRecordType(f"{TransactionLogValue.NAME} version {_version(value)}")
    read, _ = decode(value, _VERSION_BYTES, len(value))
    if read.transaction_status not in STATUSES:
        raise WireError(f"unknown transaction status {read.transaction_status}")
    return decoded, read


def _version(data: bytes) -> int:
    if len(data) < _VERSION_BYTES:
        raise WireError(f"{len(data)} bytes where a version should be")
    return int.from_bytes(data[:_VERSION_BYTES], "big", signed=True)
