"""Responses of the classic protocol to joins and syncs, also to those that are parked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tidemark.core.decision import Released
from tidemark.groups.classic.model import ClassicModel, Member, metadata_of
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from tidemark_protocol.messages.sync_group import SyncGroupResponse

NO_GENERATION: Final = -1
NO_MEMBER_ID: Final = ""


def join_response(
    version: int,
    member_id: str,
    generation: int,
    protocol_type: str | None,
    protocol: str | None,
    leader: str,
    members: list[JoinGroupResponseMember] | None = None,
) -> JoinGroupResponse:
    """Return the response to a join. members: only the leader's response lists them."""
    return JoinGroupResponse(
        error_code=ErrorCode.NONE,
        generation_id=generation,
        protocol_type=protocol_type,
        protocol_name=protocol or _no_protocol(version),
        leader=leader,
        member_id=member_id,
        members=members or [],
    )


def join_error(version: int, code: ErrorCode, member_id: str = NO_MEMBER_ID) -> JoinGroupResponse:
    """Return the response to a join that is refused."""
    return JoinGroupResponse(
        error_code=code,
        generation_id=NO_GENERATION,
        protocol_type=None,
        protocol_name=_no_protocol(version),
        leader="",
        member_id=member_id,
        members=[],
    )


def _no_protocol(version: int) -> str | None:
    """Return the name where there is none, as Kafka writes it: null from v7 on, empty before."""
    return None if version >= 7 else ""


def members_for_leader(group: ClassicModel, protocol: str | None) -> list[JoinGroupResponseMember]:
    """Return the members as the leader's JoinGroup response lists them."""
    listed = []
    for member in group.members.values():
        metadata = metadata_of(member.protocols, protocol)
        listed.append(JoinGroupResponseMember(member.member_id, member.instance_id, metadata))
    return listed


def sync_response(group: ClassicModel, assignment: bytes) -> SyncGroupResponse:
    return SyncGroupResponse(
        error_code=ErrorCode.NONE,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol,
        assignment=assignment,
    )


def sync_error(code: ErrorCode) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=code, protocol_type=None, protocol_name=None, assignment=b"")


def refused_syncs(members: Iterable[Member], code: ErrorCode) -> tuple[Released, ...]:
    """Respond to the parked syncs of these members with an error."""
    released = []
    for member in members:
        if member.parked_sync is not None:
            released.append(Released(member.parked_sync, sync_error(code)))  # noqa: PERF401 a frame less
    return tuple(released)


def refused(members: Iterable[Member], code: ErrorCode, *, names_member: bool) -> tuple[Released, ...]:
    """Respond to the parked requests of these members with an error.

    Kafka never responds to the parked SyncGroup of a member that it removes.

    names_member: the response to a join has the member's id
    """
    released = []
    for member in members:
        if member.parked_join is not None:
            member_id = member.member_id if names_member else NO_MEMBER_ID
            response = join_error(member.parked_join.version, code, member_id)
            released.append(Released(member.parked_join, response))
        if member.parked_sync is not None:
            released.append(Released(member.parked_sync, sync_error(code)))
    return tuple(released)
