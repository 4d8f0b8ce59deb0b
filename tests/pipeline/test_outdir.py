"""--out replaces output of this command, completely or not at all, and nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tidemark_pipeline.cli.continuing import check_goes_on
from tidemark_pipeline.cli.outdir import MARKER, check_replaceable, mark, replaced, told
from tidemark_pipeline.cli.output import check_file, replaced_file, write_file
from tidemark_pipeline.model import PipelineError


def write(out: Path, name: str) -> None:
    with replaced(out, {"command": "current"}) as new:
        (new / name).write_text("rows")


def fail_half_way(out: Path, failure: type[BaseException]) -> None:
    with replaced(out, {}) as new:
        (new / "part-2").write_text("half")
        raise failure


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


@pytest.mark.parametrize("before", ["absent", "empty", "ours"])
def test_the_directory_has_only_the_files_of_the_last_run(tmp_path: Path, before: str) -> None:
    out = tmp_path / "deep" / "out"
    if before == "empty":
        out.mkdir(parents=True)
    if before == "ours":
        write(out, "part-1")
    write(out, "part-2")
    assert names(out) == [MARKER, "part-2"]
    assert names(out.parent) == ["out"]  # nothing is left beside it
    assert json.loads((out / MARKER).read_text())["command"] == "current"


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failed_run_leaves_the_old_output(tmp_path: Path, failure: type[BaseException]) -> None:
    out = tmp_path / "out"
    write(out, "part-1")
    with pytest.raises(failure):
        fail_half_way(out, failure)
    assert names(out) == [MARKER, "part-1"]
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("marker", [None, "{}", '{"written_by": "somebody"}', "no JSON", "[]"])
def test_files_that_are_not_ours_are_kept(tmp_path: Path, marker: str | None) -> None:
    (tmp_path / "precious").write_text("1")
    if marker is not None:
        (tmp_path / MARKER).write_text(marker)
    with pytest.raises(PipelineError, match="another program wrote it"):
        write(tmp_path, "part-1")
    assert (tmp_path / "precious").read_text() == "1"


def test_out_refuses_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("1")
    with pytest.raises(PipelineError, match="is a file"):
        write(tmp_path / "out", "part-1")
    with pytest.raises(PipelineError, match=r"cannot be written: (Not a directory|File exists)"):
        write(tmp_path / "out" / "below", "part-1")
    assert (tmp_path / "out").read_text() == "1"


def test_table_and_stream_do_not_replace_each_others_output(tmp_path: Path) -> None:
    stream, table = tmp_path / "stream", tmp_path / "table"
    stream.mkdir()
    mark(stream, {"follow": True})
    write(table, "part-1")
    with pytest.raises(PipelineError, match="was written with --follow"):
        check_replaceable(stream)
    with pytest.raises(PipelineError, match="was written with no --follow"):
        check_replaceable(table, follow=True)
    check_replaceable(stream, follow=True)
    check_replaceable(table)


FOLLOWED = {"follow": True, "group": None, "transactions": "committed", "format": "parquet"}


def followed(out: Path, *, planned: int, finished: int, written: int) -> Path:
    """Create the files of a stream with micro-batches up to these numbers.

    Spark compacts the log of its sink at each tenth.
    """
    for place, newest in (("offsets", planned), ("commits", finished)):
        (out / "_checkpoint" / place).mkdir(parents=True)
        for number in range(newest + 1):
            (out / "_checkpoint" / place / str(number)).touch()
            (out / "_checkpoint" / place / f".{number}.crc").touch()
    (out / "_spark_metadata").mkdir()
    for number in range(written + 1):
        (out / "_spark_metadata" / (f"{number}.compact" if number % 10 == 9 else str(number))).touch()
    mark(out, FOLLOWED)
    return out


@pytest.mark.parametrize(
    ("planned", "finished", "written"),
    [(-1, -1, -1), (0, -1, -1), (3, 2, 2), (3, 2, 3), (9, 9, 9), (19, 18, 19)],
)
def test_follow_continues_after_a_kill_at_any_step(
    tmp_path: Path, planned: int, finished: int, written: int
) -> None:
    """Spark plans a micro-batch, writes its files, names them in the sink's log, and finishes it."""
    check_goes_on(followed(tmp_path, planned=planned, finished=finished, written=written), FOLLOWED)
    check_goes_on(tmp_path / "new", FOLLOWED)


