"""InitProducerId: returns a producer id and epoch, for a transactional or an idempotent producer.

v3  producer_id and producer_epoch of a producer that continues (KIP-360): both must be set, or neither.
    Without a transactional id, the response always has a new id
v4  PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH (KIP-588)
v5  TRANSACTION_ABORTABLE is possible
v6  two-phase commit (KIP-939): Kafka 4.3 does not serve it
"""

from __future__ import annotations

from functools import partial
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed_or_else
from tidemark.transactions.model import NO_EPOCH, NO_ID
from tidemark.transactions.state import Producer, Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

FENCED_FROM: Final = 4


@command(InitProducerIdRequest, state=Transactions, versions=range(0, 6))
def init_producer_id(
    transactions: Transactions, ctx: Context, request: InitProducerIdRequest
) -> Decision[InitProducerIdResponse]:
    transactional_id = request.transactional_id
    if transactional_id is not None:
        if not ctx.allowed(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
            raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    elif not cluster_allowed_or_else(ctx, Operation.IDEMPOTENT_WRITE) and not ctx.allowed(
        Operation.WRITE, ResourceType.TOPIC, None
    ):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if (request.producer_id == NO_ID) != (request.producer_epoch == NO_EPOCH):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    if transactional_id is None:
        return Decision(InitProducerIdResponse(0, ErrorCode.NONE, ctx.new_producer_id(ctx.caller.node_id), 0))
    expected = None if request.producer_id == NO_ID else (request.producer_id, request.producer_epoch)
    try:
        transactions.check_coordinates(transactional_id, ctx.caller.node_id)
        decided = transactions.initialise(
            ctx.now,
            transactional_id,
            request.transaction_timeout_ms,
            expected,
            partial(ctx.new_producer_id, ctx.caller.node_id),
        )
    except KafkaError as error:
        if error.code == ErrorCode.PRODUCER_FENCED and ctx.version < FENCED_FROM:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH) from None
        raise
    assert isinstance(decided.response, Producer)
    return Decision(InitProducerIdResponse(0, *decided.response), decided.records, after=decided.after)
