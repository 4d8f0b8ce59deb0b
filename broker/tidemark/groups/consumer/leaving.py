"""Members that leave or are removed. Kafka: GroupMetadataManager.consumerGroupFenceMember."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tidemark.core.result import Record, Result
from tidemark.groups.consumer.creation import creation_ms
from tidemark.groups.consumer.events import ConsumersRemoved
from tidemark.groups.consumer.model import STATIC_LEAVE_EPOCH, ConsumerGroupModel, ConsumerMember
from tidemark.groups.consumer.records import (
    current_record,
    epoch_record,
    regex_tombstone,
    removal_records,
)
from tidemark.groups.consumer.subscriptions import NOBODY, topics_after


def member_left(group: ConsumerGroupModel, member: ConsumerMember, reason: str) -> Result[Any]:
    """Remove a member: the group epoch rises."""
    assert group.store is not None, group.group_id
    group_id = group.group_id
    records: list[Record] = [*removal_records(group_id, member.member_id)]
    if member.regex and group.regex_members.get(member.regex) == 1:
        records.append(regex_tombstone(group_id, member.regex))
    metadata_hash = topics_after(group, member, NOBODY).hash(group.store.cluster)
    created_ms = creation_ms(group, group.store.limits)
    records.append(epoch_record(group_id, group.group_epoch + 1, metadata_hash, created_ms))
    return Result(records=tuple(records), events=(ConsumersRemoved(group_id, (member.member_id,), reason),))


def static_member_left(group: ConsumerGroupModel, member: ConsumerMember) -> Result[Any]:
    """Keep the place of a static member that returns, until its session ends."""
    assigned = {topic_id: dict.fromkeys(epochs, 0) for topic_id, epochs in member.assigned.items()}
    left = replace(member, epoch=STATIC_LEAVE_EPOCH, assigned=assigned, pending={})
    return Result(records=(current_record(group.group_id, left),))
