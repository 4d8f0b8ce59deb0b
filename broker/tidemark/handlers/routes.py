"""The handlers of all served APIs. Each API has a module, whose decorator claims the served versions.

`load()` finds the modules by their decorator line. It imports a module with the API's first request, so that
the start does not have to. A test compares the lines that are read here with the imported modules.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Generator, Mapping
from copy import copy
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar, cast

from tidemark.core.context import ConnectionControl, Context
from tidemark.core.decision import Decision, Steps
from tidemark.late_dataclass import dataclass
from tidemark.metadata.state import Cluster
from tidemark_protocol.apis import APIS

Kind = Literal["command", "query", "log_api"]
F = TypeVar("F", bound=Callable[..., Any])

_DECORATOR: Final = re.compile(
    r"^@(?P<kind>command|query|log_api|connection_api)\((?P<request>\w+)Request, (?:state=(?P<state>\w+), )?"
    r"versions=range\((?P<low>\d+), (?P<past>\d+)\)\)$",
    re.MULTILINE,
)


@dataclass(slots=True, frozen=True)
class Claim:
    """The arguments of a decorator."""

    kind: Kind
    request: Any
    state: Any
    versions: range
    on_connection: bool = False  # the first argument is the connection in place of the state


CLAIMS: Final[dict[str, Claim]] = {}  # of the modules that were imported, by their names


def command(request: Any, *, state: Any, versions: range) -> Callable[[F], F]:
    """Declare (state, ctx, request) -> Decision: a decision that changes groups, topics or settings.

    A generator may yield while it checks the request. Its decision must follow from the state after its
    last yield. A decision of thousands of records is yielded in parts. Each part must be complete in itself,
    because a crash may leave the first parts without the others.
    """
    return _claim(Claim("command", request, state, versions))


def query(request: Any, *, state: Any, versions: range) -> Callable[[F], F]:
    """Declare (state, ctx, request) -> Response: it only reads.

    The response waits until everything that it may have read is durable. A generator yields after each item
    of a long response.
    """
    return _claim(Claim("query", request, state, versions))


def log_api(request: Any, *, versions: range) -> Callable[[F], F]:
    """Declare async (logs, ctx, request) -> Response: it works on the logs of user topics.

    Up to their first await, handlers run in the order in which requests arrive.
    """
    return _claim(Claim("log_api", request, None, versions))


def connection_api(request: Any, *, versions: range) -> Callable[[F], F]:
    """(connection, ctx, request) -> Response or Decision. May change its connection, a `ConnectionControl`.

    A generator returns one of them.

    To the coordinator it is a command of the cluster: it may park the request, and have effects.
    """
    return _claim(Claim("command", request, Cluster, versions, on_connection=True))


def _claim(claim: Claim) -> Callable[[F], F]:
    def keep(decide: F) -> F:
        CLAIMS[decide.__name__] = claim
        return decide

    return keep


def _not_loaded(*arguments: Any) -> Any:
    raise AssertionError("this route was not loaded")


def _on_connection(decide: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that works on the connection of its request."""

    def command(_: Any, ctx: Context, request: Any) -> Decision[Any] | Steps[Decision[Any]]:
        connection = cast("ConnectionRequest", ctx.pending).session.control
        decided = decide(connection, ctx, request)
        if hasattr(decided, "send"):  # a generator
            return later(connection, ctx, decided)
        return now(connection, ctx, decided)

    def now(connection: ConnectionControl, ctx: Context, decided: Any) -> Decision[Any]:
        ctx.enter(connection.caller)  # for the requests that follow in the same chunk of bytes
        return decided if isinstance(decided, Decision) else Decision(decided)

    def later(connection: ConnectionControl, ctx: Context, steps: Steps[Any]) -> Steps[Decision[Any]]:
        return now(connection, ctx, (yield from steps))

    return command


class _Session(Protocol):
    @property
    def control(self) -> ConnectionControl: ...


