"""The decision about a ConsumerGroupHeartbeat: join, heartbeat or leave.

Kafka: GroupMetadataManager.consumerGroupHeartbeat. The checks are in its order, the messages are its own.

A classic group that has members becomes a consumer group when a consumer joins it. This is one decision: its
records delete the classic group and create the consumer group, in which the classic members stay. The epoch
goes on from the generation. Kafka: GroupMetadataManager.convertToConsumerGroup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from tidemark.core.context import Context
from tidemark.core.decision import Decision, Record, Released, Steps, at_once
from tidemark.core.java import bucket_order
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.member import Member, group_record, name_of
from tidemark.groups.classic.member import refused as refused_requests
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.member import (
    JOIN_EPOCH,
    STABLE,
    STATIC_LEAVE_EPOCH,
    ConsumerMember,
    Owned,
    Partitions,
    classic_metadata_of,
    in_kafkas_order,
)
from tidemark.groups.consumer.member_change import (
    MemberChange,
    OwnedPartitions,
    not_a_consumer_group,
    unknown_member,
)
from tidemark.groups.consumer.records import (
    current_record,
    epoch_record,
    member_record,
    target_epoch_record,
    target_record,
)
from tidemark.groups.consumer.replay import RECORDS
from tidemark.groups.consumer.subscriptions import RegexChange, subscription_hash
from tidemark.groups.forgetting import batch_bytes_max
from tidemark.groups.group import owner_of
from tidemark.groups.state import Groups
from tidemark.metadata.model import CREATION_UNKNOWN
from tidemark.settings.release import Change
from tidemark_protocol.batch import RECORD_OVERHEAD_BYTES
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseTopicPartitions,
)
from tidemark_protocol.subscriptions import CONSUMER, read_assignment, read_subscription
from tidemark_protocol.wire import LengthError, WireError

UPGRADES: Final = ("bidirectional", "upgrade")  # values of group.consumer.migration.policy
STEP_MEMBERS: Final = 50  # converted between two pauses: about a millisecond
STEP_RECORDS: Final = 100  # made and replayed between two pauses: about a millisecond
RECORDS_OF_A_MEMBER: Final = 3
FIXED_BYTES: Final = 59  # of them: numbers, and the lengths of short texts
UNKNOWN_TIME: Final = 0  # of a target that no assignor has computed


@dataclass(slots=True)
class Upgrade:
    """A classic group as a consumer group.

    group    a copy outside of the store, on which the join of the consumer is decided
    records  of the conversion; those of the join follow in the same batch
    """

    group: ConsumerGroup
    records: tuple[Record, ...]

    def start_sessions(self, groups: Groups, steady_ms: int) -> None:
        """Give the classic members a full session, once the records are replayed."""
        group = groups.of_type(ConsumerGroup, self.group.group_id)
        assert group is not None
        for member in group.members.values():
            if member.classic is not None:
                group.heard(member, steady_ms + member.classic.session_timeout_ms)


def check_upgrade(group: ClassicGroup) -> None:
    """Raise GROUP_ID_NOT_FOUND unless the group may become a consumer group."""
    settings = group.store.settings
    if settings.group_consumer_migration_policy not in UPGRADES:
        raise _not_upgradable(group, "online upgrade is disabled")
    if group.protocol_type != CONSUMER:
        raise _not_upgradable(group, "the group does not use the consumer embedded protocol")
    if len(group.members) > settings.group_consumer_max_size:
        raise _not_upgradable(group, "the group size exceeds the consumer group maximum size")


def _not_upgradable(group: ClassicGroup, why: str) -> KafkaError:
    message = f"Cannot upgrade classic group {group.group_id} to consumer group because {why}."
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, message)


def upgrade(group: ClassicGroup, wall_ms: int) -> Steps[Upgrade]:
    """Return the conversion to a consumer group.

    Raises KafkaError if a member's bytes cannot be read, or if the records do not fit in a batch.
    A generator: it yields after some members. If the group changes meanwhile, it starts again, at once then.

    wall_ms: the creation time of the consumer group (KIP-1327)
    """
    converted = _inputs(group)
    try:
        upgraded = yield from _upgrade_in_steps(group, wall_ms)
    except KafkaError:
        if _inputs(group) == converted:
            raise
    else:
        if _inputs(group) == converted:
            return upgraded
    check_upgrade(group)
    return at_once(_upgrade_in_steps(group, wall_ms))


def _inputs(group: ClassicGroup) -> list[object]:
    """Return everything from which a group is converted."""
    inputs: list[object] = [group.store.cluster.topics_version, group.generation, group.protocol]
    for each in group.members.values():
        inputs += (each.member_id, each.instance_id, each.protocols, each.assignment)
        inputs += (each.rebalance_timeout_ms, each.session_timeout_ms)
    return inputs


def _upgrade_in_steps(group: ClassicGroup, wall_ms: int) -> Steps[Upgrade]:
    store, group_id, generation = group.store, group.group_id, group.generation
    classic = dict(group.members)
    member_ids = yield from _in_order([*classic])
    targets: dict[str, Partitions] = {}
    members: list[ConsumerMember] = []
    bytes_left = batch_bytes_max(store.cluster)
    for number, member_id in enumerate(member_ids, 1):
        member = classic[member_id]
        targets[member_id] = _stored_assignment(group, member)
        upgraded = _upgraded_member(group, member, targets[member_id])
        members.append(upgraded)
        bytes_left -= _bytes_min(group_id, upgraded, targets[member_id])
        if bytes_left < 0:  # Kafka writes all records in one batch, or none
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        if number % STEP_MEMBERS == 0:
            yield 0
    _check_owners(targets.values())
    created_ms = CREATION_UNKNOWN if store.settings.release.name else wall_ms
    topics = frozenset(topic for each in members for topic in each.topic_names)
    in_order = (
        *[partial(member_record, group_id, each) for each in members],
        partial(epoch_record, group_id, generation, subscription_hash(store.cluster, topics), created_ms),
        *[partial(target_record, group_id, each, targets[each]) for each in member_ids],
        partial(target_epoch_record, group_id, generation, UNKNOWN_TIME),
        *[partial(current_record, group_id, each) for each in members],
    )
    # The records make a copy of the group outside of the store.
    copies = Groups(store.settings)
    copies.status = store.status
    records = [group_record(group_id, None)]
    for number, make in enumerate(in_order, 1):
        record = make()
        records.append(record)
        RECORDS[type(record.key).__name__](copies, record.key, record.value)
        if number % STEP_RECORDS == 0:
            yield 0
    copy = copies.groups[group_id]
    assert isinstance(copy, ConsumerGroup), group_id
    copy.store = store
    return Upgrade(copy, tuple(records))


def _in_order(member_ids: list[str]) -> Steps[list[str]]:
    """Return the order in which Kafka converts the members of a classic group."""
    hashes: dict[str, int] = {}
    for number, member_id in enumerate(member_ids, 1):
        hashes[member_id] = java_hash(member_id)
        if number % STEP_MEMBERS == 0:
            yield 0
    buckets = yield from bucket_order(member_ids, hashes.__getitem__)
    in_map_order = [member_id for bucket in buckets for member_id in bucket]
    return in_kafkas_order(in_map_order, len(member_ids), hashes.__getitem__)


def _bytes_min(group_id: str, member: ConsumerMember, target: Partitions) -> int:
    """Return a lower bound of the bytes of a member's three records in a batch."""
    assert member.classic is not None
    keys = RECORDS_OF_A_MEMBER * (RECORD_OVERHEAD_BYTES + len(group_id) + len(member.member_id))
    topics = sum(1 + len(name) for name in member.topic_names)
    protocols = sum(3 + len(each.name) + len(each.metadata) for each in member.classic.supported_protocols)
    # In the target, and with epochs in the current assignment.
    assigned = sum(39 + 12 * len(partitions) for partitions in target.values())
    return (
        keys + FIXED_BYTES + len(member.client_id) + len(member.client_host) + topics + protocols + assigned
    )


