"""Passes over all transactional ids: transactions that time out, and ids that expire. Both work in steps.

Kafka: TransactionStateManager.timedOutTransactions and removeExpiredTransactionalIds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tidemark.core.context import Now
from tidemark.core.partition_status import PartitionStatus
from tidemark.core.result import Record, Result
from tidemark.transactions.decisions import NewProducerId, Producer, fence
from tidemark.transactions.model import EXPIRE, ONGOING, TopicPartition, Transaction
from tidemark.transactions.records import tombstone
from tidemark.transactions.state import Transactions

STEP: Final = 1_000  # ids that are looked at in one step
TOMBSTONES_MAX: Final = 16  # in one Result: with the longest ids half a megabyte


@dataclass(slots=True, frozen=True)
class TimedOut:
    """A transaction that was aborted because its timeout has passed. producer_epoch: after the abort."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    started_ms: int
    partitions: tuple[TopicPartition, ...]

    @classmethod
    def of(cls, aborted: Transaction) -> TimedOut:
        return cls(
            aborted.transactional_id,
            aborted.producer_id,
            aborted.producer_epoch,
            aborted.timeout_ms,
            aborted.start_ms,
            tuple(sorted(aborted.partitions)),
        )


def timed_out(
    transactions: Transactions, now: Now, new_producer_id: NewProducerId
) -> Iterator[Result[Producer]]:
    """Yield the aborts of transactions that are open for longer than their timeout.

    Each Result must be accepted before the next is requested. The caller may serve requests in between.
    """
    while True:
        passed = transactions.timeouts.peek_due(now.steady_ms - 1, 1)  # Kafka: not at the very millisecond
        if not passed:
            return
        transaction = transactions.by_id[passed[0]]
        assert transaction.status is ONGOING, f"{transaction} has a timeout"
        yield fence(transactions, transaction, now, new_producer_id)


def expired_ids(transactions: Transactions, wall_ms: int) -> Iterator[Result[None] | None]:
    """Yield tombstones of the ids that were not used for transactional.id.expiration.ms.

    Each Result must be accepted before the next is requested. None ends a step of the search. The caller may
    serve requests in between: each id is checked again before its tombstone is made.
    """
    found: dict[int, list[str]] = {}
    ids = iter([*transactions.by_id])
    while some := [*islice(ids, STEP)]:
        for transactional_id in some:
            transaction = _expired(transactions, transactional_id, wall_ms)
            if transaction is not None:
                found.setdefault(transaction.partition, []).append(transactional_id)
        yield None
    for partition in sorted(found):  # tombstones of a partition share batches
        yield from _tombstones(transactions, found[partition], wall_ms)


def _tombstones(transactions: Transactions, ids: list[str], wall_ms: int) -> Iterator[Result[None]]:
    for start in range(0, len(ids), TOMBSTONES_MAX):
        records = _still_expired(transactions, ids[start : start + TOMBSTONES_MAX], wall_ms)
        if records:
            yield Result(records=records)


def _still_expired(transactions: Transactions, ids: Iterable[str], wall_ms: int) -> tuple[Record, ...]:
    return tuple(tombstone(each) for each in ids if _expired(transactions, each, wall_ms) is not None)


def _expired(transactions: Transactions, transactional_id: str, wall_ms: int) -> Transaction | None:
    """Return the transaction if its id may be removed."""
    transaction = transactions.by_id.get(transactional_id)
    if transaction is None or transaction.status not in EXPIRE:
        return None
    if transaction.last_update_ms > wall_ms - transactions.limits.id_expiration_ms:
        return None
    if transactions.status[transaction.partition] is not PartitionStatus.ACTIVE:
        return None
    return transaction
