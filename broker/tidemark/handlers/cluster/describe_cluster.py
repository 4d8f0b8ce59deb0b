"""DescribeCluster: the brokers and the controller.

v1  endpoint_type: clients request brokers from brokers and controllers from controllers (KIP-919)
v2  fenced brokers if requested: those that are stopped
"""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import NOT_REQUESTED, cluster_operations
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

BROKERS = 1
CONTROLLERS = 2


@query(DescribeClusterRequest, state=Cluster, versions=range(0, 3))
def describe_cluster(
    cluster: Cluster, ctx: Context, request: DescribeClusterRequest
) -> DescribeClusterResponse:
    if request.endpoint_type == CONTROLLERS:
        return DescribeClusterResponse(
            error_code=ErrorCode.MISMATCHED_ENDPOINT_TYPE,
            error_message=(
                "The request was sent to an endpoint of type BROKER, "
                "but we wanted an endpoint of type CONTROLLER"
            ),
        )
    if request.endpoint_type != BROKERS:
        return DescribeClusterResponse(
            error_code=ErrorCode.UNSUPPORTED_ENDPOINT_TYPE,
            error_message=f"Unsupported endpoint type {request.endpoint_type}",
        )
    nodes = cluster.nodes(ctx, stopped=request.include_fenced_brokers)
    brokers = [
        DescribeClusterBroker(*each, is_fenced=each.node_id not in cluster.living)
        for each in nodes
        if each.node_id in cluster.living or each.node_id in cluster.brokers
    ]
    return DescribeClusterResponse(
        cluster_id=cluster.identity.cluster_id,
        controller_id=cluster.controller_id,
        brokers=brokers,
        cluster_authorized_operations=(
            cluster_operations(ctx) if request.include_cluster_authorized_operations else NOT_REQUESTED
        ),
    )
