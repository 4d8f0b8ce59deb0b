"""Reads a log of coordinator records from its beginning, a million of them in about three seconds.

Nearly all records are offset commits, and these are similar. In records of the same length, the fields are
mostly at the same positions, and the keys name the same few groups and partitions. Other records are read
field by field. The result is the same as that of `batch.records` and `stored.decode_coordinator`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final, NamedTuple

from tidemark_protocol.batch import (
    APPEND_TIME,
    BatchError,
    BatchHeader,
    Buffer,
    record_bytes,
    skip_headers,
    varint,
    varlong,
)
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import UnknownRecordType, decode_coordinator
from tidemark_protocol.wire import java_long

NAMES_MAX: Final = 1_000_000  # size of the caches of group names and of partitions, which are then emptied

_TIMESTAMP_SAFE_MAX: Final = 2**62  # the sum of two smaller numbers does not overflow 64 bits
_OFFSET_KEY: Final = OffsetCommitKey.API_KEY.to_bytes(2, "big")
_VALUE_DECODERS: Final = {
    version.to_bytes(2, "big"): decode for version, decode in OffsetCommitValue.DECODERS.items()
}
# A value without metadata in the most frequent version, after its version: one comparison instead of four.
_PLAIN_VERSION: Final = (3).to_bytes(2, "big")
_PLAIN: Final = Struct(">qihq")


@dataclass(slots=True, frozen=True)
class OtherRecordKey:
    """The key of a record type that is not read: those of share groups, and of later releases.

    In Kafka, all of them begin with the group's name. data: the whole key, which identifies what a tombstone
    deletes.
    """

    record_type: int
    group_id: str
    data: bytes


class _Fields(NamedTuple):
    """One record, and the positions in the batch where its fields end."""

    timestamp_delta: int
    key: bytes | None
    value: bytes | None
    lead: int  # after the timestamp delta
    delta: int  # after the offset delta
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    end: int


class _Shape:
    """The positions of the fields of an offset commit. `unpack` returns its parts:

    lead        length, attributes, timestamp delta
    delta       offset delta
    key_lead    size and type of the key, size of the group id
    group       group id
    where       topic and partition
    value_lead  size and version of the value
    value       what follows the version
    headers     their count, which is 0
    """

    __slots__ = (
        "decode",
        "delta_bits",
        "delta_mask",
        "key_lead",
        "lead",
        "size",
        "timestamp_delta",
        "unpack",
        "value_bytes",
        "value_lead",
    )

    def __init__(self, data: bytes, pos: int, fields: _Fields, group_bytes: int) -> None:
        group_start = fields.key_start + 4
        value_start = fields.value_start + 2
        self.value_bytes = fields.value_end - value_start
        group_end = group_start + group_bytes
        parts = Struct(
            f"{fields.lead - pos}s{fields.delta - fields.lead}s{group_start - fields.delta}s"
            f"{group_bytes}s{fields.key_end - group_end}s"
            f"{value_start - fields.key_end}s{self.value_bytes}sB"
        )
        self.unpack = parts.unpack_from
        self.size = parts.size
        self.lead = data[pos : fields.lead]
        self.key_lead = data[fields.delta : group_start]
        self.value_lead = data[fields.key_end : value_start]
        self.timestamp_delta = fields.timestamp_delta
        version = self.value_lead[-2:]
        plain = version == _PLAIN_VERSION and self.value_bytes == _PLAIN.size
        self.decode = self._decode_plain if plain else _VALUE_DECODERS[version]
        # All bytes of a varint but the last have the high bit.
        self.delta_mask = int.from_bytes(b"\x80" * (fields.delta - fields.lead), "little")
        self.delta_bits = self.delta_mask >> 8

    @staticmethod
    def _decode_plain(value: bytes, pos: int, end: int) -> tuple[OffsetCommitValue, int]:
        offset, leader_epoch, metadata_bytes, commit_timestamp = _PLAIN.unpack(value)
        if metadata_bytes:
            return _VALUE_DECODERS[_PLAIN_VERSION](value, pos, end)
        return OffsetCommitValue(offset, leader_epoch, "", commit_timestamp), end


class CoordinatorLogReader:
    """Reads all batches of a log, and remembers the parts that they have in common.

    skipped: counts of record types that are not read. They are returned as an OtherRecordKey with the value's
    bytes, which identifies their group.
    """

    __slots__ = ("_groups", "_partitions", "_shapes", "skipped")

    def __init__(self) -> None:
        self.skipped: dict[str, int] = {}
        self._shapes: dict[bytes, _Shape] = {}  # by a record's first two bytes, usually its length
        self._groups: dict[bytes, str] = {}
        self._partitions: dict[bytes, tuple[str, int]] = {}

    def read(self, buf: Buffer, pos: int, header: BatchHeader) -> Iterator[tuple[Any, Any, int]]:
        """Yield key, value (None: a tombstone) and timestamp of each record of the batch at pos.

        Raises BatchError for an invalid batch, and WireError for a record that is not a coordinator's.
        """
        data = record_bytes(buf, pos, header)
        end = len(data)
        base_ms = header.base_timestamp
        appended_ms = header.max_timestamp if header.attributes & APPEND_TIME else None
        shapes = self._shapes if 0 <= base_ms < _TIMESTAMP_SAFE_MAX else {}
        group_of, partition_of = self._groups.get, self._partitions.get
        number = int.from_bytes
        at = 0
        for _ in range(header.count):
            shape = shapes.get(data[at : at + 2])
            if shape is not None and at + shape.size <= end:
                lead, delta, key_lead, name, where, value_lead, value, headers = shape.unpack(data, at)
                group, partition = group_of(name), partition_of(where)
                if (
                    group is not None
                    and partition is not None
                    and lead == shape.lead
                    and key_lead == shape.key_lead
                    and value_lead == shape.value_lead
                    and not headers
                    and number(delta, "little") & shape.delta_mask == shape.delta_bits
                ):
                    at += shape.size
                    yield (
                        OffsetCommitKey(group, partition[0], partition[1]),
                        shape.decode(value, 0, shape.value_bytes)[0],
                        base_ms + shape.timestamp_delta if appended_ms is None else appended_ms,
                    )
                    continue
            fields = _read_fields(data, at)
            decoded = self._decode(data, at, fields)
            at = fields.end
            if decoded is not None:
                timestamp_ms = java_long(base_ms + fields.timestamp_delta)
                yield *decoded, timestamp_ms if appended_ms is None else appended_ms
        if at != end:
            raise BatchError(f"{end - at} bytes follow the last record")

    def _decode(self, data: bytes, pos: int, fields: _Fields) -> tuple[Any, Any] | None:
        """Return key and value. None: the record is not a coordinator's, or names no group."""
        if fields.key is None:
            return None
        try:
            decoded = decode_coordinator(fields.key, fields.value)
        except UnknownRecordType as unknown:
            self.skipped[str(unknown)] = self.skipped.get(str(unknown), 0) + 1
            key = other_record_key(fields.key)
            return None if key is None else (key, fields.value)
        if decoded[1] is not None and fields.key[:2] == _OFFSET_KEY:
            self._remember(data, pos, fields, decoded[0])
        return decoded

    def _remember(self, data: bytes, pos: int, fields: _Fields, key: OffsetCommitKey) -> None:
        """The shape of an offset commit, and the names in its key."""
        assert fields.key is not None
        if max(len(self._groups), len(self._partitions)) >= NAMES_MAX:
            self._groups.clear()
            self._partitions.clear()
        group_bytes = fields.key[2] << 8 | fields.key[3]
        self._groups[fields.key[4 : 4 + group_bytes]] = key.group
        self._partitions[fields.key[4 + group_bytes :]] = (key.topic, key.partition)
        if 0 <= fields.timestamp_delta < _TIMESTAMP_SAFE_MAX and fields.end == fields.value_end + 1:
            self._shapes[data[pos : pos + 2]] = _Shape(data, pos, fields, group_bytes)


