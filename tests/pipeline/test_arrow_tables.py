"""Tables of a small log, decoded on the driver, have the rows that Spark's source returns, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from bench.pipeline.generate import generate
from tests.kafkas_directory import unpacked
from tests.pipeline.made_logs import log
from tests.pipeline.small_log import GROUP, LOG_PARTITIONS, small_log
from tidemark_pipeline.cli import commands, reading
from tidemark_pipeline.cli.failures import sentence
from tidemark_pipeline.cli.options import parse
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.source import arrow_tables
from tidemark_pipeline.source import session as session_of_source
from tidemark_pipeline.source.arrow_tables import arrow_table
from tidemark_pipeline.source.session import read_table
from tidemark_protocol.compression import Codec

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

PARTITION: Final = LOG_PARTITIONS[GROUP]
OF_OFFSETS: Final[list[dict[str, Any]]] = [
    {},
    {"transactions": "all"},
    {"transactions": "open"},
    {"latest_only": True},
    {"group": GROUP},
    {"group": [GROUP, "no such group"], "transactions": "all"},
    {"log_partitions": str(PARTITION), "offsets": {str(PARTITION): [5, 100]}},
    {"verify_crc": False, "on_error": "fail"},
]


@pytest.fixture(scope="module")
def kafkas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_log(unpacked(tmp_path_factory.mktemp("kafka")), tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a log with transactions, tombstones and groups of both protocols."""
    place = tmp_path_factory.mktemp("generated") / "data"
    generate(place, records=3_000, segments=3, group_count=20, codec=Codec.LZ4)
    return place


def rows_of(table: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in table.collect()]


def check(spark: SparkSession, log_dir: Path, table: str, given: Mapping[str, Any]) -> int:
    """Compare both ways. Returns the number of rows."""
    here = arrow_table([str(log_dir)], table, **given)
    assert here is not None
    there = read_table(spark, str(log_dir), table, **given)
    read = rows_of(there)
    assert here.to_pylist() == read
    frame = spark.createDataFrame(here)
    assert rows_of(frame) == read
    assert frame.schema == there.schema
    return len(read)


@pytest.mark.parametrize("given", OF_OFFSETS, ids=str)
def test_offsets_of_kafkas_directory(spark: SparkSession, kafkas: Path, given: dict[str, Any]) -> None:
    found = check(spark, kafkas, "offsets", given)
    assert found or given.get("transactions") == "open"


