"""Groups of types that Kafka does not have yet.

The broker reads only the keys of their records. It lists such a group and never expires anything of it.
Compaction leaves its records in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.decision import Record
from tidemark.groups.group import Group, MemberFacts
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.loading import OtherRecordKey

if TYPE_CHECKING:
    from tidemark.groups.state import Groups


@dataclass(slots=True, eq=False)
class UnreadGroup(Group):
    """A group of an unknown type.

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


# ShareGroupPartitionMetadata and StreamsGroupPartitionMetadata of Kafka 4.0. Later releases skip them.
_SKIPPED: Final = (9, 18)


def _replay_other(groups: Groups, key: OtherRecordKey, value: bytes | None) -> None:
    """Create the group with its first key, and delete it with its last. A group of another type stays."""
    if key.record_type in _SKIPPED:
        return
    known = groups.of_type(UnreadGroup, key.group_id)
    if known is not None:
        (known.keys.discard if value is None else known.keys.add)(key.data)
        if not known.keys:
            del groups.groups[key.group_id]
    elif value is not None and ((other := groups.groups.get(key.group_id)) is None or other.is_placeholder):
        group = UnreadGroup(key.group_id, groups.partition_for(key.group_id), None)
        group.protocol_type = group.type_name
        group.keys.add(key.data)
        groups.groups[key.group_id] = group


RECORDS: Final[dict[str, Callable[[Any, Any, Any], None]]] = {
    "OtherRecordKey": _replay_other,
}
