"""TransactionIndex: the aborted transactions whose markers are in one segment, in Kafka's format
(`.txnindex`).

Each entry is appended to the file together with its marker. Most segments have no such file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from struct import Struct
from typing import Final

from tidemark.late_dataclass import dataclass
from tidemark.log.index import IndexCorrupt

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
