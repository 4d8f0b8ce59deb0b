"""Events about soft state of a group of any protocol. Each is replayed once and then forgotten."""

from __future__ import annotations

from tidemark.core.result import Event
from tidemark.late_dataclass import dataclass


@dataclass(slots=True)
class GroupEvent(Event):
    """Base of all events about a group."""

    group_id: str
