"""How far a test has moved time. It is stored in the data directory, for a restart with the test API."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Final

from tidemark.clock import Moves
from tidemark.log.storage import Storage

FILE: Final = "tidemark.clock"


class MovesCorrupt(Exception):
    """The stored file is damaged. The text is for the person who starts the broker."""


def load_moves(storage: Storage) -> Moves | None:
    """Return the stored moves, or None if time was never moved. Raises MovesCorrupt."""
    if not storage.exists(FILE):
        return None
    try:
        found = json.loads(storage.read(FILE))
        moves = Moves(**found)
    except (ValueError, TypeError):
        raise MovesCorrupt(
            f"{FILE} is not valid: remove it, and the broker starts with the real time"
        ) from None
    if not all(value is None or type(value) is int for value in asdict(moves).values()):
        raise MovesCorrupt(
            f"{FILE} has a value that is not a time: remove it, and the broker starts with the real time"
        )
    return moves


def save_moves(storage: Storage, moves: Moves, *, directory: str = "") -> None:
    """Store the moves; they are durable when this returns."""
    storage.write(f"{directory}/{FILE}" if directory else FILE, json.dumps(asdict(moves)).encode())
