"""ListPartitionReassignments: always empty, as there is one broker. kafka-topics --describe requests it."""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)


@query(ListPartitionReassignmentsRequest, state=Cluster, versions=range(0, 1))
def list_partition_reassignments(
    cluster: Cluster,
    ctx: Context,
    request: ListPartitionReassignmentsRequest,
) -> ListPartitionReassignmentsResponse:
    if not cluster_allowed(ctx, Operation.DESCRIBE):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    return ListPartitionReassignmentsResponse(error_message=None)
