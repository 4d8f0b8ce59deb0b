"""POST /v1/snapshots, POST /v1/snapshots/{id}/restore and DELETE /v1/snapshots/{id}."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from tidemark_http.operations import operation
from tidemark_http.parameters import read_body
from tidemark_http.ports import Ports, Snapshots
from tidemark_http.responses import HttpError, json_response


@operation("Take a snapshot of the broker", body=())
async def take_snapshot(ports: Ports, request: Request) -> Response:
    await read_body(request)
    return json_response({"id": await _snapshots(ports).create()})


@operation("Restore a snapshot", body=())
async def restore_snapshot(ports: Ports, request: Request) -> Response:
    await read_body(request)
    snapshot_id: str = request.path_params["id"]
    await _snapshots(ports).restore(snapshot_id)
    restored: Ports = request.app.state.ports()  # the restore has replaced `ports`
    return json_response({"id": snapshot_id, "now_ms": restored.time.state().now_ms})


@operation("Delete a snapshot")
async def delete_snapshot(ports: Ports, request: Request) -> Response:
    snapshot_id: str = request.path_params["id"]
    await _snapshots(ports).delete(snapshot_id)
    return json_response({"id": snapshot_id})


def _snapshots(ports: Ports) -> Snapshots:
    if ports.snapshots is None:
        raise HttpError(501, "not_supported", "this broker does not support snapshots")
    return ports.snapshots
