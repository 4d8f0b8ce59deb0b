"""ListTransactions: the transactional ids of this broker (KIP-664).

v1  duration_filter (KIP-994)
v2  transactional_id_pattern: RE2 (KIP-1152)
"""

from __future__ import annotations

from collections.abc import Callable

from tidemark.core.context import Context, Operation, ResourceType, quietly
from tidemark.core.in_steps import counted
from tidemark.core.result import Steps
from tidemark.groups.consumer.regexes import full_matcher
from tidemark.handlers.routes import query
from tidemark.transactions.listing import Filters, is_loading, listed
from tidemark.transactions.model import BY_TITLE
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)


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
