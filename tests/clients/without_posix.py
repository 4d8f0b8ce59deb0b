"""Hides from Python what Windows does not have. A child imports it before other modules, as `sitecustomize`.

TIDEMARK_TEST_HIDDEN lists the modules that cannot be imported. If it names fcntl, the functions and constants
of POSIX are hidden as well. TIDEMARK_TEST_MSVCRT=1 adds the locks of Windows' module msvcrt.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import types

HIDDEN = os.environ["TIDEMARK_TEST_HIDDEN"].split(",")

# Modules that tidemark uses, and that Python's documentation marks with "Availability: Unix".
OS = """
O_CLOEXEC O_DIRECTORY O_DSYNC O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC chown fchmod fchown fdatasync fork forkpty
geteuid getgid getloadavg getpgid getuid killpg lockf memfd_create mkfifo nice openpty posix_fadvise
posix_fallocate posix_spawn pread preadv pwrite pwritev readv register_at_fork sched_getaffinity sendfile
setsid statvfs sync sysconf uname writev
"""  # fmt: skip


def hide_posix() -> None:
    import fcntl

    locks = types.ModuleType("msvcrt")

    def locking(descriptor: int, mode: int, length: int) -> None:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, length, 0, os.SEEK_CUR)
        except OSError:
            raise PermissionError(13, "Permission denied") from None

    locks.locking, locks.LK_NBLCK = locking, 2  # type: ignore[attr-defined]
    for name in OS.split():
        if hasattr(os, name):
            delattr(os, name)
    for module, name in ((select, "poll"), (select, "epoll"), (signal, "SIGHUP")):
        delattr(module, name)

    open_file = os.open

    def open_no_directory(path, *arguments, **options):  # type: ignore[no-untyped-def]
        if os.path.isdir(path):  # noqa: PTH112
            raise PermissionError(13, "Permission denied", path)
        return open_file(path, *arguments, **options)

    os.open = open_no_directory

    # The standard library has modules of its own for Windows. This one is for POSIX, and needs some of it.
    import asyncio
    import shutil

    def not_on_windows(*_: object) -> None:
        raise NotImplementedError

    if os.environ.get("TIDEMARK_TEST_MSVCRT"):  # only now: by this module, `subprocess` recognizes Windows
        sys.modules["msvcrt"] = locks
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    asyncio.SelectorEventLoop.add_signal_handler = not_on_windows  # type: ignore[assignment]
    asyncio.SelectorEventLoop.remove_signal_handler = not_on_windows  # type: ignore[assignment]


if "fcntl" in HIDDEN:
    hide_posix()
for hidden in HIDDEN:
    sys.modules[hidden] = None  # type: ignore[assignment]
