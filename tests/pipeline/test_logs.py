"""The choice of logs to read.

Of several copies, the one with the highest leader epoch is read, then the one with the highest end. A high
watermark ends a log as in Kafka, whose checkpoint is written every few seconds.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline import made_logs
from tests.pipeline.kafka_fixture import truth
from tests.pipeline.made_logs import OFFSETS, batch, checkpoint, epochs, metadata, segment, topic
from tidemark_pipeline.logs.directories import find_logs, listed_again
from tidemark_pipeline.logs.files import SegmentGone
from tidemark_pipeline.logs.replicas import log_dirs, replicas
from tidemark_pipeline.model import PipelineError, Task
from tidemark_protocol.log_files import HIGH_WATERMARKS, INDEX_ENTRY, LOG_STARTS

ZERO = f"{OFFSETS}-0"


def test_kafkas_directory_has_its_four_log_partitions(tmp_path: Path) -> None:
    found = find_logs([str(unpacked(tmp_path))])
    assert sorted(found.logs) == [0, 1, 2, 3] and found.group_partition_count == 4
    assert found.topic_id == truth()["beforeShutdown"]["topics"][OFFSETS]["id"]
    assert [segment.base_offset for segment in found.logs[1].segments] == [0, 380, 762, 914]
    assert [segment.is_last for segment in found.logs[1].segments] == [False, False, False, True]
    assert all(Path(each.path).stat().st_size == each.bytes for each in found.logs[2].segments)
    assert not found.passed_over


def test_log_dir_may_be_the_directory_of_a_partition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = unpacked(tmp_path)
    found = find_logs([str(data / f"{OFFSETS}-2")])
    assert sorted(found.logs) == [2] and found.logs[2] == find_logs([str(data)]).logs[2]
    monkeypatch.chdir(data / f"{OFFSETS}-2")
    assert sorted(find_logs(["."]).logs) == [2]


def test_a_directory_that_is_named_twice_is_one(tmp_path: Path) -> None:
    data = unpacked(tmp_path)
    found = find_logs([str(data), f"{data}/", f"file://{data}", str(data / f"{OFFSETS}-1")])
    assert sorted(found.logs) == [0, 1, 2, 3] and not found.passed_over


def test_leftovers_of_the_cleaner_and_of_deletion_are_ignored(tmp_path: Path) -> None:
    here = tmp_path / ZERO
    segment(here, 0, batch(0))
    for name in (
        f"{0:020d}.log.cleaned",
        f"{7:020d}.log.deleted",
        "7.log",
        "notes.log",
    ):
        (here / name).write_bytes(b"x")
    segment(tmp_path / f"{OFFSETS}-1.0123456789abcdef0123456789abcdef-delete", 0, batch(0))
    (tmp_path / f"{OFFSETS}-2").mkdir()  # where nothing was written yet
    found = find_logs([str(tmp_path)])
    assert sorted(found.logs) == [0]
    assert [each.base_offset for each in found.logs[0].segments] == [0]


def test_a_topic_with_a_similar_name_is_ignored(tmp_path: Path) -> None:
    segment(tmp_path / f"{OFFSETS}-backup-0", 0, batch(0))
    segment(tmp_path / ZERO, 0, batch(0))
    assert sorted(find_logs([str(tmp_path)]).logs) == [0]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: None, "no such file or directory"),
        (lambda path: path.write_text("text"), "is not a directory"),
        (lambda path: path.mkdir(), "is empty"),
        (lambda path: (path / "tidemark.restore.clearing").mkdir(parents=True), "is incomplete: tidemark is"),
        (lambda path: (path / "tidemark.restore.moving").mkdir(parents=True), "is incomplete: tidemark is"),
        (lambda path: segment(path / "orders-0", 0, batch(0)), f"nothing of {OFFSETS} is there, only orders"),
        (lambda path: segment(path, 0, batch(0)), "its name is no `<topic>-<partition>`"),
        (lambda path: (path / "photos").mkdir(parents=True), "no log directory"),
        (lambda path: (path / ZERO).mkdir(parents=True), f"nothing of {OFFSETS} is there"),
    ],
)
def test_a_path_without_logs_is_an_error_of_one_line(tmp_path: Path, make: object, said: str) -> None:
    path = tmp_path / "given"
    make(path)  # type: ignore[operator]
    with pytest.raises(PipelineError) as told:
        find_logs([str(path)])
    assert str(path) in str(told.value) and said in str(told.value) and "\n" not in str(told.value)


def test_an_unreadable_directory_is_an_error_with_the_systems_reason(tmp_path: Path) -> None:
    """Without permissions, which root ignores."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(PipelineError, match=r"loop: Too many levels of symbolic links$"):
        find_logs([str(loop)])


def test_a_directory_deleted_during_a_listing_is_listed_again(tmp_path: Path) -> None:
    segment(tmp_path / ZERO, 0, batch(0))
    listed = log_dirs([str(tmp_path)])
    [[replica]] = replicas(listed).values()
    (tmp_path / ZERO).rename(tmp_path / f"{ZERO}.0123456789abcdef0123456789abcdef-delete")
    with pytest.raises(SegmentGone, match=f"{ZERO}: the partition was listed and is gone"):
        _ = replica.segments


def test_file_names_that_no_broker_creates_are_ignored(tmp_path: Path) -> None:
    for name in (ZERO, f"{OFFSETS}-\u00b2", f"{OFFSETS}-99999999999", "x\udcff-1"):
        segment(tmp_path / name, 0, batch(0))
    assert sorted(find_logs([str(tmp_path)]).logs) == [0]