def other_record_key(key: bytes) -> OtherRecordKey | None:
    """Return the key. None: it does not begin like the key of a group."""
    size = int.from_bytes(key[2:4], "big", signed=True)
    name = key[4 : 4 + size]
    if len(key) < 4 or size < 0 or len(name) != size:
        return None
    try:
        return OtherRecordKey(int.from_bytes(key[:2], "big", signed=True), name.decode(), bytes(key))
    except UnicodeDecodeError:
        return None


def _read_fields(data: bytes, pos: int) -> _Fields:
    try:
        length, start = varint(data, pos)
        stored_delta, lead = varlong(data, start + 1)  # after the attributes, none of which are defined
        _, delta = varint(data, lead)
        key, key_start, key_end = _read_bytes(data, delta)
        value, value_start, value_end = _read_bytes(data, key_end)
        end = start + (length >> 1)
        if length & 1 or skip_headers(data, value_end, end) != end or end > len(data):
            raise BatchError("a record's length and its content differ")
    except IndexError:
        raise BatchError("the records end early") from None
    timestamp_delta = (stored_delta >> 1) ^ -(stored_delta & 1)
    return _Fields(timestamp_delta, key, value, lead, delta, key_start, key_end, value_start, value_end, end)


def _read_bytes(data: bytes, pos: int) -> tuple[bytes | None, int, int]:
    """Return the bytes, or None for null, with their start and end."""
    size, start = varint(data, pos)
    if size & 1:
        if size != 1:
            raise BatchError("a length is negative")
        return None, start, start
    end = start + (size >> 1)
    return data[start:end], start, end
