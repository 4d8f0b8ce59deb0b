"""open_log gives the tables of the commands as DataFrames of a session that exists."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import truth
from tests.pipeline.small_log import GROUP, small_commits, small_log
from tidemark_pipeline.model import PipelineError

pytest.importorskip("pyspark")
pytestmark = [pytest.mark.slow, pytest.mark.java]

from tidemark_pipeline import open_log  # noqa: E402 # needs the extra
from tidemark_pipeline.cli.commands import COMMANDS  # noqa: E402
from tidemark_pipeline.opened import OpenedLog  # noqa: E402
from tidemark_pipeline.tables.columns import TABLES, names  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def kafkas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="module")
def small(kafkas: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_log(kafkas, tmp_path_factory.mktemp("small")))


def test_current_offsets_are_what_kafka_answers_to_offset_fetch(spark: SparkSession, kafkas: Path) -> None:
    current = open_log(spark, str(kafkas)).current()
    found = current.select("group", "topic", "partition", "committed_offset").collect()
    assert {tuple(row) for row in found} == {
        (group, row["topic"], row["partition"], row["offset"])
        for group, answer in truth()["afterRestartOnCopy"]["offsetFetch"].items()
        for row in answer["offsets"]
    }


def test_each_command_is_a_method_that_returns_its_table(spark: SparkSession, small: str) -> None:
    log = open_log(spark, small, retention_minutes=1)
    for command, made in COMMANDS.items():
        table = getattr(log, command)()
        assert table.columns == list(names(TABLES[made.name])), command
    methods = {name for name, _ in inspect.getmembers(OpenedLog, inspect.isfunction) if name[0] != "_"}
    assert methods == {*COMMANDS, "report"}


def test_the_arguments_mean_what_the_options_of_the_command_mean(spark: SparkSession, small: str) -> None:
    of_group = [line for line in small_commits() if line["key"]["group"] == GROUP]
    half = of_group[len(of_group) // 2]["timestamp"]
    moment = datetime.fromtimestamp(half / 1000, UTC)
    log = open_log(spark, small, group=f"{GROUP[:-1]}[{GROUP[-1]}]", as_of=moment, retention_minutes=1)
    offsets = {row.log_offset for row in log.history("all").select("log_offset").collect()}
    assert offsets == {line["offset"] for line in of_group if line["timestamp"] <= half}
    for table, expected in ((log.forecast(), {60_000}), (log.forecast([1, 2]), {60_000, 120_000})):
        assert {row.retention_ms for row in table.select("retention_ms").collect()} == expected
    assert log.as_of_ms == half
    as_of = f"as of {moment.isoformat(timespec='milliseconds')[:23]}Z"
    assert str(log).endswith(f"{as_of}, offsets.retention.minutes=1 (given)")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"as_of": "yesterday"}, "'yesterday' is not a time"),
        ({"retention_minutes": 0}, "must be from 1"),
        ({"retention_minutes": []}, "'' is not a number of minutes"),
    ],
)
def test_a_wrong_argument_is_an_error_of_one_sentence(
    spark: SparkSession, small: str, wrong: dict[str, object], said: str
) -> None:
    with pytest.raises(PipelineError, match=said):
        open_log(spark, small, **wrong)


def test_a_log_directory_is_needed_and_must_exist(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="needs a log directory"):
        open_log(spark)
    with pytest.raises(PipelineError, match="no such file or directory"):
        open_log(spark, str(tmp_path / "nowhere"))
