"""InitProducerId: returns an id for an idempotent producer.

Ids are taken from blocks of a thousand. A new block is a record, a new id is only an event.

v3  producer_id and producer_epoch of a producer that continues. Without a transactional id, both must be set,
    or neither, and the response always has a new id
v4  PRODUCER_FENCED is possible

Transactions are not served: a transactional id gets TRANSACTIONAL_ID_AUTHORIZATION_FAILED, after which
clients do not retry.
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.result import NotServed, Result
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed, topic_allowed
from tidemark.metadata.producer_ids import take_producer_id
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

NONE = -1


@command(InitProducerIdRequest, state=Cluster, versions=range(0, 6))
def init_producer_id(
    cluster: Cluster, ctx: Context, request: InitProducerIdRequest
) -> Result[InitProducerIdResponse]:
    if request.transactional_id is not None:
        return Result(
            _failed(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
            effects=(NotServed(ctx.client_id, "InitProducerId with a transactional id"),),
        )
    if not _may_write(cluster, ctx):
        return Result(_failed(ErrorCode.CLUSTER_AUTHORIZATION_FAILED))
    if (request.producer_id == NONE) != (request.producer_epoch == NONE):
        return Result(_failed(ErrorCode.INVALID_REQUEST))
    producer_id, taken = take_producer_id(cluster)
    return Result(
        InitProducerIdResponse(producer_id=producer_id, producer_epoch=0),
        records=taken.records,
        events=taken.events,
    )


def _failed(code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=NONE, producer_epoch=NONE)


def _may_write(cluster: Cluster, ctx: Context) -> bool:
    return cluster_allowed(ctx, Operation.IDEMPOTENT_WRITE) or any(
        topic_allowed(ctx, Operation.WRITE, name) for name in cluster.topics
    )
