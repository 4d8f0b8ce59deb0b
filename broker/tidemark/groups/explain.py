"""Why a committed offset, or a group, stays or goes: what `retention` says, in plain English.

Whoever has a question about an expiry is shown these sentences: over HTTP, by the tools, in a test's failure.
They name the rule, what its clock counts from, when that is up, and what users get wrong about it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from tidemark.core.removal import Cause, Removal
from tidemark.groups.classic.model import Group, GroupState
from tidemark.groups.offsets import TopicPartition
from tidemark.groups.retention import ABSENT, Expiry, Rule
from tidemark_protocol.records.offset_commit import OffsetCommitValue
from tidemark_protocol.subscriptions import CONSUMER

MINUTE_MS: Final = 60_000
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
DATES_MS: Final = range(-62_135_596_800_000, 253_402_300_800_000)  # what has a date: the years 1 to 9999
REBALANCING: Final = (GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE)

_PLAIN: Final = re.compile(r"[\w.:/@-]+")


@dataclass(slots=True, frozen=True)
class Retention:
    """offsets.retention.minutes: as it is set, as we assume it, or as somebody asks what if."""

    ms: int
    origin: Literal["set", "assumed", "asked"] = "set"

    def __str__(self) -> str:
        told = f"offsets.retention.minutes={self.ms // MINUTE_MS}"
        return told if self.origin == "set" else f"{told}, as {self.origin}"


@dataclass(slots=True, frozen=True)
class Outlook:
    """What becomes of a whole group.

    offsets    how many it has
    next_ms    when the first of them goes, due_ms when the group goes itself; None: not as things stand
    last_rule  by which the last of them goes
    """

    offsets: int
    next_ms: int | None
    due_ms: int | None
    last_rule: Rule | None = None


def moment(ms: int) -> str:
    """UTC as ISO text. Java's longs reach further than dates do."""
    if ms not in DATES_MS:
        return f"{ms} ms since 1970"
    date = EPOCH + timedelta(milliseconds=ms)
    return date.replace(tzinfo=None).isoformat(timespec="milliseconds" if ms % 1000 else "seconds") + "Z"


