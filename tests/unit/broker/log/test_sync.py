"""Syncs of one log by several threads at once: the flusher, a Produce request, a scheduled task."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.unit.broker.log.builders import a_batch, a_log
from tidemark.log.partition import PartitionLog
from tidemark.log.storage import FileStorage
from tidemark_testing.storage import FaultyStorage, MemoryStorage


class CountedSyncs(MemoryStorage):
    syncs = 0

    def about_to(self, operation: str) -> None:
        self.syncs += operation == "sync"


def test_syncs_of_one_log_may_overlap(tmp_path: Path) -> None:
    log = a_log(FileStorage(tmp_path))
    with ThreadPoolExecutor(4) as threads:
        for _ in range(30):
            for _ in range(4):
                log.append(a_batch(b"v" * 200), leader_epoch=0, now_ms=0)
                log.roll(0)
            ends = [future.result() for future in [threads.submit(log.sync) for _ in range(4)]]
            assert ends == [log.log_end_offset] * 4
            log.mark_synced(ends[0])
    log.close()


class SyncedWhileWriting(MemoryStorage):
    """Calls meanwhile before it writes the first index."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self.meanwhile = meanwhile
        self.written: list[str] = []

    def write(self, path: str, data: bytes, *, sync: bool = True) -> None:
        if path.endswith("index"):
            self.written.append(path.rpartition(".")[2])
            if len(self.written) == 1:
                self.meanwhile()
        super().write(path, data, sync=sync)


def test_a_sync_does_not_write_the_indexes_that_a_reader_rebuilds() -> None:
    """Two threads that write the same file take its scratch file away from each other."""
    storage = SyncedWhileWriting(lambda: None)
    log = a_log(storage)
    log.append(a_batch(b"v"), leader_epoch=0, now_ms=0)
    log.roll(0)
    closed = log._segments[0]
    log.mark_synced(log.sync())
    closed.close()
    closed.remove_index_files()
    storage.written.clear()
    storage.meanwhile = closed.make_durable
    assert len(closed.files.times) == 1
    assert (storage.written, closed.is_durable) == (["index", "timeindex"], True)


def test_one_sync_serves_all_that_wait() -> None:
    storage = CountedSyncs()
    log = a_log(storage)
    for _ in range(3):
        log.append(a_batch(b"v"), leader_epoch=0, now_ms=0)
    assert log.sync(1) == 3
    done = storage.syncs
    assert [log.sync(2), log.sync(3)] == [3, 3]
    assert storage.syncs == done
    log.append(a_batch(b"v"), leader_epoch=0, now_ms=0)
    assert [log.sync(3), storage.syncs] == [3, done]
    assert [log.sync(4), storage.syncs] == [4, done + 1]


def test_records_written_after_a_truncation_are_synced() -> None:
    storage = CountedSyncs()
    log = a_log(storage)
    for _ in range(2):
        log.append(a_batch(b"v"), leader_epoch=0, now_ms=0)
    log.sync(2)
    log.truncate_to(1)
    log.append(a_batch(b"w"), leader_epoch=0, now_ms=0)
    done = storage.syncs
    assert [log.sync(2), storage.syncs] == [2, done + 1]


@pytest.mark.parametrize(
    "which", [0, 1, 2, 4], ids=["a closed segment", "the active one", "an index", "a name"]
)
def test_no_sync_succeeds_after_a_failed_one(which: int) -> None:
    """After a failed fsync, the next one succeeds although the data is lost. So each later sync must fail:
    the caller of the failed one may no longer be connected.
    """

    class FailsOnce(MemoryStorage):
        left = -1

        def about_to(self, operation: str) -> None:
            if operation in ("sync", "write"):
                self.left -= 1
                if self.left == -1:
                    raise OSError(errno.EIO, "Input/output error")

    storage = FailsOnce()
    log = a_log(storage)
    log.append(a_batch(b"v"), leader_epoch=0, now_ms=0)
    log.roll(0)
    log.append(a_batch(b"v"), leader_epoch=0, now_ms=0)
    storage.left = which
    for _ in range(2):
        with pytest.raises(OSError, match="Input/output error"):
            log.sync(log.log_end_offset)
    assert log.needs_sync
    assert storage.left < 0


def test_a_segment_rolled_during_a_sync_gets_its_indexes() -> None:
    for instruction in count():
        storage = MemoryStorage()
        log = a_log(storage)
        log.append(a_batch(b"v"), leader_epoch=0, now_ms=0)
        if not roll_at(log, instruction):
            break
        log.close()
        assert storage.exists(f"{log.directory}/{0:020d}.index"), f"rolled at instruction {instruction}"
    assert instruction > 10


class LosesNames(FaultyStorage):
    """A storage whose power cuts take every name that is not synced."""

    def crash(self) -> None:
        self._pending.clear()
        super().crash()


def roll_at(log: PartitionLog, instruction: int) -> bool:
    """Sync the log, and roll it after this many instructions of the sync. False: the sync has fewer."""
    left = instruction

    def each(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        if frame.f_code.co_name == "_sync_files":
            frame.f_trace_opcodes = True
            if event == "opcode":
                left -= 1
                if left == -1:
                    log.roll(0)
        return each

    before = sys.gettrace()
    sys.settrace(each)
    try:
        offset = log.sync()
    finally:
        sys.settrace(before)
    log.mark_synced(offset)
    return left < 0


def test_a_segment_rolled_during_a_sync_gets_its_name_synced() -> None:
    for instruction in count():
        storage = LosesNames(0)
        log = a_log(storage)
        log.append(a_batch(b"v"), leader_epoch=0, now_ms=0)
        log.mark_synced(log.sync())  # no name is left to sync
        log.append(a_batch(b"v"), leader_epoch=0, now_ms=0)
        if not roll_at(log, instruction):
            break
        if log.needs_sync:
            log.mark_synced(log.sync())
        storage.crash()
        rolled = f"{log.directory}/{2:020d}.log"
        assert storage.exists(rolled), f"the roll at instruction {instruction} is lost"
    assert instruction > 10
