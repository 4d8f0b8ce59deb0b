"""The router, which finds the handler and the codec of a request, and the list of interceptors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from tidemark.core.decision import CloseConnection
from tidemark.engine.coordinator import Runtime
from tidemark.handlers.routes import Route
from tidemark.metrics.catalogue import BadInput
from tidemark.metrics.definition import REQUEST_SECONDS, Histogram
from tidemark.metrics.registry import Labels
from tidemark.server.session import ServedVersion
from tidemark.settings.release import Change, Release
from tidemark_protocol.apis import API_NAMES
from tidemark_protocol.wire import skip_tags_within, with_any_tag_count

API_VERSIONS: Final = 18


class Interceptors:
    """The interceptors of a node (`Interceptor`), in the order in which they see requests and responses.

    Each sees the result of those before it. An interceptor that is added sees requests that arrive from now
    on; one that is removed sees nothing more.

    of_apis  the results of `of` since the last change; a look-up in it costs less than the call
    """

    __slots__ = ("_all", "_watchers", "of_apis")

    def __init__(self) -> None:
        self._all: tuple[Any, ...] = ()
        self.of_apis: dict[str, tuple[Any, ...]] = {}
        self._watchers: list[Callable[[], None]] = []

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def of(self, api: str) -> tuple[Any, ...]:
        """Return those that may see requests of this API."""
        found = self.of_apis.get(api)
        if found is None:
            found = tuple(each for each in self._all if each.apis is None or api in each.apis)
            self.of_apis[api] = found
        return found

    def refresh(self) -> None:
        """Call this after the `apis` of an interceptor have changed."""
        self.of_apis.clear()

    def add(self, interceptor: Any) -> None:
        self._set((*self._all, interceptor))

    def remove(self, interceptor: Any) -> None:
        """Raises ValueError if it is not in the list."""
        position = self._all.index(interceptor)
        self._set(self._all[:position] + self._all[position + 1 :])

    def watch(self, changed: Callable[[], None]) -> None:
        """Call changed after each change of the list."""
        self._watchers.append(changed)

    def unwatch(self, changed: Callable[[], None]) -> None:
        """Undo `watch`. Idempotent."""
        if changed in self._watchers:
            self._watchers.remove(changed)

    def _set(self, interceptors: tuple[Any, ...]) -> None:
        self._all = interceptors
        self.refresh()
        for changed in tuple(self._watchers):
            changed()


class Router:
    """Finds the handler and the codec of each request, as a `ServedVersion`.

    `served` is filled as versions are requested, so that start-up imports no codec.

    enter(caller)    serves this caller until the next call
    submit(request)  decides a request, or lets interceptors see it before. Raises CloseConnection if Kafka
                     closes the connection in response
    decide(request)  decides a request. It is `submit` while there is no interceptor
    respond(request, response)  responds to a request that is not decided
    """

    __slots__ = ("_release", "_routes", "_runtime", "_versions", "decide", "enter", "respond", "served",
                 "submit")  # fmt: skip

    def __init__(
        self,
        routes: dict[int, Route],
        versions: dict[int, range],
        runtime: Runtime,
        release: Release,
    ) -> None:
        self._release = release
        self._routes = routes
        self._versions = versions
        self._runtime = runtime
        self.enter = runtime.enter
        self.decide = runtime.submit
        self.submit = runtime.submit
        self.respond = runtime.respond
        self.served: dict[int, ServedVersion] = {}

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

    def resolve(self, api_key: int, version: int) -> ServedVersion:
        """Return the API of a request in its version. Raises CloseConnection if it is not served."""
        route = self._routes.get(api_key)
        if route is None:
            raise CloseConnection(
                f"API key {api_key} ({API_NAMES.get(api_key, 'unknown')}) is not served", BadInput.API_KEY
            )
        versions = self._versions[api_key]
        if version not in versions:
            if api_key == API_VERSIONS:
                return self._refused_api_versions(route, flexible=version >= route.flexible_from)
            raise CloseConnection(
                f"{route.name} v{version} is not served; served: v{versions[0]} to v{versions[-1]}",
                BadInput.VERSION,
            )
        route.load()
        if route.state is not None:
            self._runtime.machine(route.state)  # its first request creates it
        flexible = version >= route.flexible_from
        served = ServedVersion(
            route,
            version,
            self._counting_tags(route.decoders[version]),
            route.encoders[version],
            flexible_request=flexible,
            flexible_response=flexible and api_key != API_VERSIONS,
            skip_tags=self._counting_tags(skip_tags_within),
        )
        self.served[api_key << 16 | version] = served
        return served

    def _refused_api_versions(self, route: Route, *, flexible: bool) -> ServedVersion:
        """Return ApiVersions for a request in an unknown version.

        KIP-511: the response is v0 and lists the versions that are served. The body is not read. The
        header of the request is v2, or v1 if the version is negative.
        """
        route.load()

        def decode(data: bytes, pos: int, end: int, left: int = 0) -> tuple[Any, int]:
            request = route.decoders[0](b"", 0, 0)[0]
            request.client_software_name = None
            return request, end

        return ServedVersion(
            route,
            -1,
            decode,
            route.encoders[0],
            flexible_request=flexible,
            flexible_response=False,
            skip_tags=self._counting_tags(skip_tags_within),
        )

    def _counting_tags(self, read: Callable[..., Any]) -> Callable[..., Any]:
        """Return `read`, as the release reads numbers of tagged fields."""
        return read if self._release.has(Change.NUMBERS_OF_TAGGED_FIELDS) else with_any_tag_count(read)
