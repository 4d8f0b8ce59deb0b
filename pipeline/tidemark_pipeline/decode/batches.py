"""The batches of a segment in chunks, and the end of what can be read.

A chunk is what is decoded at one go: some tens of thousands of records, their bytes copied (decompressed
where needed) into one run, so that the file's own memory is not held longer than needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct, error
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from crc32c import crc32c

from tidemark_pipeline.decode.cutting import PADDING
from tidemark_pipeline.model import PipelineError, ScanOptions, Task
from tidemark_protocol.batch import (
    COMPRESSION_MASK,
    CRC_START,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC,
    UNCOMPRESSED_BYTES_MAX,
    BatchError,
    Buffer,
    read_header,
)
from tidemark_protocol.compression import CompressionError, decompress

CHUNK_ROWS_MAX: Final = 64 * 1024
CHUNK_BYTES_MAX: Final = 16 * 1024 * 1024
RECORD_BYTES_MIN: Final = 7  # length, attributes, two deltas, no key, no value, no headers
SEGMENT_OFFSETS_MAX: Final = 2**31  # an index holds offsets as int32 relative to the segment's base
SEARCH_WINDOW_BYTES: Final = 1024 * 1024

# Of a header what decides where the next one is and whether this one is read.
_HOP: Final = Struct(">qi4xbIhi30xi")
_HEADER: Final = np.dtype(
    [
        ("base_offset", ">i8"),
        ("length", ">i4"),
        ("leader_epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_offset_delta", ">i4"),
        ("base_timestamp", ">i8"),
        ("max_timestamp", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("count", ">i4"),
    ]
)


class UnreadableBatch(Exception):
    """What a batch holds cannot be read. position: of the batch in the file."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"byte {position}: {reason}")
        self.position = position
        self.reason = reason


@dataclass(slots=True)
class Chunk:
    """Batches of one file, one element each, and the bytes of their records.

    positions     of the batches in the file
    starts, ends  of each batch's records in data, behind which PADDING stands
    headers       structured: the fields as `BatchHeader` names them
    """

    data: bytes
    positions: list[int]
    starts: list[int]
    ends: list[int]
    counts: list[int]
    headers: npt.NDArray[Any]


@dataclass(slots=True)
class _Growing:
    """A chunk that is being filled. Batches that lie side by side uncompressed are copied as one piece."""

    view: memoryview
    pieces: list[Buffer] = field(default_factory=list)
    filled: int = 0
    run: tuple[int, int] | None = None  # of bytes in the file that belong to the chunk
    positions: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    rows: int = 0

    def add_plain(self, position: int, following: int) -> None:
        if self.run is None or self.run[1] != position:
            self._end_run()
            self.run = (position, position)
        start = self.filled + position - self.run[0]
        self.run = (self.run[0], following)
        self.starts.append(start + HEADER_BYTES)
        self.ends.append(start + following - position)

    def add_compressed(self, data: bytes) -> None:
        self._end_run()
        self._put(data)
        self.starts.append(self.filled - len(data))
        self.ends.append(self.filled)

    def _end_run(self) -> None:
        if self.run is not None:
            self._put(self.view[self.run[0] : self.run[1]])
            self.run = None

    def _put(self, piece: Buffer) -> None:
        self.pieces.append(piece)
        self.filled += len(piece)

    @property
    def is_full(self) -> bool:
        in_run = 0 if self.run is None else self.run[1] - self.run[0]
        return self.rows >= CHUNK_ROWS_MAX or self.filled + in_run >= CHUNK_BYTES_MAX

    def chunk(self) -> Chunk:
        self._end_run()
        headers: npt.NDArray[Any] = np.ndarray(
            (len(self.view) - HEADER_BYTES + 1,), _HEADER, self.view, strides=(1,)
        )[self.positions]
        data = b"".join([*self.pieces, PADDING])
        return Chunk(data, self.positions, self.starts, self.ends, self.counts, headers)


