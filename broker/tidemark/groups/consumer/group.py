"""A KIP-848 group: its data, queries about it, the decisions about it, and the changes of its soft state.

Only the functions of replay.py change the rest. Counts over all members are kept up to date, so that no
heartbeat looks at all members or topics. `Heartbeat` and `ClassicJoin` decide about one request of a member.

When only classic members stay, the group becomes classic again. This is one decision: its records delete the
consumer group and create the classic one. The generation goes on from the epoch. heartbeat.py has the other
way. Kafka: GroupMetadataManager.convertToClassicGroup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Context, Now
from tidemark.core.decision import (
    After,
    ConsumerGroupRebalances,
    Decision,
    Record,
    ResolveRegularExpressions,
    Steps,
)
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.member import (
    NO_MEMBER_ID,
    Protocols,
    group_record,
    join_error,
    metadata_of,
    vote,
)
from tidemark.groups.consumer.assignors.spec import Assignment, is_same
from tidemark.groups.consumer.classic_join import ClassicJoin
from tidemark.groups.consumer.member import (
    NEVER,
    NOT_RESOLVED,
    STABLE,
    UNRELEASED,
    UNREVOKED,
    ConsumerMember,
    MemberTimer,
    OversizedMatches,
    Partitions,
    ResolvedRegex,
    assignment_bytes,
    count,
    in_kafkas_order,
    preferred_assignor,
)
from tidemark.groups.consumer.records import (
    current_tombstone,
    epoch_record,
    member_tombstone,
    partition_metadata_tombstone,
    regex_tombstone,
    removal_records,
    target_epoch_record,
    target_record,
    target_tombstone,
)
from tidemark.groups.consumer.regexes import check_expression
from tidemark.groups.consumer.subscriptions import GroupTopics, RegexChange
from tidemark.groups.group import (
    FIRST_GROUP_EPOCH,
    TXN_GROUP_ERRORS_FROM,
    EpochGroup,
    MemberFacts,
    had_since,
    names_member,
    why_left,
)
from tidemark.metadata.model import CREATION_UNKNOWN
from tidemark.settings.release import Change
from tidemark_expiry.sentences import moment, shown
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.heartbeat import HeartbeatResponse
from tidemark_protocol.messages.join_group import JoinGroupRequest
from tidemark_protocol.messages.sync_group import SyncGroupResponse
from tidemark_protocol.records.consumer_group_member_metadata import ClassicMemberMetadata
from tidemark_protocol.records.consumer_group_metadata import ConsumerGroupMetadataKey
from tidemark_protocol.records.consumer_group_target_assignment_metadata import (
    ConsumerGroupTargetAssignmentMetadataKey,
)
from tidemark_protocol.records.group_metadata import GroupMetadataValue, MemberMetadata
from tidemark_protocol.subscriptions import CONSUMER, version_of
from tidemark_protocol.wire import WireError

if TYPE_CHECKING:
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark.groups.state import Groups
    from tidemark.metadata.model import Topic
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.sync_group import SyncGroupRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest

# Values of group.consumer.migration.policy.
DOWNGRADES: Final = ("bidirectional", "downgrade")

MEMBER_EPOCHS_FROM: Final = 9  # the first version of OffsetCommit with member epochs
REFRESH_MS: Final = 600_000  # regular expressions are resolved again, at the latest
REFRESH_MS_MIN: Final = 10_000  # between two resolutions of a group; a constant in Kafka, too
MEMBERS_MAX: Final = 5  # in one sentence
NO_TIME: Final = 0  # of the target of an empty group
PARTITIONS_MAX: Final = 5  # of one member in a sentence

_STATES: Final = {
    STABLE: "stable",
    UNREVOKED: "unrevoked_partitions",
    UNRELEASED: "unreleased_partitions",
}

TopicName = Callable[[bytes], str]


class ConsumerGroupState(StrEnum):
    """The states of a KIP-848 group. The value is the name on the wire."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