class ConnectionRequest(Protocol):
    """The request of a connection API."""

    session: _Session


class Route:
    """One served API. Its first request imports `decide` and the codec.

    in_steps: `decide` is a generator, which yields where other clients may be served in between.
    response: the class of its responses
    """

    __slots__ = ("_error_response", "_unwritten_response", "api_key", "decide",
                 "decide_large", "decoders", "encoders", "flexible_from", "folder", "in_steps", "kind",
                 "module", "name", "response", "state", "versions")  # fmt: skip

    def __init__(self, path: Path, name: str, kind: Kind, state: str | None, versions: range) -> None:
        self.folder = path.parent.name
        self.module = path.stem
        self.name = name
        self.kind = kind
        self.state = state
        self.versions = versions
        api = APIS[name]
        self.api_key = api.key
        self.flexible_from = api.flexible_from
        self.decide: Callable[..., Any] = _not_loaded
        self.decide_large: Callable[..., Any] | None = None
        self.in_steps = False
        self._error_response: Callable[..., Any] | None = None

    def refusing(self, decide: Callable[[ConnectionControl, Context, Any], Any]) -> Route:
        """Return this route with a connection API in place of its handler."""
        route = copy(self)
        route.kind, route.state = "command", Cluster.__name__
        route.decide, route.decide_large, route.in_steps = _on_connection(decide), None, False
        return route

    def load(self) -> None:
        """Import handler and codec, unless that is done already."""
        if self.decide is not _not_loaded:
            return
        handler = importlib.import_module(f"tidemark.handlers.{self.folder}.{self.module}")
        codec = importlib.import_module(APIS[self.name].module)
        self.decoders = getattr(codec, f"{self.name}Request").DECODERS
        self.response = getattr(codec, f"{self.name}Response")
        self.encoders = self.response.ENCODERS
        self._unwritten_response = getattr(handler, "unwritten_response", None)
        self.decide = getattr(handler, self.module)
        self.in_steps = inspect.isgeneratorfunction(self.decide)
        if CLAIMS[self.module].on_connection:
            self.decide = _on_connection(self.decide)
        # A handler on the hot path has a second form, for long requests.
        self.decide_large = getattr(handler, f"{self.module}_in_steps", None)

    @property
    def has_error_code(self) -> bool:
        return any(attribute == "error_code" for _, attribute, _, _ in self.response.FIELDS)

    def error_response(self, request: Any, code: int, message: str | None = None) -> Any:
        """Return the response to a request that fails as a whole. message: replaces Kafka's for the code."""
        if self._error_response is None:
            from tidemark.handlers.error_responses import compile_error_response  # the start needs none

            self._error_response = compile_error_response(self.name, self.response)
        return self._error_response(request, code, message)

    def error_in_steps(self, pending: Any, code: int) -> Generator[Callable[[], Any], Any, Any]:
        """Return the same. A worker builds it if the request is long, because it may list all partitions."""
        if pending.is_long:
            return (yield partial(self.error_response, pending.body, code))
        return self.error_response(pending.body, code)

    def unwritten_response(self, ctx: Any, request: Any, code: int) -> Any:
        """Return the response to a request whose records cannot be written."""
        if self._unwritten_response is not None:
            return self._unwritten_response(ctx, request, code)
        return self.error_response(request, code)


@cache
def load(folder: Path | None = None) -> Mapping[int, Route]:
    """Return the routes by API key, for every module below the folder that claims an API.

    It reads every module. Routes have no state of a node.
    """
    routes: dict[int, Route] = {}
    for path in sorted((folder or Path(__file__).parent).glob("*/*.py")):
        found = _DECORATOR.search(path.read_text("utf-8"))
        if found is None:
            continue
        kind: Any = found["kind"]
        state = found["state"]
        if kind == "connection_api":
            kind, state = "command", Cluster.__name__
        versions = range(int(found["low"]), int(found["past"]))
        route = Route(path, found["request"], kind, state, versions)
        routes[route.api_key] = route
    return routes
