"""POST and DELETE /v1/faults, DELETE /v1/faults/{id}, POST /v1/faults/{id}/release."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from tidemark.faults.model import FIELDS, read_fault
from tidemark_http.operations import operation
from tidemark_http.parameters import read_body, read_object
from tidemark_http.ports import Ports
from tidemark_http.queries.faults import control, fault_id
from tidemark_http.responses import json_response


@operation("Set a fault for requests that arrive from now on.", body=FIELDS)
async def add_fault(ports: Ports, request: Request) -> Response:
    faults = control(ports)
    added = faults.add(read_fault(await read_object(request)))
    return json_response(added.view(faults.active.now_ms))


@operation("Remove all faults.")
async def delete_faults(ports: Ports, request: Request) -> Response:
    return json_response({"removed": control(ports).clear()})


@operation("Remove a fault. Requests that wait for it continue.")
async def delete_fault(ports: Ports, request: Request) -> Response:
    faults = control(ports)
    return json_response(faults.remove(fault_id(request)).view(faults.active.now_ms))


@operation("Let the requests continue that a fault holds back.", body=())
async def release_fault(ports: Ports, request: Request) -> Response:
    await read_body(request)
    faults, number = control(ports), fault_id(request)
    released = faults.release(number)
    return json_response({"released": released, **faults.active.get(number).view(faults.active.now_ms)})
