"""When regular expressions are resolved, and what follows. Kafka: maybeUpdateRegularExpressions.

Matching works outside of the decision, after the response. So a member that joins with a regular expression
first has an empty assignment.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from functools import partial
from typing import Any, Final

from tidemark.core.context import Authorizer, Context, Operation, ResourceType, quietly
from tidemark.core.result import (
    NOTHING,
    ResolveRegularExpressions,
    Result,
    Steps,
)
from tidemark.groups.consumer.model import (
    NOT_RESOLVED,
    ConsumerGroupModel,
    ConsumerMember,
    OversizedMatches,
    ResolvedRegex,
    count,
)
from tidemark.groups.consumer.records import epoch_record, regex_record
from tidemark.groups.consumer.regexes import check_expression, matched
from tidemark.groups.consumer.subscriptions import metadata_hash, subscription_hash
from tidemark.groups.forgetting import batch_bytes_max
from tidemark.groups.store import GroupStore

TOPICS_PER_STEP: Final = 100  # authorized: without a cached decision, less than a millisecond
REFRESH_MS_MIN: Final = 10_000  # between two resolutions of a group; a constant in Kafka, too


class RegexChange(Enum):
    NONE = auto()
    CHANGED = auto()  # its topics are not known yet
    RESOLVED = auto()  # its topics are known


def regex_change(
    group: ConsumerGroupModel, before: ConsumerMember, member: ConsumerMember, ctx: Context, refresh_ms: int
) -> tuple[RegexChange, ResolveRegularExpressions | None]:
    """Return how the regular expression of a member changes, and which ones are resolved now.

    Raises INVALID_REGULAR_EXPRESSION. refresh_ms: the refresh interval
    """
    kind, is_new = RegexChange.NONE, False
    if before.regex != member.regex:
        kind = RegexChange.CHANGED
        if not member.regex:
            if before.regex:
                kind = RegexChange.RESOLVED
        elif member.regex not in group.regex_members:
            check_expression(member.regex)
            is_new = True
        elif member.regex in group.regexes:
            kind = RegexChange.RESOLVED
    if not is_new and not group.regex_members:
        return kind, None
    last = next(iter(group.regexes.values()), None)  # all results of a resolution are of one time
    if group.resolving or (last is not None and ctx.wall_ms <= last.at_ms + REFRESH_MS_MIN):
        return kind, None
    needed = dict(group.regex_members)
    if before.regex:
        count(needed, before.regex, -1)
    if member.regex:
        count(needed, member.regex, 1)
    cluster, oversized = ctx.cluster, group.oversized
    if is_new:
        is_due = True
    elif oversized is not None:
        # They matched too many topics. Kafka tries again with each heartbeat; here something must change.
        is_due = (
            needed.keys() != oversized.regexes
            or cluster.topics_version != oversized.topics_version
            or ctx.wall_ms > oversized.at_ms + refresh_ms
        )
    else:  # one of them is not resolved, a topic is new, or the refresh interval is over
        is_due = (
            last is None
            or len(needed) != len(group.regexes)
            or last.version < cluster.topics_created_version
            or ctx.wall_ms > last.at_ms + refresh_ms
        )
    if not needed or not is_due:
        return kind, None
    request = ResolveRegularExpressions(group.group_id, tuple(needed), cluster.topics_version, ctx.allowed)
    return kind, request


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
        created_ms = group.next_created_ms(wall_ms)
        record = epoch_record(group_id, group.group_epoch + 1, new_hash, created_ms)
        checked = partial(group.metadata_checked, groups.cluster.topics_version, new_hash)
        yield Result(records=(record,), after=(checked, group.regexes_resolved))
    else:
        yield Result(after=(group.regexes_resolved,))
