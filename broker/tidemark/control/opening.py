"""Open a copy of another broker's directories, at the time at which that broker stopped."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tidemark.clock import Moves
from tidemark.control.moves import save_moves
from tidemark.log import restore
from tidemark.log.storage import LOCK, Storage
from tidemark.log.takeover import Opening, check_target, take_over


def open_as_found(storage: Storage, opening: Opening, new_directory_id: bytes, host_ms: int) -> None:
    """Copy the directories into the storage's directory, and store the time at which it begins.

    If it is killed, the directory is incomplete: no start opens it, and calling this again fills it anew.
    Raises DirectoryRefused and DirectoryLocked; then nothing is left behind.
    """
    path = storage.real_path("")
    assert path is not None, "only a directory on a disk can be filled from another"
    root = Path(path)
    made = not root.exists()
    check_target(opening.origins, root)
    storage.lock()
    try:
        restore.discard(storage)
        newest_ms = take_over(opening.origins, root / restore.BUILDING, new_directory_id, host_ms)
        moves = _moves(opening, newest_ms, host_ms)
        if moves is not None:
            save_moves(storage, moves, directory=restore.BUILDING)
    except BaseException:
        restore.discard(storage)
        storage.remove(LOCK)
        if made:
            with suppress(OSError):
                root.rmdir()
        raise
    else:
        restore.swap(storage, sync=False)
    finally:
        storage.close()


def _moves(opening: Opening, newest_ms: int | None, host_ms: int) -> Moves | None:
    """Return how far to move time, or None for the host's time."""
    at_ms = opening.at_ms
    if at_ms is None and opening.held:
        at_ms = host_ms if newest_ms is None else newest_ms
    if at_ms is None:
        return None
    away_ms = at_ms - host_ms
    return Moves(wall_ms=away_ms, logs_ms=away_ms, frozen_at_ms=at_ms if opening.held else None)
