"""A source that decodes nothing: it returns rows of the same segments from Arrow files.

Its time is the minimum of any Python source in Spark.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from tidemark_pipeline.schemas import OFFSETS, spark_schema


class FloorSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return "floor"

    def schema(self) -> Any:
        return spark_schema(OFFSETS)

    def reader(self, schema: Any) -> DataSourceReader:
        return FloorReader(json.loads(self.options["files"]))


class FloorReader(DataSourceReader):
    def __init__(self, files: Sequence[str]) -> None:
        self._files = files

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(file) for file in self._files]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        with pa.memory_map(partition.value) as file:
            stored = pa.ipc.open_file(file)
            for at in range(stored.num_record_batches):
                yield stored.get_batch(at)


def store(path: Path, batches: Iterator[pa.RecordBatch]) -> int:
    """Write such a file. Returns its number of rows."""
    rows = 0
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, OFFSETS) as out:
        for batch in batches:
            out.write_batch(batch)
            rows += batch.num_rows
    return rows
