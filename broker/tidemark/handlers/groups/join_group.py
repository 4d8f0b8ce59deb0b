"""JoinGroup: a member joins the next generation. Most are parked until settle responds to all of them.

v0    the rebalance timeout is the session timeout; v1 has a field for it
v4    a dynamic member without an id first gets one, and must join again with it (KIP-394)
v5    group_instance_id: static membership (KIP-345)
v7    protocol type in the response, and a protocol name that may be null (KIP-559)
v8    reason (KIP-800), which Kafka only logs
v9    skip_assignment: a static leader that has returned keeps the assignment (KIP-814)
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import CloseConnection, Decision, Steps
from tidemark.groups.classic.member import NO_MEMBER_ID, join_error
from tidemark.groups.state import Groups
from tidemark.handlers.routes import command
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse

PROTOCOLS_MAX: Final = 1000  # of a large request; smaller ones hold few anyway


@command(JoinGroupRequest, state=Groups, versions=range(0, 10))
def join_group(
    groups: Groups, ctx: Context, request: JoinGroupRequest
) -> Decision[JoinGroupResponse] | Steps[Decision[JoinGroupResponse]]:
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        return _refuse(ctx, ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not request.group_id:
        return _refuse(ctx, ErrorCode.INVALID_GROUP_ID, request.member_id)
    settings = groups.settings
    shortest_ms, longest_ms = settings.group_min_session_timeout_ms, settings.group_max_session_timeout_ms
    if not shortest_ms <= request.session_timeout_ms <= longest_ms:
        return _refuse(ctx, ErrorCode.INVALID_SESSION_TIMEOUT, request.member_id)
    try:
        group = groups.serving(request.group_id, ctx.caller.node_id)
    except KafkaError as refused:
        return _refuse(ctx, refused.code)
    if group is not None:
        try:
            return group.join(ctx, request)
        except KafkaError as refused:
            return _refuse(ctx, refused.code, request.member_id)
    if request.member_id != NO_MEMBER_ID:
        return _refuse(ctx, ErrorCode.UNKNOWN_MEMBER_ID, request.member_id)
    return groups.create_by_join(ctx, request)


def join_group_in_steps(
    groups: Groups, ctx: Context, request: JoinGroupRequest
) -> Steps[Decision[JoinGroupResponse]]:
    """Decide a large request. Raises CloseConnection for more protocols than any client has.

    A member is added in one step, which would take 80 ms with 99,000 protocols.
    """
    count = len(request.protocols)
    if count > PROTOCOLS_MAX:
        raise CloseConnection(f"JoinGroup: {count} protocols, at most {PROTOCOLS_MAX} are allowed")
    yield 0
    decided = join_group(groups, ctx, request)
    return decided if isinstance(decided, Decision) else (yield from decided)


def _refuse(ctx: Context, code: ErrorCode, member_id: str = NO_MEMBER_ID) -> Decision[JoinGroupResponse]:
    return Decision(join_error(ctx.version, code, member_id))
