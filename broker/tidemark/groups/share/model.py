"""Share groups (KIP-932). They are not served; only the keys of their records are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidemark.groups.unread import UnreadGroup

RECORD_TYPES: Final[range] = range(9, 16)


@dataclass(slots=True, eq=False)
class ShareGroup(UnreadGroup):
    @property
    def type_name(self) -> str:
        return "share"
