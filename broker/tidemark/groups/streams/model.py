"""Streams groups (KIP-1071). They are not served; only the keys of their records are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidemark.groups.unread import UnreadGroup

RECORD_TYPES: Final[range] = range(17, 24)


@dataclass(slots=True, eq=False)
class StreamsGroup(UnreadGroup):
    @property
    def type_name(self) -> str:
        return "streams"
