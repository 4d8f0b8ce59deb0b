"""When regular expressions are resolved, and what follows. Kafka: maybeUpdateRegularExpressions.

Matching works outside of the decision, after the response. So a member that joins with a regular expression
first has an empty assignment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from typing import Any, Final

from tidemark.core.context import Authorizer, Operation, ResourceType, quietly
from tidemark.core.result import (
    NOTHING,
    Record,
    ResolveRegularExpressions,
    Result,
    Steps,
)
from tidemark.groups.consumer.creation import creation_ms
from tidemark.groups.consumer.metadata_hash import metadata_hash, subscription_hash
from tidemark.groups.consumer.model import (
    NOT_RESOLVED,
    ConsumerGroupModel,
    ConsumerMember,
    OversizedMatches,
    ResolvedRegex,
    count,
)
from tidemark.groups.consumer.records import epoch_record, regex_record, regex_tombstone
from tidemark.groups.consumer.regexes import check_expression, matched
from tidemark.groups.forgetting import batch_bytes_max
from tidemark.groups.store import GroupStore

TOPICS_PER_STEP: Final = 100  # authorized: without a cached decision, less than a millisecond
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
    requested: ResolveRegularExpressions | None = None

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
                self.requested = ResolveRegularExpressions(
                    group.group_id, tuple(needed), cluster.topics_version, self.allowed
                )
        return self

    def _is_recent(self, group: ConsumerGroupModel) -> bool:
        """Return whether they are being resolved, or were resolved a moment ago."""
        last = _last(group)
        return group.resolving or (last is not None and self.wall_ms <= last.at_ms + REFRESH_MS_MIN)

    def _is_due(self, group: ConsumerGroupModel, needed: Mapping[str, int], cluster: Any) -> bool:
        """Return whether one of them is not resolved, a topic is new, or the refresh interval is over.

        If they matched too many topics, Kafka tries again with each heartbeat; here something must change.
        """
        oversized = group.oversized
        if oversized is not None:
            return (
                needed.keys() != oversized.regexes
                or cluster.topics_version != oversized.topics_version
                or self.wall_ms > oversized.at_ms + self.refresh_ms
            )
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


def resolve(groups: GroupStore, effect: ResolveRegularExpressions, wall_ms: int) -> Steps[None]:
    """Match all topics, and yield what follows. Topics that the caller may not describe do not count.

    The records are yielded one by one, because to write and replay all of them would take too long. But they
    must fit in one batch together, as in Kafka: otherwise nothing is resolved.
    """
    cluster = groups.cluster
    version = cluster.topics_version
    names = yield from _allowed_topics(cluster, effect.allowed)
    encoded = [name.encode() for name in names]
    bytes_left = batch_bytes_max(cluster)
    resolved: dict[str, ResolvedRegex] = {}
    for regex in effect.regexes:
        topics = yield from matched(regex, names, encoded)
        bytes_left -= sum(map(len, topics)) + len(topics)  # each name has at least one byte of length
        if bytes_left < 0:
            yield not_resolved(groups, effect, wall_ms)
            return
        resolved[regex] = ResolvedRegex(frozenset(topics), version, wall_ms)
        yield 0
    yield from _regexes_resolved(groups, effect.group_id, resolved, wall_ms)


def _allowed_topics(cluster: Any, allowed: Authorizer) -> Steps[list[str]]:
    allowed = quietly(allowed)
    names = [*cluster.topics]
    visible: list[str] = []
    for start in range(0, len(names), TOPICS_PER_STEP):
        visible += [
            name
            for name in names[start : start + TOPICS_PER_STEP]
            if allowed(Operation.DESCRIBE, ResourceType.TOPIC, name)
        ]
        yield 0
    return visible


def not_resolved(groups: GroupStore, effect: ResolveRegularExpressions, wall_ms: int) -> Result[Any]:
    """End a resolution without a result, because the matches do not fit in a batch."""
    group = groups.get(effect.group_id)
    if not isinstance(group, ConsumerGroupModel):
        return NOTHING
    oversized = OversizedMatches(frozenset(effect.regexes), effect.topics_version, wall_ms)
    return Result(after=(partial(group.regexes_resolved, oversized),))


def _regexes_resolved(
    groups: GroupStore, group_id: str, resolved: Mapping[str, ResolvedRegex], wall_ms: int
) -> Steps[None]:
    """Decide what follows from new matches. Kafka: handleRegularExpressionsResult."""
    changed = False
    for regex, new in resolved.items():
        group = groups.get(group_id)
        if not isinstance(group, ConsumerGroupModel):
            return
        if regex in group.regex_members:
            changed |= group.regexes.get(regex, NOT_RESOLVED).topics != new.topics
            yield Result(records=(regex_record(group_id, regex, new),))
    # Hash each topic in steps, so that the decision below has no topic to hash.
    yield from metadata_hash(groups.cluster, {topic for each in resolved.values() for topic in each.topics})
    group = groups.get(group_id)
    if not isinstance(group, ConsumerGroupModel):
        return
    new_hash = subscription_hash(groups.cluster, group.by_name.keys() | group.by_regex.keys())
    if changed or new_hash != group.metadata_hash:
        created_ms = creation_ms(group, groups.limits, wall_ms)
        record = epoch_record(group_id, group.group_epoch + 1, new_hash, created_ms)
        checked = partial(group.metadata_checked, groups.cluster.topics_version, new_hash)
        yield Result(records=(record,), after=(checked, group.regexes_resolved))
    else:
        yield Result(after=(group.regexes_resolved,))
