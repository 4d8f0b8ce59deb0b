"""The decision about a JoinGroup of a classic group. Most members are parked until `settle` responds to all.

Kafka: GroupMetadataManager.classicGroupJoinToClassicGroup.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from tidemark.core.context import Context
from tidemark.core.decision import Decision
from tidemark.groups.classic.member import (
    COMPLETING_REBALANCE,
    DEAD,
    EMPTY,
    NO_MEMBER_ID,
    PREPARING_REBALANCE,
    STABLE,
    Member,
    all_fit,
    group_record,
    join_error,
    join_response,
    metadata_of,
    name_of,
    rebalance_timeout_ms,
    refused,
    vote,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse

if TYPE_CHECKING:
    from tidemark.groups.classic.group import ClassicGroup

NEW_MEMBER_JOIN_TIMEOUT_MS: Final = 300_000  # fixed in Kafka as well


def join(group: ClassicGroup, ctx: Context, request: JoinGroupRequest) -> Decision[JoinGroupResponse]:
    """Decide a JoinGroup. It may be the first of a group that no record has created yet."""
    version, member_id, instance_id = ctx.version, request.member_id, request.group_instance_id
    if not _has_room(group, member_id):
        full = join_error(version, ErrorCode.GROUP_MAX_SIZE_REACHED)
        if member_id in group.members:
            return Decision(full, after=(partial(group.remove, (member_id,), "group.max.size exceeded"),))
        if member_id in group.pending:
            return Decision(full, after=(partial(group.drop, (member_id,)),))
        return Decision(full)
    if group.state is DEAD:
        return Decision(join_error(version, ErrorCode.COORDINATOR_NOT_AVAILABLE, member_id))
    if not group.supports(request.protocol_type, request.protocols):
        return Decision(join_error(version, ErrorCode.INCONSISTENT_GROUP_PROTOCOL, member_id))
    new_id = NO_MEMBER_ID
    if member_id == NO_MEMBER_ID:
        new_id = f"{ctx.client_id if instance_id is None else instance_id}-{ctx.new_id()}"
    protocol_names = map(name_of, request.protocols)
    if not all_fit(new_id, ctx.client_id, instance_id, request.protocol_type, *protocol_names):
        return Decision(join_error(version, ErrorCode.UNKNOWN_SERVER_ERROR))
    if member_id == NO_MEMBER_ID:
        if instance_id is not None and instance_id in group.static_members:
            return _replace(group, ctx, request, group.members[group.static_members[instance_id]], new_id)
        if instance_id is None and version >= 4:
            until_ms = ctx.steady_ms + request.session_timeout_ms
            response = join_error(version, ErrorCode.MEMBER_ID_REQUIRED, new_id)
            hand_out = partial(group.store.change, group.group_id, type(group).hand_out, new_id, until_ms)
            return Decision(response, after=(hand_out,))
        return _add(group, ctx, request, new_id)
    if member_id in group.pending:
        if instance_id is not None:  # only dynamic members get a pending id; Kafka throws
            return Decision(join_error(version, ErrorCode.UNKNOWN_SERVER_ERROR))
        return _add(group, ctx, request, member_id)
    try:
        member = group.validate_member(member_id, instance_id)
    except KafkaError as error:
        return Decision(join_error(version, error.code, member_id))
    if group.state is EMPTY:
        return Decision(join_error(version, ErrorCode.UNKNOWN_MEMBER_ID, member_id))
    if member.protocols == request.protocols:
        if group.state is COMPLETING_REBALANCE:  # the first response may have been lost
            is_leader = member_id == group.leader
            return Decision(_generation_for(group, version, member_id, lists_members=is_leader))
        if group.state is STABLE and member_id != group.leader:
            # A leader may rejoin without any change, to have partitions assigned again.
            return Decision(_generation_for(group, version, member_id))
    assert ctx.pending is not None
    timeout_ms = rebalance_timeout_ms(version, request)
    return Decision(after=(partial(group.rejoin, member, request, timeout_ms, ctx.pending),))


def _has_room(group: ClassicGroup, member_id: str) -> bool:
    """Return whether the group has room. During a rebalance members with a parked join count, else all.

    Kafka: GroupMetadataManager.acceptJoiningMember.
    """
    max_size = group.store.settings.group_max_size
    if group.state is PREPARING_REBALANCE:
        member = group.members.get(member_id)
        return (member is not None and member.parked_join is not None) or group.joined < max_size
    if group.state is COMPLETING_REBALANCE or group.state is STABLE:
        return member_id in group.members or len(group.members) < max_size
    return True


def _add(
    group: ClassicGroup, ctx: Context, request: JoinGroupRequest, member_id: str
) -> Decision[JoinGroupResponse]:
    member = Member(
        member_id,
        request.group_instance_id,
        ctx.client_id,
        ctx.caller.client_host,
        rebalance_timeout_ms(ctx.version, request),
        request.session_timeout_ms,
        request.protocols,
        parked_join=ctx.pending,
        is_new=True,
        session_deadline_ms=ctx.steady_ms + NEW_MEMBER_JOIN_TIMEOUT_MS,
    )
    add = partial(group.store.change, group.group_id, type(group).add, member, request.protocol_type)
    return Decision(after=(add,))


def _replace(
    group: ClassicGroup, ctx: Context, request: JoinGroupRequest, old: Member, new_id: str
) -> Decision[JoinGroupResponse]:
    """Replace a static member that has restarted. Its old id is fenced.

    It keeps the generation if the group is Stable and would elect the same protocol. The response before
    v9 names the old id as leader, so that the leader assigns nothing.
    """
    released = refused((old,), ErrorCode.FENCED_INSTANCE_ID, names_member=True)
    timeout_ms = rebalance_timeout_ms(ctx.version, request)
    replace = partial(group.replace, old, new_id, request, timeout_ms)
    others = [each.protocols for each in group.members.values() if each is not old]
    if group.state is not STABLE or vote([*others, request.protocols]) != group.protocol:
        return Decision(released=released, after=(partial(replace, ctx.pending, ctx.steady_ms),))
    if ctx.version < 9 or group.leader != old.member_id:
        response = _generation_for(group, ctx.version, new_id)
    else:
        response = _generation_for(group, ctx.version, new_id, lists_members=True)
        response.leader = new_id
        response.skip_assignment = True
        for each in response.members:
            if each.member_id == old.member_id:
                each.member_id = new_id
                each.metadata = metadata_of(request.protocols, group.protocol)
    value = group.project()
    if value.leader == old.member_id:
        value.leader = new_id
    (stored,) = [each for each in value.members if each.member_id == old.member_id]
    value.members.remove(stored)
    value.members.append(stored)  # `replace` adds it last
    stored.member_id = new_id
    stored.rebalance_timeout = timeout_ms
    stored.session_timeout = request.session_timeout_ms
    stored.subscription = metadata_of(request.protocols, group.protocol)
    return Decision(
        response,
        records=(group_record(group.group_id, value),),
        released=released,
        after=(partial(replace, None, ctx.steady_ms),),
    )


def _generation_for(
    group: ClassicGroup, version: int, member_id: str, *, lists_members: bool = False
) -> JoinGroupResponse:
    """Return the response to a join that changes nothing: it has the current generation."""
    members = group.members_for_leader(group.protocol) if lists_members else None
    return join_response(
        version, member_id, group.generation, group.protocol_type, group.protocol, group.leader or "", members
    )
