"""The record of a classic group. It holds the metadata of the selected protocol only."""

from __future__ import annotations

from collections.abc import Mapping

from tidemark.core.result import Record
from tidemark.groups.classic.member import Member
from tidemark.groups.classic.model import ClassicModel
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata

NO_TIMESTAMP = -1


def group_record(group_id: str, value: GroupMetadataValue | None) -> Record:
    """Return the record of a group. value: None for the tombstone."""
    return Record(GroupMetadataKey(group_id), value)


def empty_value(protocol_type: str | None, generation: int, wall_ms: int) -> GroupMetadataValue:
    """Return the value of an Empty group's record."""
    return GroupMetadataValue(protocol_type or "", generation, None, None, wall_ms, [])


def creation_record(group_id: str, wall_ms: int) -> Record:
    """Return the record of a group that a JoinGroup creates."""
    return group_record(group_id, empty_value(None, 0, wall_ms))


def project(group: ClassicModel, assignments: Mapping[str, bytes] | None = None) -> GroupMetadataValue:
    """Return the value of the group's record. assignments: those that will replace the current ones."""
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


def _member_value(group: ClassicModel, member: Member, assignment: bytes) -> MemberMetadata:
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
