"""Extract columns from bytes: all numbers or strings at given positions at once.

A position beyond the end is read at the end, where zeros are, so a caller may read first and look for odd
rows afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tidemark_protocol.kafka_json import uuid_text
from tidemark_protocol.wire import ZERO_UUID

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

PADDING: Final = bytes(32)  # wider than any field
INT_BITS: Final = 32
LONG_BITS: Final = 64
VERSION_BYTES: Final = 2
UUID_BYTES: Final = len(ZERO_UUID)


class TooLong(Exception):
    """A varint does not end. row: the first one."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class Cutter:
    """Reads the given bytes, which must end with PADDING."""

    __slots__ = ("_buffer", "_bytes", "_last", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._bytes = np.frombuffer(data, np.uint8)
        self._buffer = pa.py_buffer(data)
        self._last = len(data) - len(PADDING)

    def _at(self, positions: Ints, form: str, size: int) -> npt.NDArray[Any]:
        """Return one element at every position, aligned or not."""
        view: npt.NDArray[Any] = np.ndarray(
            (len(self.data) - size + 1,), np.dtype(form), self._bytes, strides=(1,)
        )
        return view[np.minimum(positions, self._last)]

    def uint8(self, positions: Ints) -> npt.NDArray[np.uint8]:
        return self._bytes.take(positions, mode="clip")

    def int16(self, positions: Ints) -> Ints:
        return self._at(positions, ">i2", 2).astype(np.int64)

    def int32(self, positions: Ints) -> Ints:
        return self._at(positions, ">i4", 4).astype(np.int64)

    def int64(self, positions: Ints) -> Ints:
        return self._at(positions, ">i8", 8).astype(np.int64)

    def varints(self, positions: Ints, bits: int) -> tuple[Ints, Ints]:
        """Return the varints, still zigzag-encoded, and the positions after them.

        Excess high bits in the last byte are discarded, as in Java.
        """
        first = self.uint8(positions)
        values = first.astype(np.int64)
        ends = positions + 1
        going = np.flatnonzero(first > 127)
        if going.size:
            values[going] &= 127
        for shift in range(7, bits, 7):
            if not going.size:
                return values, ends
            byte = self.uint8(ends[going]).astype(np.int64)
            values[going] |= (byte & 127) << shift
            ends[going] += 1
            going = going[byte > 127]
        if going.size:
            raise TooLong(int(going[0]))
        return values if bits == LONG_BITS else values & 0xFFFFFFFF, ends

    def binaries(self, starts: Ints, ends: Ints) -> pa.Array:
        """Return the bytes from each start to its end. Both must not decrease."""
        return self.pieces(starts, ends)[0]

    def pieces(self, *bounds: Ints) -> list[pa.Array]:
        """Return the bytes between each pair of starts and ends, which must be in order in each row."""
        rows, width = len(bounds[0]), len(bounds)
        offsets = np.empty(rows * width, np.int32)
        for place, positions in enumerate(bounds):
            offsets[place::width] = positions
        if not rows:
            return [pa.array([], pa.binary()) for _ in range(width // 2)]
        # At least every second piece is a gap, which the take skips.
        every = pa.Array.from_buffers(
            pa.binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), self._buffer]
        )
        return [
            every.take(pa.array(np.arange(place, rows * width, width, dtype=np.int32)))
            for place in range(0, width, 2)
        ]

    def topic_ids(self, positions: Ints) -> pa.Array:
        """Return uuids as Kafka prints them; null for the zero uuid."""
        uuids = self._at(positions, f"V{UUID_BYTES}", UUID_BYTES)
        found = pa.Array.from_buffers(
            pa.binary(UUID_BYTES), len(uuids), [None, pa.py_buffer(np.ascontiguousarray(uuids))]
        ).dictionary_encode()
        known = [None if uuid == ZERO_UUID else uuid_text(uuid) for uuid in found.dictionary.to_pylist()]
        return pa.array(known, pa.string()).take(found.indices)


def texts(binaries: pa.Array) -> pa.Array:
    """Return strings. Invalid UTF-8 becomes replacement characters, as in Java."""
    try:
        return binaries.cast(pa.string())
    except pa.ArrowInvalid:
        encoded = binaries.dictionary_encode()
        read = [each.decode("utf-8", "java") for each in encoded.dictionary.to_pylist()]
        return pa.array(read, pa.string()).take(encoded.indices)


def signed(zigzag: Ints) -> Ints:
    """Undo zigzag encoding of 64 bits."""
    return (zigzag.view(np.uint64) >> np.uint64(1)).view(np.int64) ^ -(zigzag & 1)


@dataclass(slots=True)
class Slices:
    """Positions of the keys or values of the rows. A null one is empty."""

    cutter: Cutter
    starts: Ints
    ends: Ints
    null: Flags

    def take(self, rows: Ints) -> Slices:
        return Slices(self.cutter, self.starts[rows], self.ends[rows], self.null[rows])

    def bytes_at(self, row: int) -> bytes | None:
        if self.null[row]:
            return None
        return self.cutter.data[int(self.starts[row]) : int(self.ends[row])]

    def have_version(self) -> Flags:
        return self.ends - self.starts >= VERSION_BYTES

    def versions(self) -> Ints:
        """Return the int16 at the start of each key or value; -1 if it is null or too short."""
        found = self.cutter.int16(self.starts)
        found[~self.have_version()] = -1
        return found

    def binaries(self) -> pa.Array:
        return null_where(self.null, self.cutter.binaries(self.starts, self.ends))


def null_where(null: Flags, column: pa.Array) -> pa.Array:
    return pc.if_else(pa.array(null), pa.scalar(None, column.type), column) if null.any() else column


def record_batch(columns: dict[str, Any], schema: pa.Schema) -> pa.RecordBatch:
    """Return a record batch of named arrays, Arrow's or numpy's."""
    return pa.RecordBatch.from_arrays(
        [
            column if isinstance(column, pa.Array) else pa.array(column, field.type)
            for field in schema
            for column in (columns[field.name],)
        ],
        schema=schema,
    )
