"""Heartbeat: a member reports that it is alive, and learns whether it must rejoin.

v3  group_instance_id (KIP-345)
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision
from tidemark.groups.state import Groups
from tidemark.handlers.routes import command
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse


@command(HeartbeatRequest, state=Groups, versions=range(0, 5))
def heartbeat(groups: Groups, ctx: Context, request: HeartbeatRequest) -> Decision[HeartbeatResponse]:
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not request.group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    try:
        group = groups.serving(request.group_id, ctx.caller.node_id)
    except KafkaError as refused:
        if refused.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
            # As in Kafka: while the group is loading, the member need not rejoin.
            return Decision(HeartbeatResponse(error_code=ErrorCode.NONE))
        raise
    if group is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    return group.heartbeat(request.member_id, request.group_instance_id, request.generation_id, ctx.steady_ms)
