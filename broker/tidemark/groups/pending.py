"""Offsets of open transactions: they become visible when a marker commits them.

At the commit marker, Kafka compares log offsets: a pending offset replaces the stored one only if its record
is later. Here a pending offset is marked as overtaken as soon as a later one is stored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

from tidemark.late_dataclass import dataclass
from tidemark_protocol.records.offset_commit import OffsetCommitValue

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
