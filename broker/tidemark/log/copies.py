"""Copies of the data directory, made while the broker runs: `tidemark.snapshots/NAME`. `restore` puts one
back.

A copy has the content that a clean stop at that moment would leave. Closed segments never change and are
linked. All other files are small, or are the growing segment of a log, and are copied.
"""

from __future__ import annotations

from typing import Final

from tidemark.log.manager import CLEAN_MARK, CLEAN_SHUTDOWN, LogManager
from tidemark.log.storage import LOCK, Storage
from tidemark_protocol.log_files import CLEANED, DELETED, LOG, directory_name

FOLDER: Final = "tidemark.snapshots"
UNFINISHED: Final = (".tmp", CLEANED, DELETED)


def take(storage: Storage, logs: LogManager, name: str) -> None:
    """Copy the directory. Call this on the loop, while no record waits to be written and no compaction runs.

    Raises OSError, and then leaves no part of the copy.
    """
    logs.write_ends()
    try:
        _copy_all(storage, logs, name)
    except OSError:
        remove(storage, name)
        raise


def _copy_all(storage: Storage, logs: LogManager, name: str) -> None:
    target = f"{FOLDER}/{name}"
    storage.make_directory(target, sync=False)
    copy_files(storage, "", target, sync=False)
    for topic, partition in logs.begun():
        directory = directory_name(topic, partition)
        storage.make_directory(f"{target}/{directory}", sync=False)
        copy_files(storage, directory, f"{target}/{directory}", sync=False)
    storage.write(f"{target}/{CLEAN_SHUTDOWN}", CLEAN_MARK, sync=False)


def remove(storage: Storage, name: str) -> None:
    storage.remove_directory(f"{FOLDER}/{name}")


def remove_all(storage: Storage) -> None:
    """Remove all copies: a copy is only valid for the run that made it."""
    if storage.exists(FOLDER):
        storage.remove_directory(FOLDER)


def copy_files(storage: Storage, source: str, target: str, *, sync: bool) -> None:
    """Copy the files of one directory. With sync, their content is durable, but not yet their names."""
    names = [name for name, size in storage.list(source) if size >= 0]
    segments = [name for name in names if name.endswith(LOG)]
    closed = frozenset(segments[:-1])  # a list is sorted, and their names are offsets with leading zeros
    for name in names:
        if name != LOCK and not name.endswith(UNFINISHED):
            storage.copy(_join(source, name), _join(target, name), link=name in closed, sync=sync)


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name
