"""When a committed offset expires, and why (KIP-211, KIP-496): the one rule, which the cleanup pass, the
explanations, the forecast and the metrics all ask.

It is Kafka's (GroupMetadataManager.cleanupExpiredGroupMetadata, offsetExpirationCondition; reference 7.1 to
7.3). The group is asked first: it says whether the pass looks at the offset at all, and since when its age
counts. Then an explicit expire timestamp takes the place of the age, and a pending transactional offset keeps
the stored one whatever its age.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from tidemark.groups.classic.model import Group, GroupState
from tidemark.groups.offsets import TopicPartition
from tidemark_protocol.records.offset_commit import OffsetCommitValue
from tidemark_protocol.subscriptions import CONSUMER

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

LONG_MAX: Final = 2**63 - 1
EMPTY: Final = GroupState.EMPTY  # to look a member up in an enum costs as much as a call
ABSENT: Final = -1  # of the stored timestamps; any other negative one is a time


class Rule(StrEnum):
    """Which rule decides about an offset. The value is its name in JSON, log lines and metrics."""

    GROUP_EMPTY = "group_empty"  # a managed group without members: since it has none
    TOPIC_NOT_SUBSCRIBED = "topic_not_subscribed"  # nobody in the group reads the topic: since the commit
    STANDALONE = "standalone"  # a group that never had members: since the commit
    EXPLICIT_RETENTION = "explicit_retention"  # the commit said how long (OffsetCommit v2 to v4)
    ACTIVE = "active"  # the group uses it, or is rebalancing: it stays
    PENDING_TRANSACTION = "pending_transaction"  # an open transaction is about to replace it: it stays
    NOT_SERVED = "not_served"  # a group of a kind whose offsets expire by no rule of ours


class Expiry(NamedTuple):
    """since_ms: what its age is counted from; due_ms: it goes at the first pass from then on. Wall time.

    None: nothing is counted; it does not go as things stand.
    """

    rule: Rule
    since_ms: int | None = None
    due_ms: int | None = None

    def expired(self, wall_ms: int) -> bool:
        return self.due_ms is not None and wall_ms >= self.due_ms


ACTIVE: Final = Expiry(Rule.ACTIVE)
PENDING: Final = Expiry(Rule.PENDING_TRANSACTION)
NOT_SERVED: Final = Expiry(Rule.NOT_SERVED)


def expiry(
    group: Group,
    topic: str,
    value: OffsetCommitValue,
    *,
    wall_ms: int,
    retention_ms: int,
    pending: bool = False,
) -> Expiry:
    """What becomes of a committed offset, as the group stands at this wall time.

    pending: a transaction that is still open has an offset for the same partition.
    """
    if group.kind == "other":
        return NOT_SERVED
    rule = _rule(group, topic)
    if rule is Rule.ACTIVE:
        return ACTIVE
    if pending:
        return PENDING
    if value.expire_timestamp != ABSENT:
        return Expiry(Rule.EXPLICIT_RETENTION, value.commit_timestamp, value.expire_timestamp)
    since_ms = value.commit_timestamp
    if rule is Rule.GROUP_EMPTY and group.state_since_ms is not None:
        since_ms = group.state_since_ms
    return Expiry(rule, since_ms, due_ms(since_ms, retention_ms, wall_ms))


def due_ms(since_ms: int, retention_ms: int, wall_ms: int) -> int | None:
    """The first moment at which `now - since >= retention` holds in Java's longs, None if it never does.

    The difference wraps: what lies further back than a long can say counts as not old at all.
    """
    due = since_ms + retention_ms
    return due if due <= LONG_MAX and wall_ms - since_ms <= LONG_MAX else None


def _rule(group: Group, topic: str) -> Rule:
    """Which offsets a pass looks at, and what their age is counted from: reference 7.1, rows 1 to 5."""
    if group.kind == "consumer":
        return Rule.ACTIVE if group.is_subscribed(topic) else Rule.TOPIC_NOT_SUBSCRIBED
    if group.protocol_type is None:
        return Rule.STANDALONE
    if group.state is EMPTY:
        return Rule.GROUP_EMPTY
    unsubscribed = (
        group.state is GroupState.STABLE
        and group.protocol_type == CONSUMER
        and not group.is_subscribed(topic)
    )
    return Rule.TOPIC_NOT_SUBSCRIBED if unsubscribed else Rule.ACTIVE


def expiry_of(groups: Groups, group: Group, where: TopicPartition, value: OffsetCommitValue, wall_ms: int,
              retention_ms: int | None = None) -> Expiry:  # fmt: skip
    """`expiry` of an offset that is stored. retention_ms: another than the broker's."""
    return expiry(
        group,
        where[0],
        value,
        wall_ms=wall_ms,
        retention_ms=groups.limits.offsets_retention_ms if retention_ms is None else retention_ms,
        pending=groups.offsets.is_pending(group.group_id, where),
    )


class Foresight:
    """What becomes of a group, once each of its offsets was added: offsets, their number; next_ms, when the
    first of them goes; last_rule, by which the last of them does; group_due_ms, from when on the group goes
    itself. None: not as things stand.
    """

    __slots__ = ("_goes", "_last_ms", "_since_ms", "last_rule", "next_ms", "offsets")

    def __init__(self, groups: Groups, group: Group) -> None:
        self.offsets = 0
        self.next_ms: int | None = None
        self.last_rule: Rule | None = None
        self._last_ms: int | None = None
        self._since_ms = group.state_since_ms or 0
        self._goes = may_go(groups, group)

    def add(self, found: Expiry) -> None:
        self.offsets += 1
        due_ms = found.due_ms
        if due_ms is None:
            self._goes = False
            return
        self.next_ms = due_ms if self.next_ms is None else min(self.next_ms, due_ms)
        if self._last_ms is None or due_ms > self._last_ms:
            self._last_ms, self.last_rule = due_ms, found.rule

    @property
    def group_due_ms(self) -> int | None:
        """With its last offset, and at once where it is Empty and has none (reference 7.3 a and e)."""
        if not self._goes:
            return None
        return self._since_ms if self._last_ms is None else max(self._since_ms, self._last_ms)


def may_go(groups: Groups, group: Group) -> bool:
    """The group itself would go, had it no offsets that are stored."""
    return group.state is EMPTY and group.kind != "other" and not groups.offsets.pending(group.group_id)
