"""Replay of the records of share groups (types 10 to 15).

Compaction leaves records in any order. Every function accepts what Kafka 4.2 to 4.4 writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from tidemark.groups.consumer.assignors.spec import partition_order, topic_order
from tidemark.groups.consumer.member import LEAVE_EPOCH, Partitions, count_topics
from tidemark.groups.share.group import SHARE, ShareGroup, ShareMember

if TYPE_CHECKING:
    from tidemark.groups.state import Groups


def _replay_group(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is not None and value is not None:
        group.group_epoch, group.metadata_hash = value.epoch, value.metadata_hash
    elif group is not None:
        del groups.groups[key.group_id]
        groups.share_groups.discard(key.group_id)
        groups.deadlines.set(key.group_id, None)


def _replay_member(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    if value is not None:
        member = _member(group, key.member_id)
        changed = count_topics(group.by_name, member.topic_names, -1)
        member.rack_id = value.rack_id
        member.client_id = value.client_id
        member.client_host = value.client_host
        names = frozenset(value.subscribed_topic_names)
        if names != group.latest_names:
            group.latest_names = names
        member.topic_names = group.latest_names  # one set for all members that name the same topics
        changed |= count_topics(group.by_name, member.topic_names, 1)
    else:
        removed = group.members.pop(key.member_id, None)
        if removed is None:
            return
        changed = count_topics(group.by_name, removed.topic_names, -1)
        group.timers.set(key.member_id, None)
    group.awaits = None
    if changed:
        group.has_state = False
        if not group.is_loading:
            group.subscribed_topics = frozenset(group.by_name)


def _replay_target_epoch(groups: Groups, key: Any, value: Any) -> None:
    if (group := _group(groups, key.group_id, create=value is not None)) is not None:
        group.replay_target_epoch(value)


def _replay_target_assignment(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    group.awaits = None
    before = group.targets.pop(key.member_id, None)
    if before is not None:
        _count_assigned(group, before, -1)
    if value is not None:
        target = group.targets[key.member_id] = _ordered(value.topic_partitions)
        _count_assigned(group, target, 1)


def _count_assigned(group: ShareGroup, target: Partitions, by: int) -> None:
    for topic_id, partitions in target.items():
        counts = group.assigned.setdefault(topic_id, {})
        for partition in partitions:
            count = counts[partition] = counts.get(partition, 0) + by
            if not count:
                del counts[partition]
        if not counts:
            del group.assigned[topic_id]


def _replay_current_assignment(groups: Groups, key: Any, value: Any) -> None:
    """Set what the member has. Compaction may leave this record before the one that adds the member."""
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    if value is not None:
        member = _member(group, key.member_id)
        member.epoch, member.previous_epoch = value.member_epoch, value.previous_member_epoch
        member.state, member.assigned = value.state, _ordered(value.assigned_partitions)
    elif (known := group.members.get(key.member_id)) is not None:
        known.epoch, known.previous_epoch, known.assigned = LEAVE_EPOCH, LEAVE_EPOCH, {}


def _replay_state(groups: Groups, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    group.initializing = {} if value is None else _topics(value.initializing_topics)
    group.initialized = {} if value is None else _topics(value.initialized_topics)
    deleting = () if value is None else value.deleting_topics
    group.deleting = {each.topic_id: each.topic_name for each in deleting}
    group.has_state_record = value is not None
    group.awaits, group.has_state = None, False


def _topics(infos: Iterable[Any]) -> dict[bytes, tuple[str, frozenset[int]]]:
    return {each.topic_id: (each.topic_name, frozenset(each.partitions)) for each in infos}


def _ordered(stored: Iterable[Any]) -> Partitions:
    """Return an assignment in the order of the map and the sets that Kafka makes of its record."""
    found = {each.topic_id: each.partitions for each in stored}
    return {topic_id: partition_order(found[topic_id]) for topic_id in topic_order(found)}


def _group(groups: Groups, group_id: str, *, create: bool) -> ShareGroup | None:
    """Return the group, created if need be. It replaces a simple group, and no other."""
    group = groups.groups.get(group_id)
    if type(group) is ShareGroup:
        return group
    if not create or not (group is None or group.is_placeholder):
        return None
    made = ShareGroup(group_id, groups.partition_for(group_id), None, store=groups)
    made.protocol_type = SHARE
    made.is_loading = groups.is_loading(made.partition)
    made.subscribed_topics = frozenset()
    groups.groups[group_id] = made
    groups.share_groups.add(group_id)
    return made


def _member(group: ShareGroup, member_id: str) -> ShareMember:
    member = group.members.get(member_id)
    if member is None:
        member = group.members[member_id] = ShareMember(member_id)
        group.peak = max(group.peak, len(group.members))
        group.awaits = None
    return member


RECORDS: Final[dict[str, Callable[[Any, Any, Any], None]]] = {
    "ShareGroupMemberMetadataKey": _replay_member,
    "ShareGroupMetadataKey": _replay_group,
    "ShareGroupTargetAssignmentMetadataKey": _replay_target_epoch,
    "ShareGroupTargetAssignmentMemberKey": _replay_target_assignment,
    "ShareGroupCurrentMemberAssignmentKey": _replay_current_assignment,
    "ShareGroupStatePartitionMetadataKey": _replay_state,
}
