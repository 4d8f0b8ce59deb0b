"""Interceptors: code that sees each request before it is decided, and each response before it is encoded.

A node has one list of interceptors. While the list is empty, requests pay nothing for it: connections use the
plain `Router`. Otherwise they use an `InterceptingRouter`, which puts an exchange between the runtime and the
connection of each request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Final

from tidemark.clock import Clock
from tidemark.core.context import Caller, ConnectionControl
from tidemark.core.result import CloseConnection
from tidemark.runtime.pending import Frame, PendingResponse
from tidemark.server.interceptor_list import Interceptors
from tidemark.server.router import Router
from tidemark.server.session import Session
from tidemark.turns import Turns
from tidemark_protocol.wire import WireError


@dataclass(slots=True, frozen=True)
class Replace:
    """Continue with this request or response, of the same API, in place of the original."""

    message: Any


@dataclass(slots=True, frozen=True)
class Delay:
    """Continue after a delay, in milliseconds of the host's clock.

    A request that is delayed holds back those behind it. A response holds back the responses behind it.
    """

    ms: int


@dataclass(slots=True, frozen=True)
class Drop:
    """Never respond. A request that is dropped is not decided. Later requests are served as usual."""


@dataclass(slots=True, frozen=True)
class Respond:
    """Send this response to a request that is not decided."""

    response: Any


@dataclass(slots=True, frozen=True)
class Close:
    """Close the connection once the requests before this one have their responses."""


Action = Replace | Delay | Drop | Respond | Close


@dataclass(slots=True, frozen=True)
class Call:
    """One request, as interceptors see it. `request` is the one that the broker decides."""

    caller: Caller
    api: str
    version: int
    client_id: str
    request: Any
    error_response: Callable[[Any, int], Any]

    def failed(self, code: int) -> Any:
        """Return a response with this error code for the whole request.

        Raises WireError if responses of this API have no such code.
        """
        return self.error_response(self.request, code)


class Interceptor:
    """Base class. Each method returns an action, or None to continue.

    A method that raises closes the connection, and the error is logged.
    """

    def request(self, call: Call) -> Action | None:
        """See a request before it is decided. A large one is decoded first."""
        return None

    def response(self, call: Call, response: Any) -> Action | None:
        """See a response before it is encoded. `Respond` counts as `Replace` here.

        Not called for requests that get no response (Produce with acks=0), nor for `Respond` to a request.
        """
        return None


class InterceptingRouter:
    """A router for connections while the node has interceptors."""

    __slots__ = ("_router", "clock", "enter", "interceptors", "logger", "resolve", "served", "turns")

    def __init__(
        self, router: Router, interceptors: Interceptors, clock: Clock, turns: Turns, logger: Any
    ) -> None:
        self._router = router
        self.interceptors = interceptors
        self.clock = clock
        self.turns = turns
        self.logger = logger
        self.served = router.served
        self.resolve = router.resolve
        self.enter = router.enter

    def dispatch(self, session: Session, pending: PendingResponse) -> None:
        """Call the interceptors, then decide the request."""
        _Exchange(self, session, pending).begin()

    def submit(self, session: Session, pending: PendingResponse) -> None:
        self._router.dispatch(session, pending)


_NOTHING: Final = object()


class _Exchange:
    """One request and its response. The runtime sees it in place of the request's API and session."""

    __slots__ = (
        "_closes",
        "_decoding",
        "_pending",
        "_response_delay_ms",
        "_response_seen",
        "_router",
        "_served",
        "_session",
        "abort",
        "has_error_code",
        "mark",
        "refuse",
        "route",
        "version",
    )

    def __init__(self, router: InterceptingRouter, session: Session, pending: PendingResponse) -> None:
        served = pending.served
        self._router = router
        self._session = session
        self._pending = pending
        self._served = served
        self._decoding: Generator[int, None, Any] | None = None
        self._response_seen = False
        self._response_delay_ms = 0
        self._closes = False
        self.route = served.route
        self.version = served.version
        self.mark = served.mark
        self.has_error_code = served.has_error_code
        self.abort = session.abort
        self.refuse = session.refuse
        pending.session = self
        pending.served = self

    # the request

    def begin(self) -> None:
        """Called while the connection is served: it sends what is ready afterwards."""
        if self._pending.decoding is None:
            self._requested()
        else:
            self._decoding = self._pending.decoding
            self._session.parked = self._pending
            self._decode()

    def _decode(self) -> None:
        """Decode a large request, in turns with other work, before the interceptors see it."""
        pending, turns = self._pending, self._router.turns
        assert self._decoding is not None
        try:
            while True:
                next(self._decoding)
                if self._is_over:
                    return
                if turns.spend():
                    turns.later(self._decode)
                    return
        except StopIteration as done:
            pending.body = done.value
            # A request that is already decoded is still decided and encoded in steps.
            pending.decoding = _decoded(pending.body)
        except CloseConnection as reason:
            self._session.refuse(reason)
            return
        self._requested()
        self._session.ready()

    def _requested(self) -> None:
        delay_ms, message, end = self._ask(
            self._pending.body, lambda interceptor, call, _: interceptor.request(call)
        )
        if end is None:
            self._pending.body = message
            if self._pending.decoding is not None:
                self._pending.decoding = _decoded(message)
            if delay_ms:
                self._session.parked = self._pending
                self._later(delay_ms, self._submit_late)
            else:
                self._router.submit(self._session, self._pending)
        elif isinstance(end, Close):
            self._session.refuse(None)
        else:
            self._pending.answered = True
            self._session.fill(self._pending, self._frame_instead(end))

    def _frame_instead(self, end: Drop | Respond) -> Frame:
        if isinstance(end, Drop):
            return b""
        try:
            return self._served.frame(self._pending.correlation_id, end.response)
        except WireError as error:
            self._failed(error)
            return b""

    def _submit_late(self) -> None:
        session = self._session
        if self._is_over:
            return
        self._router.enter(session.caller)
        try:
            self._router.submit(session, self._pending)
        except CloseConnection as reason:
            session.refuse(reason)
        except Exception as error:  # noqa: BLE001 a bug ends one connection, not the broker
            self._failed(error)
        session.ready()

    @property
    def _is_over(self) -> bool:
        """Return whether the connection decides no further request."""
        return self._session.closed or self._session.draining

    # the response: methods of the API that the runtime calls

    def frame(self, correlation_id: int, response: Any, bodies: dict[int, bytes] | None = None) -> Frame:
        changed = self._responded(response)
        if changed is _NOTHING:
            return b""
        return self._served.frame(correlation_id, changed, bodies if changed is response else None)

    def frame_in_steps(
        self, correlation_id: int, response: Any, bytes_max: int, bodies: dict[int, bytes] | None = None
    ) -> Generator[int, None, Frame]:
        changed = self._responded(response)
        if changed is _NOTHING:
            return b""
        kept = bodies if changed is response else None
        frame = yield from self._served.frame_in_steps(correlation_id, changed, bytes_max, kept)
        return frame

    def _responded(self, response: Any) -> Any:
        """Return the response to encode, or _NOTHING."""
        if self._response_seen:  # the runtime encodes an error if the response cannot be encoded
            return response
        self._response_seen = True
        self._response_delay_ms, message, end = self._ask(
            response, lambda interceptor, call, message: interceptor.response(call, message)
        )
        if end is None:
            return message
        if isinstance(end, Respond):
            return end.response
        self._closes = isinstance(end, Close)
        return _NOTHING

    # the response: methods of the session that the runtime calls

    @property
    def closed(self) -> bool:
        return self._session.closed

    @property
    def waiting_task(self) -> asyncio.Future[Any] | None:
        return self._session.waiting_task

    @waiting_task.setter
    def waiting_task(self, task: asyncio.Future[Any] | None) -> None:
        self._session.waiting_task = task

    def ready(self) -> None:
        self._session.ready()

    @property
    def control(self) -> ConnectionControl:
        return self._session.control

    def fill(self, pending: PendingResponse, frame: Frame) -> None:
        if self._closes:
            self._session.end(pending)
            self._session.refuse(None)
        elif self._response_delay_ms:
            self._later(self._response_delay_ms, lambda: self._fill_late(frame))
        else:
            self._session.fill(pending, frame)

    def _fill_late(self, frame: Frame) -> None:
        if not self._session.closed:
            self._session.fill(self._pending, frame)
            self._session.ready()

    # both

    def _ask(
        self, message: Any, ask: Callable[[Interceptor, Call, Any], Action | None]
    ) -> tuple[int, Any, Drop | Respond | Close | None]:
        """Call each interceptor in turn. Return the delay, the message, and the action that ends it here."""
        delay_ms = 0
        is_request = not self._response_seen
        try:
            for interceptor in self._router.interceptors:
                match ask(interceptor, self._call(message if is_request else self._pending.body), message):
                    case Replace(message=changed):
                        message = changed
                    case Delay(ms=ms):
                        delay_ms += ms
                    case None:
                        pass
                    case end:
                        return delay_ms, message, end
        except Exception as error:  # noqa: BLE001 a bug of an interceptor ends one connection, not the broker
            self._failed(error)
            return 0, message, Close()
        return delay_ms, message, None

    def _call(self, request: Any) -> Call:
        pending, route = self._pending, self.route
        return Call(
            self._session.caller, route.name, self.version, pending.client_id, request, route.error_response
        )

    def _failed(self, error: Exception) -> None:
        self._router.logger.error("a request failed", api=self.route.name, exc_info=error)
        self._session.abort(None)

    def _later(self, delay_ms: int, job: Callable[[], None]) -> None:
        clock = self._router.clock
        clock.call_at(clock.steady_ms() + delay_ms, job)


def _decoded(body: Any) -> Generator[int, None, Any]:
    """The decoding of a request that is decoded already."""
    yield from ()
    return body
