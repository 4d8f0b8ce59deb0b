"""Directories of Spark's file sink: it lists files by URI in a log that it compacts from time to time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from pyarrow import fs

from tidemark_pipeline.logs.files import file_system
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.source.settle import Settled, settle


def data(directory: Path, name: str) -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(f"rows of {name}".encode())
    path.with_name(f".{path.name}.crc").write_bytes(b"crc")
    return path


def log(directory: Path, name: str, files: Iterable[Path], action: str = "add", version: str = "v1") -> None:
    entries = [
        {"path": f.as_uri(), "size": f.stat().st_size, "isDir": False, "action": action} for f in files
    ]
    path = directory / "_spark_metadata" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([version, *map(json.dumps, entries)]))


def visible(directory: Path) -> set[str]:
    """Return what an engine reads that does not know Spark's sink."""
    names = (path.relative_to(directory) for path in directory.rglob("*") if path.is_file())
    return {str(name) for name in names if not any(part[0] in "._" for part in name.parts)}


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Create two finished micro-batches, and a file of a third that was killed."""
    directory = tmp_path / "a directory=1"
    log(directory, "0", [data(directory, "part-0-a.parquet"), data(directory, "part-1-a.parquet")])
    log(directory, "1", [data(directory, "part-0-b.parquet")])
    data(directory, "part-0-c.parquet")
    return directory


FINISHED = {"part-0-a.parquet", "part-1-a.parquet", "part-0-b.parquet"}


def test_settling_in_place_hides_files_of_unfinished_micro_batches(killed: Path) -> None:
    assert settle(str(killed)) == Settled(files=3, orphans=1)
    assert visible(killed) == FINISHED
    assert settle(str(killed)) == Settled(files=3, orphans=0)
    assert (killed / "_orphans/part-0-c.parquet").exists()
    assert not (killed / ".part-0-c.parquet.crc").exists()


def test_settling_to_a_copy_leaves_the_directory_unchanged(killed: Path, tmp_path: Path) -> None:
    before = visible(killed)
    out = tmp_path / "clean"
    assert settle(str(killed), str(out)) == Settled(files=3, orphans=1)
    assert visible(out) == FINISHED
    assert {path.name for path in out.iterdir()} == FINISHED
    assert visible(killed) == before


def test_a_copy_that_was_cut_off_is_finished_and_one_of_another_table_is_refused(
    killed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "clean"
    settle(str(killed), str(out))
    whole = (out / "part-0-a.parquet").read_bytes()
    (out / "part-0-a.parquet").write_bytes(whole[:3])
    settle(str(killed), str(out))
    assert (out / "part-0-a.parquet").read_bytes() == whole
    (out / "mine.parquet").write_bytes(b"mine")
    with pytest.raises(PipelineError, match=r"clean: mine\.parquet exists already"):
        settle(str(killed), str(out))


def test_a_hidden_file_reappears_when_its_micro_batch_is_finished(killed: Path) -> None:
    settle(str(killed))
    late = killed / "part-0-c.parquet"
    late.write_bytes((killed / "_orphans/part-0-c.parquet").read_bytes())
    log(killed, "2", [late])
    late.unlink()
    assert settle(str(killed)) == Settled(files=4, orphans=0)
    assert visible(killed) == FINISHED | {"part-0-c.parquet"}
    assert (killed / ".part-0-c.parquet.crc").exists()


def test_a_compact_log_replaces_the_logs_before_it(tmp_path: Path) -> None:
    first, second, third = (data(tmp_path, f"part-0-{name}.parquet") for name in "abc")
    dropped = data(tmp_path, "part-0-dropped.parquet")
    log(tmp_path, "8", [dropped])  # Spark deletes it minutes later
    log(tmp_path, "9.compact", [first, second])
    log(tmp_path, "10", [third])
    log(tmp_path, "11", [second], action="delete")
    (tmp_path / "_spark_metadata/.12.f00.tmp").write_text("v1")  # killed before its name was final
    assert settle(str(tmp_path)) == Settled(files=2, orphans=2)
    assert visible(tmp_path) == {first.name, third.name}


def test_a_directory_that_was_moved_and_has_partition_columns(tmp_path: Path) -> None:
    directory = tmp_path / "old"
    inner = [data(directory, f"group=a%2Fb/partition={n}/part-0-same.parquet") for n in range(2)]
    log(directory, "0", inner)
    data(directory, "group=a%2Fb/partition=0/part-0-orphan.parquet")
    moved = directory.rename(tmp_path / "new")
    assert settle(str(moved)) == Settled(files=2, orphans=1)
    assert visible(moved) == {f"group=a%2Fb/partition={n}/part-0-same.parquet" for n in range(2)}


@pytest.mark.parametrize("out", [None, "clean"])
def test_no_file_is_moved_if_a_finished_one_is_missing_or_truncated(
    killed: Path, tmp_path: Path, out: str | None
) -> None:
    (killed / "part-0-b.parquet").write_bytes(b"cut")
    before = visible(killed)
    with pytest.raises(PipelineError, match=r"part-0-b\.parquet is not there with its 24 bytes"):
        settle(str(killed), out and str(tmp_path / out))
    assert visible(killed) == before
    assert not (tmp_path / "clean").exists()


def test_a_directory_without_streaming_output_is_refused(tmp_path: Path) -> None:
    data(tmp_path, "part-0.parquet")
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(PipelineError, match="no streaming query wrote here"):
            settle(str(path))


def test_a_sink_log_that_is_not_readable_completely_is_refused(killed: Path) -> None:
    log(killed, "3", [])
    with pytest.raises(PipelineError, match="the file of micro-batch 2 is missing"):
        settle(str(killed))
    log(killed, "2", [], version="v2")
    with pytest.raises(PipelineError, match="is of version v2, not v1"):
        settle(str(killed))


@pytest.mark.parametrize("content", [b"", b"v1\n{", b"v1\nnull", b'v1\n{"path": "x"}', b"\xff\xff\0"])
def test_a_sink_log_file_that_a_power_cut_truncated_is_named(killed: Path, content: bytes) -> None:
    (killed / "_spark_metadata/1").write_bytes(content)
    with pytest.raises(
        PipelineError, match=r"_spark_metadata/1 cannot be read: it is not a log of Spark's file sink"
    ):
        settle(str(killed))
    assert visible(killed) == {*FINISHED, "part-0-c.parquet"}


def test_settling_works_on_another_file_system(killed: Path) -> None:
    system, _ = file_system("mock://settle")
    system.create_dir("rows")
    fs.copy_files(str(killed), "rows", destination_filesystem=system)
    assert settle("mock://settle/rows", "mock://settle/clean/rows") == Settled(files=3, orphans=1)
    assert settle("mock://settle/rows") == Settled(files=3, orphans=1)
    for place in ("clean/rows", "rows"):
        found = system.get_file_info(fs.FileSelector(place))
        assert {
            file.base_name for file in found if file.is_file and file.base_name[0] not in "._"
        } == FINISHED
