"""Decisions that delete committed offsets: with their topic, with their group, or by request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.decision import PART_RECORDS_MAX, Cause, Decision, Record, Removal, Steps
from tidemark.groups.offsets import TopicPartition
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark_protocol.batch import HEADER_BYTES, RECORD_OVERHEAD_BYTES
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.wire import ZERO_UUID

if TYPE_CHECKING:
    from tidemark.groups.state import Groups
    from tidemark.metadata.state import Cluster

Forgotten = tuple[Decision[None], ...]  # of some offsets of one group, at most PART_RECORDS_MAX

# Bytes of a tombstone besides its names: the varints at their longest, and the rest of the key.
TOMBSTONE_BYTES: Final = RECORD_OVERHEAD_BYTES + 10
# The same of a commit: its value adds at least this.
COMMIT_BYTES_MIN: Final = TOMBSTONE_BYTES + 24


def tombstone(group_id: str, key: TopicPartition) -> Record:
    return Record(OffsetCommitKey(group_id, *key), None)


def all_partitions(groups: Groups, group_id: str) -> list[TopicPartition]:
    """Return every partition for which the group has an offset, stored or pending."""
    stored, pending = groups.offsets.of(group_id), groups.offsets.pending_keys(group_id)
    return [*stored, *(key for key in pending if key not in stored)]


def tombstones(groups: Groups, group_id: str) -> tuple[Record, ...]:
    """Return a tombstone for each of `all_partitions`."""
    return tuple(tombstone(group_id, key) for key in all_partitions(groups, group_id))


def removals(
    groups: Groups, group_id: str, keys: Iterable[TopicPartition], cause: Cause, at_ms: int
) -> tuple[Removal, ...]:
    """Return the stored offsets that tombstones for these partitions remove."""
    stored = groups.offsets.of(group_id)
    return tuple(Removal.of(group_id, key, stored[key], cause, at_ms) for key in keys if key in stored)


def tombstones_fit(cluster: Cluster, group_id: str, keys: Collection[TopicPartition]) -> bool:
    """Return whether these tombstones fit in one batch. Kafka writes all of them in one, or none."""
    bound = batch_bytes_max(cluster)
    each = TOMBSTONE_BYTES + len(group_id.encode())
    if len(keys) * each > bound:  # do not measure a million names
        return False
    return sum(each + len(topic.encode()) for topic, _ in keys) + HEADER_BYTES <= bound


def batch_bytes_max(cluster: Cluster) -> int:
    """Return the maximum size of a batch of `__consumer_offsets`."""
    config = cluster.topic_config(OFFSETS_TOPIC)
    return min(config.max_message_bytes, config.segment_bytes)


def forgotten(
    groups: Groups, group_id: str, keys: Iterable[TopicPartition], cause: Cause, at_ms: int
) -> Steps[Decision[Any]]:
    """Delete the offsets that are stored or pending for these partitions now.

    Yields the tombstones in parts, and returns the last part. Offsets that are committed meanwhile are kept.
    """
    stored = groups.offsets.of(group_id)
    values = [(key, stored.get(key)) for key in keys]
    for start in range(0, len(values), PART_RECORDS_MAX):
        stored, pending = groups.offsets.of(group_id), groups.offsets.pending_keys(group_id)
        part = [
            key
            for key, value in values[start : start + PART_RECORDS_MAX]
            if stored.get(key) is value and (value is not None or key in pending)
        ]
        result: Decision[Any] = Decision(
            records=tuple(tombstone(group_id, key) for key in part),
            removed=removals(groups, group_id, dict.fromkeys(part), cause, at_ms),
        )
        if start + PART_RECORDS_MAX >= len(values):
            return result
        yield result
    return Decision()


def name_topic(cluster: Cluster, key: Any, value: Any, appended_ms: int) -> None:
    """Set the topic id of a loaded offset if its record has none. Other records are not changed.

    The offset belongs to the topic that has the name now, unless it was written before that topic was
    created. Neither time is reliable alone: OffsetCommit v1 lets the client choose the commit timestamp, and
    a batch has the time of its first record.
    """
    if type(value) is not OffsetCommitValue or value.topic_id != ZERO_UUID:
        return
    topic = cluster.topics.get(key.topic)
    if topic is not None and topic.created_ms <= max(appended_ms, value.commit_timestamp):
        value.topic_id = topic.topic_id


def forget_topics(
    groups: Groups, names: Iterable[str], topic_ids: Iterable[bytes], wall_ms: int
) -> Iterator[Forgotten]:
    """Delete the offsets of deleted topics in all groups. names and topic_ids are in step.

    Yields after some offsets of a group, so that requests can run in between. Each tombstone is a Decision of
    its own, because all of them may not fit in a batch. An offset with another topic id belongs to a newer
    topic of that name and is kept; one without an id is older.
    """
    deleted = {
        (name, known)
        for name, topic_id in zip(names, topic_ids, strict=True)
        for known in (topic_id, ZERO_UUID)
    }
    partitions = groups.offsets.partitions_of({name for name, _ in deleted})
    if partitions:
        yield from _forget(
            groups,
            partitions,
            lambda key, value: (key[0], value.topic_id) in deleted,
            wall_ms,
        )
    yield from _forget_pending(groups, deleted)
    yield from _forget_state(groups, frozenset(topic_id for _, topic_id in deleted).__contains__)


def _forget_state(groups: Groups, is_deleted: Callable[[bytes], bool]) -> Iterator[Forgotten]:
    """Remove deleted topics, by their ids, from the records of share groups. Yields after each group."""
    for group_id in [*groups.share_groups]:
        group = groups.groups.get(group_id)
        records = () if group is None else group.topics_deleted(is_deleted)
        if records and groups.service_error(group_id) is ErrorCode.NONE:
            yield (Decision(records=records),)


def _forget_pending(groups: Groups, deleted: Collection[tuple[str, bytes]]) -> Iterator[Forgotten]:
    """Drop pending offsets of deleted topics. Yields after some of them."""
    for group_id in [*groups.offsets.undecided]:
        if groups.service_error(group_id) is not ErrorCode.NONE:
            continue
        keys = [*groups.offsets.pending_keys(group_id)]
        for start in range(0, len(keys), PART_RECORDS_MAX):
            yield tuple(
                Decision(records=(tombstone(group_id, key),))
                for key in keys[start : start + PART_RECORDS_MAX]
                if any(
                    (key[0], each.value.topic_id) in deleted
                    for each in groups.offsets.pending_of(group_id, key)
                )
            )


def forget_dead(groups: Groups, cluster: Cluster, wall_ms: int) -> Iterator[Forgotten]:
    """Delete offsets of topics that no longer exist: a crash may have prevented `forget_topics`.

    Called once at start-up, after `name_topic`: an offset without an id is then older than its topic.
    """
    living = {name: topic.topic_id for name, topic in cluster.topics.items()}
    yield from _forget(groups, None, lambda key, value: living.get(key[0]) != value.topic_id, wall_ms)
    yield from _forget_state(groups, lambda topic_id: topic_id not in cluster.topics_by_id)


def _forget(
    groups: Groups,
    partitions: Sequence[TopicPartition] | None,
    condition: Callable[[TopicPartition, OffsetCommitValue], bool],
    wall_ms: int,
) -> Iterator[Forgotten]:
    """Yield after some offsets of each group. partitions: the only ones to look at; None: all.

    A group whose partition of `__consumer_offsets` is not served is skipped.
    """
    for group_id in [group_id for group_id, _ in groups.offsets.items()]:
        offsets = groups.offsets.of(group_id)
        keys = [*offsets] if partitions is None or len(offsets) < len(partitions) else partitions
        for start in range(0, len(keys), PART_RECORDS_MAX):
            part = keys[start : start + PART_RECORDS_MAX]
            yield tuple(_forgotten_part(groups, group_id, part, condition, wall_ms))


def _forgotten_part(
    groups: Groups,
    group_id: str,
    keys: Iterable[TopicPartition],
    condition: Callable[[TopicPartition, OffsetCommitValue], bool],
    wall_ms: int,
) -> Iterator[Decision[None]]:
    if groups.service_error(group_id) is not ErrorCode.NONE:
        return
    offsets = groups.offsets.of(group_id)
    for key in keys:
        value = offsets.get(key)
        if value is not None and condition(key, value):
            yield Decision(
                records=(tombstone(group_id, key),),
                removed=(Removal.of(group_id, key, value, Cause.TOPIC_DELETE, wall_ms),),
            )