def _stored_assignment(group: ClassicGroup, member: Member) -> Partitions:
    """Return what the leader assigned to a member, without topics that do not exist."""
    if not member.assignment:
        return {}
    try:
        assignment = read_assignment(member.assignment)
    except WireError as error:
        is_malformed = group.store.settings.release.has(Change.UNREADABLE_BYTES_ARE_INCONSISTENT)
        if isinstance(error, LengthError) and not is_malformed:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from None
        raise _malformed(group) from None
    if assignment.user_data:
        raise _not_upgradable(
            group,
            "an unsupported custom assignor is in use. Please refer to the documentation or switch to a "
            "default assignor before re-attempting the upgrade",
        )
    target: Partitions = {}
    for part in assignment.assigned_partitions:
        topic = group.store.cluster.topics.get(part.topic)
        if topic is not None:
            target.setdefault(topic.topic_id, sorted({*part.partitions}))
    return target


def _upgraded_member(group: ClassicGroup, member: Member, target: Partitions) -> ConsumerMember:
    if group.protocol is None or group.protocol not in map(name_of, member.protocols):
        # The first generation has not begun, or the member is new and does not know the group's protocol.
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    try:
        subscription = read_subscription(member.metadata(group.protocol))
    except WireError:
        raise _malformed(group) from None
    return ConsumerMember(
        member.member_id,
        group.generation,
        group.generation,
        instance_id=member.instance_id,
        rack_id=subscription.rack_id or None,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        client_id=member.client_id,
        client_host=member.client_host,
        topic_names=frozenset(subscription.topics),
        classic=classic_metadata_of(member.session_timeout_ms, member.protocols),
        assigned={topic_id: dict.fromkeys(parts, group.generation) for topic_id, parts in target.items()},
    )