def shown(name: str) -> str:
    """A name in a sentence: quoted where it would not be seen to begin or to end."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


# One offset.


@dataclass(slots=True, frozen=True)
class _Case:
    """What the sentences about one offset are made of."""

    group: Group
    topic: str
    partition: int
    value: OffsetCommitValue
    found: Expiry
    wall_ms: int
    retention: Retention

    @property
    def group_id(self) -> str:
        return shown(self.group.group_id)

    @property
    def where(self) -> str:
        return f"{shown(self.topic)}-{self.partition}"

    @property
    def committed(self) -> str:
        return moment(self.value.commit_timestamp)

    @property
    def ages(self) -> str:
        """Of an offset that has its own clock."""
        goes = _goes(self.found.due_ms, self.wall_ms, self.retention)
        return f"{self.where} was committed at {self.committed} and {goes}"


def explain_offset(
    group: Group,
    where: TopicPartition,
    value: OffsetCommitValue,
    found: Expiry,
    *,
    wall_ms: int,
    retention: Retention,
) -> str:
    """found: what `retention.expiry` says of this offset at this wall time with this retention."""
    return _SAY[found.rule](_Case(group, *where, value, found, wall_ms, retention))


def _goes(due_ms: int | None, wall_ms: int, retention: Retention) -> str:
    if due_ms is None:
        return f"never goes, as nothing gets that old ({retention})"
    return f"goes at {_pass(due_ms, wall_ms)} ({retention})"


def _pass(due_ms: int, wall_ms: int) -> str:
    """Which cleanup pass takes what is due then."""
    if wall_ms < due_ms:
        return f"the first cleanup pass from {moment(due_ms)} on"
    return f"the next cleanup pass, being due since {moment(due_ms)}"


def _group_empty(case: _Case) -> str:
    since_ms = case.group.state_since_ms
    if since_ms is None:
        return (
            f"Group {case.group_id} is Empty, but its record, written by a Kafka before 2.1, does not say "
            f"since when, so each of its offsets has its own clock: {case.ages}."
        )
    goes = _goes(case.found.due_ms, case.wall_ms, case.retention)
    said = f"Group {case.group_id} has been Empty since {moment(since_ms)}: {case.where} {goes}."
    if case.value.commit_timestamp > since_ms:
        return (
            f"{said} The commit at {case.committed} did not restart this clock, which is the group's: only a "
            "join does."
        )
    return f"{said} A commit does not restart this clock, which is the group's."


def _topic_not_subscribed(case: _Case) -> str:
    said = (
        f"Nobody in group {case.group_id} is subscribed to {shown(case.topic)}, so the age of the commit "
        f"counts: {case.ages}. A commit restarts this clock"
    )
    if case.group.kind == CONSUMER:
        return f"{said}; the last member's leaving does not, as the group is one of KIP-848."
    return f"{said}."


def _standalone(case: _Case) -> str:
    return (
        f"Group {case.group_id} has never had members, so each of its offsets has its own clock: "
        f"{case.ages}. A commit restarts this clock."
    )


def _explicit_retention(case: _Case) -> str:
    assert case.found.due_ms is not None
    return (
        f"{case.where} of group {case.group_id} was committed at {case.committed} with a retention of its "
        f"own (OffsetCommit v2 to v4): it goes at {_pass(case.found.due_ms, case.wall_ms)}. "
        "offsets.retention.minutes does not count for it until it is committed again without one."
    )


def _active(case: _Case) -> str:
    said = _why_active(case)
    if case.value.expire_timestamp == ABSENT:
        return said
    expires = moment(case.value.expire_timestamp)
    return f"{said} That its commit asked to be kept until {expires} does not count meanwhile."


def _why_active(case: _Case) -> str:
    group = case.group
    if group.kind == CONSUMER:
        return (
            f"A member of group {case.group_id} is subscribed to {shown(case.topic)}: {case.where} stays. "
            f"Once nobody is, the age of its commit of {case.committed} counts: a group of KIP-848 gets no "
            "new retention when its last member leaves."
        )
    name = f"Group {case.group_id} is {group.state.value}"
    if group.state in REBALANCING:
        return f"{name}: none of its offsets goes during a rebalance."
    until_empty = "so none of its offsets goes until it has no members"
    if group.protocol_type != CONSUMER:
        return (
            f"{name} and its protocol type is {shown(group.protocol_type or '')}: only of consumer groups "
            f"are the topics known, {until_empty}."
        )
    if group.subscribed_topics is None:
        return (
            f"{name} and the subscription of a member cannot be read: it counts as subscribed to every "
            f"topic, {until_empty}."
        )
    return (
        f"{name} and subscribed to {shown(case.topic)}: {case.where} stays. When its last member has left, "
        "the clock of the whole group starts; when only this subscription ends, the age of the commit of "
        f"{case.committed} counts."
    )


def _pending_transaction(case: _Case) -> str:
    return (
        f"A transaction that is still open has an offset for {case.where} of group {case.group_id}: the "
        "committed one stays until it ends, however old it is."
    )


def _not_served(case: _Case) -> str:
    return (
        f"Group {case.group_id} is of type {case.group.type_name}, whose offsets expire by no rule of this "
        f"broker: {case.where} is kept as it was found."
    )


_SAY: Final[dict[Rule, Callable[[_Case], str]]] = {
    Rule.GROUP_EMPTY: _group_empty,
    Rule.TOPIC_NOT_SUBSCRIBED: _topic_not_subscribed,
    Rule.STANDALONE: _standalone,
    Rule.EXPLICIT_RETENTION: _explicit_retention,
    Rule.ACTIVE: _active,
    Rule.PENDING_TRANSACTION: _pending_transaction,
    Rule.NOT_SERVED: _not_served,
}


# A group.


def explain_group(group: Group, outlook: Outlook, *, wall_ms: int, retention: Retention) -> str:
    """When the group goes, or why it does not."""
    name = f"Group {shown(group.group_id)}"
    if group.kind == "other":
        return f"{name} is of type {group.type_name}, which is not served here: it is kept as it was found."
    if group.state is not GroupState.EMPTY:
        return _in_use(name, group, outlook, wall_ms)
    if outlook.due_ms is None:
        return f"{name} is Empty and stays: an open transaction, or an offset that never expires, keeps it."
    if not outlook.offsets:
        return f"{name} is Empty without offsets: it goes at the next cleanup pass, whatever the retention."
    last = "its only offset" if outlook.offsets == 1 else f"the last of its {outlook.offsets} offsets"
    by = f"({retention})"
    if outlook.last_rule is Rule.EXPLICIT_RETENTION:
        by = "(its commit asked for that: OffsetCommit v2 to v4)"
    return f"{name} {_emptiness(group)} and goes with {last} at {_pass(outlook.due_ms, wall_ms)} {by}."


def _emptiness(group: Group) -> str:
    if group.kind != CONSUMER and group.protocol_type is None:
        return "has never had members"
    return (
        "is Empty" if group.state_since_ms is None else f"has been Empty since {moment(group.state_since_ms)}"
    )


def _in_use(name: str, group: Group, outlook: Outlook, wall_ms: int) -> str:
    said = f"{name} is {group.state.value}: it stays as long as it has members."
    if outlook.next_ms is None:
        return said
    went = _pass(outlook.next_ms, wall_ms)
    return f"{said} Of its offsets, the first that nobody is subscribed to goes at {went}."


# What is gone.


def explain_removal(removal: Removal) -> str:
    """Why an offset is no longer there."""
    where = f"{shown(removal.topic)}-{removal.partition} of group {shown(removal.group)}"
    said = f"Offset {removal.offset} of {where} went at {moment(removal.at_ms)}"
    if removal.cause is Cause.EXPIRED:
        return f"{said}: {_why_expired(removal)}."
    return f"{said}, {_TAKEN[removal.cause]}."


_TAKEN: Final = {
    Cause.OFFSET_DELETE: "deleted by an OffsetDelete request",
    Cause.GROUP_DELETE: "with its group, deleted by a DeleteGroups request",
    Cause.TOPIC_DELETE: "with its topic, which was deleted",
}


def _why_expired(removal: Removal) -> str:
    assert removal.due_ms is not None
    committed = f"it had been committed at {moment(removal.committed_ms)}"
    if removal.rule == Rule.EXPLICIT_RETENTION:
        return f"{committed} with a retention of its own, up at {moment(removal.due_ms)}"
    assert removal.since_ms is not None
    minutes = (removal.due_ms - removal.since_ms) // MINUTE_MS
    due = f"due since {moment(removal.due_ms)} (offsets.retention.minutes={minutes})"
    if removal.rule == Rule.GROUP_EMPTY:
        return f"the group was Empty, counted from {moment(removal.since_ms)}, and its offsets were {due}"
    if removal.rule == Rule.TOPIC_NOT_SUBSCRIBED:
        return f"{committed}, nobody in the group was subscribed to {shown(removal.topic)}, and it was {due}"
    return f"{committed}, the group had never had members, and it was {due}"
