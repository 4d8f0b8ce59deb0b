"""Replay of the records of KIP-848 groups (types 3 to 8, and 16).

Compaction leaves records in any order. Every function accepts what Kafka 3.7 to 4.3 writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.member import (
    LEAVE_EPOCH,
    ConsumerMember,
    Owned,
    ResolvedRegex,
    count,
    count_topics,
)
from tidemark.groups.group import DUE_UNKNOWN
from tidemark.settings.release import Change
from tidemark_protocol.subscriptions import CONSUMER

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

# records


def _replay_group(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        group = _made(groups, key.group_id)
        group.group_epoch = value.epoch
        group.metadata_hash = group.hash_seen = value.metadata_hash
        group.created_ms = value.creation_time_ms
        _derive_state(group)
    elif _known(groups, key.group_id) is not None:
        del groups.groups[key.group_id]
        groups.deadlines.set(key.group_id, None)


def _replay_partition_metadata(groups: Groups, key: Any, value: Any) -> None:
    """Remember that the record exists. Kafka before 4.0 stored the subscribed topics in it."""
    if value is not None:
        _made(groups, key.group_id).has_partition_metadata = True
    elif (group := _known(groups, key.group_id)) is not None:
        group.has_partition_metadata = False


def _replay_member(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        group = _made(groups, key.group_id)
        member = _made_member(group, key.member_id)
        changed = _count_subscription(group, member, -1)
        before = member.instance_id
        if before is not None and groups.settings.release.has(Change.INSTANCE_HAS_ONE_NAME):
            group.static_members.pop(before, None)
        member.instance_id = value.instance_id
        member.rack_id = value.rack_id
        member.client_id = value.client_id
        member.client_host = value.client_host
        names = frozenset(value.subscribed_topic_names)
        if names != group.latest_names:
            group.latest_names = names
        member.topic_names = group.latest_names  # one set for all members that name the same topics
        member.regex = value.subscribed_topic_regex
        member.rebalance_timeout_ms = value.rebalance_timeout_ms
        member.assignor = value.server_assignor
        member.classic = value.classic_member_metadata
        changed |= _count_subscription(group, member, 1)
        if member.instance_id is not None:
            group.static_members[member.instance_id] = member.member_id
    else:
        known = _known(groups, key.group_id)
        removed = None if known is None else known.members.pop(key.member_id, None)
        if known is None or removed is None:
            return
        group = known
        changed = _count_subscription(group, removed, -1)
        _release(group, removed)
        group.unreconciled -= not removed.is_reconciled(group.assignment_epoch)
        group.timers.set(removed.member_id, None)
        if removed.instance_id is not None:
            group.static_members.pop(removed.instance_id, None)
    if changed:
        _derive_topics(group)
    _derive_state(group)


def _replay_current_assignment(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        group = _made(groups, key.group_id)
        assigned = _owned(value.assigned_partitions, value.member_epoch)
        pending = _owned(value.partitions_pending_revocation, value.member_epoch)
        member = _made_member(group, key.member_id)
        _set_assignment(group, member, (value.member_epoch, value.previous_member_epoch, value.state))
        member.assigned, member.pending = assigned, pending
        _own(group, member)
    elif (known := _known(groups, key.group_id)) is not None and key.member_id in known.members:
        group, member = known, known.members[key.member_id]
        _set_assignment(group, member, (LEAVE_EPOCH, LEAVE_EPOCH, member.state))
        member.assigned, member.pending = {}, {}
    else:
        return
    _derive_state(group)


def _set_assignment(group: ConsumerGroup, member: ConsumerMember, epochs: tuple[int, int, int]) -> None:
    """Set epochs and state. The member owns nothing until `_own`."""
    _release(group, member)
    group.unreconciled -= not member.is_reconciled(group.assignment_epoch)
    member.epoch, member.previous_epoch, member.state = epochs
    group.unreconciled += not member.is_reconciled(group.assignment_epoch)


def _replay_target_epoch(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        group = _made(groups, key.group_id)
    elif (known := _known(groups, key.group_id)) is not None:
        group = known
    else:
        return
    group.replay_target_epoch(value)
    if not group.is_loading:
        epoch = group.assignment_epoch
        group.unreconciled = sum(not each.is_reconciled(epoch) for each in group.members.values())
    _derive_state(group)


def _replay_target_assignment(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        _made(groups, key.group_id).targets[key.member_id] = {
            each.topic_id: each.partitions for each in value.topic_partitions
        }
    elif (group := _known(groups, key.group_id)) is not None:
        group.targets.pop(key.member_id, None)


def _replay_regex(groups: Groups, key: Any, value: Any) -> None:
    known = _known(groups, key.group_id)
    if known is None and value is None:
        return
    group = known or _made(groups, key.group_id)
    changed = False
    before = group.regexes.pop(key.regular_expression, None)
    if before is not None:
        changed = count_topics(group.by_regex, before.topics, -1)
    if value is not None:
        resolved = ResolvedRegex(frozenset(value.topics), value.version, value.timestamp)
        group.regexes[key.regular_expression] = resolved
        changed |= count_topics(group.by_regex, resolved.topics, 1)
    if changed:
        _derive_topics(group)


# what follows from records


def _count_subscription(group: ConsumerGroup, member: ConsumerMember, by: int) -> bool:
    """Add a member to the counts, or remove it. Return True if a topic was added or removed."""
    changed = count_topics(group.by_name, member.topic_names, by)
    if member.regex:
        count(group.regex_members, member.regex, by)
    if member.assignor is not None:
        count(group.votes, member.assignor, by)
    if member.classic is not None:
        group.classic_members += by
        for protocol in member.classic.supported_protocols:
            count(group.classic_protocols, protocol.name, by)
    return changed


def _derive_topics(group: ConsumerGroup) -> None:
    """Set the topics of all members, and let the next cleanup pass look at the offsets."""
    group.due_bound_ms = DUE_UNKNOWN
    if not group.is_loading:
        group.subscribed_topics = frozenset(group.by_name.keys() | group.by_regex.keys())


def _derive_state(group: ConsumerGroup) -> None:
    if not group.is_loading:
        group.state = group.derived_state()


def _owned(stored: Iterable[Any], member_epoch: int) -> Owned:
    """Return partitions with their epochs. Kafka before 4.3 stored none: it was the member's."""
    owned: Owned = {}
    for each in stored:
        epochs = each.assignment_epochs
        if epochs is None or len(epochs) != len(each.partitions):
            epochs = [max(member_epoch, 0)] * len(each.partitions)
        owned[each.topic_id] = dict(zip(each.partitions, epochs, strict=True))
    return owned


