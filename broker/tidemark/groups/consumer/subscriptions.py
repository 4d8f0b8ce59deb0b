"""The topics that a group reads by name or by regular expression, and their hash.

Regular expressions are matched outside of the decision, after the response. So a member that joins with one
first has an empty assignment. Kafka: maybeUpdateRegularExpressions.

A group's record holds the hash in a tagged field. Kafka: Utils.computeTopicHash, Utils.computeGroupHash and
ModernGroup.computeMetadataHash. All hashes are XXH3 with 64 bits, whose seed is 0.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Authorizer, Context, Operation, ResourceType, quietly
from tidemark.core.decision import (
    NOTHING,
    Decision,
    ResolveRegularExpressions,
    Steps,
    at_once,
    in_order,
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
from tidemark.groups.forgetting import batch_bytes_max
from tidemark.metadata.model import Partition, Topic
from tidemark.metadata.state import Cluster

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

MAGIC: Final = b"\0"  # the first byte of a topic's hashed form; it names the layout
STEP: Final = 100  # topics between two pauses
PREPARED: Final = "metadata_hash"  # the place in Topic.prepared, which a change of the topic clears
NO_TOPICS: Final = 0


@dataclass(slots=True, frozen=True)
class GroupTopics:
    """by_name, by_regex: as in the group. regex_members, members: how many members there are."""

    by_name: dict[str, int]
    by_regex: dict[str, int]
    regex_members: dict[str, int]
    members: int

    def hash(self, cluster: Any) -> int:
        """Return the hash of the topics that exist; 0: there are none."""
        names: Collection[str] = self.by_name
        if self.by_regex:
            names = self.by_name.keys() | self.by_regex.keys()
        return subscription_hash(cluster, names)

    @property
    def are_homogeneous(self) -> bool:
        """True if all members read the same topics. Kafka: ConsumerGroup.subscriptionType."""
        if not self.regex_members:
            return all(each == self.members for each in self.by_name.values()) and all(
                topic in self.by_name for topic in self.by_regex
            )
        return (
            next(iter(self.regex_members.values())) == self.members
            and not self.by_name
            and all(each == 1 for each in self.by_regex.values())
        )


def topics_now(group: ConsumerGroupModel) -> GroupTopics:
    return GroupTopics(group.by_name, group.by_regex, group.regex_members, len(group.members))


def topics_after(group: ConsumerGroupModel, before: ConsumerMember, after: ConsumerMember) -> GroupTopics:
    """Return the topics once a member changes. before: a new ConsumerMember for one that joins."""
    by_name, by_regex, regex_members = group.by_name, group.by_regex, group.regex_members
    if before.topic_names != after.topic_names:
        by_name = dict(by_name)
        for topic in before.topic_names:
            count(by_name, topic, -1)
        for topic in after.topic_names:
            count(by_name, topic, 1)
    if (before.regex or "") != (after.regex or ""):
        regex_members = dict(regex_members)
        if before.regex:
            count(regex_members, before.regex, -1)
            if before.regex not in regex_members:
                by_regex = dict(by_regex)
                for topic in group.regexes.get(before.regex, NOT_RESOLVED).topics:
                    count(by_regex, topic, -1)
        if after.regex:
            count(regex_members, after.regex, 1)
    is_known = after.member_id in group.members or after.instance_id in group.static_members
    return GroupTopics(by_name, by_regex, regex_members, len(group.members) + (not is_known))


def topics_without(
    group: ConsumerGroupModel, leaving: Collection[ConsumerMember], unused: Iterable[str]
) -> GroupTopics:
    """Return the topics once members have left. unused: regular expressions that no other member uses."""
    by_name, by_regex = dict(group.by_name), dict(group.by_regex)
    regex_members = dict(group.regex_members)
    for member in leaving:
        for topic in member.topic_names:
            count(by_name, topic, -1)
        if member.regex:
            count(regex_members, member.regex, -1)
    for regex in unused:
        for topic in group.regexes.get(regex, NOT_RESOLVED).topics:
            count(by_regex, topic, -1)
    return GroupTopics(by_name, by_regex, regex_members, len(group.members) - len(leaving))


def metadata_hash(cluster: Cluster, names: Collection[str]) -> Steps[int]:
    """Return the hash of the topics with these names, signed, of 64 bits. Missing topics have no part in it.

    A generator: it yields where the work may pause.
    """
    hashes: list[bytes] = []
    sorted_names = yield from in_order([name for name in names if name in cluster.topics])
    for number, name in enumerate(sorted_names):
        if number % STEP == 0:
            yield 0
        topic = cluster.topics.get(name)
        if topic is not None:
            hashes.append(_topic_hash(cluster, topic).to_bytes(8, "little", signed=True))
    return _xxh3(b"".join(hashes)) if hashes else NO_TOPICS


def subscription_hash(cluster: Cluster, names: Collection[str]) -> int:
    """Return the same hash at once."""
    return at_once(metadata_hash(cluster, names))


def _topic_hash(cluster: Cluster, topic: Topic) -> int:
    """Return the hash of a topic: its id, its name, its partitions and the racks of their replicas."""
    known: int | None = topic.prepared.get(PREPARED)
    if known is None:
        known = topic.prepared[PREPARED] = _xxh3(_hashed_form(cluster, topic))
    return known


def _hashed_form(cluster: Cluster, topic: Topic) -> bytes:
    parts = [
        MAGIC,
        topic.topic_id[7::-1],  # both halves of the id as little-endian numbers
        topic.topic_id[:7:-1],
        _text(topic.name),
        _number(len(topic.partitions)),
    ]
    for partition in topic.partitions:
        parts.append(_number(partition.index))
        for rack in _racks(cluster, partition):
            parts += (_number(_java_length(rack)), _text(rack))
    return b"".join(parts)


def _racks(cluster: Cluster, partition: Partition) -> list[str]:
    """Return the racks of the replicas, as Java sorts texts."""
    brokers = (cluster.brokers.get(replica) for replica in partition.replicas)
    racks = [broker.rack for broker in brokers if broker is not None and broker.rack is not None]
    return sorted(racks, key=lambda rack: rack.encode("utf-16-be", "surrogatepass"))


def _text(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass") + _number(_java_length(text))


def _java_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _number(value: int) -> bytes:
    return struct.pack("<i", value)


def _xxh3(data: bytes) -> int:
    import xxhash

    value = xxhash.xxh3_64_intdigest(data)
    return value - (1 << 64) if value >> 63 else value


TOPICS_PER_STEP: Final = 100  # authorized: without a cached decision, less than a millisecond
REFRESH_MS: Final = 600_000  # regular expressions are resolved again, at the latest
REFRESH_MS_MIN: Final = 10_000  # between two resolutions of a group; a constant in Kafka, too


class RegexChange(Enum):
    NONE = auto()
    CHANGED = auto()  # its topics are not known yet
    RESOLVED = auto()  # its topics are known


def regex_change(
    group: ConsumerGroupModel, before: ConsumerMember, member: ConsumerMember, ctx: Context
) -> tuple[RegexChange, ResolveRegularExpressions | None]:
    """Return how the regular expression of a member changes, and which ones are resolved now.

    Raises INVALID_REGULAR_EXPRESSION.
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
            or ctx.wall_ms > oversized.at_ms + REFRESH_MS
        )
    else:  # one of them is not resolved, a topic is new, or the refresh interval is over
        is_due = (
            last is None
            or len(needed) != len(group.regexes)
            or last.version < cluster.topics_created_version
            or ctx.wall_ms > last.at_ms + REFRESH_MS
        )
    if not needed or not is_due:
        return kind, None
    request = ResolveRegularExpressions(group.group_id, tuple(needed), cluster.topics_version, ctx.allowed)
    return kind, request


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
    if not isinstance(group, ConsumerGroupModel):
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
        if not isinstance(group, ConsumerGroupModel):
            return
        if regex in group.regex_members:
            changed |= group.regexes.get(regex, NOT_RESOLVED).topics != new.topics
            yield Decision(records=(regex_record(group_id, regex, new),))
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
        yield Decision(records=(record,), after=(checked, group.regexes_resolved))
    else:
        yield Decision(after=(group.regexes_resolved,))
