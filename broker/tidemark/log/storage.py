"""Storage: the only file I/O of the broker. Paths are relative to the data directory, with "/" between their
parts.

`FileStorage` is the disk. `tidemark_testing.storage` has one in memory and one that fails. All of them raise
OSError if the disk fails. The caller stops then, and nothing is retried: after a failed sync, the kernel may
have dropped the pages. OutOfDescriptors is different: nothing has happened, and the caller may try again.
"""

# Paths are strings here: pathlib costs more than the calls that it wraps.
# ruff: noqa: PTH103, PTH105, PTH108, PTH110, PTH112, PTH116, PTH120, PTH123

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Final, Protocol, TypeVar

from tidemark import descriptors, platform
from tidemark.log.errors import OutOfDescriptors

T = TypeVar("T")
Buffer = bytes | bytearray | memoryview

LOCK: Final = ".lock"  # Kafka's name for it
READ_CHUNK_BYTES: Final = 1 << 30  # read(2) and write(2) transfer at most 2 GiB - 4096 bytes at once on Linux
SYNCED_AMONG: Final = 64  # files that are examined to find one without unsynced data


# A POSIX lock keeps out other processes, not this one, and is lost when any descriptor of its file is closed.
# So the directories that this process has locked are listed here, and a second one does not open the file.
_locking: Final = threading.Lock()
_locked: Final[set[str]] = set()


def is_locked_here(path: str | os.PathLike[str]) -> bool:
    """Whether a broker of this process holds the directory's lock."""
    return os.path.realpath(path) in _locked


class DirectoryLocked(Exception):
    """Another broker, in this process or another one, works on this data directory."""


class StoredFile(Protocol):
    """An open file that grows at its end."""

    @property
    def size(self) -> int: ...

    def append(self, data: Buffer) -> None:
        """Append data. Raises OSError, and then may have appended a part of it."""

    def pread(self, size: int, position: int) -> bytes:
        """Read size bytes from position on, or fewer at the end of the file."""

    def sync(self) -> None:
        """Make everything durable that was appended before the call.

        May run in another thread while the owner appends. Does nothing if the file is closed.
        """

    def truncate(self, size: int) -> None: ...

    def close(self) -> None: ...


class Storage(Protocol):
    """A tree of files below one data directory."""

    def lock(self) -> None:
        """Lock the directory (`.lock`, as Kafka) until `close`. Raises DirectoryLocked."""

    def close(self) -> None:
        """Release the lock."""

    def open(self, path: str, *, create: bool = False) -> StoredFile:
        """Open a file for reading and appending. Raises FileNotFoundError unless create."""

    def read(self, path: str) -> bytes:
        """Return the content of a file."""

    def write(self, path: str, data: bytes, *, sync: bool = True) -> None:
        """Replace a file atomically: with sync, a crash leaves the old or the new content."""

    def list(self, directory: str = "") -> list[tuple[str, int]]:
        """Return the sorted names in a directory with their sizes.

        A directory has the size -1. The list is empty if the directory does not exist.
        """

    def directories(self, directory: str = "") -> tuple[str, ...]:
        """Return the sorted names of the directories in a directory that exists. Cheaper than `list`."""

    def exists(self, path: str) -> bool: ...

    def size(self, path: str) -> int:
        """Return the size of a file. Needs no descriptor."""

    def modified_ms(self, path: str) -> int:
        """Return the wall time of the last write to a file."""

    def make_directory(self, path: str, *, sync: bool = True) -> None:
        """Create a directory and its parents. Does nothing if it exists."""

    def rename(self, old: str, new: str, *, sync: bool = True) -> None:
        """Rename a file or directory. Replaces new if it exists."""

    def copy(
        self, old: str, new: str, *, link: bool = False, size: int | None = None, sync: bool = True
    ) -> None:
        """Copy a file, or its first bytes (size). link: neither file will change, so a hard link is enough.

        With sync, the content is durable. The name is durable after `sync_directory`.
        """

    def remove(self, path: str) -> None:
        """Remove a file. Does nothing if it does not exist."""

    def remove_directory(self, path: str) -> None:
        """Remove a directory and its content. Does nothing if it does not exist."""

    def sync_directory(self, path: str = "") -> None:
        """Make the created, renamed and removed names of a directory durable."""

    def real_path(self, path: str) -> str | None:
        """Return the path for other processes, or None if it is not on a disk."""

    def space(self) -> tuple[int, int]:
        """Return the total and the usable bytes of the file system; -1 if unknown. Raises OSError."""


