"""ListTransactions: the transactional ids of this broker (KIP-664).

v1  duration_filter (KIP-994)
v2  transactional_id_pattern: RE2 (KIP-1152)
"""

from __future__ import annotations

from tidemark.core.apply import PartitionStatus
from tidemark.core.context import Context, Operation, ResourceType, quietly
from tidemark.core.decision import Steps, counted
from tidemark.core.java import bucket_order
from tidemark.groups.consumer.regexes import full_matcher
from tidemark.handlers.routes import query
from tidemark.transactions.model import BY_TITLE, Transaction
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)


@query(ListTransactionsRequest, state=Transactions, versions=range(0, 3))
def list_transactions(
    transactions: Transactions, ctx: Context, request: ListTransactionsRequest
) -> Steps[ListTransactionsResponse]:
    if PartitionStatus.LOADING in transactions.status:
        return ListTransactionsResponse(0, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    names = yield from counted(request.state_filters)
    statuses = {BY_TITLE[name] for name in names if name in BY_TITLE}
    producer_ids = yield from counted(request.producer_id_filters)
    pattern, longer_ms = request.transactional_id_pattern, request.duration_filter
    try:
        matches = full_matcher(pattern, "Transaction ID pattern") if pattern else None
        found: list[Transaction] = []
        for transaction in (yield from _in_order(transactions)):
            if (
                transactions.coordinates(transaction.partition, ctx.caller.node_id)
                and (not producer_ids or transaction.producer_id in producer_ids)
                and (not names or transaction.status in statuses)
                # An id without a transaction has started in 1969, as in Kafka.
                and (longer_ms < 0 or ctx.wall_ms - transaction.start_ms > longer_ms)
                and (matches is None or matches(transaction.transactional_id))
            ):
                found.append(transaction)
            yield 1
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


def _in_order(transactions: Transactions) -> Steps[list[Transaction]]:
    """Return all transactions in Kafka's order: by partition, then by hash.

    A generator: it yields after each id. Kafka: TransactionStateManager.listTransactionStates.
    """
    by_partition: dict[int, dict[str, Transaction]] = {}
    for transaction in [*transactions.by_id.values()]:
        by_partition.setdefault(transaction.partition, {})[transaction.transactional_id] = transaction
        yield 0
    ordered: list[Transaction] = []
    for partition in sorted(by_partition):
        if transactions.status[partition] is PartitionStatus.ACTIVE:
            ids = by_partition[partition]
            buckets = yield from bucket_order(ids, java_hash)
            ordered += (ids[each] for bucket in buckets for each in bucket)
    return ordered
