"""What is served over HTTP. /livez: should this process be left running; /readyz: should clients be sent to
it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from tidemark.clock import turn
from tidemark.http import api
from tidemark.http.answers import answer
from tidemark.http.hosts import HostCheck
from tidemark.http.live import Look
from tidemark.metrics.text import CONTENT_TYPE, NOTHING, Page

if TYPE_CHECKING:
    from tidemark.http.ports import Ports
    from tidemark.http.server import HttpServer


def build(http: HttpServer) -> Starlette:
    async def metrics(_: Request) -> Response:
        # Read on the loop, where nothing changes meanwhile; written elsewhere, because a long page takes its
        # time.
        page = Page(http.metrics)  # a restored snapshot brings others
        readings, left_out = page.read(), NOTHING
        if http.ports is not None:
            look = await _look(http.ports())
            readings, left_out = readings | look.readings, look.left_out
        text = await run_in_threadpool(page.text, readings, left_out)
        return Response(text, media_type=CONTENT_TYPE)

    async def index(_: Request) -> Response:
        return answer({"endpoints": endpoints, "documentation": "docs/http.md"})

    async def livez(_: Request) -> Response:
        return _health(http.why_not_alive)

    async def readyz(_: Request) -> Response:
        return _health(http.why_not_ready)

    pages = {"/metrics": metrics, "/livez": livez, "/readyz": readyz}
    endpoints = [f"GET {path}" for path in pages]
    routes: list[BaseRoute] = [Route(path, page) for path, page in {"/": index, **pages}.items()]
    if http.ports is not None:
        endpoints += [f"{method} /v1{path}" for method, path in api.ENDPOINTS]
        routes += [Route("/v1", index), Route("/v1/", index), Mount("/v1", api.build(http.ports))]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(HostCheck, names=http.hosts)],
        exception_handlers={HTTPException: api.refuse},
    )
    app.router.redirect_slashes = False
    return app


async def _look(ports: Ports) -> Look:
    look = Look(ports)
    for _ in look.steps():
        await turn()
    return look


def _health(why_not: Callable[[], str | None]) -> Response:
    reason = why_not()
    return PlainTextResponse("ok\n" if reason is None else f"{reason}\n", 200 if reason is None else 503)
