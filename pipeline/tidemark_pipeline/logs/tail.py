"""What stands behind the last whole batch of a segment: nothing, preallocated zeros, a torn tail, or damage.

Apache Kafka's recovery cuts a log in front of the first batch that is not whole, and everything behind it
goes. We follow it where nothing is lost by that, at the end of the last segment. Where a whole batch stands
behind a broken one, or another segment does, the bytes are damaged in the middle and nobody should go on in
silence.
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
_RELATIVE_OFFSET_MAX: Final = 2**31 - 1  # the indexes of a segment hold no more
# A message as Kafka wrote it before 0.11: offset, size of what follows, CRC of what follows that, magic.
_OLD_MESSAGE: Final = Struct(">qiIb")
_OLD_MESSAGE_BYTES_MIN: Final = 14  # CRC, magic, attributes, two lengths
_OLD_CRC_START: Final = 16


@dataclass(slots=True, frozen=True)
class Tail:
    """Where a segment's batches end. byte: the first that belongs to none. reason None: there are zeros only,
    as `log.preallocate=true` leaves them.
    """

    byte: int
    reason: str | None


def tail(rest: Buffer, byte: int, reason: str, segment: Segment, on_error: OnError) -> Tail:
    """What the rest of a segment is, which begins at byte with what is no whole batch (reason says why).

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


def _is_old_message(rest: Buffer) -> bool:
    """Whether a whole one begins there."""
    if len(rest) < _OLD_MESSAGE.size:
        return False
    _, size, crc, magic = _OLD_MESSAGE.unpack_from(rest)
    end = LOG_OVERHEAD_BYTES + size
    if size < _OLD_MESSAGE_BYTES_MIN or end > len(rest) or not 0 <= magic < MAGIC:
        return False
    return crc32(memoryview(rest)[_OLD_CRC_START:end]) == int(crc)


def _used(rest: Buffer) -> int:
    """How many bytes there are without the zeros at the end."""
    octets = np.frombuffer(rest, dtype=np.uint8)
    for start in range(len(octets) - len(octets) % _PIECE_BYTES, -1, -_PIECE_BYTES):
        used = np.flatnonzero(octets[start : start + _PIECE_BYTES])
        if len(used):
            return start + int(used[-1]) + 1
    return 0


def _whole_batch(rest: Buffer, used: int, base_offset: int) -> int | None:
    """Where one begins, by magic, offset, length and CRC. At the first byte it is one of wrong offsets."""
    for found in _MAGIC.finditer(rest, _MAGIC_POSITION, used):
        at = found.start() - _MAGIC_POSITION
        try:
            header = read_header(rest, at)
        except BatchError:
            continue
        # Blocks of other files may come to light behind a tail, but hardly where a batch was to begin.
        plausible = not at or 0 <= header.base_offset - base_offset <= _RELATIVE_OFFSET_MAX
        if plausible and header.last_offset_delta >= 0 and check_crc(rest, at, header):
            return at
    return None
