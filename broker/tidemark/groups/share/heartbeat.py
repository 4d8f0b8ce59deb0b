"""The decision about a ShareGroupHeartbeat: join, heartbeat or leave.

Kafka: GroupMetadataManager.shareGroupHeartbeat and shareGroupLeave. The checks are in its order, the messages
are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tidemark.core.context import Context
from tidemark.core.decision import (
    ConsumerGroupRebalances,
    Decision,
    Effect,
    Record,
    Steps,
    at_once,
)
from tidemark.core.java import HashOrder, uuid_hash
from tidemark.groups.consumer.assignors.spec import (
    Assignment,
    MemberSpec,
    is_same,
    member_order,
    subscribed_ids,
)
from tidemark.groups.consumer.member import JOIN_EPOCH, STABLE, Partitions
from tidemark.groups.consumer.member_change import TOPICS_MAX
from tidemark.groups.consumer.subscriptions import GroupTopics
from tidemark.groups.consumer.target import AT_ONCE_MAX, STEP_MEMBERS
from tidemark.groups.share.assignor import assign_simply
from tidemark.groups.share.group import ShareGroup, ShareMember, not_a_share_group
from tidemark.groups.share.records import current_record, epoch_record, member_record
from tidemark.groups.state import Groups
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import hash_map_table
from tidemark_protocol.messages.share_group_heartbeat import (
    Assignment as SentAssignment,
)
from tidemark_protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)

ABANDON: Final = "The member must abandon all its partitions and rejoin."

Response = ShareGroupHeartbeatResponse
Decided = Decision[Response] | Steps[Decision[Response]]


def leave(groups: Groups, ctx: Context, request: ShareGroupHeartbeatRequest) -> Decision[Response]:
    """Decide about a member that leaves. Raises KafkaError."""
    group_id, member_id = request.group_id, request.member_id
    group = groups.serving(group_id, ctx.caller.node_id)
    if group is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
    if type(group) is not ShareGroup:
        raise not_a_share_group(group_id)
    member = group.members.get(member_id)
    if member is None:
        raise _unknown_member(group_id, member_id)
    left = group.member_left(member, "member left")
    left.response = Response(member_id=member_id, member_epoch=request.member_epoch)
    return left


def heartbeat(groups: Groups, ctx: Context, request: ShareGroupHeartbeatRequest) -> Decided:
    """Decide about a member that joins or is alive. Raises KafkaError."""
    group_id = request.group_id
    known = groups.serving(group_id, ctx.caller.node_id)
    if type(known) is ShareGroup:
        return Heartbeat(ctx, known, request).decide()
    if known is not None:
        raise not_a_share_group(group_id)
    if request.member_epoch != JOIN_EPOCH:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Share group {group_id} not found.")
    created = ShareGroup(group_id, groups.partition_for(group_id), None, store=groups)
    return Heartbeat(ctx, created, request).decide()


class Heartbeat:
    """One heartbeat while it is decided. It collects what the decision consists of.

    checked  the version of the cluster's topics for which the metadata hash was compared; None: it was not
    """

    def __init__(self, ctx: Context, group: ShareGroup, request: ShareGroupHeartbeatRequest) -> None:
        self.ctx = ctx
        self.group = group
        self.request = request
        self.settings = group.settings
        self.records: list[Record] = []
        self.effects: list[Effect] = []
        self.after: list[Callable[[], None]] = []
        self.checked: int | None = None
        self.names: Iterable[str] = ()  # the topics of all members, with the changes of this request
        self.bumps = False  # the group epoch rises

    def decide(self) -> Decided:
        group, cluster = self.group, self.ctx.cluster
        before = self._member()
        member = self._updated(before)
        is_checked = group.metadata_seen == cluster.topics_version
        awaits = group.group_epoch <= group.assignment_epoch and group.awaits_assignment()
        if (
            member is before
            and member.epoch == group.assignment_epoch >= group.group_epoch
            and is_checked
            and group.has_state
            and not awaits
            and member.state == STABLE
        ):  # nearly all heartbeats
            until_ms = self.ctx.steady_ms + self.settings.session_timeout_ms
            return Decision(self._response(before, member), after=(partial(group.heard, member, until_ms),))
        names_changed = member.topic_names != before.topic_names
        if names_changed:
            self._check_topics(member)
        if member is not before:
            self.records.append(member_record(group.group_id, member))
        self.bumps = names_changed or awaits
        epoch, topics = group.group_epoch, group.topics_after(before, member)
        self.names = topics.by_name
        if self.bumps or not is_checked:
            is_known = is_checked and not names_changed
            metadata_hash = group.metadata_hash if is_known else topics.hash(cluster)
            self.checked = cluster.topics_version
            self.bumps |= metadata_hash != group.metadata_hash
            if self.bumps:
                epoch += 1
                self.records.append(epoch_record(group.group_id, epoch, metadata_hash))
                reason = self._reason(before, names_changed=names_changed, awaits=awaits)
                self.effects.append(
                    ConsumerGroupRebalances(group.group_id, epoch, reason, group_type=group.type_name)
                )
        return self._assigned(before, member, epoch, topics)

    def _member(self) -> ShareMember:
        """Return the member, a new one if it joins. Raises KafkaError."""
        group, request, member_id = self.group, self.request, self.request.member_id
        size_max = group.store.settings.group_share_max_size
        if len(group.members) >= size_max and member_id not in group.members:
            raise KafkaError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The share group has reached its maximum capacity of {size_max} members.",
            )
        member, epoch = group.members.get(member_id), request.member_epoch
        if member is None:
            if epoch != JOIN_EPOCH:
                raise _unknown_member(group.group_id, member_id)
            return ShareMember(member_id)
        if epoch > member.epoch:
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                f"The share group member has a greater member epoch ({epoch}) than the one known by the "
                f"group coordinator ({member.epoch}). {ABANDON}",
            )
        if epoch != JOIN_EPOCH and epoch < member.epoch and epoch != member.previous_epoch:
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                f"The share group member has a smaller member epoch ({epoch}) than the one known by the "
                f"group coordinator ({member.epoch}), and it does not match the previous member epoch "
                f"({member.previous_epoch}). {ABANDON}",
            )
        return member

    def _updated(self, member: ShareMember) -> ShareMember:
        """Return the member with the fields of the request: the same object if all are equal."""
        request, ctx = self.request, self.ctx
        changes: dict[str, Any] = {}
        if member.client_id != ctx.client_id:
            changes["client_id"] = ctx.client_id
        if member.client_host != ctx.caller.client_host:
            changes["client_host"] = ctx.caller.client_host
        if request.rack_id is not None and request.rack_id != member.rack_id:
            changes["rack_id"] = request.rack_id
        if request.subscribed_topic_names is not None:
            names = frozenset(request.subscribed_topic_names)
            if names != member.topic_names:
                changes["topic_names"] = names
        return replace(member, **changes) if changes else member

    def _check_topics(self, member: ShareMember) -> None:
        """Limit the names that each change of the group looks at. Kafka has no limit."""
        named, names = self.group.by_name, member.topic_names
        if len(named) + len(names) > TOPICS_MAX and len(named.keys() | names) > TOPICS_MAX:
            raise KafkaError(
                ErrorCode.INVALID_REQUEST,
                f"The members of group {self.group.group_id} name more than {TOPICS_MAX} topics.",
            )

    def _reason(self, before: ShareMember, *, names_changed: bool, awaits: bool) -> str:
        if names_changed:
            is_member = before.member_id in self.group.members
            return "member changed its subscription" if is_member else "member joined"
        return "partitions initialized" if awaits else "topics changed"

    # The target assignment, and the member's own.

    def _assigned(self, before: ShareMember, member: ShareMember, epoch: int, topics: GroupTopics) -> Decided:
        """Compute a new target if that is due, and give the member its partitions.

        It is due if the group epoch has risen, and the group need not wait.
        """
        group, ctx = self.group, self.ctx
        if group.assignment_epoch >= epoch or group.must_wait(ctx.now, self.settings.assignment_interval_ms):
            target = group.targets.get(member.member_id, {})
            return self._whole(before, self._reconciled(member, group.assignment_epoch, target))
        if self._size(topics) > AT_ONCE_MAX:
            return self._assigned_in_steps(before, member, epoch)
        assignment = at_once(_target(ctx.cluster, group, member, self.request, topics))
        self.records += group.target_records(assignment, epoch, ctx.wall_ms)
        return self._whole(before, self._reconciled(member, epoch, assignment[member.member_id]))

    def _size(self, topics: GroupTopics) -> int:
        """Return the number of members and partitions of a target. The count ends above AT_ONCE_MAX."""
        size = topics.members
        for name in topics.by_name:
            if size > AT_ONCE_MAX:
                break
            topic = self.ctx.cluster.topics.get(name)
            size += 1 if topic is None else len(topic.partitions)
        return size

    def _assigned_in_steps(
        self, before: ShareMember, member: ShareMember, epoch: int
    ) -> Steps[Decision[Response]]:
        """Compute the target of a large group. Other heartbeats are decided meanwhile.

        The change of the member is applied first, so that they see it. The target follows for the members
        that the group has then.
        """
        had, member_id, group_id = replace(before), member.member_id, self.group.group_id
        self.after += (self._heard, self._begun)
        yield self._part()
        group = self.group = _current(self.group)
        joined = group.members.get(member_id)
        if joined is None:  # it has left during the pause
            yield Decision(after=(self._ended,))
            raise _unknown_member(group_id, member_id)
        topics = group.topics_after(joined, joined)
        assignment = yield from _target(self.ctx.cluster, group, joined, self.request, topics)
        yield 0
        if group.store.get(group_id) is not group:
            raise not_a_share_group(group_id)
        self.after.append(self._ended)
        if epoch > group.assignment_epoch:
            assignment = {each: target for each, target in assignment.items() if each in group.members}
            self.records += group.target_records(assignment, epoch, self.ctx.wall_ms)
        else:  # it has stalled, and a later one has ended first
            assignment, epoch = group.targets, group.assignment_epoch
        current = group.members.get(member_id)
        if current is None:
            yield self._part()
            raise _unknown_member(group_id, member_id)
        return self._whole(had, self._reconciled(current, epoch, assignment.get(member_id, {})))

    def _reconciled(self, member: ShareMember, epoch: int, target: Partitions) -> ShareMember:
        """Return the member with the partitions of its target. Kafka: ShareGroupAssignmentBuilder."""
        is_current = member.epoch == epoch
        if is_current and member.state == STABLE and not self.bumps:
            return member
        assigned = _of_topics(target, member.topic_names, self.ctx.cluster)
        if is_current:
            moved = replace(member, assigned=assigned) if self.bumps else member
        else:
            moved = replace(member, epoch=epoch, previous_epoch=member.epoch, state=STABLE, assigned=assigned)
        has_changed = (
            moved.epoch != member.epoch
            or moved.state != member.state
            or not is_same(moved.assigned, member.assigned)
        )
        if has_changed:
            self.records.append(current_record(self.group.group_id, moved))
        return moved

    # The decision.

    def _whole(self, before: ShareMember, member: ShareMember) -> Decision[Response]:
        """Return the decision. It also requests the state of partitions that the group reads now."""
        missing = self.group.missing_state(self.names)
        if missing:
            self.records.append(self.group.initializing_record(missing))
        self.after += (self._heard, self._state_complete)
        whole = self._part()
        whole.response = self._response(before, member)
        return whole

    def _part(self) -> Decision[Response]:
        """Return everything that was collected since the last part, and keep none of it."""
        part: Decision[Response] = Decision(
            records=tuple(self.records), effects=tuple(self.effects), after=tuple(self.after)
        )
        self.records, self.effects, self.after = [], [], []
        return part

    def _response(self, before: ShareMember, member: ShareMember) -> Response:
        request = self.request
        is_sent = (
            request.member_epoch == JOIN_EPOCH
            or request.subscribed_topic_names is not None
            or not is_same(member.assigned, before.assigned)
        )
        assigned = [TopicPartitions(topic_id, [*each]) for topic_id, each in member.assigned.items()]
        return Response(
            member_id=member.member_id,
            member_epoch=member.epoch,
            heartbeat_interval_ms=self.settings.heartbeat_interval_ms,
            assignment=SentAssignment(assigned) if is_sent else None,
        )

    # Soft state. These methods are called once the records are replayed, which may have made the group.

    def _heard(self) -> None:
        """Extend the member's session, and store for which topics the group is checked."""
        group = _current(self.group)
        if self.checked is not None:
            group.metadata_seen, self.checked = self.checked, None
        member = group.members[self.request.member_id]
        group.heard(member, self.ctx.steady_ms + self.settings.session_timeout_ms)

    def _begun(self) -> None:
        _current(self.group).assigning_ms = self.ctx.steady_ms

    def _ended(self) -> None:
        _current(self.group).end_assigning(self.ctx.steady_ms)

    def _state_complete(self) -> None:
        """Note that no state is missing now. State that must be created is requested by `settle`."""
        group = _current(self.group)
        group.has_state = True
        if group.initializing:
            group.store.marked.add(group.group_id)