def _malformed(group: ClassicGroup) -> KafkaError:
    return _not_upgradable(group, "the embedded consumer protocol is malformed")


def _check_owners(targets: Iterable[Partitions]) -> None:
    """Raise UNKNOWN_SERVER_ERROR if a partition is assigned twice. Kafka throws."""
    owned: set[tuple[bytes, int]] = set()
    for target in targets:
        for topic_id, partitions in target.items():
            for partition in partitions:
                if (topic_id, partition) in owned:
                    raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
                owned.add((topic_id, partition))


NEW_PARTITIONS_FROM: Final = 2  # the first version of the response that has them (KIP-1327)
NOT_GIVEN: Final = -1  # RebalanceTimeoutMs: unchanged
ABANDON: Final = "The member must abandon all its partitions and rejoin."

Response = ConsumerGroupHeartbeatResponse
Decided = Decision[Response] | Steps[Decision[Response]]


def leave(groups: Groups, ctx: Context, request: ConsumerGroupHeartbeatRequest) -> Decision[Response]:
    """Decide about a member that leaves, for good or (a static one) for a while. Raises KafkaError."""
    group_id, instance_id = request.group_id, request.instance_id
    group = groups.serving(group_id, ctx.caller.node_id)
    if group is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
    if type(group) is not ConsumerGroup:
        raise not_a_consumer_group(group_id)
    response = Response(member_id=request.member_id, member_epoch=request.member_epoch)
    if instance_id is not None:
        member = owner_of(instance_id, group.static_member(instance_id), request.member_id)
    elif (known := group.members.get(request.member_id)) is None:
        raise unknown_member(group, request.member_id)
    else:
        member = known
    if request.member_epoch != STATIC_LEAVE_EPOCH:
        left = group.members_left((member,), ctx.now, "member left")
        left.response = response
        return left
    # A static member may return until its session ends. It keeps its place.
    assigned = {topic_id: dict.fromkeys(epochs, 0) for topic_id, epochs in member.assigned.items()}
    away = replace(member, epoch=STATIC_LEAVE_EPOCH, assigned=assigned, pending={})
    return Decision(response, records=(current_record(group_id, away),))


