"""DescribeTransactions: state and partitions of transactional ids (KIP-664)."""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Steps
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import topic_visible
from tidemark.transactions.model import in_order
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)


@query(DescribeTransactionsRequest, state=Transactions, versions=range(0, 1))
def describe_transactions(
    transactions: Transactions, ctx: Context, request: DescribeTransactionsRequest
) -> Steps[DescribeTransactionsResponse]:
    described: list[TransactionState] = []
    for transactional_id in request.transactional_ids:
        try:
            state = _described(transactions, ctx, transactional_id)
        except KafkaError as error:
            state = TransactionState(error.code, transactional_id)
        described.append(state)
        yield 1 + sum(len(topic.partitions) for topic in state.topics)
    return DescribeTransactionsResponse(0, described)


def _described(transactions: Transactions, ctx: Context, transactional_id: str) -> TransactionState:
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if not transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    transactions.check_coordinates(transactional_id, ctx.caller.node_id)
    transaction = transactions.serving(transactional_id)
    if transaction is None:
        raise KafkaError(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
    topics: dict[str, TopicData] = {}
    for name, index in in_order(transaction.partitions):
        if name not in topics:
            topics[name] = TopicData(name)
        topics[name].partitions.append(index)
    return TransactionState(
        ErrorCode.NONE,
        transactional_id,
        transaction.status.title,
        transaction.timeout_ms,
        transaction.start_ms,
        transaction.producer_id,
        transaction.producer_epoch,
        [data for name, data in topics.items() if topic_visible(ctx, name)],
    )
