"""A classic group as its record, which tells of the selected protocol only; and the way back."""

from __future__ import annotations

from collections.abc import Mapping

from tidemark.core.result import Record
from tidemark.groups.classic.membership import add_member
from tidemark.groups.classic.model import Group, GroupState, Member
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.subscriptions import subscribed_topics

NO_TIMESTAMP = -1


def group_record(group_id: str, value: GroupMetadataValue | None) -> Record:
    """None: the tombstone."""
    return Record(GroupMetadataKey(group_id), value)


def empty_value(protocol_type: str | None, generation: int, wall_ms: int) -> GroupMetadataValue:
    return GroupMetadataValue(protocol_type or "", generation, None, None, wall_ms, [])


def project(group: Group, assignments: Mapping[str, bytes] | None = None) -> GroupMetadataValue:
    """The group's record as it should stand now; assignments: those that it is about to have."""
    if assignments is None:
        assignments = {member.member_id: member.assignment for member in group.members.values()}
    return GroupMetadataValue(
        group.protocol_type or "",
        group.generation,
        group.protocol,
        group.leader,
        NO_TIMESTAMP if group.state_since_ms is None else group.state_since_ms,
        [_member_value(group, member, assignments[member.member_id]) for member in group.members.values()],
    )


def _member_value(group: Group, member: Member, assignment: bytes) -> MemberMetadata:
    return MemberMetadata(
        member.member_id,
        member.instance_id,
        member.client_id,
        member.client_host,
        member.rebalance_timeout_ms,
        member.session_timeout_ms,
        member.metadata(group.protocol),
        assignment,
    )


def loaded_group(group_id: str, partition: int, value: GroupMetadataValue) -> Group:
    """Stable if it has members, else Empty: a rebalance under way is not recorded."""
    since_ms = value.current_state_timestamp
    group = Group(group_id, partition, None if since_ms == NO_TIMESTAMP else since_ms)
    group.state = GroupState.STABLE if value.members else GroupState.EMPTY
    group.generation = value.generation
    group.protocol_type = value.protocol_type or None
    group.protocol = value.protocol
    group.leader = value.leader
    for stored in value.members:
        add_member(group, _loaded_member(stored, value.protocol))
    subscriptions = {member.subscription for member in value.members}
    group.subscribed_topics = subscribed_topics(group.protocol_type, subscriptions)
    group.stored = value
    return group


def _loaded_member(stored: MemberMetadata, protocol: str | None) -> Member:
    timeout_ms = stored.session_timeout if stored.rebalance_timeout == -1 else stored.rebalance_timeout
    return Member(
        stored.member_id,
        stored.group_instance_id,
        stored.client_id,
        stored.client_host,
        timeout_ms,
        stored.session_timeout,
        [JoinGroupRequestProtocol(protocol or "", stored.subscription)],
        stored.assignment,
    )
