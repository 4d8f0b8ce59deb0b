"""The record of a classic group: made from the group, and loaded into one.

It holds the metadata of the selected protocol only. A rebalance in progress is not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidemark.core.decision import Record
from tidemark.groups.classic.model import EMPTY, STABLE, ClassicModel, Member
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.subscriptions import subscribed_topics

NO_TIMESTAMP = -1


def group_record(group_id: str, value: GroupMetadataValue | None) -> Record:
    """Return the record of a group. value: None for the tombstone."""
    return Record(GroupMetadataKey(group_id), value)


def empty_record(group_id: str, protocol_type: str | None, generation: int, wall_ms: int) -> Record:
    """Return the record of an Empty group."""
    value = GroupMetadataValue(protocol_type or "", generation, None, None, wall_ms, [])
    return Record(GroupMetadataKey(group_id), value)


def project(group: ClassicModel, assignments: Mapping[str, bytes] | None = None) -> GroupMetadataValue:
    """Return the value of the group's record. assignments: those that will replace the current ones."""
    return GroupMetadataValue(
        group.protocol_type or "",
        group.generation,
        group.protocol,
        group.leader,
        NO_TIMESTAMP if group.state_since_ms is None else group.state_since_ms,
        [
            MemberMetadata(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                member.rebalance_timeout_ms,
                member.session_timeout_ms,
                member.metadata(group.protocol),
                member.assignment if assignments is None else assignments[member.member_id],
            )
            for member in group.members.values()
        ],
    )


def load(group: ClassicModel, value: GroupMetadataValue) -> None:
    """Fill a new group from its record. It is Stable if it has members, else Empty."""
    since_ms = value.current_state_timestamp
    group.state_since_ms = None if since_ms == NO_TIMESTAMP else since_ms
    group.state = STABLE if value.members else EMPTY
    group.generation = value.generation
    group.protocol_type = value.protocol_type or None
    group.protocol = value.protocol
    group.leader = value.leader
    subscriptions = set()
    for stored in value.members:
        subscriptions.add(stored.subscription)
        group.insert(
            Member(
                stored.member_id,
                stored.group_instance_id,
                stored.client_id,
                stored.client_host,
                stored.session_timeout if stored.rebalance_timeout == -1 else stored.rebalance_timeout,
                stored.session_timeout,
                [JoinGroupRequestProtocol(value.protocol or "", stored.subscription)],
                stored.assignment,
            )
        )
    group.subscribed_topics = subscribed_topics(group.protocol_type, subscriptions)
    group.stored = value
