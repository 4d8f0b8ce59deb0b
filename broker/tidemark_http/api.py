"""The routes of /v1. An invalid request gets {"error": {"code", "field", "message"}}.

Reading is always allowed. Changes need the test API, and pages of other sites may not make them: with each
such request a browser sends the origin of the page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tidemark.control.clock_state import ClockRefused
from tidemark.control.snapshots import UnknownSnapshot
from tidemark.faults.active import TooManyFaults, UnknownFault
from tidemark.faults.model import InvalidFault
from tidemark_http.commands import clock as clock_commands
from tidemark_http.commands import faults as fault_commands
from tidemark_http.commands import records as record_commands
from tidemark_http.commands import snapshots
from tidemark_http.operations import openapi_handler
from tidemark_http.ports import Ports
from tidemark_http.queries.broker import broker
from tidemark_http.queries.clock import clock
from tidemark_http.queries.expiry import expiry
from tidemark_http.queries.faults import faults
from tidemark_http.queries.groups import groups
from tidemark_http.queries.lag import lag
from tidemark_http.queries.offsets import offsets
from tidemark_http.queries.rebalances import rebalances
from tidemark_http.queries.removals import removals
from tidemark_http.queries.requests import requests
from tidemark_http.queries.summary import summary
from tidemark_http.queries.topics import partitions, topics
from tidemark_http.queries.transactions import transactions
from tidemark_http.responses import HttpError, error_response

Endpoint = Callable[[Request], Awaitable[Response]]
Handler = Callable[[Ports, Request], Awaitable[Response]]


def _handlers() -> dict[tuple[str, str], Handler]:
    """Return every handler by method and path."""
    return {("GET", path): handler for path, handler in READS.items()} | CHANGES


READS: Final[dict[str, Handler]] = {
    "/broker": broker,
    "/clock": clock,
    "/groups": groups,
    "/lag": lag,
    "/groups/summary": summary,
    "/offsets": offsets,
    "/transactions": transactions,
    "/expiry": expiry,
    "/expiry/log": removals,
    "/rebalances": rebalances,
    "/topics": topics,
    "/partitions": partitions,
    "/faults": faults,
    "/requests": requests,
    "/openapi.json": openapi_handler(_handlers),
}
# These need the test API; reading records does, because they are the data of users.
CHANGES: Final[dict[tuple[str, str], Handler]] = {
    ("POST", "/clock/advance"): clock_commands.advance,
    ("POST", "/clock/set"): clock_commands.set_to,
    ("POST", "/clock/freeze"): clock_commands.freeze,
    ("POST", "/clock/resume"): clock_commands.resume,
    ("POST", "/cleanup"): clock_commands.cleanup,
    ("POST", "/snapshots"): snapshots.take_snapshot,
    ("POST", "/snapshots/{id}/restore"): snapshots.restore_snapshot,
    ("DELETE", "/snapshots/{id}"): snapshots.delete_snapshot,
    ("POST", "/faults"): fault_commands.add_fault,
    ("DELETE", "/faults"): fault_commands.delete_faults,
    ("POST", "/faults/{id}/release"): fault_commands.release_fault,
    ("DELETE", "/faults/{id}"): fault_commands.delete_fault,
    ("GET", "/records"): record_commands.read_records,
    ("POST", "/records"): record_commands.produce_records,
    ("POST", "/seed"): record_commands.seed,
}
ENDPOINTS: Final = (*(("GET", path) for path in READS), *CHANGES)
RESUME: Final = ("POST", "/clock/resume")


def build(ports: Callable[[], Ports]) -> Starlette:
    """Return the application. It calls ports() at each request, because a restore replaces the state."""
    routes = [Route(path, _reads(handler)) for path, handler in READS.items()]
    for (method, path), handler in CHANGES.items():
        resumes = (method, path) == RESUME
        routes.append(Route(path, _changes(handler, allowed_when_held=resumes), methods=[method]))
    kinds = [*_ERRORS, OSError, HTTPException, Exception]
    app = Starlette(routes=routes, exception_handlers=dict.fromkeys(kinds, respond_to_error))
    app.router.redirect_slashes = False
    app.state.ports = ports
    return app


def _reads(handler: Handler) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await handler(request.app.state.ports(), request)

    return endpoint


def _changes(handler: Handler, *, allowed_when_held: bool) -> Endpoint:
    """allowed_when_held: a broker that is held (--from) does not need the test API for this."""

    async def endpoint(request: Request) -> Response:
        _check_origin(request)
        ports: Ports = request.app.state.ports()
        if not ports.test_api and not (allowed_when_held and ports.time.state().held):
            raise HttpError(
                403,
                "test_api_off",
                f"{_shown(request)} needs the test API: start the broker with --test-api, or with "
                "tidemark.test.api=true",
            )
        return await handler(ports, request)

    return endpoint


def _check_origin(request: Request) -> None:
    """Raise HttpError for a page of another origin. `hosts` has checked the Host header."""
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if origin is not None and (not host or origin.partition("://")[2] != host):
        raise HttpError(
            403, "foreign_origin", f"a page of {origin[:200]} may not change anything at {host[:200]}"
        )


async def respond_to_error(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return error_response(_no_route(request, error.status_code))
    if isinstance(error, OSError):
        return error_response(HttpError(503, "cannot_write", f"cannot write: {error}"))
    convert = _ERRORS.get(type(error))
    if convert is not None:
        return error_response(convert(error))
    # uvicorn logs the traceback.
    return error_response(HttpError(500, "internal", "internal error: see the broker's log"))


def _no_route(request: Request, status: int) -> HttpError:
    """Return the error for an unknown path, or a method that the path does not support."""
    phrase = HTTPStatus(status).phrase
    message = f"{_shown(request)}: {phrase.lower()}. GET / lists all endpoints"
    return HttpError(status, phrase.lower().replace(" ", "_"), message)


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
    UnknownSnapshot: lambda error: HttpError(404, "unknown_snapshot", str(error), "id"),
}
