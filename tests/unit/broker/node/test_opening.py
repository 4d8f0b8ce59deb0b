"""Starts that copy another broker's directory, are killed, and are repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kafkas_directory import unpacked
from tidemark.log import restore
from tidemark.log.directory import open_directory
from tidemark.log.errors import DirectoryRefused
from tidemark.log.storage import DirectoryLocked, FileStorage
from tidemark.log.takeover import Opening, read_origins, take_over
from tidemark.node.incarnation import load_moves
from tidemark.node.node import open_as_found
from tidemark_protocol.log_files import RESTORE_CLEARING

ID = bytes(range(16))


@pytest.fixture
def opening(tmp_path: Path) -> Opening:
    unpacked(tmp_path)
    return Opening(read_origins([tmp_path / "data"]))


@pytest.fixture
def storage(tmp_path: Path) -> FileStorage:
    return FileStorage(tmp_path / "ours")


def names(storage: FileStorage) -> list[str]:
    return [name for name, _ in storage.list()]


def opened(storage: FileStorage) -> None:
    open_directory(storage, node_id=1, cluster_id="c" * 22, directory_id=ID, now_ms=0)


def test_an_incomplete_copy_is_not_opened_and_the_next_start_copies_again(
    opening: Opening, storage: FileStorage
) -> None:
    storage.make_directory(f"{restore.BUILDING}/orders-0")
    storage.write(f"{restore.BUILDING}/orders-0/{0:020}.log", b"half")
    with pytest.raises(DirectoryRefused, match="unfinished copy.*the same --from again"):
        opened(storage)
    assert names(storage) == [restore.BUILDING]
    open_as_found(storage, opening, ID, 0)
    assert load_moves(storage) is not None
    assert "meta.properties" in names(storage)
    assert restore.BUILDING not in names(storage)
    opened(storage)


def test_a_copy_that_is_complete_is_put_in_place_by_the_next_start(
    opening: Opening, storage: FileStorage
) -> None:
    take_over(opening.origins, storage.root / restore.BUILDING, ID, 0)
    storage.rename(restore.BUILDING, RESTORE_CLEARING)
    with pytest.raises(DirectoryRefused, match="is not empty"):
        open_as_found(storage, opening, ID, 0)
    opened(storage)
    assert "__cluster_metadata-0" in names(storage)


@pytest.mark.parametrize("made", [False, True])
def test_a_copy_that_fails_leaves_nothing(
    opening: Opening, storage: FileStorage, made: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if not made:
        storage.root.mkdir()
    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(OSError, match="No space"):
        open_as_found(storage, opening, ID, 0)
    assert storage.root.exists() is not made
    assert names(storage) == []


def test_two_starts_do_not_fill_one_directory(opening: Opening, storage: FileStorage) -> None:
    class Busy(FileStorage):
        def lock(self) -> None:
            raise DirectoryLocked("another process works on this data directory")

    storage.make_directory(restore.BUILDING)
    with pytest.raises(DirectoryLocked):
        open_as_found(Busy(storage.root), opening, ID, 0)
    assert names(storage) == [restore.BUILDING]
