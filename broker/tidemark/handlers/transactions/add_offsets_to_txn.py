"""AddOffsetsToTxn: the partition of `__consumer_offsets` that stores a group's offsets joins a transaction.

v2  PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH (KIP-588)
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision
from tidemark.handlers.routes import command
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import partition_of_group
from tidemark_protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse

FENCED_FROM: Final = 2


@command(AddOffsetsToTxnRequest, state=Transactions, versions=range(0, 5))
def add_offsets_to_txn(
    transactions: Transactions, ctx: Context, request: AddOffsetsToTxnRequest
) -> Decision[AddOffsetsToTxnResponse]:
    if not ctx.allowed(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, request.transactional_id):
        return Decision(AddOffsetsToTxnResponse(0, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        return Decision(AddOffsetsToTxnResponse(0, ErrorCode.GROUP_AUTHORIZATION_FAILED))
    try:
        transactions.check_coordinates(request.transactional_id, ctx.caller.node_id)
    except KafkaError as moved:
        return Decision(AddOffsetsToTxnResponse(0, moved.code))
    topic = ctx.cluster.topics.get(OFFSETS_TOPIC)
    # A topic that does not exist will be created with this many partitions.
    count = ctx.cluster.settings.offsets_topic_num_partitions if topic is None else len(topic.partitions)
    decided = transactions.add_partitions(
        ctx.now,
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        ((OFFSETS_TOPIC, partition_of_group(request.group_id, count)),),
    )
    code = decided.response
    assert isinstance(code, ErrorCode)
    if code is ErrorCode.PRODUCER_FENCED and ctx.version < FENCED_FROM:
        code = ErrorCode.INVALID_PRODUCER_EPOCH
    return Decision(AddOffsetsToTxnResponse(0, code), decided.records, after=decided.after)
