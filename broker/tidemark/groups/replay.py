"""Replay of committed offsets, of groups of every protocol, and of the records of classic groups."""

from __future__ import annotations

from typing import cast

from tidemark.groups.classic.joining import ClassicGroup
from tidemark.groups.classic.model import ClassicModel
from tidemark.groups.classic.record import load
from tidemark.groups.group import LOOK
from tidemark.groups.pending import overtake
from tidemark.groups.store import GroupStore
from tidemark_expiry.rules import due_bound_ms
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue


def replay_offset_commit(groups: GroupStore, key: OffsetCommitKey, value: OffsetCommitValue | None) -> None:
    """Store or delete an offset. An unknown group becomes a simple group."""
    if value is None:
        groups.offsets.forget(key)
        return
    group = groups.groups.get(key.group)
    if group is None:
        partition = groups.partition_for(key.group)
        group = ClassicGroup(key.group, partition, value.commit_timestamp, store=groups)
        groups.groups[key.group] = group
        if groups.offsets.of(key.group):  # a tombstone of the group has left them
            group.due_bound_ms = LOOK
    empty_since_ms = group.state_since_ms
    if empty_since_ms is not None and (group.protocol_type is None or not group.is_empty):
        empty_since_ms = None
    due_ms = due_bound_ms(
        value.commit_timestamp, value.expire_timestamp, empty_since_ms, groups.limits.offsets_retention_ms
    )
    if due_ms < group.due_bound_ms:
        group.due_bound_ms = due_ms
    offsets, tp = groups.offsets, (key.topic, key.partition)
    offsets.store(key.group, tp, value)
    if offsets.undecided:
        overtake(offsets.undecided.get(key.group, {}).get(tp))


def replay_classic_group(groups: GroupStore, key: GroupMetadataKey, value: GroupMetadataValue | None) -> None:
    """Create or delete a classic group.

    While the broker runs, the decision also has the changes that make the group what its record says
    (`Result.after`).
    """
    if value is None:
        groups.groups.pop(key.group, None)
        groups.deadlines.set(key.group, None)
        return
    group = groups.groups.get(key.group)
    if group is not None and not groups.is_loading(group.partition):
        cast(ClassicModel, group).stored = value
        return
    loaded = ClassicGroup(key.group, groups.partition_for(key.group), None, store=groups)
    load(loaded, value)
    if group is not None:
        loaded.due_bound_ms = group.due_bound_ms
    elif groups.offsets.of(key.group):  # a tombstone of the group has left them
        loaded.due_bound_ms = LOOK
    if loaded.state_since_ms is not None:
        emptied_due_ms = loaded.state_since_ms + groups.limits.offsets_retention_ms
        loaded.due_bound_ms = min(loaded.due_bound_ms, emptied_due_ms)
    groups.groups[key.group] = loaded


def replay_pending_offset(
    groups: GroupStore, key: OffsetCommitKey, value: OffsetCommitValue, producer: tuple[int, int]
) -> None:
    """Keep an offset of an open transaction. Creates its group if it is unknown.

    Such a record does not name the topic id. Here it is added, as `name_topic` does at a load.
    """
    group = groups.groups.get(key.group)
    if group is None:
        partition = groups.partition_for(key.group)
        group = ClassicGroup(key.group, partition, value.commit_timestamp, store=groups)
        groups.groups[key.group] = group
    group.due_bound_ms = LOOK
    if groups.cluster is not None and not groups.is_loading(group.partition):
        topic = groups.cluster.topics.get(key.topic)
        if topic is not None:
            value.topic_id = topic.topic_id
    groups.offsets.put_pending(group.partition, producer, key, value)
