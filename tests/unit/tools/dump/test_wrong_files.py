"""`tidemark dump-log` of files that do not exist, that cannot be read, or that are no files of a segment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from tidemark_tools.main import main

FIRST: Final = "00000000000000000000"


def dumped(capsys: pytest.CaptureFixture[str], files: Path | str) -> str:
    """Return what a dump that fails prints on stderr."""
    assert main(["dump-log", "--files", str(files)]) == 1
    printed = capsys.readouterr().err
    assert "Exception" not in printed
    assert printed.count("\n") == 1
    return printed.rstrip("\n")


@pytest.mark.parametrize(
    "name", ["nope", "nope.txt", "nope.log", f"{FIRST}.log", f"{FIRST}.txnindex", f"{FIRST}.snapshot"]
)
def test_a_file_that_does_not_exist_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    assert dumped(capsys, file) == f"cannot read {file}: No such file or directory"


def test_a_directory_is_an_error_with_an_example_of_its_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "orders-0").mkdir()
    error = f"{tmp_path} is a directory: name the files to dump, such as {tmp_path}"
    assert dumped(capsys, tmp_path) == f"{error}/{FIRST}.log"
    log = tmp_path / "orders-0" / "00000000000000000042.log"
    log.write_bytes(b"")
    assert dumped(capsys, tmp_path) == f"{error}/orders-0/00000000000000000042.log"
    assert dumped(capsys, f"{tmp_path}/orders-0/").endswith(f", such as {log}")


@pytest.mark.parametrize("suffix", ["log", "index", "timeindex", "txnindex", "snapshot"])
def test_a_directory_with_the_name_of_a_file_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str
) -> None:
    folder = tmp_path / f"{FIRST}.{suffix}"
    folder.mkdir()
    assert dumped(capsys, folder).startswith(f"{folder} is a directory: ")


@pytest.mark.parametrize("suffix", ["log", "index", "timeindex", "txnindex"])
def test_a_name_without_an_offset_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / f"orders.{suffix}"
    file.write_bytes(b"")
    assert dumped(capsys, file) == (
        f"{file} is not a file of a segment: its name must begin with an offset, as in {FIRST}.{suffix}"
    )


@pytest.mark.parametrize("name", ["x.checkpoint", f"{FIRST}.checkpoint"])
def test_a_checkpoint_without_offset_and_epoch_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    file.write_bytes(b"")
    assert dumped(capsys, file) == (
        f"{file} is not a snapshot of the metadata log: its name must be an offset and an epoch, as in "
        f"{FIRST}-0000000000.checkpoint"
    )


def test_a_missing_txnindex_of_a_segment_has_no_entries(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A broker writes this file only for a segment with aborted transactions."""
    (tmp_path / f"{FIRST}.log").write_bytes(b"")
    file = tmp_path / f"{FIRST}.txnindex"
    assert main(["dump-log", "--files", str(file)]) == 0
    assert capsys.readouterr() == (f"Dumping {file}\n", "")


def test_an_empty_name_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert dumped(capsys, "").startswith("--files has an empty name: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / f"{FIRST}.log"
    file.write_bytes(b"")
    file.chmod(0)
    assert dumped(capsys, file) == f"cannot read {file}: Permission denied"
