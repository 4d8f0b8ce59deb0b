"""Group and Member: a classic group as it stands, and the table of its states.

The objects answer questions. What changes them is in replay.py, called for records and events alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

from tidemark.core.deadlines import Deadlines
from tidemark.core.result import ParkedRequest
from tidemark.groups.classic.protocols import Protocols, metadata_of
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.group_metadata import GroupMetadataValue
from tidemark_protocol.subscriptions import CONSUMER

NEW_MEMBER_JOIN_TIMEOUT_MS: Final = 300_000  # fixed in Kafka as well

# Of Group.due_bound_ms: at the next pass in any case, and not as things stand.
LOOK: Final = -(2**63)
NEVER: Final = 2**63


# By the protocol its members speak; "other": share and streams groups, known from a log of Kafka's alone.
GroupKind = Literal["classic", "consumer", "other"]


@dataclass(slots=True, frozen=True)
class GroupLimits:
    """Settings of the coordinator, with Kafka's names and code defaults."""

    min_session_timeout_ms: int = 6_000
    max_session_timeout_ms: int = 1_800_000
    max_size: int = 2_147_483_647
    initial_rebalance_delay_ms: int = 3_000
    offset_metadata_max_bytes: int = 4_096
    offsets_retention_ms: int = 604_800_000  # of offsets.retention.minutes


class GroupState(StrEnum):
    """The value is the name on the wire."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"
    # Of groups whose protocol is not served (`foreign`).
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    UNKNOWN = "Unknown"


ALLOWED: Final = {
    # No members. Joins open a rebalance; syncs and heartbeats get UNKNOWN_MEMBER_ID; simple commits pass.
    GroupState.EMPTY: {GroupState.PREPARING_REBALANCE, GroupState.DEAD},
    # Joins wait for all or for time; heartbeats and syncs get REBALANCE_IN_PROGRESS; commits pass.
    GroupState.PREPARING_REBALANCE: {GroupState.COMPLETING_REBALANCE, GroupState.EMPTY, GroupState.DEAD},
    # Syncs wait for the leader's; unchanged joins are answered at once; commits get REBALANCE_IN_PROGRESS.
    GroupState.COMPLETING_REBALANCE: {GroupState.STABLE, GroupState.PREPARING_REBALANCE, GroupState.DEAD},
    # Everything is answered at once, but for a join that changes something.
    GroupState.STABLE: {GroupState.PREPARING_REBALANCE, GroupState.DEAD},
    # The group is not served here any more: COORDINATOR_NOT_AVAILABLE to everyone.
    GroupState.DEAD: {GroupState.DEAD},
}


@dataclass(slots=True, frozen=True)
class InitialDelay:
    """An Empty group's first joiner waits for others. Ends by time alone, and is extended."""

    until_ms: int
    delay_ms: int
    left_ms: int


@dataclass(slots=True, frozen=True)
class Joining:
    """Members rejoin. Ends when all have, or by time."""

    until_ms: int


@dataclass(slots=True, frozen=True)
class Syncing:
    """Members fetch their assignment; the leader brings it. Goes on in Stable until `missing` is empty."""

    until_ms: int
    missing: set[str]


Phase = InitialDelay | Joining | Syncing


