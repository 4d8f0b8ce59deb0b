"""Reads a log of coordinator records from its beginning.

Nearly all records are offset commits, and these are similar: many have the same layout. A `_Layout` finds
the end of a sequence of such records with one regular expression, and returns their fields with one `Struct`.
Other records are read field by field. The result is the same as that of `batch.records` and
`stored.decode_coordinator`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
from tidemark_protocol.wire import ZERO_UUID, java_long

LAYOUTS_MAX: Final = 4096  # of a log; their expressions need 10 MB
SIMILAR_MAX: Final = 8  # layouts of records of the same length, which are tried one after the other
LEARN_AFTER: Final = 6  # records: reading as many field by field takes as long as learning a layout

_TIMESTAMP_SAFE_MAX: Final = 2**62  # the sum of two smaller numbers does not overflow 64 bits
_OFFSET_KEY: Final = OffsetCommitKey.API_KEY.to_bytes(2, "big")
# By version of OffsetCommitValue: where the length of the metadata is, and how many bytes this length has.
# Version 1 is missing, because few clients set the retention that it stores.
_METADATA_SIZES: Final = {0: (10, 2), 2: (10, 2), 3: (14, 2), 4: (14, 1)}
_TOPIC_ID_TAG: Final = b"\1\0\x10"  # one tag: tag 0 with 16 bytes

CommitRow = tuple[bytes, bytes, int, int, bytes, int, bytes]
"""The fields of an offset commit: group id, topic and partition, offset, leader epoch (see `OffsetCommits`),
metadata, commit timestamp, topic id (empty: none)."""


@dataclass(slots=True, frozen=True)
class OtherRecordKey:
    """The key of a record type that is not read: those of share groups, and of later releases.

    In Kafka, all of them begin with the group's name. data: the whole key, which identifies what a tombstone
    deletes.
    """

    record_type: int
    group_id: str
    data: bytes


class OffsetCommits:
    """Consecutive offset commits of a batch, which have the same layout.

    rows         the commits; can be iterated over once
    count        the number of rows
    epoch_base   added to the number in a row, gives the leader epoch
    timestamp    the timestamp of the records
    """

    __slots__ = ("count", "epoch_base", "rows", "timestamp")

    def __init__(self, rows: Iterable[CommitRow], count: int, epoch_base: int, timestamp: int) -> None:
        self.rows = rows
        self.count = count
        self.epoch_base = epoch_base
        self.timestamp = timestamp

    def decode(self, row: CommitRow) -> tuple[OffsetCommitKey, OffsetCommitValue]:
        name, place, offset, leader_epoch, metadata, commit_ms, topic_id = row
        return (
            OffsetCommitKey(decode_text(name), *decode_place(place)),
            OffsetCommitValue(
                offset,
                leader_epoch + self.epoch_base,
                decode_text(metadata),
                commit_ms,
                topic_id=topic_id or ZERO_UUID,
            ),
        )


def decode_text(data: bytes) -> str:
    return data.decode("utf-8", "java")


def decode_place(data: bytes) -> tuple[str, int]:
    """Return the topic and partition of a CommitRow."""
    return decode_text(data[:-4]), int.from_bytes(data[-4:], "big", signed=True)


class _Fields(NamedTuple):
    """One record, and the positions of its fields in the bytes of the batch."""

    timestamp_delta: int
    key: bytes | None
    value: bytes | None
    lead: int  # the end of the timestamp delta
    delta: int  # the end of the offset delta
    key_start: int
    key_end: int
    value_start: int
    end: int


class _Layout(NamedTuple):
    """The layout of an offset commit.

    match   matches a sequence of records that have this layout
    row     unpacks the CommitRow of one of them
    """

    match: Any
    row: Struct
    epoch_base: int
    timestamp_delta: int


def _layout(data: bytes, pos: int, fields: _Fields) -> _Layout | None:
    """Return the layout of the offset commit at pos, or None if it is unusual.

    In records of a layout, all fields have the same lengths. The expression contains the bytes that the
    records have in common, and checks that the varint of the offset delta has the same length.
    """
    key, value = fields.key, fields.value
    assert key is not None
    assert value is not None
    if value[1] not in _METADATA_SIZES or not 0 <= fields.timestamp_delta < _TIMESTAMP_SAFE_MAX:
        return None
    group_bytes = key[2] << 8 | key[3]
    place_bytes = len(key) - group_bytes - 6
    group_start = fields.key_start + 4
    size_at, width = _METADATA_SIZES[value[1]]
    metadata_at = size_at + width
    metadata_bytes = int.from_bytes(value[size_at:metadata_at], "big") - (width == 1)
    commit_time_end = metadata_at + metadata_bytes + 8
    tags = value[commit_time_end:]
    topic_id_bytes = 16 if tags[:3] == _TOPIC_ID_TAG else 0
    tag_bytes = len(tags) - topic_id_bytes
    has_epoch = size_at == 14
    row = Struct(
        f">{group_start - pos}x{group_bytes}s2x{place_bytes}s{fields.value_start + 2 - fields.key_end}x"
        f"q{f'i{width}x' if has_epoch else 'h'}{metadata_bytes}sq{tag_bytes}x{topic_id_bytes}sx"
    )
    if row.size != fields.end - pos:
        return None
    literal = re.escape
    match = re.compile(
        b"(?:%b%b[\0-\x7f]%b.{%d}%b.{%d}%b.{%d}%b.{%d}%b.{%d}\0)++"
        % (
            literal(data[pos : fields.lead]),
            b"[\x80-\xff]" * (fields.delta - fields.lead - 1),
            literal(data[fields.delta : group_start]),
            group_bytes,
            literal(key[4 + group_bytes : 6 + group_bytes]),
            place_bytes,
            literal(data[fields.key_end : fields.value_start + 2]),
            size_at - 2,
            literal(value[size_at:metadata_at]),
            metadata_bytes + 8,
            literal(tags[:tag_bytes]),
            topic_id_bytes,
        ),
        re.DOTALL,
    ).match
    # A value without a leader epoch: the row holds the length of the metadata instead, and the sum is -1.
    epoch_base = 0 if has_epoch else -1 - metadata_bytes
    return _Layout(match, row, epoch_base, fields.timestamp_delta)


class CoordinatorLogReader:
    """Reads all batches of a log, and learns the layouts of offset commits.

    learn_after: how many records of a length are read field by field before the layout of one is learned.
    skipped: counts by record type of the records that are not decoded. Each is returned as an OtherRecordKey,
    which identifies its group, with the bytes of its value.
    """

    __slots__ = ("_layouts", "_learn_after", "_learned", "_misses", "skipped")

    def __init__(self, learn_after: int = LEARN_AFTER) -> None:
        self.skipped: dict[str, int] = {}
        # By a record's first two bytes, usually its length.
        self._layouts: dict[bytes, list[_Layout]] = {}
        self._misses: dict[bytes, int] = {}
        self._learn_after = learn_after
        self._learned = 0

    def read(self, buf: Buffer, pos: int, header: BatchHeader) -> Iterator[tuple[Any, Any, int]]:
        """Yield key, value (None: a tombstone) and timestamp of each record of the batch at pos.

        Raises BatchError for an invalid batch, and WireError for a record that is not a coordinator's.
        """
        for found in self.read_commits(buf, pos, header):
            if isinstance(found, OffsetCommits):
                for row in found.rows:
                    yield *found.decode(row), found.timestamp
            else:
                yield found

    def read_commits(
        self, buf: Buffer, pos: int, header: BatchHeader
    ) -> Iterator[OffsetCommits | tuple[Any, Any, int]]:
        """Do the same as `read`, but yield offset commits of the same layout together."""
        data = record_bytes(buf, pos, header)
        end = len(data)
        base_ms = header.base_timestamp
        appended_ms = header.max_timestamp if header.attributes & APPEND_TIME else None
        usual = 0 <= base_ms < _TIMESTAMP_SAFE_MAX
        layouts = self._layouts if usual else {}
        at = 0
        left = header.count
        while left > 0:
            for match, row, epoch_base, timestamp_delta in layouts.get(data[at : at + 2], ()):
                found = match(data, at)
                if found is not None:
                    size = row.size
                    count = min((found.end() - at) // size, left)
                    start, at = at, at + count * size
                    left -= count
                    yield OffsetCommits(
                        (row.unpack_from(data, start),)
                        if count == 1
                        else row.iter_unpack(memoryview(data)[start:at]),
                        count,
                        epoch_base,
                        base_ms + timestamp_delta if appended_ms is None else appended_ms,
                    )
                    break
            else:
                fields = _read_fields(data, at)
                decoded = self._decode(fields)
                if usual and decoded is not None and type(decoded[1]) is OffsetCommitValue:
                    self._miss(data, at, fields, decoded)
                at = fields.end
                left -= 1
                if decoded is not None:
                    timestamp_ms = java_long(base_ms + fields.timestamp_delta)
                    yield *decoded, timestamp_ms if appended_ms is None else appended_ms
        if at != end:
            raise BatchError(f"{end - at} bytes follow the last record")

    def _decode(self, fields: _Fields) -> tuple[Any, Any] | None:
        """Return key and value. None: the record is not a coordinator's, or names no group."""
        if fields.key is None:
            return None
        try:
            return decode_coordinator(fields.key, fields.value)
        except UnknownRecordType as unknown:
            self.skipped[str(unknown)] = self.skipped.get(str(unknown), 0) + 1
            key = other_record_key(fields.key)
            return None if key is None else (key, fields.value)

    def _miss(self, data: bytes, pos: int, fields: _Fields, decoded: tuple[Any, Any]) -> None:
        """Count a record that has no known layout. Learn its layout if there were enough of its length."""
        length = data[pos : pos + 2]
        misses = self._misses[length] = self._misses.get(length, 0) + 1
        if misses < self._learn_after:
            return
        self._misses[length] = 0
        similar = self._layouts.setdefault(length, [])
        assert fields.key is not None
        if len(similar) == SIMILAR_MAX or self._learned == LAYOUTS_MAX or fields.key[:2] != _OFFSET_KEY:
            return
        layout = _layout(data, pos, fields)
        if layout is None:
            return
        row: Any = layout.row.unpack_from(data, pos)
        if OffsetCommits((), 0, layout.epoch_base, 0).decode(row) == decoded:
            similar.append(layout)
            self._learned += 1


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
    return _Fields(timestamp_delta, key, value, lead, delta, key_start, key_end, value_start, end)


def _read_bytes(data: bytes, pos: int) -> tuple[bytes | None, int, int]:
    """Return the bytes, or None for null, with their start and end."""
    size, start = varint(data, pos)
    if size & 1:
        if size != 1:
            raise BatchError("a length is negative")
        return None, start, start
    end = start + (size >> 1)
    return data[start:end], start, end
