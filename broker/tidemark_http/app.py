"""The pages served over HTTP: /metrics, health checks, /v1, the console and the documentation.

/livez reports whether this process should keep running, /readyz whether it accepts clients.
"""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from tidemark.clock import turn
from tidemark.metrics.text import CONTENT_TYPE, Page
from tidemark.node.node import Node
from tidemark_http import api
from tidemark_http.access import OPEN_PATHS, HostCheck, TokenCheck
from tidemark_http.live import Scrape
from tidemark_http.responses import json_response
from tidemark_http.static import CONSOLE, Folder, docs_folder, wants_html


def build(node: Node, token: str | None) -> Starlette:
    async def metrics(_: Request) -> Response:
        # The values are read on the loop, where nothing changes meanwhile. A thread formats them, because a
        # long page takes long.
        state, engine = node.current.state, node.current.engine
        page = Page(engine.metrics)
        readings = page.read()
        groups_max = node.env.config.tidemark_metrics_groups_max
        scrape = Scrape(state, engine.transactions_state(), groups_max, engine.shares)
        for _step in scrape.steps():
            await turn()
        text = await run_in_threadpool(page.text, readings | scrape.readings, scrape.left_out)
        return Response(text, media_type=CONTENT_TYPE)

    async def index(_: Request) -> Response:
        return json_response({"endpoints": endpoints, "documentation": "/docs/http.md"})

    async def home(request: Request) -> Response:
        page = console.response(request, "index.html") if wants_html(request) else None
        return page or await index(request)

    async def asset(request: Request) -> Response:
        return _found(console.response(request, request.path_params["name"]))

    async def docs_index(request: Request) -> Response:
        if wants_html(request):
            return _found(console.response(request, "docs.html"))
        return PlainTextResponse("".join(f"/docs/{name}\n" for name in docs.names if name.endswith(".md")))

    async def docs_page(request: Request) -> Response:
        name: str = request.path_params["name"]
        if wants_html(request) and name.endswith(".md") and name in docs.names:
            return _found(console.response(request, "docs.html"))
        return _found(docs.response(request, name))

    async def livez(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        reason = node.unready()
        if reason is not None:
            return PlainTextResponse(f"{reason}\n", 503)
        return PlainTextResponse("ok\n")

    pages = {"/metrics": metrics, "/livez": livez, "/readyz": readyz}
    endpoints = [f"GET {path}" for path in pages] + [f"{method} /v1{path}" for method, path in api.ENDPOINTS]
    console, docs = Folder(CONSOLE), docs_folder()
    routes: list[BaseRoute] = [Route(path, page) for path, page in {"/": home, **pages}.items()]
    routes += [Route("/console/{name:path}", asset), Route("/docs", docs_index), Route("/docs/", docs_index)]
    routes += [Route("/docs/{name:path}", docs_page)]
    routes += [Route("/v1", index), Route("/v1/", index), Mount("/v1", api.build(node))]
    config = node.env.config
    checks = [Middleware(HostCheck, names=config.http_hosts)]
    if token is not None:
        open_paths = (*OPEN_PATHS, "/metrics") if config.tidemark_http_metrics_public else OPEN_PATHS
        clock = node.env.host.clock
        checks.append(Middleware(TokenCheck, token=token, open_paths=open_paths, clock=clock))
    app = Starlette(
        routes=routes,
        middleware=checks,
        exception_handlers={HTTPException: api.respond_to_error},
    )
    app.router.redirect_slashes = False
    return app


def _found(response: Response | None) -> Response:
    if response is None:
        raise HTTPException(404)
    return response
