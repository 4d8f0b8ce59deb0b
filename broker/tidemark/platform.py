"""Calls of the operating system that POSIX, macOS and Windows have in different forms, or not at all.

The other modules of the broker use what exists on all of them. Tidemark is tested on Linux. Elsewhere it does
this:

macOS     syncs with F_FULLFSYNC, as Java does: its fsync leaves data in the cache of the drive
Windows   locks with msvcrt, reads at a position under a lock, and does not sync directories, as Kafka

A system with neither fcntl nor msvcrt has no file locks. LOCKS is False then, and the broker warns.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final


def _optional(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        return None


_resource, _fcntl, _msvcrt = _optional("resource"), _optional("fcntl"), _optional("msvcrt")

LOCKS: Final = _fcntl is not None or _msvcrt is not None
UNLIMITED: Final = 1 << 30  # in place of RLIM_INFINITY
# Without a limit of its own, the limit is select()'s: Windows watches 512 sockets with it.
OPEN_FILES_MAX: Final = 512
# msvcrt locks bytes from the position on, and no other process can read those. A byte far behind the end
# excludes Kafka too, whose lock covers the whole file.
LOCKED_BYTE: Final = 1 << 30

# Windows opens files as text without O_BINARY. Python adds O_CLOEXEC, or what corresponds to it, by itself.
OPEN_FLAGS: Final[int] = getattr(os, "O_BINARY", 0)
# To open a FIFO does not wait for its writer. Windows has no FIFOs among its files.
NO_WAIT: Final[int] = getattr(os, "O_NONBLOCK", 0)
# On Windows, another process could take a port that was bound with SO_REUSEADDR, and none needs it.
REUSES_ADDRESSES: Final = os.name == "posix"


def open_files_max() -> int:
    """Return how many files and sockets this process may have open."""
    if _resource is None:
        return OPEN_FILES_MAX
    soft: int = _resource.getrlimit(_resource.RLIMIT_NOFILE)[0]
    return UNLIMITED if soft == _resource.RLIM_INFINITY else soft


def raise_open_files_max() -> None:
    """Let this process have as many open files as its user may raise the limit to."""
    if _resource is not None:
        soft, hard = _resource.getrlimit(_resource.RLIMIT_NOFILE)
        if soft != hard:
            _resource.setrlimit(_resource.RLIMIT_NOFILE, (hard, hard))


def lock_like_java(descriptor: int, *, shared: bool = False) -> None:
    """Lock a file as Java's FileChannel.tryLock does, so that Kafka and tidemark keep each other out.

    The lock excludes other processes, not this one. POSIX ends it when any descriptor of the file is closed.
    shared: others may hold shared locks, too. Raises OSError if another process holds a lock.
    """
    if _fcntl is not None:
        _fcntl.lockf(descriptor, (_fcntl.LOCK_SH if shared else _fcntl.LOCK_EX) | _fcntl.LOCK_NB)
    elif _msvcrt is not None:
        _lock_byte(descriptor)


def lock_descriptor(descriptor: int) -> None:
    """Lock a file until this descriptor, and each copy of it, is closed. It excludes this process, too.

    Raises BlockingIOError if the file is locked, OSError if its file system has no locks.
    """
    if _fcntl is not None:
        _fcntl.flock(descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    elif _msvcrt is not None:
        try:
            _lock_byte(descriptor)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from None


def _lock_byte(descriptor: int) -> None:
    os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
    _msvcrt.locking(descriptor, _msvcrt.LK_NBLCK, 1)


if hasattr(os, "pread"):
    pread, append = os.pread, os.write
else:
    _position: Final = threading.Lock()  # a descriptor has one position, which append changes, too

    def pread(descriptor: int, length: int, offset: int, /) -> bytes:
        """Read up to length bytes from offset on. The file must be appended to with `append`."""
        with _position:
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.read(descriptor, length)

    def append(descriptor: int, data: Any, /) -> int:
        """Write to the end of a file that was opened with O_APPEND. Return how many bytes were written."""
        with _position:
            return os.write(descriptor, data)


def sync_data(descriptor: int) -> None:
    """Make the content of a file durable."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    else:
        sync(descriptor)


def sync(descriptor: int) -> None:
    """Make the content and the attributes of a file durable."""
    if _fcntl is not None and hasattr(_fcntl, "F_FULLFSYNC"):
        try:
            _fcntl.fcntl(descriptor, _fcntl.F_FULLFSYNC)
        except OSError:  # a file system that does not know it
            os.fsync(descriptor)
    else:
        os.fsync(descriptor)


def syncs_directories() -> bool:
    """Return whether a directory can be opened, and synced."""
    return hasattr(os, "O_DIRECTORY")


def were_reset(sockets: Iterable[int]) -> list[int]:
    """Return the sockets whose peer has reset the connection, also if nothing reads from them.

    Windows cannot tell: the list is empty, and such a connection ends when it is read again, or is idle.
    """
    if not hasattr(select, "poll"):
        return []
    poll = select.poll()
    for descriptor in sockets:
        poll.register(descriptor, 0)  # a reset is reported anyway, the end of input is not
    return [descriptor for descriptor, _ in poll.poll(0)]


def lower_priority(niceness: int) -> None:
    """Let other processes run first."""
    if hasattr(os, "nice"):
        os.nice(niceness)
