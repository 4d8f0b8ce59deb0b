"""SyncGroup: members fetch their assignments. The leader sends all of them, which makes the group Stable.

v3  group_instance_id (KIP-345); v5  protocol type and name, which must be the group's (KIP-559)
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision
from tidemark.groups.state import Groups
from tidemark.handlers.routes import command
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse


@command(SyncGroupRequest, state=Groups, versions=range(0, 6))
def sync_group(groups: Groups, ctx: Context, request: SyncGroupRequest) -> Decision[SyncGroupResponse]:
    if ctx.version >= 5 and (request.protocol_type is None or request.protocol_name is None):
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not request.group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    group = groups.serving(request.group_id, ctx.caller.node_id)
    if group is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    return group.sync(ctx, request)
