"""Classify the bytes after the last whole batch of a segment: nothing, zeros, a torn tail, or damage.

Kafka's recovery truncates a log at the first batch that is not whole. The pipeline follows it only if no
record is lost by that: at the end of the last segment. If a whole batch or another segment follows, the bytes
are damaged in the middle, and reading on would lose records silently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from struct import Struct
from typing import Final
from zlib import crc32

import numpy as np

from tidemark_pipeline.model import OnError, PipelineError, Segment
from tidemark_protocol.batch import LOG_OVERHEAD_BYTES, MAGIC, BatchError, Buffer, check_crc, read_header

_MAGIC_POSITION: Final = 16
_MAGIC: Final = re.compile(bytes([MAGIC]))
_PIECE_BYTES: Final = 1 << 20
RELATIVE_OFFSET_MAX: Final = 2**31 - 1  # the largest segment that an index can address
# The start of a message of Kafka before 0.11: offset, size, CRC, magic.
_OLD_MESSAGE: Final = Struct(">qiIb")
_OLD_MESSAGE_BYTES_MIN: Final = 14  # CRC, magic, attributes, two lengths
_OLD_CRC_START: Final = 16


@dataclass(slots=True, frozen=True)
class Tail:
    """The end of the batches of a segment.

    byte: the first after the last batch. reason None: only zeros follow, which `log.preallocate=true` leaves.
    """

    byte: int
    reason: str | None


def tail(rest: Buffer, byte: int, reason: str, segment: Segment, on_error: OnError) -> Tail:
    """Classify the rest of a segment. At byte begins something that is no whole batch, because of reason.

    Raises PipelineError for damage in the middle, and with on_error=fail for a torn tail.
    """
    where = f"{segment.path}, byte {byte}"
    if _is_old_message(rest):
        raise PipelineError(
            f"{where}: {reason}: a message of the format before Kafka 0.11, which is not read"
        )
    if not segment.is_last:
        raise PipelineError(f"{where}: {reason}, and further segments follow")
    used = _used(rest)
    if not used:
        return Tail(byte, None)
    following = _whole_batch(rest, used, segment.base_offset)
    if following is not None:
        raise PipelineError(f"{where}: {reason}, and a whole batch stands at byte {byte + following}")
    if on_error == "fail":
        raise PipelineError(f"{where}: {reason} (a torn tail, which on_error=stop_at_tail leaves out)")
    return Tail(byte, reason)


def next_whole(rest: Buffer, segment: Segment) -> int | None:
    """Return where the next whole batch begins, also at the first byte. None: there is none.

    Raises PipelineError for a message of an old format.
    """
    if _is_old_message(rest):
        raise PipelineError(f"{segment.path}: a message of the format before Kafka 0.11, which is not read")
    return _whole_batch(rest, _used(rest), segment.base_offset)


def _is_old_message(rest: Buffer) -> bool:
    """Return whether a whole message of the old format begins there."""
    if len(rest) < _OLD_MESSAGE.size:
        return False
    _, size, crc, magic = _OLD_MESSAGE.unpack_from(rest)
    end = LOG_OVERHEAD_BYTES + size
    if size < _OLD_MESSAGE_BYTES_MIN or end > len(rest) or not 0 <= magic < MAGIC:
        return False
    return crc32(memoryview(rest)[_OLD_CRC_START:end]) == int(crc)


def _used(rest: Buffer) -> int:
    """Return the number of bytes without the zeros at the end."""
    octets = np.frombuffer(rest, dtype=np.uint8)
    for start in range(len(octets) - len(octets) % _PIECE_BYTES, -1, -_PIECE_BYTES):
        used = np.flatnonzero(octets[start : start + _PIECE_BYTES])
        if len(used):
            return start + int(used[-1]) + 1
    return 0


def _whole_batch(rest: Buffer, used: int, base_offset: int) -> int | None:
    """Return where a whole batch begins, by magic, offset, length and CRC. None: nowhere.

    A whole batch at the first byte has wrong offsets.
    """
    for found in _MAGIC.finditer(rest, _MAGIC_POSITION, used):
        at = found.start() - _MAGIC_POSITION
        try:
            header = read_header(rest, at)
        except BatchError:
            continue
        # Blocks of other files may appear after a tail, but hardly where a batch should begin.
        plausible = not at or 0 <= header.base_offset - base_offset <= RELATIVE_OFFSET_MAX
        if plausible and header.last_offset_delta >= 0 and check_crc(rest, at, header):
            return at
    return None
