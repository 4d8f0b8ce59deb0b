"""The routes of /v1. What is asked wrongly is answered with {"error": {"code", "field", "message"}}.

Reading is always on. What changes something needs the test API, and no page of another site may do it: a
browser says with each such request where it comes from.
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

from tidemark.http import moving, reading
from tidemark.http.answers import Refused, refusal
from tidemark.http.ports import ClockRefused, Ports, UnknownSnapshot

Endpoint = Callable[[Request], Awaitable[Response]]
Act = Callable[[Ports, Request], Awaitable[Response]]

READS: Final[dict[str, Act]] = {
    "/clock": reading.clock,
    "/groups": reading.groups,
    "/offsets": reading.offsets,
    "/expiry": reading.expiry,
    "/expiry/log": reading.log,
}
CHANGES: Final[dict[tuple[str, str], Act]] = {
    ("POST", "/clock/advance"): moving.advance,
    ("POST", "/clock/set"): moving.set_to,
    ("POST", "/clock/freeze"): moving.freeze,
    ("POST", "/clock/resume"): moving.resume,
    ("POST", "/cleanup"): moving.cleanup,
    ("POST", "/snapshots"): moving.take_snapshot,
    ("POST", "/snapshots/{id}/restore"): moving.restore_snapshot,
    ("DELETE", "/snapshots/{id}"): moving.delete_snapshot,
}
ENDPOINTS: Final = (*(("GET", path) for path in READS), *CHANGES)
RESUME: Final = ("POST", "/clock/resume")


def build(ports: Callable[[], Ports]) -> Starlette:
    """ports() is asked at each request: going back to a snapshot brings others."""
    routes = [Route(path, _reads(act)) for path, act in READS.items()]
    for (method, path), act in CHANGES.items():
        may_begin = (method, path) == RESUME
        routes.append(Route(path, _changes(act, begins=may_begin), methods=[method]))
    kinds = [*_KINDS, OSError, HTTPException, Exception]
    app = Starlette(routes=routes, exception_handlers=dict.fromkeys(kinds, refuse))
    app.router.redirect_slashes = False
    app.state.ports = ports
    return app


def _reads(act: Act) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await act(request.app.state.ports(), request)

    return endpoint


def _changes(act: Act, *, begins: bool) -> Endpoint:
    """begins: what a broker is held for (--from) may begin without the test API."""

    async def endpoint(request: Request) -> Response:
        _refuse_foreign_page(request)
        ports: Ports = request.app.state.ports()
        if not ports.test_api and not (begins and ports.time.state().held):
            raise Refused(
                403,
                "test_api_off",
                f"{_asked(request)} needs the test API: start the broker with --test-api, or with "
                "tidemark.test.api=true",
            )
        return await act(ports, request)

    return endpoint


def _refuse_foreign_page(request: Request) -> None:
    """Refuse a page of another origin. `hosts` has checked the Host."""
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if origin is not None and (not host or origin.partition("://")[2] != host):
        raise Refused(
            403, "foreign_origin", f"a page of {origin[:200]} may not change anything at {host[:200]}"
        )


async def refuse(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return refusal(_no_route(request, error.status_code))
    if isinstance(error, OSError):
        return refusal(Refused(503, "cannot_write", f"cannot write: {error}"))
    made = _KINDS.get(type(error))
    # A bug of ours: uvicorn says so in the log, with its trace.
    return refusal(made(error) if made else Refused(500, "internal", "a bug of the broker's; see its log"))


def _no_route(request: Request, status: int) -> Refused:
    """No such path, or not with this method."""
    phrase = HTTPStatus(status).phrase
    said = f"{_asked(request)}: GET / lists what there is"
    return Refused(status, phrase.lower().replace(" ", "_"), said)


def _asked(request: Request) -> str:
    """Not by the request's URL: its Host may be no host."""
    path: str = request.scope["path"]
    return f"{request.method} {path[:200]}"


_KINDS: Final[dict[Any, Callable[[Any], Refused]]] = {
    Refused: lambda error: error,
    ClockRefused: lambda error: Refused(409, "clock_refused", str(error)),
    UnknownSnapshot: lambda error: Refused(404, "unknown_snapshot", "there is no such snapshot", "id"),
}
