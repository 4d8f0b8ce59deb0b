"""GET /v1/clock: the broker's time, and how far it was moved."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tidemark_http.operations import operation
from tidemark_http.parameters import Query
from tidemark_http.ports import Ports
from tidemark_http.responses import json_response


@operation("The broker's time, and how far it was moved")
async def clock(ports: Ports, request: Request) -> Response:
    Query(request)
    return json_response(clock_state(ports))


def clock_state(ports: Ports) -> dict[str, Any]:
    return {
        **asdict(ports.time.state()),
        "test_api": ports.test_api,
        "retention_ms": ports.groups.limits.offsets_retention_ms,
        "assumed_retention": ports.assumed_retention,
    }
