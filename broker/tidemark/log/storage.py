"""Storage: the only file I/O of the broker. Paths are relative to the data directory, with "/" between their
parts.

`FileStorage` is the disk. `tidemark.testing.storage` has one in memory and one that fails. All of them raise
OSError if the disk fails. The caller stops then, and nothing is retried: after a failed sync, the kernel may
have dropped the pages.
"""

# Paths are strings here: pathlib costs more than the calls that it wraps.
# ruff: noqa: PTH103, PTH105, PTH108, PTH110, PTH116, PTH120, PTH123

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from pathlib import Path
from typing import Final, Protocol

Buffer = bytes | bytearray | memoryview

LOCK: Final = ".lock"  # Kafka's name for it
READ_CHUNK_BYTES: Final = 1 << 30  # read(2) and write(2) transfer at most 2 GiB - 4096 bytes at once on Linux


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

    def exists(self, path: str) -> bool: ...

    def modified_ms(self, path: str) -> int:
        """Return the wall time of the last write to a file."""

    def make_directory(self, path: str, *, sync: bool = True) -> None:
        """Create a directory and its parents. Does nothing if it exists."""

    def rename(self, old: str, new: str, *, sync: bool = True) -> None:
        """Rename a file or directory. Replaces new if it exists."""

    def copy(self, old: str, new: str, *, link: bool = False, sync: bool = True) -> None:
        """Copy a file. link: neither file will change, so a hard link is enough.

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
        """Return the total and the free bytes of the file system; -1 if unknown."""


class _File:
    """A descriptor for reading and appending. After its first error every call fails.

    Nothing may follow half a batch. After a failed sync the pages are lost, even if the next sync succeeds.
    """

    __slots__ = ("_broken", "_descriptor", "_path", "size")

    def __init__(self, path: str, flags: int) -> None:
        self._path = path
        self._broken: OSError | None = None
        self._descriptor = os.open(path, flags | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self.size = os.fstat(self._descriptor).st_size

    def append(self, data: Buffer) -> None:
        if self._broken is not None:
            raise self._broken
        try:
            written = os.write(self._descriptor, data)
            self.size += written
            if written != len(data):
                self._append_rest(memoryview(data)[written:])
        except OSError as error:
            self._broken = _at(error, self._path)
            raise

    def _append_rest(self, rest: memoryview) -> None:
        while rest:
            written = os.write(self._descriptor, rest)
            self.size += written
            rest = rest[written:]

    def pread(self, size: int, position: int) -> bytes:
        data = os.pread(self._descriptor, min(size, READ_CHUNK_BYTES), position)
        if len(data) == size or position + len(data) >= self.size:
            return data
        parts = [data]
        read = len(data)
        while read < size and (
            data := os.pread(self._descriptor, min(size - read, READ_CHUNK_BYTES), position + read)
        ):
            parts.append(data)
            read += len(data)
        return b"".join(parts)

    def sync(self) -> None:
        descriptor = self._descriptor
        if descriptor < 0:
            return
        if self._broken is not None:
            raise self._broken
        try:
            os.fdatasync(descriptor)
        except OSError as error:
            if self._descriptor >= 0:  # else its owner closed it meanwhile
                self._broken = _at(error, self._path)
                raise

    def truncate(self, size: int) -> None:
        try:
            os.ftruncate(self._descriptor, size)
        except OSError as error:
            self._broken = _at(error, self._path)
            raise
        self.size = size

    def close(self) -> None:
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)


def _at(error: OSError, path: str) -> OSError:
    """Return the error with the name of the file: errors of descriptors have none."""
    error.filename = path
    return error


class FileStorage:
    """A data directory on the disk."""

    __slots__ = ("_lock", "_locked_path", "root")

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)
        self._lock = -1
        self._locked_path = ""

    def lock(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        path = os.path.realpath(self.root)
        with _locking:
            if is_locked_here(path):
                raise self._in_use()
            descriptor = os.open(self.root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                # A POSIX lock, because Java's FileChannel.tryLock uses one: Kafka and we keep each
                # other out.
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
        return _File(self._path(path), os.O_CREAT if create else 0)

    def read(self, path: str) -> bytes:
        with open(self._path(path), "rb") as file:
            return file.read()

    def write(self, path: str, data: bytes, *, sync: bool = True) -> None:
        target = self._path(path)
        scratch = target + ".tmp"
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            if sync:
                os.fsync(descriptor)
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
            with os.scandir(self._path(directory)) as entries:
                return sorted(
                    (entry.name, -1 if entry.is_dir() else entry.stat().st_size) for entry in entries
                )
        except FileNotFoundError:
            return []

    def exists(self, path: str) -> bool:
        return os.path.exists(self._path(path))

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

    def copy(self, old: str, new: str, *, link: bool = False, sync: bool = True) -> None:
        if not link or not self._link(old, new):
            shutil.copyfile(self._path(old), self._path(new))
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

    @staticmethod
    def _sync(path: str) -> None:
        """Sync a file or a directory."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        except OSError as error:
            _at(error, path)
            raise
        finally:
            os.close(descriptor)
