"""Replay of the records of KIP-848 groups (types 3 to 8, and 16). Compaction leaves them in any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidemark.groups.consumer.model import Consumer, ConsumerGroup
from tidemark.groups.group import LOOK
from tidemark.groups.store import GroupStore
from tidemark_protocol.subscriptions import CONSUMER


def _replay_group(groups: GroupStore, key: Any, value: Any) -> None:
    if value is not None:
        _made(groups, key.group_id).group_epoch = value.epoch
    elif _known(groups, key.group_id) is not None:
        del groups.groups[key.group_id]


def _replay_nothing(groups: GroupStore, key: Any, value: Any) -> None:
    """Ignore a record in which Kafka before 4.0 stored the topics that a group reads."""


def _replay_member(groups: GroupStore, key: Any, value: Any) -> None:
    if value is not None:
        _made_member(groups, key).subscription = value
    elif (group := _known(groups, key.group_id)) is not None:
        group.consumers.pop(key.member_id, None)


def _replay_current_assignment(groups: GroupStore, key: Any, value: Any) -> None:
    if value is not None:
        _made_member(groups, key).current = value
    elif (group := _known(groups, key.group_id)) is not None and key.member_id in group.consumers:
        group.consumers[key.member_id].current = None


def _replay_target_epoch(groups: GroupStore, key: Any, value: Any) -> None:
    if value is not None:
        _made(groups, key.group_id).assignment_epoch = value.assignment_epoch
    elif (group := _known(groups, key.group_id)) is not None:
        group.assignment_epoch = 0


def _replay_target_assignment(groups: GroupStore, key: Any, value: Any) -> None:
    if value is not None:
        _made(groups, key.group_id).targets[key.member_id] = value.topic_partitions
    elif (group := _known(groups, key.group_id)) is not None:
        group.targets.pop(key.member_id, None)


def _replay_regex(groups: GroupStore, key: Any, value: Any) -> None:
    if value is not None:
        _made(groups, key.group_id).regexes[key.regular_expression] = value
    elif (group := _known(groups, key.group_id)) is not None:
        group.regexes.pop(key.regular_expression, None)


def _known(groups: GroupStore, group_id: str) -> ConsumerGroup | None:
    return groups.of_type(ConsumerGroup, group_id)


def _made(groups: GroupStore, group_id: str) -> ConsumerGroup:
    """Return the group, created if need be. It replaces a group of another type."""
    group = _known(groups, group_id)
    if group is not None:
        return group
    made = ConsumerGroup(group_id, groups.partition_for(group_id), None)
    made.protocol_type = CONSUMER
    made.due_bound_ms = LOOK
    groups.groups[group_id] = made
    return made


def _made_member(groups: GroupStore, key: Any) -> Consumer:
    return _made(groups, key.group_id).consumers.setdefault(key.member_id, Consumer(key.member_id))


RECORDS: Final[dict[str, Callable[[Any, Any, Any], None]]] = {
    "ConsumerGroupMetadataKey": _replay_group,
    "ConsumerGroupPartitionMetadataKey": _replay_nothing,
    "ConsumerGroupMemberMetadataKey": _replay_member,
    "ConsumerGroupTargetAssignmentMetadataKey": _replay_target_epoch,
    "ConsumerGroupTargetAssignmentMemberKey": _replay_target_assignment,
    "ConsumerGroupCurrentMemberAssignmentKey": _replay_current_assignment,
    "ConsumerGroupRegularExpressionKey": _replay_regex,
}
