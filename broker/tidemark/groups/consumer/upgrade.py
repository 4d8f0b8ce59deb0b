"""A classic group that has members becomes a consumer group, because a consumer joins it.

This is one decision: its records delete the classic group and create the consumer group, in which the classic
members stay. The epoch goes on from the generation. Kafka: GroupMetadataManager.convertToConsumerGroup.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from tidemark.core.in_steps import at_once
from tidemark.core.java import bucket_order
from tidemark.core.result import Record, Steps
from tidemark.groups.classic.model import ClassicModel, Member, name_of
from tidemark.groups.classic.record import group_record
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.migration import (
    UPGRADES,
    classic_metadata_of,
    in_kafkas_order,
)
from tidemark.groups.consumer.model import ConsumerMember, Partitions
from tidemark.groups.consumer.records import (
    current_record,
    epoch_record,
    member_record,
    target_epoch_record,
    target_record,
)
from tidemark.groups.consumer.replay import RECORDS
from tidemark.groups.consumer.subscriptions import subscription_hash
from tidemark.groups.forgetting import batch_bytes_max
from tidemark.groups.store import GroupStore
from tidemark.metadata.model import CREATION_UNKNOWN
from tidemark_protocol.batch import RECORD_OVERHEAD_BYTES
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash
from tidemark_protocol.subscriptions import CONSUMER, read_assignment, read_subscription
from tidemark_protocol.wire import LengthError, WireError

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

    def start_sessions(self, groups: GroupStore, steady_ms: int) -> None:
        """Give the classic members a full session, once the records are replayed."""
        group = groups.of_type(ConsumerGroup, self.group.group_id)
        assert group is not None
        for member in group.members.values():
            if member.classic is not None:
                group.heard(member, steady_ms + member.classic.session_timeout_ms)


def check_upgrade(store: GroupStore, group: ClassicModel) -> None:
    """Raise GROUP_ID_NOT_FOUND unless the group may become a consumer group."""
    limits = store.limits_of(group.group_id)
    if limits.migration_policy not in UPGRADES:
        raise _refused_upgrade(group, "online upgrade is disabled")
    if group.protocol_type != CONSUMER:
        raise _refused_upgrade(group, "the group does not use the consumer embedded protocol")
    if len(group.members) > limits.max_size:
        raise _refused_upgrade(group, "the group size exceeds the consumer group maximum size")


def _refused_upgrade(group: ClassicModel, why: str) -> KafkaError:
    message = f"Cannot upgrade classic group {group.group_id} to consumer group because {why}."
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, message)


def upgrade(store: GroupStore, group: ClassicModel, wall_ms: int) -> Steps[Upgrade]:
    """Return the conversion to a consumer group.

    Raises KafkaError if a member's bytes cannot be read, or if the records do not fit in a batch.
    A generator: it yields after some members. If the group changes meanwhile, it starts again, at once then.

    wall_ms: the creation time of the consumer group (KIP-1327)
    """
    converted = _inputs(store, group)
    try:
        upgraded = yield from _upgrade_in_steps(store, group, wall_ms)
    except KafkaError:
        if _inputs(store, group) == converted:
            raise
    else:
        if _inputs(store, group) == converted:
            return upgraded
    check_upgrade(store, group)
    return at_once(_upgrade_in_steps(store, group, wall_ms))


def _inputs(store: GroupStore, group: ClassicModel) -> list[object]:
    """Return everything from which a group is converted."""
    inputs: list[object] = [store.cluster.topics_version, group.generation, group.protocol]
    for each in group.members.values():
        inputs += (each.member_id, each.instance_id, each.protocols, each.assignment)
        inputs += (each.rebalance_timeout_ms, each.session_timeout_ms)
    return inputs


def _upgrade_in_steps(store: GroupStore, group: ClassicModel, wall_ms: int) -> Steps[Upgrade]:
    group_id, generation = group.group_id, group.generation
    classic = dict(group.members)
    member_ids = yield from _in_order([*classic])
    targets: dict[str, Partitions] = {}
    members: list[ConsumerMember] = []
    bytes_left = batch_bytes_max(store.cluster)
    for number, member_id in enumerate(member_ids, 1):
        member = classic[member_id]
        targets[member_id] = _stored_assignment(store, group, member)
        upgraded = _upgraded_member(group, member, targets[member_id])
        members.append(upgraded)
        bytes_left -= _bytes_min(group_id, upgraded, targets[member_id])
        if bytes_left < 0:  # Kafka writes all records in one batch, or none
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        if number % STEP_MEMBERS == 0:
            yield 0
    _check_owners(targets.values())
    created_ms = wall_ms if store.limits.creation_times else CREATION_UNKNOWN
    topics = frozenset(topic for each in members for topic in each.topic_names)
    in_order = (
        *[partial(member_record, group_id, each) for each in members],
        partial(epoch_record, group_id, generation, subscription_hash(store.cluster, topics), created_ms),
        *[partial(target_record, group_id, each, targets[each]) for each in member_ids],
        partial(target_epoch_record, group_id, generation, UNKNOWN_TIME),
        *[partial(current_record, group_id, each) for each in members],
    )
    # The records make a copy of the group outside of the store.
    copies = GroupStore(store.limits)
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


def _stored_assignment(store: GroupStore, group: ClassicModel, member: Member) -> Partitions:
    """Return what the leader assigned to a member, without topics that do not exist."""
    if not member.assignment:
        return {}
    try:
        assignment = read_assignment(member.assignment)
    except LengthError:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR) from None
    except WireError:
        raise _malformed(group) from None
    if assignment.user_data:
        raise _refused_upgrade(
            group,
            "an unsupported custom assignor is in use. Please refer to the documentation or switch to a "
            "default assignor before re-attempting the upgrade",
        )
    target: Partitions = {}
    for part in assignment.assigned_partitions:
        topic = store.cluster.topics.get(part.topic)
        if topic is not None:
            target.setdefault(topic.topic_id, sorted({*part.partitions}))
    return target


def _upgraded_member(group: ClassicModel, member: Member, target: Partitions) -> ConsumerMember:
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


def _malformed(group: ClassicModel) -> KafkaError:
    return _refused_upgrade(group, "the embedded consumer protocol is malformed")


def _check_owners(targets: Iterable[Partitions]) -> None:
    """Raise UNKNOWN_SERVER_ERROR if a partition is assigned twice. Kafka throws."""
    owned: set[tuple[bytes, int]] = set()
    for target in targets:
        for topic_id, partitions in target.items():
            for partition in partitions:
                if (topic_id, partition) in owned:
                    raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
                owned.add((topic_id, partition))
