"""The decision about a ConsumerGroupHeartbeat: join, heartbeat or leave.

Kafka: GroupMetadataManager.consumerGroupHeartbeat. The checks are in its order, the messages are its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tidemark.core.context import Context
from tidemark.core.result import Released, Result, Steps
from tidemark.groups.classic.model import ClassicModel
from tidemark.groups.classic.responses import refused as refused_requests
from tidemark.groups.consumer.group import ConsumerGroup, members_left
from tidemark.groups.consumer.member_change import (
    MemberChange,
    kafka_uuid,
    not_a_consumer_group,
    unknown_member,
)
from tidemark.groups.consumer.model import (
    JOIN_EPOCH,
    STABLE,
    STATIC_LEAVE_EPOCH,
    ConsumerGroupModel,
    ConsumerMember,
    Owned,
)
from tidemark.groups.consumer.reconciliation import OwnedPartitions
from tidemark.groups.consumer.records import current_record
from tidemark.groups.consumer.resolving import RegexChange
from tidemark.groups.consumer.upgrade import check_upgrade, upgrade
from tidemark.groups.store import GroupStore
from tidemark.metadata.model import CREATION_UNKNOWN
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
    response = Response(member_id=request.member_id, member_epoch=request.member_epoch)
    if instance_id is not None:
        member = _static_member(group, instance_id, request.member_id)
    elif (known := group.members.get(request.member_id)) is None:
        raise unknown_member(group, request.member_id)
    else:
        member = known
    if request.member_epoch != STATIC_LEAVE_EPOCH:
        left = members_left(group, (member,), ctx.now, "member left")
        left.response = response
        return left
    # A static member may return until its session ends. It keeps its place.
    assigned = {topic_id: dict.fromkeys(epochs, 0) for topic_id, epochs in member.assigned.items()}
    away = replace(member, epoch=STATIC_LEAVE_EPOCH, assigned=assigned, pending={})
    return Result(response, records=(current_record(group_id, away),))


def heartbeat(groups: GroupStore, ctx: Context, request: ConsumerGroupHeartbeatRequest) -> Decided:
    """Decide about a member that joins or is alive. Raises KafkaError."""
    known = groups.serving(request.group_id)
    if type(known) is ConsumerGroup:
        return Heartbeat(ctx, known, request).decide()
    group_id = request.group_id
    if request.member_epoch != JOIN_EPOCH:
        if known is None:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Consumer group {group_id} not found.")
        raise not_a_consumer_group(group_id)
    if known is not None and not isinstance(known, ClassicModel):
        raise not_a_consumer_group(group_id)
    if known is not None and not known.is_empty:
        check_upgrade(groups, known)
        return _upgrading_join(groups, ctx, request, known)
    created = ConsumerGroup(group_id, groups.partition_for(group_id), None, store=groups)
    decision = Heartbeat(ctx, created, request)
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
    decision = Heartbeat(ctx, upgraded.group, request)
    decision.records += upgraded.records
    decision.after.append(partial(groups.log_migration, classic.group_id, "consumer"))
    decision.after.append(partial(upgraded.start_sessions, groups, ctx.steady_ms))
    decision.released += _rejoin_responses(classic)
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
    after = (partial(classic.refuse_parked, ctx.steady_ms),)
    return Result(response_to(refused), released=_rejoin_responses(classic), after=after)


def _rejoin_responses(classic: ClassicModel) -> tuple[Released, ...]:
    """Respond to all parked requests that their members must join again, with their own ids."""
    return refused_requests(classic.members.values(), ErrorCode.REBALANCE_IN_PROGRESS, names_member=True)


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


class Heartbeat(MemberChange[ConsumerGroupHeartbeatRequest, Response]):
    """One heartbeat while it is decided."""

    __slots__ = ()

    def decide(self) -> Decided:
        group, request, member_id = self.group, self.request, self.member_id
        known = group.members.get(member_id)
        if known is None:
            self.check_room()
        if not member_id:
            member_id = self.member_id = kafka_uuid(self.ctx)
        if request.instance_id is not None:
            before = self._static_member(request.instance_id)
        elif request.member_epoch == JOIN_EPOCH:
            before = known or ConsumerMember(member_id)
        elif known is None:
            raise unknown_member(group, member_id)
        else:
            before = known
            if request.member_epoch != before.epoch:
                self._check_epoch(before)
        member = self._updated(before)
        if (
            member is before
            and member.state == STABLE
            and member.epoch == group.assignment_epoch >= group.group_epoch
            and group.metadata_seen == self.ctx.cluster.topics_version
            and not group.regex_members
        ):  # nearly all heartbeats
            until_ms = self.ctx.steady_ms + self.limits.session_timeout_ms
            return Result(self._response(before, member), after=(partial(group.heard, member, until_ms),))
        return self.changed(before, member)

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
        reported, assigned = self.request.topic_partitions, member.assigned
        if epoch == known or (
            epoch == member.previous_epoch
            and reported is not None
            and all(
                each.topic_id in assigned and set(each.partitions) <= assigned[each.topic_id].keys()
                for each in reported
            )
        ):
            return
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
        return self.whole(self._response(before, member))

    def _response(self, before: ConsumerMember, member: ConsumerMember) -> Response:
        request = self.request
        is_full = (
            request.topic_partitions is not None
            and request.rebalance_timeout_ms != NOT_GIVEN
            and (request.subscribed_topic_names is not None or request.subscribed_topic_regex is not None)
        )
        is_sent = request.member_epoch == JOIN_EPOCH or is_full or before.assigned != member.assigned
        return Response(
            member_id=member.member_id,
            member_epoch=member.epoch,
            heartbeat_interval_ms=self.limits.heartbeat_interval_ms,
            assignment=self._assignment(member.assigned) if is_sent else None,
        )

    def _assignment(self, assigned: Owned) -> Assignment:
        """Return an assignment as the response has it, with the partitions that are newer than the group.

        No partition is new if the group's creation time is not known: its record has none (KIP-1327).
        """
        created_ms = self.group.created_ms
        topics = []
        for topic_id, epochs in assigned.items():
            topic = ConsumerGroupHeartbeatResponseTopicPartitions(topic_id, sorted(epochs))
            known = self.ctx.cluster.topics_by_id.get(topic_id)
            if (
                self.ctx.version >= NEW_PARTITIONS_FROM
                and known is not None
                and created_ms != CREATION_UNKNOWN
            ):
                topic.new_partitions = [  # a group that was classic may own partitions that do not exist
                    each
                    for each in topic.partitions
                    if 0 <= each < len(known.partitions) and known.partitions[each].created_ms > created_ms
                ]
            topics.append(topic)
        return Assignment(topics)