class _Descriptors:
    """The descriptors of the open files of a directory, at most `descriptors.files_max()` of them.

    The least recently used is closed when another one is needed, and its file opens it again by its path. So
    any number of files can be open, and a name must not change before its file is closed.

    Thread-safe: no descriptor is closed while another thread uses it.
    """

    __slots__ = ("_lock", "_open")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._open: OrderedDict[_File, None] = OrderedDict()

    def use(self, file: _File, flags: int = 0) -> int:
        """Return the file's descriptor, for as long as `release` is not called. -1: the file is closed.

        Raises OutOfDescriptors.
        """
        with self._lock:
            if file.descriptor < 0:
                if file.closed:
                    return -1
                while len(self._open) >= descriptors.files_max() and self._close_one():
                    pass
                flags |= os.O_RDWR | os.O_APPEND | platform.OPEN_FLAGS
                file.descriptor = self.freeing(lambda: os.open(file.path, flags, 0o644))
                self._open[file] = None
            else:
                self._open.move_to_end(file)
            file.users += 1
            return file.descriptor

    def release(self, file: _File) -> None:
        """End `use`."""
        with self._lock:
            file.users -= 1
            if file.closed and not file.users:
                self._close(file)

    def close(self, file: _File) -> None:
        """Close the file, once no thread uses it."""
        with self._lock:
            file.closed = True
            if file.descriptor >= 0 and not file.users:
                self._close(file)

    def freeing(self, call: Callable[[], T]) -> T:
        """Call a function that needs descriptors, and close files until there are enough.

        Raises OutOfDescriptors.
        """
        while True:
            try:
                return call()
            except OSError as error:
                if not descriptors.is_exhausted(error):
                    raise
                with self._lock:
                    closed = self._close_one()
                if not closed:
                    raise OutOfDescriptors(error) from None

    def _close_one(self) -> bool:
        """Close a descriptor that is not in use. Return False if there is none.

        Preferably one without unsynced data. Linux reports an error of the disk to the next sync of the file
        through any descriptor, if none has reported it yet, but only while the kernel remembers the file.
        """
        idle = (file for file in self._open if not file.users)
        first = list(islice(idle, SYNCED_AMONG))
        if not first:
            return False
        self._close(next((file for file in first if not file.unsynced), first[0]))
        return True

    def _close(self, file: _File) -> None:
        descriptor, file.descriptor = file.descriptor, -1
        del self._open[file]
        os.close(descriptor)


class _File:
    """A file for reading and appending. After its first error every call fails.

    Nothing may follow half a batch. After a failed sync the pages are lost, even if the next sync succeeds.

    descriptor   -1 while it is closed
    users        threads that use the descriptor now
    """

    __slots__ = ("_broken", "_descriptors", "closed", "descriptor", "path", "size", "unsynced", "users")

    def __init__(self, path: str, flags: int, pool: _Descriptors) -> None:
        self.path = path
        self.descriptor = -1
        self.users = 0
        self.closed = False
        self.unsynced = False
        self._descriptors = pool
        self._broken: OSError | None = None
        descriptor = pool.use(self, flags)
        try:
            self.size = os.fstat(descriptor).st_size
        finally:
            pool.release(self)

    def append(self, data: Buffer) -> None:
        if self._broken is not None:
            raise self._broken
        descriptor = self._descriptors.use(self)
        if descriptor < 0:
            raise self._is_closed()
        self.unsynced = True
        try:
            written = platform.append(descriptor, data)
            self.size += written
            if written != len(data):
                self._append_rest(descriptor, memoryview(data)[written:])
        except OSError as error:
            self._broken = _at(error, self.path)
            raise
        finally:
            self._descriptors.release(self)

    def _append_rest(self, descriptor: int, rest: memoryview) -> None:
        while rest:
            written = platform.append(descriptor, rest)
            self.size += written
            rest = rest[written:]

    def pread(self, size: int, position: int) -> bytes:
        descriptor = self._descriptors.use(self)
        if descriptor < 0:
            raise self._is_closed()
        try:
            data = platform.pread(descriptor, min(size, READ_CHUNK_BYTES), position)
            if len(data) == size or position + len(data) >= self.size:
                return data
            parts = [data]
            read = len(data)
            while read < size and (
                data := platform.pread(descriptor, min(size - read, READ_CHUNK_BYTES), position + read)
            ):
                parts.append(data)
                read += len(data)
            return b"".join(parts)
        finally:
            self._descriptors.release(self)

    def sync(self) -> None:
        descriptor = self._descriptors.use(self)
        if descriptor < 0:
            return
        try:
            if self._broken is not None:
                raise self._broken
            self.unsynced = False  # before the sync: the owner may append meanwhile
            platform.sync_data(descriptor)
        except OSError as error:
            self._broken = _at(error, self.path)
            raise
        finally:
            self._descriptors.release(self)

    def truncate(self, size: int) -> None:
        descriptor = self._descriptors.use(self)
        if descriptor < 0:
            raise self._is_closed()
        self.unsynced = True
        try:
            os.ftruncate(descriptor, size)
        except OSError as error:
            self._broken = _at(error, self.path)
            raise
        finally:
            self._descriptors.release(self)
        self.size = size

    def close(self) -> None:
        self._descriptors.close(self)

    def _is_closed(self) -> OSError:
        return OSError(errno.EBADF, "the file is closed", self.path)


def _at(error: OSError, path: str) -> OSError:
    """Return the error with the name of the file: errors of descriptors have none."""
    error.filename = path
    return error


