"""LeaveGroup as a classic group decides it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tidemark.core.result import Result
from tidemark.groups.classic.events import MembersRemoved
from tidemark.groups.classic.model import ClassicGroupState, ClassicModel
from tidemark.groups.classic.responses import NO_MEMBER_ID, unknown_member_responses
from tidemark_protocol.errors import ErrorCode, KafkaError


def leaver(group: ClassicModel, member_id: str, instance_id: str | None, left: Collection[str | None]) -> str:
    """Return the id to remove: of a member, or one that was only handed out. Raises KafkaError.

    left: ids that the request has named before. They are no longer members, nor are their instances known.
    """
    if group.state is ClassicGroupState.DEAD:
        raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    if member_id in left:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    if member_id in group.pending:
        return member_id
    current = None if instance_id is None else group.static_members.get(instance_id)
    if current in left:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    if member_id != NO_MEMBER_ID:
        return group.validate_member(member_id, instance_id).member_id
    if current is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    return current


def removal(group: ClassicModel, member_ids: Collection[str]) -> Result[Any]:
    """Remove members that leave. Ids that have left by themselves since they were looked up are ignored."""
    known = tuple(each for each in member_ids if each in group.members or each in group.pending)
    if not known:
        return Result()
    members = [group.members[member_id] for member_id in known if member_id in group.members]
    event = MembersRemoved(group.group_id, known, "member left")
    return Result(events=(event,), released=unknown_member_responses(members))
