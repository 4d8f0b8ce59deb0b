"""A classic group: its members, its states, its record, and the decisions about it.

A decision changes nothing. The engine calls the changes of soft state once its records are written and
replayed (`Decision.after`). Nothing else changes a group, except the load of its record. The record holds the
metadata of the selected protocol only. A rebalance in progress is not recorded.

`settle` decides about changes without a request. Timers are plain deadlines in the group, and the group is
armed for the earliest. A heartbeat that moves a member's deadline leaves the group armed too early, which
costs one idle call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import NOTHING_DUE, Context, Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import (
    NOTHING,
    After,
    ClassicGroupRebalanced,
    Decision,
    ParkedRequest,
    Record,
    Released,
)
from tidemark.core.log_text import short, shortened
from tidemark.groups.classic.joining import join
from tidemark.groups.classic.member import (
    COMPLETING_REBALANCE,
    DEAD,
    EMPTY,
    NO_MEMBER_ID,
    PREPARING_REBALANCE,
    STABLE,
    ClassicGroupState,
    Member,
    Protocols,
    empty_record,
    group_record,
    join_response,
    metadata_of,
    name_of,
    protocols_of,
    refused,
    sync_error,
    vote,
)
from tidemark.groups.group import DUE_UNKNOWN, Group, MemberFacts, why_left
from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.heartbeat import HeartbeatResponse
from tidemark_protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
    JoinGroupResponseMember,
)
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from tidemark_protocol.records.group_metadata import GroupMetadataValue, MemberMetadata
from tidemark_protocol.subscriptions import CONSUMER, subscribed_topics

if TYPE_CHECKING:
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark.groups.state import Groups
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest

NO_TIMESTAMP: Final = -1
EXPIRED_MAX: Final = 1_000  # members or pending ids that one step removes: 3 ms

# The responses to heartbeats, each with its encoded bytes by version.
_STAY: Final[tuple[HeartbeatResponse, dict[int, bytes]]] = (HeartbeatResponse(error_code=ErrorCode.NONE), {})
_REJOIN: Final[tuple[HeartbeatResponse, dict[int, bytes]]] = (
    HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS),
    {},
)

_rebalance_timeout_ms: Final = attrgetter("rebalance_timeout_ms")


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
class ClassicGroup(Group):
    """A classic group, managed or simple.

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
    store: Groups = field(kw_only=True)

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
                assignment=member.assignment if self.protocol_type == CONSUMER else None,
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

    def members_for_leader(self, protocol: str | None) -> list[JoinGroupResponseMember]:
        """Return the members as the leader's JoinGroup response lists them."""
        listed = []
        for member in self.members.values():
            metadata = metadata_of(member.protocols, protocol)
            listed.append(JoinGroupResponseMember(member.member_id, member.instance_id, metadata))
        return listed

    # Its record.

    def project(self, assignments: Mapping[str, bytes] | None = None) -> GroupMetadataValue:
        """Return the value of the group's record. assignments: those that will replace the current ones."""
        return GroupMetadataValue(
            self.protocol_type or "",
            self.generation,
            self.protocol,
            self.leader,
            NO_TIMESTAMP if self.state_since_ms is None else self.state_since_ms,
            [
                MemberMetadata(
                    member.member_id,
                    member.instance_id,
                    member.client_id,
                    member.client_host,
                    member.rebalance_timeout_ms,
                    member.session_timeout_ms,
                    member.metadata(self.protocol),
                    member.assignment if assignments is None else assignments[member.member_id],
                )
                for member in self.members.values()
            ],
        )

    def load(self, value: GroupMetadataValue) -> None:
        """Fill a new group from its record. It is Stable if it has members, else Empty."""
        since_ms = value.current_state_timestamp
        self.state_since_ms = None if since_ms == NO_TIMESTAMP else since_ms
        self.state = STABLE if value.members else EMPTY
        self.generation = value.generation
        self.protocol_type = value.protocol_type or None
        self.protocol = value.protocol
        self.leader = value.leader
        subscriptions = set()
        for stored in value.members:
            subscriptions.add(stored.subscription)
            self.insert(
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
        self.subscribed_topics = subscribed_topics(self.protocol_type, subscriptions)
        self.stored = value

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

    # SyncGroup, Heartbeat, LeaveGroup. `joining.py` decides about a JoinGroup.

    def join(self, ctx: Context, request: JoinGroupRequest) -> Decision[JoinGroupResponse]:
        return join(self, ctx, request)

    def sync(self, ctx: Context, request: SyncGroupRequest) -> Decision[SyncGroupResponse]:
        """Decide a SyncGroup. It is parked until the leader sends the assignments. Raises KafkaError."""
        if self.state is DEAD:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        member = self.validate_member(request.member_id, request.group_instance_id)
        self.validate_generation(request.generation_id)
        for given, ours in (
            (request.protocol_type, self.protocol_type),
            (request.protocol_name, self.protocol),
        ):
            if given is not None and ours is not None and given != ours:
                raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if self.state is PREPARING_REBALANCE:
            raise KafkaError(ErrorCode.REBALANCE_IN_PROGRESS)
        if self.state is COMPLETING_REBALANCE:
            if member.member_id == self.leader:
                return self._assign(ctx, member, request)
            assert ctx.pending is not None
            return Decision(after=(partial(self.park_sync, member, ctx.pending),))
        if self.state is STABLE:
            # Assignments are ignored now, also those of the leader, as in Kafka.
            return Decision(self._sync_response(member.assignment), after=(partial(self.synced, member),))
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)

    def _assign(self, ctx: Context, leader: Member, request: SyncGroupRequest) -> Decision[SyncGroupResponse]:
        """Accept the leader's assignments. A member that the leader left out gets an empty one."""
        sent = {each.member_id: each.assignment for each in request.assignments}
        assignments = {member_id: sent.get(member_id, b"") for member_id in self.members}
        released = [
            Released(member.parked_sync, self._sync_response(assignments[member_id]))
            for member_id, member in self.members.items()
            if member.parked_sync is not None
        ]
        return Decision(
            self._sync_response(assignments[leader.member_id]),
            records=(group_record(self.group_id, self.project(assignments)),),
            released=tuple(released),
            after=(partial(self.assign, leader, assignments, ctx.now),),
        )

    def _sync_response(self, assignment: bytes) -> SyncGroupResponse:
        return SyncGroupResponse(
            error_code=ErrorCode.NONE,
            protocol_type=self.protocol_type,
            protocol_name=self.protocol,
            assignment=assignment,
        )

    def _refused_syncs(self, code: ErrorCode) -> tuple[Released, ...]:
        """Respond to all parked syncs with an error."""
        released = []
        for member in self.members.values():
            if member.parked_sync is not None:
                released.append(Released(member.parked_sync, sync_error(code)))  # noqa: PERF401 a frame less
        return tuple(released)

    def unwritten(self, code: ErrorCode, now: Now) -> Decision[None]:
        """Respond to parked syncs that the leader's assignments could not be written."""
        if self.state is not COMPLETING_REBALANCE:
            return NOTHING
        released = self._refused_syncs(code)
        return Decision(released=released, after=(partial(self.refuse_assignment, now),))

    def coordinator_moved(self, now: Now) -> Decision[None]:
        """Refuse parked requests, and forget the rebalance. Kafka: GroupMetadataManager.onUnloaded."""
        released = refused(self.members.values(), ErrorCode.NOT_COORDINATOR, names_member=True)
        return Decision(released=released, after=(partial(self._reload, now),))

    def _reload(self, now: Now) -> None:
        """Put a group in the place of this one that is as its record says."""
        fresh = ClassicGroup(self.group_id, self.partition, self.state_since_ms, store=self.store)
        if self.stored is not None:
            fresh.load(self.stored)
        fresh.due_bound_ms = self.due_bound_ms
        self.store.groups[self.group_id] = fresh
        self.store.deadlines.set(self.group_id, None)
        fresh.start_sessions(now)

    def heartbeat(
        self, member_id: str, instance_id: str | None, generation: int, steady_ms: int
    ) -> Decision[HeartbeatResponse]:
        if self.state is DEAD:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        member = self.validate_member(member_id, instance_id)
        self.validate_generation(generation)
        response, bodies = _REJOIN if self.state is PREPARING_REBALANCE else _STAY
        after = (partial(self.heard, member, steady_ms + member.session_timeout_ms),)
        return Decision(response, bodies=bodies, after=after)

    def leaver(self, member_id: str, instance_id: str | None, left: Collection[str | None]) -> str:
        """Return the id to remove: of a member, or one that was only handed out. Raises KafkaError.

        left: ids that the request has named before. They and their instances count as unknown.
        """
        if self.state is DEAD:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        if member_id in left:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if member_id in self.pending:
            return member_id
        current = None if instance_id is None else self.static_members.get(instance_id)
        if current in left:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if member_id != NO_MEMBER_ID:
            return self.validate_member(member_id, instance_id).member_id
        if current is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        return current

    def removal(self, now: Now, left: Mapping[str, str | None]) -> Decision[Any]:
        known = [each for each in left if each in self.members or each in self.pending]
        return self._removed(known, why_left(left[each] for each in known)) if known else Decision()

    def _removed(self, member_ids: Sequence[str], reason: str) -> Decision[Any]:
        members = [self.members[member_id] for member_id in member_ids if member_id in self.members]
        return Decision(
            released=refused(members, ErrorCode.UNKNOWN_MEMBER_ID, names_member=False),
            after=(partial(self.remove, member_ids, reason),),
        )

    # Commits of offsets.

    def check_commit(self, ctx: Context, request: OffsetCommitRequest, commits: Commits) -> After:
        state = self.state
        epoch = request.generation_id_or_member_epoch
        if epoch < 0 and state is EMPTY:  # the client is no member, so its ids do not count
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
        self, version: int, request: TxnOffsetCommitRequest, commits: TransactionalCommits
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

    def tombstones(self) -> tuple[Record, ...]:
        return (group_record(self.group_id, None),)

    # Changes without a request.

    def settle(self, now: Now) -> Decision[None] | int | None:
        """Return the next step, or else the next deadline. A passed deadline is one of the causes."""
        if now.due_ms != NOTHING_DUE and self.roster is not None:
            expired = self.roster.timers.peek_due(now.due_ms, EXPIRED_MAX)
            if expired:
                pending = [member_id for member_id in expired if member_id in self.pending]
                if pending:  # first, because no member is affected by them
                    return Decision(after=(partial(self.expire, pending),))
                return self._removed(expired, "session expired")
        if self.disturbed:  # members with a parked sync of this generation must join the next one
            released = self._refused_syncs(ErrorCode.REBALANCE_IN_PROGRESS)
            return Decision(released=released, after=(partial(self.open_rebalance, now),))
        phase = self.phase
        if phase is not None:
            is_over = now.due_ms >= phase.until_ms
            if isinstance(phase, InitialDelay):
                if is_over and self.someone_joined and phase.left_ms:
                    return Decision(after=(partial(self.extend_initial_delay, now),))
                if is_over:
                    return self._complete_join(now)
            elif isinstance(phase, Joining):
                # If the last member has left while an id was pending, the rebalance timeout is 0. Kafka
                # handles the expiry before it responds to that LeaveGroup.
                is_abandoned = not self.members and now.steady_ms >= phase.until_ms
                if is_over or is_abandoned or self.everyone_joined():
                    return self._complete_join(now)
            elif is_over:
                late = sorted(phase.missing & self.members.keys())  # without ids that were replaced
                return self._removed(late, "no SyncGroup within the rebalance timeout")
        first_ms = None if self.roster is None else self.roster.timers.next()
        if phase is None:
            return first_ms
        return phase.until_ms if first_ms is None else min(phase.until_ms, first_ms)

    def _complete_join(self, now: Now) -> Decision[None]:
        """End the join phase. Members that have not rejoined are removed unless they are static.

        Those that have get their responses, and the next generation begins. The leader's response lists the
        members.
        """
        members = self.members
        joined, late = {}, []
        for member_id, member in members.items():
            if member.parked_join is not None:
                joined[member_id] = member.parked_join
            elif member.instance_id is None:
                late.append(member_id)
        if late:
            return self._removed(late, "no JoinGroup within the rebalance timeout")
        if not members:
            record = empty_record(self.group_id, self.protocol_type, self.generation + 1, now.wall_ms)
            return Decision(records=(record,), after=(partial(self.become_empty, now.wall_ms),))
        if not joined:  # all are static: they get the rebalance timeout once more
            # Never wait for 0 ms: with a rebalance timeout of 0, settle would postpone without end.
            until_ms = now.steady_ms + max(self.rebalance_timeout_ms, 1)
            return Decision(after=(partial(self.await_joins, until_ms),))
        leader = self.leader if self.leader in joined else next(iter(joined))
        generation, protocol_type = self.generation + 1, self.protocol_type
        protocol = vote([*map(protocols_of, members.values())])
        released = []
        for member_id, pending in joined.items():
            listed = self.members_for_leader(protocol) if member_id == leader else None
            response = join_response(
                pending.api_version, member_id, generation, protocol_type, protocol, leader, listed
            )
            released.append(Released(pending, response))
        rebalanced = ClassicGroupRebalanced(self.group_id, generation, len(members), self.rebalance_reason)
        return Decision(
            released=tuple(released),
            effects=(rebalanced,),
            after=(partial(self.begin_generation, protocol, leader, now),),
        )


def _forget_protocols(roster: Roster, member: Member) -> None:
    supported = roster.supported
    for name in set(map(name_of, member.protocols)):
        supported[name] -= 1
        if not supported[name]:
            del supported[name]
