"""The answers of the classic protocol, for deciders and settle alike, and what becomes of parked requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from tidemark.core.context import Now
from tidemark.core.result import NOTHING, Released, Result
from tidemark.groups.classic.events import AssignmentRefused
from tidemark.groups.classic.member import Member
from tidemark.groups.classic.model import ClassicGroupState, ClassicModel
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from tidemark_protocol.messages.sync_group import SyncGroupResponse

NO_GENERATION: Final = -1
NO_MEMBER_ID: Final = ""


@dataclass(slots=True, frozen=True)
class Generation:
    """What every member of a generation is told."""

    number: int
    protocol_type: str | None
    protocol: str | None
    leader: str


def current_generation(group: ClassicModel, leader: str | None = None) -> Generation:
    """leader: where it is about to be another."""
    return Generation(group.generation, group.protocol_type, group.protocol, leader or group.leader or "")


def join_answer(
    version: int,
    generation: Generation,
    member_id: str,
    members: list[JoinGroupResponseMember] | None = None,
    *,
    skip_assignment: bool = False,
) -> JoinGroupResponse:
    """members: for the leader."""
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


def join_refused(version: int, code: ErrorCode, member_id: str = NO_MEMBER_ID) -> JoinGroupResponse:
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
    """v7 made it nullable, and Kafka has taken null for empty since, empty for null before."""
    return name or (None if version >= 7 else "")


def listed(group: ClassicModel, protocol: str | None) -> list[JoinGroupResponseMember]:
    """The members as the leader is told of them."""
    return [
        JoinGroupResponseMember(member.member_id, member.instance_id, member.metadata(protocol))
        for member in group.members.values()
    ]


def sync_answer(group: ClassicModel, assignment: bytes) -> SyncGroupResponse:
    return SyncGroupResponse(
        error_code=ErrorCode.NONE,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol,
        assignment=assignment,
    )


def sync_refused(code: ErrorCode) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=code, protocol_type=None, protocol_name=None, assignment=b"")


def assigned_syncs(group: ClassicModel, assignments: Mapping[str, bytes]) -> tuple[Released, ...]:
    """Answers to all parked syncs."""
    return tuple(
        Released(member.parked_sync, sync_answer(group, assignments[member.member_id]))
        for member in group.members.values()
        if member.parked_sync is not None
    )


def refused_syncs(group: ClassicModel, code: ErrorCode) -> tuple[Released, ...]:
    return tuple(
        Released(member.parked_sync, sync_refused(code))
        for member in group.members.values()
        if member.parked_sync is not None
    )


def turned_away(members: Iterable[Member]) -> tuple[Released, ...]:
    """Answers to what removed members have parked. Kafka leaves a parked SyncGroup without an answer."""
    replies = []
    for member in members:
        if member.parked_join is not None:
            response = join_refused(member.parked_join.version, ErrorCode.UNKNOWN_MEMBER_ID)
            replies.append(Released(member.parked_join, response))
        if member.parked_sync is not None:
            replies.append(Released(member.parked_sync, sync_refused(ErrorCode.UNKNOWN_MEMBER_ID)))
    return tuple(replies)


def fenced(member: Member) -> tuple[Released, ...]:
    """Answers to whatever a static member has parked under the id that another one takes over."""
    code = ErrorCode.FENCED_INSTANCE_ID
    replies = []
    if member.parked_join is not None:
        response = join_refused(member.parked_join.version, code, member.member_id)
        replies.append(Released(member.parked_join, response))
    if member.parked_sync is not None:
        replies.append(Released(member.parked_sync, sync_refused(code)))
    return tuple(replies)


def refuse_assignment(group: ClassicModel, code: ErrorCode, now: Now) -> Result[None]:
    """The leader's assignments could not be written: whoever waited for them is told so."""
    if group.state is not ClassicGroupState.COMPLETING_REBALANCE:
        return NOTHING
    return Result(events=(AssignmentRefused(group.group_id, now),), released=refused_syncs(group, code))
