"""GET /v1/faults: the faults that are set, and how often each has matched."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from tidemark.control.faults import FaultControl
from tidemark_http.operations import operation
from tidemark_http.parameters import Query, wrong
from tidemark_http.ports import Ports
from tidemark_http.responses import HttpError, json_response

IDS: Final = range(1, 2**53)
ID_CHARS: Final = 18


@operation("List the faults that are set, and how often each has matched.", query=("id",))
async def faults(ports: Ports, request: Request) -> Response:
    wanted = Query(request, "id").number("id", IDS)
    if ports.faults is None:
        return json_response({"faults": []})
    active = ports.faults.active
    found = active if wanted is None else [active.get(wanted)]
    return json_response({"faults": [each.view(active.now_ms) for each in found]})


def control(ports: Ports) -> FaultControl:
    """Raises HttpError without the test API."""
    if ports.faults is None:
        raise HttpError(403, "test_api_off", "faults need the test API: start the broker with --test-api")
    return ports.faults


def fault_id(request: Request) -> int:
    text: str = request.path_params["id"]
    if not (text.isascii() and text.isdigit() and len(text) < ID_CHARS and int(text) in IDS):
        wrong("id", "the number of a fault", text)
    return int(text)
