"""UnregisterController: removes the registration of a controller that no longer exists (Kafka 4.4)."""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.bootstrap import METADATA_VERSION, NEWEST_LEVEL
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.unregister_controller import (
    UnregisterControllerRequest,
    UnregisterControllerResponse,
)


@query(UnregisterControllerRequest, state=Cluster, versions=range(0, 1))
def unregister_controller(
    cluster: Cluster, ctx: Context, request: UnregisterControllerRequest
) -> UnregisterControllerResponse:
    """Refuse the request: this node is the only controller, and it is running."""
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    controller = request.controller_id
    if controller == cluster.identity.node_id:
        text = "Controller cannot unregister itself while it is active."
        return UnregisterControllerResponse(0, ErrorCode.INVALID_REQUEST, text)
    if cluster.features.get(METADATA_VERSION, 0) < NEWEST_LEVEL:
        text = "The current MetadataVersion is too old to support controller unregistration."
        return UnregisterControllerResponse(0, ErrorCode.UNSUPPORTED_VERSION, text)
    text = f"Controller ID {controller} is not currently registered."
    return UnregisterControllerResponse(0, ErrorCode.CONTROLLER_ID_NOT_REGISTERED, text)
