"""The ready file of `tidemark serve`: it exists only while the broker that wrote it is ready."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from tidemark.platform import lock_descriptor


class ReadyFileInUse(Exception):
    """A broker that runs has written the file. The text is for the user."""


class ReadyFile:
    """The ready file of one broker, which locks it. A file without a lock is one of a broker that was killed.

    None: no file is wanted.
    """

    def __init__(self, path: Path | None) -> None:
        self._path: Final = path
        self._descriptor = -1

    def __str__(self) -> str:
        return str(self._path)

    def clear(self) -> None:
        """Remove the file of an earlier run. A device or a folder stays. Raises ReadyFileInUse."""
        path = self._path
        if path is None or not path.is_file():
            return
        if _is_locked(path):
            raise ReadyFileInUse(f"{path} is the ready file of a broker that runs. Use another --ready-file.")
        with suppress(OSError):  # writing it reports why that is not possible
            path.unlink()

    def write(self, text: str) -> None:
        """Write the file in one step: a reader sees all of it or nothing. Raises ReadyFileInUse, OSError."""
        path = self._path
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        unfinished.write_text(text, "utf-8")
        try:
            self._descriptor = os.open(unfinished, os.O_RDWR)
            with suppress(OSError):  # a file system without locks
                lock_descriptor(self._descriptor)
            self.clear()
            try:
                os.link(unfinished, path)  # fails if another broker has been faster
            except OSError:
                self.clear()
                unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the file, unless it was replaced."""
        if self._path is None or self._descriptor < 0:
            return
        with suppress(OSError):
            if os.path.samestat(os.fstat(self._descriptor), self._path.stat()):
                self._path.unlink()
        os.close(self._descriptor)
        self._descriptor = -1


def _is_locked(path: Path) -> bool:
    with suppress(OSError):  # it cannot be opened, or not be locked
        descriptor = os.open(path, os.O_RDWR)
        try:
            lock_descriptor(descriptor)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
    return False
