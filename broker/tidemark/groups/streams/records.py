"""The records of streams groups. Kafka: StreamsCoordinatorRecordHelpers."""

from __future__ import annotations

from collections.abc import Mapping

from tidemark.core.decision import Record
from tidemark.groups.streams.member import EpochTasks, StreamsMember, Tasks, TaskSets
from tidemark_protocol.records.streams_group_current_member_assignment import (
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupCurrentMemberAssignmentValue,
)
from tidemark_protocol.records.streams_group_current_member_assignment import TaskIds as CurrentTaskIds
from tidemark_protocol.records.streams_group_member_metadata import (
    Endpoint,
    KeyValue,
    StreamsGroupMemberMetadataKey,
    StreamsGroupMemberMetadataValue,
)
from tidemark_protocol.records.streams_group_metadata import (
    LastAssignmentConfig,
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
)
from tidemark_protocol.records.streams_group_target_assignment_member import (
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupTargetAssignmentMemberValue,
)
from tidemark_protocol.records.streams_group_target_assignment_member import TaskIds as TargetTaskIds
from tidemark_protocol.records.streams_group_target_assignment_metadata import (
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTargetAssignmentMetadataValue,
)
from tidemark_protocol.records.streams_group_topology import StreamsGroupTopologyKey


def epoch_record(
    group_id: str, epoch: int, metadata_hash: int, validated_topology_epoch: int, configs: Mapping[str, str]
) -> Record:
    value = StreamsGroupMetadataValue(
        epoch,
        metadata_hash,
        validated_topology_epoch,
        [LastAssignmentConfig(name, configs[name]) for name in sorted(configs)],
    )
    return Record(StreamsGroupMetadataKey(group_id), value)


def member_record(group_id: str, member: StreamsMember) -> Record:
    value = StreamsGroupMemberMetadataValue(
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        topology_epoch=member.topology_epoch,
        process_id=member.process_id,
        user_endpoint=None if member.endpoint is None else Endpoint(*member.endpoint),
        client_tags=[KeyValue(key, member.client_tags[key]) for key in sorted(member.client_tags)],
    )
    return Record(StreamsGroupMemberMetadataKey(group_id, member.member_id), value)


def target_record(group_id: str, member_id: str, target: TaskSets) -> Record:
    def listed(tasks: Tasks) -> list[TargetTaskIds]:
        return [TargetTaskIds(each, sorted(tasks[each])) for each in sorted(tasks)]

    value = StreamsGroupTargetAssignmentMemberValue(
        active_tasks=listed(target.active),
        standby_tasks=listed(target.standby),
        warmup_tasks=listed(target.warmup),
    )
    return Record(StreamsGroupTargetAssignmentMemberKey(group_id, member_id), value)


def target_epoch_record(group_id: str, epoch: int, at_ms: int) -> Record:
    value = StreamsGroupTargetAssignmentMetadataValue(assignment_epoch=epoch, assignment_timestamp=at_ms)
    return Record(StreamsGroupTargetAssignmentMetadataKey(group_id), value)


def current_record(group_id: str, member: StreamsMember) -> Record:
    assigned, revoking = member.assigned, member.revoking
    value = StreamsGroupCurrentMemberAssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=member.state,
        active_tasks=_with_epochs(assigned.active),
        standby_tasks=_without_epochs(assigned.standby),
        warmup_tasks=_without_epochs(assigned.warmup),
        active_tasks_pending_revocation=_with_epochs(revoking.active),
        standby_tasks_pending_revocation=_without_epochs(revoking.standby),
        warmup_tasks_pending_revocation=_without_epochs(revoking.warmup),
    )
    return Record(StreamsGroupCurrentMemberAssignmentKey(group_id, member.member_id), value)


def _with_epochs(tasks: EpochTasks) -> list[CurrentTaskIds]:
    listed = []
    for subtopology_id in sorted(tasks):
        epochs = tasks[subtopology_id]
        partitions = sorted(epochs)
        listed.append(CurrentTaskIds(subtopology_id, partitions, [epochs[each] for each in partitions]))
    return listed


def _without_epochs(tasks: Tasks) -> list[CurrentTaskIds]:
    return [CurrentTaskIds(each, sorted(tasks[each])) for each in sorted(tasks)]


def removal_records(group_id: str, member_id: str) -> tuple[Record, ...]:
    """Return the records that remove a member. Kafka: removeStreamsMember."""
    return (
        Record(StreamsGroupCurrentMemberAssignmentKey(group_id, member_id), None),
        Record(StreamsGroupTargetAssignmentMemberKey(group_id, member_id), None),
        Record(StreamsGroupMemberMetadataKey(group_id, member_id), None),
    )


def group_tombstones(group_id: str) -> tuple[Record, ...]:
    """Return the records that delete a group without members."""
    return (
        Record(StreamsGroupTargetAssignmentMetadataKey(group_id), None),
        Record(StreamsGroupMetadataKey(group_id), None),
        Record(StreamsGroupTopologyKey(group_id), None),
    )
