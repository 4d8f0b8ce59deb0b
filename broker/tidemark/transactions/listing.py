"""Lists of transactional ids. Kafka: TransactionStateManager.listTransactionStates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from tidemark.core.java import bucket_order
from tidemark.core.partition_status import PartitionStatus
from tidemark.core.result import Steps
from tidemark.transactions.model import Transaction, TransactionStatus
from tidemark.transactions.state import Transactions
from tidemark_protocol.java import java_hash

DURATION_UNKNOWN: Final = -1


@dataclass(slots=True, frozen=True)
class Filters:
    """The transactional ids to list.

    statuses      None: all
    producer_ids  empty: all
    duration_ms   longer than this since the transaction began; negative: all. An id without a transaction
                  has started in 1969, as in Kafka
    matches       of the whole transactional id; None: all
    """

    statuses: frozenset[TransactionStatus] | None = None
    producer_ids: frozenset[int] = frozenset()
    duration_ms: int = DURATION_UNKNOWN
    matches: Callable[[str], bool] | None = None

    def accept(self, transaction: Transaction, wall_ms: int) -> bool:
        return (
            (not self.producer_ids or transaction.producer_id in self.producer_ids)
            and (self.statuses is None or transaction.status in self.statuses)
            and (self.duration_ms < 0 or wall_ms - transaction.start_ms > self.duration_ms)
            and (self.matches is None or self.matches(transaction.transactional_id))
        )


def is_loading(transactions: Transactions) -> bool:
    return PartitionStatus.LOADING in transactions.status


def listed(transactions: Transactions, wall_ms: int, filters: Filters) -> Steps[list[Transaction]]:
    """Return the transactions that the filters accept, in Kafka's order: by partition, then by hash.

    A generator: it yields after each id.
    """
    by_partition: dict[int, dict[str, Transaction]] = {}
    for transaction in [*transactions.by_id.values()]:
        by_partition.setdefault(transaction.partition, {})[transaction.transactional_id] = transaction
        yield 0
    found: list[Transaction] = []
    for partition in sorted(by_partition):
        if transactions.status[partition] is PartitionStatus.ACTIVE:
            for transaction in (yield from _in_order(by_partition[partition])):
                if filters.accept(transaction, wall_ms):
                    found.append(transaction)
                yield 1
    return found


def _in_order(ids: dict[str, Transaction]) -> Steps[Iterable[Transaction]]:
    if len(ids) == 1:
        return ids.values()
    buckets = yield from bucket_order(ids, java_hash)
    return (ids[each] for bucket in buckets for each in bucket)
