"""Count the content of a segment, as one row of schemas.SEGMENTS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tidemark_pipeline import schemas
from tidemark_pipeline.decode.choice import in_offsets
from tidemark_pipeline.decode.chunks import Chunk, Walk
from tidemark_pipeline.decode.commits import OFFSET_KEYS
from tidemark_pipeline.decode.groups import GROUP_KEYS
from tidemark_pipeline.decode.records import Records
from tidemark_pipeline.model import Task
from tidemark_protocol.batch import CONTROL, LOG_OVERHEAD_BYTES

NO_VERSION: Final = "no version"  # the type of a record whose key is missing or too short


def counted(found: Iterator[Records], walk: Walk, task: Task) -> pa.RecordBatch:
    """Count all records of the task's offsets, with any outcome of their transactions."""
    counts: Counter[str] = Counter()
    types: Counter[str] = Counter()
    counted_chunk: Chunk | None = None
    for records in found:
        _count(counts, types, records.take(np.flatnonzero(in_offsets(records, task))))
        if records.chunk is not counted_chunk:
            counted_chunk = records.chunk
            sizes = counted_chunk.headers["length"].astype(np.int64) + LOG_OVERHEAD_BYTES
            counts["batches"] += len(sizes)
            counts["bytes"] += int(sizes.sum())
    torn_at, torn_reason = walk.torn or (None, None)
    row: dict[str, Any] = {
        "log_partition": task.segment.log_partition,
        "path": task.segment.path,
        "base_offset": task.segment.base_offset,
        **{name: counts[name] for name in ("bytes", "batches", "records", "offsets", "groups", "control")},
        "skipped": types.total(),
        "skipped_types": ", ".join(f"{name}: {count}" for name, count in sorted(types.items()) if count),
        "torn_at": torn_at,
        "torn_reason": torn_reason,
    }
    return pa.RecordBatch.from_pylist([row], schema=schemas.SEGMENTS)


def _count(counts: Counter[str], types: Counter[str], records: Records) -> None:
    control = records.of_batches("attributes") & CONTROL != 0
    data = records.take(np.flatnonzero(~control))
    versions = data.keys.versions()
    has_version = data.keys.have_version()
    of_offsets = has_version & (versions >= OFFSET_KEYS.start) & (versions < OFFSET_KEYS.stop)
    of_groups = has_version & (versions >= GROUP_KEYS.start) & (versions < GROUP_KEYS.stop)
    counts["records"] += len(records)
    counts["control"] += int(control.sum())
    counts["offsets"] += int(of_offsets.sum())
    counts["groups"] += int(of_groups.sum())
    types[NO_VERSION] += int((~has_version).sum())
    unknown = versions[has_version & ~of_offsets & ~of_groups]
    for version, count in zip(*np.unique(unknown, return_counts=True), strict=True):
        types[str(version)] += int(count)
