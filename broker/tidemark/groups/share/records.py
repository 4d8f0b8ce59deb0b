"""The records of share groups. Kafka: GroupCoordinatorRecordHelpers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from tidemark.core.decision import Record
from tidemark.groups.consumer.assignors.spec import partition_order, topic_order
from tidemark_protocol.records.share_group_current_member_assignment import (
    ShareGroupCurrentMemberAssignmentKey,
    ShareGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from tidemark_protocol.records.share_group_member_metadata import (
    ShareGroupMemberMetadataKey,
    ShareGroupMemberMetadataValue,
)
from tidemark_protocol.records.share_group_metadata import ShareGroupMetadataKey, ShareGroupMetadataValue
from tidemark_protocol.records.share_group_state_partition_metadata import (
    ShareGroupStatePartitionMetadataKey,
    ShareGroupStatePartitionMetadataValue,
    TopicInfo,
    TopicPartitionsInfo,
)
from tidemark_protocol.records.share_group_target_assignment_member import (
    ShareGroupTargetAssignmentMemberKey,
    ShareGroupTargetAssignmentMemberValue,
    TopicPartition,
)
from tidemark_protocol.records.share_group_target_assignment_metadata import (
    ShareGroupTargetAssignmentMetadataKey,
    ShareGroupTargetAssignmentMetadataValue,
)

if TYPE_CHECKING:
    from tidemark.groups.share.group import ShareMember

StateTopics = Mapping[bytes, tuple[str, Collection[int]]]
"""Topics whose state is known to the share coordinator, or soon will be: name and partitions by topic id."""


def epoch_record(group_id: str, epoch: int, metadata_hash: int) -> Record:
    return Record(ShareGroupMetadataKey(group_id), ShareGroupMetadataValue(epoch, metadata_hash))


def member_record(group_id: str, member: ShareMember) -> Record:
    value = ShareGroupMemberMetadataValue(
        member.rack_id, member.client_id, member.client_host, sorted(member.topic_names)
    )
    return Record(ShareGroupMemberMetadataKey(group_id, member.member_id), value)


def current_record(group_id: str, member: ShareMember) -> Record:
    assigned = [TopicPartitions(topic_id, [*each]) for topic_id, each in member.assigned.items()]
    value = ShareGroupCurrentMemberAssignmentValue(
        member.epoch, member.previous_epoch, member.state, assigned
    )
    return Record(ShareGroupCurrentMemberAssignmentKey(group_id, member.member_id), value)


def target_record(group_id: str, member_id: str, target: Mapping[bytes, Sequence[int]]) -> Record:
    partitions = [TopicPartition(topic_id, [*each]) for topic_id, each in target.items()]
    value = ShareGroupTargetAssignmentMemberValue(partitions)
    return Record(ShareGroupTargetAssignmentMemberKey(group_id, member_id), value)


def target_epoch_record(group_id: str, epoch: int, at_ms: int) -> Record:
    value = ShareGroupTargetAssignmentMetadataValue(epoch, at_ms)
    return Record(ShareGroupTargetAssignmentMetadataKey(group_id), value)


def state_record(
    group_id: str, initializing: StateTopics, initialized: StateTopics, deleting: Mapping[bytes, str]
) -> Record:
    """Return the record of the partitions whose state the share coordinator has, creates or deletes.

    Topics and partitions are in the order of Kafka's maps and sets.
    """
    value = ShareGroupStatePartitionMetadataValue(
        _infos(initializing),
        _infos(initialized),
        [TopicInfo(topic_id, deleting[topic_id]) for topic_id in topic_order(dict.fromkeys(deleting, ()))],
    )
    return Record(ShareGroupStatePartitionMetadataKey(group_id), value)


def _infos(topics: StateTopics) -> list[TopicPartitionsInfo]:
    return [
        TopicPartitionsInfo(topic_id, name, partition_order(sorted(partitions)))
        for topic_id in topic_order(dict.fromkeys(topics, ()))
        for name, partitions in (topics[topic_id],)
    ]


def removal_records(group_id: str, member_id: str) -> tuple[Record, Record, Record]:
    """Return the records that remove a member."""
    return (
        Record(ShareGroupCurrentMemberAssignmentKey(group_id, member_id), None),
        Record(ShareGroupTargetAssignmentMemberKey(group_id, member_id), None),
        Record(ShareGroupMemberMetadataKey(group_id, member_id), None),
    )


def group_tombstones(group_id: str, member_ids: Collection[str]) -> tuple[Record, ...]:
    """Return the records that delete a group. Kafka: ShareGroup.createGroupTombstoneRecords."""
    return (
        *[Record(ShareGroupCurrentMemberAssignmentKey(group_id, each), None) for each in member_ids],
        *[Record(ShareGroupTargetAssignmentMemberKey(group_id, each), None) for each in member_ids],
        Record(ShareGroupTargetAssignmentMetadataKey(group_id), None),
        *[Record(ShareGroupMemberMetadataKey(group_id, each), None) for each in member_ids],
        Record(ShareGroupStatePartitionMetadataKey(group_id), None),
        Record(ShareGroupMetadataKey(group_id), None),
    )
