"""The creation time of a group, and the partitions that are newer: the accepted text of KIP-1327.

An older record of a group has no creation time; then no partition is new. Neither is one of unknown age.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidemark.groups.consumer.model import FIRST_GROUP_EPOCH, ConsumerGroupModel
from tidemark.groups.limits import GroupLimits
from tidemark.metadata.model import CREATION_UNKNOWN
from tidemark.metadata.state import Cluster


def creation_ms(group: ConsumerGroupModel, limits: GroupLimits, wall_ms: int = CREATION_UNKNOWN) -> int:
    """Return the creation time for the next epoch record. wall_ms: the time if this is the first one."""
    if not limits.creation_times:
        return CREATION_UNKNOWN
    if group.created_ms == CREATION_UNKNOWN and group.group_epoch == FIRST_GROUP_EPOCH:
        return wall_ms
    return group.created_ms


def new_partitions(
    group: ConsumerGroupModel, cluster: Cluster, topic_id: bytes, partitions: Iterable[int]
) -> list[int]:
    """Return those of these partitions that were created after the group."""
    topic = cluster.topics_by_id.get(topic_id)
    if topic is None or group.created_ms == CREATION_UNKNOWN:
        return []
    known = topic.partitions
    return [  # a group that was classic may own partitions that do not exist
        each for each in partitions if 0 <= each < len(known) and known[each].created_ms > group.created_ms
    ]
