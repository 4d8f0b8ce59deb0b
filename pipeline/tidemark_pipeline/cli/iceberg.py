"""Write Iceberg tables with the Java library in Iceberg's Spark package.

Iceberg's sink is made for Spark 4.1, and Spark 4.2 cannot load it. The library beneath it does not depend on
Spark: Spark writes Parquet files, and the library commits them. A table is a directory, as in a Hadoop
catalog.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli import hadoop

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

QUERY: Final = "tidemark.query-id"  # properties of a table that --follow writes
BATCH: Final = "tidemark.batch-id"
FACTS: Final = "tidemark"  # in the summary of a snapshot
NAMES: Final = "schema.name-mapping.default"  # Spark's Parquet files have names of columns, but no ids
PROPERTIES: Final = {
    "format-version": "2",
    # Only metadata files, not snapshots. Otherwise they would need more space than the rows.
    "write.metadata.delete-after-commit.enabled": "true",
}
PRIMITIVES: Final = {
    "string": "string",
    "boolean": "boolean",
    "integer": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
}
SUCCESS_FILE: Final = "mapreduce.fileoutputcommitter.marksuccessfuljobs"
SMALL: Final = ("byte", "short")  # Iceberg has no integers of less than 32 bits
_METADATA: Final = re.compile(r"v(\d+)\.metadata\.json")


def replace(table: DataFrame, out: str, facts: Mapping[str, object]) -> None:
    """Replace the table at this URL in one commit, or create it. Earlier snapshots stay readable."""
    rows = widened(table)
    target = _Target(rows.sparkSession, out)
    commit = target.replacement(rows.schema)
    files = target.written(rows, target.new_id(), commit.names(target.iceberg))
    commit.append(files, {FACTS: json.dumps(facts, ensure_ascii=False)})
    commit.finish()


def appender(out: str, checkpoint: str) -> Callable[[DataFrame, int], None]:
    """Return the function for foreachBatch that appends each micro-batch of a query exactly once.

    checkpoint: the URL of the query's checkpoint, which has its id.

    The commit that adds the rows also records query and micro-batch in the properties of the table, so a
    micro-batch that Spark repeats after a kill is skipped if it was committed.
    """

    def append(batch: DataFrame, number: int) -> None:
        rows = widened(batch)
        query = _query_id(rows.sparkSession, checkpoint)
        target = _Target(rows.sparkSession, out)
        if target.newest_batch(query) >= number:
            return
        commit = target.addition() if target.exists else target.replacement(rows.schema)
        # A killed run may have left files of this micro-batch. They are overwritten.
        files = target.written(rows, f"{query}-{number}", commit.names(target.iceberg))
        commit.append(files, {})
        commit.record({QUERY: query, BATCH: str(number)})
        commit.finish()

    return append


def _query_id(spark: SparkSession, checkpoint: str) -> str:
    return str(json.loads(hadoop.read_text(spark, f"{checkpoint}/metadata"))["id"])


def newest_batch(out: Path) -> tuple[str, int] | None:
    """Return the query and the micro-batch that a local table has recorded last. Needs no Spark."""
    found = {int(named[1]): path for path in _metadata_files(out) if (named := _METADATA.match(path.name))}
    if not found:
        return None
    properties = json.loads(found[max(found)].read_bytes())["properties"]
    return properties.get(QUERY, ""), int(properties.get(BATCH, -1))


def _metadata_files(out: Path) -> Iterator[Path]:
    return (out / "metadata").glob("v*.metadata.json")


def widened(table: DataFrame) -> DataFrame:
    """Return the table with int instead of tinyint and smallint, also within arrays and structs."""
    from pyspark.sql import functions as f

    fields = table.schema.fields
    return table.select(
        [f.col(f"`{field.name}`").cast(_wide(field.dataType)).alias(field.name) for field in fields]
    )


def _wide(kind: DataType) -> DataType:
    from pyspark.sql.types import ArrayType, IntegerType, StructField, StructType

    if isinstance(kind, ArrayType):
        return ArrayType(_wide(kind.elementType), kind.containsNull)
    if isinstance(kind, StructType):
        return StructType([StructField(each.name, _wide(each.dataType), each.nullable) for each in kind])
    return IntegerType() if kind.typeName() in SMALL else kind


def schema_json(schema: StructType) -> dict[str, Any]:
    """Return the schema as Iceberg's JSON. Every column is optional. Iceberg assigns ids of its own."""
    return _struct(schema, count(1))


def _struct(schema: StructType, ids: count[int]) -> dict[str, Any]:
    fields = [
        {"id": next(ids), "name": each.name, "required": False, "type": _type(each.dataType, ids)}
        for each in schema
    ]
    return {"type": "struct", "fields": fields}


