"""Replay of the records of streams groups (types 17 and 19 to 23). Only what expiry depends on is kept.

Compaction leaves records in any order. Kafka: GroupMetadataManager.replay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidemark.groups.group import LOOK, MemberFacts
from tidemark.groups.store import GroupStore
from tidemark.groups.streams.model import STREAMS, StreamsGroup
from tidemark_protocol.subscriptions import source_topics


def _replay_group(groups: GroupStore, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is not None and value is not None:
        group.stored = value
    elif group is not None:
        del groups.groups[key.group_id]
        groups.deadlines.set(key.group_id, None)


def _replay_topology(groups: GroupStore, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    group.sources = frozenset() if value is None else source_topics(value)
    _derive_topics(group)


def _replay_member(groups: GroupStore, key: Any, value: Any) -> None:
    group = _group(groups, key.group_id, create=value is not None)
    if group is None:
        return
    if value is None:
        group.members.pop(key.member_id, None)
        group.timers.set(key.member_id, None)
    else:
        group.members[key.member_id] = MemberFacts(
            key.member_id, value.client_id, value.client_host, value.instance_id, None
        )
    _derive_topics(group)


def _replay_current_assignment(groups: GroupStore, key: Any, value: Any) -> None:
    """Add the member. Compaction may leave this record before the one with the member's metadata."""
    group = _group(groups, key.group_id, create=value is not None)
    if group is not None and value is not None and key.member_id not in group.members:
        group.members[key.member_id] = MemberFacts(key.member_id, None, None, None, None)
        _derive_topics(group)


def _replay_target_assignment(groups: GroupStore, key: Any, value: Any) -> None:
    _group(groups, key.group_id, create=value is not None)


def _derive_topics(group: StreamsGroup) -> None:
    """Set the topics that members read, and let the next cleanup pass look at the offsets."""
    group.subscribed_topics = group.sources if group.members else frozenset()
    group.due_bound_ms = LOOK


def _group(groups: GroupStore, group_id: str, *, create: bool) -> StreamsGroup | None:
    """Return the group, created if need be. It replaces a simple group, and no other."""
    group = groups.groups.get(group_id)
    if isinstance(group, StreamsGroup):
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
    "StreamsGroupTargetAssignmentMetadataKey": _replay_target_assignment,
    "StreamsGroupTargetAssignmentMemberKey": _replay_target_assignment,
    "StreamsGroupCurrentMemberAssignmentKey": _replay_current_assignment,
    "StreamsGroupTopologyKey": _replay_topology,
}
