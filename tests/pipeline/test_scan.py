"""Reading a directory, also while a cleaner replaces segments, compared with Kafka's dump."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import dump
from tidemark_pipeline.logs.files import SegmentGone
from tidemark_pipeline.model import Task
from tidemark_pipeline.source.options import SourceOptions, source_options
from tidemark_pipeline.source.pruning import Pruning
from tidemark_pipeline.source.scan import plan, read_task, scan_of

Position = tuple[int, int]  # log partition, log offset


@pytest.fixture(scope="module")
def kafkas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


@pytest.fixture
def own(kafkas: Path, tmp_path: Path) -> Path:
    """One log partition, to be changed."""
    shutil.copytree(kafkas / "__consumer_offsets-1", tmp_path / "__consumer_offsets-1")
    return tmp_path


def asked(path: Path, **given: str) -> SourceOptions:
    return source_options({"path": str(path), "table": "raw", "transactions": "all", **given})


def positions(tasks: list[Task], options: SourceOptions, pruning: Pruning | None = None) -> list[Position]:
    scan = scan_of(options, pruning or Pruning())
    return [
        position
        for task in tasks
        for batch in read_task(task, scan)
        for position in zip(
            batch.column("log_partition").to_pylist(), batch.column("log_offset").to_pylist(), strict=True
        )
    ]


def dumped(log_partition: int | None = None) -> Iterator[dict[str, object]]:
    return (
        line
        for line in dump()
        if "empty" not in line and (log_partition is None or line["partition"] == log_partition)
    )


def in_kafkas(log_partition: int | None = None) -> list[Position]:
    return [(line["partition"], line["offset"]) for line in dumped(log_partition)]  # type: ignore[misc]


def merged(segments: list[Path]) -> None:
    """Merge segments as the cleaner does: into one file with the name of the first. Delete the others."""
    whole = b"".join(segment.read_bytes() for segment in segments)
    for segment in segments:
        segment.unlink()
    segments[0].write_bytes(whole)


def test_every_record_is_read_once(kafkas: Path) -> None:
    options = asked(kafkas)
    assert positions(plan(options), options) == in_kafkas()


def test_only_requested_log_partitions_and_offsets_are_planned(kafkas: Path) -> None:
    options = asked(kafkas, log_partitions="1-2", offsets='{"1": [300, 400]}')
    tasks = plan(options)
    expected = [
        (log_partition, offset)
        for log_partition, offset in in_kafkas()
        if log_partition == 2 or (log_partition == 1 and 300 <= offset < 400)
    ]
    assert positions(tasks, options) == expected
    holding = {line["segment"] for line in dumped(1) if 300 <= line["offset"] < 400}  # type: ignore[operator]
    assert {task.segment.base_offset for task in tasks if task.segment.log_partition == 1} == holding


def test_only_the_log_partitions_of_a_group_are_planned(kafkas: Path) -> None:
    lines = [line for line in dumped() if line.get("keyVersion") in (0, 1)]
    group = next(line["key"]["group"] for line in lines)  # type: ignore[index]
    of_group = [line for line in lines if line["key"]["group"] == group]  # type: ignore[index]
    options = asked(kafkas, table="offsets", group=group)
    tasks = plan(options)
    assert {task.segment.log_partition for task in tasks} == {line["partition"] for line in of_group}
    assert positions(tasks, options) == [(line["partition"], line["offset"]) for line in of_group]


def test_a_scans_filters_and_options_both_apply(kafkas: Path) -> None:
    options = asked(kafkas, table="offsets", group='["filler-02", "filler-06"]', offsets='{"1": [100, null]}')
    both = Pruning(groups=frozenset({"filler-06", "else"}))
    expected = [
        (line["partition"], line["offset"])
        for line in dumped()
        if line.get("keyVersion") in (0, 1)
        and line["key"]["group"] == "filler-06"  # type: ignore[index]
        and (line["partition"] != 1 or line["offset"] >= 100)  # type: ignore[operator]
    ]
    assert expected
    assert positions(plan(options, both), options, both) == expected
    assert plan(options, Pruning(groups=frozenset({"else"}))) == []


def test_segments_that_the_cleaner_merged_after_planning_are_read_once(own: Path) -> None:
    options = asked(own)
    tasks = plan(options)
    segments = sorted((own / "__consumer_offsets-1").glob("*.log"))
    assert len(segments) > 3
    merged(segments[:2])
    merged(segments[2:-1])
    assert positions(tasks, options) == in_kafkas(1)


def test_a_deleted_segment_without_a_replacement_is_an_error(own: Path) -> None:
    options = asked(own)
    tasks = plan(options)
    first = min((own / "__consumer_offsets-1").glob("*.log"))
    first.unlink()
    with pytest.raises(SegmentGone) as gone:
        positions(tasks, options)
    assert str(first) in str(gone.value)


@pytest.mark.parametrize("replaced", [0, 1, 2])
def test_no_record_is_missing_or_duplicate_during_a_cleaner_swap(own: Path, replaced: int) -> None:
    """The cleaner deletes the replaced segments, last first, before it renames the new one."""
    options = asked(own)
    planned_before = plan(options)
    segments = sorted((own / "__consumer_offsets-1").glob("*.log"))
    whole = b"".join(segment.read_bytes() for segment in segments[1:3])
    segments[1].with_name(segments[1].name + ".swap").write_bytes(whole)
    for segment in segments[2 : 2 - replaced : -1]:
        segment.rename(segment.with_name(segment.name + ".deleted"))
    assert positions(plan(options), options) == in_kafkas(1)
    assert positions(planned_before, options) == in_kafkas(1)
