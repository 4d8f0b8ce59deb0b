"""Explain in a sentence why a committed offset or a group is kept, expires, or was removed.

HTTP, the tools and test failures show these sentences. Those about one offset are shared with the pipeline:
`tidemark_expiry.sentences`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidemark.core.decision import Cause, Removal
from tidemark.groups.group import Group
from tidemark.groups.offsets import TopicPartition
from tidemark_expiry.rules import Expiry, Rule
from tidemark_expiry.sentences import MINUTE_MS, Explained, Retention, explain, moment, pass_text, shown
from tidemark_protocol.records.offset_commit import OffsetCommitValue


@dataclass(slots=True, frozen=True)
class Outlook:
    """When a group and its offsets expire.

    offsets    how many offsets the group has
    next_ms    when the first of them expires; None: none does
    due_ms     when the group itself expires; None: it does not
    last_rule  the rule by which the last offset expires
    pending    an open transaction has committed offsets of the group
    """

    offsets: int
    next_ms: int | None
    due_ms: int | None
    last_rule: Rule | None = None
    pending: bool = False


@dataclass(slots=True, frozen=True)
class Holder:
    """An open transaction that has committed an offset for a partition.

    transactional_id: None if no transactional id has this producer. since_ms: of its first offset (wall time)
    """

    transactional_id: str | None
    producer_id: int
    producer_epoch: int
    since_ms: int


def explain_offset(
    group: Group,
    place: TopicPartition,
    value: OffsetCommitValue,
    found: Expiry,
    *,
    wall_ms: int,
    retention: Retention,
    holders: Sequence[Holder] = (),
) -> str:
    """Explain `found`, the result of `retention.expiry` for this offset, time and retention.

    holders: the open transactions with an offset for the partition. They are named if they hold it.
    """
    sentence = explain(
        Explained(
            group=group.group_id,
            group_type=group.type_name,
            protocol_type=group.protocol_type,
            state=group.state_name,
            state_ms=group.state_since_ms,
            topics_known=group.subscribed_topics is not None,
            topic=place[0],
            partition=place[1],
            commit_ms=value.commit_timestamp,
            expire_ms=value.expire_timestamp,
            expiry=found,
            wall_ms=wall_ms,
            retention=str(retention),
        )
    )
    if found.rule is not Rule.PENDING_TRANSACTION or not holders:
        return sentence
    return f"{sentence} {_held_by(holders)}"


def _held_by(holders: Sequence[Holder]) -> str:
    first, more = holders[0], len(holders) - 1
    producer = f"producer {first.producer_id}, epoch {first.producer_epoch}"
    name = producer
    if first.transactional_id is not None:
        name = f"transactional id {shown(first.transactional_id)} ({producer})"
    others = "" if not more else f", and of {more} more" if more > 1 else ", and of another one"
    return f"It is the transaction of {name}, with pending offsets since {moment(first.since_ms)}{others}."


# Groups.


def explain_group(group: Group, outlook: Outlook, *, wall_ms: int, retention: Retention) -> str:
    """Explain when the group expires, or why it is kept."""
    name = f"Group {shown(group.group_id)}"
    if group.type_name == "share":
        return f"{name} is a share group: it does not expire."
    if not group.offsets_expire:
        return f"{name} is of type {group.type_name}, which tidemark does not serve: it does not expire."
    if not group.is_empty:
        return _in_use(name, group, outlook, wall_ms)
    if outlook.pending:
        return f"{name} is Empty and kept: an open transaction has committed offsets of it."
    if outlook.due_ms is None:
        return f"{name} is Empty and kept: one of its offsets never expires."
    if not outlook.offsets:
        return (
            f"{name} is Empty without offsets: the next cleanup pass removes it, regardless of the retention."
        )
    last = "its only offset" if outlook.offsets == 1 else f"the last of its {outlook.offsets} offsets"
    by = f"({retention})"
    if outlook.last_rule is Rule.EXPLICIT_RETENTION:
        by = "(the commit set its own retention: OffsetCommit v2 to v4)"
    return f"{name} {_emptiness(group)} and expires with {last} at {pass_text(outlook.due_ms, wall_ms)} {by}."


def _emptiness(group: Group) -> str:
    if group.protocol_type is None:
        return "has never had members"
    return (
        "is Empty" if group.state_since_ms is None else f"has been Empty since {moment(group.state_since_ms)}"
    )


def _in_use(name: str, group: Group, outlook: Outlook, wall_ms: int) -> str:
    kept = f"{name} is {group.state_name}: it does not expire while it has members."
    if outlook.next_ms is None:
        return kept
    expires = pass_text(outlook.next_ms, wall_ms)
    return f"{kept} The first of its offsets without a subscription expires at {expires}."


# Removed offsets.


def explain_removal(removal: Removal) -> str:
    """Explain why an offset was removed."""
    offset = f"{shown(removal.topic)}-{removal.partition} of group {shown(removal.group)}"
    removed = f"Offset {removal.offset} of {offset} was removed at {moment(removal.at_ms)}"
    if removal.cause is Cause.EXPIRED:
        because = f": {_why_expired(removal)}"
    else:
        because = f", {_REQUESTS[removal.cause]}"
    return f"{removed}{because}{INFERRED if removal.inferred else ''}."


INFERRED: Final = "; this is inferred, because the log does not record causes"
_REQUESTS: Final = {
    Cause.OFFSET_DELETE: "by an OffsetDelete request",
    Cause.GROUP_DELETE: "with its group, by a DeleteGroups request",
    Cause.TOPIC_DELETE: "with its topic, which was deleted",
}


def _why_expired(removal: Removal) -> str:
    assert removal.due_ms is not None
    committed = f"it was committed at {moment(removal.committed_ms)}"
    if removal.rule == Rule.EXPLICIT_RETENTION:
        return f"{committed} with its own retention, which ended at {moment(removal.due_ms)}"
    assert removal.since_ms is not None
    minutes = (removal.due_ms - removal.since_ms) // MINUTE_MS
    due = f"due since {moment(removal.due_ms)} (offsets.retention.minutes={minutes})"
    if removal.rule == Rule.GROUP_EMPTY:
        return f"the group was Empty, counted from {moment(removal.since_ms)}, and its offsets were {due}"
    if removal.rule == Rule.TOPIC_NOT_SUBSCRIBED:
        topic = shown(removal.topic)
        return f"{committed}, no member of the group was subscribed to {topic}, and it was {due}"
    return f"{committed}, the group had never had members, and it was {due}"
