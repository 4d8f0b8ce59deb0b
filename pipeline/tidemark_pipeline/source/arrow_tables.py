"""The source's tables, decoded on the driver: of a small log as Arrow tables, of others as Parquet files.

Spark plans a Python data source with Python processes of its own, and reads it with others, for each scan
again. For a small log they need more time than everything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tidemark_pipeline.schemas import TABLES
from tidemark_pipeline.source.options import SourceOptions, option_text, source_options
from tidemark_pipeline.source.scan import plan, read_task, scan_of

OFFSETS: Final = "offsets"
SIEVED_BYTES: Final = 64 * 2**20
DECODED_BYTES_MAX: Final = 128 * 2**20  # the driver's heap has 1 GB or more


def arrow_table(paths: Sequence[str], table: str, **options: object) -> pa.Table | None:
    """Return the rows that `session.read_table` returns, in the order of the log.

    None if they need more than DECODED_BYTES_MAX, for example after decompression. Raises PipelineError as a
    scan by Spark does: nothing to read, or damage, with file, byte and reason.
    """
    asked = _asked(paths, table, options)
    scan = scan_of(asked)
    batches: list[pa.RecordBatch] = []
    left = DECODED_BYTES_MAX
    for task in plan(asked):
        for batch in read_task(task, scan):
            batches.append(batch)
            left -= batch.nbytes
            if left < 0:
                return None
    schema = TABLES[table]
    # Spark refuses a nested column without chunks, which a table of no batches has.
    return pa.Table.from_batches(batches, schema) if batches else schema.empty_table()


def write_parquet(folder: Path, paths: Sequence[str], table: str, **options: object) -> None:
    """Write the rows that `session.read_table` returns, a file for each segment. Creates the folder.

    Raises PipelineError as `arrow_table` does.
    """
    asked = _asked(paths, table, options)
    scan = scan_of(asked)
    folder.mkdir()
    for at, task in enumerate(plan(asked)):
        # Spark reads a file of this process once: compressing columns costs more than writing them.
        with parquet.ParquetWriter(folder / f"{at}.parquet", TABLES[table], compression="lz4") as file:
            for batch in read_task(task, scan):
                file.write_batch(batch)


def changes(paths: Sequence[str], table: str, **options: object) -> pa.Table | None:
    """Return the rows of `offsets` without the commits that only continue the one before them.

    These are commits of the same or a higher offset, before another such commit of their key. Removals and
    rewinds are the same without them. For another table, return all rows. Return None if DECODED_BYTES_MAX is
    not enough, as in `arrow_table`.
    """
    asked = _asked(paths, table, options)
    scan, schema = scan_of(asked), TABLES[table]
    found: list[pa.Table] = []
    left = DECODED_BYTES_MAX
    for _, tasks in groupby(plan(asked), key=lambda task: task.segment.log_partition):
        rows, new = schema.empty_table(), 0  # of this log partition; without its last rows
        for batch in (batch for task in tasks for batch in read_task(task, scan)):
            rows, new = pa.concat_tables([rows, pa.table(batch)]), new + batch.nbytes
            if new > SIEVED_BYTES:
                rows, new = _changes(rows) if table == OFFSETS else rows, 0
        found.append(_changes(rows) if table == OFFSETS else rows)
        left -= found[-1].nbytes
        if left < 0:
            return None
    return pa.concat_tables(found) if found else schema.empty_table()


def _changes(rows: pa.Table) -> pa.Table:
    """Return the rows of one log partition that are the last of their key, a tombstone, a commit of a lower
    offset than before, or a neighbour of these two.
    """
    if not rows.num_rows:
        return rows
    rows = rows.combine_chunks()
    removed = rows["committed_offset"].is_null().to_numpy()
    offset = rows["committed_offset"].fill_null(0).to_numpy()
    order = np.lexsort([_codes(rows[name]) for name in ("partition", "topic", "group")])  # it is stable
    removed, offset = removed[order], offset[order]
    same_key = np.ones(len(order) - 1, dtype=bool)
    for name in ("partition", "topic", "group"):
        codes = _codes(rows[name])[order]
        same_key &= codes[1:] == codes[:-1]
    changed = same_key & (removed[1:] | removed[:-1] | (offset[1:] < offset[:-1]))
    wanted = removed.copy()
    wanted[1:] |= changed
    wanted[:-1] |= changed | ~same_key
    wanted[-1] = True
    return rows.take(pa.array(np.sort(order[wanted])))


def _codes(column: pa.ChunkedArray) -> np.ndarray:
    """Return a number for each value, the same one for equal values."""
    coded: np.ndarray = column.combine_chunks().dictionary_encode().indices.to_numpy()
    return coded


def transactional_groups(paths: Sequence[str], **options: object) -> set[tuple[int, str]]:
    """Return log partition and name of groups with offsets in transactions, also aborted and open ones."""
    asked = _asked(paths, OFFSETS, {**options, "transactions": "all"})
    found: set[tuple[int, str]] = set()
    for task in plan(asked):
        for batch in read_task(task, scan_of(asked)):
            names = batch.filter(batch["transactional"])["group"].unique().to_pylist()
            found |= {(task.segment.log_partition, name) for name in names}
    return found


def group_names(paths: Sequence[str], **options: object) -> Iterator[set[str]]:
    """Yield the names of groups, as they are read. A name may be repeated."""
    for table in (OFFSETS, "groups"):
        asked = _asked(paths, table, options)
        for task in plan(asked):
            for batch in read_task(task, scan_of(asked)):
                yield set(batch["group"].unique().to_pylist())


def _asked(paths: Sequence[str], table: str, options: Mapping[str, object]) -> SourceOptions:
    given = {name: option_text(name, value) for name, value in options.items() if value is not None}
    return source_options({"paths": json.dumps(list(paths)), "table": table, **given})
