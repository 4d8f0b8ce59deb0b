"""ApiVersions: the served APIs with their versions, and the levels of features.

v3  client software name and version (KIP-511), features (KIP-584)
v4  supported features whose lowest version is 0
v5  cluster and node that the client means to reach, and REBOOTSTRAP_REQUIRED if this is another (KIP-1242)

A client that has not authenticated gets one response without an error. Kafka: SaslServerAuthenticator.

An unknown version is answered as v0 with UNSUPPORTED_VERSION and the served range (KIP-511).
"""

from __future__ import annotations

import re
from typing import Final, cast

from tidemark.core.context import EVERY_NODE, Context
from tidemark.handlers.routes import ConnectionRequest, query
from tidemark.metadata.bootstrap import finalized_features, supported_features
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

_SOFTWARE: Final = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
API_VERSIONS: Final = 18
NO_NODE: Final = -1
UNKNOWN_VERSION: Final = -1  # a request version that this broker does not know


@query(ApiVersionsRequest, state=Cluster, versions=range(0, 6))
def api_versions(cluster: Cluster, ctx: Context, request: ApiVersionsRequest) -> ApiVersionsResponse:
    if ctx.version == UNKNOWN_VERSION:
        of_this_api = [ApiVersion(key, low, high) for key, low, high in ctx.advertised if key == API_VERSIONS]
        return ApiVersionsResponse(ErrorCode.UNSUPPORTED_VERSION, of_this_api)
    names_node = ctx.version >= 5 and request.cluster_id is not None
    if ctx.version >= 5 and names_node is (request.node_id == NO_NODE):  # both, or none of them
        return ApiVersionsResponse(ErrorCode.INVALID_REQUEST)
    if ctx.version >= 3 and not _names_software(request):
        return ApiVersionsResponse(ErrorCode.INVALID_REQUEST)
    is_authenticating = (
        ctx.pending is not None and cast("ConnectionRequest", ctx.pending).session.control.negotiated()
    )
    # Before the client has authenticated, Kafka compares nothing.
    if names_node and not is_authenticating:
        node_id = ctx.caller.node_id
        reached = cluster.node_ids if node_id == EVERY_NODE else (node_id,)
        if request.cluster_id != cluster.identity.cluster_id or request.node_id not in reached:
            return ApiVersionsResponse(ErrorCode.REBOOTSTRAP_REQUIRED)
    return ApiVersionsResponse(
        ErrorCode.NONE,
        [ApiVersion(key, low, high) for key, low, high in ctx.advertised],
        supported_features=[
            SupportedFeatureKey(name, lowest, highest)
            for name, (lowest, highest) in supported_features(cluster).items()
            if ctx.version >= 4 or lowest > 0
        ],
        # Each change of a level is a record, so that a later start begins with a higher epoch.
        finalized_features_epoch=ctx.features_epoch + cluster.feature_changes,
        finalized_features=[
            FinalizedFeatureKey(name, level, level)
            for name, level in sorted(finalized_features(cluster).items())
        ],
    )


def _names_software(request: ApiVersionsRequest) -> bool:
    name, version = request.client_software_name, request.client_software_version
    return _SOFTWARE.fullmatch(name) is not None and _SOFTWARE.fullmatch(version) is not None
