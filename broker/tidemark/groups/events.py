"""Events about soft state of a group of any protocol. Each is replayed once and then forgotten."""

from __future__ import annotations

from dataclasses import dataclass

from tidemark.core.result import Event


@dataclass(slots=True)
class GroupEvent(Event):
    """Base of all events about a group."""

    group_id: str


@dataclass(slots=True)
class DeadlineArmed(GroupEvent):
    """The group must be settled again at this moment (steady ms)."""

    at_ms: int


@dataclass(slots=True)
class DueBound(GroupEvent):
    """A cleanup pass found that no committed offset of the group expires before this moment (wall ms)."""

    at_ms: int


@dataclass(slots=True)
class PendingOffsetsDecided(Event):
    """More offsets of transactions that have ended are stored or dropped."""
