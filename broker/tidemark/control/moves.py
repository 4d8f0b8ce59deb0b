"""How far a test has moved time: kept in the data directory, for a restart with the test API on."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Final

from tidemark.clock import Moves
from tidemark.log.storage import Storage

FILE: Final = "tidemark.clock"


class MovesCorrupt(Exception):
    """The file is not what was written there. The text is for the person who starts the broker."""


def load_moves(storage: Storage) -> Moves | None:
    """None: time was never moved. Raises MovesCorrupt."""
    if not storage.exists(FILE):
        return None
    try:
        found = json.loads(storage.read(FILE))
        moves = Moves(**found)
    except (ValueError, TypeError):
        raise MovesCorrupt(f"{FILE} cannot be read; without it time is real again: remove it") from None
    if not all(value is None or type(value) is int for value in asdict(moves).values()):
        raise MovesCorrupt(f"{FILE} holds what is no time; without it time is real again: remove it")
    return moves


def save_moves(storage: Storage, moves: Moves, *, directory: str = "") -> None:
    """Durable when it returns."""
    storage.write(f"{directory}/{FILE}" if directory else FILE, json.dumps(asdict(moves)).encode())
