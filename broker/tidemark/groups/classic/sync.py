"""SyncGroup as a classic group decides it."""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.core.result import Result
from tidemark.groups.classic.events import Assigned, Synced, SyncParked
from tidemark.groups.classic.member import Member
from tidemark.groups.classic.model import ClassicGroupState, ClassicModel
from tidemark.groups.classic.projection import group_record, project
from tidemark.groups.classic.responses import assigned_syncs, sync_response
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse


def sync(ctx: Context, group: ClassicModel, request: SyncGroupRequest) -> Result[SyncGroupResponse]:
    """Decide a SyncGroup. It is parked until the leader sends the assignments. Raises KafkaError."""
    member = _check(group, request)
    match group.state:
        case ClassicGroupState.PREPARING_REBALANCE:
            raise KafkaError(ErrorCode.REBALANCE_IN_PROGRESS)
        case ClassicGroupState.COMPLETING_REBALANCE if member.member_id == group.leader:
            return assign(ctx, group, member, request)
        case ClassicGroupState.COMPLETING_REBALANCE:
            assert ctx.pending is not None
            return Result(events=(SyncParked(group.group_id, member.member_id, ctx.pending),))
        case ClassicGroupState.STABLE:
            # Assignments are ignored now, also those of the leader, as in Kafka.
            response = sync_response(group, member.assignment)
            return Result(response, events=(Synced(group.group_id, member.member_id),))
    raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)


def _check(group: ClassicModel, request: SyncGroupRequest) -> Member:
    if group.state is ClassicGroupState.DEAD:
        raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    member = group.validate_member(request.member_id, request.group_instance_id)
    group.validate_generation(request.generation_id)
    if _differs(request.protocol_type, group.protocol_type) or _differs(
        request.protocol_name, group.protocol
    ):
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    return member


def _differs(given: str | None, ours: str | None) -> bool:
    """Return whether both are known and differ."""
    return given is not None and ours is not None and given != ours


def assign(
    ctx: Context, group: ClassicModel, leader: Member, request: SyncGroupRequest
) -> Result[SyncGroupResponse]:
    """Accept the leader's assignments. A member that the leader left out gets an empty one."""
    sent = {each.member_id: each.assignment for each in request.assignments}
    assignments = {member_id: sent.get(member_id, b"") for member_id in group.members}
    return Result(
        sync_response(group, assignments[leader.member_id]),
        records=(group_record(group.group_id, project(group, assignments)),),
        events=(Assigned(group.group_id, leader.member_id, assignments, ctx.now),),
        released=assigned_syncs(group, assignments),
    )