def _current(group: ShareGroup) -> ShareGroup:
    """Return the group as it is now: the first records of a group make another object."""
    current = group.store.of_type(ShareGroup, group.group_id)
    if current is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group.group_id} not found.")
    return current


def _target(
    cluster: Any,
    group: ShareGroup,
    member: ShareMember,
    request: ShareGroupHeartbeatRequest,
    topics: GroupTopics,
) -> Steps[Assignment]:
    """Return the new target of all members, with this one as its heartbeat changes it. In steps."""
    members = {**group.members, member.member_id: member}
    # Kafka has added a new member to its map, but the map grows only with the member's next record.
    order = yield from member_order([*members], group.peak, member.member_id)
    assignable = {topic_id: sorted(partitions) for topic_id, (_, partitions) in group.initialized.items()}
    ids: dict[frozenset[str], Any] = {}
    specs: dict[str, MemberSpec] = {}
    for number, member_id in enumerate(order, 1):
        each = members[member_id]
        known = None if each is member else ids.get(each.topic_names)
        if known is None:
            given = request.subscribed_topic_names if each is member else None
            names: Sequence[str] = sorted(each.topic_names) if given is None else given
            known, _ = yield from subscribed_ids(names, (), partial(_topic_id, cluster))
            ids[each.topic_names] = known
        specs[member_id] = MemberSpec(None, each.rack_id, known, group.targets.get(member_id, {}))
        if number % STEP_MEMBERS == 0:
            yield 0
    return (yield from assign_simply(specs, assignable, homogeneous=topics.are_homogeneous))


def _topic_id(cluster: Any, name: str) -> bytes | None:
    topic = cluster.topics.get(name)
    return None if topic is None else topic.topic_id


def _of_topics(target: Mapping[bytes, Sequence[int]], names: frozenset[str], cluster: Any) -> Partitions:
    """Return the part of a target whose topics exist and have one of these names, in Kafka's order."""
    topics = cluster.topics_by_id
    kept = [each for each in target if each in topics and topics[each].name in names]
    if len(kept) == len(target):
        return {topic_id: [*target[topic_id]] for topic_id in target}
    copied = HashOrder(uuid_hash, hash_map_table(0, int(len(target) / 0.75 + 1)), target).in_order()
    return {topic_id: [*target[topic_id]] for topic_id in copied if topic_id in kept}


def _unknown_member(group_id: str, member_id: str) -> KafkaError:
    message = f"Member {member_id} is not a member of group {group_id}."
    return KafkaError(ErrorCode.UNKNOWN_MEMBER_ID, message)
