"""Which records of a chunk are wanted: by offset, by time, and by what became of their transaction."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from tidemark_pipeline.decode.chunks import Chunk
from tidemark_pipeline.decode.cutting import Flags
from tidemark_pipeline.decode.records import Records
from tidemark_pipeline.model import Marker, ScanOptions, Task, Transactions
from tidemark_protocol.batch import CONTROL, TRANSACTIONAL


def in_offsets(records: Records, task: Task) -> Flags:
    return (records.offsets >= task.first_offset) & (records.offsets < task.end_offset)


def in_time(records: Records, options: ScanOptions) -> Flags:
    if options.as_of_ms is None:
        return np.ones(len(records), np.bool_)
    return records.timestamps <= options.as_of_ms


def in_transactions(records: Records, task: Task, wanted: Transactions) -> Flags:
    """Records of batches whose outcome is wanted. What is in no transaction, and a marker, is committed."""
    return _wanted_batches(records.chunk, task, wanted)[records.batch]


def _wanted_batches(chunk: Chunk, task: Task, wanted: Transactions) -> Flags:
    flags = chunk.headers["attributes"] & (TRANSACTIONAL | CONTROL)
    found = np.full(len(flags), wanted != "open")
    if wanted == "all":
        return found
    for index in np.flatnonzero(flags == TRANSACTIONAL).tolist():
        header = chunk.headers[index]
        markers = task.markers.get(int(header["producer_id"]), ())
        outcome = decided(markers, int(header["base_offset"]))
        found[index] = outcome is None if wanted == "open" else outcome is True
    return found


def decided(markers: Sequence[Marker], base_offset: int) -> bool | None:
    """Whether the batch there was committed; None: its transaction is open."""
    place = bisect_right(markers, base_offset, key=lambda marker: marker.offset)
    return markers[place].committed if place < len(markers) else None
