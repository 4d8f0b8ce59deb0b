"""ListConfigResources: the resources that have settings.

v0  client metrics subscriptions only (KIP-1000)
v1  all types, or the requested ones (KIP-1142)
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)

TYPES = (
    ResourceConfigType.TOPIC,
    ResourceConfigType.BROKER,
    ResourceConfigType.BROKER_LOGGER,
    ResourceConfigType.CLIENT_METRICS,
    ResourceConfigType.GROUP,
)


@query(ListConfigResourcesRequest, state=Cluster, versions=range(0, 2))
def list_config_resources(
    cluster: Cluster, ctx: Context, request: ListConfigResourcesRequest
) -> ListConfigResourcesResponse:
    if not cluster_allowed(ctx, Operation.DESCRIBE_CONFIGS):
        return ListConfigResourcesResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    requested = [ResourceConfigType.CLIENT_METRICS] if ctx.version == 0 else request.resource_types or TYPES
    if not set(requested) <= set(TYPES):
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    return ListConfigResourcesResponse(
        config_resources=[
            ConfigResource(name, kind)
            for kind in TYPES
            if kind in requested
            for name in _names(cluster, kind)
        ]
    )


def _names(cluster: Cluster, kind: int) -> list[str]:
    """Return the resources of a type. Groups and subscriptions exist as soon as they have a setting."""
    if kind == ResourceConfigType.TOPIC:
        return list(cluster.topics)
    if kind in (ResourceConfigType.BROKER, ResourceConfigType.BROKER_LOGGER):
        return [str(node_id) for node_id in sorted(cluster.living)]
    return [
        name
        for (resource_type, name), values in cluster.configs.dynamic.items()
        if resource_type == kind and values
    ]
