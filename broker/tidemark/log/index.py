"""The sparse indexes of a segment, in Kafka's format: `.index` (offset -> byte), `.timeindex` (time ->
offset).

Indexes are in memory while a segment is open. They are written when it is closed or synced, or at a stop. A
missing or corrupt index is rebuilt from the log.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from struct import Struct
from typing import Final

from tidemark.late_dataclass import dataclass

OFFSET_ENTRY_BYTES: Final = 8
_TIME_ENTRY: Final = Struct(">qi")
TIME_ENTRY_BYTES: Final = _TIME_ENTRY.size


class IndexCorrupt(Exception):
    """These bytes are not an index of this segment."""


class OffsetIndex:
    """Relative offsets of the last records of some batches, and the positions of these batches."""

    __slots__ = ("offsets", "positions")

    def __init__(self) -> None:
        self.offsets = array("i")
        self.positions = array("i")

    def __len__(self) -> int:
        return len(self.offsets)

    def add(self, offset: int, position: int) -> None:
        self.offsets.append(offset)
        self.positions.append(position)

    def lookup(self, offset: int) -> int:
        """Return the position from which to search for an offset: at or before its batch."""
        at = bisect_right(self.offsets, offset)
        return self.positions[at - 1] if at else 0

    def offset_from(self, position: int) -> int | None:
        """Return the offset of the first entry at this position or a later one.

        Kafka: OffsetIndex.fetchUpperBoundOffset, whose binary search never looks at the very first entry.
        """
        at = bisect_left(self.positions, position)
        if not at and self.positions and self.positions[0] == position:
            at = 1
        return self.offsets[at] if at < len(self.offsets) else None

    def encode(self) -> bytes:
        words = array("i", bytes(OFFSET_ENTRY_BYTES * len(self.offsets)))
        words[0::2] = self.offsets
        words[1::2] = self.positions
        if sys.byteorder == "little":
            words.byteswap()
        return words.tobytes()

    @classmethod
    def decode(cls, data: bytes, segment_size: int) -> OffsetIndex:
        """Raises IndexCorrupt if the entries are not ascending or point past the end of the segment."""
        if len(data) % OFFSET_ENTRY_BYTES:
            raise IndexCorrupt(f"{len(data)} bytes are not a whole number of entries")
        words = array("i", data)
        if sys.byteorder == "little":
            words.byteswap()
        index = cls()
        index.offsets = words[0::2]
        index.positions = words[1::2]
        if not (_rises(index.offsets) and _rises(index.positions)):
            raise IndexCorrupt("its entries are not in ascending order")
        if index.positions and index.positions[-1] >= segment_size:
            raise IndexCorrupt(
                f"it points to byte {index.positions[-1]}, the segment has {segment_size} bytes"
            )
        return index


class TimeIndex:
    """Largest timestamps so far, each with the relative last offset of its batch."""

    __slots__ = ("offsets", "timestamps")

    def __init__(self) -> None:
        self.timestamps = array("q")
        self.offsets = array("i")

    def __len__(self) -> int:
        return len(self.timestamps)

    def add(self, timestamp_ms: int, offset: int) -> None:
        """Add an entry if it is later than the last one."""
        if not self.timestamps or timestamp_ms > self.timestamps[-1]:
            self.timestamps.append(timestamp_ms)
            self.offsets.append(offset)

    def lookup(self, timestamp_ms: int) -> int:
        """Return a relative offset below which every record is earlier than this."""
        at = bisect_right(self.timestamps, timestamp_ms)
        return self.offsets[at - 1] if at else 0

    def encode(self) -> bytes:
        return b"".join(_TIME_ENTRY.pack(*entry) for entry in zip(self.timestamps, self.offsets, strict=True))

    @classmethod
    def decode(cls, data: bytes) -> TimeIndex:
        """Raises IndexCorrupt if the entries are not in ascending order."""
        if len(data) % TIME_ENTRY_BYTES:
            raise IndexCorrupt(f"{len(data)} bytes are not a whole number of entries")
        index = cls()
        for timestamp_ms, offset in _TIME_ENTRY.iter_unpack(data):
            index.timestamps.append(timestamp_ms)
            index.offsets.append(offset)
        if not _rises(index.timestamps) or not _never_falls(index.offsets):
            raise IndexCorrupt("its entries are not in ascending order")
        return index


def _rises(values: array[int]) -> bool:
    return all(values[i] < values[i + 1] for i in range(len(values) - 1)) and (not values or values[0] >= -1)


def _never_falls(values: array[int]) -> bool:
    return all(values[i] <= values[i + 1] for i in range(len(values) - 1)) and (not values or values[0] >= 0)


_ENTRY: Final = Struct(">hqqqq")
ENTRY_BYTES: Final = _ENTRY.size
_VERSION: Final = 0
_LAST_OFFSET: Final = Struct(">q")
_LAST_OFFSET_AT: Final = 18


@dataclass(slots=True)
class AbortedTransaction:
    """An aborted transaction of a partition.

    first_offset         its first record batch
    last_offset          its marker
    last_stable_offset   the log's last stable offset once the marker was written
    """

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int

    def encode(self) -> bytes:
        """Return an entry of a `.txnindex`."""
        return _ENTRY.pack(
            _VERSION, self.producer_id, self.first_offset, self.last_offset, self.last_stable_offset
        )


class TransactionIndex:
    """Aborted transactions in the order of their markers. A segment may have many, so they stay encoded."""

    __slots__ = ("_data",)

    def __init__(self, data: bytes = b"") -> None:
        """data: the content of a file. An incomplete entry at its end is dropped."""
        self._data = bytearray(data[: len(data) - len(data) % ENTRY_BYTES])

    def __len__(self) -> int:
        return len(self._data) // ENTRY_BYTES

    def __iter__(self) -> Iterator[AbortedTransaction]:
        for _, producer_id, first, last, last_stable in _ENTRY.iter_unpack(bytes(self._data)):
            yield AbortedTransaction(producer_id, first, last, last_stable)

    def check(self, base_offset: int) -> None:
        """Raises IndexCorrupt if these cannot be the entries of a segment that begins at base_offset."""
        before = base_offset - 1
        for version, _, first, last, _ in _ENTRY.iter_unpack(bytes(self._data)):
            if version != _VERSION:
                raise IndexCorrupt(f"an entry has version {version}")
            if last <= before or first > last:
                raise IndexCorrupt(f"a transaction from {first} to {last} follows offset {before}")
            before = last

    def add(self, aborted: AbortedTransaction) -> None:
        assert not self._data or aborted.last_offset > self._last_offset(len(self) - 1)
        self._data += aborted.encode()

    def overlapping(self, offset: int, up_to: int) -> tuple[list[AbortedTransaction], bool]:
        """Return the transactions with records from offset up to up_to, and whether no later one has any.

        An entry is conclusive if the last stable offset had reached up_to. Kafka: collectAbortedTxns.
        """
        at = self._first_ending_at(offset)
        found: list[AbortedTransaction] = []
        if at and self._entry(at - 1).last_stable_offset >= up_to:
            return found, True
        rest = memoryview(self._data)[at * ENTRY_BYTES :]
        for _, producer_id, first, last, last_stable in _ENTRY.iter_unpack(rest):
            if first < up_to:
                found.append(AbortedTransaction(producer_id, first, last, last_stable))
            if last_stable >= up_to:
                return found, True
        return found, False

    @property
    def size(self) -> int:
        """Bytes of the entries."""
        return len(self._data)

    def truncate(self, offset: int) -> bool:
        """Remove transactions whose markers are at or after offset. Return whether there were any."""
        size = self._first_ending_at(offset) * ENTRY_BYTES
        if size == len(self._data):
            return False
        del self._data[size:]
        return True

    def encode(self) -> bytes:
        return bytes(self._data)

    def _first_ending_at(self, offset: int) -> int:
        """Return the index of the first transaction that ends at this offset or later."""
        return bisect_left(range(len(self)), offset, key=self._last_offset)

    def _last_offset(self, index: int) -> int:
        found: int = _LAST_OFFSET.unpack_from(self._data, index * ENTRY_BYTES + _LAST_OFFSET_AT)[0]
        return found

    def _entry(self, index: int) -> AbortedTransaction:
        _, producer_id, first, last, last_stable = _ENTRY.unpack_from(self._data, index * ENTRY_BYTES)
        return AbortedTransaction(producer_id, first, last, last_stable)
