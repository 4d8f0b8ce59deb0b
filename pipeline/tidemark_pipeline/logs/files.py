"""Access files on local disks, and on `s3://`, `s3a://`, `gs://` and `abfs://` through pyarrow.fs.

The options of a file system come from its environment (`AWS_ENDPOINT_URL`, `AWS_REGION`, ...) or from the
query of the URI. Every error becomes a PipelineError of one line.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from tidemark_pipeline.model import PipelineError, Segment

LOOKS_MAX: Final = 5
WINDOW_BYTES: Final = 4 * 1024 * 1024  # read at once
_LOCAL: Final = "file://"
_ALIASES: Final = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}


class SegmentGone(PipelineError):
    """A listed file no longer exists: the cleaner replaced it, or the log was deleted."""


class NotThere(PipelineError):
    """No such file or directory."""


T = TypeVar("T")


def looked_again(look: Callable[[], T]) -> T:
    """Call look, and repeat it if a running broker removed a file between listing and reading it.

    Looking at many logs is slow, so a busy cleaner may interrupt several attempts.
    """
    for _ in range(LOOKS_MAX - 1):
        with suppress(SegmentGone):
            return look()
    return look()


@dataclass(slots=True, frozen=True)
class Entry:
    """An entry of a directory. bytes is 0 for a directory."""

    name: str
    is_dir: bool
    bytes: int


@dataclass(slots=True, frozen=True)
class Directory:
    """A directory on some file system. path: as the user gave it, without a trailing slash."""

    path: str

    @property
    def name(self) -> str:
        """The name of the directory itself, even if the path is `.`."""
        if _is_local(self.path):
            return _local(self.path).absolute().resolve().name
        return self.path.partition("?")[0].rpartition("/")[2]

    @property
    def parent(self) -> Directory:
        if _is_local(self.path):
            return Directory(str(_local(self.path).absolute().parent))
        bare, mark, query = self.path.partition("?")
        return Directory(bare.rpartition("/")[0] + mark + query)

    def join(self, name: str) -> str:
        """Return the path of an entry."""
        bare, mark, query = (self.path, "", "") if _is_local(self.path) else self.path.partition("?")
        return f"{bare.rstrip('/')}/{name}{mark}{query}"

    def at(self, sub: str) -> Directory:
        return Directory(self.join(sub)) if sub else self

    def list(self, sub: str = "") -> list[Entry]:
        """Return the entries, sorted by name."""
        path = self.at(sub).path
        with told(path):
            found = _list_local(path) if _is_local(path) else _list_remote(path)
        return sorted(found, key=lambda entry: entry.name)

    def read(self, name: str) -> bytes:
        path = self.join(name)
        with told(path):
            if _is_local(path):
                return _local(path).read_bytes()
            system, inner = _resolved(path)
            with system.open_input_file(inner) as file:
                whole: bytes = file.readall()
                return whole

    def read_range(self, name: str, start: int, length: int) -> bytes:
        """Return up to length bytes: fewer if the file ends before."""
        path = self.join(name)
        with told(path):
            if _is_local(path):
                with _local(path).open("rb") as file:
                    return _read_at(file, length, start)
            system, inner = _resolved(path)
            with system.open_input_file(inner) as remote:
                part: bytes = remote.read_at(max(0, min(length, remote.size() - start)), start)
                return part


def open_directory(path: str) -> Directory:
    """Return the directory at path. It may not exist: list raises an error then."""
    if _is_local(path):
        return Directory(path.rstrip("/") or "/")
    bare, mark, query = path.partition("?")
    if not bare.partition("://")[2].strip("/"):
        raise PipelineError(f"{path}: the name after :// is missing")
    return Directory(bare.rstrip("/") + mark + query)


def file_system(path: str) -> tuple[Any, str]:
    """Return the file system of pyarrow that can write there, and the path in it."""
    from pyarrow import fs

    if _is_local(path):
        return fs.LocalFileSystem(), str(_local(path).absolute())
    with told(path):
        return _resolved(path)


def directory_key(path: str) -> str:
    """Return a text that is equal for all spellings of one directory."""
    if _is_local(path):
        return str(_local(path).resolve())
    scheme, colon, rest = path.partition(":")
    return _ALIASES.get(scheme, scheme) + colon + rest


class Windows:
    """Parts of a segment file, read when they are needed. bytes: its length, less after it has shrunk."""

    __slots__ = ("_read_at", "bytes")

    def __init__(self, size: int, read_at: Callable[[int, int], bytes]) -> None:
        """read_at: returns length bytes from start on."""
        self._read_at = read_at
        self.bytes = size

    def at(self, start: int, length: int = WINDOW_BYTES) -> memoryview:
        """Return up to length bytes: fewer if the file ends before."""
        wanted = max(0, min(length, self.bytes - start))
        found = self._read_at(wanted, start)
        if len(found) < wanted:
            self.bytes = start + len(found)
        return memoryview(found)


@contextmanager
def open_windows(path: str) -> Iterator[Windows]:
    """Open a segment to read parts of it. Raises SegmentGone if it no longer exists."""
    with _segment(path):
        if _is_local(path):
            with _local(path).open("rb") as local:
                yield Windows(local.seek(0, os.SEEK_END), partial(_read_at, local))
        else:
            system, inner = _resolved(path)
            with system.open_input_file(inner) as file:
                yield Windows(file.size(), file.read_at)


@contextmanager
def open_segment(segment: Segment) -> Iterator[memoryview]:
    """Open a whole segment. Raises SegmentGone if it no longer exists.

    A closed local segment is mapped. The last one is read instead: a broker truncates preallocated bytes when
    it closes a segment, and a process that reads mapped bytes after the end of the file is killed.
    """
    path = segment.path
    with _segment(path):
        if _is_local(path):
            view = memoryview(_local(path).read_bytes()) if segment.is_last else _mapped(path)
        else:
            system, inner = _resolved(path)
            with system.open_input_file(inner) as file:
                view = memoryview(file.read_buffer())
    yield view


def _read_at(file: BinaryIO, length: int, start: int) -> bytes:
    file.seek(start)
    return file.read(length)


def _mapped(path: str) -> memoryview:
    """Map a file until its last view is released. Arrays over it may outlive the reader."""
    with _local(path).open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


@contextmanager
def _segment(path: str) -> Iterator[None]:
    try:
        with told(path):
            yield
    except NotThere:
        raise SegmentGone(
            f"{path}: the segment was listed and is gone (replaced by the cleaner, or deleted)"
        ) from None


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn the errors of any file system into a PipelineError of one line."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise NotThere(f"{path}: no such file or directory") from None
    except NotADirectoryError:
        raise PipelineError(f"{path} is not a directory") from None
    except (OSError, pa.ArrowException) as error:
        raise PipelineError(f"{path}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    said = getattr(error, "strerror", None) or str(error)
    return next(iter(str(said).splitlines()), type(error).__name__)


def _is_local(path: str) -> bool:
    return "://" not in path or path.startswith(_LOCAL)


def _local(path: str) -> Path:
    return Path(path.removeprefix(_LOCAL))


def _list_local(path: str) -> list[Entry]:
    entries = []
    for each in _local(path).iterdir():
        try:
            is_dir = each.is_dir()
            entries.append(Entry(each.name, is_dir, 0 if is_dir else each.stat().st_size))
        except FileNotFoundError:  # a running broker renames and deletes files
            continue
    return entries


def _list_remote(path: str) -> list[Entry]:
    from pyarrow import fs

    system, inner = _resolved(path)
    found = system.get_file_info(fs.FileSelector(inner))
    return [Entry(each.base_name, each.type == fs.FileType.Directory, each.size or 0) for each in found]


def _resolved(path: str) -> tuple[Any, str]:
    """Return the file system and the path in it."""
    bare, mark, query = path.partition("?")
    scheme, _, rest = bare.partition("://")
    authority, _, inner = rest.partition("/")
    system, root = _file_system(f"{_ALIASES.get(scheme, scheme)}://{authority}{mark}{query}")
    return system, f"{root.rstrip('/')}/{inner}" if inner else root


@lru_cache(maxsize=64)
def _file_system(uri: str) -> tuple[Any, str]:
    from pyarrow import fs

    system, root = fs.FileSystem.from_uri(uri)
    return system, root
