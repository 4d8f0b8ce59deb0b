"""`spark.read.format("tidemark")`: read `__consumer_offsets` from its segments, one input partition for
each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, Filter, InputPartition

from tidemark_pipeline.model import PipelineError, ScanOptions, Task
from tidemark_pipeline.schemas import TABLES, spark_schema
from tidemark_pipeline.source.loading import FORMAT, note, noted
from tidemark_pipeline.source.options import SourceOptions, source_options
from tidemark_pipeline.source.pruning import EVERYTHING, Pruning
from tidemark_pipeline.source.pushdown import filters_are_asked_for, pruning
from tidemark_pipeline.source.scan import as_wanted, plan, read_task, scan_of

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceStreamReader
    from pyspark.sql.types import StructType


class TidemarkDataSource(DataSource):  # type: ignore[misc] # Any to mypy
    """The data source. options.py parses its options, which docs/pipeline.md documents."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        return spark_schema(TABLES[source_options(self.options).scan.table])

    def reader(self, schema: StructType) -> DataSourceReader:
        options = source_options(self.options)
        _check(schema, options.scan.table)
        return (PruningReader if filters_are_asked_for() else TidemarkReader)(options, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 # Spark's name
        from tidemark_pipeline.source.stream import TidemarkStreamReader

        made: Any = TidemarkStreamReader(source_options(self.options), schema)
        return made


class TidemarkReader(DataSourceReader):  # type: ignore[misc]
    """Reads one table. schema: some of the table's columns."""

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        self.options = options
        self.schema = schema

    def partitions(self) -> list[InputPartition]:
        return self._partitions(EVERYTHING)

    def _partitions(self, asked: Pruning) -> list[InputPartition]:
        scan = scan_of(self.options, asked)
        planned = [InputPartition((task, scan)) for task in plan(self.options, asked)]
        return planned or [InputPartition(None)]  # Spark would invent one if there were none

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if partition.value is None:
            return
        planned: tuple[Task, ScanOptions] = partition.value
        for batch in read_task(*planned):
            yield as_wanted(batch, self.schema)


class PruningReader(TidemarkReader):
    """The reader in the worker to which Spark passes the filters of a scan. Spark evaluates them again."""

    def pushFilters(self, filters: list[Filter]) -> list[Filter]:  # noqa: N802 # Spark's name
        if self.options.relation is not None:
            note(self.options.relation, self._pruning(filters))
        return filters

    def _pruning(self, filters: list[Filter]) -> Pruning:
        """Return the pruning, without bounds of offsets if only the last record of each key is read: they
        would change it.
        """
        asked = pruning(filters)
        return asked.of_all_offsets() if self.options.scan.latest_only else asked

    def partitions(self) -> list[InputPartition]:
        if self.options.relation is None:
            return self._partitions(EVERYTHING)
        with noted(self.options.relation) as asked:
            return self._partitions(asked)


def _check(given: StructType, table: str) -> None:
    """Raise PipelineError if a schema of the user does not match the table's columns."""
    columns = {field.name: field.dataType.simpleString() for field in spark_schema(TABLES[table])}
    for field in given:
        of_table, wanted = columns.get(field.name), field.dataType.simpleString()
        if of_table is None:
            raise PipelineError(f"the table {table} has no column {field.name}")
        if of_table != wanted:
            raise PipelineError(f"the column {field.name} of the table {table} is {of_table}, not {wanted}")
