"""Decisions that delete committed offsets: with their topic, with their group, or by request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.removal import Cause, Removal
from tidemark.core.result import PART_RECORDS_MAX, Record, Result, Steps
from tidemark.groups.pending import TopicPartition
from tidemark.groups.store import GroupStore
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark_protocol.batch import HEADER_BYTES, RECORD_OVERHEAD_BYTES
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.wire import ZERO_UUID

if TYPE_CHECKING:
    from tidemark.metadata.state import Cluster

Forgotten = tuple[Result[None], ...]  # of one group

# Bytes of a tombstone besides its names: the varints at their longest, and the rest of the key.
TOMBSTONE_BYTES: Final = RECORD_OVERHEAD_BYTES + 10


def tombstone(group_id: str, where: TopicPartition) -> Record:
    return Record(OffsetCommitKey(group_id, *where), None)


def all_places(groups: GroupStore, group_id: str) -> list[TopicPartition]:
    """Every partition with an offset of the group, and those that only an open transaction has one for."""
    stored, pending = groups.offsets.of(group_id), groups.offsets.pending(group_id)
    return [*stored, *(where for where in pending if where not in stored)]


def tombstones(groups: GroupStore, group_id: str) -> tuple[Record, ...]:
    """One for each of `all_places`."""
    return tuple(tombstone(group_id, where) for where in all_places(groups, group_id))


def removals(
    groups: GroupStore, group_id: str, places: Iterable[TopicPartition], cause: Cause, at_ms: int
) -> tuple[Removal, ...]:
    """What tombstones for these partitions take away, where an offset is stored."""
    stored = groups.offsets.of(group_id)
    return tuple(
        Removal.of(group_id, where, stored[where], cause, at_ms) for where in places if where in stored
    )


def tombstones_fit(cluster: Cluster, group_id: str, places: Collection[TopicPartition]) -> bool:
    """Return whether one batch takes these tombstones. Kafka writes them in one, or none of them."""
    bound = batch_bytes_max(cluster)
    each = TOMBSTONE_BYTES + len(group_id.encode())
    if len(places) * each > bound:  # a million names are not looked at
        return False
    return sum(each + len(topic.encode()) for topic, _ in places) + HEADER_BYTES <= bound


def batch_bytes_max(cluster: Cluster) -> int:
    """How large a batch of `__consumer_offsets` may be."""
    config = cluster.topic_config(OFFSETS_TOPIC)
    return min(config.max_message_bytes, config.segment_bytes)


def forgotten(
    groups: GroupStore, group_id: str, places: Iterable[TopicPartition], cause: Cause, at_ms: int
) -> Steps[Result[Any]]:
    """Forget what is stored, or pending, for these partitions at this moment: yield the tombstones in parts,
    and return the last part. An offset that is committed while that goes on comes after it, and stays.
    """
    stored = groups.offsets.of(group_id)
    values = [(place, stored.get(place)) for place in places]
    for start in range(0, len(values), PART_RECORDS_MAX):
        stored, pending = groups.offsets.of(group_id), groups.offsets.pending(group_id)
        part = [
            place
            for place, value in values[start : start + PART_RECORDS_MAX]
            if stored.get(place) is value and (value is not None or place in pending)
        ]
        result: Result[Any] = Result(
            records=tuple(tombstone(group_id, place) for place in part),
            removed=removals(groups, group_id, dict.fromkeys(part), cause, at_ms),
        )
        if start + PART_RECORDS_MAX >= len(values):
            return result
        yield result
    return Result()


def name_topic(cluster: Cluster, key: Any, value: Any, appended_ms: int) -> None:
    """Gives an offset that is loaded its topic id where it was written in a version that has none.

    It belongs to the topic of that name that lives now, unless it was written before that one was created.
    Either time alone would not tell: OffsetCommit v1 lets the client choose the commit timestamp, and a batch
    has the time of its first record. Other records are left as they are.
    """
    if type(value) is not OffsetCommitValue or value.topic_id != ZERO_UUID:
        return
    topic = cluster.topics.get(key.topic)
    if topic is not None and topic.created_ms <= max(appended_ms, value.commit_timestamp):
        value.topic_id = topic.topic_id


def forget_topics(
    groups: GroupStore, names: Iterable[str], topic_ids: Iterable[bytes], wall_ms: int
) -> Iterator[Forgotten]:
    """Deleted topics leave no offset in any group, whatever its state (names and ids in step).

    One group after the other, each as it stands when its turn comes: of a million offsets nobody waits for
    the last. Each tombstone is a Result by itself: together they may be more than a batch takes. An offset of
    another topic id belongs to the next life of the name and stays; one without is older.
    """
    deleted = {
        (name, known)
        for name, topic_id in zip(names, topic_ids, strict=True)
        for known in (topic_id, ZERO_UUID)
    }
    partitions = groups.offsets.partitions_of({name for name, _ in deleted})
    if partitions:
        yield from _forget(
            groups, partitions, lambda where, value: (where[0], value.topic_id) in deleted, wall_ms
        )
    for group_id, where, value in groups.offsets.all_pending():
        if (where[0], value.topic_id) in deleted and groups.service_error(group_id) is ErrorCode.NONE:
            yield (Result(records=(tombstone(group_id, where),)),)


def forget_dead(groups: GroupStore, cluster: Cluster, wall_ms: int) -> Iterator[Forgotten]:
    """Forgets what a crash between the deletion of a topic and `forget_topics` left behind: as there.

    Asked once, at start-up, after `name_topic`: an offset that has no id then is older than its topic.
    """
    living = {name: topic.topic_id for name, topic in cluster.topics.items()}
    return _forget(groups, None, lambda where, value: living.get(where[0]) != value.topic_id, wall_ms)


def _forget(
    groups: GroupStore,
    partitions: Collection[TopicPartition] | None,
    condition: Callable[[TopicPartition, OffsetCommitValue], bool],
    wall_ms: int,
) -> Iterator[Forgotten]:
    """A tuple for each group, empty where nothing goes. partitions: nothing else is asked for; None: all.

    A partition of the log that is not served is not written to either.
    """
    for group_id in [group_id for group_id, _ in groups.offsets.items()]:
        offsets = groups.offsets.of(group_id)
        asked = offsets if partitions is None or len(offsets) < len(partitions) else partitions
        served = groups.service_error(group_id) is ErrorCode.NONE
        yield tuple(
            Result(
                records=(tombstone(group_id, where),),
                removed=(Removal.of(group_id, where, value, Cause.TOPIC_DELETE, wall_ms),),
            )
            for where in (asked if served else ())
            if (value := offsets.get(where)) is not None and condition(where, value)
        )
