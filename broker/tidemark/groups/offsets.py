"""The store of committed offsets, and how it stays small.

Offsets are stored separately from groups: the tombstone of a group deletes none of its offsets, and an offset
whose group is unknown creates a simple group. The stored value is the very object that was decoded or
decided, and all groups share one key per partition, so that a million offsets need far less than 300 MB.

The offsets of an open transaction are pending. They become visible when a marker commits them. At the commit
marker, Kafka compares log offsets: a pending offset replaces the stored one only if its record is later. Here
a pending offset is marked as overtaken as soon as a later one is stored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Final, NamedTuple

from tidemark.late_dataclass import dataclass
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

TopicPartition = tuple[str, int]


class Producer(NamedTuple):
    """A producer in one partition of `__consumer_offsets`. Each of these partitions has its own marker."""

    partition: int
    producer_id: int


@dataclass(slots=True, eq=False)
class OpenTransaction:
    """A transaction of a producer that has committed offsets in one partition of `__consumer_offsets`.

    since_ms  wall time of the first of these commits
    keys      by group, in the order of first commits. A pending offset that was deleted may still be listed
    """

    producer: Producer
    producer_epoch: int
    since_ms: int
    keys: dict[str, list[TopicPartition]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class PendingOffset:
    """A pending offset. A million of them may be pending, so the fields are few.

    overtaken  a later offset is stored, so that this one never will be
    older      the next older pending offset of another transaction for the same partition
    """

    value: OffsetCommitValue
    transaction: OpenTransaction
    older: PendingOffset | None
    overtaken: bool = False


class Committed(NamedTuple):
    """A pending offset that its transaction has committed. older: the pending offsets that it overtakes."""

    group_id: str
    where: TopicPartition
    value: OffsetCommitValue
    older: PendingOffset | None


class Pending:
    """Pending offsets by group and by transaction.

    groups  group id -> (topic, partition) -> its newest pending offset
    open    the open transactions. They include those whose pending offsets were all deleted
    """

    __slots__ = ("_ended", "groups", "open")

    def __init__(self) -> None:
        self.groups: dict[str, dict[TopicPartition, PendingOffset]] = {}
        self.open: dict[Producer, OpenTransaction] = {}
        self._ended: deque[tuple[OpenTransaction, Iterator[Committed | None]]] = deque()

    def of(self, group_id: str) -> Mapping[TopicPartition, OffsetCommitValue]:
        """Return the newest pending offset of each partition, as a copy."""
        return {where: offset.value for where, offset in self.groups.get(group_id, {}).items()}

    def keys(self, group_id: str) -> Collection[TopicPartition]:
        """Return the partitions with pending offsets. The view changes with them."""
        return self.groups.get(group_id, {}).keys()

    def holders(self, group_id: str, where: TopicPartition) -> list[OpenTransaction]:
        """Return the transactions with a pending offset for the partition, the latest commit first."""
        return [offset.transaction for offset in _chain(self.groups.get(group_id, {}).get(where))]

    def values(self, group_id: str, where: TopicPartition) -> list[OffsetCommitValue]:
        """Return the pending offsets for the partition, the latest commit first."""
        return [offset.value for offset in _chain(self.groups.get(group_id, {}).get(where))]

    def put(
        self,
        producer: Producer,
        producer_epoch: int,
        group_id: str,
        where: TopicPartition,
        value: OffsetCommitValue,
    ) -> None:
        transaction = self.open.get(producer)
        if transaction is None:
            transaction = OpenTransaction(producer, producer_epoch, value.commit_timestamp)
            self.open[producer] = transaction
        transaction.producer_epoch = producer_epoch
        if self._take(transaction, group_id, where) is None:
            transaction.keys.setdefault(group_id, []).append(where)
        partitions = self.groups.setdefault(group_id, {})
        partitions[where] = PendingOffset(value, transaction, partitions.get(where))

    def forget(self, group_id: str, where: TopicPartition) -> None:
        """Drop the pending offsets of all transactions for the partition."""
        partitions = self.groups.get(group_id, {})
        if partitions.pop(where, None) is not None and not partitions:
            del self.groups[group_id]

    # Ends of transactions. A transaction may have a million offsets: then they are decided in steps. Until an
    # offset is decided, it is pending, and a change in between has the same result as one behind the marker.

    def end(self, producer: Producer, *, committed: bool) -> None:
        """End the open transaction of a producer. `decided` returns what follows."""
        transaction = self.open.pop(producer, None)
        if transaction is not None:
            self._ended.append((transaction, self._decisions(transaction, committed=committed)))

    def is_ending(self, group_id: str | None = None) -> bool:
        """Return whether a transaction has ended some of whose offsets are undecided. None: of any group."""
        if group_id is None:
            return bool(self._ended)
        return any(group_id in transaction.keys for transaction, _ in self._ended)

    def decided(self, count: int) -> Iterator[Committed]:
        """Decide the next offsets of transactions that have ended, and yield those that must be stored.

        The caller must store each before it requests the next.
        """
        while self._ended and count > 0:
            for committed in self._ended[0][1]:
                if committed is not None:
                    yield committed
                count -= 1
                if count == 0:
                    break
            else:
                self._ended.popleft()

    def _decisions(self, transaction: OpenTransaction, *, committed: bool) -> Iterator[Committed | None]:
        """Remove the pending offsets of a transaction. Yields None for one that is not stored."""
        for group_id, keys in transaction.keys.items():
            for where in keys:
                offset = self._take(transaction, group_id, where)
                if offset is None or offset.overtaken or not committed:
                    yield None
                else:
                    yield Committed(group_id, where, offset.value, offset.older)

    def _take(
        self, transaction: OpenTransaction, group_id: str, where: TopicPartition
    ) -> PendingOffset | None:
        """Remove and return the pending offset of a transaction for a partition, if there is one."""
        partitions = self.groups.get(group_id)
        if partitions is None:
            return None
        newer = None
        for offset in _chain(partitions.get(where)):
            if offset.transaction is transaction:
                if newer is not None:
                    newer.older = offset.older
                elif offset.older is not None:
                    partitions[where] = offset.older
                else:
                    self.forget(group_id, where)
                return offset
            newer = offset
        return None


def overtake(newest: PendingOffset | None) -> None:
    """Mark a pending offset and all older ones of its partition as overtaken."""
    for offset in _chain(newest):
        offset.overtaken = True


def _chain(newest: PendingOffset | None) -> Iterator[PendingOffset]:
    while newest is not None:
        yield newest
        newest = newest.older


OffsetsOfGroup = Mapping[TopicPartition, OffsetCommitValue]

NO_OFFSETS: Final[OffsetsOfGroup] = MappingProxyType({})
UNUSED_IDS_MAX: Final = 1024  # shared topic ids beyond the number of offsets, before they are collected anew
STEP_OFFSETS: Final = 500  # of a transaction that ends, decided in one step: about a millisecond


class Offsets:
    """Group id -> (topic, partition) -> the last committed value.

    count      of the offsets of all groups, without the pending ones
    undecided  the pending ones, by group: read at each commit, and usually empty
    """

    __slots__ = ("_groups", "_partitions", "_pending", "_topic_ids", "_uses", "count", "undecided")

    def __init__(self) -> None:
        self.count = 0
        self._groups: dict[str, dict[TopicPartition, OffsetCommitValue]] = {}
        self._partitions: dict[TopicPartition, TopicPartition] = {}
        self._uses: dict[TopicPartition, int] = {}  # in how many groups each of them has an offset
        self._topic_ids: dict[bytes, bytes] = {}
        self._pending = Pending()
        self.undecided = self._pending.groups

    def of(self, group_id: str) -> OffsetsOfGroup:
        """Return the offsets of a group, read-only, in the order of first commits."""
        return self._groups.get(group_id, NO_OFFSETS)

    def __contains__(self, group_id: str) -> bool:
        """Return whether the group has offsets."""
        return group_id in self._groups

    def get(self, group_id: str, topic: str, partition: int) -> OffsetCommitValue | None:
        group = self._groups.get(group_id)
        return None if group is None else group.get((topic, partition))

    def pending(self, group_id: str) -> OffsetsOfGroup:
        """Return the offsets of open transactions, as a copy: the newest of each partition."""
        return self._pending.of(group_id) if group_id in self.undecided else NO_OFFSETS

    def has_pending(self, group_id: str) -> bool:
        """Return whether an open transaction has committed an offset of the group."""
        return group_id in self.undecided

    def pending_keys(self, group_id: str) -> Collection[TopicPartition]:
        """Return the partitions for which open transactions have committed offsets, as a live view."""
        return self._pending.keys(group_id)

    def is_pending(self, group_id: str, tp: TopicPartition) -> bool:
        """Return whether an open transaction has committed an offset for this partition."""
        return group_id in self.undecided and tp in self.undecided[group_id]

    def holders(self, group_id: str, tp: TopicPartition) -> list[OpenTransaction]:
        """Return the open transactions that have committed an offset for this partition."""
        return self._pending.holders(group_id, tp)

    def pending_topic_ids(self, group_id: str, tp: TopicPartition) -> Iterable[bytes]:
        """Return the topic ids of the pending offsets for this partition."""
        return [value.topic_id for value in self._pending.values(group_id, tp)]

    def groups_with_pending(self) -> Collection[str]:
        """Return the groups that have pending offsets, as a live view."""
        return self.undecided.keys()

    def open_transaction(self, partition: int, producer_id: int) -> OpenTransaction | None:
        """Return the open transaction of a producer in a partition of `__consumer_offsets`, if it has one."""
        return self._pending.open.get(Producer(partition, producer_id))

    def items(self) -> Iterable[tuple[str, OffsetsOfGroup]]:
        """Return every group that has offsets, with its offsets."""
        return self._groups.items()

    def partitions_of(self, topics: Collection[str]) -> list[TopicPartition]:
        """Return every partition of these topics that has an offset in some group."""
        return [tp for tp in self._partitions if tp[0] in topics]

    def store(self, group_id: str, tp: TopicPartition, value: OffsetCommitValue) -> None:
        """Store an offset. If it was committed now, outside of a transaction, call `overtake` for the pending
        one.
        """
        group = self._groups.get(group_id)
        if group is None:
            group = self._groups[group_id] = {}
        before = group.get(tp)
        if before is None:
            tp = self._partitions.setdefault(tp, tp)
            self._uses[tp] = self._uses.get(tp, 0) + 1
            self.count += 1
        if before is None or value.topic_id is not before.topic_id:
            value.topic_id = self._topic_ids.setdefault(value.topic_id, value.topic_id)
        group[tp] = value

    def forget(self, key: OffsetCommitKey) -> None:
        """Delete an offset. It may be unknown: a compacted log may begin with a tombstone."""
        if self.undecided:
            self._pending.forget(key.group, (key.topic, key.partition))
        group = self._groups.get(key.group)
        tp = (key.topic, key.partition)
        if group is None or group.pop(tp, None) is None:
            return
        self.count -= 1
        if not group:
            del self._groups[key.group]
        uses = self._uses[tp] = self._uses[tp] - 1
        if not uses:
            del self._uses[tp], self._partitions[tp]
        if len(self._topic_ids) > 2 * self.count + UNUSED_IDS_MAX:
            self._drop_unused_ids()

    def put_pending(
        self, partition: int, producer: tuple[int, int], key: OffsetCommitKey, value: OffsetCommitValue
    ) -> None:
        """Keep an offset of an open transaction. partition: of `__consumer_offsets`."""
        tp = (key.topic, key.partition)
        producer_id, epoch = producer
        self._pending.put(
            Producer(partition, producer_id), epoch, key.group, self._partitions.get(tp, tp), value
        )

    def end_transaction(
        self, partition: int, producer_id: int, *, committed: bool, at_once: int = STEP_OFFSETS
    ) -> None:
        """End the transaction of a producer in a partition of `__consumer_offsets`.

        The first of its pending offsets (`at_once`) are stored or dropped now, the others by `end_some`.
        """
        self._pending.end(Producer(partition, producer_id), committed=committed)
        self.end_some(at_once)

    def is_ending(self, group_id: str | None = None) -> bool:
        """Return whether offsets of a transaction that has ended wait for `end_some`. None: in any group."""
        return self._pending.is_ending(group_id)

    def end_some(self, count: int = STEP_OFFSETS) -> None:
        """Store or drop up to count offsets of transactions that have ended."""
        for group_id, tp, value, older in self._pending.decided(count):
            self.store(group_id, tp, value)
            overtake(older)

    def _drop_unused_ids(self) -> None:
        """Collect the shared topic ids anew. There are fewer offsets than ids, and fewer ids than topics."""
        self._topic_ids = {
            value.topic_id: value.topic_id for group in self._groups.values() for value in group.values()
        }


def is_longer(text: str, units: int) -> bool:
    """Return whether a text has more UTF-16 units, which Java counts as its length."""
    return 2 * len(text) > units and len(text.encode("utf-16-le", "surrogatepass")) // 2 > units


def lag_of(offset: int | None, log_end: int | None) -> int | None:
    """Return the end of a partition's log minus the committed offset.

    None if there is no committed offset, for which kafka-consumer-groups prints `-`, or no such log. Negative
    after a commit beyond the end, or if the topic was created again.
    """
    return None if offset is None or log_end is None else log_end - offset


def add_lag(total: int | None, lag: int | None) -> int | None:
    """Return the total with the lag of one more partition. None: no partition has a lag.

    A negative lag counts as 0, so that it does not hide that of other partitions.
    """
    if lag is None:
        return total
    return (total or 0) + max(lag, 0)
