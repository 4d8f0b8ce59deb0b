"""Decode the records of a chunk to columns: positions of keys and values, offsets and times.

Once `starts` has found where the records begin, each field of all of them is read at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tidemark_pipeline.decode.chunks import CHUNK_ROWS_MAX, Chunk
from tidemark_pipeline.decode.cutting import INT_BITS, LONG_BITS, Cutter, Flags, Ints, Slices, TooLong, signed
from tidemark_pipeline.decode.starts import record_starts
from tidemark_protocol.batch import APPEND_TIME, BatchError, skip_headers

NULL: Final = 1  # a length of -1, zigzag


@dataclass(slots=True)
class Records:
    """One element for each record. batch: index among the batches of the chunk."""

    chunk: Chunk
    batch: Ints
    offsets: Ints
    timestamps: Ints
    keys: Slices
    values: Slices

    def take(self, rows: Ints) -> Records:
        return Records(
            self.chunk,
            self.batch[rows],
            self.offsets[rows],
            self.timestamps[rows],
            self.keys.take(rows),
            self.values.take(rows),
        )

    def __len__(self) -> int:
        return len(self.offsets)

    def of_batches(self, field: str) -> npt.NDArray[Any]:
        """Return a field of the batch's header for each record."""
        fields: npt.NDArray[Any] = self.chunk.headers[field]
        return fields.astype(fields.dtype.newbyteorder("="))[self.batch]

    def position(self, row: int) -> int:
        """Return the byte of the file at which the record's batch begins."""
        return int(self.chunk.positions[self.batch[row]])


def records_of(chunk: Chunk) -> Iterator[Records]:
    """Yield all records. Raises UnreadableBatch for a batch with invalid records, before it yields any.

    Records are yielded at once, except those of a single very large batch: ten compressed kilobytes may hold
    a hundred megabytes.
    """
    batch = np.repeat(np.arange(len(chunk.positions)), chunk.headers["count"])
    cutter = Cutter(chunk.data)
    starts = record_starts(chunk, cutter)
    goes = [slice(first, first + CHUNK_ROWS_MAX) for first in range(0, max(1, len(starts)), CHUNK_ROWS_MAX)]
    if len(goes) > 1:
        for rows in goes:
            _read(chunk, cutter, batch[rows], starts[rows])
    for rows in goes:
        yield _read(chunk, cutter, batch[rows], starts[rows])


def _read(chunk: Chunk, cutter: Cutter, batch: Ints, starts: Ints) -> Records:
    try:
        return _fields(chunk, cutter, batch, starts)
    except TooLong as problem:
        raise chunk.unreadable(int(batch[problem.row]), "a varint is too long") from None


def _fields(chunk: Chunk, cutter: Cutter, batch: Ints, starts: Ints) -> Records:
    length, at = cutter.varints(starts, INT_BITS)
    ends = at + (length >> 1)
    timestamp_delta, at = cutter.varints(at + 1, LONG_BITS)  # after the attributes, all undefined
    offset_delta, at = cutter.varints(at, INT_BITS)
    key_size, key_starts = cutter.varints(at, INT_BITS)
    key_ends = key_starts + (key_size >> 1)
    value_size, value_starts = cutter.varints(key_ends, INT_BITS)
    value_ends = value_starts + (value_size >> 1)
    header_count = cutter.uint8(value_ends)
    odd = (length | key_size & (key_size != NULL) | value_size & (value_size != NULL)) & 1 != 0
    odd |= np.where(header_count == 0, value_ends + 1 != ends, value_ends >= ends)
    _no_odd(chunk, batch, odd)
    _check_headers(chunk, batch, value_ends, ends, np.flatnonzero(header_count))
    keys = Slices(cutter, key_starts, key_ends, key_size == NULL)
    values = Slices(cutter, value_starts, value_ends, value_size == NULL)
    return Records(
        chunk,
        batch,
        _offsets(chunk, batch, signed(offset_delta)),
        _timestamps(chunk, batch, timestamp_delta),
        keys,
        values,
    )


def _offsets(chunk: Chunk, batch: Ints, delta: Ints) -> Ints:
    """Return offsets. Raises an error for an offset outside of its batch, which could be read twice or
    never.
    """
    outside = np.flatnonzero((delta < 0) | (delta > _of(chunk, "last_offset_delta", batch)))
    if outside.size:
        raise chunk.unreadable(int(batch[outside[0]]), "a record's offset is none of its batch's")
    return _of(chunk, "base_offset", batch) + delta


def _of(chunk: Chunk, field: str, batch: Ints) -> Ints:
    return chunk.headers[field].astype(np.int64)[batch]


def _timestamps(chunk: Chunk, batch: Ints, delta: Ints) -> Ints:
    """Return timestamps. Sums wrap as in Java. With append time, each record has the newest time of the
    batch.
    """
    created = _of(chunk, "base_timestamp", batch) + signed(delta)
    appended = chunk.headers["attributes"] & APPEND_TIME != 0
    if not appended.any():
        return created
    return np.where(appended[batch], _of(chunk, "max_timestamp", batch), created)


def _no_odd(chunk: Chunk, batch: Ints, odd: Flags | Sequence[bool]) -> None:
    rows = np.flatnonzero(odd)
    if rows.size:
        raise chunk.unreadable(int(batch[rows[0]]), "a record's length and its content differ")


def _check_headers(chunk: Chunk, batch: Ints, starts: Ints, ends: Ints, rows: Ints) -> None:
    """Skip headers one record at a time: no coordinator writes any."""
    for row in rows.tolist():
        try:
            wrong = skip_headers(chunk.data, int(starts[row]), int(ends[row])) != ends[row]
        except (BatchError, IndexError):
            wrong = True
        if wrong:
            raise chunk.unreadable(int(batch[row]), "a record's headers cannot be read")
