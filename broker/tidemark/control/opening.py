"""A data directory that begins with what another broker wrote, and with the time at which it stands."""

from __future__ import annotations

from pathlib import Path

from tidemark.clock import Moves
from tidemark.control.moves import save_moves
from tidemark.log.storage import Storage
from tidemark.log.takeover import Opening, take_over


def open_as_found(storage: Storage, opening: Opening, new_directory_id: bytes, host_ms: int) -> None:
    """Fills the storage's directory, and writes down where time stands. Raises DirectoryRefused."""
    root = storage.real_path("")
    assert root is not None, "only a directory on a disk can be filled from another"
    newest_ms = take_over(opening.origins, Path(root), new_directory_id, host_ms)
    moves = _moves(opening, newest_ms, host_ms)
    if moves is not None:
        save_moves(storage, moves)


def _moves(opening: Opening, newest_ms: int | None, host_ms: int) -> Moves | None:
    """None: time is the host's."""
    at_ms = opening.at_ms
    if at_ms is None and opening.held:
        at_ms = host_ms if newest_ms is None else newest_ms
    if at_ms is None:
        return None
    away_ms = at_ms - host_ms
    return Moves(wall_ms=away_ms, logs_ms=away_ms, frozen_at_ms=at_ms if opening.held else None)
