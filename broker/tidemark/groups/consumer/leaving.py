"""Members that leave or are removed. Kafka: GroupMetadataManager.consumerGroupFenceMember."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tidemark.core.context import Now
from tidemark.core.result import MembersRemoved, Result
from tidemark.groups.consumer.creation import creation_ms
from tidemark.groups.consumer.downgrade import Downgrade, may_downgrade
from tidemark.groups.consumer.model import STATIC_LEAVE_EPOCH, ConsumerGroupModel, ConsumerMember
from tidemark.groups.consumer.records import (
    current_record,
    epoch_record,
    regex_tombstone,
    removal_records,
)
from tidemark.groups.consumer.subscriptions import topics_without


def members_left(
    group: ConsumerGroupModel, members: Sequence[ConsumerMember], now: Now, reason: str
) -> Result[Any]:
    """Remove members, which raises the group epoch once.

    If only classic members stay, the group may become classic. reason: for the log
    Raises GROUP_ID_NOT_FOUND if the metadata of one of them cannot be read.
    """
    assert group.store is not None, group.group_id
    group_id = group.group_id
    removed = MembersRemoved(group_id, tuple(each.member_id for each in members), reason)
    if group.classic_members and may_downgrade(group, members):
        records, event = Downgrade(group, now, f"{reason}: group became classic", members).changes()
        return Result(records=records, events=(event,), effects=(removed,))
    removals = [record for each in members for record in removal_records(group_id, each.member_id)]
    leaving = Counter(each.regex for each in members if each.regex)
    unused = [regex for regex, count in leaving.items() if group.regex_members.get(regex) == count]
    metadata_hash = topics_without(group, members, unused).hash(group.store.cluster)
    created_ms = creation_ms(group, group.store.limits)
    return Result(
        records=(
            *removals,
            *[regex_tombstone(group_id, regex) for regex in unused],
            epoch_record(group_id, group.group_epoch + 1, metadata_hash, created_ms),
        ),
        effects=(removed,),
    )


def static_member_left(group: ConsumerGroupModel, member: ConsumerMember) -> Result[Any]:
    """Keep the place of a static member that returns, until its session ends."""
    assigned = {topic_id: dict.fromkeys(epochs, 0) for topic_id, epochs in member.assigned.items()}
    left = replace(member, epoch=STATIC_LEAVE_EPOCH, assigned=assigned, pending={})
    return Result(records=(current_record(group.group_id, left),))
