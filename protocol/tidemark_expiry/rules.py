"""The rule that decides when a committed offset expires (KIP-211, KIP-496).

The rule consists of two tables. `SITUATIONS` classifies the group. `DECISIONS` then decides about each
offset: which rule applies, and from which time its age counts. In both, the first row that matches decides.

Kafka: GroupMetadataManager.cleanupExpiredGroupMetadata, Group.offsetExpirationCondition,
OffsetExpirationConditionImpl.isOffsetExpired.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from tidemark_protocol.subscriptions import CONSUMER

LONG_MAX: Final = 2**63 - 1
ABSENT: Final = -1  # of a stored timestamp; any other negative number is a time


class Rule(StrEnum):
    """The rule that decides about an offset. The value is its name in JSON, log lines, metrics and tables."""

    # A classic group without members: since it became Empty.
    GROUP_EMPTY = "group_empty"
    # No member is subscribed to the topic, or no streams topology has it as a source: since the commit.
    TOPIC_NOT_SUBSCRIBED = "topic_not_subscribed"
    # The group never had members: since the commit.
    STANDALONE = "standalone"
    # The commit set its own retention (OffsetCommit v2 to v4).
    EXPLICIT_RETENTION = "explicit_retention"
    # The group uses the offset or is rebalancing: it does not expire.
    ACTIVE = "active"
    # An open transaction is about to replace the offset: it does not expire.
    PENDING_TRANSACTION = "pending_transaction"
    # The type of the group is not served: its offsets do not expire.
    NOT_SERVED = "not_served"


class Situation(StrEnum):
    """The properties of a group that expiry depends on."""

    CONSUMER = "consumer"  # a KIP-848 group, in any state
    STREAMS = "streams"  # a streams group (KIP-1071), in any state
    NEVER_MANAGED = "never_managed"  # a classic group that never had members
    EMPTY = "empty"  # a classic group without members
    STABLE = "stable"  # a classic group whose subscribed topics are known
    BUSY = "busy"  # any other classic group with members: rebalancing, or of another protocol type
    NOT_SERVED = "not_served"  # a share group


# Columns of the pipeline's tables.
GROUP_TYPE: Final = "group_type"
PROTOCOL_TYPE: Final = "protocol_type"
STATE: Final = "state"
STATE_TIME: Final = "state_timestamp_ms"
COMMIT_TIME: Final = "commit_timestamp_ms"

# A group with offsets but without a record has no type.
_CLASSIC: Final = (None, "classic")

# The values that each column must have one of.
SITUATIONS: Final[Sequence[tuple[Mapping[str, tuple[str | None, ...]], Situation]]] = (
    ({GROUP_TYPE: ("consumer",)}, Situation.CONSUMER),
    ({GROUP_TYPE: ("streams",)}, Situation.STREAMS),
    ({GROUP_TYPE: _CLASSIC, PROTOCOL_TYPE: (None,)}, Situation.NEVER_MANAGED),
    ({GROUP_TYPE: _CLASSIC, STATE: ("Empty",)}, Situation.EMPTY),
    ({GROUP_TYPE: _CLASSIC, STATE: ("Stable",), PROTOCOL_TYPE: (CONSUMER,)}, Situation.STABLE),
    ({GROUP_TYPE: _CLASSIC}, Situation.BUSY),
    ({}, Situation.NOT_SERVED),
)

# Only in these situations does it matter whether a member is subscribed to the topic.
SUBSCRIBING: Final = (Situation.CONSUMER, Situation.STREAMS, Situation.STABLE)


class Decision(NamedTuple):
    """A row of `DECISIONS`. None as a condition matches both values.

    base: the column with the time that the age counts from. None: the offset does not expire.
    """

    rule: Rule
    base: str | None = None
    situations: tuple[Situation, ...] = tuple(Situation)
    subscribed: bool | None = None
    pending: bool | None = None
    explicit: bool | None = None


DECISIONS: Final[Sequence[Decision]] = (
    # A cleanup pass skips an offset that the group uses, even if the commit set its own retention.
    Decision(Rule.NOT_SERVED, situations=(Situation.NOT_SERVED,)),
    Decision(Rule.ACTIVE, situations=(Situation.BUSY,)),
    Decision(Rule.ACTIVE, situations=SUBSCRIBING, subscribed=True),
    Decision(Rule.PENDING_TRANSACTION, pending=True),
    Decision(Rule.EXPLICIT_RETENTION, COMMIT_TIME, explicit=True),
    Decision(Rule.TOPIC_NOT_SUBSCRIBED, COMMIT_TIME, SUBSCRIBING),
    Decision(Rule.STANDALONE, COMMIT_TIME, (Situation.NEVER_MANAGED,)),
    # Records that Kafka before 2.1 wrote have no time of the state: then the commit's counts.
    Decision(Rule.GROUP_EMPTY, STATE_TIME, (Situation.EMPTY,)),
)


class Expiry(NamedTuple):
    """When an offset expires, and by which rule. Times are wall time.

    since_ms: its age counts from then. due_ms: the first cleanup pass at or after this time removes it. None:
    it does not expire.
    """

    rule: Rule
    since_ms: int | None = None
    due_ms: int | None = None

    def expired(self, wall_ms: int) -> bool:
        return self.due_ms is not None and wall_ms >= self.due_ms


# A group's protocol type is up to its clients: the cache has to be bounded.
@lru_cache(maxsize=256)
def situation(group_type: str | None, protocol_type: str | None, state: str) -> Situation:
    """Return the first situation of `SITUATIONS` that matches."""
    columns = {GROUP_TYPE: group_type, PROTOCOL_TYPE: protocol_type, STATE: state}
    return next(
        found for when, found in SITUATIONS if all(columns[name] in values for name, values in when.items())
    )


def decision(found: Situation, *, subscribed: bool, pending: bool, explicit: bool) -> Decision:
    return next(
        row
        for row in DECISIONS
        if found in row.situations
        and row.subscribed in (None, subscribed)
        and row.pending in (None, pending)
        and row.explicit in (None, explicit)
    )


_BOTH: Final = (False, True)
# All cases, because a cleanup pass decides about a million offsets.
_DECIDED: Final = {
    (found, subscribed, pending, explicit): decision(
        found, subscribed=subscribed, pending=pending, explicit=explicit
    )
    for found, subscribed, pending, explicit in itertools.product(Situation, _BOTH, _BOTH, _BOTH)
}
_KEPT: Final = {row.rule: Expiry(row.rule) for row in DECISIONS if row.base is None}


def expiry(
    found: Situation,
    *,
    subscribed: bool,
    pending: bool,
    state_ms: int | None,
    commit_ms: int,
    expire_ms: int,
    retention_ms: int,
    wall_ms: int,
) -> Expiry:
    """Return when an offset expires if nothing changes after wall_ms.

    subscribed: a member is subscribed to the topic; ignored outside of `SUBSCRIBING`. (Members of a streams
    group are subscribed to the source topics of its topology, including its repartition source topics.)
    pending: an open transaction has an offset for the same partition. state_ms: None if not known. expire_ms:
    `ABSENT` unless the commit set its own retention.
    """
    decided = _DECIDED[found, subscribed, pending, expire_ms != ABSENT]
    base = decided.base
    if base is None:
        return _KEPT[decided.rule]
    if expire_ms != ABSENT:
        return Expiry(decided.rule, commit_ms, expire_ms)
    since_ms = commit_ms if base == COMMIT_TIME or state_ms is None else state_ms
    return Expiry(decided.rule, since_ms, due_ms(since_ms, retention_ms, wall_ms))


def due_ms(since_ms: int, retention_ms: int, wall_ms: int) -> int | None:
    """Return the first time at which `now - since_ms >= retention_ms` in Java's longs. None: it never is.

    Java's difference wraps: an age beyond a long is negative, so such an offset is not old.
    """
    due = since_ms + retention_ms
    return due if due <= LONG_MAX and wall_ms - since_ms <= LONG_MAX else None


def due_bound_ms(commit_ms: int, expire_ms: int, empty_since_ms: int | None, retention_ms: int) -> int:
    """Return a time before which the offset cannot expire, regardless of what happens to its group.

    empty_since_ms: None unless it is a classic group that is Empty. A commit does not restart that clock.
    """
    if expire_ms != ABSENT:
        return expire_ms
    if empty_since_ms is not None and empty_since_ms < commit_ms:
        return empty_since_ms + retention_ms
    return commit_ms + retention_ms
