"""ApiVersions: the served APIs with their versions, and the levels of features.

v3  client software name and version (KIP-511), features (KIP-584)
v4  supported features whose lowest version is 0

A client that has not authenticated gets one response without an error. Kafka: SaslServerAuthenticator.

An unknown version is answered as v0 with UNSUPPORTED_VERSION and the served range (KIP-511).
"""

from __future__ import annotations

import re
from typing import Final, cast

from tidemark.core.context import Context
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
UNKNOWN_VERSION: Final = -1  # a request version that this broker does not know


@query(ApiVersionsRequest, state=Cluster, versions=range(0, 5))
def api_versions(cluster: Cluster, ctx: Context, request: ApiVersionsRequest) -> ApiVersionsResponse:
    if ctx.version == UNKNOWN_VERSION:
        own = [ApiVersion(key, low, high) for key, low, high in ctx.advertised if key == API_VERSIONS]
        return ApiVersionsResponse(ErrorCode.UNSUPPORTED_VERSION, own)
    if ctx.version >= 3 and not _names_software(request):
        return ApiVersionsResponse(ErrorCode.INVALID_REQUEST)
    if ctx.pending is not None:
        cast("ConnectionRequest", ctx.pending).session.control.negotiated()
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
