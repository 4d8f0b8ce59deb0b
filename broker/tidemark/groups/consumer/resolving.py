"""When regular expressions are resolved, and what follows. Kafka: maybeUpdateRegularExpressions.

Matching works outside of the decision, after the response. So a member that joins with a regular expression
first has an empty assignment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

from tidemark.core.context import Authorizer, Operation, ResourceType, quietly
from tidemark.core.result import (
    NOTHING,
    Effect,
    Event,
    Record,
    ResolveRegularExpressions,
    Result,
    Steps,
)
from tidemark.groups.consumer.creation import creation_ms
from tidemark.groups.consumer.events import MetadataChecked, RegexesRequested, RegexesResolved
from tidemark.groups.consumer.metadata_hash import subscription_hash
from tidemark.groups.consumer.model import (
    NOT_RESOLVED,
    ConsumerGroupModel,
    ConsumerMember,
    ResolvedRegex,
    count,
)
from tidemark.groups.consumer.records import epoch_record, regex_record, regex_tombstone
from tidemark.groups.consumer.regexes import check_expression, matching
from tidemark.groups.store import GroupStore

REFRESH_MS_MIN: Final = 10_000  # between two resolutions of a group; a constant in Kafka, too


class RegexChange(Enum):
    NONE = auto()
    CHANGED = auto()  # its topics are not known yet
    RESOLVED = auto()  # its topics are known


@dataclass(slots=True)
class Change:
    """How the regular expression of a member changes, and what follows.

    allowed, wall_ms, refresh_ms  of the heartbeat: what the caller may do, the time, and the refresh interval
    """

    allowed: Authorizer
    wall_ms: int
    refresh_ms: int
    kind: RegexChange = RegexChange.NONE
    records: list[Record] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)

    def decide(
        self, group: ConsumerGroupModel, before: ConsumerMember, member: ConsumerMember, cluster: Any
    ) -> Change:
        """Raise INVALID_REGULAR_EXPRESSION, or return this object."""
        is_new = False
        if before.regex != member.regex:
            self.kind = RegexChange.CHANGED
            if before.regex and group.regex_members.get(before.regex) == 1:
                self.records.append(regex_tombstone(group.group_id, before.regex))
            if not member.regex:
                if before.regex:
                    self.kind = RegexChange.RESOLVED
            elif member.regex not in group.regex_members:
                check_expression(member.regex)
                is_new = True
            elif member.regex in group.regexes:
                self.kind = RegexChange.RESOLVED
        if (is_new or group.regex_members) and not self._is_recent(group):
            needed = dict(group.regex_members)
            if before.regex:
                count(needed, before.regex, -1)
            if member.regex:
                count(needed, member.regex, 1)
            if needed and (is_new or self._is_due(group, needed, cluster)):
                self.events.append(RegexesRequested(group.group_id))
                self.effects.append(ResolveRegularExpressions(group.group_id, tuple(needed), self.allowed))
        return self

    def _is_recent(self, group: ConsumerGroupModel) -> bool:
        """Return whether they are being resolved, or were resolved a moment ago."""
        last = _last(group)
        return group.resolving or (last is not None and self.wall_ms <= last.at_ms + REFRESH_MS_MIN)

    def _is_due(self, group: ConsumerGroupModel, needed: Sized, cluster: Any) -> bool:
        """Return whether one of them is not resolved, a topic is new, or the refresh interval is over."""
        last = _last(group)
        return (
            last is None
            or len(needed) != len(group.regexes)
            or last.version < cluster.topics_created_version
            or self.wall_ms > last.at_ms + self.refresh_ms
        )


def _last(group: ConsumerGroupModel) -> ResolvedRegex | None:
    """Return a result of the last resolution. All of its results are of one time."""
    return next(iter(group.regexes.values()), None)


def resolve(groups: GroupStore, effect: ResolveRegularExpressions, wall_ms: int) -> Steps[Result[Any]]:
    """Match all topics, and return what follows. Topics that the caller may not describe do not count."""
    cluster = groups.cluster
    version = cluster.topics_version
    matched = yield from matching(effect.regexes, [*cluster.topics])
    resolved: dict[str, ResolvedRegex] = {}
    allowed = quietly(effect.allowed)
    for regex, topics in matched.items():
        seen = [each for each in topics if allowed(Operation.DESCRIBE, ResourceType.TOPIC, each)]
        resolved[regex] = ResolvedRegex(frozenset(seen), version, wall_ms)
        yield 0
    return regexes_resolved(groups, effect.group_id, resolved, wall_ms)


def not_resolved(groups: GroupStore, group_id: str) -> Result[Any]:
    """End a resolution without a result."""
    if not isinstance(groups.get(group_id), ConsumerGroupModel):
        return NOTHING
    return Result(events=(RegexesResolved(group_id),))


def regexes_resolved(
    groups: GroupStore, group_id: str, resolved: Mapping[str, ResolvedRegex], wall_ms: int
) -> Result[Any]:
    """Decide what follows from new matches. Kafka: handleRegularExpressionsResult."""
    group = groups.get(group_id)
    if not isinstance(group, ConsumerGroupModel):
        return NOTHING
    records: list[Record] = []
    by_regex = dict(group.by_regex)
    changed = False
    for regex, new in resolved.items():
        if regex not in group.regex_members:
            continue
        old = group.regexes.get(regex, NOT_RESOLVED)
        if old.topics != new.topics:
            changed = True
            for topic in old.topics:
                count(by_regex, topic, -1)
            for topic in new.topics:
                count(by_regex, topic, 1)
        records.append(regex_record(group_id, regex, new))
    metadata_hash = subscription_hash(groups.cluster, group.by_name.keys() | by_regex.keys())
    if changed or metadata_hash != group.metadata_hash:
        created_ms = creation_ms(group, groups.limits, wall_ms)
        records.append(epoch_record(group_id, group.group_epoch + 1, metadata_hash, created_ms))
        checked = MetadataChecked(group_id, groups.cluster.topics_version, metadata_hash)
        return Result(records=tuple(records), events=(checked, RegexesResolved(group_id)))
    return Result(records=tuple(records), events=(RegexesResolved(group_id),))
