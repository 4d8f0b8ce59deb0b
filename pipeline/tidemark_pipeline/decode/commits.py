"""Decode offset commits: keys of version 0 and 1 and their values, as the columns of schemas.OFFSETS.

Values of all versions are decoded together, each field at the position of the row's version. A row with
anything unusual (metadata above 16 KB, an unknown tag, truncated bytes) is decoded by
`tidemark_protocol.stored` instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidemark_pipeline import schemas
from tidemark_pipeline.decode.cutting import Cutter, Flags, Ints, Slices, null_where, texts
from tidemark_pipeline.model import PipelineError
from tidemark_protocol.kafka_json import uuid_text
from tidemark_protocol.records.offset_commit import OffsetCommitValue
from tidemark_protocol.stored import decode_coordinator
from tidemark_protocol.wire import ZERO_UUID, WireError

OFFSET_KEYS: Final = range(2)
_LEADER_EPOCH_FROM: Final = 3
_EXPIRE_IN: Final = 1
_FLEXIBLE: Final = OffsetCommitValue.FLEXIBLE_FROM
_ONE_TOPIC_ID: Final = (1, 0, 16)  # count of tags, tag number, size
_NONE: Final = -1

# Names a row in an error message.
Where = Callable[[int], str]


@dataclass(slots=True)
class _Names:
    """Positions of the strings of a key. odd: rows with invalid ones, whose positions are the start."""

    bounds: tuple[Ints, Ints, Ints, Ints]
    partition: Ints
    odd: Flags


@dataclass(slots=True)
class _Fields:
    """Fields of a value. expire, leader epoch: -1 if the version has none. topic_id_at: 0 if none."""

    version: Ints
    offset: Ints
    leader_epoch: Ints
    metadata: tuple[Ints, Ints]
    commit: Ints
    expire: Ints
    topic_id_at: Ints
    odd: Flags


def offset_columns(keys: Slices, values: Slices, where: Where) -> dict[str, pa.Array]:
    """Return the columns of key and value: group to value_version.

    Raises PipelineError with the group and where(row), for the first row that cannot be decoded.
    """
    names = _names(keys)
    fields = _fields(values, keys)
    odd = np.flatnonzero(names.odd | fields.odd)
    slow = [_read_slowly(keys, values, row, where) for row in odd.tolist()]
    group, topic = (texts(piece) for piece in keys.cutter.pieces(*names.bounds))
    metadata = texts(values.cutter.pieces(*fields.metadata)[0])
    topic_id = _topic_ids(values, fields.topic_id_at)
    columns: dict[str, Any] = {
        "group": group,
        "topic": topic,
        "partition": names.partition,
        "committed_offset": fields.offset,
        "leader_epoch": fields.leader_epoch,
        "metadata": metadata,
        "commit_timestamp_ms": fields.commit,
        "expire_timestamp_ms": fields.expire,
        "topic_id": topic_id,
    }
    if slow:
        columns = _patched(columns, odd, slow)
    columns["value_version"] = fields.version
    return {name: _typed(name, column, values.null) for name, column in columns.items()}


def check_versions(keys: Slices, where: Where) -> None:
    """Raise PipelineError for a key that is null or has no version: no coordinator writes one."""
    short = np.flatnonzero(~keys.have_version())
    if short.size:
        raise PipelineError(f"{where(int(short[0]))}: a record whose key has no version")


def of_groups(keys: Slices, groups: frozenset[str]) -> Flags:
    """Return the rows of these groups, of any record type, and rows whose key has no group."""
    starts = keys.starts + 4
    ends = starts + keys.cutter.int16(keys.starts + 2)
    odd = (ends < starts) | (ends > keys.ends)
    pieces = keys.cutter.pieces(*(np.where(odd, keys.starts, each) for each in (starts, ends)))
    among = pc.is_in(texts(pieces[0]), pa.array(sorted(groups), pa.string()))
    wanted: Flags = odd | among.to_numpy(zero_copy_only=False)
    return wanted


def _names(keys: Slices) -> _Names:
    cut, ends = keys.cutter, keys.ends
    group_at = keys.starts + 4
    group_bytes = cut.int16(keys.starts + 2)
    group_end = group_at + group_bytes
    topic_at = group_end + 2
    topic_bytes = cut.int16(np.maximum(group_end, 0))
    topic_end = topic_at + topic_bytes
    odd = (group_bytes < 0) | (topic_bytes < 0) | (topic_end + 4 > ends)
    bounds = (group_at, group_end, topic_at, topic_end)
    if odd.any():
        bounds = tuple(np.where(odd, keys.starts, each) for each in bounds)  # type: ignore[assignment]
    return _Names(bounds, cut.int32(np.maximum(topic_end, 0)), odd)


def _fields(values: Slices, keys: Slices) -> _Fields:
    cut, starts = values.cutter, values.starts
    version = cut.int16(starts)
    with_epoch = version >= _LEADER_EPOCH_FROM
    flexible = version == _FLEXIBLE
    metadata_at = starts + 10 + 4 * with_epoch
    metadata_bytes = cut.int16(metadata_at)
    metadata_start = metadata_at + 2
    if flexible.any():
        compact, behind = _compact_length(cut, metadata_at)
        metadata_bytes = np.where(flexible, compact, metadata_bytes)
        metadata_start = np.where(flexible, behind, metadata_start)
    metadata_end = metadata_start + metadata_bytes
    behind = np.maximum(metadata_end + 8, 0)  # rows without a position are odd, and decoded separately
    expire, topic_id_at, size = _behind_commit_timestamp(values, version, behind)
    odd = (version < 0) | (version > _FLEXIBLE) | (metadata_bytes < 0)
    odd |= (size < 0) | (behind + size > values.ends)
    odd |= (cut.int16(keys.starts) == 0) & (version != 0)
    odd &= ~values.null
    out = odd | values.null
    if out.any():
        metadata_start, metadata_end = (
            np.where(out, starts, each) for each in (metadata_start, metadata_end)
        )
    return _Fields(
        version,
        cut.int64(starts + 2),
        np.where(with_epoch, cut.int32(starts + 10), _NONE),
        (metadata_start, metadata_end),
        cut.int64(np.maximum(metadata_end, 0)),
        expire,
        topic_id_at,
        odd,
    )


def _compact_length(cut: Cutter, at: Ints) -> tuple[Ints, Ints]:
    """Return the length of a compact string of up to 16 382 bytes, and its position. -1: null, or longer."""
    low, high = cut.uint8(at).astype(np.int64), cut.uint8(at + 1).astype(np.int64)
    two = low >> 7
    number = low & 127 | high * two << 7
    return np.where(two & high >> 7, 0, number) - 1, at + 1 + two


def _behind_commit_timestamp(values: Slices, version: Ints, behind: Ints) -> tuple[Ints, Ints, Ints]:
    """Return expire timestamp, position of the topic id (0: none), and the size of both. -1: unusual tags."""
    cut = values.cutter
    expires = version == _EXPIRE_IN
    expire = np.where(expires, cut.int64(behind), _NONE) if expires.any() else np.full_like(behind, _NONE)
    size = 8 * expires
    topic_id_at = np.zeros_like(behind)
    flexible = np.flatnonzero(version == _FLEXIBLE)
    if flexible.size:
        tags = behind[flexible]
        count, tag, tag_bytes = (cut.uint8(tags + place) for place in range(3))
        with_id = (count == _ONE_TOPIC_ID[0]) & (tag == _ONE_TOPIC_ID[1]) & (tag_bytes == _ONE_TOPIC_ID[2])
        topic_id_at[flexible] = np.where(with_id, tags + 3, 0)
        size[flexible] = np.where(with_id, 19, np.where(count == 0, 1, -1))
    return expire, topic_id_at, size


def _topic_ids(values: Slices, at: Ints) -> pa.Array:
    """Return topic ids, null where at is 0."""
    rows = np.flatnonzero(at)
    if rows.size == len(at):
        return values.cutter.topic_ids(at)
    place = np.zeros(len(at), np.int32)
    place[rows] = np.arange(rows.size)
    return values.cutter.topic_ids(at[rows]).take(pa.array(place, mask=at == 0))


def _read_slowly(keys: Slices, values: Slices, row: int, where: Where) -> dict[str, Any]:
    key, value = keys.bytes_at(row) or b"", values.bytes_at(row)
    try:
        name, commit = decode_coordinator(key, value)
    except WireError as problem:
        raise PipelineError(f"{where(row)}: {_called(key)} cannot be read: {problem}") from None
    read = {"group": name.group, "topic": name.topic, "partition": name.partition}
    if commit is None:
        return read
    return read | {
        "committed_offset": commit.offset,
        "leader_epoch": commit.leader_epoch,
        "metadata": commit.metadata,
        "commit_timestamp_ms": commit.commit_timestamp,
        "expire_timestamp_ms": commit.expire_timestamp,
        "topic_id": None if commit.topic_id == ZERO_UUID else uuid_text(commit.topic_id),
    }


def _called(key: bytes) -> str:
    try:
        name, _ = decode_coordinator(key, None)
    except WireError:
        return "an offset commit"
    return f"the offset of group {name.group!r} for {f'{name.topic}-{name.partition}'!r}"


def _patched(columns: dict[str, Any], rows: Ints, read: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        name: _replaced(column, rows, [row.get(name) for row in read]) for name, column in columns.items()
    }


def _replaced(column: Any, rows: Ints, items: list[Any]) -> Any:
    if isinstance(column, np.ndarray):
        column[rows] = [0 if item is None else item for item in items]
        return column
    mask = np.zeros(len(column), np.bool_)
    mask[rows] = True
    return pc.replace_with_mask(column, pa.array(mask), pa.array(items, pa.string()))


_ABSENT: Final = {"leader_epoch", "expire_timestamp_ms"}  # -1 means none
_OF_KEYS: Final = {"group", "topic", "partition"}


def _typed(name: str, column: Any, tombstones: Flags) -> pa.Array:
    """Return the column in the type of the schema, null if a tombstone does not have it."""
    kind = schemas.OFFSETS.field(name).type
    null = None if name in _OF_KEYS else tombstones
    if isinstance(column, np.ndarray):
        if name in _ABSENT:
            null = tombstones | (column == _NONE)
        return pa.array(column.astype(kind.to_pandas_dtype(), copy=False), kind, mask=null)
    return column if null is None else null_where(null, column)
