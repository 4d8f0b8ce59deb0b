"""The broker's time as callers see it, and the outcome of moving it. Wall times are in ms since the epoch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tidemark.core.decision import Removal

if TYPE_CHECKING:
    from tidemark.transactions.decisions import TimedOut


class ClockRefused(Exception):
    """Time cannot be moved like that. The text is for the caller."""


@dataclass(slots=True, frozen=True)
class ClockState:
    """moved_ms          how far wall time is from the host's
    steady_moved_ms   how far steady time was moved since the start
    logs_moved_ms     how far the time was moved by which user data ages
    held              opened as found (--from): sessions, timers and passes wait for `resume`
    next_cleanup_ms   wall time of the next pass, as now expected; None: no pass is scheduled
    """

    now_ms: int
    moved_ms: int = 0
    frozen: bool = False
    steady_moved_ms: int = 0
    logs_moved_ms: int = 0
    held: bool = False
    next_cleanup_ms: int | None = None


@dataclass(slots=True)
class Moved:
    """The effects of a move of time, or of a cleanup pass. All of them are durable.

    moved_ms  by how much this call moved wall time
    offsets   removed by the pass
    groups    deleted by the pass
    sessions  (group, member id) of each member whose session ended during the move
    transactions  those that were aborted because their timeout passed
    """

    now_ms: int
    moved_ms: int = 0
    offsets: list[Removal] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    sessions: list[tuple[str, str]] = field(default_factory=list)
    transactions: list[TimedOut] = field(default_factory=list)
