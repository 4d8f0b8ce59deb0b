"""The states and members of classic groups, the vote on a protocol, their record, and responses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from tidemark.core.decision import ParkedRequest, Record, Released
from tidemark.core.java import map_order
from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.join_group import (
    JoinGroupRequestProtocol,
    JoinGroupResponse,
    JoinGroupResponseMember,
)
from tidemark_protocol.messages.sync_group import SyncGroupResponse
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue
from tidemark_protocol.wire import TEXT_MAX

if TYPE_CHECKING:
    from tidemark_protocol.messages.join_group import JoinGroupRequest

NO_GENERATION: Final = -1
NO_MEMBER_ID: Final = ""

Protocols = Sequence[JoinGroupRequestProtocol]


class ClassicGroupState(StrEnum):
    """The states of a classic group. The value is the name on the wire."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


# Constants, because to look a member up in an enum costs as much as a call.
EMPTY: Final = ClassicGroupState.EMPTY
PREPARING_REBALANCE: Final = ClassicGroupState.PREPARING_REBALANCE
COMPLETING_REBALANCE: Final = ClassicGroupState.COMPLETING_REBALANCE
STABLE: Final = ClassicGroupState.STABLE
DEAD: Final = ClassicGroupState.DEAD

name_of: Final = attrgetter("name")
protocols_of: Final = attrgetter("protocols")


def metadata_of(protocols: Protocols, name: str | None) -> bytes:
    """Return the metadata of the protocol, or b"" if it is not among them."""
    for protocol in protocols:
        if protocol.name == name:
            return protocol.metadata
    return b""


@dataclass(slots=True, eq=False)
class Member:
    """One member of a classic group.

    instance_id          static membership (KIP-345); None: dynamic
    protocols            of its last JoinGroup, in order of preference
    assignment           of the last sync
    parked_join          its parked JoinGroup, if any
    parked_sync          its parked SyncGroup, if any
    is_new               its first join has no response yet; it may expire while it is parked
    session_deadline_ms  steady; ignored while a request of the member is parked
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    protocols: Protocols
    assignment: bytes = b""
    parked_join: ParkedRequest | None = None
    parked_sync: ParkedRequest | None = None
    is_new: bool = False
    session_deadline_ms: int = 0

    @property
    def expires_at_ms(self) -> int | None:
        """When the session expires (steady ms). None: never, because a request of the member is parked."""
        parked = self.parked_join is not None or self.parked_sync is not None
        return None if parked and not self.is_new else self.session_deadline_ms

    def metadata(self, protocol: str | None) -> bytes:
        return metadata_of(self.protocols, protocol)


def all_fit(*texts: str | None) -> bool:
    """Return whether responses and records can hold these texts.

    A text may be longer than what was read: a member id contains a client id, and a byte that is not UTF-8
    has become three. Kafka keeps such a member, and then fails every request whose response contains the
    text.
    """
    for text in texts:
        if text is not None and len(text) > TEXT_MAX // 4 and len(text.encode()) > TEXT_MAX:
            return False
    return True


def vote(ballots: Sequence[Protocols]) -> str:
    """Return the protocol that most members prefer among those that all support.

    The order of Java's HashMap decides a tie. Kafka: ClassicGroup.selectProtocol.
    """
    candidates = set.intersection(*[set(map(name_of, ballot)) for ballot in ballots])
    assert candidates, "members without a common protocol joined"
    votes: dict[str, int] = {}
    for ballot in ballots:
        for protocol in ballot:
            if protocol.name in candidates:
                votes[protocol.name] = votes.get(protocol.name, 0) + 1
                break
    if len(votes) == 1:
        return next(iter(votes))
    return max(map_order(votes, java_hash), key=votes.__getitem__)


def rebalance_timeout_ms(version: int, request: JoinGroupRequest) -> int:
    """Return how long a rebalance waits for this member. v0 has no field for it."""
    return request.session_timeout_ms if version == 0 else request.rebalance_timeout_ms


# Responses to joins and syncs, also to those that are parked. Without a name, v7 has null, and older ones "".


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
        protocol_name=protocol or (None if version >= 7 else ""),
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
        protocol_name=None if version >= 7 else "",
        leader="",
        member_id=member_id,
        members=[],
    )


def sync_error(code: ErrorCode) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=code, protocol_type=None, protocol_name=None, assignment=b"")


def refused(members: Iterable[Member], code: ErrorCode, *, names_member: bool) -> tuple[Released, ...]:
    """Respond to the parked requests of these members with an error.

    Kafka never responds to the parked SyncGroup of a member that it removes.

    names_member: the response to a join has the member's id
    """
    released = []
    for member in members:
        if member.parked_join is not None:
            member_id = member.member_id if names_member else NO_MEMBER_ID
            response = join_error(member.parked_join.api_version, code, member_id)
            released.append(Released(member.parked_join, response))
        if member.parked_sync is not None:
            released.append(Released(member.parked_sync, sync_error(code)))
    return tuple(released)


def group_record(group_id: str, value: GroupMetadataValue | None) -> Record:
    """Return the record of a group. value: None for the tombstone."""
    return Record(GroupMetadataKey(group_id), value)


def empty_record(group_id: str, protocol_type: str | None, generation: int, wall_ms: int) -> Record:
    """Return the record of an Empty group."""
    value = GroupMetadataValue(protocol_type or "", generation, None, None, wall_ms, [])
    return Record(GroupMetadataKey(group_id), value)
