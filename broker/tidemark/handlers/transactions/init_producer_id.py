"""InitProducerId: returns a producer id and epoch, for a transactional or an idempotent producer.

v3  producer_id and producer_epoch of a producer that continues (KIP-360): both must be set, or neither.
    Without a transactional id, the response always has a new id
v4  PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH (KIP-588)
v5  TRANSACTION_ABORTABLE is possible
v6  two-phase commit (KIP-939): Kafka 4.3 does not serve it
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.result import Result
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed_or_else
from tidemark.transactions.ending import Producer
from tidemark.transactions.initialising import Initialising, initialise
from tidemark.transactions.model import NO_EPOCH, NO_ID
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

FENCED_FROM: Final = 4


@command(InitProducerIdRequest, state=Transactions, versions=range(0, 6))
def init_producer_id(
    transactions: Transactions, ctx: Context, request: InitProducerIdRequest
) -> Result[InitProducerIdResponse]:
    error = _refusal(ctx, request)
    if error is not ErrorCode.NONE:
        return Result(_response(ctx, Producer(error)))
    if request.transactional_id is None:
        return Result(_response(ctx, Producer(ErrorCode.NONE, ctx.new_producer_id(), 0)))
    expected = None if request.producer_id == NO_ID else (request.producer_id, request.producer_epoch)
    initialising = Initialising(request.transactional_id, request.transaction_timeout_ms, expected)
    decided = initialise(transactions, ctx.now, initialising, ctx.new_producer_id)
    assert isinstance(decided.response, Producer)
    return Result(_response(ctx, decided.response), decided.records, decided.events)


def error_response(request: InitProducerIdRequest, code: int) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=NO_ID, producer_epoch=NO_EPOCH)


def _refusal(ctx: Context, request: InitProducerIdRequest) -> ErrorCode:
    transactional_id = request.transactional_id
    if transactional_id is not None:
        if not ctx.allowed(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
            return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    elif not _may_write(ctx):
        return ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    if (request.producer_id == NO_ID) != (request.producer_epoch == NO_EPOCH):
        return ErrorCode.INVALID_REQUEST
    return ErrorCode.NONE


def _response(ctx: Context, producer: Producer) -> InitProducerIdResponse:
    code = producer.error
    if code is ErrorCode.PRODUCER_FENCED and ctx.version < FENCED_FROM:
        code = ErrorCode.INVALID_PRODUCER_EPOCH
    return InitProducerIdResponse(0, code, producer.producer_id, producer.producer_epoch)


def _may_write(ctx: Context) -> bool:
    return cluster_allowed_or_else(ctx, Operation.IDEMPOTENT_WRITE) or ctx.allowed(
        Operation.WRITE, ResourceType.TOPIC, None
    )
