"""A disk that fails or is slow on request: the storage of a node, with faults in front of it."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

from tidemark.faults.active import ActiveFault
from tidemark.log.storage import Buffer, Storage, StoredFile

SLICE_MS: Final = 100  # a thread that sleeps notices that its fault was removed


class DiskFaults:
    """Applies faults of the disk to its operations. Create it in the thread of the event loop.

    A delay blocks a worker thread, as a slow disk does. The event loop must serve other clients meanwhile. So
    the delay of its operations is left to the next sync in a worker, or to the next response (`SlowDisk`).

    faults()   the faults that are set
    steady_ms() the clock of their bounds
    sleep(s)   blocks the calling thread
    """

    def __init__(
        self,
        faults: Callable[[], Iterable[ActiveFault]],
        steady_ms: Callable[[], int],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._faults = faults
        self._steady_ms = steady_ms
        self._sleep = sleep
        self._loop_thread = threading.get_ident()

    def before(self, operation: str, path: str) -> None:
        """Raise OSError, or wait, if a fault applies to this operation: write or sync."""
        blocks = threading.get_ident() != self._loop_thread
        for active in self._faults():
            fault = active.fault
            if fault.disk == operation and active.count(self._steady_ms()):
                if fault.errno is not None:
                    number: int = getattr(errno, fault.errno)
                    raise OSError(number, f"{os.strerror(number)} (fault {active.id})", path)
                active.owe_delay()
            if blocks:
                self._wait(active, active.take_delay())

    def _wait(self, active: ActiveFault, ms: int) -> None:
        while ms > 0 and not active.removed:
            self._sleep(min(ms, SLICE_MS) / 1000)
            ms -= SLICE_MS


class FaultyFile:
    """An open file of a `FaultyStorage`. After a failure, each further write and sync fails."""

    __slots__ = ("_broken", "_disk", "_file", "_path")

    def __init__(self, file: StoredFile, path: str, disk: DiskFaults) -> None:
        self._file = file
        self._path = path
        self._disk = disk
        self._broken: OSError | None = None

    @property
    def size(self) -> int:
        return self._file.size

    def append(self, data: Buffer) -> None:
        self._before("write")
        self._file.append(data)

    def pread(self, size: int, position: int) -> bytes:
        return self._file.pread(size, position)

    def sync(self) -> None:
        self._before("sync")
        self._file.sync()

    def truncate(self, size: int) -> None:
        self._file.truncate(size)

    def close(self) -> None:
        self._file.close()

    def _before(self, operation: str) -> None:
        if self._broken is not None:
            raise self._broken
        try:
            self._disk.before(operation, self._path)
        except OSError as error:
            self._broken = error
            raise


class FaultyStorage:
    """A storage whose writes and syncs pass through `DiskFaults` first."""

    def __init__(self, storage: Storage, disk: DiskFaults) -> None:
        self._storage = storage
        self._disk = disk
        self.lock = storage.lock
        self.close = storage.close
        self.read = storage.read
        self.list = storage.list
        self.directories = storage.directories
        self.size = storage.size
        self.exists = storage.exists
        self.modified_ms = storage.modified_ms
        self.rename = storage.rename
        self.copy = storage.copy
        self.make_directory = storage.make_directory
        self.remove = storage.remove
        self.remove_directory = storage.remove_directory
        self.real_path = storage.real_path
        self.space = storage.space

    def open(self, path: str, *, create: bool = False) -> StoredFile:
        return FaultyFile(self._storage.open(path, create=create), path, self._disk)

    def write(self, path: str, data: bytes, *, sync: bool = True) -> None:
        self._disk.before("write", path)
        if sync:
            self._disk.before("sync", path)
        self._storage.write(path, data, sync=sync)

    def sync_directory(self, path: str = "") -> None:
        self._disk.before("sync", path)
        self._storage.sync_directory(path)
