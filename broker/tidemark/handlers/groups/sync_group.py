"""SyncGroup: every member fetches its assignment; the leader brings them all, which makes the group Stable.

v3  group_instance_id (KIP-345); v5  protocol type and name, which must be the group's (KIP-559)
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.result import Result
from tidemark.groups.classic.events import Assigned, Synced, SyncParked
from tidemark.groups.classic.model import Group, GroupState, Member
from tidemark.groups.classic.projection import group_record, project
from tidemark.groups.classic.responses import assigned_syncs, sync_answer
from tidemark.groups.state import Groups
from tidemark.handlers.routes import command
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse


@command(SyncGroupRequest, state=Groups, versions=range(0, 6))
def sync_group(groups: Groups, ctx: Context, request: SyncGroupRequest) -> Result[SyncGroupResponse]:
    if ctx.version >= 5 and (request.protocol_type is None or request.protocol_name is None):
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not request.group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    groups.check_served(request.group_id)
    group = groups.get(request.group_id)
    if group is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    member = _check(group, request)
    match group.state:
        case GroupState.PREPARING_REBALANCE:
            raise KafkaError(ErrorCode.REBALANCE_IN_PROGRESS)
        case GroupState.COMPLETING_REBALANCE if member.member_id == group.leader:
            return _assign(ctx, group, member, request)
        case GroupState.COMPLETING_REBALANCE:
            assert ctx.pending is not None
            return Result(events=(SyncParked(group.group_id, member.member_id, ctx.pending),))
        case GroupState.STABLE:
            # Assignments that come now are ignored, a leader's too, as in Kafka.
            answer = sync_answer(group, member.assignment)
            return Result(answer, events=(Synced(group.group_id, member.member_id),))
    raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)


def _check(group: Group, request: SyncGroupRequest) -> Member:
    if group.state is GroupState.DEAD:
        raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    member = group.validate_member(request.member_id, request.group_instance_id)
    group.validate_generation(request.generation_id)
    if _differs(request.protocol_type, group.protocol_type) or _differs(
        request.protocol_name, group.protocol
    ):
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    return member


def _differs(given: str | None, ours: str | None) -> bool:
    """A group that has none yet takes any."""
    return given is not None and ours is not None and given != ours


def _assign(
    ctx: Context, group: Group, leader: Member, request: SyncGroupRequest
) -> Result[SyncGroupResponse]:
    """Whom the leader forgot gets an empty assignment; whom we do not know is ignored."""
    brought = {each.member_id: each.assignment for each in request.assignments}
    assignments = {member_id: brought.get(member_id, b"") for member_id in group.members}
    return Result(
        sync_answer(group, assignments[leader.member_id]),
        records=(group_record(group.group_id, project(group, assignments)),),
        events=(Assigned(group.group_id, leader.member_id, assignments, ctx.now),),
        released=assigned_syncs(group, assignments),
    )
