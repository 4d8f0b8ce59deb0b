"""Committed offsets: the store, how it stays small, and what forgets offsets when their topics go.

Offsets stand beside groups, not in them: a group's tombstone takes none of them along, and an offset whose
group is unknown makes a simple group. The value that is stored is the very object that was decoded or
decided, and all groups share one key per partition, so that a million offsets stay far below 300 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.removal import Cause, Removal
from tidemark.core.result import PART_RECORDS_MAX, Record, Result, Steps
from tidemark.groups.pending import Pending
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark_protocol.batch import HEADER_BYTES, RECORD_OVERHEAD_BYTES
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.wire import ZERO_UUID

if TYPE_CHECKING:
    from tidemark.groups.state import Groups
    from tidemark.metadata.state import Cluster

TopicPartition = tuple[str, int]
OffsetsOfGroup = Mapping[TopicPartition, OffsetCommitValue]
Forgotten = tuple[Result[None], ...]  # of one group

NO_OFFSETS: Final[OffsetsOfGroup] = MappingProxyType({})
# Bytes of a tombstone besides its names: the varints at their longest, and the rest of the key.
TOMBSTONE_BYTES: Final = RECORD_OVERHEAD_BYTES + 10
UNUSED_KEYS_MAX: Final = 1024  # besides as many as there are offsets; then the shared keys are collected anew


class Offsets:
    """Group id -> (topic, partition) -> the last committed value. `count` is the number of offsets of all
    groups, without the pending ones.
    """

    __slots__ = ("_groups", "_partitions", "_pending", "_topic_ids", "_undecided", "count")

    def __init__(self) -> None:
        self.count = 0
        self._groups: dict[str, dict[TopicPartition, OffsetCommitValue]] = {}
        self._partitions: dict[TopicPartition, TopicPartition] = {}
        self._topic_ids: dict[bytes, bytes] = {}
        self._pending = Pending()
        self._undecided = self._pending.groups  # asked for at each commit, and empty as a rule

    def of(self, group_id: str) -> OffsetsOfGroup:
        """Read-only, in the order of first commits; empty for a group that is unknown."""
        return self._groups.get(group_id, NO_OFFSETS)

    def __contains__(self, group_id: str) -> bool:
        """The group has offsets."""
        return group_id in self._groups

    def get(self, group_id: str, topic: str, partition: int) -> OffsetCommitValue | None:
        group = self._groups.get(group_id)
        return None if group is None else group.get((topic, partition))

    def pending(self, group_id: str) -> OffsetsOfGroup:
        """What transactions that are still open have committed."""
        return self._pending.of(group_id) if group_id in self._undecided else NO_OFFSETS

    def is_pending(self, group_id: str, where: TopicPartition) -> bool:
        """A transaction that is still open has committed one for this partition."""
        pending = self._pending.groups
        return group_id in pending and where in pending[group_id]

    def all_pending(self) -> list[tuple[str, TopicPartition, OffsetCommitValue]]:
        return [
            (group_id, where, value)
            for group_id in self._undecided
            for where, value in self._pending.of(group_id).items()
        ]

    def items(self) -> Iterable[tuple[str, OffsetsOfGroup]]:
        """Every group that has offsets, with them."""
        return self._groups.items()

    def partitions_of(self, topics: Collection[str]) -> list[TopicPartition]:
        """Every partition of these topics that an offset may stand for."""
        return [where for where in self._partitions if where[0] in topics]

    def put(self, key: OffsetCommitKey, value: OffsetCommitValue, pending_at: int | None = None) -> None:
        """pending_at: its place among what was pending, if a transaction wrote it; None: it is newest."""
        where = (key.topic, key.partition)
        group = self._groups.get(key.group)
        if group is None:
            group = self._groups[key.group] = {}
        before = group.get(where)
        if before is None:
            where = self._partitions.setdefault(where, where)
            self.count += 1
        if before is None or value.topic_id is not before.topic_id:
            value.topic_id = self._topic_ids.setdefault(value.topic_id, value.topic_id)
        group[where] = value
        if self._undecided:
            self._pending.overtake(key.group, where, pending_at)

    def forget(self, key: OffsetCommitKey) -> None:
        """Total: a request may name a partition twice, and a compacted log may begin with the tombstone."""
        if self._undecided:
            self._pending.forget(key.group, (key.topic, key.partition))
        group = self._groups.get(key.group)
        if group is None or group.pop((key.topic, key.partition), None) is None:
            return
        self.count -= 1
        if not group:
            del self._groups[key.group]
        if max(len(self._partitions), len(self._topic_ids)) > 2 * self.count + UNUSED_KEYS_MAX:
            self._drop_unused()

    def put_pending(
        self, partition: int, producer_id: int, key: OffsetCommitKey, value: OffsetCommitValue
    ) -> None:
        """What an open transaction commits. partition: of `__consumer_offsets`."""
        self._pending.put((partition, producer_id), key.group, (key.topic, key.partition), value)

    def end_transaction(self, partition: int, producer_id: int, *, committed: bool) -> None:
        """What the producer has pending in a partition of `__consumer_offsets` is stored, or dropped."""
        for group_id, where, offset in self._pending.end((partition, producer_id)):
            if committed and not offset.overtaken:
                self.put(OffsetCommitKey(group_id, *where), offset.value, offset.position)

    def _drop_unused(self) -> None:
        """At least half of the shared keys belong to offsets that are gone."""
        offsets = [offset for group in self._groups.values() for offset in group.items()]
        self._partitions = {where: where for where, _ in offsets}
        self._topic_ids = {value.topic_id: value.topic_id for _, value in offsets}


def tombstone(group_id: str, where: TopicPartition) -> Record:
    return Record(OffsetCommitKey(group_id, *where), None)


def all_places(groups: Groups, group_id: str) -> list[TopicPartition]:
    """Every partition with an offset of the group, and those that only an open transaction has one for."""
    stored, pending = groups.offsets.of(group_id), groups.offsets.pending(group_id)
    return [*stored, *(where for where in pending if where not in stored)]


def tombstones(groups: Groups, group_id: str) -> tuple[Record, ...]:
    """One for each of `all_places`."""
    return tuple(tombstone(group_id, where) for where in all_places(groups, group_id))


def removals(
    groups: Groups, group_id: str, places: Iterable[TopicPartition], cause: Cause, at_ms: int
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
    groups: Groups, group_id: str, places: Iterable[TopicPartition], cause: Cause, at_ms: int
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
    groups: Groups, names: Iterable[str], topic_ids: Iterable[bytes], wall_ms: int
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


def forget_dead(groups: Groups, cluster: Cluster, wall_ms: int) -> Iterator[Forgotten]:
    """Forgets what a crash between the deletion of a topic and `forget_topics` left behind: as there.

    Asked once, at start-up, after `name_topic`: an offset that has no id then is older than its topic.
    """
    living = {name: topic.topic_id for name, topic in cluster.topics.items()}
    return _forget(groups, None, lambda where, value: living.get(where[0]) != value.topic_id, wall_ms)


def _forget(
    groups: Groups,
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
