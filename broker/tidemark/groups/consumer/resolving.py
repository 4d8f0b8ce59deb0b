"""Match the topics of regular expressions, outside of the decision that needs them, after its response.

So a member that joins with an expression first has an empty assignment. Kafka: TopicRegexResolver.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Authorizer, Operation, ResourceType, quietly
from tidemark.core.decision import NOTHING, Decision, ResolveRegularExpressions, Steps
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.member import NOT_RESOLVED, OversizedMatches, ResolvedRegex
from tidemark.groups.consumer.records import epoch_record, regex_record
from tidemark.groups.consumer.regexes import matched
from tidemark.groups.consumer.subscriptions import metadata_hash, subscription_hash
from tidemark.groups.forgetting import batch_bytes_max

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

TOPICS_PER_STEP: Final = 100  # authorized: without a cached decision, less than a millisecond


def resolve(groups: Groups, effect: ResolveRegularExpressions, wall_ms: int) -> Steps[None]:
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


def not_resolved(groups: Groups, effect: ResolveRegularExpressions, wall_ms: int) -> Decision[Any]:
    """End a resolution without a result, because the matches do not fit in a batch."""
    group = groups.get(effect.group_id)
    if not isinstance(group, ConsumerGroup):
        return NOTHING
    oversized = OversizedMatches(frozenset(effect.regexes), effect.topics_version, wall_ms)
    return Decision(after=(partial(group.regexes_resolved, oversized),))


def _regexes_resolved(
    groups: Groups, group_id: str, resolved: Mapping[str, ResolvedRegex], wall_ms: int
) -> Steps[None]:
    """Decide what follows from new matches. Kafka: handleRegularExpressionsResult."""
    changed = False
    for regex, new in resolved.items():
        group = groups.get(group_id)
        if not isinstance(group, ConsumerGroup):
            return
        if regex in group.regex_members:
            changed |= group.regexes.get(regex, NOT_RESOLVED).topics != new.topics
            yield Decision(records=(regex_record(group_id, regex, new),))
    # Hash each topic in steps, so that the decision below has no topic to hash.
    yield from metadata_hash(groups.cluster, {topic for each in resolved.values() for topic in each.topics})
    group = groups.get(group_id)
    if not isinstance(group, ConsumerGroup):
        return
    new_hash = subscription_hash(groups.cluster, group.by_name.keys() | group.by_regex.keys())
    if changed or new_hash != group.metadata_hash:
        created_ms = group.next_created_ms(wall_ms)
        record = epoch_record(group_id, group.group_epoch + 1, new_hash, created_ms)
        checked = partial(group.metadata_checked, groups.cluster.topics_version, new_hash)
        yield Decision(records=(record,), after=(checked, group.regexes_resolved))
    else:
        yield Decision(after=(group.regexes_resolved,))
