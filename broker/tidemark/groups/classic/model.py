"""A classic group: its members, its states, its record, and the changes of its soft state.

`joining.py` decides. The engine calls the changes once the records of a decision are written and replayed
(`Decision.after`). Nothing else changes a group, except the load of its record. The record holds the metadata
of the selected protocol only. A rebalance in progress is not recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from tidemark.core.context import Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import ParkedRequest, Record
from tidemark.core.log_text import short, shortened
from tidemark.groups.group import DUE_UNKNOWN, Group, MemberFacts
from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.subscriptions import CONSUMER, subscribed_topics

if TYPE_CHECKING:
    from tidemark.groups.store import GroupStore
    from tidemark_protocol.messages.join_group import JoinGroupRequest

NO_TIMESTAMP: Final = -1
NEW_MEMBER_JOIN_TIMEOUT_MS: Final = 300_000  # fixed in Kafka as well

Protocols = Sequence[JoinGroupRequestProtocol]

name_of: Final = attrgetter("name")
protocols_of: Final = attrgetter("protocols")
_rebalance_timeout_ms: Final = attrgetter("rebalance_timeout_ms")


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


class Roster:
    """Counts about a group's members and pending ids, so that no request has to look at all of them.

    joined     how many members have a parked join
    supported  protocol name -> how many members support it
    timers     member id or pending id -> when it expires (steady)
    """

    __slots__ = ("joined", "supported", "timers")

    def __init__(self) -> None:
        self.joined = 0
        self.supported: dict[str, int] = {}
        self.timers = Deadlines()


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
    """A classic group, managed or simple. `ClassicGroup` in joining.py adds the decisions.

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

    # Facts, as of every group.

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

    def check_offset_delete(self) -> ErrorCode:
        if self.state is not EMPTY and self.protocol_type != CONSUMER:
            return ErrorCode.NON_EMPTY_GROUP
        return ErrorCode.NONE

    def is_subscribed(self, topic: str) -> bool:
        """Return whether a member reads the topic. Always true if the subscription is unknown."""
        if self.subscribed_topics is None:
            return self.protocol_type == CONSUMER
        return topic in self.subscribed_topics

    # Queries of the classic protocol.

    @property
    def rebalance_timeout_ms(self) -> int:
        return max(map(_rebalance_timeout_ms, self.members.values()), default=0)

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
        return count in [supported.get(protocol.name, 0) for protocol in protocols]

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

    # Changes of soft state.

    def hand_out(self, member_id: str, until_ms: int) -> None:
        """Keep an id that a client got with MEMBER_ID_REQUIRED (KIP-394), until it is used or expires."""
        self.pending[member_id] = None
        self._members().timers.set(member_id, until_ms)
        self.settle_later()

    def drop(self, pending_ids: Iterable[str]) -> None:
        """Forget ids that were handed out."""
        for member_id in pending_ids:
            del self.pending[member_id]
            self._members().timers.set(member_id, None)
        self.settle_later()

    def expire(self, pending_ids: Iterable[str]) -> None:
        """Forget ids that no client used in time. If no other member is expected, the initial delay ends."""
        self.drop(pending_ids)
        if isinstance(self.phase, InitialDelay) and self.everyone_joined():
            # As in Kafka 4.3.1. A pending id that leaves does not end the delay.
            self.phase = Joining(self.phase.until_ms)

    def add(self, member: Member, protocol_type: str) -> None:
        """Add a member that joins. The first one sets the group's protocol type."""
        assert member.member_id not in self.members, member
        assert member.instance_id not in self.static_members, member
        if not self.members:
            self.protocol_type = protocol_type
        self.pending.pop(member.member_id, None)
        self.insert(member)
        if self.leader is None:
            self.leader = member.member_id
        if isinstance(self.phase, InitialDelay):
            self.someone_joined = True
        self._disturb("member joined")
        if self.store.logger is not None:
            self.store.logger.info(
                "member joined",
                **shortened(
                    group=self.group_id,
                    member=member.member_id,
                    instance=member.instance_id,
                    client_id=member.client_id,
                ),
                host=member.client_host,
            )

    def rejoin(
        self, member: Member, request: JoinGroupRequest, rebalance_timeout_ms: int, pending: ParkedRequest
    ) -> None:
        """Park the join of a known member. An earlier one of it never gets a response, as in Kafka."""
        unchanged = member.protocols == request.protocols
        if not unchanged:
            self._change_protocols(member, request.protocols)
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = request.session_timeout_ms
        roster = self._members()
        roster.joined += member.parked_join is None
        member.parked_join = pending
        roster.timers.set(member.member_id, member.expires_at_ms)
        self._disturb("leader rejoined" if unchanged else "member changed its subscription")

    def replace(
        self,
        member: Member,
        new_id: str,
        request: JoinGroupRequest,
        rebalance_timeout_ms: int,
        pending: ParkedRequest | None,
        steady_ms: int,
    ) -> None:
        """Give a static member that returned without its id a new one. Its client id and host stay.

        Its old id stays among the ids that still have to sync. Kafka rebalances when that times out.

        pending: None if the member keeps its generation. Then it has its response, and the group has a new
        record
        """
        old_id = member.member_id
        self._take_out(member)
        member.member_id = new_id
        member.parked_join, member.parked_sync = pending, None
        member.is_new = False
        member.session_deadline_ms = steady_ms + member.session_timeout_ms
        member.protocols = request.protocols
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = request.session_timeout_ms
        self.insert(member)
        if self.leader == old_id:
            self.leader = new_id
        self.settle_later()
        if pending is not None:
            self._disturb("static member replaced")
        if self.store.logger is not None:
            self.store.logger.info(
                "static member replaced",
                **shortened(
                    group=self.group_id, instance=member.instance_id, member=new_id, old_member=old_id
                ),
            )

    def remove(self, member_ids: Collection[str], reason: str) -> None:
        """Remove members and ids that were handed out. The generation ends."""
        for member_id in member_ids:
            if member_id in self.pending:
                self.drop((member_id,))
            else:
                self._take_out(self.members[member_id])
        if self.leader is not None and self.leader not in self.members:
            self.leader = next(iter(self.members), None)
        self.settle_later()
        if self.state is not EMPTY:
            self._disturb(reason)
        self.store.log_removal(self.group_id, member_ids, reason)

    def open_rebalance(self, now: Now) -> None:
        """Wait for the members to join. A generation that was syncing loses its assignments."""
        if self.state is COMPLETING_REBALANCE:
            self._wipe_assignments(now.steady_ms)
        if self.state is EMPTY:
            delay_ms = self.store.settings.group_initial_rebalance_delay_ms
            left_ms = max(self.rebalance_timeout_ms - delay_ms, 0)
            self.phase = InitialDelay(now.steady_ms + delay_ms, delay_ms, left_ms)
        else:
            self.phase = Joining(now.steady_ms + self.rebalance_timeout_ms)
        self.disturbed = False
        self._enter(PREPARING_REBALANCE, now.wall_ms)
        if self.store.logger is not None:
            self.store.logger.info(
                "rebalance started", group=short(self.group_id), generation=self.generation,
                reason=self.rebalance_reason,
            )  # fmt: skip

    def extend_initial_delay(self, now: Now) -> None:
        """Wait for more members, because some joined during the initial delay."""
        phase = self.phase
        assert isinstance(phase, InitialDelay)
        delay_ms = min(self.store.settings.group_initial_rebalance_delay_ms, phase.left_ms)
        left_ms = max(phase.left_ms - phase.delay_ms, 0)
        self.phase = InitialDelay(now.steady_ms + delay_ms, delay_ms, left_ms)
        self.someone_joined = False

    def await_joins(self, until_ms: int) -> None:
        """Wait longer: all members are static, and none has rejoined."""
        self.phase = Joining(until_ms)

    def begin_generation(self, protocol: str, leader: str, now: Now) -> None:
        """Begin the next generation: all parked joins got their responses, and every member must sync."""
        roster = self.roster
        assert roster is not None
        self.generation += 1
        self.protocol = protocol
        self.leader = leader
        roster.joined = 0
        subscriptions = set()
        for member in self.members.values():
            member.is_new = False
            member.parked_join = None
            member.session_deadline_ms = now.steady_ms + member.session_timeout_ms
            roster.timers.set(member.member_id, member.session_deadline_ms)
            subscriptions.add(metadata_of(member.protocols, protocol))
        self.subscribed_topics = subscribed_topics(self.protocol_type, subscriptions)
        self.phase = Syncing(now.steady_ms + self.rebalance_timeout_ms, set(self.members))
        self._enter(COMPLETING_REBALANCE, now.wall_ms)
        if self.store.logger is not None:
            self.store.logger.info(
                "group rebalanced", group=short(self.group_id), generation=self.generation,
                members=len(self.members), reason=self.rebalance_reason,
            )  # fmt: skip

    def become_empty(self, wall_ms: int) -> None:
        """End a rebalance that has no members."""
        assert not self.members
        self.generation += 1
        self.protocol = None
        self.subscribed_topics = subscribed_topics(self.protocol_type, ())
        self.phase = None
        self._enter(EMPTY, wall_ms)
        if self.store.logger is not None:
            self.store.logger.info(
                "group emptied", group=short(self.group_id), generation=self.generation,
                reason=self.rebalance_reason,
            )  # fmt: skip

    def park_sync(self, member: Member, pending: ParkedRequest) -> None:
        """Park the sync of a member, which waits for its assignment."""
        member.parked_sync = pending
        self._members().timers.set(member.member_id, member.expires_at_ms)
        self.synced(member)

    def synced(self, member: Member) -> None:
        """Stop waiting for the member's SyncGroup. The last one ends the sync phase, as in Kafka."""
        if isinstance(self.phase, Syncing):
            self.phase.missing.discard(member.member_id)
            if not self.phase.missing:
                self.phase = None

    def assign(self, leader: Member, assignments: Mapping[str, bytes], now: Now) -> None:
        """Make the group Stable with the leader's assignments, one for each member."""
        timers = self._members().timers
        for member in self.members.values():
            member.assignment = assignments[member.member_id]
            if member.parked_sync is not None or member is leader:
                member.parked_sync = None
                member.session_deadline_ms = now.steady_ms + member.session_timeout_ms
                timers.set(member.member_id, member.session_deadline_ms)
        self.synced(leader)
        self._enter(STABLE, now.wall_ms)
        self.settle_later()

    def refuse_assignment(self, now: Now) -> None:
        """Request a rebalance: the assignments could not be written, and all parked syncs got the error."""
        self._wipe_assignments(now.steady_ms)
        self._disturb("assignment could not be written")

    def refuse_parked(self, steady_ms: int) -> None:
        """Forget all parked requests: they got an error, because a consumer tried to join."""
        self._members().joined = 0
        for member in self.members.values():
            if member.parked_join is not None or member.parked_sync is not None:
                member.parked_join = member.parked_sync = None
                self.heard(member, steady_ms + member.session_timeout_ms)
        self.settle_later()

    def heard(self, member: Member, until_ms: int) -> None:
        """Set the end of a member's session (steady ms), because the member has sent a request."""
        if until_ms < member.session_deadline_ms:
            self.settle_later()  # a new member's five minutes shrink to its session: arm again
        member.session_deadline_ms = until_ms
        if member.is_new or (member.parked_join is None and member.parked_sync is None):
            assert self.roster is not None  # not _members(): a call less in each heartbeat and commit
            self.roster.timers.set(member.member_id, until_ms)

    def start_sessions(self, now: Now) -> None:
        """Give every member a full session. Rebalance if `group.max.size` is below the number of members."""
        for member in self.members.values():
            self.heard(member, now.steady_ms + member.session_timeout_ms)
        if self.members:
            self.settle_later()
        if len(self.members) > self.store.settings.group_max_size:
            self._disturb("group.max.size exceeded")

    def downgraded(self, protocols: Mapping[str, Protocols], now: Now, reason: str) -> None:
        """Complete a group that was a consumer group. Its record holds only one protocol of each member.

        protocols  of every member, by its id
        reason     why the group rebalances now; "": it does not
        """
        for member in self.members.values():
            self._change_protocols(member, protocols[member.member_id])
        self.start_sessions(now)
        if reason:
            self._disturb(reason)

    def insert(self, member: Member) -> None:
        """Add a member to those of the group. For changes, and for the load of a group."""
        self.members[member.member_id] = member
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.member_id
        roster = self._members()
        roster.joined += member.parked_join is not None
        for name in set(map(name_of, member.protocols)):
            roster.supported[name] = roster.supported.get(name, 0) + 1
        roster.timers.set(member.member_id, member.expires_at_ms)

    def settle_later(self) -> None:
        """Settle the group before the next request: something may follow from what has happened to it.

        Changes that `settle` decides need no call: it continues until nothing follows.
        """
        self.store.marked.add(self.group_id)

    def _take_out(self, member: Member) -> None:
        del self.members[member.member_id]
        if member.instance_id is not None:
            del self.static_members[member.instance_id]
        roster = self._members()
        roster.joined -= member.parked_join is not None
        _forget_protocols(roster, member)
        roster.timers.set(member.member_id, None)

    def _change_protocols(self, member: Member, protocols: Protocols) -> None:
        roster = self._members()
        _forget_protocols(roster, member)
        member.protocols = protocols
        for name in set(map(name_of, protocols)):
            roster.supported[name] = roster.supported.get(name, 0) + 1

    def _wipe_assignments(self, steady_ms: int) -> None:
        """Drop the assignments. A member whose parked sync got its response gets a full session."""
        for member in self.members.values():
            member.assignment = b""
            if member.parked_sync is not None:
                member.parked_sync = None
                self.heard(member, steady_ms + member.session_timeout_ms)

    def _disturb(self, reason: str) -> None:
        """Request a rebalance, unless one is open: that one keeps its reason."""
        self.settle_later()
        if self.state is not PREPARING_REBALANCE:
            self.disturbed = True
            self.rebalance_reason = reason

    def _enter(self, state: ClassicGroupState, wall_ms: int) -> None:
        assert state in ALLOWED[self.state], f"{self.group_id}: {self.state} -> {state}"
        self.state = state
        self.state_since_ms = wall_ms
        self.due_bound_ms = DUE_UNKNOWN

    def _members(self) -> Roster:
        if self.roster is None:
            self.roster = Roster()
        return self.roster


