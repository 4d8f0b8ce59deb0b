"""The decision about a ConsumerGroupHeartbeat: join, heartbeat or leave.

Kafka: GroupMetadataManager.consumerGroupHeartbeat. The checks are in its order, the messages are its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tidemark.core.context import Context
from tidemark.core.result import Result, Steps
from tidemark.groups.classic.events import GroupUpgraded, ParkedRefused
from tidemark.groups.classic.model import ClassicModel
from tidemark.groups.classic.responses import rebalancing_responses
from tidemark.groups.consumer.creation import new_partitions
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.leaving import members_left, static_member_left
from tidemark.groups.consumer.member_change import (
    MemberChange,
    kafka_uuid,
    known_member,
    not_a_consumer_group,
)
from tidemark.groups.consumer.model import (
    JOIN_EPOCH,
    STATIC_LEAVE_EPOCH,
    ConsumerGroupModel,
    ConsumerMember,
    Owned,
)
from tidemark.groups.consumer.reconciliation import OwnedPartitions, is_subset
from tidemark.groups.consumer.resolving import RegexChange
from tidemark.groups.consumer.upgrade import check_upgrade, upgrade
from tidemark.groups.store import GroupStore
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseTopicPartitions,
)

NEW_PARTITIONS_FROM: Final = 2  # the first version of the response that has them (KIP-1327)
NOT_GIVEN: Final = -1  # RebalanceTimeoutMs: unchanged
ABANDON: Final = "The member must abandon all its partitions and rejoin."

Response = ConsumerGroupHeartbeatResponse
Decided = Result[Response] | Steps[Result[Response]]


def leave(groups: GroupStore, ctx: Context, request: ConsumerGroupHeartbeatRequest) -> Result[Response]:
    """Decide about a member that leaves, for good or (a static one) for a while. Raises KafkaError."""
    group_id, instance_id = request.group_id, request.instance_id
    group = groups.serving(group_id)
    if group is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
    if type(group) is not ConsumerGroup:
        raise not_a_consumer_group(group_id)
    if instance_id is None:
        member = known_member(group, request.member_id)
    else:
        member = _static_member(group, instance_id, request.member_id)
    if request.member_epoch == STATIC_LEAVE_EPOCH:
        left = static_member_left(group, member)
    else:
        left = members_left(group, (member,), ctx.now, "member left")
    left.response = Response(member_id=request.member_id, member_epoch=request.member_epoch)
    return left


def heartbeat(groups: GroupStore, ctx: Context, request: ConsumerGroupHeartbeatRequest) -> Decided:
    """Decide about a member that joins or is alive. Raises KafkaError."""
    known = groups.serving(request.group_id)
    if type(known) is ConsumerGroup:
        return Heartbeat(groups, ctx, request, known).decide()
    group_id = request.group_id
    if request.member_epoch != JOIN_EPOCH:
        if known is None:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Consumer group {group_id} not found.")
        raise not_a_consumer_group(group_id)
    if known is not None and not isinstance(known, ClassicModel):
        raise not_a_consumer_group(group_id)
    if known is not None and not known.is_empty:
        check_upgrade(groups, known)
        return _upgrading_join(groups, ctx.copy(), request, known)
    decision = Heartbeat(groups, ctx, request, ConsumerGroup(group_id, groups.partition_for(group_id), None))
    if known is not None:
        decision.records += known.tombstones()
    return decision.decide()


def _upgrading_join(
    groups: GroupStore, ctx: Context, request: ConsumerGroupHeartbeatRequest, classic: ClassicModel
) -> Steps[Result[Response]]:
    """Decide about a member that joins a classic group with members, which becomes a consumer group.

    Parked requests get their responses even if the join is refused then, as in Kafka.
    """
    try:
        upgraded = yield from upgrade(groups, classic, ctx.wall_ms)
    except KafkaError as refused:
        return _refused_upgrade(groups, ctx, classic, refused)
    if groups.get(classic.group_id) is not classic or classic.is_empty:  # deleted or upgraded meanwhile
        try:
            decided = heartbeat(groups, ctx, request)
        except KafkaError as refused:
            return Result(response_to(refused))
        return decided if isinstance(decided, Result) else (yield from decided)
    decision = Heartbeat(groups, ctx, request, upgraded.group)
    decision.records += upgraded.records
    decision.events.append(GroupUpgraded(classic.group_id))
    decision.after.append(partial(upgraded.start_sessions, groups, ctx.steady_ms))
    decision.released += rebalancing_responses(classic)
    try:
        decided = decision.decide()
    except KafkaError as refused:
        return _refused_upgrade(groups, ctx, classic, refused)
    return decided if isinstance(decided, Result) else (yield from decided)


def _refused_upgrade(
    groups: GroupStore, ctx: Context, classic: ClassicModel, refused: KafkaError
) -> Result[Response]:
    if groups.get(classic.group_id) is not classic:
        return Result(response_to(refused))
    refusal = ParkedRefused(classic.group_id, ctx.steady_ms)
    return Result(response_to(refused), events=(refusal,), released=rebalancing_responses(classic))


def response_to(refused: KafkaError) -> Response:
    return Response(error_code=refused.code, error_message=refused.message)


def _static_member(group: ConsumerGroupModel, instance_id: str, member_id: str) -> ConsumerMember:
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


class Heartbeat(MemberChange[Response]):
    """One heartbeat while it is decided."""

    __slots__ = ("request",)

    def __init__(
        self, groups: GroupStore, ctx: Context, request: ConsumerGroupHeartbeatRequest, group: ConsumerGroup
    ) -> None:
        super().__init__(groups, ctx, group, request.member_id)
        self.request = request

    def decide(self) -> Decided:
        group, request = self.group, self.request
        self.check_room()
        if not request.member_id:
            self.member_id = kafka_uuid(self.ctx)
        before = self._member()
        member = self._updated(before)
        if (
            member is before
            and group.group_epoch <= group.assignment_epoch
            and member.is_reconciled(group.assignment_epoch)
            and group.metadata_seen == self.ctx.cluster.topics_version
            and not group.regex_members
        ):
            return self.result(before, member)  # nearly all heartbeats
        return self.changed(before, member)

    # the member

    def _member(self) -> ConsumerMember:
        """Return the member as it was before this heartbeat. One that joins may be new."""
        request = self.request
        if request.instance_id is not None:
            return self._static_member(request.instance_id)
        if request.member_epoch == JOIN_EPOCH:
            return self.group.members.get(self.member_id) or ConsumerMember(self.member_id)
        member = known_member(self.group, self.member_id)
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
        return self.replaced(known)

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

    # Differences from a JoinGroup of a classic member.

    def reported(self) -> Sequence[OwnedPartitions] | None:
        return self.request.topic_partitions

    def named_topics(self) -> Sequence[str] | None:
        return self.request.subscribed_topic_names

    def raises_epoch(self, regex: RegexChange, *, names_changed: bool) -> bool:
        return names_changed or regex is RegexChange.RESOLVED

    def heard(self, group: ConsumerGroupModel, member: ConsumerMember) -> None:
        group.heard(member, self.ctx.steady_ms + self.limits.session_timeout_ms)

    def result(self, before: ConsumerMember, member: ConsumerMember) -> Result[Response]:
        request = self.request
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
        return self.whole(response)

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