@pytest.mark.parametrize("lost", ["_checkpoint", "_spark_metadata"])
def test_follow_refuses_to_continue_without_its_checkpoint_or_files(tmp_path: Path, lost: str) -> None:
    followed(tmp_path, planned=9, finished=9, written=9)
    shutil.rmtree(tmp_path / lost)
    with pytest.raises(PipelineError, match=f"/{lost} is missing, or older than _"):
        check_goes_on(tmp_path, FOLLOWED)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({"group": "billing-*"}, "begun without --group and cannot continue with --group billing-"),
        (
            {"transactions": "all"},
            "begun with --transactions committed and cannot continue with --transactions all",
        ),
        ({"format": "csv"}, "begun with --format parquet and cannot continue with --format csv"),
    ],
)
def test_follow_continues_only_with_the_same_selection(
    tmp_path: Path, now: dict[str, str], said: str
) -> None:
    followed(tmp_path, planned=1, finished=1, written=1)
    with pytest.raises(PipelineError, match=said):
        check_goes_on(tmp_path, {**FOLLOWED, **now})


def test_a_run_killed_between_the_renames_is_repaired(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, "part-1")
    out.rename(tmp_path / ".out.tidemark-old")
    check_replaceable(out)
    assert names(out) == [MARKER, "part-1"]


def test_leftovers_of_a_killed_run_are_deleted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    left = tmp_path / ".out.tidemark-new"
    left.mkdir()
    (left / "part-0").write_text("half")
    write(out, "part-1")
    assert names(out) == [MARKER, "part-1"]


def test_the_marker_names_who_wrote_it(tmp_path: Path) -> None:
    assert told(tmp_path) is None
    mark(tmp_path, {"as_of_ms": 1})
    assert told(tmp_path) == {"written_by": "tidemark-pipeline", "as_of_ms": 1}


def test_a_file_behind_a_symlink_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    link = tmp_path / "latest.html"
    link.symlink_to("reports/one.html")
    write_file(str(link), "one")
    assert link.is_symlink() and (tmp_path / "reports" / "one.html").read_text() == "one"
    assert names(tmp_path / "reports") == ["one.html"]


def test_two_runs_that_write_one_file_at_a_time_do_not_mix(tmp_path: Path) -> None:
    """Each writes a file of its own first. Here the second one is another process."""
    path = tmp_path / "lost.csv"
    other = (
        "import sys; from tidemark_pipeline.cli.output import write_file; write_file(sys.argv[1], 'other')"
    )
    with replaced_file(str(path)) as file:
        file.write("mine")
        subprocess.run([sys.executable, "-c", other, str(path)], check=True)
        assert path.read_text() == "other"
    assert path.read_text() == "mine" and names(tmp_path) == ["lost.csv"]


def test_unwritable_file_is_reported_before_anything_is_read(tmp_path: Path) -> None:
    check_file(None)
    check_file(str(tmp_path / "lost.csv"))
    for path, said in (
        (str(tmp_path), f"{tmp_path} is a directory; name a file"),
        ("/dev/null", "/dev/null is not a regular file; name a file"),
        (
            f"{tmp_path}/none/a.html",
            f"{tmp_path}/none/a.html cannot be written: there is no directory {tmp_path}/none",
        ),
        (
            "s3a://b/a.html",
            "s3a://b/a.html cannot be written: a single file can be written to a local path only",
        ),
    ):
        with pytest.raises(PipelineError) as raised:
            check_file(path)
        assert str(raised.value) == said
