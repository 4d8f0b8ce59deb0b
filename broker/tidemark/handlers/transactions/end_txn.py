"""EndTxn: the client commits or aborts its transaction.

v2  PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH (KIP-588)
v4  TRANSACTION_ABORTABLE is possible
v5  the end raises the epoch, and the response has the producer id and epoch with which to continue (KIP-890)

The response waits until the markers are written and the transaction is complete. Kafka responds once the end
is decided, so that a client's next request may get CONCURRENT_TRANSACTIONS, after which librdkafka waits for
100 ms. Here a sync of the disk would make that the rule. A clean stop responds before it closes connections.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision, Released
from tidemark.handlers.routes import command
from tidemark.transactions.model import EPOCH_BUMP_FROM
from tidemark.transactions.state import Producer, Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.end_txn import EndTxnRequest, EndTxnResponse

FENCED_FROM: Final = 2
BUMP_FROM: Final = 5


@command(EndTxnRequest, state=Transactions, versions=range(0, 6))
def end_txn(transactions: Transactions, ctx: Context, request: EndTxnRequest) -> Decision[EndTxnResponse]:
    if not ctx.allowed(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, request.transactional_id):
        return Decision(EndTxnResponse(0, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
    try:
        transactions.check_coordinates(request.transactional_id, ctx.caller.node_id)
        decided = transactions.end_transaction(
            ctx.now,
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            committed=request.committed,
            client_version=EPOCH_BUMP_FROM if ctx.version >= BUMP_FROM else 0,
            new_producer_id=partial(ctx.new_producer_id, ctx.caller.node_id),
        )
    except KafkaError as error:
        is_fenced = error.code == ErrorCode.PRODUCER_FENCED and ctx.version < FENCED_FROM
        return Decision(EndTxnResponse(0, ErrorCode.INVALID_PRODUCER_EPOCH if is_fenced else error.code))
    assert isinstance(decided.response, Producer)
    response = EndTxnResponse(0, *decided.response)
    if not decided.records:
        return Decision(response)
    assert ctx.pending is not None
    transaction = transactions.by_id[request.transactional_id]
    responds = partial(transaction.respond_once_complete, Released(ctx.pending, response))
    return Decision(None, decided.records, after=(*decided.after, responds))