@dataclass(slots=True, eq=False)
class ConsumerGroup(EpochGroup):
    """A group of the consumer protocol (KIP-848).

    state and subscribed_topics are valid once the group's partition is loaded (`complete`).

    created_ms                     wall time of the first epoch record; CREATION_UNKNOWN in older records
    targets                        target assignments by member id; static members keep theirs while away
    regexes                        what regular expressions matched last
    has_partition_metadata         a record of Kafka before 4.0 is left, which the next write deletes

    by_name, by_regex              topic -> how many members, or regular expressions, subscribe to it
    regex_members                  regular expression -> how many members use it
    votes                          assignor -> how many members request it
    classic_protocols              protocol -> how many classic members support it
    owners                         topic id -> partition -> epoch of the member that owns it
    unreconciled                   how many members do not have their target
    latest_names                   the topics that the member names whose record was replayed last

    metadata_seen                  the version of the cluster's topics for which hash_seen was compared
    hash_seen                      metadata_hash, without the topics of an expression that was dropped since
    resolving                      regular expressions are being resolved
    oversized                      set if the last resolution had no result
    """

    state: ConsumerGroupState = ConsumerGroupState.EMPTY
    created_ms: int = CREATION_UNKNOWN
    members: dict[str, ConsumerMember] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    targets: dict[str, Partitions] = field(default_factory=dict)
    regexes: dict[str, ResolvedRegex] = field(default_factory=dict)
    has_partition_metadata: bool = False

    by_name: dict[str, int] = field(default_factory=dict)
    by_regex: dict[str, int] = field(default_factory=dict)
    regex_members: dict[str, int] = field(default_factory=dict)
    votes: dict[str, int] = field(default_factory=dict)
    classic_members: int = 0
    classic_protocols: dict[str, int] = field(default_factory=dict)
    owners: dict[bytes, dict[int, int]] = field(default_factory=dict)
    unreconciled: int = 0
    latest_names: frozenset[str] = frozenset()
    is_loading: bool = False

    hash_seen: int = 0
    resolving: bool = False
    oversized: OversizedMatches | None = None

    @property
    def type_name(self) -> str:
        return CONSUMER

    @property
    def state_name(self) -> str:
        return self.state.value

    @property
    def is_empty(self) -> bool:
        return self.state is ConsumerGroupState.EMPTY

    @property
    def protocol_name(self) -> str | None:
        return self.assignor

    @property
    def assignor(self) -> str:
        """The assignor that most members request, or else the broker's first one."""
        return preferred_assignor(self.votes) or self.store.settings.assignors[0]

    def assignor_after(self, before: ConsumerMember, after: ConsumerMember) -> str:
        """Return the assignor once a member changes. before: a new ConsumerMember for one that joins."""
        votes = dict(self.votes)
        for member, by in ((before, -1), (after, 1)):
            if member.assignor is not None:
                count(votes, member.assignor, by)
        return preferred_assignor(votes) or self.store.settings.assignors[0]

    @property
    def member_ids(self) -> Collection[str]:
        return self.members

    def is_subscribed(self, topic: str) -> bool:
        return self.subscribed_topics is not None and topic in self.subscribed_topics

    def next_created_ms(self, wall_ms: int = CREATION_UNKNOWN) -> int:
        """Return the creation time for the next epoch record. wall_ms: the time if this is the first one.

        An older group has no creation time (KIP-1327).
        """
        if self.store.settings.release.name:  # no release has it yet
            return CREATION_UNKNOWN
        if self.created_ms == CREATION_UNKNOWN and self.group_epoch == FIRST_GROUP_EPOCH:
            return wall_ms
        return self.created_ms

    def topics_of(self, member: ConsumerMember) -> frozenset[str]:
        """Return the topics that a member names, and those that its regular expression matched."""
        if not member.regex:
            return member.topic_names
        matched = self.regexes.get(member.regex, NOT_RESOLVED).topics
        return member.topic_names | matched if member.topic_names else matched

    def static_member(self, instance_id: str) -> ConsumerMember | None:
        member_id = self.static_members.get(instance_id)
        return None if member_id is None else self.members.get(member_id)

    def identified(self, member_id: str, instance_id: str | None) -> ConsumerMember:
        """Return the member with these ids. Raises UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID.

        A static member that leaves out its instance is found by its id. Kafka: validateConsumerGroupMember.
        """
        member = self.members.get(member_id) if instance_id is None else self.static_member(instance_id)
        if member is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if member.member_id != member_id:
            raise KafkaError(ErrorCode.FENCED_INSTANCE_ID)
        return member

    def target_of(self, member: ConsumerMember) -> Partitions:
        """Return the last target of a member. A static member has that of its instance."""
        if member.instance_id is not None:
            known = self.static_members.get(member.instance_id)
            return {} if known is None else self.targets.get(known, {})
        return self.targets.get(member.member_id, {})

    def is_owned(self, topic_id: bytes, partition: int) -> bool:
        owners = self.owners.get(topic_id)
        return owners is not None and partition in owners

    def derived_state(self) -> ConsumerGroupState:
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.group_epoch > self.assignment_epoch:
            return ConsumerGroupState.ASSIGNING
        return ConsumerGroupState.RECONCILING if self.unreconciled else ConsumerGroupState.STABLE

    # Its topics.

    def topics(self) -> GroupTopics:
        return GroupTopics(self.by_name, self.by_regex, self.regex_members, len(self.members))

    def topics_after(self, before: ConsumerMember, after: ConsumerMember) -> GroupTopics:
        """Return the topics once a member changes. before: a new ConsumerMember for one that joins."""
        by_name, by_regex, regex_members = self.by_name, self.by_regex, self.regex_members
        if before.topic_names != after.topic_names:
            by_name = dict(by_name)
            for topic in before.topic_names:
                count(by_name, topic, -1)
            for topic in after.topic_names:
                count(by_name, topic, 1)
        if (before.regex or "") != (after.regex or ""):
            regex_members = dict(regex_members)
            if before.regex:
                count(regex_members, before.regex, -1)
                if before.regex not in regex_members:
                    by_regex = dict(by_regex)
                    for topic in self.regexes.get(before.regex, NOT_RESOLVED).topics:
                        count(by_regex, topic, -1)
            if after.regex:
                count(regex_members, after.regex, 1)
        is_known = after.member_id in self.members or after.instance_id in self.static_members
        return GroupTopics(by_name, by_regex, regex_members, len(self.members) + (not is_known))

    def topics_without(self, leaving: Collection[ConsumerMember], unused: Iterable[str]) -> GroupTopics:
        """Return the topics once members have left. unused: regular expressions that no other member uses."""
        by_name, by_regex = dict(self.by_name), dict(self.by_regex)
        regex_members = dict(self.regex_members)
        for member in leaving:
            for topic in member.topic_names:
                count(by_name, topic, -1)
            if member.regex:
                count(regex_members, member.regex, -1)
        for regex in unused:
            for topic in self.regexes.get(regex, NOT_RESOLVED).topics:
                count(by_regex, topic, -1)
        return GroupTopics(by_name, by_regex, regex_members, len(self.members) - len(leaving))

    def regex_change(
        self, before: ConsumerMember, member: ConsumerMember, ctx: Context
    ) -> tuple[RegexChange, ResolveRegularExpressions | None]:
        """Return how the regular expression of a member changes, and which ones are resolved now.

        Raises INVALID_REGULAR_EXPRESSION.
        """
        kind, is_new = RegexChange.NONE, False
        if before.regex != member.regex:
            kind = RegexChange.CHANGED
            if not member.regex:
                if before.regex:
                    kind = RegexChange.RESOLVED
            elif member.regex not in self.regex_members:
                check_expression(member.regex)
                is_new = True
            elif member.regex in self.regexes:
                kind = RegexChange.RESOLVED
        if not is_new and not self.regex_members:
            return kind, None
        last = next(iter(self.regexes.values()), None)  # all results of a resolution are of one time
        if self.resolving or (last is not None and ctx.wall_ms <= last.at_ms + REFRESH_MS_MIN):
            return kind, None
        needed = dict(self.regex_members)
        if before.regex:
            count(needed, before.regex, -1)
        if member.regex:
            count(needed, member.regex, 1)
        cluster, oversized = ctx.cluster, self.oversized
        if is_new:
            is_due = True
        elif oversized is not None:
            # They matched too many topics. Kafka tries again with each heartbeat; here something must change.
            is_due = (
                needed.keys() != oversized.regexes
                or cluster.topics_version != oversized.topics_version
                or ctx.wall_ms > oversized.at_ms + REFRESH_MS
            )
        else:  # one of them is not resolved, a topic is new, or the refresh interval is over
            is_due = (
                last is None
                or len(needed) != len(self.regexes)
                or last.version < cluster.topics_created_version
                or ctx.wall_ms > last.at_ms + REFRESH_MS
            )
        if not needed or not is_due:
            return kind, None
        request = ResolveRegularExpressions(self.group_id, tuple(needed), cluster.topics_version, ctx.allowed)
        return kind, request

    # Facts for descriptions.

    def member_facts(self) -> list[MemberFacts]:
        return [
            MemberFacts(
                member.member_id,
                member.client_id,
                member.client_host,
                member.instance_id,
                self.topics_of(member),
                protocol="classic" if member.is_classic else "consumer",
                epoch=member.epoch,
                state=_STATES.get(member.state),
                assigned=member.assigned,
                revoking=member.pending,
                target=self.target_of(member),
            )
            for member in self.members.values()
        ]

    def waits_for(self, topic_name: TopicName, wall_ms: int) -> str | None:
        """Explain why the group is not Stable; None: it is, or it is Empty."""
        if self.state is ConsumerGroupState.ASSIGNING:
            return self._waits_for_target(wall_ms)
        if self.state is not ConsumerGroupState.RECONCILING:
            return None
        waiting = self._members_that_wait(topic_name)
        named = list(islice(waiting, MEMBERS_MAX))
        left = self.unreconciled - len(named)
        if left > 0:
            named.append(f"{left} more {'members' if left > 1 else 'member'}")
        begun = f"Group {shown(self.group_id)} is Reconciling at epoch {self.assignment_epoch}"
        return f"{begun}: {'; '.join(named)}."

    def _waits_for_target(self, wall_ms: int) -> str:
        begun = (
            f"Group {shown(self.group_id)} is at epoch {self.group_epoch}, and its target assignment at "
            f"epoch {self.assignment_epoch}"
        )
        if self.assigning_ms is not None:
            return f"{begun}: the next one is being computed."
        interval_ms = self.store.settings_of(self.group_id).assignment_interval_ms
        from_ms = self.assigned_at_ms + interval_ms
        when = f" from {moment(from_ms)} on" if self.assigned_at_ms > 0 and from_ms > wall_ms else ""
        return (
            f"{begun}: the first heartbeat of a member{when} computes the next one "
            f"(group.consumer.assignment.interval.ms={interval_ms})."
        )

    def _members_that_wait(self, topic_name: TopicName) -> Iterator[str]:
        for member in self.members.values():
            if not member.is_reconciled(self.assignment_epoch):
                yield f"member {shown(member.member_id)} {self._reason(member, topic_name)}"

    def _reason(self, member: ConsumerMember, topic_name: TopicName) -> str:
        if member.epoch < 0:
            return f"has left, and its instance {shown(member.instance_id or '')} may return"
        if member.state == UNREVOKED:
            return f"has not given up {_listed(member.pending, topic_name)} yet"
        if member.state == UNRELEASED:
            missing = _missing(self.target_of(member), member)
            return f"waits for {_listed(missing, topic_name)}, which other members still own"
        return f"has not sent a heartbeat since then (its epoch is {member.epoch})"

    # Commits and fetches of offsets.

    def check_commit(self, ctx: Context, request: OffsetCommitRequest, commits: Commits) -> After:
        """Check the member and its epoch. As in Kafka, only heartbeats extend its session. Raises KafkaError.

        A member may commit with an older epoch for partitions that it has had since then (KIP-1251), because
        it may not know its new epoch yet. Kafka: ConsumerGroup.validateOffsetCommit.
        """
        epoch = request.generation_id_or_member_epoch
        if epoch < 0 and not self.members:
            return ()
        member = self.members.get(request.member_id)
        if member is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if not member.is_classic and ctx.version < MEMBER_EPOCHS_FROM:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
        if epoch != member.epoch and (epoch > member.epoch or not self._had_since(member, epoch, commits)):
            code = ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH
            raise KafkaError(code)
        return ()

    def check_transactional_commit(
        self, version: int, request: TxnOffsetCommitRequest, commits: TransactionalCommits
    ) -> None:
        """Check the member that commits in a transaction, if the request names one. Raises KafkaError.

        The rules are those of `check_commit`, but all versions of the request may name an epoch. Before
        KIP-1319, every wrong epoch is an ILLEGAL_GENERATION.
        """
        epoch = request.generation_id
        if (epoch < 0 and not self.members) or not names_member(request):
            return
        member = self.members.get(request.member_id)
        if member is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if epoch != member.epoch and (epoch > member.epoch or not self._had_since(member, epoch, commits)):
            is_stale = version >= TXN_GROUP_ERRORS_FROM and not member.is_classic
            raise KafkaError(ErrorCode.STALE_MEMBER_EPOCH if is_stale else ErrorCode.ILLEGAL_GENERATION)

    def _had_since(self, member: ConsumerMember, epoch: int, commits: Commits | TransactionalCommits) -> bool:
        def since(topic: Topic, partition: int) -> int | None:
            assigned = member.assigned.get(topic.topic_id, {}).get(partition)
            return member.pending.get(topic.topic_id, {}).get(partition) if assigned is None else assigned

        return had_since(commits, epoch, since, self.store.settings.offset_metadata_max_bytes)

    def check_fetch(self, member_id: str | None, epoch: int) -> ErrorCode:
        """Check the member. A client that names no member may fetch."""
        if member_id is None:
            return ErrorCode.NONE if epoch < 0 else ErrorCode.UNKNOWN_SERVER_ERROR
        member = self.members.get(member_id)
        if member is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if member.epoch == epoch:
            return ErrorCode.NONE
        return ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH

    def check_offset_delete(self) -> ErrorCode:
        return ErrorCode.NONE

    # Requests of classic members.

    def join(self, ctx: Context, request: JoinGroupRequest) -> Decision[Any] | Steps[Decision[Any]]:
        """Decide the JoinGroup of a classic member. An empty group becomes classic."""
        if self.is_empty:
            if request.member_id != NO_MEMBER_ID:
                raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
            created: Decision[Any] = self.store.create_by_join(ctx, request, self.tombstones())
            return created
        try:
            return ClassicJoin(ctx, self, request).decide()
        except KafkaError as refused:
            return Decision(join_error(ctx.version, refused.code))

    def heartbeat(
        self, member_id: str, instance_id: str | None, generation: int, steady_ms: int
    ) -> Decision[HeartbeatResponse]:
        """Decide the Heartbeat of a classic member, whose generation is its epoch. Raises KafkaError.

        It must join again if it is behind, has to give up partitions, or can get more.
        """
        member, classic = self._classic_member(member_id, instance_id, generation)
        heard = partial(self.heard, member, steady_ms + classic.session_timeout_ms)
        if (
            member.epoch < self.assignment_epoch
            or member.state == UNREVOKED
            or (
                member.state == UNRELEASED
                and not any(
                    (
                        partition not in member.assigned.get(topic_id, ())
                        and self.is_owned(topic_id, partition)
                        for topic_id, partitions in self.targets.get(member.member_id, {}).items()
                        for partition in partitions
                    )
                )
            )
        ):
            rebalancing = HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS)
            return Decision(rebalancing, after=(heard, partial(self.await_join, member, steady_ms)))
        return Decision(HeartbeatResponse(error_code=ErrorCode.NONE), after=(heard,))

    def sync(self, ctx: Context, request: SyncGroupRequest) -> Decision[SyncGroupResponse]:
        """Decide the SyncGroup of a classic member. The response has its assignment. Raises KafkaError."""
        member, classic = self._classic_member(
            request.member_id, request.group_instance_id, request.generation_id
        )
        if request.protocol_type is not None and request.protocol_type != CONSUMER:
            raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        name = classic.supported_protocols[0].name  # as in the response to the join
        if request.protocol_name is not None and request.protocol_name != name:
            raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if self.assignment_epoch > member.epoch and member.state != UNREVOKED:
            refused = SyncGroupResponse(
                error_code=ErrorCode.REBALANCE_IN_PROGRESS,
                protocol_type=None,
                protocol_name=None,
                assignment=b"",
            )
            return Decision(refused, after=(partial(self.await_join, member, ctx.steady_ms),))
        try:
            version = version_of(classic.supported_protocols[0].metadata)
        except WireError:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from None
        response = SyncGroupResponse(
            error_code=ErrorCode.NONE,
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignment=assignment_bytes(ctx.cluster, member.assigned, version),
        )
        synced = partial(self.set_timer, member, MemberTimer.SYNC, NEVER)
        heard = partial(self.heard, member, ctx.steady_ms + classic.session_timeout_ms)
        return Decision(response, after=(synced, heard))

    def _classic_member(
        self, member_id: str, instance_id: str | None, generation: int
    ) -> tuple[ConsumerMember, ClassicMemberMetadata]:
        """Return a classic member of this generation, and the fields of its JoinGroup. Raises KafkaError."""
        member = self.identified(member_id, instance_id)
        if member.classic is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        if member.epoch != generation:
            raise KafkaError(ErrorCode.ILLEGAL_GENERATION)
        return member, member.classic

    def leaver(self, member_id: str, instance_id: str | None, left: Collection[str | None]) -> str:
        """Return the id of the member that a LeaveGroup removes, of either protocol. Raises KafkaError.

        A static member may be named by its instance alone. One that is named twice leaves once.
        """
        if instance_id is None or member_id != NO_MEMBER_ID:
            return self.identified(member_id, instance_id).member_id
        static = self.static_member(instance_id)
        if static is None:
            raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
        return static.member_id

    def removal(self, now: Now, left: Mapping[str, str | None]) -> Decision[Any]:
        known = [self.members[each] for each in left if each in self.members]
        reasons = [left[each.member_id] for each in known]
        return self.members_left(known, now, why_left(reasons)) if known else Decision()

    # Members leave, and the group may become classic.

    def settle(self, now: Now) -> Decision[None] | int | None:
        """Remove the next member that is too late.

        A heartbeat that moves a member's session leaves the group armed too early, which costs one idle call.
        Each member is removed by a step of its own, as in Kafka: each raises the group epoch.
        """
        expired = self.timers.peek_due(now.due_ms, 1)
        if not expired:
            due_ms = self.timers.next()
            return None if due_ms == NEVER else due_ms
        member = self.members[expired[0]]
        timer = member.first_passed(now.due_ms)
        stopped: Decision[None] = Decision(after=(partial(self.set_timer, member, timer, NEVER),))
        if timer is MemberTimer.REBALANCE and member.epoch != member.rebalance_epoch:
            return stopped  # it has moved on since
        try:
            return self.members_left((member,), now, timer.value)
        except KafkaError:  # the others cannot become a classic group, so Kafka keeps the member
            return stopped

    def members_left(self, members: Sequence[ConsumerMember], now: Now, reason: str) -> Decision[Any]:
        """Remove members, which raises the group epoch once.

        If only classic members stay, the group may become classic. reason: for the log
        Raises GROUP_ID_NOT_FOUND if the metadata of one of them cannot be read.
        Kafka: GroupMetadataManager.consumerGroupFenceMembers.
        """
        group_id = self.group_id
        removed = partial(self.store.log_removal, group_id, [each.member_id for each in members], reason)
        if self.classic_members and self.may_downgrade(members):
            records, completed = self.downgrade(now, f"{reason}: group became classic", members)
            return Decision(records=records, after=(removed, completed))
        removals = [record for each in members for record in removal_records(group_id, each.member_id)]
        leaving = Counter(each.regex for each in members if each.regex)
        unused = [regex for regex, count in leaving.items() if self.regex_members.get(regex) == count]
        metadata_hash = self.topics_without(members, unused).hash(self.store.cluster)
        created_ms = self.next_created_ms()
        epoch = self.group_epoch + 1
        changes = [
            *removals,
            *[regex_tombstone(group_id, regex) for regex in unused],
            epoch_record(group_id, epoch, metadata_hash, created_ms),
        ]
        is_last = len(members) == len(self.members)
        if is_last and self.store.settings.release.has(Change.EMPTY_GROUP_HAS_ITS_TARGET):
            changes.append(target_epoch_record(group_id, epoch, NO_TIME))
        rebalances = ConsumerGroupRebalances(group_id, epoch, reason, is_counted=False)
        return Decision(records=tuple(changes), effects=() if is_last else (rebalances,), after=(removed,))

    def may_downgrade(self, leaving: Collection[ConsumerMember]) -> bool:
        """Return whether the group becomes classic once these members have left."""
        staying = len(self.members) - len(leaving)
        classic = self.classic_members - sum(each.is_classic for each in leaving)
        return staying > 0 and classic == staying and self._is_downgradable(staying)

    def may_downgrade_by(self, replaced: ConsumerMember) -> bool:
        """Return whether the group becomes classic once a classic member replaces this static one."""
        if replaced.is_classic or self.classic_members != len(self.members) - 1:
            return False
        return self._is_downgradable(len(self.members))

    def _is_downgradable(self, size: int) -> bool:
        settings = self.store.settings
        return settings.group_consumer_migration_policy in DOWNGRADES and size <= settings.group_max_size

    def downgrade(
        self,
        now: Now,
        reason: str,
        leaving: Collection[ConsumerMember] = (),
        joining: ConsumerMember | None = None,
    ) -> tuple[tuple[Record, ...], Callable[[], None]]:
        """Return the records that make the group classic, and the change after them.

        Raises GROUP_ID_NOT_FOUND.

        reason   why the classic group rebalances at once; "": it does not
        leaving  members that do not stay
        joining  a classic member that takes the place of a static one
        """
        group_id, known = self.group_id, self.members
        renamed: dict[str, str] = {}  # the new id of the static member that is replaced, by its old one
        if joining is not None and joining.instance_id is not None:
            renamed[self.static_members[joining.instance_id]] = joining.member_id
        gone = {each.member_id for each in leaving} | renamed.keys()
        members = [known[each] for each in in_kafkas_order(known, self.peak) if each not in gone]
        if joining is not None:
            members.append(joining)
        protocols = {each.member_id: each.protocols for each in members}
        protocol = vote([*protocols.values()])
        stored: list[MemberMetadata] = []
        for member in members:
            assert member.classic is not None, member
            metadata = metadata_of(protocols[member.member_id], protocol)
            try:
                target = self.target_of(member)
                assignment = assignment_bytes(self.store.cluster, target, version_of(metadata))
            except WireError:
                why = "Buffer underflow while parsing consumer protocol's header"
                message = f"Cannot downgrade the classic group {group_id}: {why}."
                raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, message) from None
            stored.append(
                MemberMetadata(
                    member.member_id,
                    member.instance_id,
                    member.client_id,
                    member.client_host,
                    member.rebalance_timeout_ms,
                    member.classic.session_timeout_ms,
                    metadata,
                    assignment,
                )
            )
        leader = members[0].member_id
        value = GroupMetadataValue(CONSUMER, self.group_epoch, protocol, leader, now.wall_ms, stored)
        records = (*self.tombstones(renamed), group_record(group_id, value))
        return records, partial(_downgraded, self.store, group_id, protocols, now, reason)

    # Records.

    def tombstones(self, renamed: Mapping[str, str] | None = None) -> tuple[Record, ...]:
        """Return the records that delete a group with all its members, without those of its offsets.

        renamed: new ids of members that the records of the same decision replace, by their old ids
        """
        group_id = self.group_id
        member_ids = [*self.members] if not renamed else [renamed.get(each, each) for each in self.members]
        return (
            *[current_tombstone(group_id, each) for each in member_ids],
            *[target_tombstone(group_id, each) for each in member_ids],
            Record(ConsumerGroupTargetAssignmentMetadataKey(group_id), None),
            *[member_tombstone(group_id, each) for each in member_ids],
            *[regex_tombstone(group_id, each) for each in self.regexes],
            partition_metadata_tombstone(group_id),
            Record(ConsumerGroupMetadataKey(group_id), None),
        )

    def target_records(self, assignment: Assignment, epoch: int, wall_ms: int) -> list[Record]:
        """Return the records of a target: those of members whose target changes, then its epoch."""
        group_id = self.group_id
        records = [
            target_record(group_id, member_id, target)
            for member_id, target in assignment.items()
            if not is_same(target, self.targets.get(member_id))
        ]
        records.append(target_epoch_record(group_id, epoch, wall_ms))
        return records

    def for_members_now(self, assignment: Assignment, instances: Mapping[str, str | None]) -> Assignment:
        """Adapt a target to the members that the group has when the computation ends.

        A member that has left has no target. A static member that was replaced has that of its instance.
        instances: instance ids by member id, when the computation began
        """
        adapted: Assignment = {}
        for member_id, target in assignment.items():
            if member_id in self.members:
                adapted[member_id] = target
            elif (instance_id := instances.get(member_id)) is not None:
                replacement = self.static_members.get(instance_id)
                if replacement is not None and replacement not in assignment:
                    adapted[replacement] = target
        return adapted

    def current(self) -> ConsumerGroup:
        """Return the group as it is now: the first records of a group make another object.

        Raises GROUP_ID_NOT_FOUND.
        """
        group: ConsumerGroup | None = self.store.of_type(ConsumerGroup, self.group_id)
        if group is None:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {self.group_id} not found.")
        return group

    # Soft state. The coordinator calls these methods once the records of a decision are replayed.

    def heard(self, member: ConsumerMember, until_ms: int) -> None:
        """Set the end of a member's session (steady ms). If it is earlier now, the group is armed again."""
        if until_ms < member.session_ms:
            self.store.marked.add(self.group_id)
        member.session_ms = until_ms
        self.timers.set(member.member_id, member.next_timer_ms)

    def set_timer(self, member: ConsumerMember, timer: MemberTimer, at_ms: int) -> None:
        """Set when a timer removes the member (steady ms). NEVER: stop the timer."""
        if timer is MemberTimer.SESSION:
            member.session_ms = at_ms
        elif timer is MemberTimer.JOIN:
            member.join_ms = at_ms
        elif timer is MemberTimer.SYNC:
            member.sync_ms = at_ms
        else:
            member.rebalance_ms = at_ms
        self.timers.set(member.member_id, member.next_timer_ms)
        self.store.marked.add(self.group_id)

    def await_join(self, member: ConsumerMember, steady_ms: int) -> None:
        """Start the timer within which a classic member must join again, unless it is running."""
        if member.join_ms == NEVER:
            self.set_timer(member, MemberTimer.JOIN, steady_ms + member.rebalance_timeout_ms)

    def time_revocation(self, member: ConsumerMember, steady_ms: int) -> None:
        """Start the timer within which the member must give up partitions. Stop it if there are none.

        The timer counts only while the member keeps its current epoch.
        """
        until_ms = NEVER
        if member.state == UNREVOKED:
            until_ms = steady_ms + member.rebalance_timeout_ms
            member.rebalance_epoch = member.epoch
        self.set_timer(member, MemberTimer.REBALANCE, until_ms)

    def start_timers(self, steady_ms: int, session_timeout_ms: int) -> None:
        """Give every member of a loaded group a full session, and a full time to revoke.

        Kafka: GroupMetadataManager.onLoaded.
        """
        for member in self.members.values():
            member.session_ms = steady_ms + session_timeout_ms
            self.time_revocation(member, steady_ms)

    def metadata_checked(self, version: int, metadata_hash: int) -> None:
        """Note at which version of the cluster's topics the hash of the subscribed ones was compared."""
        self.metadata_seen, self.hash_seen = version, metadata_hash

    def regexes_resolved(self, oversized: OversizedMatches | None = None) -> None:
        """Allow the next resolution of regular expressions. oversized: set if this one had no result."""
        self.resolving = False
        self.oversized = oversized

    def complete(self) -> None:
        self.is_loading = False
        self.subscribed_topics = frozenset(self.by_name.keys() | self.by_regex.keys())
        epoch = self.assignment_epoch
        self.unreconciled = sum(not each.is_reconciled(epoch) for each in self.members.values())
        self.state = self.derived_state()

    def start_sessions(self, now: Now) -> None:
        if self.members:
            self.start_timers(now.steady_ms, self.store.settings_of(self.group_id).session_timeout_ms)


def _downgraded(
    store: Groups, group_id: str, protocols: Mapping[str, Protocols], now: Now, reason: str
) -> None:
    """Give the members of the classic group what its record does not hold."""
    group = store.groups[group_id]
    assert isinstance(group, ClassicGroup), group
    group.downgraded(protocols, now, reason)
    store.log_migration(group_id, "classic")


def _missing(target: Partitions, member: ConsumerMember) -> Partitions:
    return {
        topic_id: [each for each in partitions if each not in member.assigned.get(topic_id, ())]
        for topic_id, partitions in target.items()
    }


def _listed(partitions: Mapping[bytes, Collection[int]], topic_name: TopicName) -> str:
    """Return names of partitions, of bounded length."""
    names = (
        f"{shown(topic_name(topic_id))}-{each}" for topic_id, some in partitions.items() for each in some
    )
    left = sum(map(len, partitions.values())) - PARTITIONS_MAX
    first = ", ".join(islice(names, PARTITIONS_MAX))
    return f"{first} and {left} more" if left > 0 else first or "partitions"