class FileStorage:
    """A data directory on the disk."""

    __slots__ = ("_descriptors", "_lock", "_locked_path", "root")

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)
        self._descriptors = _Descriptors()
        self._lock = -1
        self._locked_path = ""

    def lock(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        path = os.path.realpath(self.root)
        with _locking:
            if is_locked_here(path):
                raise self._in_use()
            descriptor = os.open(self.root / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                platform.lock_like_java(descriptor)
            except OSError as error:
                os.close(descriptor)
                raise self._in_use() from error
            _locked.add(path)
        self._lock, self._locked_path = descriptor, path

    def _in_use(self) -> DirectoryLocked:
        return DirectoryLocked(
            f"Failed to acquire lock on file .lock in {self.root}. A Kafka instance in another process or"
            f" thread is using this directory."
        )

    def close(self) -> None:
        if self._lock >= 0:
            with _locking:
                os.close(self._lock)
                _locked.discard(self._locked_path)
            self._lock = -1

    def open(self, path: str, *, create: bool = False) -> StoredFile:
        return _File(self._path(path), os.O_CREAT if create else 0, self._descriptors)

    def read(self, path: str) -> bytes:
        with self._descriptors.freeing(lambda: open(self._path(path), "rb")) as file:
            return file.read()

    def write(self, path: str, data: bytes, *, sync: bool = True) -> None:
        target = self._path(path)
        scratch = target + ".tmp"
        descriptor = self._open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            if sync:
                platform.sync(descriptor)
        except OSError as error:
            _at(error, target)
            raise
        finally:
            os.close(descriptor)
        os.replace(scratch, target)
        if sync:
            self._sync(os.path.dirname(target))

    def list(self, directory: str = "") -> list[tuple[str, int]]:
        try:
            found = self._descriptors.freeing(lambda: os.scandir(self._path(directory)))
            with found as entries:
                return sorted(
                    (entry.name, -1 if entry.is_dir() else entry.stat().st_size) for entry in entries
                )
        except FileNotFoundError:
            return []

    def directories(self, directory: str = "") -> tuple[str, ...]:
        with self._descriptors.freeing(lambda: os.scandir(self._path(directory))) as entries:
            return tuple(sorted(entry.name for entry in entries if entry.is_dir()))

    def exists(self, path: str) -> bool:
        return os.path.exists(self._path(path))

    def size(self, path: str) -> int:
        return os.stat(self._path(path)).st_size

    def modified_ms(self, path: str) -> int:
        return os.stat(self._path(path)).st_mtime_ns // 1_000_000

    def make_directory(self, path: str, *, sync: bool = True) -> None:
        os.makedirs(self._path(path), exist_ok=True)
        if sync:
            self._sync(os.path.dirname(self._path(path)))

    def rename(self, old: str, new: str, *, sync: bool = True) -> None:
        os.replace(self._path(old), self._path(new))
        if sync:
            self._sync(os.path.dirname(self._path(new)))

    def copy(
        self, old: str, new: str, *, link: bool = False, size: int | None = None, sync: bool = True
    ) -> None:
        if not link or not self._link(old, new):
            self._descriptors.freeing(lambda: shutil.copyfile(self._path(old), self._path(new)))
        if size is not None:
            os.truncate(self._path(new), size)
        if sync:
            self._sync(self._path(new))

    def _link(self, old: str, new: str) -> bool:
        try:
            os.link(self._path(old), self._path(new))
        except OSError:  # a file system without them
            return False
        return True

    def remove(self, path: str) -> None:
        try:
            os.unlink(self._path(path))
        except FileNotFoundError:
            return

    def remove_directory(self, path: str) -> None:
        try:
            self._descriptors.freeing(lambda: shutil.rmtree(self._path(path)))
        except OutOfDescriptors:
            raise
        except OSError:  # remove what can be removed
            shutil.rmtree(self._path(path), ignore_errors=True)

    def sync_directory(self, path: str = "") -> None:
        self._sync(self._path(path))

    def real_path(self, path: str) -> str | None:
        return self._path(path)

    def space(self) -> tuple[int, int]:
        usage = shutil.disk_usage(self.root)
        return usage.total, usage.free

    def _path(self, path: str) -> str:
        return f"{self.root}/{path}" if path else str(self.root)

    def _open(self, path: str, flags: int) -> int:
        """Return a descriptor for a moment."""
        return self._descriptors.freeing(lambda: os.open(path, flags | platform.OPEN_FLAGS, 0o644))

    def _sync(self, path: str) -> None:
        """Sync a file or a directory."""
        if platform.syncs_directories():
            descriptor = self._open(path, os.O_RDONLY)
        elif os.path.isdir(path):
            return
        else:
            descriptor = self._open(path, os.O_RDWR)  # Windows syncs only what may be written
        try:
            platform.sync(descriptor)
        except OSError as error:
            _at(error, path)
            raise
        finally:
            os.close(descriptor)
