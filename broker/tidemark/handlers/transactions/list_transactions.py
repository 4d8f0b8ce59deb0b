"""ListTransactions: the transactional ids of this broker (KIP-664).

v1  duration_filter (KIP-994)
v2  transactional_id_pattern: RE2 (KIP-1152)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from tidemark.core.apply import PartitionStatus
from tidemark.core.context import Context, Operation, ResourceType, quietly
from tidemark.core.decision import Steps, counted
from tidemark.core.java import bucket_order
from tidemark.groups.consumer.regexes import full_matcher
from tidemark.handlers.routes import query
from tidemark.transactions.model import BY_TITLE, Transaction, TransactionStatus
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)

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


@query(ListTransactionsRequest, state=Transactions, versions=range(0, 3))
def list_transactions(
    transactions: Transactions, ctx: Context, request: ListTransactionsRequest
) -> Steps[ListTransactionsResponse]:
    if is_loading(transactions):
        return ListTransactionsResponse(0, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    names = yield from counted(request.state_filters)
    producer_ids = yield from counted(request.producer_id_filters)
    try:
        filters = Filters(
            frozenset(BY_TITLE[name] for name in names if name in BY_TITLE) if names else None,
            frozenset(producer_ids),
            request.duration_filter,
            _matcher(request.transactional_id_pattern),
        )
        found = yield from listed(transactions, ctx.wall_ms, filters)
    except KafkaError as error:
        return ListTransactionsResponse(0, error.code)
    states: list[TransactionState] = []
    allowed = quietly(ctx.allowed)
    for transaction in found:
        if allowed(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, transaction.transactional_id):
            states.append(
                TransactionState(
                    transaction.transactional_id, transaction.producer_id, transaction.status.title
                )
            )
        yield 1
    return ListTransactionsResponse(
        0, ErrorCode.NONE, [name for name in names if name not in BY_TITLE], states
    )


def _matcher(pattern: str | None) -> Callable[[str], bool] | None:
    return full_matcher(pattern, "Transaction ID pattern") if pattern else None
