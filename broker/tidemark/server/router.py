"""The router: finds what serves a request, fills its Context and submits it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from tidemark.core.context import Caller, Context
from tidemark.core.result import CloseConnection
from tidemark.engine.request import PendingResponse
from tidemark.handlers.routes import Route
from tidemark.metrics.catalogue import BadInput
from tidemark.metrics.definition import REQUEST_SECONDS, Histogram
from tidemark.metrics.registry import Labels
from tidemark.server.session import Served, Session
from tidemark_protocol.apis import API_NAMES

API_VERSIONS: Final = 18


class Submit(Protocol):
    """The runtime, as the router needs it."""

    def machine(self, name: str) -> Any: ...
    def submit(self, pending: PendingResponse, ctx: Context) -> None: ...


class Router:
    """Routes the requests of all connections.

    `served` is filled as versions are requested, so that start-up imports no codec.
    """

    __slots__ = ("_context", "_routes", "_runtime", "_steady_ms", "_versions", "_wall_ms", "served")

    def __init__(
        self,
        routes: dict[int, Route],
        versions: dict[int, range],
        runtime: Submit,
        context: Context,
        wall_ms: Callable[[], int],
        steady_ms: Callable[[], int],
    ) -> None:
        self._routes = routes
        self._versions = versions
        self._runtime = runtime
        self._context = context
        self._wall_ms = wall_ms
        self._steady_ms = steady_ms
        self.served: dict[int, Served] = {}

    def enter(self, caller: Caller) -> None:
        """Serve this caller until the next call."""
        ctx = self._context
        ctx.wall_ms = self._wall_ms()
        ctx.steady_ms = self._steady_ms()
        ctx.caller = caller
        ctx.allowed = caller.authorizer

    def dispatch(self, session: Session, pending: PendingResponse) -> None:
        """Decide a request. Raises CloseConnection if Kafka closes the connection in response."""
        ctx = self._context
        ctx.version = pending.served.version
        ctx.client_id = pending.client_id
        ctx.pending = pending
        self._runtime.submit(pending, ctx)
        if not pending.answered:
            # The request may go on later, with this context.
            self._context = ctx.copy()
            if not session.closed:
                session.parked = pending

    def requests(self) -> Mapping[Labels, float]:
        """Return the number of requests by API and version."""
        return {(served.route.name, served.version): served.requests for served in self.served.values()}

    def durations(self) -> dict[str, Histogram]:
        """Return the durations of requests by API, over all versions."""
        found: dict[str, Histogram] = {}
        for served in self.served.values():
            found.setdefault(served.route.name, Histogram(REQUEST_SECONDS)).add(served.durations)
        return found

    def versions(self, api_key: int) -> range:
        """Return the versions of an API that are served, from the lowest to the highest."""
        return self._versions[api_key]

    def resolve(self, api_key: int, version: int) -> Served:
        """Return what serves a request. Raises CloseConnection if nothing does."""
        route = self._routes.get(api_key)
        if route is None:
            raise CloseConnection(
                f"API key {api_key} ({API_NAMES.get(api_key, 'unknown')}) is not served", BadInput.API_KEY
            )
        versions = self._versions[api_key]
        if version not in versions:
            if api_key == API_VERSIONS:
                return _refused_api_versions(route, flexible=version >= route.flexible_from)
            raise CloseConnection(
                f"{route.name} v{version} is not served; served: v{versions[0]} to v{versions[-1]}",
                BadInput.VERSION,
            )
        route.load()
        if route.state is not None:
            self._runtime.machine(route.state)  # its first request creates it
        flexible = version >= route.flexible_from
        served = Served(
            route,
            version,
            route.decoders[version],
            route.encoders[version],
            flexible_request=flexible,
            flexible_response=flexible and api_key != API_VERSIONS,
        )
        self.served[api_key << 16 | version] = served
        return served


def _refused_api_versions(route: Route, *, flexible: bool) -> Served:
    """Return what serves ApiVersions in an unknown version.

    KIP-511: the response is v0 and lists the versions that are served. The body is not read. The header of
    the request is v2, or v1 if the version is negative.
    """
    route.load()

    def decode(data: bytes, pos: int, end: int) -> tuple[Any, int]:
        request = route.decoders[0](b"", 0, 0)[0]
        request.client_software_name = None
        return request, end

    return Served(route, -1, decode, route.encoders[0], flexible_request=flexible, flexible_response=False)
