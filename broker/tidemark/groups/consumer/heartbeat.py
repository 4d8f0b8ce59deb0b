"""The decision about a ConsumerGroupHeartbeat: join, heartbeat or leave.

Kafka: GroupMetadataManager.consumerGroupHeartbeat. The checks are in its order, the messages are its own.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tidemark.core.context import Context
from tidemark.core.result import Effect, Event, Record, Released, Result, Steps
from tidemark.groups.classic.model import ClassicModel
from tidemark.groups.consumer.creation import creation_ms, new_partitions
from tidemark.groups.consumer.events import (
    AssignmentBegun,
    AssignmentEnded,
    ConsumerSeen,
    MemberTimer,
    MetadataChecked,
    TimerStarted,
    TimerStopped,
)
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.leaving import member_left, static_member_left
from tidemark.groups.consumer.model import (
    JOIN_EPOCH,
    NEVER,
    STATIC_LEAVE_EPOCH,
    UNREVOKED,
    ConsumerMember,
    Owned,
    Partitions,
)
from tidemark.groups.consumer.reconciliation import Reconciliation, Subscription, is_subset
from tidemark.groups.consumer.records import (
    current_record,
    epoch_record,
    member_record,
    partition_metadata_tombstone,
    removal_records,
    target_record,
)
from tidemark.groups.consumer.resolving import Change, RegexChange
from tidemark.groups.consumer.subscriptions import GroupTopics, topics_after, topics_now
from tidemark.groups.consumer.target import (
    TargetInput,
    compute,
    for_members_now,
    is_computing,
    is_due,
    is_small,
    target_records,
)
from tidemark.groups.group import Group
from tidemark.groups.store import GroupStore
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseTopicPartitions,
)

TOPICS_MAX: Final = 20_000  # names in all subscriptions of a group: 10 ms for each change
NEW_PARTITIONS_FROM: Final = 2  # the first version of the response that has them (KIP-1327)
NOT_GIVEN: Final = -1  # RebalanceTimeoutMs: unchanged
ABANDON: Final = "The member must abandon all its partitions and rejoin."

Response = ConsumerGroupHeartbeatResponse
Decided = Result[Response] | Steps[Result[Response]]


def leave(groups: GroupStore, request: ConsumerGroupHeartbeatRequest) -> Result[Response]:
    """Decide about a member that leaves, for good or (a static one) for a while. Raises KafkaError."""
    group_id, instance_id = request.group_id, request.instance_id
    group = groups.serving(group_id)
    if group is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
    if type(group) is not ConsumerGroup:
        raise _not_a_consumer_group(group_id)
    if instance_id is None:
        member = _known_member(group, request.member_id)
    else:
        member = _static_member(group, instance_id, request.member_id)
    if request.member_epoch == STATIC_LEAVE_EPOCH:
        left = static_member_left(group, member)
    else:
        left = member_left(group, member, "member left")
    left.response = Response(member_id=request.member_id, member_epoch=request.member_epoch)
    return left


def heartbeat(groups: GroupStore, ctx: Context, request: ConsumerGroupHeartbeatRequest) -> Decided:
    """Decide about a member that joins or is alive. Raises KafkaError."""
    known = groups.serving(request.group_id)
    if type(known) is ConsumerGroup:
        decision = Heartbeat(groups, ctx, request, known)
    else:
        decision = _first_of_protocol(groups, ctx, request, known)
    return decision.decide()


def _first_of_protocol(
    groups: GroupStore, ctx: Context, request: ConsumerGroupHeartbeatRequest, known: Group | None
) -> Heartbeat:
    """Return the decision about a group that is not of this protocol, or does not exist."""
    group_id = request.group_id
    if request.member_epoch != JOIN_EPOCH:
        if known is None:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Consumer group {group_id} not found.")
        raise _not_a_consumer_group(group_id)
    if known is not None and not (isinstance(known, ClassicModel) and known.is_empty):
        raise _not_a_consumer_group(group_id)
    group = ConsumerGroup(group_id, groups.partition_for(group_id), None)
    decision = Heartbeat(groups, ctx, request, group)
    if known is not None:
        decision.records += known.tombstones()
    return decision


def _not_a_consumer_group(group_id: str) -> KafkaError:
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a consumer group.")


def _known_member(group: ConsumerGroup, member_id: str) -> ConsumerMember:
    member = group.members.get(member_id)
    if member is None:
        raise KafkaError(
            ErrorCode.UNKNOWN_MEMBER_ID, f"Member {member_id} is not a member of group {group.group_id}."
        )
    return member


def _static_member(group: ConsumerGroup, instance_id: str, member_id: str) -> ConsumerMember:
    member = group.static_member(instance_id)
    if member is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if member.member_id != member_id:
        raise KafkaError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} was fenced by member "
            f"{member.member_id}.",
        )
    return member


class Heartbeat:
    """One heartbeat while it is decided. It collects what the decision consists of."""

    __slots__ = (
        "ctx",
        "effects",
        "events",
        "group",
        "groups",
        "limits",
        "member_id",
        "records",
        "released",
        "request",
        "subscription_changed",
    )

    def __init__(
        self, groups: GroupStore, ctx: Context, request: ConsumerGroupHeartbeatRequest, group: ConsumerGroup
    ) -> None:
        self.groups = groups
        self.ctx = ctx
        self.request = request
        self.group = group
        self.limits = groups.limits_of(group.group_id)
        self.member_id = request.member_id
        self.records: list[Record] = []
        self.events: list[Event] = []
        self.released: list[Released] = []
        self.effects: list[Effect] = []
        self.subscription_changed = False

    def decide(self) -> Decided:
        group, request = self.group, self.request
        if len(group.members) >= self.limits.max_size and request.member_id not in group.members:
            raise KafkaError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The consumer group has reached its maximum capacity of {self.limits.max_size} members.",
            )
        if not request.member_id:
            self.member_id = _kafka_uuid(self.ctx)
        before = self._member()
        member = self._updated(before)
        if (
            member is before
            and group.group_epoch <= group.assignment_epoch
            and member.is_reconciled(group.assignment_epoch)
            and group.metadata_seen == self.ctx.cluster.topics_version
            and not group.regex_members
        ):
            return self._result(before, member)  # nearly all heartbeats
        return self._changed(before, member)

    # the member

    def _member(self) -> ConsumerMember:
        """Return the member as it was before this heartbeat. One that joins may be new."""
        request = self.request
        if request.instance_id is not None:
            return self._static_member(request.instance_id)
        if request.member_epoch == JOIN_EPOCH:
            return self.group.members.get(self.member_id) or ConsumerMember(self.member_id)
        member = _known_member(self.group, self.member_id)
        if request.member_epoch != member.epoch:
            self._check_epoch(member)
        return member

    def _static_member(self, instance_id: str) -> ConsumerMember:
        group, member_id = self.group, self.member_id
        if self.request.member_epoch != JOIN_EPOCH:
            member = _static_member(group, instance_id, member_id)
            self._check_epoch(member)
            return member
        known = group.static_member(instance_id)
        if known is None:
            return group.members.get(member_id) or ConsumerMember(member_id)
        if not known.is_classic and known.epoch != STATIC_LEAVE_EPOCH:
            raise KafkaError(
                ErrorCode.UNRELEASED_INSTANCE_ID,
                f"Static member {member_id} with instance id {instance_id} cannot join the group because "
                f"the instance id is owned by {known.member_id} member.",
            )
        return self._replaced(known)

    def _replaced(self, known: ConsumerMember) -> ConsumerMember:
        """Give a static member that has returned the assignment that it left."""
        group_id = self.group.group_id
        member = replace(known, member_id=self.member_id, epoch=JOIN_EPOCH, previous_epoch=JOIN_EPOCH)
        self.records += (
            *removal_records(group_id, known.member_id),
            member_record(group_id, member),
            target_record(group_id, self.member_id, self.group.targets.get(known.member_id, {})),
            current_record(group_id, member),
        )
        return member

    def _check_epoch(self, member: ConsumerMember) -> None:
        """Accept the epoch before the current one, in case the response to the last heartbeat was lost."""
        epoch, known = self.request.member_epoch, member.epoch
        if epoch > known:
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                f"The consumer group member has a greater member epoch ({epoch}) than the one known by the "
                f"group coordinator ({known}). {ABANDON}",
            )
        if epoch < known and not (
            epoch == member.previous_epoch and is_subset(self.request.topic_partitions, member.assigned)
        ):
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                f"The consumer group member has a smaller member epoch ({epoch}) than the one known by the "
                f"group coordinator ({known}). {ABANDON}",
            )

    def _updated(self, member: ConsumerMember) -> ConsumerMember:
        """Return the member with the fields of the request: the same object if all are equal."""
        request, ctx = self.request, self.ctx
        changes: dict[str, Any] = {}
        if member.client_id != ctx.client_id:
            changes["client_id"] = ctx.client_id
        if member.client_host != ctx.caller.client_host:
            changes["client_host"] = ctx.caller.client_host
        if request.instance_id is not None and request.instance_id != member.instance_id:
            changes["instance_id"] = request.instance_id
        if request.rack_id is not None and request.rack_id != member.rack_id:
            changes["rack_id"] = request.rack_id
        if request.rebalance_timeout_ms not in (NOT_GIVEN, member.rebalance_timeout_ms):
            changes["rebalance_timeout_ms"] = request.rebalance_timeout_ms
        if request.subscribed_topic_names is not None:
            names = frozenset(request.subscribed_topic_names)
            if names != member.topic_names:
                changes["topic_names"] = names
        regex = request.subscribed_topic_regex
        if regex is not None and regex != member.regex:
            changes["regex"] = regex
        if request.server_assignor is not None and request.server_assignor != member.assignor:
            changes["assignor"] = request.server_assignor
        if member.classic is not None:
            changes["classic"] = None
        return replace(member, **changes) if changes else member

    # what follows

    def _changed(self, before: ConsumerMember, member: ConsumerMember) -> Decided:
        """Decide about a heartbeat after which group or member may change."""
        group = self.group
        if member.topic_names is not before.topic_names:
            self._check_topics(member)
        if member is not before:
            self.records.append(member_record(group.group_id, member))
        names_changed = member.topic_names != before.topic_names
        regex = self._regex_change(before, member)
        self.subscription_changed = names_changed or regex is not RegexChange.NONE
        epoch, topics = self._group_epoch(before, member, bump=names_changed or regex is RegexChange.RESOLVED)
        if group.assignment_epoch >= epoch or not self._may_assign():
            return self._reconciled(before, member, group.assignment_epoch, group.target_of(member))
        given = TargetInput(
            self.ctx.cluster,
            member,
            before,
            self.request.subscribed_topic_names,
            epoch,
            (topics or topics_now(group)).are_homogeneous,
            self.limits.assignors[0],
        )
        if not is_small(group, given):
            return self._assigned_in_steps(given)
        assignment = _at_once(compute(group, given))
        self.records += target_records(group, assignment, epoch, self.ctx.wall_ms)
        return self._reconciled(before, member, epoch, assignment.get(member.member_id, {}))

    def _check_topics(self, member: ConsumerMember) -> None:
        """Limit the names that each change of the group looks at. Kafka has no limit."""
        named, names = self.group.by_name, member.topic_names
        if len(named) + len(names) > TOPICS_MAX and len(named.keys() | names) > TOPICS_MAX:
            raise KafkaError(
                ErrorCode.INVALID_REQUEST,
                f"The members of group {self.group.group_id} name more than {TOPICS_MAX} topics.",
            )

    def _regex_change(self, before: ConsumerMember, member: ConsumerMember) -> RegexChange:
        ctx = self.ctx
        change = Change(ctx.allowed, ctx.wall_ms, self.limits.regex_refresh_interval_ms)
        change.decide(self.group, before, member, ctx.cluster)
        self.records += change.records
        self.events += change.events
        self.effects += change.effects
        return change.kind

    def _group_epoch(
        self, before: ConsumerMember, member: ConsumerMember, *, bump: bool
    ) -> tuple[int, GroupTopics | None]:
        """Return the group epoch, and the topics of all members if they had to be counted."""
        group, cluster = self.group, self.ctx.cluster
        is_checked = group.metadata_seen == cluster.topics_version
        if is_checked and not bump:
            return group.group_epoch, None
        topics = topics_after(group, before, member)
        metadata_hash = topics.hash(cluster)
        epoch = group.group_epoch
        if bump or metadata_hash != group.metadata_hash:
            epoch += 1
            created_ms = creation_ms(group, self.groups.limits, self.ctx.wall_ms)
            self.records.append(epoch_record(group.group_id, epoch, metadata_hash, created_ms))
        if group.has_partition_metadata:
            self.records.append(partition_metadata_tombstone(group.group_id))
        if not is_checked:
            self.events.append(MetadataChecked(group.group_id, cluster.topics_version))
        return epoch, topics

    def _may_assign(self) -> bool:
        if is_computing(self.group, self.ctx.steady_ms):
            return False
        return is_due(self.group, self.limits.assignment_interval_ms, self.ctx.wall_ms)

    def _assigned_in_steps(self, given: TargetInput) -> Steps[Result[Response]]:
        """Compute the target of a large group. Other heartbeats are decided meanwhile.

        The change of the member is applied first, so that they see it. The target follows for the members
        that the group has then.
        """
        self.ctx = ctx = self.ctx.copy()
        before, member_id, group_id = given.before, given.member.member_id, self.group.group_id
        self.events += (self._seen(member_id), AssignmentBegun(group_id, ctx.steady_ms))
        yield self._part()
        group = self._stored()
        self.group = group
        given.before = given.member  # the group counts its vote now
        given.homogeneous = topics_now(group).are_homogeneous
        instances = {each.member_id: each.instance_id for each in group.members.values()}
        assignment = yield from compute(group, given)
        if self._stored() is not group:
            raise _not_a_consumer_group(group_id)
        assignment = for_members_now(group, assignment, instances)
        self.records += target_records(group, assignment, given.epoch, ctx.wall_ms)
        self.events.append(AssignmentEnded(group_id))
        member = group.members.get(member_id)
        if member is None:
            yield self._part()
        return self._reconciled(
            before, member or _known_member(group, member_id), given.epoch, assignment.get(member_id, {})
        )

    def _stored(self) -> ConsumerGroup:
        """Return the group as it is now: the first records of a group make another object."""
        group = self.groups.of_type(ConsumerGroup, self.group.group_id)
        if group is None:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {self.group.group_id} not found.")
        return group

    def _part(self) -> Result[Response]:
        part: Result[Response] = Result(
            records=tuple(self.records),
            events=tuple(self.events),
            released=tuple(self.released),
            effects=tuple(self.effects),
        )
        self.records, self.events, self.released, self.effects = [], [], [], []
        return part

    def _reconciled(
        self,
        before: ConsumerMember,
        member: ConsumerMember,
        epoch: int,
        target: Mapping[bytes, Any] | Partitions,
    ) -> Result[Response]:
        """Move the member towards its target."""
        group = self.group
        if not self.subscription_changed and member.is_reconciled(epoch):
            return self._result(before, member)
        moved = Reconciliation(
            epoch,
            target,
            Subscription(group.topics_of(member), self.ctx.cluster),
            self.subscription_changed,
            group.is_owned,
            self.request.topic_partitions,
        ).apply(member)
        if moved != member:
            self.records.append(current_record(group.group_id, moved))
            self._time_revocation(moved)
        return self._result(before, moved)

    def _time_revocation(self, member: ConsumerMember) -> None:
        group_id = self.group.group_id
        if member.state == UNREVOKED:
            until_ms = self.ctx.steady_ms + member.rebalance_timeout_ms
            self.events.append(
                TimerStarted(group_id, member.member_id, MemberTimer.REBALANCE, until_ms, member.epoch)
            )
        elif member.rebalance_ms != NEVER:
            self.events.append(TimerStopped(group_id, member.member_id, MemberTimer.REBALANCE))

    def _seen(self, member_id: str) -> ConsumerSeen:
        until_ms = self.ctx.steady_ms + self.limits.session_timeout_ms
        return ConsumerSeen(self.group.group_id, member_id, until_ms)

    def _result(self, before: ConsumerMember, member: ConsumerMember) -> Result[Response]:
        request = self.request
        self.events.append(self._seen(member.member_id))
        is_full = (
            request.topic_partitions is not None
            and request.rebalance_timeout_ms != NOT_GIVEN
            and (request.subscribed_topic_names is not None or request.subscribed_topic_regex is not None)
        )
        is_sent = request.member_epoch == JOIN_EPOCH or is_full or before.assigned != member.assigned
        response = Response(
            member_id=member.member_id,
            member_epoch=member.epoch,
            heartbeat_interval_ms=self.limits.heartbeat_interval_ms,
            assignment=self._assignment(member.assigned) if is_sent else None,
        )
        return Result(
            response,
            tuple(self.records),
            tuple(self.events),
            tuple(self.released),
            tuple(self.effects),
        )

    def _assignment(self, assigned: Owned) -> Assignment:
        topics = []
        for topic_id, epochs in assigned.items():
            topic = ConsumerGroupHeartbeatResponseTopicPartitions(topic_id, sorted(epochs))
            if self.ctx.version >= NEW_PARTITIONS_FROM:
                topic.new_partitions = new_partitions(
                    self.group, self.ctx.cluster, topic_id, topic.partitions
                )
            topics.append(topic)
        return Assignment(topics)


def _kafka_uuid(ctx: Context) -> str:
    """Return a new id in the form of Kafka's Uuid. None begins with a dash."""
    while True:
        text = urlsafe_b64encode(bytes.fromhex(ctx.new_id().replace("-", ""))).decode().rstrip("=")
        if not text.startswith("-"):
            return text


def _at_once(steps: Any) -> Any:
    """Run a generator to its end, and return its value."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value
