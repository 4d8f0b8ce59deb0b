"""GET /v1/broker: which broker this is, and how much it holds."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from tidemark import __version__
from tidemark_http.operations import operation
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.responses import json_response


@operation("Which broker this is, and how much it holds")
async def broker(ports: Ports, request: Request) -> Response:
    Query(request)
    cluster = ports.cluster
    return json_response(
        {
            "version": __version__,
            "cluster_id": cluster.identity.cluster_id,
            "node_id": cluster.identity.node_id,
            "test_api": ports.test_api,
            "topics": len(cluster.topics),
            "groups": len(ports.groups.groups),
            "offsets": ports.groups.offsets.count,
        }
    )
