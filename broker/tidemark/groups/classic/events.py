"""What happens to a classic group, as events: events about soft state, each replayed once and then forgotten.

The records of a Result are replayed before its events. A event that stands beside a group's record
(GroupEmptied, Assigned, MemberReplaced) closes by asserting that the record is the group's projection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidemark.core.context import Now
from tidemark.core.result import ParkedRequest
from tidemark.groups.classic.member import Member
from tidemark.groups.classic.protocols import Protocols
from tidemark.groups.events import GroupEvent


@dataclass(slots=True)
class MemberSeen(GroupEvent):
    """A heartbeat, or a commit in Stable or PreparingRebalance: the session lasts until then (steady)."""

    member_id: str
    until_ms: int


@dataclass(slots=True)
class SessionsStarted(GroupEvent):
    """The group was loaded: all members have a full session before them."""

    steady_ms: int


@dataclass(slots=True)
class MemberIdHandedOut(GroupEvent):
    """MEMBER_ID_REQUIRED was answered (KIP-394). The id is pending until it comes back or its time is up."""

    member_id: str
    until_ms: int


@dataclass(slots=True)
class PendingIdDropped(GroupEvent):
    """Its owner came when the group was full."""

    member_id: str


@dataclass(slots=True)
class PendingIdsExpired(GroupEvent):
    """Nobody came with them in time. If nobody else is waited for, that ends the initial delay too."""

    member_ids: tuple[str, ...]


@dataclass(slots=True)
class MemberAdded(GroupEvent):
    """The member becomes the group's own object. The first one says what type of group it is."""

    member: Member
    protocol_type: str


@dataclass(slots=True)
class Rejoin:
    """What a JoinGroup says anew about a member that is one already."""

    protocols: Protocols
    rebalance_timeout_ms: int
    session_timeout_ms: int


@dataclass(slots=True)
class JoinParked(GroupEvent):
    """A member rejoins and waits. Takes the place of an earlier parked join, which is never answered."""

    member_id: str
    rejoin: Rejoin
    pending: ParkedRequest


@dataclass(slots=True)
class MemberReplaced(GroupEvent):
    """A static member came back without its id and has a new one.

    pending None: it keeps the generation and was answered at once; a record says so.
    """

    old_id: str
    new_id: str
    rejoin: Rejoin
    pending: ParkedRequest | None
    until_ms: int


@dataclass(slots=True)
class MembersRemoved(GroupEvent):
    """Members or pending ids are removed from the group. The generation ends.

    reason: why, for the log.
    """

    member_ids: tuple[str, ...]
    reason: str


@dataclass(slots=True)
class RebalanceOpened(GroupEvent):
    """A generation that was syncing loses its assignments; its parked syncs were answered."""

    now: Now


@dataclass(slots=True)
class InitialDelayExtended(GroupEvent):
    now: Now


@dataclass(slots=True)
class JoinPostponed(GroupEvent):
    """Nobody rejoined, and all members are static: they get the time once more."""

    until_ms: int


@dataclass(slots=True)
class JoinCompleted(GroupEvent):
    """The next generation begins: all parked joins were answered, everyone has to sync."""

    protocol: str
    leader: str
    now: Now


@dataclass(slots=True)
class GroupEmptied(GroupEvent):
    """A rebalance ended with no members."""

    wall_ms: int


@dataclass(slots=True)
class SyncParked(GroupEvent):
    member_id: str
    pending: ParkedRequest


@dataclass(slots=True)
class Synced(GroupEvent):
    """A member fetched its assignment after the leader had brought it."""

    member_id: str


@dataclass(slots=True)
class Assigned(GroupEvent):
    """The leader brought the assignments: Stable. All parked syncs were answered. One entry per member."""

    leader: str
    assignments: Mapping[str, bytes]
    now: Now


@dataclass(slots=True)
class AssignmentRefused(GroupEvent):
    """The leader's assignments could not be written: all parked syncs were answered with the error."""

    now: Now
