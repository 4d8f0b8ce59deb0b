"""Files in a partition's directory that are damaged or do not belong to a log."""

from __future__ import annotations

from tidemark.log.errors import CorruptLog
from tidemark.log.manager import LogManager
from tidemark.log.settings import LogSettings, ManagerSettings
from tidemark.testing.clock import VirtualClock
from tidemark.testing.storage import MemoryStorage
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.log_files import LOG, SNAPSHOT, offset_of

TOPIC_ID = bytes(range(16))


def opened(storage: MemoryStorage) -> LogManager:
    manager = LogManager(storage, ManagerSettings(), VirtualClock(), lambda topic: LogSettings())
    manager.open()
    return manager


def a_stopped_log(storage: MemoryStorage) -> None:
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
