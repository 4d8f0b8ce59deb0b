"""EndTxn: the client commits or aborts its transaction.

v2  PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH (KIP-588)
v4  TRANSACTION_ABORTABLE is possible
v5  the end raises the epoch, and the response has the producer id and epoch with which to continue (KIP-890)

The response waits until the markers are written and the transaction is complete. Kafka responds once the end
is decided, so that a client's next request may get CONCURRENT_TRANSACTIONS, after which librdkafka waits for
100 ms. Here a sync of the disk would make that the rule. A clean stop responds before it closes connections.
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.result import Released, Result
from tidemark.handlers.routes import command
from tidemark.transactions.ending import Ending, Producer, end_transaction
from tidemark.transactions.events import EndParked
from tidemark.transactions.model import EPOCH_BUMP_FROM
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.end_txn import EndTxnRequest, EndTxnResponse

FENCED_FROM: Final = 2
BUMP_FROM: Final = 5


@command(EndTxnRequest, state=Transactions, versions=range(0, 6))
def end_txn(transactions: Transactions, ctx: Context, request: EndTxnRequest) -> Result[EndTxnResponse]:
    if not ctx.allowed(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, request.transactional_id):
        return Result(EndTxnResponse(0, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
    ending = Ending(
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        request.committed,
        EPOCH_BUMP_FROM if ctx.version >= BUMP_FROM else 0,
    )
    decided = end_transaction(transactions, ctx.now, ending, ctx.new_producer_id)
    producer = decided.response
    assert isinstance(producer, Producer)
    code = producer.error
    if code is ErrorCode.PRODUCER_FENCED and ctx.version < FENCED_FROM:
        code = ErrorCode.INVALID_PRODUCER_EPOCH
    response = EndTxnResponse(0, code, producer.producer_id, producer.producer_epoch)
    if not decided.records:
        return Result(response)
    assert ctx.pending is not None
    parked = EndParked(request.transactional_id, Released(ctx.pending, response))
    return Result(None, decided.records, (*decided.events, parked))
