"""Responses of the classic protocol to joins and syncs, also to those that are parked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tidemark.core.context import Now
from tidemark.core.result import NOTHING, Released, Result
from tidemark.groups.classic.events import AssignmentRefused
from tidemark.groups.classic.member import Member
from tidemark.groups.classic.model import ClassicGroupState, ClassicModel
from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from tidemark_protocol.messages.sync_group import SyncGroupResponse

NO_GENERATION: Final = -1
NO_MEMBER_ID: Final = ""


@dataclass(slots=True, frozen=True)
class Generation:
    """The fields of a generation that every JoinGroup response contains."""

    number: int
    protocol_type: str | None
    protocol: str | None
    leader: str


def current_generation(group: ClassicModel, leader: str | None = None) -> Generation:
    """Return the current generation. leader: the leader that is about to replace the current one."""
    return Generation(group.generation, group.protocol_type, group.protocol, leader or group.leader or "")


def join_response(
    version: int,
    generation: Generation,
    member_id: str,
    members: list[JoinGroupResponseMember] | None = None,
    *,
    skip_assignment: bool = False,
) -> JoinGroupResponse:
    """Return the response to a join. members: only the leader's response lists them."""
    return JoinGroupResponse(
        error_code=ErrorCode.NONE,
        generation_id=generation.number,
        protocol_type=generation.protocol_type,
        protocol_name=_protocol_name(version, generation.protocol),
        leader=generation.leader,
        skip_assignment=skip_assignment,
        member_id=member_id,
        members=members or [],
    )


def join_error(version: int, code: ErrorCode, member_id: str = NO_MEMBER_ID) -> JoinGroupResponse:
    """Return the response to a join that is refused."""
    return JoinGroupResponse(
        error_code=code,
        generation_id=NO_GENERATION,
        protocol_type=None,
        protocol_name=_protocol_name(version, None),
        leader="",
        member_id=member_id,
        members=[],
    )


def _protocol_name(version: int, name: str | None) -> str | None:
    """Return the name as Kafka writes it: null instead of empty from v7 on, empty instead of null before."""
    return name or (None if version >= 7 else "")


def members_for_leader(group: ClassicModel, protocol: str | None) -> list[JoinGroupResponseMember]:
    """Return the members as the leader's JoinGroup response lists them."""
    return [
        JoinGroupResponseMember(member.member_id, member.instance_id, member.metadata(protocol))
        for member in group.members.values()
    ]


def sync_response(group: ClassicModel, assignment: bytes) -> SyncGroupResponse:
    return SyncGroupResponse(
        error_code=ErrorCode.NONE,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol,
        assignment=assignment,
    )


def sync_error(code: ErrorCode) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=code, protocol_type=None, protocol_name=None, assignment=b"")


def assigned_syncs(group: ClassicModel, assignments: Mapping[str, bytes]) -> tuple[Released, ...]:
    """Respond to all parked syncs with the assignments."""
    return tuple(
        Released(member.parked_sync, sync_response(group, assignments[member.member_id]))
        for member in group.members.values()
        if member.parked_sync is not None
    )


def refused_syncs(group: ClassicModel, code: ErrorCode) -> tuple[Released, ...]:
    """Respond to all parked syncs with an error."""
    return tuple(
        Released(member.parked_sync, sync_error(code))
        for member in group.members.values()
        if member.parked_sync is not None
    )


def rebalancing_responses(group: ClassicModel) -> tuple[Released, ...]:
    """Respond to all parked requests that their members must join again, with their own ids."""
    code = ErrorCode.REBALANCE_IN_PROGRESS
    joins = tuple(
        Released(member.parked_join, join_error(member.parked_join.version, code, member.member_id))
        for member in group.members.values()
        if member.parked_join is not None
    )
    return (*joins, *refused_syncs(group, code))


def unknown_member_responses(members: Iterable[Member]) -> tuple[Released, ...]:
    """Respond to the parked requests of removed members. Kafka never responds to their parked SyncGroup."""
    released = []
    for member in members:
        if member.parked_join is not None:
            response = join_error(member.parked_join.version, ErrorCode.UNKNOWN_MEMBER_ID)
            released.append(Released(member.parked_join, response))
        if member.parked_sync is not None:
            released.append(Released(member.parked_sync, sync_error(ErrorCode.UNKNOWN_MEMBER_ID)))
    return tuple(released)


def fenced_responses(member: Member) -> tuple[Released, ...]:
    """Respond to the parked requests of a static member that another one replaces."""
    code = ErrorCode.FENCED_INSTANCE_ID
    released = []
    if member.parked_join is not None:
        response = join_error(member.parked_join.version, code, member.member_id)
        released.append(Released(member.parked_join, response))
    if member.parked_sync is not None:
        released.append(Released(member.parked_sync, sync_error(code)))
    return tuple(released)


def refuse_assignment(group: ClassicModel, code: ErrorCode, now: Now) -> Result[None]:
    """Respond to parked syncs that the leader's assignments could not be written."""
    if group.state is not ClassicGroupState.COMPLETING_REBALANCE:
        return NOTHING
    return Result(events=(AssignmentRefused(group.group_id, now),), released=refused_syncs(group, code))
