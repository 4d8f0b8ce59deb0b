"""From header to header through a segment, to the place where its batches end.

The last batch is proven by its CRC, so that the end is the one that Kafka's recovery would find.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from tidemark_pipeline.batches import Batches, hop
from tidemark_pipeline.files import Windows, open_windows
from tidemark_pipeline.model import OnError, Segment
from tidemark_pipeline.tail import Tail, tail
from tidemark_protocol.batch import (
    CONTROL,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    BatchError,
    check_crc,
    control_type,
    read_header,
    records,
)

CRC_DIFFERS: Final = "the CRC differs"
ControlRecord = int | BatchError


@dataclass(slots=True)
class Hopped:
    """A segment's batches. control_types: by the batch's position, an error where its record cannot be read.
    ends: where they do, None: with the file.
    """

    batches: Batches
    control_types: dict[int, ControlRecord]
    ends: Tail | None = None


def hop_segment(
    segment: Segment, *, start: int = 0, next_offset: int = 0, on_error: OnError = "stop_at_tail"
) -> Hopped:
    """All batches from byte start on. PipelineError for damage (`tail`), SegmentGone."""
    with open_windows(segment.path) as windows:
        hopped = _hop(windows, start, next_offset)
        _drop_unproven(windows, hopped, segment)
        batches = hopped.batches
        if batches.reason is not None:
            rest = windows.at(batches.end, windows.bytes - batches.end)
            hopped.ends = tail(rest, batches.end, batches.reason, segment, on_error)
        return hopped


def ending(segment: Segment, near: int) -> tuple[int, int | None]:
    """Offset behind the last whole batch, and its leader epoch (None: there is no batch).

    near: a byte at which a batch is said to begin; where none does, the segment is read from its start.
    """
    with open_windows(segment.path) as windows:
        start = near if near and _proven(windows, near) else 0
        hopped = _hop(windows, start, 0)
        _drop_unproven(windows, hopped, segment)
    headers = hopped.batches.headers
    if not len(headers):
        return segment.base_offset, None
    return int(hopped.batches.next_offsets[-1]), int(headers["leader_epoch"][-1])


def _hop(windows: Windows, start: int, next_offset: int) -> Hopped:
    parts: list[Batches] = []
    types: dict[int, ControlRecord] = {}
    while True:
        view = windows.at(start)
        part = hop(view, start, windows.bytes, next_offset)
        parts.append(part)
        types.update(_control_types(windows, view, start, part))
        if part.reason is not None or part.end >= windows.bytes:
            return Hopped(_joined(parts), types)
        if len(part.headers):
            next_offset = int(part.next_offsets[-1])
        start = part.end


def _control_types(
    windows: Windows, view: memoryview, start: int, part: Batches
) -> Iterator[tuple[int, ControlRecord]]:
    """Of the control batches that the cleaner has left their record."""
    headers = part.headers
    wanted = (headers["attributes"] & CONTROL != 0) & (headers["count"] > 0)
    sizes = headers["length"][wanted] + LOG_OVERHEAD_BYTES
    for position, size in zip(part.positions[wanted].tolist(), sizes.tolist(), strict=True):
        inside = position - start
        whole = view[inside : inside + size]
        yield position, _control_type(whole if len(whole) == size else windows.at(position, size))


def _control_type(batch: memoryview) -> ControlRecord:
    try:
        return control_type(records(batch, 0, read_header(batch))[0].key)
    except BatchError as error:
        return error


def _drop_unproven(windows: Windows, hopped: Hopped, segment: Segment) -> None:
    """Batches at the end of the log whose bytes are not those that the CRC was taken of."""
    batches = hopped.batches
    kept = len(batches.positions) if segment.is_last else 0
    while kept and not _proven(windows, int(batches.positions[kept - 1])):
        kept -= 1
    if segment.is_last and kept < len(batches.positions):
        end = int(batches.positions[kept])
        hopped.batches = Batches(batches.positions[:kept], batches.headers[:kept], end, CRC_DIFFERS)


def _proven(windows: Windows, position: int) -> bool:
    """Whether a whole batch begins there."""
    try:
        header = read_header(windows.at(position, HEADER_BYTES))
    except BatchError:
        return False
    return check_crc(windows.at(position, header.size), 0, header)


def _joined(parts: list[Batches]) -> Batches:
    if len(parts) == 1:
        return parts[0]
    return Batches(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.headers for part in parts]),
        parts[-1].end,
        parts[-1].reason,
    )
