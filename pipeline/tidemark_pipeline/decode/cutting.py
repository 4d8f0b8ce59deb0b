"""Columns cut out of a run of bytes: the numbers, or texts, that stand at given positions, all at once.

Positions may lie anywhere from 0 on: what would reach past the end is read at the end instead, where zeros
stand, so that a caller may read first and look for odd rows afterwards.
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

PADDING: Final = bytes(32)  # more than the widest field
INT_BITS: Final = 32
LONG_BITS: Final = 64
VERSION_BYTES: Final = 2
UUID_BYTES: Final = len(ZERO_UUID)


class TooLong(Exception):
    """A varint that does not end. row: of the first."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class Cutter:
    """Reads the bytes that it is given; they have to end with PADDING."""

    __slots__ = ("_buffer", "_bytes", "_last", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._bytes = np.frombuffer(data, np.uint8)
        self._buffer = pa.py_buffer(data)
        self._last = len(data) - len(PADDING)

    def _at(self, positions: Ints, form: str, size: int) -> npt.NDArray[Any]:
        """Of every position, aligned or not, one element."""
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
        """The numbers as they stand, zigzag not undone, and the positions behind them. What the last byte has
        beyond the bits is lost, as in Java's shifts.
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
        """What stands from each start to its end. Neither may be less than the one before it."""
        return self.pieces(starts, ends)[0]

    def pieces(self, *bounds: Ints) -> list[pa.Array]:
        """For each pair of starts and ends what stands between. Row by row they have to be in order."""
        rows, width = len(bounds[0]), len(bounds)
        offsets = np.empty(rows * width, np.int32)
        for place, positions in enumerate(bounds):
            offsets[place::width] = positions
        if not rows:
            return [pa.array([], pa.binary()) for _ in range(width // 2)]
        # Every second piece, or more of them, is what lies between: it is passed over by the take.
        every = pa.Array.from_buffers(
            pa.binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), self._buffer]
        )
        return [
            every.take(pa.array(np.arange(place, rows * width, width, dtype=np.int32)))
            for place in range(0, width, 2)
        ]

    def topic_ids(self, positions: Ints) -> pa.Array:
        """Kafka's text of the uuids there; of the zero uuid null."""
        uuids = self._at(positions, f"V{UUID_BYTES}", UUID_BYTES)
        found = pa.Array.from_buffers(
            pa.binary(UUID_BYTES), len(uuids), [None, pa.py_buffer(np.ascontiguousarray(uuids))]
        ).dictionary_encode()
        known = [None if uuid == ZERO_UUID else uuid_text(uuid) for uuid in found.dictionary.to_pylist()]
        return pa.array(known, pa.string()).take(found.indices)


def texts(binaries: pa.Array) -> pa.Array:
    """As strings. Bytes that are no UTF-8 become what Java makes of them, replacement characters."""
    try:
        return binaries.cast(pa.string())
    except pa.ArrowInvalid:
        encoded = binaries.dictionary_encode()
        read = [each.decode("utf-8", "java") for each in encoded.dictionary.to_pylist()]
        return pa.array(read, pa.string()).take(encoded.indices)


def signed(zigzag: Ints) -> Ints:
    """Zigzag undone, of all 64 bits."""
    return (zigzag.view(np.uint64) >> np.uint64(1)).view(np.int64) ^ -(zigzag & 1)


@dataclass(slots=True)
class Slices:
    """Where each row's key, or value, stands in the cutter's bytes. A null one is empty."""

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
        """The int16 that a key or value begins with; -1 where it is null or too short for one."""
        found = self.cutter.int16(self.starts)
        found[~self.have_version()] = -1
        return found

    def binaries(self) -> pa.Array:
        return null_where(self.null, self.cutter.binaries(self.starts, self.ends))


def null_where(null: Flags, column: pa.Array) -> pa.Array:
    return pc.if_else(pa.array(null), pa.scalar(None, column.type), column) if null.any() else column


def record_batch(columns: dict[str, Any], schema: pa.Schema) -> pa.RecordBatch:
    """Of arrays, Arrow's or numpy's, by name."""
    return pa.RecordBatch.from_arrays(
        [
            column if isinstance(column, pa.Array) else pa.array(column, field.type)
            for field in schema
            for column in (columns[field.name],)
        ],
        schema=schema,
    )
