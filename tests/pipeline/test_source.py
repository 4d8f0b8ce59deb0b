"""`format("tidemark")` in Spark on the directory that Kafka wrote, compared with Kafka's dump.

A scan that succeeds although other segments have wrong CRCs has not read them.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import dump
from tests.pipeline.small_log import GROUP, LOG_PARTITIONS, OTHER, Line, commits, small_commits, small_log
from tidemark_pipeline import register
from tidemark_pipeline.cli.failures import sentence

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

HEADER_BYTES = 61
SETTING = "spark.sql.python.filterPushdown.enabled"


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    register(spark)
    return spark


@pytest.fixture(scope="module")
def kafkas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="module")
def small(kafkas: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_log(kafkas, tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def half_broken(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory where only the log partition of GROUP and its first segment are readable."""
    place = tmp_path_factory.mktemp("broken") / "data"
    shutil.copytree(small, place)
    readable = place / f"__consumer_offsets-{LOG_PARTITIONS[GROUP]}" / f"{0:020}.log"
    for segment in place.glob("__consumer_offsets-*/*.log"):
        if segment != readable:
            spoil(segment)
    return place


def spoil(segment: Path) -> None:
    """Change a byte of the first batch's records, so that the headers are valid but the CRC is not."""
    data = bytearray(segment.read_bytes())
    data[HEADER_BYTES + 2] ^= 0xFF
    segment.write_bytes(data)


def count_of(*groups: str) -> int:
    return sum(line["key"]["group"] in groups for line in small_commits())


def where_of(lines: Iterable[Line]) -> Counter[tuple[int, int]]:
    return Counter((line["partition"], line["offset"]) for line in lines)


def positions(table: DataFrame) -> Counter[tuple[int, int]]:
    return Counter((row[0], row[1]) for row in table.select("log_partition", "log_offset").collect())


def all_commits(session: SparkSession, path: Path) -> DataFrame:
    return session.read.format("tidemark").option("transactions", "all").load(str(path))


def failure(act: Callable[[], object]) -> str:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException) as failed:
        act()
    said = sentence(failed.value)
    assert "\n" not in said
    return said


def test_one_input_partition_for_each_segment_and_every_commit_once(
    session: SparkSession, kafkas: Path
) -> None:
    table = all_commits(session, kafkas)
    assert positions(table) == where_of(commits())
    segments = list(kafkas.glob("__consumer_offsets-*/*.log"))
    assert table.rdd.getNumPartitions() == sum(segment.stat().st_size > 0 for segment in segments)


def test_columns_are_those_of_the_schema_or_the_requested_ones(session: SparkSession, small: Path) -> None:
    from tidemark_pipeline.schemas import TABLES, spark_schema
    from tidemark_pipeline.source.session import read_table

    for name, schema in TABLES.items():
        if name == "share_state":  # of another topic
            continue
        table = read_table(session, str(small), name, log_partitions=1)
        assert table.schema == spark_schema(schema)
        assert table.count() > 0
    wanted = ["topic", "committed_offset"]
    few = read_table(session, [str(small)], "offsets", columns=wanted, transactions="all", group=GROUP)
    assert few.columns == wanted
    assert Counter(tuple(row) for row in few.collect()) == Counter(
        (line["key"]["topic"], (line["value"] or {}).get("offset"))
        for line in small_commits()
        if line["key"]["group"] == GROUP
    )


def test_filters_prune_what_is_read(session: SparkSession, half_broken: Path) -> None:
    table = all_commits(session, half_broken)
    assert "CRC" in failure(table.where("topic = 'orders'").count)
    here = [line for line in small_commits() if line["partition"] == LOG_PARTITIONS[GROUP]]
    end = max(line["segment"] for line in here)
    low = [line for line in here if line["offset"] < end]
    at = low[-1]["offset"]
    of_group = where_of(line for line in low if line["key"]["group"] == GROUP)
    of_two = where_of(line for line in low if line["key"]["group"] in (GROUP, "filler-06"))
    assert of_group and of_two
    for condition, expected in (
        (f"group = '{GROUP}' and log_offset < {end}", of_group),
        (f"group in ('{GROUP}', 'filler-06') and log_offset between 0 and {end - 1}", of_two),
        (f"log_partition = 1 and log_offset = {at}", where_of(low[-1:])),
        (f"log_partition in (1, 17) and log_offset <= {at}", where_of(low)),
        (f"log_partition <=> 1 and not log_offset > {at}", where_of(low)),
    ):
        # Each has its own DataFrame, because a shared one reads all segments that any of them needs.
        assert positions(all_commits(session, half_broken).where(condition)) == expected


def test_each_scan_of_a_dataframe_finds_its_rows_although_another_prunes(
    session: SparkSession, small: Path
) -> None:
    """Spark 4.3 uses the plan of one scan for another scan of the same DataFrame."""
    table = all_commits(session, small)
    one, other = table.where(f"group = '{GROUP}'"), table.where(f"group = '{OTHER}'")
    assert one.count() == count_of(GROUP)
    assert table.count() == len(small_commits())
    assert one.union(other).count() == count_of(GROUP, OTHER)
    assert other.count() == count_of(OTHER)
    fresh = all_commits(session, small)
    late = fresh.where(f"log_partition = {LOG_PARTITIONS[GROUP]} and log_offset < 10")
    both = late.selectExpr("1 as side").union(fresh.where("length(topic) > 0").selectExpr("2 as side"))
    assert dict(both.groupBy("side").count().collect())[2] == len(small_commits())
    fresh.createOrReplaceTempView("commits")
    counts = "select (select count(*) from commits where group = '{}') a, (select count(*) from commits) b"
    assert tuple(session.sql(counts.format(OTHER)).first() or ()) == (count_of(OTHER), len(small_commits()))


