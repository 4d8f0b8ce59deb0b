"""The records of a KIP-848 group, in Kafka's order. Kafka: GroupCoordinatorRecordHelpers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidemark.core.decision import Record
from tidemark.groups.consumer.member import (
    ConsumerMember,
    Owned,
    ResolvedRegex,
)
from tidemark.metadata.model import CREATION_UNKNOWN
from tidemark_protocol.records.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from tidemark_protocol.records.consumer_group_member_metadata import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
)
from tidemark_protocol.records.consumer_group_metadata import (
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
)
from tidemark_protocol.records.consumer_group_partition_metadata import ConsumerGroupPartitionMetadataKey
from tidemark_protocol.records.consumer_group_regular_expression import (
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
)
from tidemark_protocol.records.consumer_group_target_assignment_member import (
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    TopicPartition,
)
from tidemark_protocol.records.consumer_group_target_assignment_metadata import (
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)


def epoch_record(group_id: str, epoch: int, metadata_hash: int, created_ms: int = CREATION_UNKNOWN) -> Record:
    value = ConsumerGroupMetadataValue(epoch, metadata_hash, created_ms)
    return Record(ConsumerGroupMetadataKey(group_id), value)


def member_record(group_id: str, member: ConsumerMember) -> Record:
    value = ConsumerGroupMemberMetadataValue(
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.topic_names),
        subscribed_topic_regex=member.regex,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        server_assignor=member.assignor,
        classic_member_metadata=member.classic,
    )
    return Record(ConsumerGroupMemberMetadataKey(group_id, member.member_id), value)


def current_record(group_id: str, member: ConsumerMember) -> Record:
    value = ConsumerGroupCurrentMemberAssignmentValue(
        member.epoch, member.previous_epoch, member.state, _owned(member.assigned), _owned(member.pending)
    )
    return Record(ConsumerGroupCurrentMemberAssignmentKey(group_id, member.member_id), value)


def _owned(owned: Owned) -> list[TopicPartitions]:
    return [
        TopicPartitions(topic_id, ordered := sorted(epochs), [epochs[each] for each in ordered])
        for topic_id, epochs in owned.items()
    ]


def target_record(group_id: str, member_id: str, target: Mapping[bytes, Sequence[int]]) -> Record:
    value = ConsumerGroupTargetAssignmentMemberValue(
        [TopicPartition(topic_id, [*partitions]) for topic_id, partitions in target.items()]
    )
    return Record(ConsumerGroupTargetAssignmentMemberKey(group_id, member_id), value)


def target_epoch_record(group_id: str, epoch: int, at_ms: int) -> Record:
    return Record(
        ConsumerGroupTargetAssignmentMetadataKey(group_id),
        ConsumerGroupTargetAssignmentMetadataValue(epoch, at_ms),
    )


def regex_record(group_id: str, regex: str, resolved: ResolvedRegex) -> Record:
    value = ConsumerGroupRegularExpressionValue(sorted(resolved.topics), resolved.version, resolved.at_ms)
    return Record(ConsumerGroupRegularExpressionKey(group_id, regex), value)


def regex_tombstone(group_id: str, regex: str) -> Record:
    return Record(ConsumerGroupRegularExpressionKey(group_id, regex), None)


def partition_metadata_tombstone(group_id: str) -> Record:
    return Record(ConsumerGroupPartitionMetadataKey(group_id), None)


def current_tombstone(group_id: str, member_id: str) -> Record:
    return Record(ConsumerGroupCurrentMemberAssignmentKey(group_id, member_id), None)


def target_tombstone(group_id: str, member_id: str) -> Record:
    return Record(ConsumerGroupTargetAssignmentMemberKey(group_id, member_id), None)


def member_tombstone(group_id: str, member_id: str) -> Record:
    return Record(ConsumerGroupMemberMetadataKey(group_id, member_id), None)


def removal_records(group_id: str, member_id: str) -> tuple[Record, Record, Record]:
    """Return the records that remove a member."""
    return (
        current_tombstone(group_id, member_id),
        target_tombstone(group_id, member_id),
        member_tombstone(group_id, member_id),
    )
