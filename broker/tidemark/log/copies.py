"""Copies of the data directory, made while the broker runs: `tidemark.snapshots/NAME`. `restore` puts one
back.

A copy has the content that a clean stop at that moment would leave. Files that never change, or that are
replaced as a whole (`Storage.write`), are linked: creating a file costs many times as much. The growing
segment of a log may be large: it is linked at that moment, and the bytes that it had then are copied in a
worker thread. Its index of aborted transactions grows, too, but is small and copied.
"""

from __future__ import annotations

from typing import Final

from tidemark.late_dataclass import dataclass
from tidemark.log.manager import CLEAN_MARK, CLEAN_SHUTDOWN, LogManager
from tidemark.log.storage import LOCK, Storage
from tidemark_protocol.log_files import ABORTED_INDEX, CLEANED, DELETED, LOG, directory_name

FOLDER: Final = "tidemark.snapshots"
GROWING: Final = ".growing"
UNFINISHED: Final = (".tmp", CLEANED, DELETED)


@dataclass(slots=True, frozen=True)
class Growing:
    """A file that grows while it is copied: a link to it, its copy, and its size when the copy was begun."""

    link: str
    copy: str
    size: int


def begin(storage: Storage, logs: LogManager, name: str) -> list[Growing]:
    """Begin to copy the directory. Return the files that `finish` must copy: they may be large.

    Call this on the loop, while no record waits to be written and no compaction runs. Raises OSError, and
    then leaves no part of the copy.
    """
    logs.write_ends()
    try:
        return _copy_all(storage, logs, name)
    except OSError:
        remove(storage, name)
        raise


def finish(storage: Storage, name: str, growing: list[Growing]) -> None:
    """Finish a copy, in a worker thread. Meanwhile the logs may grow, and be deleted, but not be compacted.

    Raises OSError, and then leaves no part of the copy.
    """
    try:
        for file in growing:
            storage.copy(file.link, file.copy, size=file.size, sync=False)
            storage.remove(file.link)
    except OSError:
        remove(storage, name)
        raise


def _copy_all(storage: Storage, logs: LogManager, name: str) -> list[Growing]:
    target = f"{FOLDER}/{name}"
    growing: list[Growing] = []
    storage.make_directory(target, sync=False)
    copy_files(storage, "", target, sync=False)
    for topic, partition in logs.begun():
        directory = directory_name(topic, partition)
        storage.make_directory(f"{target}/{directory}", sync=False)
        copy_files(storage, directory, f"{target}/{directory}", sync=False, growing=growing)
    storage.write(f"{target}/{CLEAN_SHUTDOWN}", CLEAN_MARK, sync=False)
    return growing


def remove(storage: Storage, name: str) -> None:
    storage.remove_directory(f"{FOLDER}/{name}")


def remove_all(storage: Storage) -> None:
    """Remove all copies: a copy is only valid for the run that made it."""
    if storage.exists(FOLDER):
        storage.remove_directory(FOLDER)


def copy_files(
    storage: Storage, source: str, target: str, *, sync: bool, growing: list[Growing] | None = None
) -> None:
    """Copy the files of one directory. With sync, their content is durable, but not yet their names.

    growing: only link the growing segment, and add it to this list.
    """
    sizes = {name: size for name, size in storage.list(source) if size >= 0}
    segments = [name for name in sizes if name.endswith(LOG)]
    closed = frozenset(segments[:-1])  # a list is sorted, and their names are offsets with leading zeros
    for name, size in sizes.items():
        if name == LOCK or name.endswith(UNFINISHED):
            continue
        old, new = _join(source, name), _join(target, name)
        if growing is not None and name in segments[-1:]:
            growing.append(Growing(new + GROWING, new, size))
            storage.copy(old, new + GROWING, link=True, sync=False)
        else:
            unchanged = name in closed if name.endswith(LOG) else not name.endswith(ABORTED_INDEX)
            storage.copy(old, new, link=unchanged, sync=sync)


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name