@pytest.mark.parametrize("byte", [-16, 1, 10**9])
def test_an_index_that_names_no_batch_is_ignored(tmp_path: Path, byte: int) -> None:
    segment(tmp_path / ZERO, 0, batch(0), batch(1))
    (tmp_path / ZERO / f"{0:020d}.index").write_bytes(INDEX_ENTRY.pack(1, byte))
    assert find_logs([str(tmp_path)]).logs[0].end_offset == 2


def copies(tmp_path: Path, *logs: tuple[int, int]) -> list[Path]:
    """Create brokers' directories, each with a log of one epoch: (leader epoch, end offset)."""
    paths = [tmp_path / f"broker-{number}" for number in range(1, len(logs) + 1)]
    for path, (epoch, end) in zip(paths, logs, strict=True):
        segment(path / ZERO, 0, *(batch(offset, epoch=epoch) for offset in range(end)))
        epochs(path / ZERO, (epoch, 0))
    return paths


def test_the_log_of_the_highest_leader_epoch_counts(tmp_path: Path) -> None:
    paths = copies(tmp_path, (3, 10), (4, 8), (4, 7))
    found = find_logs([str(path) for path in paths])
    log = found.logs[0]
    assert (log.directory, log.leader_epoch, log.end_offset) == (str(paths[1] / ZERO), 4, 8)
    assert found.passed_over == (
        f"{paths[0] / ZERO} is not read: {paths[1] / ZERO} counts (leader epoch 3 against 4)",
        f"{paths[2] / ZERO} is not read: {paths[1] / ZERO} counts (it ends at offset 7, not at 8)",
    )


def test_an_epoch_in_which_nothing_was_written_counts_too(tmp_path: Path) -> None:
    one, other = copies(tmp_path, (3, 10), (3, 8))
    epochs(other / ZERO, (3, 0), (5, 8))
    assert find_logs([str(one), str(other)]).logs[0].directory == str(other / ZERO)


def test_without_a_checkpoint_the_epoch_is_that_of_the_batches(tmp_path: Path) -> None:
    one, other = copies(tmp_path, (3, 10), (4, 8))
    for path in (one, other):
        (path / ZERO / "leader-epoch-checkpoint").unlink()
        segment(path / ZERO, 10)
    assert find_logs([str(one), str(other)]).logs[0].directory == str(other / ZERO)


@pytest.mark.parametrize("watermark", [0, 5, 10])
def test_a_log_without_replicas_is_read_to_its_end(tmp_path: Path, watermark: int) -> None:
    """After a kill, its high watermark is outdated."""
    (path,) = copies(tmp_path, (3, 10))
    checkpoint(path, HIGH_WATERMARKS, {(OFFSETS, 0): watermark})
    assert find_logs([str(path)]).logs[0].read_below is None
    segment(path / "__cluster_metadata-0", 0, metadata(topic(OFFSETS, b"1" * 16)))
    assert find_logs([str(path)]).logs[0].read_below is None


def test_one_of_several_replicas_is_read_below_its_high_watermark(tmp_path: Path) -> None:
    (path,) = copies(tmp_path, (3, 10))
    segment(path / "__cluster_metadata-0", 0, metadata(topic(OFFSETS, b"1" * 16, replicas=3)))
    assert find_logs([str(path)]).logs[0].read_below is None, "nothing tells of one"
    checkpoint(path, HIGH_WATERMARKS, {(OFFSETS, 0): 6, ("orders", 0): 1})
    assert find_logs([str(path)]).logs[0].read_below == 6
    checkpoint(path, HIGH_WATERMARKS, {(OFFSETS, 0): 10})
    assert find_logs([str(path)]).logs[0].read_below is None


def test_records_on_all_replicas_are_committed_even_with_an_old_checkpoint(tmp_path: Path) -> None:
    paths = copies(tmp_path, (3, 10), (3, 9), (3, 8))
    for path, watermark in zip(paths, (4, 5, 3), strict=True):
        checkpoint(path, HIGH_WATERMARKS, {(OFFSETS, 0): watermark})
    given = [str(path) for path in paths]
    assert find_logs(given).logs[0].read_below == 8
    segment(paths[0] / "__cluster_metadata-0", 0, metadata(topic(OFFSETS, b"1" * 16, replicas=3)))
    assert find_logs(given).logs[0].read_below == 8
    assert find_logs(given[:2]).logs[0].read_below == 5, "the third may hold less"


def test_records_after_the_epochs_diverge_are_not_on_all_replicas(tmp_path: Path) -> None:
    one, other = copies(tmp_path, (3, 10), (4, 10))
    epochs(other / ZERO, (3, 0), (4, 7))
    assert find_logs([str(one), str(other)]).logs[0].read_below == 7


def test_the_log_start_is_the_checkpoints_where_that_is_later(tmp_path: Path) -> None:
    (path,) = copies(tmp_path, (3, 10))
    checkpoint(path, LOG_STARTS, {(OFFSETS, 0): 4})
    assert find_logs([str(path)]).logs[0].start_offset == 4
    (path / LOG_STARTS).write_text("no checkpoint")
    assert find_logs([str(path)]).logs[0].start_offset == 0


def test_a_task_without_its_segment_reads_the_segments_that_now_have_its_offsets(tmp_path: Path) -> None:
    content = {0: [batch(0)], 1: [batch(1)], 2: [batch(2)], 3: [batch(3)]}
    log = made_logs.log(tmp_path, content)
    task = Task(log.segments[1], 1, 3, {})
    for each in log.segments[1:3]:
        Path(each.path).unlink()
    assert [Path(each.segment.path).name for each in listed_again(task)] == [f"{0:020d}.log"]
    assert [(each.first_offset, each.end_offset) for each in listed_again(task)] == [(1, 3)]
    wide = replace(task, end_offset=4)
    assert [(each.first_offset, each.end_offset) for each in listed_again(wide)] == [(1, 3), (3, 4)]
