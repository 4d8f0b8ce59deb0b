"""LeaveGroup: members leave, or an operator removes them (by instance id alone, for static ones).

v0-2  one member, whose error is the answer's; v3  several (KIP-345); v5  reason (KIP-800)
"""

from __future__ import annotations

from collections.abc import Container

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.result import Result, Steps
from tidemark.groups.classic.events import MembersRemoved
from tidemark.groups.classic.model import Group, GroupState
from tidemark.groups.classic.responses import NO_MEMBER_ID, turned_away
from tidemark.groups.state import Groups
from tidemark.handlers.routes import command
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
    MemberResponse,
)


@command(LeaveGroupRequest, state=Groups, versions=range(0, 6))
def leave_group(
    groups: Groups, ctx: Context, request: LeaveGroupRequest
) -> Steps[Result[LeaveGroupResponse]]:
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not request.group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    groups.check_served(request.group_id)
    group = groups.get(request.group_id)
    if group is not None and group.state is GroupState.DEAD:
        raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)

    identities = request.members if ctx.version >= 3 else [MemberIdentity(request.member_id)]
    gone: dict[str, None] = {}
    outcomes: list[MemberResponse] = []
    for identity in identities:
        outcomes.append(_leave(group, identity, gone))
        yield 1
    if ctx.version < 3:
        response = LeaveGroupResponse(error_code=outcomes[0].error_code)
    else:
        response = LeaveGroupResponse(error_code=ErrorCode.NONE, members=outcomes)
    if group is None or group is not groups.get(request.group_id):  # it may have been deleted since
        return Result(response)
    # Some may have left by themselves since they were looked up.
    gone = {each: None for each in gone if each in group.members or each in group.pending}
    if not gone:
        return Result(response)
    leavers = [group.members[member_id] for member_id in gone if member_id in group.members]
    return Result(
        response,
        events=(MembersRemoved(group.group_id, tuple(gone), "member left"),),
        released=turned_away(leavers),
    )


def _leave(group: Group | None, identity: MemberIdentity, gone: dict[str, None]) -> MemberResponse:
    """Notes who is gone by it."""
    try:
        gone[_leaver(group, identity, gone)] = None
    except KafkaError as refused:
        return MemberResponse(identity.member_id, identity.group_instance_id, refused.code)
    return MemberResponse(identity.member_id, identity.group_instance_id, ErrorCode.NONE)


def _leaver(group: Group | None, identity: MemberIdentity, gone: Container[str | None]) -> str:
    """The id to remove. Whom the request named before is no member any more, nor is its instance known."""
    if group is None or identity.member_id in gone:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    if identity.member_id in group.pending:
        return identity.member_id
    instance_id = identity.group_instance_id
    current = None if instance_id is None else group.static_members.get(instance_id)
    if current in gone:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    if identity.member_id != NO_MEMBER_ID:
        return group.validate_member(identity.member_id, instance_id).member_id
    if current is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    return current