class Walk:
    """One way through a segment.

    After it: end, the position behind the last batch that was read or passed over; torn, (byte, reason) of
    a tail that was left out. Zeros of preallocation are an end, nothing torn.
    """

    __slots__ = ("_chunk_start", "_options", "_task", "_view", "end", "torn", "verify_crc")

    def __init__(self, view: memoryview, task: Task, options: ScanOptions) -> None:
        self._view = view
        self._task = task
        self._options = options
        self._chunk_start = 0
        self.verify_crc = options.verify_crc
        self.end = 0
        self.torn: tuple[int, str] | None = None

    def go_back_and_verify(self) -> None:
        """To where the chunk begins in which something could not be read. `chunks` goes on from there."""
        self.end = self._chunk_start
        self.verify_crc = True

    def chunks(self) -> Iterator[Chunk]:
        """Raises UnreadableBatch where one cannot be decompressed, PipelineError for what is no batch."""
        growing = _Growing(self._view)
        for position, following, codec, count in self._batches():
            if (growing.rows and growing.rows + count > CHUNK_ROWS_MAX) or growing.is_full:
                yield growing.chunk()
                growing = _Growing(self._view)
                self._chunk_start = position
            if codec:
                growing.add_compressed(self._decompressed(position, following, codec))
            else:
                growing.add_plain(position, following)
            growing.positions.append(position)
            growing.counts.append(count)
            growing.rows += count
            held = growing.ends[-1] - growing.starts[-1]
            if not 0 <= count * RECORD_BYTES_MIN <= held:
                raise UnreadableBatch(position, f"{count} records in {held} bytes")
        if growing.positions:
            yield growing.chunk()

    def _decompressed(self, position: int, following: int, codec: int) -> bytes:
        try:
            return decompress(codec, self._view[position + HEADER_BYTES : following], UNCOMPRESSED_BYTES_MAX)
        except CompressionError as problem:
            raise UnreadableBatch(position, str(problem)) from None

    def _batches(self) -> Iterator[tuple[int, int, int, int]]:
        """Position, position behind, codec and record count of each batch whose offsets are asked for."""
        view, verify = self._view, self.verify_crc
        first_offset, end_offset = self._task.first_offset, self._task.end_offset
        size = len(view)
        position = self.end
        while position < size:
            try:
                base_offset, length, magic, crc, attributes, last_delta, count = _HOP.unpack_from(
                    view, position
                )
            except error:
                self._stop(position)
                return
            following = position + length + LOG_OVERHEAD_BYTES
            if magic != MAGIC or length < HEADER_BYTES - LOG_OVERHEAD_BYTES or following > size:
                self._stop(position)
                return
            if base_offset >= end_offset:
                return
            if base_offset + last_delta >= first_offset:
                if verify and crc32c(view[position + CRC_START : following]) != crc:
                    self._stop(position)
                    return
                yield position, following, attributes & COMPRESSION_MASK, count
            self.end = position = following

    def _stop(self, position: int) -> None:
        """At what is no whole batch: an end where the broker's recovery would cut, else an error."""
        segment = self._task.segment
        if segment.is_last and _only_zeros(self._view, position):
            return
        reason = _what_is_wrong(self._view, position)
        if self._options.on_error == "fail":
            raise _broken(segment.path, position, reason)
        if not segment.is_last:
            raise _broken(segment.path, position, f"{reason}, and the log goes on in another segment")
        following = _next_whole_batch(self._view, position + 1, segment.base_offset)
        if following is not None:
            raise _broken(segment.path, position, f"{reason}, and a whole batch follows at byte {following}")
        self.torn = (position, reason)


def _broken(path: str, position: int, reason: str) -> PipelineError:
    return PipelineError(f"{path}: byte {position}: {reason}")


def _what_is_wrong(view: memoryview, position: int) -> str:
    try:
        header = read_header(view, position)
    except BatchError as problem:
        return "only zeros follow" if _only_zeros(view, position) else str(problem)
    left = len(view) - position
    if header.size > left:
        return f"a batch of {header.size} bytes is cut, {left} are left"
    return "the CRC differs"


def _only_zeros(view: memoryview, position: int) -> bool:
    return not any(
        np.frombuffer(view[start : start + SEARCH_WINDOW_BYTES], np.uint8).any()
        for start in range(position, len(view), SEARCH_WINDOW_BYTES)
    )


def _next_whole_batch(view: memoryview, position: int, segment_base_offset: int) -> int | None:
    """Where one begins, from position on, whose CRC is right and whose offsets may be of this segment."""
    last = len(view) - HEADER_BYTES
    for start in range(position, last + 1, SEARCH_WINDOW_BYTES):
        window = view[start : min(len(view), start + SEARCH_WINDOW_BYTES + HEADER_BYTES - 1)]
        headers: npt.NDArray[Any] = np.ndarray(
            (len(window) - HEADER_BYTES + 1,), _HEADER, window, strides=(1,)
        )
        found = np.flatnonzero(headers["magic"] == MAGIC)
        likely = headers[found]
        ends = start + found + likely["length"].astype(np.int64) + LOG_OVERHEAD_BYTES
        offsets = likely["base_offset"].astype(np.int64) - segment_base_offset
        fits = (likely["length"] >= HEADER_BYTES - LOG_OVERHEAD_BYTES) & (ends <= len(view))
        fits &= (offsets >= 0) & (offsets < SEGMENT_OFFSETS_MAX)
        for index in np.flatnonzero(fits):
            begin = start + int(found[index])
            if crc32c(view[begin + CRC_START : int(ends[index])]) == likely["crc"][index]:
                return begin
    return None
