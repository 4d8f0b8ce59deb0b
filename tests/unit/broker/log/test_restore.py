from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.unit.broker.log.builders import TOPIC_ID
from tests.unit.broker.log.test_copies import grow, take, values_of
from tests.unit.broker.log.test_manager import a_manager
from tidemark.log import copies, restore
from tidemark.log.directory import open_directory
from tidemark.log.errors import DirectoryRefused
from tidemark.log.storage import FileStorage, Storage
from tidemark.log.takeover import read_origins
from tidemark_protocol.log_files import RESTORE_CLEARING
from tidemark_testing.storage import FaultyStorage, MemoryStorage, ProcessKilled

pytestmark = pytest.mark.slow  # each lets the broker die at every step

OPERATIONS_MAX = 200  # a swap of these directories needs some 30
Content = dict[str, bytes]
ENDS = pytest.mark.parametrize(
    "ends", [FaultyStorage.kill, FaultyStorage.crash], ids=["a kill", "a power cut"]
)


def opened(storage: Storage) -> bool:
    """Return whether this start finished a restore."""
    found = open_directory(storage, node_id=1, cluster_id="c" * 22, directory_id=TOPIC_ID, now_ms=0)
    return found.restored


def with_a_copy(storage: Storage) -> None:
    """Return a directory that has changed since a copy was made of it."""
    opened(storage)
    logs = a_manager(storage, segment_bytes=200)
    grow(logs, *(b"%d" % n for n in range(5)))
    grow(logs, b"a", topic="deleted")
    take(storage, logs, "one")
    storage.write("tidemark.clock", b"moved")
    logs.delete("deleted", 0)
    grow(logs, b"later")
    grow(logs, b"b", topic="new")
    logs.close()
    for path in content(storage):
        storage.open(path).sync()
        storage.sync_directory(path.rpartition("/")[0])
    storage.close()


def content(storage: Storage, directory: str = "") -> Content:
    """Return all files that are not copies."""
    found: Content = {}
    for name, size in storage.list(directory):
        path = f"{directory}/{name}" if directory else name
        if size >= 0:
            found[path] = storage.read(path)
        elif name != copies.FOLDER:
            found |= content(storage, path)
    return found


def killed_at(storage: FaultyStorage, operations: int, work: Callable[[], None]) -> bool:
    """Kill the work after this number of operations. Return False if it needed no more."""
    storage.die_after = operations
    with suppress(ProcessKilled):
        work()
    return storage.dead


def swapped(storage: Storage) -> None:
    restore.build(storage, "one", sync=True)
    restore.swap(storage, sync=True)


def restored_content() -> Content:
    storage = MemoryStorage()
    with_a_copy(storage)
    swapped(storage)
    return content(storage)


def until_done(play: Callable[[int], bool]) -> Iterator[int]:
    """Yield the numbers of operations after which the process was killed."""
    for operations in range(OPERATIONS_MAX):
        if not play(operations):
            return
        yield operations
    raise AssertionError("it never ends")


@ENDS
def test_a_kill_at_any_operation_leaves_the_old_content_or_the_new_one(
    ends: Callable[[FaultyStorage], None],
) -> None:
    restored = restored_content()
    finished = []

    def play(operations: int) -> bool:
        storage = FaultyStorage(seed=operations)
        with_a_copy(storage)
        old = content(storage)
        killed = killed_at(storage, operations, lambda: swapped(storage))
        ends(storage)
        finished.append(opened(storage))
        restore.discard(storage)
        after = content(storage)
        assert after == (old if True not in finished else restored)
        return killed

    assert len(list(until_done(play))) > 40
    assert finished.count(True) > 20
    assert finished[0] is finished[-1] is False


@ENDS
def test_a_start_that_finishes_a_restore_may_be_killed_too(ends: Callable[[FaultyStorage], None]) -> None:
    restored = restored_content()

    def first(operations: int) -> bool:
        def second(again: int) -> bool:
            storage = FaultyStorage(seed=again)
            with_a_copy(storage)
            restore.build(storage, "one", sync=True)
            if not killed_at(storage, operations, lambda: restore.swap(storage, sync=True)):
                return False
            ends(storage)
            if not restore.is_interrupted(storage):
                return False
            killed = killed_at(storage, again, lambda: restore.finish(storage))
            ends(storage)
            opened(storage)
            assert content(storage) == restored, (operations, again)
            return killed

        list(until_done(second))
        return operations < 40

    list(until_done(first))


def test_directories_that_are_no_logs_stay(tmp_path: Path) -> None:
    storage = FileStorage(tmp_path)
    with_a_copy(storage)
    (tmp_path / "lost+found").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "today").write_text("mine")
    (tmp_path / "orders-0.0123456789abcdef-stray").mkdir()
    swapped(storage)
    assert (tmp_path / "notes" / "today").read_text() == "mine"
    assert (tmp_path / "lost+found").is_dir()
    assert (tmp_path / "orders-0.0123456789abcdef-stray").is_dir()
    assert not (tmp_path / "new-0").exists()
    assert not (tmp_path / "tidemark.clock").exists()
    assert values_of(a_manager(storage)) == [b"0", b"1", b"2", b"3", b"4"]


def test_a_directory_whose_restore_was_interrupted_is_not_opened_as_found(tmp_path: Path) -> None:
    storage = FileStorage(tmp_path)
    with_a_copy(storage)
    restore.build(storage, "one", sync=False)
    storage.rename(restore.BUILDING, RESTORE_CLEARING)
    storage.remove("meta.properties")
    with pytest.raises(DirectoryRefused, match="Start tidemark on that directory once"):
        read_origins([tmp_path])
    assert opened(storage)
    assert read_origins([tmp_path])[0].clean


def test_a_log_that_cannot_be_deleted_is_not_mixed_with_the_restored_one() -> None:
    class Stubborn(MemoryStorage):
        def remove_directory(self, path: str) -> None:
            if path != "new-0":
                super().remove_directory(path)

    storage = Stubborn()
    with_a_copy(storage)
    with pytest.raises(OSError, match="cannot be removed"):
        swapped(storage)
    assert restore.is_interrupted(storage)
