"""Copies of the data directory, made while the broker runs, for it to go back to (`tidemark.snapshots/NAME`).

A copy is what a clean stop at that moment would have left. Closed segments never change again and are linked;
everything else is small, or is the one segment of its log that still grows, and is copied.
"""

from __future__ import annotations

from typing import Final

from tidemark.log.manager import CLEAN_MARK, CLEAN_SHUTDOWN, LogManager
from tidemark.log.storage import LOCK, Storage
from tidemark_protocol.log_files import CLEANED, DELETED, LOG, directory_name

FOLDER: Final = "tidemark.snapshots"
UNFINISHED: Final = (".tmp", CLEANED, DELETED)


def take(storage: Storage, logs: LogManager, name: str) -> None:
    """On the loop and in one go: nothing waits to be written, and no compaction runs."""
    logs.write_ends()
    target = f"{FOLDER}/{name}"
    storage.make_directory(target, sync=False)
    _copy(storage, "", target)
    for topic, partition in logs.begun():
        directory = directory_name(topic, partition)
        storage.make_directory(f"{target}/{directory}", sync=False)
        _copy(storage, directory, f"{target}/{directory}")
    storage.write(f"{target}/{CLEAN_SHUTDOWN}", CLEAN_MARK, sync=False)


def put_back(storage: Storage, name: str) -> None:
    """In any thread, while no file of the directory is open. What was written since is gone."""
    source = f"{FOLDER}/{name}"
    for entry, size in storage.list():
        if size >= 0 and entry != LOCK:
            storage.remove(entry)
        elif size < 0 and entry != FOLDER:
            storage.remove_directory(entry)
    for entry, size in storage.list(source):
        if size < 0:
            storage.make_directory(entry, sync=False)
            _copy(storage, f"{source}/{entry}", entry)
    _copy(storage, source, "")


def remove(storage: Storage, name: str) -> None:
    storage.remove_directory(f"{FOLDER}/{name}")


def remove_all(storage: Storage) -> None:
    """Each is good for the run that made it."""
    if storage.exists(FOLDER):
        storage.remove_directory(FOLDER)


def _copy(storage: Storage, source: str, target: str) -> None:
    """The files of one directory."""
    names = [name for name, size in storage.list(source) if size >= 0]
    segments = [name for name in names if name.endswith(LOG)]
    closed = frozenset(segments[:-1])  # a list is sorted, and their names are offsets with leading zeros
    for name in names:
        if name != LOCK and not name.endswith(UNFINISHED):
            storage.copy(_join(source, name), _join(target, name), link=name in closed)


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name
