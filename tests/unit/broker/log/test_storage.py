from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tidemark import descriptors
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.storage import DirectoryLocked, FileStorage, Storage
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.storage import FaultyStorage, MemoryStorage


@pytest.fixture(params=["disk", "memory", "faulty"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    made: dict[str, Storage] = {
        "disk": FileStorage(tmp_path),
        "memory": MemoryStorage(),
        "faulty": FaultyStorage(seed=1),
    }
    return made[request.param]


def test_appended_bytes_can_be_read_from_any_position(storage: Storage) -> None:
    file = storage.open("a", create=True)
    file.append(b"one")
    file.append(memoryview(b"two"))
    assert (file.size, file.pread(10, 0), file.pread(2, 2), file.pread(5, 6)) == (6, b"onetwo", b"et", b"")
    file.truncate(4)
    file.append(b"!")
    assert storage.read("a") == b"onet!"
    file.close()
    file.sync()  # a closed file has nothing to sync


def test_a_missing_file_is_only_created_if_requested(storage: Storage) -> None:
    for missing in (storage.open, storage.read):
        with pytest.raises(FileNotFoundError):
            missing("nowhere")
    assert not storage.exists("nowhere")
    storage.remove("nowhere")


def test_a_write_replaces_the_file(storage: Storage) -> None:
    storage.write("a", b"old")
    storage.write("a", b"new", sync=False)
    assert storage.read("a") == b"new"
    assert storage.list() == [("a", 3)]


def test_a_directory_is_listed_with_sizes_and_marked(storage: Storage) -> None:
    storage.make_directory("d")
    storage.make_directory("d")
    storage.write("d/x", b"12345")
    assert storage.list() == [("d", -1)]
    assert storage.list("d") == [("x", 5)]
    assert storage.list("missing") == []


def test_files_and_directories_are_renamed_and_removed(storage: Storage) -> None:
    storage.make_directory("d")
    storage.write("d/x", b"1")
    storage.rename("d/x", "d/y")
    storage.rename("d", "e")
    assert (storage.exists("d"), storage.list("e")) == (False, [("y", 1)])
    storage.remove("e/y")
    assert storage.list("e") == []
    storage.write("e/z", b"1")
    storage.remove_directory("e")
    storage.remove_directory("e")
    assert not storage.exists("e")


def test_a_crash_keeps_what_was_synced_and_part_of_the_rest() -> None:
    left = set()
    for seed in range(50):
        storage = FaultyStorage(seed)
        file = storage.open("a", create=True)
        file.append(b"synced")
        file.sync()
        storage.sync_directory()
        file.append(b"UNSYNCED")
        storage.crash()
        data = storage.read("a")
        assert data.startswith(b"synced")
        left.add(len(data))
    assert {6, 14} <= left


def test_a_name_that_was_not_synced_may_be_lost() -> None:
    found = set()
    for seed in range(20):
        storage = FaultyStorage(seed)
        storage.open("a", create=True).sync()
        storage.crash()
        found.add(storage.exists("a"))
    assert found == {True, False}


def test_the_requested_operation_fails() -> None:
    storage = FaultyStorage(seed=1)
    file = storage.open("a", create=True)
    storage.fail_next["sync"] = 1
    file.sync()
    with pytest.raises(OSError, match="failed at this sync"):
        file.sync()
    file.sync()


def test_a_directory_is_locked_against_the_same_process_too(tmp_path: Path) -> None:
    first, second = FileStorage(tmp_path), FileStorage(f"{tmp_path}/../{tmp_path.name}")
    first.lock()
    with pytest.raises(DirectoryLocked):
        second.lock()
    second.close()
    tried = "from tidemark.log.storage import FileStorage; import sys; FileStorage(sys.argv[1]).lock()"
    other = subprocess.run([sys.executable, "-c", tried, str(tmp_path)], capture_output=True, check=False)
    assert b"DirectoryLocked" in other.stderr
    first.close()
    second.lock()
    second.close()


def test_more_files_can_be_open_than_descriptors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "files_max", lambda: 2)
    storage = FileStorage(tmp_path)
    files = [storage.open(str(number), create=True) for number in range(5)]
    for text in (b"one", b"two"):
        for number, file in enumerate(files):
            file.append(text + b"%d" % number)
    assert len(open_below(tmp_path)) == 2
    for number, file in enumerate(files):
        assert file.size == 8
        assert file.pread(8, 0) == b"one%dtwo%d" % (number, number)
        file.sync()
        file.close()
        file.sync()
    assert open_below(tmp_path) == []


def test_a_descriptor_without_unsynced_data_is_closed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptors, "files_max", lambda: 2)
    storage = FileStorage(tmp_path)
    unsynced, synced = (storage.open(name, create=True) for name in ("unsynced", "synced"))
    for file in (unsynced, synced):
        file.append(b"x")
    synced.sync()
    storage.open("third", create=True)
    assert open_below(tmp_path) == ["third", "unsynced"]


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_files_are_closed_if_no_descriptor_is_free(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = FileStorage(tmp_path)
    kept = [storage.open(str(each), create=True) for each in range(3)]
    refusals = 2
    really_open = os.open

    def limited(path: str, *arguments: int) -> int:
        nonlocal refusals
        if refusals:
            refusals -= 1
            raise OSError(number, os.strerror(number), path)
        return really_open(path, *arguments)

    monkeypatch.setattr(os, "open", limited)
    storage.write("written", b"data")
    assert open_below(tmp_path) == ["2"]
    refusals = 5
    with pytest.raises(OutOfDescriptors) as refused:
        kept[0].append(b"x")
    assert (refused.value.code, refused.value.errno) == (ErrorCode.KAFKA_STORAGE_ERROR, number)
    refusals = 0
    kept[0].append(b"y")
    assert storage.read("0") == b"y"


def test_a_descriptor_in_use_stays_open_until_its_user_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptors, "files_max", lambda: 1)
    storage = FileStorage(tmp_path)
    file = storage.open("a", create=True)
    syncing, go_on = threading.Event(), threading.Event()
    really_sync = os.fdatasync

    def slow(descriptor: int) -> None:
        syncing.set()
        assert go_on.wait(10)
        really_sync(descriptor)

    monkeypatch.setattr(os, "fdatasync", slow)
    thread = threading.Thread(target=file.sync)
    thread.start()
    assert syncing.wait(10)
    storage.open("b", create=True)
    file.close()
    assert open_below(tmp_path) == ["a", "b"]
    go_on.set()
    thread.join()
    assert open_below(tmp_path) == ["b"]


def open_below(folder: Path) -> list[str]:
    """Return the names of the folder's files that this process has open."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            target = link.readlink()
            if target.parent == folder:
                found.append(target.name)
    return sorted(found)