def _forget_protocols(roster: Roster, member: Member) -> None:
    supported = roster.supported
    for name in set(map(name_of, member.protocols)):
        supported[name] -= 1
        if not supported[name]:
            del supported[name]


def group_record(group_id: str, value: GroupMetadataValue | None) -> Record:
    """Return the record of a group. value: None for the tombstone."""
    return Record(GroupMetadataKey(group_id), value)


def empty_record(group_id: str, protocol_type: str | None, generation: int, wall_ms: int) -> Record:
    """Return the record of an Empty group."""
    value = GroupMetadataValue(protocol_type or "", generation, None, None, wall_ms, [])
    return Record(GroupMetadataKey(group_id), value)


def project(group: ClassicModel, assignments: Mapping[str, bytes] | None = None) -> GroupMetadataValue:
    """Return the value of the group's record. assignments: those that will replace the current ones."""
    return GroupMetadataValue(
        group.protocol_type or "",
        group.generation,
        group.protocol,
        group.leader,
        NO_TIMESTAMP if group.state_since_ms is None else group.state_since_ms,
        [
            MemberMetadata(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                member.rebalance_timeout_ms,
                member.session_timeout_ms,
                member.metadata(group.protocol),
                member.assignment if assignments is None else assignments[member.member_id],
            )
            for member in group.members.values()
        ],
    )


def load(group: ClassicModel, value: GroupMetadataValue) -> None:
    """Fill a new group from its record. It is Stable if it has members, else Empty."""
    since_ms = value.current_state_timestamp
    group.state_since_ms = None if since_ms == NO_TIMESTAMP else since_ms
    group.state = STABLE if value.members else EMPTY
    group.generation = value.generation
    group.protocol_type = value.protocol_type or None
    group.protocol = value.protocol
    group.leader = value.leader
    subscriptions = set()
    for stored in value.members:
        subscriptions.add(stored.subscription)
        group.insert(
            Member(
                stored.member_id,
                stored.group_instance_id,
                stored.client_id,
                stored.client_host,
                stored.session_timeout if stored.rebalance_timeout == -1 else stored.rebalance_timeout,
                stored.session_timeout,
                [JoinGroupRequestProtocol(value.protocol or "", stored.subscription)],
                stored.assignment,
            )
        )
    group.subscribed_topics = subscribed_topics(group.protocol_type, subscriptions)
    group.stored = value
