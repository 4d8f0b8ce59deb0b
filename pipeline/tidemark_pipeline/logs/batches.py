"""Read the headers of many record batches as columns.

A tight loop finds the batches by their lengths. The headers of all of them are then checked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final

import numpy as np

from tidemark_protocol.batch import HEADER_BYTES, LOG_OVERHEAD_BYTES, MAGIC, Buffer

# The same fields as tidemark_protocol.batch.HEADER, 61 bytes.
HEADER: Final = np.dtype(
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
_LENGTH: Final = Struct(">i")
_LENGTH_POSITION: Final = 8


@dataclass(slots=True, frozen=True)
class Batches:
    """Whole batches, in order.

    positions  the byte in the file at which each begins
    headers    of dtype HEADER
    end        the byte after the last batch
    reason     why no batch begins there; None: the file ends there, or the available part of it
    """

    positions: Any
    headers: Any
    end: int
    reason: str | None = None

    @property
    def next_offsets(self) -> Any:
        """The offset after the last record of each batch."""
        headers = self.headers
        return headers["base_offset"].astype(np.int64) + headers["last_offset_delta"] + 1


def hop(data: Buffer, start: int = 0, file_bytes: int | None = None, next_offset: int = 0) -> Batches:
    """Return the batches that begin in data, the bytes of a file from start on.

    file_bytes is the length of the file. If a batch ends after data but within the file, its header is
    enough. No offset may be below next_offset or below the end of the batch before it.
    """
    file_bytes = start + len(data) if file_bytes is None else file_bytes
    positions, end, reason = _positions(data, file_bytes - start)
    headers = _gather(data, positions)
    good, wrong = _first_wrong(headers, next_offset)
    if wrong is not None:
        positions, headers, end, reason = positions[:good], headers[:good], int(positions[good]), wrong
    return Batches(positions + start, headers, end + start, reason)


def hop_around(data: Buffer, skipped: Sequence[tuple[int, int]]) -> Batches:
    """Return the batches of a whole file, except within the skipped bytes."""
    parts: list[Batches] = []
    begin = next_offset = 0
    for stop, following in [*skipped, (len(data), len(data))]:
        part = hop(memoryview(data)[begin:stop], begin, stop, next_offset)
        parts.append(part)
        if part.reason is not None:
            break
        next_offset = int(part.next_offsets[-1]) if len(part.headers) else next_offset
        begin = following
    return joined(parts)


def joined(parts: Sequence[Batches]) -> Batches:
    """Return the batches of all parts, with the end of the last one."""
    if len(parts) == 1:
        return parts[0]
    return Batches(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.headers for part in parts]),
        parts[-1].end,
        parts[-1].reason,
    )


def _positions(data: Buffer, left: int) -> tuple[Any, int, str | None]:
    """Return where batches begin, the byte after them, and why they end there. left: bytes to the end of the
    file.
    """
    positions = []
    size_at = _LENGTH.unpack_from
    at = 0
    last = len(data) - HEADER_BYTES
    reason = None
    while at <= last:
        length = size_at(data, at + _LENGTH_POSITION)[0]
        following = at + length + LOG_OVERHEAD_BYTES
        if length < HEADER_BYTES - LOG_OVERHEAD_BYTES:
            reason = f"a batch length of {length} is less than its header"
            break
        if following > left:
            reason = f"the batch of {following - at} bytes is cut, {left - at} are left"
            break
        positions.append(at)
        at = following
    if reason is None and left - HEADER_BYTES < at < left:
        reason = f"a batch header needs {HEADER_BYTES} bytes, {left - at} are left"
    return np.array(positions, dtype=np.int64), at, reason


def _gather(data: Buffer, positions: Any) -> Any:
    if not len(positions):
        return np.empty(0, dtype=HEADER)
    # A header may begin at any byte. A strided view avoids an index of each byte of each header.
    anywhere: Any = np.ndarray((len(data) - HEADER_BYTES + 1,), HEADER, data, strides=(1,))
    return anywhere[positions]


def _first_wrong(headers: Any, next_offset: int) -> tuple[int, str | None]:
    """Return how many headers are sound, and the error of the next one. None: all are sound."""
    if not len(headers):
        return 0, None
    base = headers["base_offset"].astype(np.int64)
    delta = headers["last_offset_delta"].astype(np.int64)
    expected = np.concatenate(([next_offset], base[:-1] + delta[:-1] + 1))
    too_large = base + delta + 1 < base  # the sum may overflow
    unsound = (headers["magic"] != MAGIC) | (delta < 0) | (headers["count"] < 0) | (base < expected)
    unsound |= too_large
    at = int(np.argmax(unsound))
    if not unsound[at]:
        return len(headers), None
    if headers["magic"][at] != MAGIC:
        return at, f"magic {headers['magic'][at]} in place of {MAGIC}"
    if delta[at] < 0 or headers["count"][at] < 0:
        return at, f"{headers['count'][at]} records up to offset delta {delta[at]}"
    if too_large[at]:
        return at, f"offset {base[at]}, behind which none can come"
    return at, f"offset {base[at]}, expected {expected[at]} or a later one"
