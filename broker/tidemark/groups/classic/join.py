"""JoinGroup as a classic group decides it."""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.core.result import Event, Record, Result
from tidemark.groups.classic.events import (
    JoinParked,
    MemberAdded,
    MemberIdHandedOut,
    MemberReplaced,
    MembersRemoved,
    PendingIdDropped,
    Rejoin,
)
from tidemark.groups.classic.member import NEW_MEMBER_JOIN_TIMEOUT_MS, Member
from tidemark.groups.classic.model import (
    DEAD,
    STABLE,
    ClassicGroupState,
    ClassicModel,
)
from tidemark.groups.classic.projection import group_record, project
from tidemark.groups.classic.protocols import metadata_of, vote
from tidemark.groups.classic.responses import (
    NO_MEMBER_ID,
    current_generation,
    fenced_responses,
    join_error,
    join_response,
    members_for_leader,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from tidemark_protocol.wire import TEXT_MAX


def join(ctx: Context, group: ClassicModel, request: JoinGroupRequest) -> Result[JoinGroupResponse]:
    """Decide a JoinGroup. Most members are parked until settle responds to all of them."""
    if not _has_room(group, request.member_id, group.store.limits.max_size):
        return _turn_away(ctx, group, request.member_id)
    if group.state is DEAD:
        return _refuse(ctx, ErrorCode.COORDINATOR_NOT_AVAILABLE, request.member_id)
    if not group.supports(request.protocol_type, request.protocols):
        return _refuse(ctx, ErrorCode.INCONSISTENT_GROUP_PROTOCOL, request.member_id)
    names = [protocol.name for protocol in request.protocols]
    if not all_fit(ctx.client_id, request.group_instance_id, request.protocol_type, *names):
        return _refuse(ctx, ErrorCode.UNKNOWN_SERVER_ERROR)
    if request.member_id == NO_MEMBER_ID:
        return _join_without_id(ctx, group, request)
    if request.member_id in group.pending:
        return _join_with_pending_id(ctx, group, request)
    try:
        member = group.validate_member(request.member_id, request.group_instance_id)
    except KafkaError as refused:
        return _refuse(ctx, refused.code, request.member_id)
    return _rejoin(ctx, group, member, request)


def all_fit(*texts: str | None) -> bool:
    """Return whether responses and records can hold these texts.

    A text may be longer than what was read: a member id contains a client id, and a byte that is not UTF-8
    has become three. Kafka keeps such a member, and then fails every request whose response contains the
    text.
    """
    return all(text is None or len(text) <= TEXT_MAX // 4 or len(text.encode()) <= TEXT_MAX for text in texts)


def _has_room(group: ClassicModel, member_id: str, max_size: int) -> bool:
    """Return whether the group has room. During a rebalance members with a parked join count, otherwise all.

    Kafka: GroupMetadataManager.acceptJoiningMember.
    """
    match group.state:
        case ClassicGroupState.PREPARING_REBALANCE:
            member = group.members.get(member_id)
            return (member is not None and member.parked_join is not None) or group.joined < max_size
        case ClassicGroupState.COMPLETING_REBALANCE | ClassicGroupState.STABLE:
            return member_id in group.members or len(group.members) < max_size
    return True


def _turn_away(ctx: Context, group: ClassicModel, member_id: str) -> Result[JoinGroupResponse]:
    events: tuple[Event, ...] = ()
    if member_id in group.members:
        events = (MembersRemoved(group.group_id, (member_id,), "group.max.size exceeded"),)
    elif member_id in group.pending:
        events = (PendingIdDropped(group.group_id, member_id),)
    return Result(join_error(ctx.version, ErrorCode.GROUP_MAX_SIZE_REACHED), events=events)


def _join_without_id(
    ctx: Context, group: ClassicModel, request: JoinGroupRequest
) -> Result[JoinGroupResponse]:
    instance_id = request.group_instance_id
    named_after = ctx.client_id if instance_id is None else instance_id
    member_id = f"{named_after}-{ctx.new_id()}"
    if not all_fit(member_id):
        return _refuse(ctx, ErrorCode.UNKNOWN_SERVER_ERROR)
    if instance_id is not None and instance_id in group.static_members:
        return _replace(ctx, group, request, member_id)
    if instance_id is None and ctx.version >= 4:
        until_ms = ctx.steady_ms + request.session_timeout_ms
        return Result(
            join_error(ctx.version, ErrorCode.MEMBER_ID_REQUIRED, member_id),
            events=(MemberIdHandedOut(group.group_id, member_id, until_ms),),
        )
    return _add(ctx, group, request, member_id)


def _join_with_pending_id(
    ctx: Context, group: ClassicModel, request: JoinGroupRequest
) -> Result[JoinGroupResponse]:
    """Only dynamic members get a pending id. Kafka throws if a static member uses one."""
    if request.group_instance_id is not None:
        return _refuse(ctx, ErrorCode.UNKNOWN_SERVER_ERROR)
    return _add(ctx, group, request, request.member_id)


def _add(
    ctx: Context, group: ClassicModel, request: JoinGroupRequest, member_id: str
) -> Result[JoinGroupResponse]:
    joining = _fields(ctx, request)
    member = Member(
        member_id,
        request.group_instance_id,
        ctx.client_id,
        ctx.caller.client_host,
        joining.rebalance_timeout_ms,
        joining.session_timeout_ms,
        joining.protocols,
        parked_join=ctx.pending,
        is_new=True,
        session_deadline_ms=ctx.steady_ms + NEW_MEMBER_JOIN_TIMEOUT_MS,
    )
    return Result(events=(MemberAdded(group.group_id, member, request.protocol_type),))


def _fields(ctx: Context, request: JoinGroupRequest) -> Rejoin:
    rebalance_timeout_ms = request.session_timeout_ms if ctx.version == 0 else request.rebalance_timeout_ms
    return Rejoin(request.protocols, rebalance_timeout_ms, request.session_timeout_ms)


def _rejoin(
    ctx: Context, group: ClassicModel, member: Member, request: JoinGroupRequest
) -> Result[JoinGroupResponse]:
    is_leader = member.member_id == group.leader
    unchanged = member.protocols == request.protocols
    match group.state:
        case ClassicGroupState.EMPTY:
            return _refuse(ctx, ErrorCode.UNKNOWN_MEMBER_ID, member.member_id)
        case ClassicGroupState.COMPLETING_REBALANCE if unchanged:
            # The first response may have been lost.
            members = members_for_leader(group, group.protocol) if is_leader else None
            return Result(join_response(ctx.version, current_generation(group), member.member_id, members))
        case ClassicGroupState.STABLE if unchanged and not is_leader:
            # A leader may rejoin without any change, to have partitions assigned again.
            return Result(join_response(ctx.version, current_generation(group), member.member_id))
    assert ctx.pending is not None
    return Result(events=(JoinParked(group.group_id, member.member_id, _fields(ctx, request), ctx.pending),))


def _replace(
    ctx: Context, group: ClassicModel, request: JoinGroupRequest, new_id: str
) -> Result[JoinGroupResponse]:
    """Replace a static member that has restarted. Its old id is fenced."""
    assert request.group_instance_id is not None
    old = group.members[group.static_members[request.group_instance_id]]
    joining = _fields(ctx, request)
    keeps_generation = group.state is STABLE and _vote_with(group, old, joining) == group.protocol
    replaced = MemberReplaced(
        group.group_id,
        old.member_id,
        new_id,
        joining,
        pending=None if keeps_generation else ctx.pending,
        until_ms=ctx.steady_ms + old.session_timeout_ms,
    )
    if not keeps_generation:
        return Result(events=(replaced,), released=fenced_responses(old))
    return Result(
        _keep_generation(ctx, group, old, new_id, joining),
        records=(_replacement(group, old, new_id, joining),),
        events=(replaced,),
        released=fenced_responses(old),
    )


def _vote_with(group: ClassicModel, member: Member, joining: Rejoin) -> str:
    others = [each.protocols for each in group.members.values() if each is not member]
    return vote([*others, joining.protocols])


def _keep_generation(
    ctx: Context, group: ClassicModel, old: Member, new_id: str, joining: Rejoin
) -> JoinGroupResponse:
    """Return the response. Before v9 it names the old id as leader, so that the leader assigns nothing."""
    generation = current_generation(group)
    if ctx.version < 9 or group.leader != old.member_id:
        return join_response(ctx.version, generation, new_id)
    generation = current_generation(group, leader=new_id)
    members = members_for_leader(group, group.protocol)
    for each in members:
        if each.member_id == old.member_id:
            each.member_id = new_id
            each.metadata = metadata_of(joining.protocols, group.protocol)
    return join_response(ctx.version, generation, new_id, members, skip_assignment=True)


def _replacement(group: ClassicModel, old: Member, new_id: str, joining: Rejoin) -> Record:
    value = project(group)
    if value.leader == old.member_id:
        value.leader = new_id
    (index,) = [index for index, each in enumerate(value.members) if each.member_id == old.member_id]
    replaced = value.members.pop(index)
    replaced.member_id = new_id
    replaced.rebalance_timeout = joining.rebalance_timeout_ms
    replaced.session_timeout = joining.session_timeout_ms
    replaced.subscription = metadata_of(joining.protocols, group.protocol)
    value.members.append(replaced)  # replay adds it last
    return group_record(group.group_id, value)


def _refuse(ctx: Context, code: ErrorCode, member_id: str = NO_MEMBER_ID) -> Result[JoinGroupResponse]:
    return Result(join_error(ctx.version, code, member_id))
