"""A classic group as the rest of the coordinator sees it: its data, and the decisions about it.

`settle` decides about changes without a request. Timers are plain deadlines in the group, and the group is
armed for the earliest. A heartbeat that moves a member's deadline leaves the group armed too early, which
costs one idle call.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import NOTHING_DUE, Context, Now
from tidemark.core.decision import NOTHING, After, ClassicGroupRebalanced, Decision, Record, Released
from tidemark.core.java import map_order
from tidemark.groups.classic.model import (
    COMPLETING_REBALANCE,
    DEAD,
    EMPTY,
    NEW_MEMBER_JOIN_TIMEOUT_MS,
    PREPARING_REBALANCE,
    STABLE,
    ClassicModel,
    InitialDelay,
    Joining,
    Member,
    Protocols,
    empty_record,
    group_record,
    metadata_of,
    name_of,
    project,
    protocols_of,
)
from tidemark.groups.classic.responses import (
    NO_MEMBER_ID,
    join_error,
    join_response,
    members_for_leader,
    refused,
    refused_syncs,
    sync_response,
)
from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.heartbeat import HeartbeatResponse
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from tidemark_protocol.wire import TEXT_MAX

if TYPE_CHECKING:
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark.groups.store import GroupStore
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest

# The responses to heartbeats, each with its encoded bytes by version.
_STAY: Final[tuple[HeartbeatResponse, dict[int, bytes]]] = (HeartbeatResponse(error_code=ErrorCode.NONE), {})
_REJOIN: Final[tuple[HeartbeatResponse, dict[int, bytes]]] = (
    HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS),
    {},
)
EXPIRED_MAX: Final = 1_000  # members or pending ids that one step removes: 3 ms


@dataclass(slots=True, eq=False)
class ClassicGroup(ClassicModel):
    # JoinGroup, SyncGroup, Heartbeat, LeaveGroup.

    def join(self, ctx: Context, request: JoinGroupRequest) -> Decision[JoinGroupResponse]:
        """Decide a JoinGroup. Most members are parked until settle responds to all of them.

        Kafka: GroupMetadataManager.classicGroupJoinToClassicGroup.
        """
        version, member_id, instance_id = ctx.version, request.member_id, request.group_instance_id
        if not self._has_room(member_id):
            full = join_error(version, ErrorCode.GROUP_MAX_SIZE_REACHED)
            if member_id in self.members:
                return Decision(full, after=(partial(self.remove, (member_id,), "group.max.size exceeded"),))
            if member_id in self.pending:
                return Decision(full, after=(partial(self.drop, (member_id,)),))
            return Decision(full)
        if self.state is DEAD:
            return Decision(join_error(version, ErrorCode.COORDINATOR_NOT_AVAILABLE, member_id))
        if not self.supports(request.protocol_type, request.protocols):
            return Decision(join_error(version, ErrorCode.INCONSISTENT_GROUP_PROTOCOL, member_id))
        new_id = NO_MEMBER_ID
        if member_id == NO_MEMBER_ID:
            new_id = f"{ctx.client_id if instance_id is None else instance_id}-{ctx.new_id()}"
        protocol_names = map(name_of, request.protocols)
        if not all_fit(new_id, ctx.client_id, instance_id, request.protocol_type, *protocol_names):
            return Decision(join_error(version, ErrorCode.UNKNOWN_SERVER_ERROR))
        if member_id == NO_MEMBER_ID:
            if instance_id is not None and instance_id in self.static_members:
                return self._replace(ctx, request, self.members[self.static_members[instance_id]], new_id)
            if instance_id is None and version >= 4:
                until_ms = ctx.steady_ms + request.session_timeout_ms
                response = join_error(version, ErrorCode.MEMBER_ID_REQUIRED, new_id)
                hand_out = partial(self.store.change, self.group_id, ClassicModel.hand_out, new_id, until_ms)
                return Decision(response, after=(hand_out,))
            return self._add(ctx, request, new_id)
        if member_id in self.pending:
            if instance_id is not None:  # only dynamic members get a pending id; Kafka throws
                return Decision(join_error(version, ErrorCode.UNKNOWN_SERVER_ERROR))
            return self._add(ctx, request, member_id)
        try:
            member = self.validate_member(member_id, instance_id)
        except KafkaError as error:
            return Decision(join_error(version, error.code, member_id))
        if self.state is EMPTY:
            return Decision(join_error(version, ErrorCode.UNKNOWN_MEMBER_ID, member_id))
        if member.protocols == request.protocols:
            if self.state is COMPLETING_REBALANCE:  # the first response may have been lost
                is_leader = member_id == self.leader
                return Decision(self._generation_for(version, member_id, lists_members=is_leader))
            if self.state is STABLE and member_id != self.leader:
                # A leader may rejoin without any change, to have partitions assigned again.
                return Decision(self._generation_for(version, member_id))
        assert ctx.pending is not None
        timeout_ms = rebalance_timeout_ms(version, request)
        return Decision(after=(partial(self.rejoin, member, request, timeout_ms, ctx.pending),))

    def _has_room(self, member_id: str) -> bool:
        """Return whether the group has room. During a rebalance members with a parked join count, else all.

        Kafka: GroupMetadataManager.acceptJoiningMember.
        """
        max_size = self.store.settings.group_max_size
        if self.state is PREPARING_REBALANCE:
            member = self.members.get(member_id)
            return (member is not None and member.parked_join is not None) or self.joined < max_size
        if self.state is COMPLETING_REBALANCE or self.state is STABLE:
            return member_id in self.members or len(self.members) < max_size
        return True

    def _add(self, ctx: Context, request: JoinGroupRequest, member_id: str) -> Decision[JoinGroupResponse]:
        member = Member(
            member_id,
            request.group_instance_id,
            ctx.client_id,
            ctx.caller.client_host,
            rebalance_timeout_ms(ctx.version, request),
            request.session_timeout_ms,
            request.protocols,
            parked_join=ctx.pending,
            is_new=True,
            session_deadline_ms=ctx.steady_ms + NEW_MEMBER_JOIN_TIMEOUT_MS,
        )
        add = partial(self.store.change, self.group_id, ClassicModel.add, member, request.protocol_type)
        return Decision(after=(add,))

    def _replace(
        self, ctx: Context, request: JoinGroupRequest, old: Member, new_id: str
    ) -> Decision[JoinGroupResponse]:
        """Replace a static member that has restarted. Its old id is fenced.

        It keeps the generation if the group is Stable and would elect the same protocol. The response before
        v9 names the old id as leader, so that the leader assigns nothing.
        """
        released = refused((old,), ErrorCode.FENCED_INSTANCE_ID, names_member=True)
        timeout_ms = rebalance_timeout_ms(ctx.version, request)
        replace = partial(self.replace, old, new_id, request, timeout_ms)
        others = [each.protocols for each in self.members.values() if each is not old]
        if self.state is not STABLE or vote([*others, request.protocols]) != self.protocol:
            return Decision(released=released, after=(partial(replace, ctx.pending, ctx.steady_ms),))
        if ctx.version < 9 or self.leader != old.member_id:
            response = self._generation_for(ctx.version, new_id)
        else:
            response = self._generation_for(ctx.version, new_id, lists_members=True)
            response.leader = new_id
            response.skip_assignment = True
            for each in response.members:
                if each.member_id == old.member_id:
                    each.member_id = new_id
                    each.metadata = metadata_of(request.protocols, self.protocol)
        value = project(self)
        if value.leader == old.member_id:
            value.leader = new_id
        (stored,) = [each for each in value.members if each.member_id == old.member_id]
        value.members.remove(stored)
        value.members.append(stored)  # `replace` adds it last
        stored.member_id = new_id
        stored.rebalance_timeout = timeout_ms
        stored.session_timeout = request.session_timeout_ms
        stored.subscription = metadata_of(request.protocols, self.protocol)
        return Decision(
            response,
            records=(group_record(self.group_id, value),),
            released=released,
            after=(partial(replace, None, ctx.steady_ms),),
        )

    def _generation_for(
        self, version: int, member_id: str, *, lists_members: bool = False
    ) -> JoinGroupResponse:
        """Return the response to a join that changes nothing: it has the current generation."""
        members = members_for_leader(self, self.protocol) if lists_members else None
        return join_response(
            version, member_id, self.generation, self.protocol_type, self.protocol, self.leader or "", members
        )

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
            return Decision(sync_response(self, member.assignment), after=(partial(self.synced, member),))
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)

    def _assign(self, ctx: Context, leader: Member, request: SyncGroupRequest) -> Decision[SyncGroupResponse]:
        """Accept the leader's assignments. A member that the leader left out gets an empty one."""
        sent = {each.member_id: each.assignment for each in request.assignments}
        assignments = {member_id: sent.get(member_id, b"") for member_id in self.members}
        released = [
            Released(member.parked_sync, sync_response(self, assignments[member_id]))
            for member_id, member in self.members.items()
            if member.parked_sync is not None
        ]
        return Decision(
            sync_response(self, assignments[leader.member_id]),
            records=(group_record(self.group_id, project(self, assignments)),),
            released=tuple(released),
            after=(partial(self.assign, leader, assignments, ctx.now),),
        )

    def unwritten(self, code: ErrorCode, now: Now) -> Decision[None]:
        """Respond to parked syncs that the leader's assignments could not be written."""
        if self.state is not COMPLETING_REBALANCE:
            return NOTHING
        released = refused_syncs(self.members.values(), code)
        return Decision(released=released, after=(partial(self.refuse_assignment, now),))

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

    def removal(self, now: Now, member_ids: Collection[str]) -> Decision[Any]:
        known = [each for each in member_ids if each in self.members or each in self.pending]
        return self._removed(known, "member left") if known else Decision()

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
            released = refused_syncs(self.members.values(), ErrorCode.REBALANCE_IN_PROGRESS)
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
            listed = members_for_leader(self, protocol) if member_id == leader else None
            response = join_response(
                pending.version, member_id, generation, protocol_type, protocol, leader, listed
            )
            released.append(Released(pending, response))
        rebalanced = ClassicGroupRebalanced(self.group_id, generation, len(members), self.rebalance_reason)
        return Decision(
            released=tuple(released),
            effects=(rebalanced,),
            after=(partial(self.begin_generation, protocol, leader, now),),
        )


def create_by_join(
    store: GroupStore, ctx: Context, request: JoinGroupRequest, before: tuple[Record, ...] = ()
) -> Decision[Any]:
    """Create a group for a member without an id. Kafka creates it even if it then refuses the join.

    before: records that must precede those of the group
    """
    partition = store.partition_for(request.group_id)
    joined = ClassicGroup(request.group_id, partition, ctx.wall_ms, store=store).join(ctx, request)
    joined.records = (*before, empty_record(request.group_id, None, 0, ctx.wall_ms))
    return joined


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
