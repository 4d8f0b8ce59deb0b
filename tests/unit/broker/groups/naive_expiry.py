"""A simple model of Kafka's cleanup pass: it checks every offset, and computes with Java's longs."""

from __future__ import annotations

from tidemark.groups.group import Group
from tidemark.groups.state import Groups
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitValue

Offset = tuple[str, str, int]  # group, topic, partition


def base_ms(group: Group, topic: str, committed_ms: int) -> int | None:
    """Return the time from which the age counts. None: a pass skips the offset."""
    unread = group.subscribed_topics is None or topic not in group.subscribed_topics
    if not group.offsets_expire:
        return None
    if group.type_name in ("consumer", "streams"):
        return committed_ms if unread else None
    if group.protocol_type is None:
        return committed_ms
    if group.is_empty:
        return committed_ms if group.state_since_ms is None else group.state_since_ms
    knows = group.protocol_type == "consumer" and group.subscribed_topics is not None
    return committed_ms if knows and group.state_name == "Stable" and unread else None


def goes(
    group: Group, topic: str, value: OffsetCommitValue, *, wall_ms: int, retention_ms: int, pending: bool
) -> bool:
    """Return whether a pass removes the offset."""
    base = base_ms(group, topic, value.commit_timestamp)
    if base is None or pending:
        return False
    if value.expire_timestamp != -1:
        return wall_ms >= value.expire_timestamp
    return java_long(wall_ms - base) >= retention_ms


def java_long(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def full_scan(groups: Groups, wall_ms: int) -> tuple[set[Offset], set[str]]:
    """Return the offsets and the groups that a pass removes at this time."""
    offsets: set[Offset] = set()
    gone: set[str] = set()
    for group_id, group in groups.groups.items():
        if not group.offsets_expire or groups.service_error(group_id) is not ErrorCode.NONE:
            continue
        stored = groups.offsets.of(group_id)
        due = {
            (group_id, *key) for key, value in stored.items() if is_due(groups, group, key, value, wall_ms)
        }
        offsets |= due
        if len(due) == len(stored) and not groups.offsets.pending(group_id) and group.is_empty:
            gone.add(group_id)
    return offsets, gone


def is_due(
    groups: Groups, group: Group, key: tuple[str, int], value: OffsetCommitValue, wall_ms: int
) -> bool:
    return goes(
        group,
        key[0],
        value,
        wall_ms=wall_ms,
        retention_ms=groups.settings.offsets_retention_ms,
        pending=key in groups.offsets.pending(group.group_id),
    )
