"""Replay of the records of streams groups (types 17 and 19 to 23).

Compaction leaves records in any order. Every function accepts what Kafka 4.1 to 4.4 writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.decision import at_once
from tidemark.core.java import put_order
from tidemark.groups.consumer.member import LEAVE_EPOCH
from tidemark.groups.group import DUE_UNKNOWN
from tidemark.groups.streams.group import STREAMS, StreamsGroup
from tidemark.groups.streams.member import EpochTasks, MemberTasks, StreamsMember, Tasks, TaskSets
from tidemark.groups.streams.topology import source_topics

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

NO_MEMBER_TASKS: Final = MemberTasks()


def _replay_group(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is not None and value is not None:
        group.group_epoch, group.metadata_hash = value.epoch, value.metadata_hash
        group.validated_topology_epoch = value.validated_topology_epoch
        group.configs = {each.key: each.value for each in value.last_assignment_configs or ()}
    elif group is not None:
        for member in group.members.values():
            _forget_task_offsets(groups, member)
        del groups.groups[key.group_id]
        groups.deadlines.set(key.group_id, None)


def _replay_topology(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is not None:
        group.topology = value
        group.sources = {} if value is None else at_once(source_topics(value))
        group.configured = group.described = None
        _derive_topics(group)


def _replay_member(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    if value is None:
        removed = group.members.pop(key.member_id, None)
        if removed is not None:
            group.owners.remove(removed)
            group.unreconciled -= not removed.is_reconciled(group.assignment_epoch)
            group.timers.set(key.member_id, None)
            _forget_task_offsets(groups, removed)
            if removed.instance_id is not None:
                group.static_members.pop(removed.instance_id, None)
        if not group.members:
            group.shutdown_by = None
    else:
        member = _member(group, key.member_id)
        group.owners.remove(member)  # its process may be another one now
        if member.instance_id is not None:
            group.static_members.pop(member.instance_id, None)
        if value.instance_id is not None:
            group.static_members[value.instance_id] = member.member_id
        member.instance_id, member.rack_id = value.instance_id, value.rack_id
        member.client_id, member.client_host = value.client_id, value.client_host
        member.rebalance_timeout_ms = value.rebalance_timeout_ms
        member.topology_epoch = value.topology_epoch
        member.process_id = value.process_id
        endpoint = value.user_endpoint
        member.endpoint = None if endpoint is None else (endpoint.host, endpoint.port)
        member.client_tags = {each.key: each.value for each in value.client_tags}
        group.owners.add(member)
    _derive_topics(group)


def _forget_task_offsets(groups: Groups, member: StreamsMember) -> None:
    groups.task_offsets_bytes -= member.task_offsets_bytes + member.task_end_offsets_bytes


def _replay_target_epoch(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    group.replay_target_epoch(value)
    group.left_targets = {}
    epoch = group.assignment_epoch
    group.unreconciled = sum(not each.is_reconciled(epoch) for each in group.members.values())


def _replay_target_assignment(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    if value is None:
        group.targets.pop(key.member_id, None)
    else:
        group.targets[key.member_id] = TaskSets(
            _tasks(value.active_tasks), _tasks(value.standby_tasks), _tasks(value.warmup_tasks)
        )


def _replay_current_assignment(groups: Groups, key: Any, value: Any) -> None:
    """Set what the member has. Compaction may leave this record before the one that adds the member."""
    group = _group(groups, key.group_id, create=value is not None)
    if group is None or (value is None and key.member_id not in group.members):
        return
    member = _member(group, key.member_id)
    group.owners.remove(member)
    group.unreconciled -= not member.is_reconciled(group.assignment_epoch)
    if value is None:
        member.epoch = member.previous_epoch = LEAVE_EPOCH
        member.assigned = member.revoking = NO_MEMBER_TASKS
    else:
        epoch = value.member_epoch
        member.epoch, member.previous_epoch, member.state = epoch, value.previous_member_epoch, value.state
        member.assigned = MemberTasks(
            _epochs(value.active_tasks, epoch), _tasks(value.standby_tasks), _tasks(value.warmup_tasks)
        )
        member.revoking = MemberTasks(
            _epochs(value.active_tasks_pending_revocation, epoch),
            _tasks(value.standby_tasks_pending_revocation),
            _tasks(value.warmup_tasks_pending_revocation),
        )
    group.owners.add(member)
    group.unreconciled += not member.is_reconciled(group.assignment_epoch)


def _tasks(listed: Iterable[Any]) -> Tasks:
    """Return tasks in the order of Kafka's map."""
    partitions = {each.subtopology_id: sorted(each.partitions) for each in listed}
    return {each: partitions[each] for each in put_order(partitions)}


def _epochs(listed: Iterable[Any], member_epoch: int) -> EpochTasks:
    """Return tasks with their epochs, in the order of Kafka's map.

    Kafka 4.2 does not record the epochs: then each is the member's.
    """
    epochs_of: dict[str, dict[int, int]] = {}
    for each in listed:
        epochs = each.assignment_epochs or ()
        if len(epochs) == len(each.partitions):
            epochs_of[each.subtopology_id] = dict(zip(each.partitions, epochs, strict=True))
        else:
            epochs_of[each.subtopology_id] = dict.fromkeys(each.partitions, member_epoch)
    return {each: epochs_of[each] for each in put_order(epochs_of)}


def _derive_topics(group: StreamsGroup) -> None:
    """Set the topics that members read, and let the next cleanup pass look at the offsets."""
    group.subscribed_topics = frozenset(group.sources) if group.members else frozenset()
    group.due_bound_ms = DUE_UNKNOWN


def _member(group: StreamsGroup, member_id: str) -> StreamsMember:
    member = group.members.get(member_id)
    if member is None:
        member = group.members[member_id] = StreamsMember(member_id)
        group.peak = max(group.peak, len(group.members))
        group.unreconciled += not member.is_reconciled(group.assignment_epoch)
        group.owners.add(member)
        _derive_topics(group)
    return member


def _group(groups: Groups, group_id: str, *, create: bool) -> StreamsGroup | None:
    """Return the group, created if need be. It replaces a simple group, and no other."""
    group = groups.groups.get(group_id)
    if type(group) is StreamsGroup:
        return group
    if not create or not (group is None or group.is_placeholder):
        return None
    made = StreamsGroup(group_id, groups.partition_for(group_id), None, store=groups)
    made.protocol_type = STREAMS
    _derive_topics(made)
    groups.groups[group_id] = made
    return made


RECORDS: Final[dict[str, Callable[[Any, Any, Any], None]]] = {
    "StreamsGroupMetadataKey": _replay_group,
    "StreamsGroupMemberMetadataKey": _replay_member,
    "StreamsGroupTargetAssignmentMetadataKey": _replay_target_epoch,
    "StreamsGroupTargetAssignmentMemberKey": _replay_target_assignment,
    "StreamsGroupCurrentMemberAssignmentKey": _replay_current_assignment,
    "StreamsGroupTopologyKey": _replay_topology,
}
