"""When the offsets of a group expire: `tidemark_expiry.rules`, evaluated for the groups of the broker.

The cleanup pass, the explanations, the forecast and the metrics all call `expiry_of`.
"""

from __future__ import annotations

from tidemark.groups.group import Group
from tidemark.groups.pending import TopicPartition
from tidemark.groups.store import GroupStore
from tidemark_expiry import rules
from tidemark_expiry.rules import SUBSCRIBING, Expiry, Rule, situation
from tidemark_protocol.records.offset_commit import OffsetCommitValue


def expiry(
    group: Group,
    topic: str,
    value: OffsetCommitValue,
    *,
    wall_ms: int,
    retention_ms: int,
    pending: bool = False,
) -> Expiry:
    """Return when a committed offset expires if nothing changes after wall_ms.

    pending: an open transaction has an offset for the same partition.
    """
    found = situation(group.type_name, group.protocol_type, group.state_name)
    return rules.expiry(
        found,
        subscribed=found in SUBSCRIBING and group.is_subscribed(topic),
        pending=pending,
        state_ms=group.state_since_ms,
        commit_ms=value.commit_timestamp,
        expire_ms=value.expire_timestamp,
        retention_ms=retention_ms,
        wall_ms=wall_ms,
    )


def expiry_of(groups: GroupStore, group: Group, place: TopicPartition, value: OffsetCommitValue, wall_ms: int,
              retention_ms: int | None = None) -> Expiry:  # fmt: skip
    """Return when a stored offset expires. retention_ms: None for the broker's own retention."""
    return expiry(
        group,
        place[0],
        value,
        wall_ms=wall_ms,
        retention_ms=groups.limits.offsets_retention_ms if retention_ms is None else retention_ms,
        pending=groups.offsets.is_pending(group.group_id, place),
    )


class Foresight:
    """When a group expires, computed from the expiry of each of its offsets.

    offsets    how many offsets were added
    next_ms    when the first of them expires; None: none does
    last_rule  the rule by which the last of them expires
    """

    __slots__ = ("_expires", "_last_ms", "_since_ms", "last_rule", "next_ms", "offsets")

    def __init__(self, groups: GroupStore, group: Group) -> None:
        self.offsets = 0
        self.next_ms: int | None = None
        self.last_rule: Rule | None = None
        self._last_ms: int | None = None
        self._since_ms = group.state_since_ms or 0
        self._expires = may_go(groups, group)

    def add(self, found: Expiry) -> None:
        self.offsets += 1
        due_ms = found.due_ms
        if due_ms is None:
            self._expires = False
            return
        self.next_ms = due_ms if self.next_ms is None else min(self.next_ms, due_ms)
        if self._last_ms is None or due_ms > self._last_ms:
            self._last_ms, self.last_rule = due_ms, found.rule

    @property
    def group_due_ms(self) -> int | None:
        """When the group expires, after all offsets were added. None: it does not.

        It expires with its last offset, or at the next pass if it is Empty and has none.
        """
        if not self._expires:
            return None
        return self._since_ms if self._last_ms is None else max(self._since_ms, self._last_ms)


def may_go(groups: GroupStore, group: Group) -> bool:
    """Return whether the group itself would expire if it had no stored offsets."""
    return group.is_empty and not groups.offsets.has_pending(group.group_id)