@pytest.mark.parametrize("given", [{}, {"transactions": "open"}, {"transactions": "all"}], ids=str)
def test_offsets_of_a_generated_log(spark: SparkSession, generated: Path, given: dict[str, Any]) -> None:
    found = arrow_table([str(generated)], "offsets")
    assert found is not None
    middle = sorted(found["record_timestamp_ms"].to_pylist())[found.num_rows // 2]
    check(spark, generated, "offsets", given)
    check(spark, generated, "offsets", {**given, "as_of": middle})


@pytest.mark.parametrize("table", ["groups", "raw", "segments"])
def test_the_other_tables(spark: SparkSession, kafkas: Path, table: str) -> None:
    assert check(spark, kafkas, table, {})


def test_damage_is_reported_in_the_same_sentence(spark: SparkSession, kafkas: Path, tmp_path: Path) -> None:
    segment = tmp_path / f"__consumer_offsets-{PARTITION}" / f"{0:020}.log"
    segment.parent.mkdir()
    data = bytearray((kafkas / segment.parent.name / segment.name).read_bytes())
    data[70] ^= 0xFF
    segment.write_bytes(data)
    with pytest.raises(PipelineError) as here:
        arrow_table([str(tmp_path)], "offsets")
    with pytest.raises(Exception) as there:
        read_table(spark, str(tmp_path), "offsets").collect()
    assert str(here.value) == sentence(there.value)
    assert str(segment) in str(here.value)


def scan_of(spark: SparkSession, log_dir: Path, *arguments: str) -> reading.Scan:
    asked = parse([*arguments, "--log-dir", str(log_dir)])
    return reading.Scan(spark, reading.begin(asked, now_ms=0))


def test_a_log_that_grows_when_it_is_decoded_is_read_by_spark(
    spark: SparkSession, generated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = rows_of(scan_of(spark, generated, "history").offsets())
    monkeypatch.setattr(arrow_tables, "DECODED_BYTES_MAX", 1_000)
    assert arrow_table([str(generated)], "offsets") is None
    scan = scan_of(spark, generated, "history")
    assert rows_of(scan.offsets()) == held
    assert scan.kept_groups.is_cached
    scan.kept_groups.unpersist()


def test_a_large_log_is_not_decoded_on_the_driver(
    spark: SparkSession, generated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = rows_of(scan_of(spark, generated, "groups").groups())
    monkeypatch.setattr(reading, "SMALL_BYTES", 1_000)
    monkeypatch.setattr(arrow_tables, "arrow_table", None)
    assert rows_of(scan_of(spark, generated, "groups").groups()) == held


def test_a_medium_log_is_decoded_once_into_files(
    spark: SparkSession, generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(scan: reading.Scan) -> list[Any]:
        tables = (scan.offsets(), scan.offsets(latest_only=True), scan.kept_groups)
        rows = [rows_of(table.orderBy("log_partition", "log_offset")) for table in tables]
        scan.kept_groups.unpersist()
        counts = sorted(scan.segments, key=lambda each: (each["log_partition"], each["path"]))
        types = [[(field.name, field.dataType.simpleString()) for field in table.schema] for table in tables]
        return [*rows, types, counts]

    monkeypatch.setattr(reading, "SMALL_BYTES", 1_000)
    by_spark = scan_of(spark, generated, "removals")
    held = found(by_spark)
    monkeypatch.setattr(session_of_source, "read_table", None)
    assert found(replace(by_spark, decoded_in=tmp_path)) == held
    assert len(list(tmp_path.iterdir())) == 3  # each of the tables


@pytest.mark.parametrize("given", [(), ("--retention-minutes", "1", "--group", "n*")], ids=str)
def test_spark_and_this_process_find_the_same_removals_and_rewinds(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...]
) -> None:
    """This process judges by the evidence of all groups, so a retention is given to compare some.

    Files with the decoded rows are read for some groups only: `test_a_medium_log_is_decoded_once_into_files`
    compares all of their rows with those of Spark's source.
    """
    written = unpacked(tmp_path)
    small = scan_of(spark, written, "removals", *given)
    found = {name: rows_of(commands.COMMANDS[name].table(small)) for name in ("removals", "rewinds")}
    assert found["removals"] and (found["rewinds"] or given)
    monkeypatch.setattr(reading, "SMALL_BYTES", 1_000)
    by_spark = scan_of(spark, written, "removals", *given)
    for scan in (by_spark, replace(by_spark, decoded_in=tmp_path))[: 2 if given else 1]:
        for name, rows in found.items():
            table = commands.COMMANDS[name].table(scan)
            assert placed(rows_of(table)) == placed(rows), name


def placed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row["log_partition"], row["log_offset"]))


def test_history_of_a_small_log_is_in_the_order_of_the_log(spark: SparkSession, generated: Path) -> None:
    rows = scan_of(spark, generated, "history").offsets().collect()
    places = [(row.log_partition, row.log_offset) for row in rows]
    assert places == sorted(places)


@pytest.mark.parametrize("table", ["offsets", "groups"])
def test_a_table_without_rows_can_be_given_to_spark(spark: SparkSession, tmp_path: Path, table: str) -> None:
    """A log has no records of groups if all of them assign partitions to themselves."""
    log(tmp_path, {0: []})
    rows = arrow_table([str(tmp_path)], table)
    assert rows is not None and spark.createDataFrame(rows).collect() == []