def test_without_pruning_all_segments_are_read(session: SparkSession, small: Path, half_broken: Path) -> None:
    session.conf.set(SETTING, "false")
    try:
        assert all_commits(session, small).where(f"group = '{GROUP}'").count() == count_of(GROUP)
        table = all_commits(session, half_broken).where(f"group = '{GROUP}' and log_offset < 10")
        assert "CRC" in failure(table.count)
    finally:
        session.conf.set(SETTING, "true")


def test_a_filter_on_offsets_does_not_change_the_last_record_of_a_key(
    session: SparkSession, small: Path
) -> None:
    """The whole segment determines the last record of each key."""
    latest = session.read.format("tidemark").options(latest_only="true", transactions="all").load(str(small))
    last = {
        (line["partition"], line["segment"], *line["key"].values()): line["offset"]
        for line in small_commits()
    }
    kept = Counter((key[0], offset) for key, offset in last.items())
    assert positions(latest) == kept
    somewhere = sorted(kept)[len(kept) // 2][1]
    few = session.read.format("tidemark").options(latest_only="true", transactions="all").load(str(small))
    assert positions(few.where(f"log_offset < {somewhere}")) == Counter(
        where for where in kept if where[1] < somewhere
    )


def test_rows_of_each_transaction_outcome_can_be_selected(session: SparkSession, kafkas: Path) -> None:
    """Markers in Kafka's dump, in order of offset, determine what is committed, aborted and open."""
    outcomes: dict[tuple[int, int], str] = {}
    pending: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for line in dump():
        producer, where = (line["partition"], line["producerId"]), (line["partition"], line.get("offset", -1))
        if "control" in line:
            for earlier in pending.pop(producer, []):
                outcomes[earlier] = "committed" if "COMMIT" in line["control"] else "aborted"
        elif line.get("keyVersion") in (0, 1):
            outcomes[where] = "open" if line["isTransactional"] else "committed"
            if line["isTransactional"]:
                pending.setdefault(producer, []).append(where)
    assert {"committed", "aborted", "open"} == set(outcomes.values())
    for option in ("committed", "open"):
        table = session.read.format("tidemark").load(str(kafkas), transactions=option)
        assert positions(table) == Counter(where for where, outcome in outcomes.items() if outcome == option)


def test_of_two_copies_of_a_log_the_longer_one_is_read(
    session: SparkSession, kafkas: Path, small: Path, tmp_path: Path
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    shutil.copytree(small / "__consumer_offsets-1", one / "__consumer_offsets-1")
    shutil.copytree(small, other)
    shutil.copy(
        kafkas / "replication-offset-checkpoint", other
    )  # the high watermark, which is above the end of the shorter copy
    max((one / "__consumer_offsets-1").glob("*.log")).unlink()
    both = session.read.format("tidemark").load([str(one), str(other)], transactions="all")
    assert positions(both) == where_of(small_commits())
    alone = session.read.format("tidemark").load([str(one)], transactions="all")
    assert positions(alone) == where_of(
        line for line in small_commits() if line["partition"] == 1 and line["segment"] == 0
    )


def test_plain_sql_can_read_the_source(session: SparkSession, small: Path) -> None:
    session.sql(
        f"create temporary view read_by_sql using tidemark options (path '{small}', transactions 'all')"
    )
    assert session.sql(f"select * from read_by_sql where group = '{GROUP}'").count() == count_of(GROUP)
    assert session.sql("select * from read_by_sql").count() == len(small_commits())


def test_an_empty_selection_has_no_rows(session: SparkSession, small: Path) -> None:
    table = session.read.format("tidemark").option("log_partitions", "17").load(str(small))
    assert table.count() == 0 and table.where("group = 'a'").count() == 0


def test_an_error_arrives_as_one_sentence(session: SparkSession, small: Path, tmp_path: Path) -> None:
    def read(path: Path, **options: str) -> str:
        return failure(lambda: session.read.format("tidemark").load(str(path), **options).count())

    (tmp_path / "empty").mkdir()
    (tmp_path / "others" / "orders-0").mkdir(parents=True)
    (tmp_path / "others" / "orders-0" / f"{0:020}.log").touch()
    broken = tmp_path / "broken" / "__consumer_offsets-1"
    shutil.copytree(small / "__consumer_offsets-1", broken)
    spoil(min(broken.glob("*.log")))
    assert "no such" in read(tmp_path / "nowhere")
    assert str(tmp_path / "empty") in read(tmp_path / "empty")
    assert "orders" in read(tmp_path / "others")
    assert "unknown option grop, did you mean group?" in read(small, grop="g")
    assert "'x' is not offsets or groups or raw or segments" in read(small, table="x")
    said = read(broken)
    assert str(min(broken.glob("*.log"))) in said and "byte 0" in said and "CRC" in said


def test_a_schema_with_unknown_columns_is_refused(session: SparkSession, small: Path) -> None:
    reader = session.read.format("tidemark")
    said = failure(reader.schema("log_partition int, colour string").load(str(small)).count)
    assert "the table offsets has no column colour" in said
    said = failure(reader.schema("group binary").load(str(small)).count)
    assert "the column group of the table offsets is string, not binary" in said
