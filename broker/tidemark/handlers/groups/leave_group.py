"""LeaveGroup: members leave, or an operator removes them (static members by instance id alone).

v0-2  one member, whose error is that of the response; v3  several (KIP-345); v5  reason (KIP-800), which is
only logged, and listed with the rebalance
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision, Steps
from tidemark.groups.group import Group
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
) -> Steps[Decision[LeaveGroupResponse]]:
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not request.group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    group = groups.serving(request.group_id, ctx.caller.node_id)
    identities = request.members if ctx.version >= 3 else [MemberIdentity(request.member_id)]
    left: dict[str, str | None] = {}  # with their reasons
    outcomes: list[MemberResponse] = []
    for identity in identities:
        outcomes.append(_leave(group, identity, left))
        yield 1
    if ctx.version < 3:
        response = LeaveGroupResponse(error_code=outcomes[0].error_code)
    else:
        response = LeaveGroupResponse(error_code=ErrorCode.NONE, members=outcomes)
    # Since then, the group may have been deleted, or have become one of the other protocol.
    current = groups.get(request.group_id)
    if current is None:
        return Decision(response)
    result = current.removal(ctx.now, left)
    result.response = response
    return result


def _leave(group: Group | None, identity: MemberIdentity, left: dict[str, str | None]) -> MemberResponse:
    """Return the response for one member, and add its id to left if it leaves."""
    code = ErrorCode.NONE
    try:
        if group is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        left[group.leaver(identity.member_id, identity.group_instance_id, left)] = identity.reason
    except KafkaError as refused:
        code = refused.code
    return MemberResponse(identity.member_id, identity.group_instance_id, code)
