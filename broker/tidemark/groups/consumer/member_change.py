"""The consequences of a change of a KIP-848 member, for requests of both protocols.

A request is decided by a subclass of `MemberChange`. Kafka: the parts that consumerGroupHeartbeat and
classicGroupJoinToConsumerGroup of GroupMetadataManager share.

A member gives up partitions first, and keeps its epoch until it has acknowledged that. Then it advances to
the epoch of the target and gets the partitions that no other member owns. Kafka: CurrentAssignmentBuilder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from tidemark.core.context import Context
from tidemark.core.decision import ConsumerGroupRebalances, Decision, Effect, Record, Released, Steps, at_once
from tidemark.groups.consumer.member import (
    JOIN_EPOCH,
    STABLE,
    UNRELEASED,
    UNREVOKED,
    ConsumerMember,
    Owned,
    Partitions,
)
from tidemark.groups.consumer.records import (
    current_record,
    epoch_record,
    member_record,
    partition_metadata_tombstone,
    regex_tombstone,
    removal_records,
    target_record,
)
from tidemark.groups.consumer.subscriptions import (
    GroupTopics,
    RegexChange,
)
from tidemark.groups.consumer.target import (
    TargetInput,
    compute,
    is_small,
)
from tidemark.settings.release import Change
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from tidemark_protocol.messages.join_group import JoinGroupRequest

if TYPE_CHECKING:
    from tidemark.groups.consumer.group import ConsumerGroup

STEP_PARTITIONS: Final = 1_000
NO_TOPIC: Final = bytes(16)
UNKNOWN: Final = -1


OwnedPartitions = ConsumerGroupHeartbeatRequestTopicPartitions


@dataclass(slots=True, frozen=True)
class Reconciliation:
    """The input of the next assignment of a member.

    epoch, target         of the target assignment
    topics                the topics that the member reads, by name, of which some may not exist
    subscription_changed  by this request
    owners                topic id -> the partitions that a member owns
    owned                 the partitions that the member reports; None: it does not report any
    """

    epoch: int
    target: Mapping[bytes, Sequence[int]]
    topics: AbstractSet[str]
    subscription_changed: bool
    owners: Mapping[bytes, Collection[int]]
    owned: Sequence[OwnedPartitions] | None
    cluster: Any

    def apply(self, member: ConsumerMember) -> ConsumerMember:
        """Return the member with its next assignment: the same object if nothing changes.

        Raises FENCED_MEMBER_EPOCH.
        """
        if member.state == STABLE:
            if member.epoch != self.epoch:
                return self._advanced(member)
            return self._without_unsubscribed(member) if self.subscription_changed else member
        if member.state == UNREVOKED:
            if not self._owns_any(member.pending):
                return self._advanced(member)
            return self._without_unsubscribed(member) if self.subscription_changed else member
        if member.state == UNRELEASED:
            return self._advanced(member)
        if self.owned is None or self.owned:  # a state of a later release
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                "The consumer group member is in a unknown state. The member must abandon all its "
                "partitions and rejoin.",
            )
        return self._advanced(member)

    def _owns_any(self, revoked: Owned) -> bool:
        """Return whether the member still owns one of the partitions. It does until it reports otherwise."""
        if self.owned is None:
            return True
        for each in self.owned:
            partitions = revoked.get(each.topic_id)
            if partitions is not None and not partitions.keys().isdisjoint(each.partitions):
                return True
        return False

    def _without_unsubscribed(self, member: ConsumerMember) -> ConsumerMember:
        """Take partitions of topics from a member that has just unsubscribed from them. Its epoch stays."""
        if not member.pending and not any(name in self.cluster.topics for name in self.topics):
            assigned: Owned = {}
            pending = member.assigned
        else:
            gone = [topic_id for topic_id in member.assigned if not self._reads(topic_id)]
            if not gone:
                return member
            assigned = {each: owned for each, owned in member.assigned.items() if each not in gone}
            pending = dict(member.pending)
            for topic_id in gone:
                pending[topic_id] = {**pending.get(topic_id, {}), **member.assigned[topic_id]}
        if pending and self._owns_any(pending):
            return _moved(member, member.epoch, UNREVOKED, assigned, pending)
        return _moved(member, member.epoch, member.state, assigned, member.pending)

    def _advanced(self, member: ConsumerMember) -> ConsumerMember:
        """Move the member as far as other members allow."""
        assigned: Owned = {}
        revoked: Owned = {}
        gained: dict[bytes, list[int]] = {}
        is_waiting = False
        for topic_id in dict.fromkeys((*self.target, *member.assigned)):
            target = self.target.get(topic_id, ()) if self._reads(topic_id) else ()
            current = member.assigned.get(topic_id, {})
            if current:
                wanted = frozenset(target)
                kept = {each: epoch for each, epoch in current.items() if each in wanted}
                if kept:
                    assigned[topic_id] = kept
                if len(kept) < len(current):
                    revoked[topic_id] = {each: epoch for each, epoch in current.items() if each not in wanted}
            missing = [each for each in target if each not in current]
            free = [each for each in missing if self._is_free(member, topic_id, each)]
            is_waiting |= len(free) < len(missing)
            if free:
                gained[topic_id] = free
        if revoked and self._owns_any(revoked):
            return _moved(member, member.epoch, UNREVOKED, assigned, revoked)
        for topic_id, partitions in gained.items():
            assigned[topic_id] = {**assigned.get(topic_id, {}), **dict.fromkeys(partitions, self.epoch)}
        return _moved(member, self.epoch, UNRELEASED if is_waiting else STABLE, assigned, {})

    def _is_free(self, member: ConsumerMember, topic_id: bytes, partition: int) -> bool:
        return partition not in self.owners.get(topic_id, ()) or partition in member.pending.get(topic_id, ())

    def _reads(self, topic_id: bytes) -> bool:
        topic = self.cluster.topics_by_id.get(topic_id)
        return topic is not None and topic.name in self.topics


def _moved(member: ConsumerMember, epoch: int, state: int, assigned: Owned, pending: Owned) -> ConsumerMember:
    return replace(
        member, epoch=epoch, previous_epoch=member.epoch, state=state, assigned=assigned, pending=pending
    )


def without_repetitions(cluster: Any, owned: Sequence[OwnedPartitions]) -> Steps[list[OwnedPartitions]]:
    """Return the partitions that a member reports, each once. UNKNOWN stands for all that do not exist.

    So the checks of a report need little time, however long it is. A generator: it yields after each step.
    """
    found: dict[bytes, set[int]] = {}
    for each in owned:
        topic = cluster.topics_by_id.get(each.topic_id)
        partitions = found.setdefault(NO_TOPIC if topic is None else each.topic_id, set())
        count = 0 if topic is None else len(topic.partitions)
        for start in range(0, len(each.partitions), STEP_PARTITIONS):
            part = each.partitions[start : start + STEP_PARTITIONS]
            partitions.update(number if 0 <= number < count else UNKNOWN for number in part)
            yield 0
        yield 0
    return [OwnedPartitions(topic_id, [*partitions]) for topic_id, partitions in found.items()]


TOPICS_MAX: Final = 20_000  # names in all subscriptions of a group: 10 ms for each change

Q = TypeVar("Q", bound=ConsumerGroupHeartbeatRequest | JoinGroupRequest)
A = TypeVar("A")


class MemberChange(ABC, Generic[Q, A]):
    """One request of a member while it is decided. It collects what the decision consists of.

    checked       the version of the cluster's topics for which the hash was compared, and the hash
    is_resolving  regular expressions are being resolved from now on
    is_moved      a member of the consumer protocol has a new assignment
    """

    def __init__(self, ctx: Context, group: ConsumerGroup, request: Q) -> None:
        self.ctx = ctx
        self.group = group
        self.request: Q = request
        self.settings = group.store.settings_of(group.group_id)
        self.member_id: str = request.member_id
        self.records: list[Record] = []
        self.after: list[Callable[[], None]] = []
        self.released: list[Released] = []
        self.effects: list[Effect] = []
        self.subscription_changed = False
        self.checked: tuple[int, int] | None = None
        self.is_resolving = False
        self.is_moved = False

    # Differences between the protocols.

    @abstractmethod
    def reported(self) -> Sequence[OwnedPartitions] | None:
        """Return the partitions that the member reports as its own; None: it does not report any."""

    @abstractmethod
    def named_topics(self) -> Sequence[str] | None:
        """Return the topics that the request names, in its order; None: it names none."""

    @abstractmethod
    def raises_epoch(self, regex: RegexChange, *, names_changed: bool, assignor_changed: bool) -> bool:
        """Return whether the group epoch rises with this change of the member."""

    @abstractmethod
    def heard(self, group: ConsumerGroup, member: ConsumerMember) -> None:
        """Give the member a full session."""

    @abstractmethod
    def result(self, before: ConsumerMember, member: ConsumerMember) -> Decision[A]:
        """Return the decision, with the response."""

    # Shared by both protocols.

    def check_room(self, instance_id: str | None) -> None:
        """Raise GROUP_MAX_SIZE_REACHED for a new member of a full group."""
        settings = self.group.store.settings
        size_max = settings.group_consumer_max_size
        if instance_id in self.group.static_members and settings.release.has(
            Change.STATIC_MEMBER_RETURNS_TO_FULL_GROUP
        ):
            return
        if len(self.group.members) >= size_max and self.member_id not in self.group.members:
            raise KafkaError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The consumer group has reached its maximum capacity of {size_max} members.",
            )

    def replaced(self, known: ConsumerMember) -> ConsumerMember:
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

    def changed(self, before: ConsumerMember, member: ConsumerMember) -> Decision[A] | Steps[Decision[A]]:
        """Decide about a request after which group or member may change."""
        group, ctx = self.group, self.ctx
        if member.topic_names is not before.topic_names:
            self._check_topics(member)
        if member is not before:
            self.records.append(member_record(group.group_id, member))
        names_changed = member.topic_names != before.topic_names
        regex, request = group.regex_change(before, member, ctx)
        if before.regex != member.regex and before.regex and group.regex_members.get(before.regex) == 1:
            self.records.append(regex_tombstone(group.group_id, before.regex))
        if request is not None:
            self.is_resolving = True
            self.effects.append(request)
        self.subscription_changed = names_changed or regex is not RegexChange.NONE
        assignor_changed = (
            before.assignor != member.assignor and group.assignor_after(before, member) != group.assignor
        )
        bump = self.raises_epoch(regex, names_changed=names_changed, assignor_changed=assignor_changed)
        epoch, topics = self._group_epoch(before, member, regex, bump=bump)
        return self.assigned(before, member, epoch, topics)

    def assigned(
        self, before: ConsumerMember, member: ConsumerMember, epoch: int, topics: GroupTopics | None
    ) -> Decision[A] | Steps[Decision[A]]:
        """Compute a new target if that is due, and move the member towards its target.

        It is due if the group epoch has risen, and the group need not wait.
        """
        group, ctx = self.group, self.ctx
        if group.assignment_epoch >= epoch or group.must_wait(ctx.now, self.settings.assignment_interval_ms):
            return self.result(before, self.moved(member, group.assignment_epoch, group.target_of(member)))
        given = TargetInput(
            ctx.cluster,
            member,
            before,
            self.named_topics(),
            epoch,
            (topics or group.topics()).are_homogeneous,
            group.store.settings.assignors[0],
        )
        if not is_small(group, given):
            return self._assigned_in_steps(given)
        assignment = at_once(compute(group, given))
        self.records += group.target_records(assignment, epoch, ctx.wall_ms)
        return self.result(before, self.moved(member, epoch, assignment.get(member.member_id, {})))

    def _check_topics(self, member: ConsumerMember) -> None:
        """Limit the names that each change of the group looks at. Kafka has no limit."""
        named, names = self.group.by_name, member.topic_names
        if len(named) + len(names) > TOPICS_MAX and len(named.keys() | names) > TOPICS_MAX:
            raise KafkaError(
                ErrorCode.INVALID_REQUEST,
                f"The members of group {self.group.group_id} name more than {TOPICS_MAX} topics.",
            )

    def _group_epoch(
        self, before: ConsumerMember, member: ConsumerMember, regex: RegexChange, *, bump: bool
    ) -> tuple[int, GroupTopics | None]:
        """Return the group epoch, and the topics of all members if they had to be counted."""
        group, cluster = self.group, self.ctx.cluster
        is_checked = group.metadata_seen == cluster.topics_version
        waits = regex is RegexChange.CHANGED  # the epoch rises when the new expression is resolved
        if is_checked and not bump and not waits:
            return group.group_epoch, None
        topics = group.topics_after(before, member)
        # The topics are the same if the dicts are. Their hash takes 4 ms for 6,000 topics.
        is_known = is_checked and topics.by_name is group.by_name and topics.by_regex is group.by_regex
        metadata_hash = group.hash_seen if is_known else topics.hash(cluster)
        epoch = group.group_epoch
        compared = group.topics().hash(cluster) if waits and not is_known else metadata_hash
        if bump or compared != group.hash_seen:
            epoch += 1
            created_ms = group.next_created_ms(self.ctx.wall_ms)
            self.records.append(epoch_record(group.group_id, epoch, metadata_hash, created_ms))
            reason = "topics changed"
            if bump:
                is_member = member.member_id in group.members
                reason = "member changed its subscription" if is_member else "member joined"
            self.effects.append(ConsumerGroupRebalances(group.group_id, epoch, reason))
        if group.has_partition_metadata:
            self.records.append(partition_metadata_tombstone(group.group_id))
        if waits or not is_checked:
            self.checked = cluster.topics_version, metadata_hash
        return epoch, topics

    def _assigned_in_steps(self, given: TargetInput) -> Steps[Decision[A]]:
        """Compute the target of a large group. Other heartbeats are decided meanwhile.

        The change of the member is applied first, so that they see it. The target follows for the members
        that the group has then.
        """
        before, member_id, group_id = given.before, given.member.member_id, self.group.group_id
        self.after.append(self._begun)
        yield self._part()
        group = self.group.current()
        self.group = group
        given.before = given.member  # the group counts its vote now
        given.homogeneous = group.topics().are_homogeneous
        instances = {each.member_id: each.instance_id for each in group.members.values()}
        assignment = yield from compute(group, given)
        if self.group.current() is not group:
            raise not_a_consumer_group(group_id)
        self.after.append(self._assigned)
        epoch = given.epoch
        if epoch > group.assignment_epoch:
            assignment = group.for_members_now(assignment, instances)
            self.records += group.target_records(assignment, epoch, self.ctx.wall_ms)
        else:  # it has stalled, and a later one has ended first
            assignment, epoch = group.targets, group.assignment_epoch
        member = group.members.get(member_id)
        if member is None:
            yield self._part()
            raise unknown_member(group, member_id)
        return self.result(before, self.moved(member, epoch, assignment.get(member_id, {})))

    def _part(self) -> Decision[A]:
        """Return everything that was collected since the last part, and keep none of it."""
        part: Decision[A] = Decision(
            records=tuple(self.records),
            released=tuple(self.released),
            effects=tuple(self.effects),
            after=tuple(self.after),
        )
        self.records, self.released, self.effects, self.after = [], [], [], []
        return part

    def moved(
        self, member: ConsumerMember, epoch: int, target: Mapping[bytes, Any] | Partitions
    ) -> ConsumerMember:
        """Return the member as far on its way to the target as it can be."""
        group = self.group
        if not self.subscription_changed and member.is_reconciled(epoch):
            return member
        moved = Reconciliation(
            epoch,
            target,
            group.topics_of(member),
            self.subscription_changed,
            group.owners,
            self.reported(),
            self.ctx.cluster,
        ).apply(member)
        if moved != member:
            self.records.append(current_record(group.group_id, moved))
            self.is_moved = not moved.is_classic
        return moved

    # Soft state. These methods are called once the records are replayed, which may have made the group.

    def _begun(self) -> None:
        """Store that the member has changed, and that the computation of a target has begun."""
        self._changes_stored().assigning_ms = self.ctx.steady_ms

    def _assigned(self) -> None:
        self.group.current().end_assigning(self.ctx.steady_ms)

    def decided(self) -> None:
        """Store what the records do not hold, once the request is decided."""
        group = self._changes_stored()
        if self.is_moved:
            group.time_revocation(group.members[self.member_id], self.ctx.steady_ms)

    def _changes_stored(self) -> ConsumerGroup:
        """Store what was found about topics and regular expressions, and extend the member's session."""
        group = self.group.current()
        if self.checked is not None:
            group.metadata_checked(*self.checked)
        group.resolving |= self.is_resolving
        self.checked, self.is_resolving = None, False
        self.heard(group, group.members[self.member_id])
        return group

    def whole(self, response: A) -> Decision[A]:
        """Return everything that was collected, with the response."""
        self.after.append(self.decided)
        whole = self._part()
        whole.response = response
        return whole


def not_a_consumer_group(group_id: str) -> KafkaError:
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a consumer group.")


def unknown_member(group: ConsumerGroup, member_id: str) -> KafkaError:
    message = f"Member {member_id} is not a member of group {group.group_id}."
    return KafkaError(ErrorCode.UNKNOWN_MEMBER_ID, message)