@dataclass(slots=True, eq=False)
class Member:
    """One member of a classic group.

    instance_id          static membership (KIP-345); None: dynamic
    protocols            as in its last JoinGroup, in its order of preference
    assignment           the one last synced
    parked_join          its parked JoinGroup, if any; parked_sync likewise
    is_new               its first join has not been answered yet; it may expire while it is parked
    session_deadline_ms  steady; counts while nothing of the member is parked
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
        """None: not by itself, because it waits for an answer of ours."""
        parked = self.parked_join is not None or self.parked_sync is not None
        return None if parked and not self.is_new else self.session_deadline_ms

    def metadata(self, protocol: str | None) -> bytes:
        return metadata_of(self.protocols, protocol)


class Roster:
    """What is counted of a group's members and pending ids, so that no request has to look at all of them.

    joined     how many members have a parked join
    supported  protocol name -> how many members support it
    timers     member id or pending id -> when it expires by itself (steady)
    """

    __slots__ = ("joined", "supported", "timers")

    def __init__(self) -> None:
        self.joined = 0
        self.supported: dict[str, int] = {}
        self.timers = Deadlines()


@dataclass(slots=True, eq=False)
class Group:
    """A classic group, managed or simple.

    partition          of `__consumer_offsets`, which holds it
    state_since_ms     wall: Kafka's currentStateTimestamp; None: read from a record without one (v0, v1)
    phase              what a rebalance waits for; None in Empty, and in Stable once all have synced
    disturbed          a rebalance has to be opened: someone joins, or someone is gone
    rebalance_reason   why the last rebalance was opened, for the log
    someone_joined     during an initial delay that was not extended for it yet. Kafka keeps that for the next
                       life of the group, where the delay could not be extended any more
    pending            ids handed out with MEMBER_ID_REQUIRED, in the order of their requests
    roster             None until the group has a member or a pending id: most groups commit and nothing else
    subscribed_topics  None: not known
    stored             the record as the log holds it; None: there is none
    due_bound_ms       wall: no committed offset of the group expires before then
    """

    group_id: str
    partition: int
    state_since_ms: int | None
    state: GroupState = GroupState.EMPTY
    phase: Phase | None = None
    disturbed: bool = False
    rebalance_reason: str = ""
    someone_joined: bool = False
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    pending: dict[str, None] = field(default_factory=dict)
    roster: Roster | None = None
    subscribed_topics: frozenset[str] | None = None
    stored: GroupMetadataValue | None = None
    due_bound_ms: int = NEVER

    @property
    def type_name(self) -> str:
        """Its type on the wire."""
        return self.kind

    def complete(self) -> None:
        """The partition that holds it was read to its end."""

    @property
    def kind(self) -> GroupKind:
        return "classic"

    @property
    def rebalance_timeout_ms(self) -> int:
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    @property
    def joined(self) -> int:
        """How many members have a parked join."""
        return 0 if self.roster is None else self.roster.joined

    def everyone_joined(self) -> bool:
        """A pending id holds a rebalance up until it is used or dropped."""
        return not self.pending and self.joined == len(self.members)

    def is_subscribed(self, topic: str) -> bool:
        """A consumer group whose subscription is not known counts as subscribed to everything."""
        if self.subscribed_topics is None:
            return self.protocol_type == CONSUMER
        return topic in self.subscribed_topics

    def supports(self, protocol_type: str, protocols: Protocols) -> bool:
        """May someone with these protocols join?"""
        if self.state is GroupState.EMPTY:
            return bool(protocol_type) and bool(protocols)
        if protocol_type != self.protocol_type:
            return False
        supported = {} if self.roster is None else self.roster.supported
        count = len(self.members)
        return any(supported.get(protocol.name, 0) == count for protocol in protocols)

    def validate_member(self, member_id: str, instance_id: str | None) -> Member:
        """The member that these ids name. Raises UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID (reference 1.9)."""
        if instance_id is not None:
            current = self.static_members.get(instance_id)
            if current is None:
                raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
            if current != member_id:
                raise KafkaError(ErrorCode.FENCED_INSTANCE_ID)
        member = self.members.get(member_id)
        if member is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        return member

    def validate_generation(self, generation: int) -> None:
        if generation != self.generation:
            raise KafkaError(ErrorCode.ILLEGAL_GENERATION)

    def next_deadline_ms(self) -> int | None:
        """The earliest moment (steady) at which something may happen to this group by itself."""
        first_ms = None if self.roster is None else self.roster.timers.next()
        if self.phase is None:
            return first_ms
        return self.phase.until_ms if first_ms is None else min(self.phase.until_ms, first_ms)

    def expired(self, due_ms: int, at_most: int) -> list[str]:
        """Members and pending ids whose time is up."""
        return [] if self.roster is None else self.roster.timers.passed(due_ms, at_most)
