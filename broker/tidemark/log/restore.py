"""Replaces the content of the data directory by a copy (`copies`). A kill at any point leaves the old content
or the new one, never a mixture.

The new content passes through three directories, each a rename of the one before:

- `tidemark.restore.building`: copies are still being made. The old content counts, a start deletes this.
- `tidemark.restore.clearing`: the new content is complete and counts. The old content is being deleted.
- `tidemark.restore.moving`: the old content is deleted. The new content is being moved to its place.

Each step may be repeated, so a start finishes what a kill interrupted.
"""

from __future__ import annotations

import errno
from typing import Final

from tidemark.log.copies import FOLDER, copy_files
from tidemark.log.storage import LOCK, Storage
from tidemark_protocol.log_files import (
    DELETE_SUFFIX,
    RESTORE_CLEARING,
    RESTORE_INTERRUPTED,
    RESTORE_MOVING,
    parse_directory_name,
)

BUILDING: Final = "tidemark.restore.building"


def build(storage: Storage, name: str, *, sync: bool) -> None:
    """Copy the snapshot of that name beside the content that it will replace. May run in any thread.

    The broker may keep running. With sync, the copy survives a power cut. Raises OSError, and then leaves no
    part of the copy.
    """
    try:
        _build(storage, f"{FOLDER}/{name}", sync=sync)
    except OSError:
        discard(storage)
        raise


def _build(storage: Storage, source: str, *, sync: bool) -> None:
    discard(storage)
    storage.make_directory(BUILDING, sync=False)
    copy_files(storage, source, BUILDING, sync=sync)
    for entry, size in storage.list(source):
        if size < 0:
            target = f"{BUILDING}/{entry}"
            storage.make_directory(target, sync=False)
            copy_files(storage, f"{source}/{entry}", target, sync=sync)
            _sync_names(storage, target, sync=sync)
    _sync_names(storage, BUILDING, sync=sync)


def discard(storage: Storage) -> None:
    """Delete the copy that `build` has made."""
    storage.remove_directory(BUILDING)


def swap(storage: Storage, *, sync: bool) -> None:
    """Replace the old content by the copy of `build`. May run in any thread, while no file is open."""
    storage.rename(BUILDING, RESTORE_CLEARING, sync=sync)
    finish(storage, sync=sync)


def is_interrupted(storage: Storage) -> bool:
    """Return whether a kill has interrupted a swap."""
    return any(storage.exists(mark) for mark in RESTORE_INTERRUPTED)


def finish(storage: Storage, *, sync: bool = True) -> None:
    """Finish a swap."""
    if storage.exists(RESTORE_CLEARING):
        _clear(storage)
        _sync_names(storage, "", sync=sync)  # before the next mark, on file systems that reorder
        storage.rename(RESTORE_CLEARING, RESTORE_MOVING, sync=sync)
    for entry, _ in storage.list(RESTORE_MOVING):
        storage.rename(f"{RESTORE_MOVING}/{entry}", entry, sync=False)
    _sync_names(storage, "", sync=sync)
    _sync_names(storage, RESTORE_MOVING, sync=sync)
    storage.remove_directory(RESTORE_MOVING)


def _clear(storage: Storage) -> None:
    """Delete the old content. Directories that are not logs were not copied, so they stay."""
    for entry, size in storage.list():
        if size >= 0:
            if entry != LOCK:
                storage.remove(entry)
        elif entry.endswith(DELETE_SUFFIX) or parse_directory_name(entry) is not None:
            storage.remove_directory(entry)
            if storage.exists(entry):  # else its files would mix with the new ones
                raise OSError(errno.ENOTEMPTY, "the directory cannot be removed", entry)


def _sync_names(storage: Storage, directory: str, *, sync: bool) -> None:
    if sync:
        storage.sync_directory(directory)
