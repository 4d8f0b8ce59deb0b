"""Walk through the batches of a segment in chunks, up to the end of the readable part.

A chunk is decoded at once: some tens of thousands of records, copied (decompressed if needed) into one
buffer, so that no column refers to the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tidemark_pipeline.decode.cutting import PADDING, Ints
from tidemark_pipeline.logs.batches import hop_around
from tidemark_pipeline.logs.tail import tail
from tidemark_pipeline.model import ScanOptions, Task
from tidemark_protocol.batch import (
    COMPRESSION_MASK,
    CRC_START,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    UNCOMPRESSED_BYTES_MAX,
)
from tidemark_protocol.checksum import crc32c
from tidemark_protocol.compression import CompressionError, decompress

CHUNK_ROWS_MAX: Final = 64 * 1024
CHUNK_BYTES_MAX: Final = 16 * 1024 * 1024  # a chunk of one batch may be larger
RECORD_BYTES_MIN: Final = 7  # length, attributes, two deltas, no key, no value, no headers


class UnreadableBatch(Exception):
    """The content of a batch cannot be read. position: the position of the batch in the file."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"byte {position}: {reason}")


@dataclass(slots=True)
class Chunk:
    """Adjacent batches of a file, one element each, and the bytes of their records.

    positions     of the batches in the file
    headers       of `batches.HEADER`
    starts, ends  of each batch's records in data, which ends with PADDING
    """

    positions: Ints
    headers: npt.NDArray[Any]
    data: bytes
    starts: Ints
    ends: Ints

    def unreadable(self, batch: int, reason: str) -> UnreadableBatch:
        return UnreadableBatch(int(self.positions[batch]), reason)


class Walk:
    """One pass over the batches of a segment that have offsets of the task.

    verify_crc   check CRCs
    torn         afterwards: (byte, reason) of an ignored tail
    """

    __slots__ = (
        "_breaks",
        "_ends",
        "_found",
        "_last",
        "_next",
        "_options",
        "_task",
        "_view",
        "torn",
        "verify_crc",
    )

    def __init__(self, view: memoryview, task: Task, options: ScanOptions) -> None:
        self._view = view
        self._task = task
        self._options = options
        self._found = hop_around(view, task.skipped)
        headers = self._found.headers
        self._ends = self._found.positions + headers["length"].astype(np.int64) + LOG_OVERHEAD_BYTES
        # Offsets rise from batch to batch, so the selected batches are adjacent, except around damage.
        self._breaks = np.flatnonzero(self._found.positions[1:] != self._ends[:-1]) + 1
        self._next = int(np.searchsorted(self._found.next_offsets, task.first_offset, "right"))
        self._last = int(np.searchsorted(headers["base_offset"].astype(np.int64), task.end_offset))
        self.verify_crc = options.verify_crc
        self.torn: tuple[int, str] | None = None

    def chunks(self) -> Iterator[Chunk]:
        """Yield chunks from where an earlier pass failed, else from the beginning.

        Raises UnreadableBatch if a batch cannot be decompressed, PipelineError for bytes that are no batch.
        """
        while self._next < self._last:
            sound = self._sound(self._next, self._until(self._next))
            if sound == self._next:
                self._stop(int(self._found.positions[sound]), "the CRC differs")
                return
            chunk = self._chunk(self._next, sound)
            yield chunk
            self._next += len(chunk.positions)
        if self._last == len(self._ends) and self._found.reason is not None:
            self._stop(self._found.end, self._found.reason)

    def _until(self, first: int) -> int:
        """Return the index after the last batch that fits in one chunk with the first."""
        batches = slice(first, min(self._last, first + CHUNK_ROWS_MAX))
        rows = np.cumsum(self._found.headers["count"][batches], dtype=np.int64)
        held = self._ends[batches] - self._found.positions[first]
        fitting = np.searchsorted(rows, CHUNK_ROWS_MAX, "right"), np.searchsorted(held, CHUNK_BYTES_MAX)
        until = first + max(1, int(min(fitting)))
        return int(min([until, *self._breaks[self._breaks > first][:1]]))

    def _sound(self, first: int, until: int) -> int:
        """Return the index of the first batch with a wrong CRC; until if there is none."""
        if not self.verify_crc:
            return until
        view = self._view
        starts = (self._found.positions[first:until] + CRC_START).tolist()
        ends = self._ends[first:until].tolist()
        crcs = self._found.headers["crc"][first:until].tolist()
        for index, (start, end, crc) in enumerate(zip(starts, ends, crcs, strict=True), first):
            if crc32c(view[start:end]) != crc:
                return index
        return until

    def _chunk(self, first: int, until: int) -> Chunk:
        """Return a chunk, of fewer batches than requested if they are larger when decompressed."""
        codecs = self._found.headers["attributes"][first:until] & COMPRESSION_MASK
        if codecs.any():
            return self._decompressed(first, codecs.tolist())
        begin = int(self._found.positions[first])
        starts = self._found.positions[first:until] - begin + HEADER_BYTES
        data = b"".join((self._view[begin : int(self._ends[until - 1])], PADDING))
        return self._checked(first, data, starts, self._ends[first:until] - begin)

    def _decompressed(self, first: int, codecs: list[int]) -> Chunk:
        pieces: list[bytes | memoryview] = []
        ends: list[int] = []
        held = 0
        for index, codec in enumerate(codecs, first):
            pieces.append(self._record_bytes(index, codec))
            held += len(pieces[-1])
            ends.append(held)
            if held > CHUNK_BYTES_MAX:
                break
        starts = np.array([0, *ends[:-1]])
        return self._checked(first, b"".join((*pieces, PADDING)), starts, np.array(ends))

    def _record_bytes(self, index: int, codec: int) -> bytes | memoryview:
        position = int(self._found.positions[index])
        stored = self._view[position + HEADER_BYTES : int(self._ends[index])]
        try:
            return decompress(codec, stored, UNCOMPRESSED_BYTES_MAX) if codec else stored
        except CompressionError as problem:
            raise UnreadableBatch(position, str(problem)) from None

    def _checked(self, first: int, data: bytes, starts: Ints, ends: Ints) -> Chunk:
        """Raise an error if a batch claims more records than its bytes can hold."""
        batches = slice(first, first + len(starts))
        positions, headers = self._found.positions[batches], self._found.headers[batches]
        lies = np.flatnonzero(headers["count"] > (ends - starts) // RECORD_BYTES_MIN)
        if lies.size:
            at = int(lies[0])
            reason = f"{headers['count'][at]} records in {ends[at] - starts[at]} bytes"
            raise UnreadableBatch(int(positions[at]), reason)
        return Chunk(positions, headers, data, starts, ends)

    def _stop(self, position: int, reason: str) -> None:
        """Handle bytes that are no whole batch: the end if Kafka's recovery would truncate there, else an
        error.
        """
        ends = tail(self._view[position:], position, reason, self._task.segment, self._options.on_error)
        if ends.reason is not None:
            self.torn = (ends.byte, ends.reason)
