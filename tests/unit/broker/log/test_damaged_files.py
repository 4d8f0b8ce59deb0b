"""Files in a partition's directory that are damaged or do not belong to a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidemark.log.errors import CorruptLog, DirectoryRefused
from tidemark.log.manager import LogManager
from tidemark.log.settings import LogSettings
from tidemark.log.storage import FileStorage, Storage
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.log_files import LOG, SNAPSHOT, offset_of
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import MemoryStorage

TOPIC_ID = bytes(range(16))


def opened(storage: Storage) -> LogManager:
    manager = LogManager(storage, BrokerSettings(), VirtualClock(), lambda topic: LogSettings())
    manager.open()
    return manager


def a_stopped_log(storage: Storage) -> None:
    manager = opened(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(build_batch([LogRecord(0, 0, b"key", b"value", [])]), leader_epoch=0, now_ms=0)
    manager.close()


def test_names_of_log_files_are_recognised() -> None:
    assert offset_of("00000000000000000007.log", LOG) == 7
    for name in ("abc.log", "-1.log", "7.log", "99999999999999999999.log", "00000000000000000007.snapshot"):
        assert offset_of(name, LOG) is None


def test_files_with_other_names_are_kept() -> None:
    storage = MemoryStorage()
    a_stopped_log(storage)
    others = ["abc.log", "-1.log", "99999999999999999999.log", "x.snapshot"]
    for name in others:
        storage.write(f"orders-0/{name}", b"not ours")
    log = opened(storage).get("orders", 0)
    assert log is not None
    assert log.log_end_offset == 1
    log.close()
    left = [name for name, _ in storage.list("orders-0") if name in others]
    assert sorted(left) == sorted(others)
    assert offset_of("x.snapshot", SNAPSHOT) is None


def test_a_log_damaged_while_closed_is_reported_once_and_not_served() -> None:
    storage = MemoryStorage()
    a_stopped_log(storage)
    path = "orders-0/00000000000000000000.log"
    storage.write(path, storage.read(path) + b"damage")
    manager = opened(storage)
    told: list[tuple[str, int, CorruptLog]] = []
    manager.on_damage = lambda *what: told.append(what)
    assert manager.find("orders", 0) is None
    assert manager.find("orders", 0) is None
    assert [(topic, partition, error.file) for topic, partition, error in told] == [("orders", 0, path)]
    assert ("orders", 0) in manager.damaged
    manager.delete("orders", 0)
    assert not manager.damaged


@pytest.mark.parametrize(
    "name",
    [
        "orders-0/00000000000000000001.log",
        "orders-0/00000000000000000001.index",
        "orders-0/00000000000000000000.timeindex.tmp",
        "orders-0/00000000000000000009.txnindex",
        "orders-0/00000000000000000009.snapshot",
        "orders-0/leader-epoch-checkpoint",
        "orders-0/partition.metadata",
        "recovery-point-offset-checkpoint",
        "replication-offset-checkpoint.tmp",
    ],
)
def test_a_directory_in_place_of_a_file_is_reported_at_the_start(name: str, tmp_path: Path) -> None:
    for storage in (MemoryStorage(), FileStorage(tmp_path)):
        a_stopped_log(storage)
        storage.remove(name)
        storage.make_directory(name)
        with pytest.raises(
            DirectoryRefused, match=f"/{name} is a directory in place of a file. Move it away"
        ):
            opened(storage)


def test_other_directories_are_kept() -> None:
    storage = MemoryStorage()
    a_stopped_log(storage)
    others = ["orders-0/lost+found", "orders-0/index", "orders-0/1.log", "lost+found"]
    for name in others:
        storage.make_directory(name)
    opened(storage).close()
    assert all(storage.exists(name) for name in others)
