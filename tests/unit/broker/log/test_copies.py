from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.broker.log.builders import TOPIC_ID, a_batch, all_values
from tests.unit.broker.log.test_manager import a_manager
from tidemark.log import copies, restore
from tidemark.log.manager import LogManager
from tidemark.log.storage import FileStorage, Storage
from tidemark_testing.storage import FaultyStorage, MemoryStorage

SEGMENT_BYTES = 200  # a few batches


@pytest.fixture(params=["disk", "memory"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return FileStorage(tmp_path) if request.param == "disk" else MemoryStorage()


def grow(logs: LogManager, *values: bytes, topic: str = "orders") -> None:
    log = logs.create(topic, 0, TOPIC_ID)
    for value in values:
        log.append(a_batch(value), leader_epoch=0, now_ms=0)


def taken_up(storage: Storage, logs: LogManager, name: str) -> LogManager:
    """Return the logs after a restore of the copy."""
    logs.abandon()
    restore.build(storage, name, sync=True)
    restore.swap(storage, sync=True)
    return a_manager(storage, segment_bytes=SEGMENT_BYTES)


def take(storage: Storage, logs: LogManager, name: str) -> None:
    copies.finish(storage, name, copies.begin(storage, logs, name))


def values_of(logs: LogManager, topic: str = "orders") -> list[Any]:
    log = logs.get(topic, 0)
    assert log is not None
    return [value for _, value in all_values(log)]


def test_restoring_a_copy_drops_later_records(storage: Storage) -> None:
    logs = a_manager(storage, segment_bytes=SEGMENT_BYTES)
    before = [b"%d" % n for n in range(10)]
    grow(logs, *before)
    take(storage, logs, "one")
    grow(logs, b"more", b"and more")
    grow(logs, b"new", topic="later")
    again = taken_up(storage, logs, "one")
    assert again.opened_clean
    assert values_of(again) == before
    assert again.get("later", 0) is None


def test_a_log_may_grow_roll_and_be_deleted_while_it_is_copied(storage: Storage) -> None:
    logs = a_manager(storage, segment_bytes=SEGMENT_BYTES)
    before = [b"%d" % n for n in range(10)]
    grow(logs, *before)
    grow(logs, b"gone", topic="payments")
    growing = copies.begin(storage, logs, "one")
    grow(logs, *[b"later"] * 10)
    logs.delete("payments", 0)
    logs.remove(logs.take_deleted(2**62))
    copies.finish(storage, "one", growing)
    again = taken_up(storage, logs, "one")
    assert values_of(again) == before
    assert values_of(again, "payments") == [b"gone"]
    assert not [name for name, _ in storage.list("orders-0") if name.endswith(copies.GROWING)]


def test_a_copy_that_fails_leaves_nothing() -> None:
    storage = FaultyStorage(seed=1)
    logs = a_manager(storage, segment_bytes=SEGMENT_BYTES)
    grow(logs, b"a", b"b")
    growing = copies.begin(storage, logs, "one")
    storage.fail_next["write"] = 0
    with pytest.raises(OSError, match="disk failed"):
        copies.finish(storage, "one", growing)
    assert storage.list(f"{copies.FOLDER}/one") == []


def test_a_copy_can_be_restored_more_than_once(storage: Storage) -> None:
    logs = a_manager(storage, segment_bytes=SEGMENT_BYTES)
    grow(logs, b"a", b"b", b"c", b"d", b"e")
    take(storage, logs, "early")
    grow(logs, b"f", b"g")
    take(storage, logs, "late")
    for _ in range(2):
        logs = taken_up(storage, logs, "early")
        grow(logs, b"x", b"y", b"z")
        log = logs.get("orders", 0)
        assert log is not None
        log.delete_segments(1, 0)
        logs.delete("orders", 0)
    logs = taken_up(storage, logs, "late")
    assert values_of(logs) == [b"a", b"b", b"c", b"d", b"e", b"f", b"g"]
    assert values_of(taken_up(storage, logs, "early")) == [b"a", b"b", b"c", b"d", b"e"]


def test_files_that_grow_are_not_linked(tmp_path: Path) -> None:
    logs = a_manager(FileStorage(tmp_path), segment_bytes=SEGMENT_BYTES)
    grow(logs, *[b"%d" % n for n in range(10)])
    active = max((tmp_path / "orders-0").glob("*.log"))
    active.with_suffix(".txnindex").touch()
    take(logs.storage, logs, "one")
    copied = tmp_path / copies.FOLDER / "one" / "orders-0"
    single = {path.name for path in copied.iterdir() if path.stat().st_nlink == 1}
    assert single == {active.name, active.with_suffix(".txnindex").name}


def test_a_second_copy_writes_only_files_of_logs_that_have_grown(tmp_path: Path) -> None:
    logs = a_manager(FileStorage(tmp_path), segment_bytes=SEGMENT_BYTES)
    grow(logs, b"a")
    grow(logs, b"b", topic="payments")
    take(logs.storage, logs, "one")
    grow(logs, b"c", topic="payments")
    take(logs.storage, logs, "two")
    one, two = (tmp_path / copies.FOLDER / name for name in ("one", "two"))
    assert same_file(one, two, "orders-0/00000000000000000000.index")
    assert not same_file(one, two, "payments-0/00000000000000000000.index")
    assert values_of(taken_up(logs.storage, logs, "two"), "payments") == [b"b", b"c"]


def same_file(one: Path, two: Path, name: str) -> bool:
    return (one / name).samefile(two / name)


def test_a_copy_does_not_change_the_log(storage: Storage) -> None:
    logs = a_manager(storage, segment_bytes=SEGMENT_BYTES)
    grow(logs, b"a", b"b")
    take(storage, logs, "one")
    more = [b"%d" % n for n in range(20)]
    grow(logs, *more)
    logs.close()
    assert values_of(a_manager(storage, segment_bytes=SEGMENT_BYTES)) == [b"a", b"b", *more]


def test_records_below_the_log_start_stay_deleted(storage: Storage) -> None:
    logs = a_manager(storage)
    grow(logs, b"a", b"b", b"c")
    log = logs.get("orders", 0)
    assert log is not None
    log.advance_log_start(2)
    take(storage, logs, "one")
    log.advance_log_start(3)
    again = taken_up(storage, logs, "one").get("orders", 0)
    assert again is not None
    assert again.log_start_offset == 2


def test_closed_segments_are_linked_and_the_active_one_is_copied(
    tmp_path: Path,
) -> None:
    storage = FileStorage(tmp_path)
    logs = a_manager(storage, segment_bytes=SEGMENT_BYTES)
    grow(logs, *(b"%d" % n for n in range(10)))
    take(storage, logs, "one")
    segments = sorted((tmp_path / "orders-0").glob("*.log"))
    copied = sorted((tmp_path / copies.FOLDER / "one" / "orders-0").glob("*.log"))
    assert len(segments) > 2
    shared = [a.samefile(b) for a, b in zip(segments, copied, strict=True)]
    assert shared == [True] * (len(segments) - 1) + [False]


def test_restore_keeps_the_lock_and_other_copies(tmp_path: Path) -> None:
    storage = FileStorage(tmp_path)
    storage.lock()
    held = (tmp_path / ".lock").stat().st_ino
    logs = a_manager(storage)
    grow(logs, b"a")
    take(storage, logs, "one")
    take(storage, logs, "two")
    assert not (tmp_path / copies.FOLDER / "two" / ".lock").exists()
    taken_up(storage, logs, "one")
    assert (tmp_path / ".lock").stat().st_ino == held
    copies.remove(storage, "one")
    assert [name for name, _ in storage.list(copies.FOLDER)] == ["two"]
    copies.remove_all(storage)
    assert not (tmp_path / copies.FOLDER).exists()
    copies.remove_all(storage)
