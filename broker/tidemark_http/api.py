"""The routes of /v1. An invalid request gets {"error": {"code", "field", "message"}}.

Reading is always allowed. Changes need the test API, except for those of a backup. Pages of other sites may
not make any: with each such request a browser sends the origin of the page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tidemark.faults.active import TooManyFaults, UnknownFault
from tidemark.faults.model import InvalidFault
from tidemark.node.brokers import BrokerRefused
from tidemark.node.node import Node, SnapshotExists, UnknownSnapshot
from tidemark.node.time import ClockRefused
from tidemark_http.operations import described, openapi_handler
from tidemark_http.parameters import Query
from tidemark_http.responses import HttpError, error_response
from tidemark_http.v1 import (
    brokers,
    clock,
    faults,
    groups,
    offsets,
    records,
    share_groups,
    topics,
    transactions,
)

Endpoint = Callable[[Request], Awaitable[Response]]
# A handler of GET gets the query parameters, others the request.
Handler = Callable[[Node, Any], Awaitable[Response]]


def _handlers() -> dict[tuple[str, str], Handler]:
    """Return every handler by method and path."""
    return {("GET", path): handler for path, handler in READS.items()} | CHANGES


READS: Final[dict[str, Handler]] = {
    "/broker": clock.broker,
    "/clock": clock.clock,
    "/groups": groups.groups,
    "/lag": offsets.lag,
    "/groups/summary": groups.summary,
    "/offsets": offsets.offsets,
    "/share-groups": share_groups.share_groups,
    "/share-groups/partitions": share_groups.share_partitions,
    "/share-groups/records": share_groups.share_records,
    "/transactions": transactions.transactions,
    "/expiry": offsets.expiry,
    "/expiry/log": offsets.removals,
    "/expiry/rules": offsets.expiry_rules,
    "/rebalances": groups.rebalances,
    "/topics": topics.topics,
    "/topics/settings": topics.topic_settings,
    "/partitions": topics.partitions,
    "/brokers": brokers.brokers,
    "/faults": faults.faults,
    "/faults/fields": faults.fault_fields,
    "/requests": faults.requests,
    "/openapi.json": openapi_handler(_handlers),
}
# These need the test API, except for BACKUP; reading records does, because they are the data of users.
CHANGES: Final[dict[tuple[str, str], Handler]] = {
    ("POST", "/clock/advance"): clock.advance,
    ("POST", "/clock/set"): clock.set_to,
    ("POST", "/clock/freeze"): clock.freeze,
    ("POST", "/clock/resume"): clock.resume,
    ("POST", "/cleanup"): clock.cleanup,
    ("POST", "/snapshots"): clock.take_snapshot,
    ("POST", "/snapshots/{id}/restore"): clock.restore_snapshot,
    ("DELETE", "/snapshots/{id}"): clock.delete_snapshot,
    ("POST", "/brokers"): brokers.add,
    ("DELETE", "/brokers/{id}"): brokers.remove,
    ("POST", "/brokers/{id}/stop"): brokers.stop,
    ("POST", "/brokers/{id}/start"): brokers.start,
    ("POST", "/brokers/{id}/kill"): brokers.kill,
    ("POST", "/brokers/{id}/cut_off"): brokers.cut_off,
    ("POST", "/brokers/{id}/reconnect"): brokers.reconnect,
    ("POST", "/brokers/isr/shrink"): brokers.shrink_isr,
    ("POST", "/brokers/isr/grow"): brokers.grow_isr,
    ("POST", "/brokers/restart"): brokers.restart_all,
    ("POST", "/brokers/preferred"): brokers.elect_preferred,
    ("POST", "/brokers/leader"): brokers.move_leader,
    ("POST", "/brokers/controller"): brokers.move_controller,
    ("POST", "/brokers/coordinator"): brokers.move_coordinator,
    ("POST", "/faults"): faults.add_fault,
    ("DELETE", "/faults"): faults.delete_faults,
    ("POST", "/faults/{id}/release"): faults.release_fault,
    ("DELETE", "/faults/{id}"): faults.delete_fault,
    ("GET", "/records"): records.read_records,
    ("POST", "/records"): records.produce_records,
    ("POST", "/seed"): records.seed,
    ("POST", "/groups/expel"): groups.expel,
    ("POST", "/share-groups/expire_locks"): share_groups.expire_locks,
}
ENDPOINTS: Final = (*(("GET", path) for path in READS), *CHANGES)
SNAPSHOTS: Final = ("/snapshots", "/snapshots/{id}/restore", "/snapshots/{id}")
# An operator backs up the broker by a snapshot. No client notices one that is taken or deleted.
BACKUP: Final = (("POST", "/snapshots"), ("DELETE", "/snapshots/{id}"))
# `tidemark watch` reads `__consumer_offsets` only: an empty list of these would mean that there are none.
NOT_IN_THE_LOG: Final = (
    "/transactions",
    "/rebalances",
    "/brokers",
    "/requests",
    "/share-groups/partitions",
    "/share-groups/records",
)
RESUME: Final = ("POST", "/clock/resume")


def build(node: Node) -> Starlette:
    unknown = NOT_IN_THE_LOG if node.env.watched else ()
    routes = [
        Route(path, _unknown if path in unknown else _reads(node, handler)) for path, handler in READS.items()
    ]
    for (method, path), handler in CHANGES.items():
        endpoint = _reads(node, handler) if method == "GET" else partial(handler, node)
        always = (method, path) in BACKUP
        allowed = _changes(node, endpoint, always=always, when_held=(method, path) == RESUME)
        routes.append(Route(path, allowed if path in SNAPSHOTS else _noted(node, allowed), methods=[method]))
    kinds = [*_ERRORS, OSError, HTTPException, Exception]
    app = Starlette(routes=routes, exception_handlers=dict.fromkeys(kinds, respond_to_error))
    app.router.redirect_slashes = False
    return app


async def _unknown(request: Request) -> Response:
    raise HttpError(
        404, "not_watched", f"{_shown(request)}: only the brokers of the watched cluster know this"
    )


def _reads(node: Node, handler: Handler) -> Endpoint:
    names = described(handler).query

    async def endpoint(request: Request) -> Response:
        return await handler(node, Query(request, *names))

    return endpoint


def _changes(node: Node, endpoint: Endpoint, *, always: bool, when_held: bool) -> Endpoint:
    """always, when_held: a broker, or a broker that is held (--from), does not need the test API for this."""

    async def allowed(request: Request) -> Response:
        # `HostCheck` has checked the Host header.
        origin, host = request.headers.get("origin"), request.headers.get("host", "")
        if origin is not None and (not host or origin.partition("://")[2] != host):
            raise HttpError(
                403, "foreign_origin", f"a page of {origin[:200]} may not change anything at {host[:200]}"
            )
        if node.env.watched:
            raise HttpError(403, "watched", "the watched cluster is only read: nothing can be changed here")
        needed = not always and not (when_held and node.current.held)
        if needed and not node.env.config.tidemark_test_api:
            raise HttpError(
                403,
                "test_api_off",
                f"{_shown(request)} needs the test API: start the broker with --test-api, or with "
                "tidemark.test.api=true",
            )
        return await endpoint(request)

    return allowed


def _noted(node: Node, endpoint: Endpoint) -> Endpoint:
    """Let the next restore of a snapshot know that the broker may have changed."""

    async def noted(request: Request) -> Response:
        node.snapshots.changed()
        try:
            return await endpoint(request)
        finally:
            node.snapshots.changed()

    return noted


async def respond_to_error(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        phrase = HTTPStatus(error.status_code).phrase.lower()
        message = f"{_shown(request)}: {phrase}. GET / lists all endpoints"
        return error_response(HttpError(error.status_code, phrase.replace(" ", "_"), message))
    if isinstance(error, OSError):
        return error_response(HttpError(503, "cannot_write", f"cannot write: {error}"))
    convert = _ERRORS.get(type(error))
    if convert is not None:
        return error_response(convert(error))
    # uvicorn logs the traceback.
    return error_response(HttpError(500, "internal", "internal error: see the broker's log"))


def _shown(request: Request) -> str:
    """Return method and path. The URL is of no use: its Host may be invalid."""
    path: str = request.scope["path"]
    return f"{request.method} {path[:200]}"


_ERRORS: Final[dict[Any, Callable[[Any], HttpError]]] = {
    HttpError: lambda error: error,
    ClockRefused: lambda error: HttpError(409, "clock_refused", str(error)),
    InvalidFault: lambda error: HttpError(422, error.code, str(error), error.field or None),
    TooManyFaults: lambda error: HttpError(409, "too_many_faults", str(error)),
    UnknownFault: lambda error: HttpError(404, "unknown_fault", str(error.args[0]), "id"),
    BrokerRefused: lambda error: HttpError(409, "broker_refused", str(error)),
    SnapshotExists: lambda error: HttpError(409, "snapshot_exists", str(error)),
    UnknownSnapshot: lambda error: HttpError(404, "unknown_snapshot", str(error), "id"),
}
