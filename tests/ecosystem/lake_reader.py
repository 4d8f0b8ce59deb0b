"""`python lake_reader.py FORMAT TABLE FILE`: copy a table to a Parquet file, without Spark and our code."""

from __future__ import annotations

import sys

import pyarrow as pa
import pyarrow.parquet as pq


def read(form: str, table: str) -> pa.Table:
    if form == "delta":
        from deltalake import DeltaTable

        return pa.table(DeltaTable(table).to_pyarrow_table())
    from pyiceberg.table import StaticTable

    return StaticTable.from_metadata(table).scan().to_arrow()


form, table, file = sys.argv[1:]
pq.write_table(read(form, table), file)
