"""The data of a classic group, queries about it, and the table of its states.

Only the functions in replay.py change it, for records and events.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Final

from tidemark.core.context import Context, Now
from tidemark.core.result import After, Event, Result
from tidemark.groups.classic.member import Member, Roster
from tidemark.groups.classic.protocols import Protocols
from tidemark.groups.group import Group, MemberFacts
from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.heartbeat import HeartbeatResponse
from tidemark_protocol.records.group_metadata import GroupMetadataValue
from tidemark_protocol.subscriptions import CONSUMER, subscribed_topics

if TYPE_CHECKING:
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark.groups.store import GroupStore
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest


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

ALLOWED: Final = {
    # No members. A join opens a rebalance; syncs and heartbeats get UNKNOWN_MEMBER_ID; commits without a
    # member are accepted.
    EMPTY: {PREPARING_REBALANCE, DEAD},
    # Joins wait for all members or for a timeout; heartbeats and syncs get REBALANCE_IN_PROGRESS; commits are
    # accepted.
    PREPARING_REBALANCE: {COMPLETING_REBALANCE, EMPTY, DEAD},
    # Syncs wait for the leader's; unchanged joins get a response at once; commits get REBALANCE_IN_PROGRESS.
    COMPLETING_REBALANCE: {STABLE, PREPARING_REBALANCE, DEAD},
    # Every request gets a response at once, except a join that changes something.
    STABLE: {PREPARING_REBALANCE, DEAD},
    # The group is no longer served here: every request gets COORDINATOR_NOT_AVAILABLE.
    DEAD: {DEAD},
}


@dataclass(slots=True, frozen=True)
class InitialDelay:
    """The first member of an Empty group waits for others. The delay has an end, but may be extended."""

    until_ms: int
    delay_ms: int
    left_ms: int


@dataclass(slots=True, frozen=True)
class Joining:
    """Members rejoin. This ends when all have rejoined, or after a time."""

    until_ms: int


@dataclass(slots=True, frozen=True)
class Syncing:
    """Members fetch their assignments, which the leader sends. This lasts until `missing` is empty."""

    until_ms: int
    missing: set[str]


Phase = InitialDelay | Joining | Syncing


@dataclass(slots=True, eq=False)
class ClassicModel(Group):
    """A classic group, managed or simple. `ClassicGroup` adds the decisions.

    phase              what a rebalance waits for; None in Empty, and in Stable once all members have synced
    disturbed          a rebalance must be opened, because a member joined or was removed
    rebalance_reason   why the last rebalance was opened, for the log
    someone_joined     a member joined during an initial delay that was not extended for it yet. Kafka keeps
                       this for the next life of the group if the delay could not be extended any more
    pending            ids handed out with MEMBER_ID_REQUIRED, in the order of their requests
    store              all groups
    roster             None until the group has a member or a pending id: most groups only commit
    stored             the record as the log holds it; None: there is none
    """

    state: ClassicGroupState = EMPTY
    phase: Phase | None = None
    disturbed: bool = False
    rebalance_reason: str = ""
    someone_joined: bool = False
    generation: int = 0
    protocol: str | None = None
    leader: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    pending: dict[str, None] = field(default_factory=dict)
    roster: Roster | None = None
    stored: GroupMetadataValue | None = None
    store: GroupStore = field(kw_only=True)

    # The interface of every group; the decisions are in `ClassicGroup`.

    @property
    def type_name(self) -> str:
        return "classic"

    @property
    def state_name(self) -> str:
        return self.state.value

    @property
    def is_empty(self) -> bool:
        return self.state is EMPTY

    @property
    def epoch(self) -> int:
        return self.generation

    @property
    def protocol_name(self) -> str | None:
        return self.protocol

    @property
    def is_placeholder(self) -> bool:
        return self.stored is None

    @property
    def member_ids(self) -> Collection[str]:
        return self.members

    def member_facts(self) -> list[MemberFacts]:
        return [
            MemberFacts(
                member.member_id,
                member.client_id,
                member.client_host,
                member.instance_id,
                subscribed_topics(self.protocol_type, [member.metadata(self.protocol)]),
            )
            for member in self.members.values()
        ]

    @property
    def topics_are_known(self) -> bool:
        return bool(self.members) and self.protocol_type == CONSUMER and self.subscribed_topics is not None

    def is_subscribed(self, topic: str) -> bool:
        """Return whether a member reads the topic. Always true if the subscription is unknown."""
        if self.subscribed_topics is None:
            return self.protocol_type == CONSUMER
        return topic in self.subscribed_topics

    def check_commit(self, ctx: Context, request: OffsetCommitRequest, commits: Commits) -> After:
        state = self.state
        epoch = request.generation_id_or_member_epoch
        if epoch < 0 and state is EMPTY:  # from any client, whatever its ids
            return ()
        if state is DEAD:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        member_id, instance_id = request.member_id, request.group_instance_id
        if epoch < 0 and not member_id and instance_id is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        member = self.validate_member(member_id, instance_id)
        self.validate_generation(epoch)
        if state is COMPLETING_REBALANCE:
            raise KafkaError(ErrorCode.REBALANCE_IN_PROGRESS)
        return (partial(self.heard, member, ctx.steady_ms + member.session_timeout_ms),)

    def check_transactional_commit(
        self, request: TxnOffsetCommitRequest, commits: TransactionalCommits
    ) -> None:
        """Check the member, unless the request names none. A rebalance does not prevent the commit."""
        if self.state is DEAD:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        generation, member_id = request.generation_id, request.member_id
        if generation < 0 and self.state is EMPTY:
            return
        if generation >= 0 or member_id or request.group_instance_id is not None:
            self.validate_member(member_id, request.group_instance_id)
            self.validate_generation(generation)

    def heartbeat(
        self, member_id: str, instance_id: str | None, generation: int, steady_ms: int
    ) -> Result[HeartbeatResponse]:
        if self.state is DEAD:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        member = self.validate_member(member_id, instance_id)
        self.validate_generation(generation)
        rebalancing = self.state is PREPARING_REBALANCE
        code = ErrorCode.REBALANCE_IN_PROGRESS if rebalancing else ErrorCode.NONE
        after = (partial(self.heard, member, steady_ms + member.session_timeout_ms),)
        return Result(HeartbeatResponse(error_code=code), after=after)

    def check_offset_delete(self) -> ErrorCode:
        if self.state is not EMPTY and self.protocol_type != CONSUMER:
            return ErrorCode.NON_EMPTY_GROUP
        return ErrorCode.NONE

    def start_sessions(self, now: Now) -> tuple[Event, ...]:
        """Give every member a full session. Rebalance if `group.max.size` is below the number of members."""
        for member in self.members.values():
            self.heard(member, now.steady_ms + member.session_timeout_ms)
        if self.members:
            self.store.marked.add(self.group_id)
        if len(self.members) > self.store.limits.max_size:
            self.disturb("group.max.size exceeded")
        return ()

    # Changes. The engine calls them once the records of a decision are written.

    def heard(self, member: Member, until_ms: int) -> None:
        """A member has sent a request: its session lasts until then (steady ms)."""
        if until_ms < member.session_deadline_ms:
            self.store.marked.add(self.group_id)  # a new member's five minutes shrink: arm again
        member.session_deadline_ms = until_ms
        if self.roster is not None:
            self.roster.timers.set(member.member_id, member.expires_at_ms)

    def disturb(self, reason: str) -> None:
        """Request a rebalance, unless one is open: that one keeps its reason."""
        if self.state is not PREPARING_REBALANCE:
            self.disturbed = True
            self.rebalance_reason = reason

    # Questions of the classic protocol.

    @property
    def rebalance_timeout_ms(self) -> int:
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    @property
    def joined(self) -> int:
        """The number of members with a parked join."""
        return 0 if self.roster is None else self.roster.joined

    def everyone_joined(self) -> bool:
        """Return whether all have joined. A pending id delays a rebalance until it is used or dropped."""
        return not self.pending and self.joined == len(self.members)

    def supports(self, protocol_type: str, protocols: Protocols) -> bool:
        """Return whether a member with these protocols may join."""
        if self.state is EMPTY:
            return bool(protocol_type) and bool(protocols)
        if protocol_type != self.protocol_type:
            return False
        supported = {} if self.roster is None else self.roster.supported
        count = len(self.members)
        return any(supported.get(protocol.name, 0) == count for protocol in protocols)

    def validate_member(self, member_id: str, instance_id: str | None) -> Member:
        """Return the member with these ids. Raises UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID."""
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
        """Raise ILLEGAL_GENERATION unless it is the current generation."""
        if generation != self.generation:
            raise KafkaError(ErrorCode.ILLEGAL_GENERATION)

    def next_deadline_ms(self) -> int | None:
        """Return the earliest time (steady ms) at which a timer of this group may expire."""
        first_ms = None if self.roster is None else self.roster.timers.next()
        if self.phase is None:
            return first_ms
        return self.phase.until_ms if first_ms is None else min(self.phase.until_ms, first_ms)

    def expired(self, due_ms: int, at_most: int) -> list[str]:
        """Return members and pending ids that have expired."""
        return [] if self.roster is None else self.roster.timers.passed(due_ms, at_most)
