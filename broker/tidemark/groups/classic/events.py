"""Events about the soft state of a classic group. Each is replayed once and then forgotten.

The records of a Result are replayed before its events. The replay of an event that accompanies the group's
record (GroupEmptied, Assigned, MemberReplaced) asserts at its end that the record is the group's projection.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidemark.core.context import Now
from tidemark.core.result import ParkedRequest
from tidemark.groups.classic.member import Member
from tidemark.groups.classic.protocols import Protocols
from tidemark.groups.events import GroupEvent
from tidemark.late_dataclass import dataclass


@dataclass(slots=True)
class MemberIdHandedOut(GroupEvent):
    """A client got MEMBER_ID_REQUIRED (KIP-394). The id is pending until it is used or expires."""

    member_id: str
    until_ms: int


@dataclass(slots=True)
class PendingIdDropped(GroupEvent):
    """A client returned with a pending id when the group was full."""

    member_id: str


@dataclass(slots=True)
class PendingIdsExpired(GroupEvent):
    """No client used these ids in time. If no other member is expected, the initial delay ends too."""

    member_ids: tuple[str, ...]


@dataclass(slots=True)
class MemberAdded(GroupEvent):
    """A member joins; replay keeps this object. The first member sets the group's protocol type."""

    member: Member
    protocol_type: str


@dataclass(slots=True)
class Rejoin:
    """The fields of a JoinGroup that replace those of a known member."""

    protocols: Protocols
    rebalance_timeout_ms: int
    session_timeout_ms: int


@dataclass(slots=True)
class JoinParked(GroupEvent):
    """A member rejoins and waits. An earlier parked join of it never gets a response, as in Kafka."""

    member_id: str
    rejoin: Rejoin
    pending: ParkedRequest


@dataclass(slots=True)
class MemberReplaced(GroupEvent):
    """A static member returned without its id and gets a new one.

    pending: None if the member keeps its generation. Then it has its response, and the group has a new record
    """

    old_id: str
    new_id: str
    rejoin: Rejoin
    pending: ParkedRequest | None
    until_ms: int


@dataclass(slots=True)
class MembersRemoved(GroupEvent):
    """Members or pending ids are removed from the group. The generation ends.

    reason: for the log
    """

    member_ids: tuple[str, ...]
    reason: str


@dataclass(slots=True)
class RebalanceOpened(GroupEvent):
    """A rebalance starts. A generation that was syncing loses its assignments."""

    now: Now


@dataclass(slots=True)
class InitialDelayExtended(GroupEvent):
    """Members joined during the initial delay, so the group waits for more of them."""

    now: Now


@dataclass(slots=True)
class JoinPostponed(GroupEvent):
    """All members are static and none rejoined: they get the rebalance timeout once more."""

    until_ms: int


@dataclass(slots=True)
class JoinCompleted(GroupEvent):
    """The next generation begins: all parked joins got their responses, and every member must sync."""

    protocol: str
    leader: str
    now: Now


@dataclass(slots=True)
class GroupEmptied(GroupEvent):
    """A rebalance ended with no members."""

    wall_ms: int


@dataclass(slots=True)
class SyncParked(GroupEvent):
    """A member waits for its assignment."""

    member_id: str
    pending: ParkedRequest


@dataclass(slots=True)
class Synced(GroupEvent):
    """A member fetched its assignment after the leader had sent it."""

    member_id: str


@dataclass(slots=True)
class Assigned(GroupEvent):
    """The leader sent the assignments, one for each member: the group is Stable."""

    leader: str
    assignments: Mapping[str, bytes]
    now: Now


@dataclass(slots=True)
class AssignmentRefused(GroupEvent):
    """The leader's assignments could not be written: all parked syncs got the error."""

    now: Now


@dataclass(slots=True)
class ParkedRefused(GroupEvent):
    """All parked requests got an error, because a consumer tried to join. The group stays as it is."""

    steady_ms: int


@dataclass(slots=True)
class GroupUpgraded(GroupEvent):
    """The classic group became a consumer group, by the records of the same decision. For the log."""


@dataclass(slots=True)
class GroupDowngraded(GroupEvent):
    """A consumer group became this group. Its record holds only one protocol of each member.

    protocols  of every member, by its id
    reason     why the group rebalances now; "": it does not
    """

    protocols: Mapping[str, Protocols]
    now: Now
    reason: str