def _type(kind: DataType, ids: count[int]) -> object:
    from pyspark.sql.types import ArrayType, StructType

    if isinstance(kind, StructType):
        return _struct(kind, ids)
    if isinstance(kind, ArrayType):
        element = next(ids)
        return {
            "type": "list",
            "element-id": element,
            "element": _type(kind.elementType, ids),
            "element-required": False,
        }
    return PRIMITIVES[kind.typeName()]


def merged_names(new: str, old: str | None) -> str:
    """Return the mapping of names to ids with the columns of earlier snapshots that are not in new."""
    entries = json.loads(new)
    names = {name for entry in entries for name in entry["names"]}
    kept = [entry for entry in json.loads(old or "[]") if not names & set(entry["names"])]
    return json.dumps(entries + kept)


@dataclass(frozen=True)
class _Target:
    """A table of Iceberg's library at a URL."""

    spark: SparkSession
    url: str

    @cached_property
    def iceberg(self) -> Any:
        jvm: Any = self.spark._jvm
        return jvm.org.apache.iceberg

    @cached_property
    def conf(self) -> Any:
        return hadoop.configuration(self.spark)

    def new_id(self) -> str:
        jvm: Any = self.spark._jvm
        return str(jvm.java.util.UUID.randomUUID().toString())

    @cached_property
    def tables(self) -> Any:
        return self.iceberg.hadoop.HadoopTables(self.conf)

    @cached_property
    def exists(self) -> bool:
        return bool(self.tables.exists(self.url))

    @cached_property
    def properties(self) -> Mapping[str, str]:
        return dict(self.tables.load(self.url).properties()) if self.exists else {}

    def newest_batch(self, query: str) -> int:
        """Return the newest committed micro-batch of the query; -1: none."""
        return int(self.properties[BATCH]) if self.properties.get(QUERY) == query else -1

    def written(self, rows: DataFrame, name: str, names: Any) -> list[Any]:
        """Write the rows as Parquet files, and return them as Iceberg's descriptions of data files."""
        folder = f"{self.url}/data/{name}"
        rows.write.mode("overwrite").option(SUCCESS_FILE, "false").parquet(folder)
        jvm: Any = self.spark._jvm
        path = jvm.org.apache.hadoop.fs.Path(folder)
        listed = path.getFileSystem(self.conf).listStatus(path)
        parts = [each for each in listed if each.getPath().getName().startswith("part-")]
        described = [self._described(each, names) for each in parts]
        return [each for each in described if each.recordCount() > 0]

    def _described(self, status: Any, names: Any) -> Any:
        """Return a data file with the number of its rows and the bounds of its columns."""
        file = self.iceberg.hadoop.HadoopInputFile.fromStatus(status, self.conf)
        config = self.iceberg.MetricsConfig.getDefault()
        metrics = self.iceberg.parquet.ParquetUtil.fileMetrics(file, config, names)
        builder = self.iceberg.DataFiles.builder(self.iceberg.PartitionSpec.unpartitioned())
        return builder.withInputFile(file).withFormat("PARQUET").withMetrics(metrics).build()

    def replacement(self, schema: StructType) -> _Commit:
        wanted = self.iceberg.SchemaParser.fromJson(json.dumps(schema_json(schema)))
        unpartitioned = self.iceberg.PartitionSpec.unpartitioned()
        commit = _Commit(
            self.tables.newReplaceTableTransaction(self.url, wanted, unpartitioned, dict(PROPERTIES), True)
        )
        names = self.iceberg.mapping.NameMappingParser.toJson(commit.names(self.iceberg))
        commit.record({NAMES: merged_names(names, self.properties.get(NAMES))})
        return commit

    def addition(self) -> _Commit:
        return _Commit(self.tables.load(self.url).newTransaction())


@dataclass(frozen=True)
class _Commit:
    """Changes of a table that take effect together."""

    transaction: Any

    def names(self, iceberg: Any) -> Any:
        """Return the mapping of names of columns to the ids that Iceberg gave them."""
        return iceberg.mapping.MappingUtil.create(self.transaction.table().schema())

    def append(self, files: list[Any], summary: Mapping[str, str]) -> None:
        append = self.transaction.newAppend()
        for key, value in summary.items():
            append = append.set(key, value)
        for file in files:
            append = append.appendFile(file)
        append.commit()

    def record(self, properties: Mapping[str, str]) -> None:
        update = self.transaction.updateProperties()
        for key, value in properties.items():
            update = update.set(key, value)
        update.commit()

    def finish(self) -> None:
        self.transaction.commitTransaction()
