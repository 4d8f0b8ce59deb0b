"""The protocol of one connection, without its socket. It turns bytes into requests and responses into bytes.

Responses leave in the order of their requests: a PendingRequest keeps the place of each.

Like Kafka, a connection decides its requests one at a time. A parked request (a JoinGroup, a SyncGroup, a
long-polling Fetch) holds back the requests behind it. A request that only waits for a sync does not.

A request with many elements is decoded in a worker thread (`PendingRequest.decoding`), so that it does not
stall other connections.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from functools import partial
from io import BytesIO
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import ANONYMOUS, ConnectionControl
from tidemark.core.decision import CloseConnection
from tidemark.engine.request import Frame, PendingRequest, Work, size_of
from tidemark.handlers.routes import Route
from tidemark.metrics.catalogue import METER_OF_API, BadInput
from tidemark.metrics.definition import REQUEST_SECONDS, Histogram
from tidemark.server.memory import LARGE_BYTES, SERVED_BYTES_MIN, elements_of, has_more_elements, memory_of
from tidemark.server.pieces import Bounded, Pieces, TooLarge, has_large_records
from tidemark.settings.broker import BrokerSettings
from tidemark.turns import LOOK_COST, REQUEST_COST
from tidemark_protocol.apis import API_NAMES
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.wire import (
    UNBOUNDED,
    Bytes,
    Decoder,
    Encoder,
    TooManyElements,
    WireError,
    skip_tags_within,
)

if TYPE_CHECKING:
    from tidemark.security.sasl import Authentication
    from tidemark.server.connection import Connection
    from tidemark.server.request_journal import RequestTap


SASL_HANDSHAKE: Final = 17
API_VERSIONS: Final = 18
SASL_AUTHENTICATE: Final = 36


class ConnectionState(Enum):
    """Kafka: SaslServerAuthenticator.SaslState, as far as it decides which requests are accepted."""

    UNAUTHENTICATED = "unauthenticated"
    HANDSHAKING = "about to authenticate"  # it has had a response to ApiVersions
    AUTHENTICATING = "authenticating"
    READY = "ready"
    DRAINING = "draining"  # accepts no further request, and responds to those that were accepted
    CLOSED = "closed"


class IllegalTransitionError(Exception):
    """A bug: the connection cannot enter this state from its current one."""


_ENDS: Final = frozenset({ConnectionState.DRAINING, ConnectionState.CLOSED})

# The keys of the APIs that each state serves (None: all), and the states that may follow it.
RULES: Final[dict[ConnectionState, tuple[frozenset[int] | None, frozenset[ConnectionState]]]] = {
    ConnectionState.UNAUTHENTICATED: (
        frozenset({API_VERSIONS, SASL_HANDSHAKE}),
        _ENDS | {ConnectionState.HANDSHAKING, ConnectionState.AUTHENTICATING},
    ),
    ConnectionState.HANDSHAKING: (frozenset({SASL_HANDSHAKE}), _ENDS | {ConnectionState.AUTHENTICATING}),
    ConnectionState.AUTHENTICATING: (frozenset({SASL_AUTHENTICATE}), _ENDS | {ConnectionState.READY}),
    # KIP-368: a client may authenticate again before its session expires.
    ConnectionState.READY: (None, _ENDS | {ConnectionState.AUTHENTICATING}),
    ConnectionState.DRAINING: (frozenset(), frozenset({ConnectionState.CLOSED})),
    ConnectionState.CLOSED: (frozenset(), frozenset()),
}


_INT32: Final = Struct(">i")
_TLS_HELLO: Final = b"\x16\x03"
_HEAD: Final = Struct(">hhih")  # api key, version, correlation id, length of the client id
_RESPONSE_HEAD: Final = Struct(">ii")
# Decoded at once in a few milliseconds, even with two bytes per element. Larger ones reserve memory first.
FRAME_BYTES_AT_ONCE_MAX: Final = LARGE_BYTES
# A larger request with more elements is decoded in a worker, and a response with more is encoded there.
# The event loop decodes this many in a millisecond. Most large requests are a Produce with few.
ELEMENTS_AT_ONCE_MAX: Final = 1000
RESPONSE_BYTES_AT_ONCE_MAX: Final = 256 * 1024
# The memory of a parked request is counted if it has more bytes: thousands of consumers wait with less.
PARKED_BYTES_MIN: Final = 512
# The duration of each request is measured until a version of an API has had this many, then of one in SAMPLE.
# Measuring every commit would cost 10 % of it.
MEASURED_MAX: Final = 1000
SAMPLE: Final = 64  # a power of two
# A longer client id is decoded anew in each request. An idle connection with one of 32 KB would hold 160 KB.
CLIENT_ID_KEPT_MAX: Final = 1024
CACHED_BYTES_MAX: Final = 1024 * 1024  # of one response: Metadata of 20,000 partitions


class ServedVersion:
    """One version of an API that is served: its codec, the number of its requests, and their durations.

    skip_tags       skips the tagged fields of a request's header, as `skip_tags_within` does
    meter_rule      the meter that its results move (KIP-496)
    has_error_code  its response has one error code for the whole request
    head_bytes      what precedes the body of a response: size, correlation id, and tags
    unmeasured      a request whose number has one of these bits is not measured
    """

    __slots__ = ("carries_records", "decode", "durations", "encode", "flexible_request", "flexible_response",
                 "has_error_code", "head_bytes", "meter_rule", "requests", "route", "skip_tags",
                 "unmeasured", "version")  # fmt: skip

    def __init__(
        self,
        route: Route,
        version: int,
        decode: Decoder,
        encode: Encoder,
        *,
        flexible_request: bool,
        flexible_response: bool,
        skip_tags: Callable[..., tuple[int, int]] = skip_tags_within,
    ) -> None:
        self.route = route
        self.version = version
        self.decode = decode
        self.skip_tags = skip_tags
        self.encode = encode
        self.flexible_request = flexible_request
        self.flexible_response = flexible_response
        self.head_bytes = 9 if flexible_response else 8
        self.has_error_code = route.has_error_code
        self.meter_rule = METER_OF_API.get(route.name)
        self.carries_records = route.name == "Fetch"
        self.requests = 0
        self.durations = Histogram(REQUEST_SECONDS)
        self.unmeasured = 0

    def frame(self, correlation_id: int, response: Any, bodies: dict[int, bytes] | None = None) -> Frame:
        """Return a response frame: size, header and body.

        bodies caches the bytes after the correlation id, by version.
        """
        if bodies is not None:
            body = bodies.get(self.version)
            if body is None:
                body = bodies[self.version] = self._body(response)
            return _RESPONSE_HEAD.pack(len(body) + 4, correlation_id) + body
        head_bytes = self.head_bytes
        if self.carries_records and has_large_records(response):
            pieces = Pieces(head_bytes)
            self.encode(pieces, response)
            _RESPONSE_HEAD.pack_into(pieces, 0, len(pieces) + pieces.large_bytes - 4, correlation_id)
            frame = pieces.frame()
            return frame if len(frame) > 1 else bytes(frame[0])
        out = bytearray(head_bytes)
        self.encode(out, response)
        _RESPONSE_HEAD.pack_into(out, 0, len(out) - 4, correlation_id)
        return bytes(out)

    def long_frame(
        self, correlation_id: int, response: Any, bytes_max: int, bodies: dict[int, bytes] | None = None
    ) -> Generator[Work, Any, Frame]:
        """Return the frame of a response that may be long. If it is, yield the work for a worker.

        Raises CloseConnection if it is larger than bytes_max, without its records. bodies: as for `frame`,
        but large ones are not cached.
        """
        if bodies is not None and self.version in bodies:
            return self.frame(correlation_id, response, bodies)
        frame: list[Bytes] | Exception | None = None
        if not has_more_elements(response, ELEMENTS_AT_ONCE_MAX):
            with suppress(TooLarge):
                at_once_max = min(bytes_max, RESPONSE_BYTES_AT_ONCE_MAX)
                frame = self._bounded_frame(correlation_id, response, at_once_max)
        if frame is None:
            frame = yield partial(self._frame_or_error, correlation_id, response, bytes_max)
        if isinstance(frame, TooLarge):
            raise CloseConnection(
                f"{self.route.name} v{self.version}: the response is larger than {bytes_max} bytes",
                BadInput.RESPONSE_SIZE,
            )
        if isinstance(frame, Exception):
            raise WireError(*frame.args)  # a new one: a local variable must not refer to its own traceback
        assert frame is not None
        if bodies is not None and size_of(frame) <= CACHED_BYTES_MAX:
            bodies[self.version] = bytes(frame[0][_RESPONSE_HEAD.size :])
        return frame

    def _frame_or_error(
        self, correlation_id: int, response: Any, bytes_max: int
    ) -> list[Bytes] | TooLarge | WireError:
        try:
            return self._bounded_frame(correlation_id, response, bytes_max)
        except (TooLarge, WireError) as error:
            return error.with_traceback(None)

    def _bounded_frame(self, correlation_id: int, response: Any, bytes_max: int) -> list[Bytes]:
        """Return the frame of a response. Raises TooLarge. Also called in a worker."""
        if self.carries_records:
            pieces = Pieces(self.head_bytes, bytes_max)
            self.encode(pieces, response)
            _RESPONSE_HEAD.pack_into(pieces, 0, len(pieces) + pieces.large_bytes - 4, correlation_id)
            return pieces.frame()
        out = Bounded(self.head_bytes, bytes_max)
        self.encode(out, response)
        _RESPONSE_HEAD.pack_into(out, 0, len(out) - 4, correlation_id)
        return [memoryview(out)]

    def decode_within(self, data: bytes, pos: int, end: int, left: int) -> Any:
        """Decode a request from the end of its client id on. Raises TooManyElements if more than `left`."""
        if self.flexible_request:
            pos, left = self.skip_tags(data, pos, end, left)
        return self.decode(data, pos, end, left)[0]

    def decode_long(self, data: bytes, pos: int, end: int, elements_max: int) -> tuple[Any, int]:
        """Decode a long request in a worker. Return it, and the memory that it needs.

        Raises CloseConnection if it is malformed, or has more elements than are allowed.
        """
        try:
            body = self.decode_within(data, pos, end, elements_max)
        except TooManyElements:
            raise CloseConnection(
                f"{self.route.name} v{self.version}: more than {elements_max} array elements",
                BadInput.ELEMENTS,
            ) from None
        except (WireError, IndexError) as error:
            raise self.malformed(error) from None
        return body, memory_of(data, pos, end, elements_of(body))

    def decode_request(self, frame: bytes) -> Any:
        """Return the request in a frame, which has no size before it. Raises WireError or IndexError."""
        pos = _HEAD.size + max(0, _HEAD.unpack_from(frame)[3])
        return self.decode_within(frame, pos, len(frame), UNBOUNDED)

    def decode_response(self, frame: bytes) -> Any:
        """Return the response in a frame. Raises WireError or IndexError."""
        pos = _RESPONSE_HEAD.size
        if self.flexible_response:
            pos, _ = skip_tags_within(frame, pos, len(frame), UNBOUNDED)
        return self.route.response.DECODERS[max(self.version, 0)](frame, pos, len(frame))[0]

    def malformed(self, error: Exception) -> CloseConnection:
        """Return the exception for bytes that are not such a request."""
        return CloseConnection(f"{self.route.name} v{self.version}: {error}", BadInput.BODY)

    def _body(self, response: Any) -> bytes:
        out = bytearray(b"\0" if self.flexible_response else b"")
        self.encode(out, response)
        return bytes(out)


class ServedTokens(ServedVersion):
    """SASL tokens without Kafka's headers, which follow SaslHandshake v0.

    A frame of such a token is the body of SaslAuthenticate v0.
    """

    __slots__ = ()

    def frame(self, correlation_id: int, response: Any, bodies: dict[int, bytes] | None = None) -> Frame:
        """Return the frame of the answer. Kafka closes the connection without one if the client failed."""
        if response.error_code:
            return b""
        token: bytes = response.auth_bytes
        return _INT32.pack(len(token)) + token

    def decode_response(self, frame: bytes) -> Any:
        response = self.route.response(auth_bytes=frame[_INT32.size :])
        if not frame:
            response.error_code = ErrorCode.SASL_AUTHENTICATION_FAILED
        return response


class Session:
    """Splits incoming bytes into requests, and puts responses in order.

    served    the APIs that were resolved, by API key << 16 | version
    resolve(api key, version)  returns the others. Raises CloseConnection for one that is not served
    tap       sees each request when it has arrived, and again when its response leaves
    """

    __slots__ = (
        "_client_id",
        "_client_id_bytes",
        "_elements_max",
        "_every_served",
        "_frame_bytes_max",
        "_frame_bytes_max_ready",
        "_in_flight_max",
        "_need",
        "_pending",
        "_resolve",
        "_resolve_any",
        "_rest",
        "_served",
        "_steady_ms",
        "_tap",
        "_timed",
        "_token_bytes_max",
        "_tokens",
        "_turns",
        "_unsent_bytes_max",
        "abort",
        "authentication",
        "buffered",
        "caller",
        "closed",
        "decode",
        "draining",
        "finish",
        "may_serve",
        "parked",
        "parked_bytes",
        "ready",
        "refuse",
        "shrink_reservation",
        "state",
        "unsent",
        "waiting_task",
    )  # fmt: skip

    def __init__(
        self,
        served: dict[int, ServedVersion],
        resolve: Callable[[int, int], ServedVersion],
        connection: Connection,
        settings: BrokerSettings,
        *,
        authentication: Authentication | None = None,
        state: ConnectionState | None = None,
        tap: RequestTap | None = None,
    ) -> None:
        self._tap = tap
        self.authentication = authentication
        self._token_bytes_max = 0
        self._tokens: ServedTokens | None = None  # while the client sends tokens without headers
        self._every_served = served
        self._resolve_any = resolve
        self._turns = connection.turns
        self._steady_ms = connection.steady_ms
        # Requests that are measured, in order: when each arrived, and for how many it stands.
        self._timed: deque[tuple[PendingRequest, ServedVersion, int, int]] = deque()
        self._elements_max = settings.tidemark_request_elements_max
        self._frame_bytes_max = self._frame_bytes_max_ready = settings.socket_request_max_bytes
        self._in_flight_max = settings.tidemark_connection_requests_max
        self._unsent_bytes_max = settings.tidemark_connection_unsent_max_bytes
        self._pending: deque[PendingRequest] = deque()
        self._rest = BytesIO()  # bytes that are no whole frame yet: they grow in place and are read uncopied
        self.buffered = 0  # bytes that arrived and are in no request yet
        self._need = 4
        self.unsent = 0  # bytes of responses that wait for those before them, or until they are durable
        self._client_id_bytes = b""
        self._client_id = ""
        self.parked: PendingRequest | None = None
        self.parked_bytes = 0  # the memory of the parked request, unless it is large
        self.caller = ANONYMOUS
        if state is None:
            state = ConnectionState.READY if authentication is None else ConnectionState.UNAUTHENTICATED
        self._be(state)
        # Methods of the connection, which replaces them when it is lost.
        self.ready = connection.ready
        self.abort: Callable[[CloseConnection | None], None] = connection.hang_up
        self.finish = connection.finish
        self.may_serve = connection.may_serve
        self.decode: Callable[[PendingRequest], None] = connection.decode
        self.shrink_reservation: Callable[[int], None] = connection.shrink_reservation
        self.refuse: Callable[[CloseConnection | None], None] = connection.end
        self.waiting_task: asyncio.Future[Any] | None = None  # of the log API that is parked

    # states

    def enter(self, state: ConnectionState) -> None:
        """Change the state. Raises IllegalTransitionError."""
        if state is not self.state:
            if state not in RULES[self.state][1]:
                raise IllegalTransitionError(
                    f"a connection that is {self.state.value} cannot become {state.value}"
                )
            self._be(state)

    def _be(self, state: ConnectionState) -> None:
        self.state = state
        self.closed = state is ConnectionState.CLOSED
        self.draining = state in (
            ConnectionState.DRAINING,
            ConnectionState.CLOSED,
        )  # no further request is accepted
        apis = RULES[state][0]
        authentication = self.authentication
        if apis is None:
            self._served = self._every_served
            self._resolve = self._resolve_any
            self._frame_bytes_max = self._frame_bytes_max_ready
            if authentication is not None and authentication.expires_ms is not None:
                self._served = {}
                self._resolve = partial(
                    _resolve_unexpired,
                    authentication.expires_ms,
                    self._steady_ms,
                    self._every_served,
                    self._resolve_any,
                )
        elif apis:
            if authentication is not None:
                self._frame_bytes_max = min(
                    self._frame_bytes_max_ready, authentication.listener.receive_bytes_max
                )
            # No method of the session, which would make a cycle of references.
            self._served = {}
            self._resolve = partial(_resolve_allowed, state, self._every_served, self._resolve_any)

    def drain(self) -> None:
        """Accept no further request. Those that were accepted get their responses."""
        if not self.closed:
            self.enter(ConnectionState.DRAINING)

    def steady_ms(self) -> int:
        """Return the time by which the lifetime of the session is measured."""
        return self._steady_ms()

    def negotiated(self) -> bool:
        """Serve no further ApiVersions until the client has authenticated. Return whether it must do that."""
        must_authenticate = self.state is ConnectionState.UNAUTHENTICATED
        if must_authenticate:
            self.enter(ConnectionState.HANDSHAKING)
        return must_authenticate

    def begin_authentication(self, *, with_headers: bool = True) -> None:
        """Serve only the APIs of authentication. with_headers: tokens are in SaslAuthenticate requests."""
        self.enter(ConnectionState.AUTHENTICATING)
        if not with_headers:
            self._tokens = _tokens_of(self._resolve_any(SASL_AUTHENTICATE, 0))
            self._token_bytes_max = self._frame_bytes_max
            self._frame_bytes_max = -1

    def authenticated(self, principal: str, *, by_token: bool = False) -> None:
        self.enter(ConnectionState.READY)
        self._tokens = None
        self.caller = replace(self.caller, principal=principal, by_token=by_token)

    @property
    def control(self) -> ConnectionControl:
        """The operations on the connection that handlers of connection APIs may use."""
        return self

    def close_after_response(self) -> None:
        self.drain()
        self.finish()

    # requests and responses

    @property
    def in_flight(self) -> Sequence[PendingRequest]:
        """The requests whose responses have not left, in their order."""
        return self._pending

    @property
    def held(self) -> bool:
        """True while no further request may be accepted."""
        return (
            self.draining
            or self.parked is not None
            or len(self._pending) >= self._in_flight_max
            or self.unsent > self._unsent_bytes_max
        )

    @property
    def has_more(self) -> bool:
        """True if a request held back bytes that have arrived."""
        return self.buffered >= self._need

    @property
    def arriving_bytes(self) -> int:
        """Return the size of a request that has arrived in part, or 0."""
        return self._need if 4 <= self.buffered < self._need else 0

    @property
    def within_frame(self) -> bool:
        """True if a request has arrived in part."""
        return self.buffered > 0 and not self.held

    def receive(self, data: bytes, submit: Callable[[PendingRequest], None]) -> bool:
        """Submit the requests that data completes, one after the other. Return whether frames may leave now.

        Stops when a request holds back the others, or this turn of the loop is over. Call it with b"" to go
        on with the rest (`has_more`). Raises CloseConnection for input to which Kafka closes the connection.
        """
        if self.buffered:
            self.buffered += self._rest.write(data)
            if self.buffered < self._need or self.held:
                return False
            if self._need > SERVED_BYTES_MIN + 4 and not self.may_serve(self._need - 4):
                return False
            data = self._rest.getvalue()
            self._rest = BytesIO()
            self.buffered = 0
        pos = frame_bytes = 0
        size = len(data)
        need = 4
        turns, tap = self._turns, self._tap
        cost = turns.cost
        waiting, in_flight_max, unsent_bytes_max = self._pending, self._in_flight_max, self._unsent_bytes_max
        if tap is not None:
            tap.enter()
        while size - pos >= 4:
            # `held`, without the cost of a call for each request.
            if (
                self.parked is not None
                or len(waiting) >= in_flight_max
                or self.unsent > unsent_bytes_max
                or self.draining
            ):
                break
            frame_bytes = _INT32.unpack_from(data, pos)[0]
            if 0 <= frame_bytes <= self._frame_bytes_max:
                start = pos + 4
                end = start + frame_bytes
                if end > size or (frame_bytes > SERVED_BYTES_MIN and not self.may_serve(frame_bytes)):
                    need = 4 + frame_bytes
                    break
                pending = self._next(data, start, end)
            else:
                token = self._token(data, pos, size, frame_bytes)
                if token is None:
                    need = 4 + frame_bytes
                    break
                pending = token
                start, end = pos + 4, pos + 4 + frame_bytes
            waiting.append(pending)
            if tap is not None:
                tap.arrived(self.caller, pending, data, start, end)
            cost += frame_bytes + REQUEST_COST
            pos = end
            if pending.decoding is None:
                submit(pending)
            else:
                self.decode(pending)
            if not pending.answered and not self.closed:
                self.parked = pending
            if cost >= LOOK_COST:
                cost = 0
                if turns.requests_must_wait():
                    break
        turns.cost = cost
        parked = self.parked
        if parked is not None and parked.decoding is None and frame_bytes > PARKED_BYTES_MIN:
            self.parked_bytes = memory_of(data, pos - frame_bytes, pos, elements_of(parked.body))
        if pos < size:
            self.buffered = self._rest.write(data[pos:])
        self._need = need
        return bool(waiting) and waiting[0].frame is not None

    def keep(self, data: bytes) -> None:
        """Keep bytes that arrived when no request may be served."""
        self.buffered += self._rest.write(data)

    def _token(self, data: bytes, pos: int, size: int, frame_bytes: int) -> PendingRequest | None:
        """Return the request that a token without a header is, or None if it has arrived in part.

        While such tokens are expected, no frame is within the limit. So other requests pay nothing for this.
        Raises CloseConnection for any other frame that is above the limit.
        """
        served = self._tokens
        if served is None or not 0 <= frame_bytes <= self._token_bytes_max:
            hello = " (the client uses TLS)" if data[pos : pos + 2] == _TLS_HELLO else ""
            raise CloseConnection(
                f"a frame of {frame_bytes} bytes is not allowed{hello}", BadInput.FRAME_SIZE
            )
        end = pos + 4 + frame_bytes
        if end > size:
            return None
        served.requests += 1
        body, _ = served.decode(data, pos, end)
        return PendingRequest(self, served, 0, self._client_id, body, frame_bytes)

    def _next(self, data: bytes, pos: int, end: int) -> PendingRequest:
        size = end - pos
        if size < 10:
            raise CloseConnection(f"a request of {size} bytes is too short", BadInput.HEADER)
        api_key, version, correlation_id, n = _HEAD.unpack_from(data, pos)
        pos += 10
        served = self._served.get(api_key << 16 | version)
        if served is None:
            served = self._resolve(api_key, version)
        text = self._client_id
        if n > 0:
            client_id = data[pos : pos + n]
            pos += n
            if pos > end:
                raise CloseConnection(f"a client id of {n} bytes exceeds its frame", BadInput.HEADER)
            if client_id != self._client_id_bytes:
                text = client_id.decode("utf-8", "java")
                if n <= CLIENT_ID_KEPT_MAX:
                    self._client_id_bytes, self._client_id = client_id, text
        elif self._client_id_bytes:
            self._client_id_bytes = b""
            self._client_id = text = ""
        body = decoding = None
        try:
            if end - pos > FRAME_BYTES_AT_ONCE_MAX:
                body = served.decode_within(data, pos, end, min(ELEMENTS_AT_ONCE_MAX, self._elements_max))
                self.shrink_reservation(memory_of(data, pos, end, elements_of(body)))
            else:
                if served.flexible_request:
                    if pos < end and data[pos] == 0:
                        pos += 1
                    else:
                        pos, _ = served.skip_tags(data, pos, end, UNBOUNDED)
                body, _ = served.decode(data, pos, end)
        except TooManyElements:
            decoding = partial(served.decode_long, data, pos, end, self._elements_max)
        except (WireError, IndexError) as error:
            raise served.malformed(error) from None
        served.requests = number = served.requests + 1
        pending = PendingRequest(
            self, served, correlation_id, text, body, size, decoding, decoding is not None
        )
        if not number & served.unmeasured:
            self._timed.append((pending, served, self._steady_ms(), served.unmeasured + 1))
            if number >= MEASURED_MAX:
                served.unmeasured = SAMPLE - 1
        return pending

    def fill(self, pending: PendingRequest, frame: Frame, *, was_held: bool = False) -> None:
        """Set the frame of a response. It leaves after the responses before it.

        was_held: it is counted in `unsent` already
        """
        pending.frame = frame
        if not was_held:
            self.unsent += len(frame) if type(frame) is bytes else size_of(frame)
        if pending is self.parked:
            self.parked = None
            self.parked_bytes = 0

    def data_to_send(self) -> list[Bytes]:
        """Remove and return the frames that may leave now, in order."""
        waiting = self._pending
        out: list[Bytes] = []
        tap = self._tap
        gone: list[PendingRequest] = []
        while waiting and (frame := waiting[0].frame) is not None:
            pending = waiting.popleft()
            if tap is not None:
                gone.append(pending)
            if isinstance(frame, list):
                out += frame
                self.unsent -= size_of(frame)
            else:
                out.append(frame)
                self.unsent -= len(frame)
        if tap is not None and gone:
            tap.left(gone)
        if out and self._timed:
            self._measure()
        return out

    def _measure(self) -> None:
        """Record the durations of the measured requests whose responses have left."""
        timed, now_ms = self._timed, self._steady_ms()
        while timed:
            pending, served, arrived_ms, times = timed[0]
            if pending.frame is None or pending in self._pending:
                break
            timed.popleft()
            served.durations.observe((now_ms - arrived_ms) / 1000, times)

    def end(self, instead_of: PendingRequest | None = None) -> None:
        """Accept no further request. Closing the connection replaces the last response.

        instead_of: drop this response and all behind it. None: drop the last one, unless it is decided.
        """
        pending = self._pending
        if instead_of is not None and instead_of in pending:
            while (dropped := pending.pop()) is not instead_of:
                dropped.session.dropped()
            self._stop_waiting()
        elif pending and not pending[-1].answered:
            pending.pop()
            self._stop_waiting()
        self.drain()

    def end_after(self, last: PendingRequest) -> None:
        """Accept no further request, and drop all behind this one, which has its response."""
        while self._pending and self._pending[-1] is not last:
            self._pending.pop().session.dropped()
        self._stop_waiting()
        self.drain()

    def closed_by_fault(self, pending: PendingRequest) -> None:
        """Let the journal record that the connection is closed in place of this response."""
        if self._tap is not None:
            self._tap.closed(pending)

    def dropped(self) -> None:
        """Called for a request that gets no response. An interceptor that holds it back forgets it."""

    def _stop_waiting(self) -> None:
        """Drop the parked request."""
        if self.parked is not None:
            self.parked.session.dropped()
            self.parked = None
        if self.waiting_task is not None:
            self.waiting_task.cancel()

    def close(self) -> None:
        """Drop all pending responses. Members of groups that this client has joined stay members."""
        self.enter(ConnectionState.CLOSED)
        self._stop_waiting()
        for pending in self._pending:
            pending.session.dropped()
        self._pending.clear()
        self._timed.clear()
        self._rest = BytesIO()


def _tokens_of(served: ServedVersion) -> ServedTokens:
    """Return the API of tokens without headers. served: SaslAuthenticate v0."""
    return ServedTokens(
        served.route,
        served.version,
        served.decode,
        served.encode,
        flexible_request=False,
        flexible_response=False,
    )


def _resolve_unexpired(
    expires_ms: int,
    steady_ms: Callable[[], int],
    served: dict[int, ServedVersion],
    resolve: Callable[[int, int], ServedVersion],
    api_key: int,
    version: int,
) -> ServedVersion:
    """Return the API of a request in a session that expires. Raises CloseConnection if it has expired.

    A client whose session has expired may still authenticate again.
    """
    if steady_ms() >= expires_ms and api_key != SASL_HANDSHAKE:
        raise CloseConnection("the session has expired", BadInput.SESSION)
    return served.get(api_key << 16 | version) or resolve(api_key, version)


def _resolve_allowed(
    state: ConnectionState,
    served: dict[int, ServedVersion],
    resolve: Callable[[int, int], ServedVersion],
    api_key: int,
    version: int,
) -> ServedVersion:
    """Return the API of a request in a state that serves few APIs. Raises CloseConnection for the others."""
    apis = RULES[state][0]
    if apis is not None and api_key not in apis:
        if state is ConnectionState.AUTHENTICATING:
            return _refusing(resolve(api_key, version))
        name = API_NAMES.get(api_key, f"API key {api_key}")
        raise CloseConnection(f"{name} is not served to a connection that is {state.value}", BadInput.API_KEY)
    return served.get(api_key << 16 | version) or resolve(api_key, version)


def _refusing(served: ServedVersion) -> ServedVersion:
    """Return what responds with ILLEGAL_SASL_STATE to requests of this API, and closes the connection."""
    from tidemark.security.outcomes import refuse_request  # only clients in error need it

    route = served.route
    return ServedVersion(
        route.refusing(refuse_request(route.name, route.error_response)),
        served.version,
        served.decode,
        served.encode,
        flexible_request=served.flexible_request,
        flexible_response=served.flexible_response,
        skip_tags=served.skip_tags,
    )
