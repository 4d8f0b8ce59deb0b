"""FindCoordinator: the node that coordinates a group or a transactional id.

The first authorized request for a group creates `__consumer_offsets`, and the first for a transactional id
`__transaction_state`. It gets its response at once. Kafka returns COORDINATOR_NOT_AVAILABLE, and the client
retries. Share groups are not served, and get an error that clients do not retry.

v1  key type: transactions; v4  several keys (KIP-699); v6  share groups (KIP-932)
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import (
    Decision,
    Effect,
    NotServed,
    OffsetsTopicCreated,
    Steps,
    TransactionsTopicCreated,
)
from tidemark.handlers.routes import command
from tidemark.metadata.model import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import offsets_topic_records, transactions_topic_records
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

GROUP: Final = 0
TRANSACTION: Final = 1
SHARE: Final = 2

NO_NODE: Final = -1
NO_PORT: Final = -1


@command(FindCoordinatorRequest, state=Cluster, versions=range(0, 7))
def find_coordinator(
    cluster: Cluster, ctx: Context, request: FindCoordinatorRequest
) -> Steps[Decision[FindCoordinatorResponse]]:
    if ctx.version < 4:
        found = [_find(cluster, ctx, request.key_type, request.key)]
        response = _single(found[0])
    else:
        found = []
        for key in request.coordinator_keys:
            found.append(_find(cluster, ctx, request.key_type, key))
            yield 1
        response = FindCoordinatorResponse(coordinators=found)

    if request.key_type == SHARE:
        return Decision(response, effects=(NotServed(ctx.client_id, "FindCoordinator of a share group"),))
    if not any(each.error_code == ErrorCode.NONE for each in found):
        return Decision(response)
    settings = cluster.settings
    if request.key_type == GROUP and OFFSETS_TOPIC not in cluster.topics:
        created: Effect = OffsetsTopicCreated(settings.offsets_topic_num_partitions)
        return Decision(response, offsets_topic_records(cluster, ctx), effects=(created,))
    if request.key_type == TRANSACTION and TRANSACTIONS_TOPIC not in cluster.topics:
        created = TransactionsTopicCreated(settings.transaction_state_log_num_partitions)
        return Decision(response, transactions_topic_records(cluster, ctx), effects=(created,))
    return Decision(response)


def _find(cluster: Cluster, ctx: Context, key_type: int, key: str) -> Coordinator:
    error = _refusal(ctx, key_type, key)
    if error is ErrorCode.NONE:
        node = cluster.this_node(ctx)
        return Coordinator(key, node.node_id, node.host, node.port, error, _message(ctx, key_type, error))
    return Coordinator(key, NO_NODE, "", NO_PORT, error, _message(ctx, key_type, error))


def _refusal(ctx: Context, key_type: int, key: str) -> ErrorCode:
    if key_type == GROUP:
        allowed = ctx.allowed(Operation.DESCRIBE, ResourceType.GROUP, key)
        return ErrorCode.NONE if allowed else ErrorCode.GROUP_AUTHORIZATION_FAILED
    if key_type == TRANSACTION:
        allowed = ctx.allowed(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, key)
        return ErrorCode.NONE if allowed else ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    return ErrorCode.INVALID_REQUEST


def _message(ctx: Context, key_type: int, error: ErrorCode) -> str:
    """Return Kafka's text: up to v3 it is in every response, since v4 only for an unknown key type."""
    if ctx.version < 4:
        return error.name if error is ErrorCode.NONE else error.text
    return "" if key_type in (GROUP, TRANSACTION, SHARE) else error.text


def _single(found: Coordinator) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=found.error_message,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )
