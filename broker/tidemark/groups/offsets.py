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
    """Group id -> (topic, partition) -> the last committed value, and the pending offsets of transactions.

    count         of the stored offsets of all groups
    undecided     group id -> (topic, partition) -> its newest pending offset. Read at each commit, and
                  usually empty
    transactions  the open ones. They include those whose pending offsets were all deleted
    """

    __slots__ = (
        "_ended",
        "_groups",
        "_partitions",
        "_topic_ids",
        "_uses",
        "count",
        "transactions",
        "undecided",
    )

    def __init__(self) -> None:
        self.count = 0
        self._groups: dict[str, dict[TopicPartition, OffsetCommitValue]] = {}
        self._partitions: dict[TopicPartition, TopicPartition] = {}
        self._uses: dict[TopicPartition, int] = {}  # in how many groups each of them has an offset
        self._topic_ids: dict[bytes, bytes] = {}
        self.undecided: dict[str, dict[TopicPartition, PendingOffset]] = {}
        self.transactions: dict[Producer, OpenTransaction] = {}
        # With whether they have committed, and the partitions whose pending offsets are undecided.
        self._ended: deque[tuple[OpenTransaction, bool, Iterator[tuple[str, TopicPartition]]]] = deque()

    # Stored offsets.

    def of(self, group_id: str) -> OffsetsOfGroup:
        """Return the offsets of a group, read-only, in the order of first commits."""
        return self._groups.get(group_id, NO_OFFSETS)

    def __contains__(self, group_id: str) -> bool:
        """Return whether the group has offsets."""
        return group_id in self._groups

    def get(self, group_id: str, topic: str, partition: int) -> OffsetCommitValue | None:
        group = self._groups.get(group_id)
        return None if group is None else group.get((topic, partition))

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
        tp = (key.topic, key.partition)
        if self.undecided:
            self._forget_pending(key.group, tp)
        group = self._groups.get(key.group)
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

    def _drop_unused_ids(self) -> None:
        """Collect the shared topic ids anew. There are fewer offsets than ids, and fewer ids than topics."""
        self._topic_ids = {
            value.topic_id: value.topic_id for group in self._groups.values() for value in group.values()
        }

    # Pending offsets.

    def pending(self, group_id: str) -> OffsetsOfGroup:
        """Return the offsets of open transactions, as a copy: the newest of each partition."""
        return {tp: offset.value for tp, offset in self.undecided.get(group_id, {}).items()}

    def has_pending(self, group_id: str) -> bool:
        """Return whether an open transaction has committed an offset of the group."""
        return group_id in self.undecided

    def pending_keys(self, group_id: str) -> Collection[TopicPartition]:
        """Return the partitions for which open transactions have committed offsets, as a live view."""
        return self.undecided.get(group_id, {}).keys()

    def is_pending(self, group_id: str, tp: TopicPartition) -> bool:
        """Return whether an open transaction has committed an offset for this partition."""
        return group_id in self.undecided and tp in self.undecided[group_id]

    def open_transaction(self, partition: int, producer_id: int) -> OpenTransaction | None:
        """Return the open transaction of a producer in a partition of `__consumer_offsets`, if it has one."""
        return self.transactions.get(Producer(partition, producer_id))

    def pending_of(self, group_id: str, tp: TopicPartition) -> list[PendingOffset]:
        """Return the pending offsets for this partition, each of another transaction, the latest first."""
        return [*_chain(self.undecided.get(group_id, {}).get(tp))]

    def put_pending(
        self, partition: int, producer: tuple[int, int], key: OffsetCommitKey, value: OffsetCommitValue
    ) -> None:
        """Keep an offset of an open transaction. partition: of `__consumer_offsets`."""
        producer_id, epoch = producer
        owner = Producer(partition, producer_id)
        transaction = self.transactions.get(owner)
        if transaction is None:
            transaction = self.transactions[owner] = OpenTransaction(owner, epoch, value.commit_timestamp)
        transaction.producer_epoch = epoch
        tp = (key.topic, key.partition)
        tp = self._partitions.get(tp, tp)
        if self._take_pending(transaction, key.group, tp) is None:
            transaction.keys.setdefault(key.group, []).append(tp)
        partitions = self.undecided.setdefault(key.group, {})
        partitions[tp] = PendingOffset(value, transaction, partitions.get(tp))

    def _forget_pending(self, group_id: str, tp: TopicPartition) -> None:
        """Drop the pending offsets of all transactions for the partition."""
        partitions = self.undecided.get(group_id)
        if partitions is not None and partitions.pop(tp, None) is not None and not partitions:
            del self.undecided[group_id]

    def _take_pending(
        self, transaction: OpenTransaction, group_id: str, tp: TopicPartition
    ) -> PendingOffset | None:
        """Remove and return the pending offset of a transaction for a partition, if there is one."""
        partitions = self.undecided.get(group_id)
        if partitions is None:
            return None
        newer = None
        for offset in _chain(partitions.get(tp)):
            if offset.transaction is transaction:
                if newer is not None:
                    newer.older = offset.older
                elif offset.older is not None:
                    partitions[tp] = offset.older
                else:
                    self._forget_pending(group_id, tp)
                return offset
            newer = offset
        return None

    # Ends of transactions. A transaction may have a million offsets: then they are decided in steps. Until an
    # offset is decided, it is pending, and a change in between has the same result as one behind the marker.

    def end_transaction(
        self, partition: int, producer_id: int, *, committed: bool, at_once: int = STEP_OFFSETS
    ) -> None:
        """End the transaction of a producer in a partition of `__consumer_offsets`.

        The first of its pending offsets (`at_once`) are stored or dropped now, the others by `end_some`.
        """
        transaction = self.transactions.pop(Producer(partition, producer_id), None)
        if transaction is not None:
            self._ended.append((transaction, committed, _partitions_of(transaction)))
        self.end_some(at_once)

    def is_ending(self, group_id: str | None = None) -> bool:
        """Return whether offsets of a transaction that has ended wait for `end_some`. None: in any group."""
        if group_id is None:
            return bool(self._ended)
        return any(group_id in transaction.keys for transaction, _, _ in self._ended)

    def end_some(self, count: int = STEP_OFFSETS) -> None:
        """Store or drop up to count offsets of transactions that have ended."""
        while self._ended and count > 0:
            transaction, committed, partitions = self._ended[0]
            for group_id, tp in partitions:
                offset = self._take_pending(transaction, group_id, tp)
                if offset is not None and committed and not offset.overtaken:
                    self.store(group_id, tp, offset.value)
                    overtake(offset.older)
                count -= 1
                if count == 0:
                    break
            else:
                self._ended.popleft()


def _partitions_of(transaction: OpenTransaction) -> Iterator[tuple[str, TopicPartition]]:
    for group_id, keys in transaction.keys.items():
        for tp in keys:
            yield group_id, tp


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
