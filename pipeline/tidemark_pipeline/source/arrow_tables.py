"""The source's tables of a small log as Arrow tables, decoded on the driver.

Spark plans a Python data source with Python processes of its own, and reads it with others. For a small log
they need more time than everything else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from tidemark_pipeline.schemas import TABLES
from tidemark_pipeline.source.options import option_text, source_options
from tidemark_pipeline.source.scan import plan, read_task, scan_of

DECODED_BYTES_MAX: Final = 128 * 2**20  # the driver's heap has 1 GB or more


def arrow_table(paths: Sequence[str], table: str, **options: object) -> pa.Table | None:
    """Return the rows that `session.read_table` returns, in the order of the log.

    None if they need more than DECODED_BYTES_MAX, for example after decompression. Raises PipelineError as a
    scan by Spark does: nothing to read, or damage, with file, byte and reason.
    """
    given = {name: option_text(name, value) for name, value in options.items() if value is not None}
    asked = source_options({"paths": json.dumps(list(paths)), "table": table, **given})
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
