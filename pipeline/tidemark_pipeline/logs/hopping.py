"""Go from batch header to batch header through a segment, to the end of its batches.

The CRC of the last batch is checked, so the end is the one that Kafka's recovery would find.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tidemark_pipeline.logs.batches import Batches, hop, joined
from tidemark_pipeline.logs.files import Windows, open_windows
from tidemark_pipeline.logs.tail import RELATIVE_OFFSET_MAX, Tail, next_whole, tail
from tidemark_pipeline.model import OnError, PipelineError, Segment
from tidemark_protocol.batch import (
    COMPRESSION_MASK,
    CONTROL,
    CRC_START,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    BatchError,
    check_crc,
    control_type,
    read_header,
    records,
)
from tidemark_protocol.checksum import crc32c

CRC_DIFFERS: Final = "the CRC differs"
ControlRecord = int | BatchError

# The first bytes of a marker's record, after its length of one byte: no attributes, no deltas, a key of
# four bytes, version 0. The type follows.
_USUAL: Final = (0, 0, 0, 8, 0, 0)
_TYPE_BYTES: Final = 2
_USUAL_BYTES: Final = 1 + len(_USUAL) + _TYPE_BYTES
_VARINT_MAX: Final = 127
_MARKER_BYTES_MAX: Final = 64 * 1024  # decompressed; Kafka's markers have 17 bytes


@dataclass(slots=True)
class Hopped:
    """The batches of a segment.

    control_types  by position of the batch; an error if its record cannot be read
    ends           where the batches end; None: at the end of the file
    damaged        (begin, end, reason) of bytes that were skipped
    """

    batches: Batches
    control_types: dict[int, ControlRecord]
    ends: Tail | None = None
    damaged: Sequence[tuple[int, int, str]] = ()


def hop_segment(
    segment: Segment,
    *,
    start: int = 0,
    next_offset: int = 0,
    end_offset: int | None = None,
    on_error: OnError = "stop_at_tail",
) -> Hopped:
    """Return all batches from byte start on.

    on_error=skip: check all CRCs, and skip bytes that are no whole batch, and batches that reach beyond
    end_offset, where the next segment begins. Otherwise, raises PipelineError for
    damage (see `tail`). Raises SegmentGone.
    """
    if on_error == "skip":
        found = _around_damage(segment, start, next_offset, end_offset)
        # A broker that is writing may have completed the batch meanwhile.
        again = segment.is_last and found.damaged
        return _around_damage(segment, start, next_offset, end_offset) if again else found
    with open_windows(segment.path) as windows:
        return _hopped(windows, segment, start, next_offset, on_error)


def _hopped(windows: Windows, segment: Segment, start: int, next_offset: int, on_error: OnError) -> Hopped:
    """Return the batches, reading again if a broker is writing to the last segment.

    A broker writes into preallocated zeros. A whole batch after an incomplete one is damage only if a second
    look does not get further.
    """
    types: dict[int, ControlRecord] = {}
    found: list[Batches] = []
    stuck_at: int | None = None
    while True:
        parts: list[Batches] = []
        for view, begin, part in _parts(windows, start, next_offset):
            types.update(_control_types(windows, view, begin, part))
            parts.append(part)
        batches = _proven_batches(windows, joined(parts), segment)
        found.append(batches)
        if batches.reason is None:
            return Hopped(joined(found), types)
        rest = windows.at(batches.end, windows.bytes - batches.end)
        try:
            return Hopped(joined(found), types, tail(rest, batches.end, batches.reason, segment, on_error))
        except PipelineError:
            if not segment.is_last or batches.end == stuck_at:
                raise
        start = stuck_at = batches.end
        if len(batches.positions):
            next_offset = int(batches.next_offsets[-1])


def _around_damage(segment: Segment, start: int, next_offset: int, end_offset: int | None) -> Hopped:
    """Return the whole batches with correct CRCs and rising offsets, wherever they are."""
    types: dict[int, ControlRecord] = {}
    parts: list[Batches] = []
    damaged: list[tuple[int, int, str]] = []
    ends: Tail | None = None
    with open_windows(segment.path) as windows:
        data = windows.at(start, windows.bytes - start)
        at, length = start, start + len(data)
        while True:
            part = _sound(data, start, hop(data[at - start :], at, length))
            types.update(_control_types(windows, data, start, part))
            parts.append(part)
            if part.reason is None:
                break
            rest = data[part.end - start :]
            following = next_whole(rest, segment)
            if following is None and segment.is_last:
                ends = tail(rest, part.end, part.reason, segment, "stop_at_tail")
                break
            if following == 0 and not len(part.positions):  # its offset is none, and no batch before is wrong
                following = read_header(rest).size
            at = length if following is None else part.end + following
            if following != 0:
                damaged.append((part.end, at, part.reason))
    found = joined(parts)
    rising = _rising(found, max(next_offset, segment.base_offset), end_offset)
    for index in np.flatnonzero(~rising).tolist():
        begin, header = int(found.positions[index]), found.headers[index]
        end = begin + int(header["length"]) + LOG_OVERHEAD_BYTES
        damaged.append((begin, end, f"offset {header['base_offset']} is out of order"))
    chosen = Batches(found.positions[rising], found.headers[rising], found.end, found.reason)
    return Hopped(chosen, types, ends, sorted(damaged))


def _rising(batches: Batches, least: int, end_offset: int | None) -> Any:
    """Return which batches to keep, so that offsets rise from least on to below end_offset, and as few as
    possible are left out.

    The CRC does not cover the offset of a batch.
    """
    bases, nexts = batches.headers["base_offset"].astype(np.int64), batches.next_offsets
    keep = (bases >= least) & (bases <= least + RELATIVE_OFFSET_MAX)
    if end_offset is not None:
        keep &= nexts <= end_offset
    if keep.all() and (bases[1:] >= nexts[:-1]).all():
        return keep
    # The longest chain: ends[n] is the lowest offset at which one of n + 1 batches ends, at batch last[n].
    ends: list[int] = []
    last: list[int] = []
    before: dict[int, int] = {}
    for index in np.flatnonzero(keep).tolist():
        longer = bisect_right(ends, bases[index])
        before[index] = last[longer - 1] if longer else -1
        if longer == len(ends):
            ends.append(int(nexts[index]))
            last.append(index)
        elif nexts[index] < ends[longer]:
            ends[longer], last[longer] = int(nexts[index]), index
    keep[:] = False
    index = last[-1] if last else -1
    while index >= 0:
        keep[index] = True
        index = before[index]
    return keep


def _sound(data: memoryview, start: int, part: Batches) -> Batches:
    """Return the batches before the first one whose CRC is wrong. data: the file from byte start on."""
    begins = (part.positions - start).tolist()
    sizes = (part.headers["length"].astype(np.int64) + LOG_OVERHEAD_BYTES).tolist()
    crcs = part.headers["crc"].tolist()
    for index, (begin, size, crc) in enumerate(zip(begins, sizes, crcs, strict=True)):
        if crc32c(data[begin + CRC_START : begin + size]) != crc:
            return Batches(part.positions[:index], part.headers[:index], begin + start, CRC_DIFFERS)
    return part


def ending(segment: Segment, near: int) -> tuple[int, int | None]:
    """Return the offset after the last whole batch, and its leader epoch. None: there is no batch.

    near: a byte at which a batch should begin. If none does, the segment is read from its start.
    """
    with open_windows(segment.path) as windows:
        start = near if near > 0 and _proven(windows, near) else 0
        batches = joined([part for _, _, part in _parts(windows, start, 0)])
        batches = _proven_batches(windows, batches, segment)
    if not len(batches.headers):
        return segment.base_offset, None
    return int(batches.next_offsets[-1]), int(batches.headers["leader_epoch"][-1])


def _parts(windows: Windows, start: int, next_offset: int) -> Iterator[tuple[memoryview, int, Batches]]:
    """Yield parts of the file, where they begin in it, and the batches that begin in them."""
    while True:
        view = windows.at(start)
        part = hop(view, start, windows.bytes, next_offset)
        yield view, start, part
        if part.reason is not None or part.end >= windows.bytes:
            return
        if len(part.headers):
            next_offset = int(part.next_offsets[-1])
        start = part.end


def _control_types(
    windows: Windows, view: memoryview, start: int, part: Batches
) -> Iterator[tuple[int, ControlRecord]]:
    """Return the types of control batches whose record the cleaner has kept."""
    headers = part.headers
    wanted = (headers["attributes"] & CONTROL != 0) & (headers["count"] > 0)
    positions, headers = part.positions[wanted], headers[wanted]
    at_hand = (positions - start + HEADER_BYTES + _USUAL_BYTES <= len(view)) & (
        headers["attributes"] & COMPRESSION_MASK == 0
    )
    usual, types = _usual_types(view, positions[at_hand] - start + HEADER_BYTES)
    at_hand[at_hand] = usual
    yield from zip(positions[at_hand].tolist(), types.tolist(), strict=True)
    sizes = headers["length"][~at_hand] + LOG_OVERHEAD_BYTES
    for position, size in zip(positions[~at_hand].tolist(), sizes.tolist(), strict=True):
        yield position, _control_type(windows.at(position, size)[:size])


def _usual_types(view: memoryview, begins: Any) -> tuple[Any, Any]:
    """Return which of the records have the usual form of a marker, and the types of those."""
    octets = np.frombuffer(view, dtype=np.uint8)
    usual = octets[begins] <= _VARINT_MAX if len(begins) else np.empty(0, dtype=bool)
    for at, expected in enumerate(_USUAL, 1):
        usual &= octets[begins + at] == expected
    types = begins[usual] + _USUAL_BYTES - _TYPE_BYTES
    return usual, octets[types].astype(int) << 8 | octets[types + 1]


def _control_type(batch: memoryview) -> ControlRecord:
    try:
        header = read_header(batch)
        if header.count != 1:
            raise BatchError(f"{header.count} records in place of one")
        return control_type(records(batch, 0, header, _MARKER_BYTES_MAX)[0].key)
    except BatchError as error:
        return error


def _proven_batches(windows: Windows, batches: Batches, segment: Segment) -> Batches:
    """Return the batches without those at the end of the log whose CRC is wrong."""
    if not segment.is_last:
        return batches
    kept = found = len(batches.positions)
    while kept and not _proven(windows, int(batches.positions[kept - 1])):
        kept -= 1
    if kept == found:
        return batches
    return Batches(
        batches.positions[:kept], batches.headers[:kept], int(batches.positions[kept]), CRC_DIFFERS
    )


def _proven(windows: Windows, position: int) -> bool:
    """Return whether a whole batch with a correct CRC begins there."""
    try:
        header = read_header(windows.at(position, HEADER_BYTES))
    except BatchError:
        return False
    return check_crc(windows.at(position, header.size), 0, header)
