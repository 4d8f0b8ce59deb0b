"""Keep the last row of each key, first in each chunk before its fields are decoded, then in the segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from tidemark_pipeline.decode.chunks import CHUNK_ROWS_MAX
from tidemark_pipeline.decode.cutting import Flags, Ints, Slices

HELD_ROWS_MAX: Final = 512 * 1024  # keys; beyond that, rows are returned as they are
_KEYS: Final = {
    "offsets": ("group", "topic", "partition"),
    "groups": ("key",),
    "raw": ("key",),
    "share_state": ("record_type", "group", "topic_id", "partition"),
}
_ROW: Final = "row"


def latest_rows(keys: Slices, all_of: Flags | None = None) -> Ints:
    """Return the last row of each key, in order, and all rows in all_of."""
    codes = (
        keys.cutter.binaries(keys.starts, keys.ends)
        .dictionary_encode()
        .indices.to_numpy(zero_copy_only=False)
    )
    last = np.full(int(codes.max(initial=-1)) + 1, -1)
    rows = np.arange(len(codes))
    counted = rows if all_of is None else rows[~all_of]
    last[codes[counted]] = counted
    last = last[last >= 0]
    return np.sort(last if all_of is None else np.concatenate([last, rows[all_of]]))


def latest(batches: Iterator[pa.RecordBatch], table: str) -> Iterator[pa.RecordBatch]:
    """Return the last row of each key of several batches. With more keys than HELD_ROWS_MAX, earlier rows
    too.
    """
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows > HELD_ROWS_MAX:
            held = _last_of_all(held, table)
            rows = sum(each.num_rows for each in held)
            if rows > HELD_ROWS_MAX // 2:
                yield from held
                held, rows = [], 0
    yield from _last_of_all(held, table)


def _last_of_all(batches: Sequence[pa.RecordBatch], table: str) -> list[pa.RecordBatch]:
    if len(batches) < 2:
        return list(batches)
    whole = pa.Table.from_batches(batches)
    keys = whole.select(_KEYS[table]).append_column(_ROW, pa.array(np.arange(whole.num_rows)))
    found = keys.group_by(_KEYS[table], use_threads=False).aggregate([(_ROW, "max")])
    rows = np.sort(found[f"{_ROW}_max"].to_numpy())
    if table == "raw":
        rows = np.union1d(rows, np.flatnonzero(whole["key_version"].is_null().to_numpy()))
    kept = whole.take(pa.array(rows)).combine_chunks()
    made: list[pa.RecordBatch] = kept.to_batches(max_chunksize=CHUNK_ROWS_MAX)
    return made