def heartbeat(groups: Groups, ctx: Context, request: ConsumerGroupHeartbeatRequest) -> Decided:
    """Decide about a member that joins or is alive. Raises KafkaError."""
    known = groups.serving(request.group_id, ctx.caller.node_id)
    if type(known) is ConsumerGroup:
        return Heartbeat(ctx, known, request).decide()
    group_id = request.group_id
    if request.member_epoch != JOIN_EPOCH:
        if known is None:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Consumer group {group_id} not found.")
        raise not_a_consumer_group(group_id)
    if known is not None and not isinstance(known, ClassicGroup):
        raise not_a_consumer_group(group_id)
    if known is not None and not known.is_empty:
        check_upgrade(known)
        return _upgrading_join(groups, ctx, request, known)
    created = ConsumerGroup(group_id, groups.partition_for(group_id), None, store=groups)
    decision = Heartbeat(ctx, created, request)
    if known is not None:
        decision.records += known.tombstones()
    return decision.decide()


def _upgrading_join(
    groups: Groups, ctx: Context, request: ConsumerGroupHeartbeatRequest, classic: ClassicGroup
) -> Steps[Decision[Response]]:
    """Decide about a member that joins a classic group with members, which becomes a consumer group.

    Parked requests get their responses even if the join is refused then, as in Kafka.
    """
    try:
        upgraded = yield from upgrade(classic, ctx.wall_ms)
    except KafkaError as refused:
        return _refused_upgrade(groups, ctx, classic, refused)
    if groups.get(classic.group_id) is not classic or classic.is_empty:  # deleted or upgraded meanwhile
        try:
            decided = heartbeat(groups, ctx, request)
        except KafkaError as refused:
            return Decision(response_to(refused))
        return decided if isinstance(decided, Decision) else (yield from decided)
    decision = Heartbeat(ctx, upgraded.group, request)
    decision.records += upgraded.records
    decision.after.append(partial(groups.log_migration, classic.group_id, "consumer"))
    decision.after.append(partial(upgraded.start_sessions, groups, ctx.steady_ms))
    decision.released += _rejoin_responses(classic)
    try:
        decided = decision.decide()
    except KafkaError as refused:
        return _refused_upgrade(groups, ctx, classic, refused)
    return decided if isinstance(decided, Decision) else (yield from decided)


def _refused_upgrade(
    groups: Groups, ctx: Context, classic: ClassicGroup, refused: KafkaError
) -> Decision[Response]:
    if groups.get(classic.group_id) is not classic:
        return Decision(response_to(refused))
    after = (partial(classic.refuse_parked, ctx.steady_ms),)
    return Decision(response_to(refused), released=_rejoin_responses(classic), after=after)


def _rejoin_responses(classic: ClassicGroup) -> tuple[Released, ...]:
    """Respond to all parked requests that their members must join again, with their own ids."""
    return refused_requests(classic.members.values(), ErrorCode.REBALANCE_IN_PROGRESS, names_member=True)


def response_to(refused: KafkaError) -> Response:
    return Response(error_code=refused.code, error_message=refused.message)


class Heartbeat(MemberChange[ConsumerGroupHeartbeatRequest, Response]):
    """One heartbeat while it is decided."""

    def decide(self) -> Decided:
        group, request, member_id = self.group, self.request, self.member_id
        known = group.members.get(member_id)
        if known is None:
            self.check_room(request.instance_id)
        if not member_id:
            member_id = self.member_id = self.ctx.new_uuid()
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
            until_ms = self.ctx.steady_ms + self.settings.session_timeout_ms
            return Decision(self._response(before, member), after=(partial(group.heard, member, until_ms),))
        return self.changed(before, member)

    def _static_member(self, instance_id: str) -> ConsumerMember:
        group, member_id = self.group, self.member_id
        if self.request.member_epoch != JOIN_EPOCH:
            member = owner_of(instance_id, group.static_member(instance_id), member_id)
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

    def raises_epoch(self, regex: RegexChange, *, names_changed: bool, assignor_changed: bool) -> bool:
        if assignor_changed and self.group.store.settings.release.has(Change.ASSIGNOR_RAISES_EPOCH):
            return True
        return names_changed or regex is RegexChange.RESOLVED

    def heard(self, group: ConsumerGroup, member: ConsumerMember) -> None:
        group.heard(member, self.ctx.steady_ms + self.settings.session_timeout_ms)

    def result(self, before: ConsumerMember, member: ConsumerMember) -> Decision[Response]:
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
            heartbeat_interval_ms=self.settings.heartbeat_interval_ms,
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
