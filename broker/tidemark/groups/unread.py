"""Share groups and groups of unknown types: only the keys of their records are read.

The broker lists such a group and never expires anything of it. Compaction leaves its records in any order.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from tidemark.core.result import Record
from tidemark.groups.group import Group, MemberFacts
from tidemark_protocol.errors import ErrorCode


@dataclass(slots=True, eq=False)
class UnreadGroup(Group):
    """A group of an unknown type. ShareGroup is a subclass.

    keys   the keys of the group's records; the group exists as long as it has one
    """

    keys: set[bytes] = field(default_factory=set)

    @property
    def type_name(self) -> str:
        return "unknown"

    @property
    def state_name(self) -> str:
        return "Unknown"

    @property
    def is_empty(self) -> bool:
        """Always False: the members are unknown, so the group must not be deleted."""
        return False

    @property
    def epoch(self) -> int:
        return 0

    @property
    def offsets_expire(self) -> bool:
        return False

    @property
    def member_ids(self) -> Collection[str]:
        return ()

    def member_facts(self) -> list[MemberFacts]:
        return []

    def is_subscribed(self, topic: str) -> bool:
        """Always True: the subscription is unknown, so no offset may be deleted."""
        return True

    def check_offset_delete(self) -> ErrorCode:
        return ErrorCode.GROUP_ID_NOT_FOUND

    def tombstones(self) -> tuple[Record, ...]:
        return ()
