"""Groups that Kafka wrote and that are not served: streams groups and unknown types.

No member of a streams group (KIP-1071) can send a heartbeat. So each member is removed a session timeout
after the start, as by Kafka if it does not hear from the member.

The broker reads only the keys of the records of all other groups. It lists such a group and never expires
anything of it. Compaction leaves its records in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import Decision, Record
from tidemark.groups.group import DUE_UNKNOWN, Group, MemberFacts
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.loading import OtherRecordKey
from tidemark_protocol.records.streams_group_current_member_assignment import (
    StreamsGroupCurrentMemberAssignmentKey,
)
from tidemark_protocol.records.streams_group_member_metadata import StreamsGroupMemberMetadataKey
from tidemark_protocol.records.streams_group_metadata import (
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
)
from tidemark_protocol.records.streams_group_target_assignment_member import (
    StreamsGroupTargetAssignmentMemberKey,
)
from tidemark_protocol.records.streams_group_target_assignment_metadata import (
    StreamsGroupTargetAssignmentMetadataKey,
)
from tidemark_protocol.records.streams_group_topology import StreamsGroupTopologyKey
from tidemark_protocol.subscriptions import source_topics

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

STREAMS = "streams"
SESSION_TIMEOUT_MS: Final = 45_000  # Kafka's default of group.streams.session.timeout.ms


@dataclass(slots=True, eq=False)
class StreamsGroup(Group):
    """A streams group.

    stored   its record, with the number of its last change
    members  by id
    sources  source topics and repartition source topics of the topology. One record holds them all
    timers   member id -> the end of its session (steady ms)
    """

    store: Groups = field(kw_only=True)
    stored: StreamsGroupMetadataValue = field(default_factory=lambda: StreamsGroupMetadataValue(0))
    members: dict[str, MemberFacts] = field(default_factory=dict)
    sources: frozenset[str] = frozenset()
    timers: Deadlines = field(default_factory=Deadlines)

    @property
    def type_name(self) -> str:
        return STREAMS

    @property
    def state_name(self) -> str:
        """Return Unknown if the group has members: its epochs are not compared."""
        return "Unknown" if self.members else "Empty"

    @property
    def is_empty(self) -> bool:
        return not self.members

    @property
    def epoch(self) -> int:
        return self.stored.epoch

    @property
    def topics_are_known(self) -> bool:
        return bool(self.members)

    @property
    def member_ids(self) -> Collection[str]:
        return self.members.keys()

    def member_facts(self) -> list[MemberFacts]:
        return [*self.members.values()]

    def is_subscribed(self, topic: str) -> bool:
        """Return whether the members read the topic. Kafka: StreamsGroup.isSubscribedToTopic."""
        return bool(self.members) and topic in self.sources

    def check_offset_delete(self) -> ErrorCode:
        return ErrorCode.NONE

    def start_sessions(self, now: Now) -> None:
        for member_id in self.members:
            self.timers.set(member_id, now.steady_ms + SESSION_TIMEOUT_MS)
            self.store.marked.add(self.group_id)

    def settle(self, now: Now) -> Decision[None] | int | None:
        """Remove the next member whose session is over. Kafka: streamsGroupFenceMember."""
        expired = self.timers.peek_due(now.due_ms, 1)
        if not expired:
            return self.timers.next()
        group_id, member_id, stored = self.group_id, expired[0], self.stored
        bumped = StreamsGroupMetadataValue(
            stored.epoch + 1,
            stored.metadata_hash,
            stored.validated_topology_epoch,
            stored.last_assignment_configs,
        )
        records = (
            Record(StreamsGroupCurrentMemberAssignmentKey(group_id, member_id), None),
            Record(StreamsGroupTargetAssignmentMemberKey(group_id, member_id), None),
            Record(StreamsGroupMemberMetadataKey(group_id, member_id), None),
            Record(StreamsGroupMetadataKey(group_id), bumped),
        )
        removed = partial(self.store.log_removal, group_id, (member_id,), "session expired")
        return Decision(records=records, after=(removed,))

    def tombstones(self) -> tuple[Record, ...]:
        """Return Kafka's records. The group is Empty, so there are none of members."""
        return (
            Record(StreamsGroupTargetAssignmentMetadataKey(self.group_id), None),
            Record(StreamsGroupMetadataKey(self.group_id), None),
            Record(StreamsGroupTopologyKey(self.group_id), None),
        )


def _replay_group(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is not None and value is not None:
        group.stored = value
    elif group is not None:
        del groups.groups[key.group_id]
        groups.deadlines.set(key.group_id, None)


def _replay_topology(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    group.sources = frozenset() if value is None else source_topics(value)
    _derive_topics(group)


def _replay_member(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    if value is None:
        group.members.pop(key.member_id, None)
        group.timers.set(key.member_id, None)
    else:
        group.members[key.member_id] = MemberFacts(
            key.member_id, value.client_id, value.client_host, value.instance_id, None
        )
    _derive_topics(group)


def _replay_current_assignment(groups: Groups, key: Any, value: Any) -> None:
    """Add the member. Compaction may leave this record before the one with the member's metadata."""
    group = _group(groups, key.group_id, create=value is not None)
    if group is not None and value is not None and key.member_id not in group.members:
        group.members[key.member_id] = MemberFacts(key.member_id, None, None, None, None)
        _derive_topics(group)


def _replay_target_assignment(groups: Groups, key: Any, value: Any) -> None:
    _group(groups, key.group_id, create=value is not None)


def _derive_topics(group: StreamsGroup) -> None:
    """Set the topics that members read, and let the next cleanup pass look at the offsets."""
    group.subscribed_topics = group.sources if group.members else frozenset()
    group.due_bound_ms = DUE_UNKNOWN


def _group(groups: Groups, group_id: str, *, create: bool) -> StreamsGroup | None:
    """Return the group, created if need be. It replaces a simple group, and no other."""
    group = groups.groups.get(group_id)
    if isinstance(group, StreamsGroup):
        return group
    if not create or not (group is None or group.is_placeholder):
        return None
    made = StreamsGroup(group_id, groups.partition_for(group_id), None, store=groups)
    made.protocol_type = STREAMS
    _derive_topics(made)
    groups.groups[group_id] = made
    return made


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
    "StreamsGroupMetadataKey": _replay_group,
    "StreamsGroupMemberMetadataKey": _replay_member,
    "StreamsGroupTargetAssignmentMetadataKey": _replay_target_assignment,
    "StreamsGroupTargetAssignmentMemberKey": _replay_target_assignment,
    "StreamsGroupCurrentMemberAssignmentKey": _replay_current_assignment,
    "StreamsGroupTopologyKey": _replay_topology,
    "OtherRecordKey": _replay_other,
}