def _own(group: ConsumerGroup, member: ConsumerMember) -> None:
    epoch = member.epoch
    for owned in (member.assigned, member.pending):
        for topic_id, partitions in owned.items():
            owners = group.owners.setdefault(topic_id, {})
            for partition in partitions:
                if partition not in owners or owners[partition] < epoch:
                    owners[partition] = epoch


def _release(group: ConsumerGroup, member: ConsumerMember) -> None:
    """Remove a member as owner. A partition that another member got at a later epoch stays owned."""
    epoch = member.epoch
    for owned in (member.assigned, member.pending):
        for topic_id, partitions in owned.items():
            owners = group.owners.get(topic_id)
            if owners is None:
                continue
            for partition in partitions:
                if owners.get(partition) == epoch:
                    del owners[partition]
            if not owners:
                del group.owners[topic_id]


def _known(groups: Groups, group_id: str) -> ConsumerGroup | None:
    return groups.of_type(ConsumerGroup, group_id)


def _made(groups: Groups, group_id: str) -> ConsumerGroup:
    """Return the group, created if need be. It replaces a group of another type."""
    group = groups.groups.get(group_id)
    if type(group) is ConsumerGroup:
        return group
    made = ConsumerGroup(group_id, groups.partition_for(group_id), None, store=groups)
    made.protocol_type = CONSUMER
    made.due_bound_ms = DUE_UNKNOWN
    made.is_loading = groups.is_loading(made.partition)
    made.subscribed_topics = frozenset()
    groups.groups[group_id] = made
    return made


def _made_member(group: ConsumerGroup, member_id: str) -> ConsumerMember:
    member = group.members.get(member_id)
    if member is None:
        member = group.members[member_id] = ConsumerMember(member_id)
        group.peak = max(group.peak, len(group.members))
        group.unreconciled += not member.is_reconciled(group.assignment_epoch)
    return member


RECORDS: Final[dict[str, Callable[[Any, Any, Any], None]]] = {
    "ConsumerGroupMetadataKey": _replay_group,
    "ConsumerGroupPartitionMetadataKey": _replay_partition_metadata,
    "ConsumerGroupMemberMetadataKey": _replay_member,
    "ConsumerGroupTargetAssignmentMetadataKey": _replay_target_epoch,
    "ConsumerGroupTargetAssignmentMemberKey": _replay_target_assignment,
    "ConsumerGroupCurrentMemberAssignmentKey": _replay_current_assignment,
    "ConsumerGroupRegularExpressionKey": _replay_regex,
}
