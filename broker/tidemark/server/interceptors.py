"""Interceptors: code that sees each request before it is decided, and each response before it is encoded.

A node has one list of interceptors. While the list is empty, requests pay nothing for it: the `submit` of the
`Router` is that of the engine. Otherwise it is that of an `Interception`, which puts an exchange between the
engine and the connection of each request whose API an interceptor may see. Other requests pay one look-up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar, cast

from tidemark.clock import Clock, precise_ns
from tidemark.core.context import Caller, ConnectionControl
from tidemark.core.decision import CloseConnection
from tidemark.engine.request import Frame, PendingRequest, Work, joined, size_of
from tidemark.server.memory import has_more_elements
from tidemark.server.router import Interceptors, Router
from tidemark.server.session import ELEMENTS_AT_ONCE_MAX, ServedVersion, Session
from tidemark.turns import REQUEST_COST, SHORT_BYTES, Turns
from tidemark_protocol.contents import finish


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


class Gate:
    """Holds callbacks back until it opens. Afterwards it holds back nothing."""

    def __init__(self) -> None:
        self.is_open = False
        self._waiting: dict[Callable[[], None], None] = {}  # in the order of their arrival

    def __len__(self) -> int:
        return len(self._waiting)

    def when_open(self, callback: Callable[[], None]) -> None:
        if self.is_open:
            callback()
        else:
            self._waiting[callback] = None

    def forget(self, callback: Callable[[], None]) -> None:
        self._waiting.pop(callback, None)

    def open(self) -> None:
        """Call everything that waits, in order. Idempotent."""
        self.is_open = True
        waiting, self._waiting = self._waiting, {}
        for callback in waiting:
            callback()


@dataclass(slots=True, frozen=True)
class Hold:
    """Continue when the gate opens. Holds back as `Delay` does, which counts from then on."""

    gate: Gate


@dataclass(slots=True, frozen=True)
class Truncate:
    """Send only this many bytes of the response, size and header included, then close the connection."""

    size: int


@dataclass(slots=True, frozen=True)
class Duplicate:
    """Send the bytes of the response twice."""


@dataclass(slots=True, frozen=True)
class Throttle:
    """Send this response, then read no request of the connection for this time, in ms of the host's clock.

    Kafka: ThrottledChannel, which keeps the channel muted. Requests that are decided already are not muted.
    """

    response: Any
    ms: int


@dataclass(slots=True, frozen=True)
class Examine:
    """Do this work, which only reads, and continue with the action that `then` returns for its result.

    The work on a long request or response runs in a worker, so that it does not stall other connections.
    is_long: the work is long although the request and the response are not
    """

    work: Work
    then: Callable[[Any], Action | None]
    is_long: bool = False


Action = Replace | Delay | Hold | Drop | Respond | Close | Truncate | Duplicate | Throttle | Examine


@dataclass(slots=True, frozen=True)
class Call:
    """One request, as interceptors see it. `request` is the one that the broker decides.

    size: of the request as it arrived, with its header, in bytes
    memory: what interceptors keep between the methods that they are called with for the same request
    """

    caller: Caller
    api: str
    version: int
    client_id: str
    request: Any
    size: int
    error_response: Callable[[Any, int], Any]
    memory: dict[Any, Any]

    def failed(self, code: int) -> Any:
        """Return a response with this error code for the whole request."""
        return self.error_response(self.request, code)


class Interceptor:
    """Base class. Each method returns an action, or None to continue.

    A method that raises closes the connection, and the error is logged.

    apis  the APIs whose requests it may see; None: all. Others pay one look-up for it
    """

    apis: frozenset[str] | None = None

    def decides(self, interception: Interception, pending: PendingRequest) -> bool:
        """Decide a request (`Router.decide`) if it needs none of the methods below.

        Called if there is no other interceptor for its API. Return whether it was decided.
        """
        return False

    def request(self, call: Call) -> Action | None:
        """See a request before it is decided. A large one is decoded first."""
        return None

    def response(self, call: Call, response: Any) -> Action | None:
        """See a response before it is encoded. `Respond` counts as `Replace` here.

        Not called for requests that get no response (Produce with acks=0), nor for `Respond` to a request.
        `Truncate`, `Duplicate` and `Throttle` are valid here only.
        """
        return None

    def unanswered(self, call: Call) -> int:
        """See a request that was decided and gets no response: Produce with acks=0.

        Return the time in ms for which no request of the connection is read.
        """
        return 0


class Interception:
    """Lets the interceptors of a node see the requests of its router, and the responses."""

    __slots__ = ("clock", "interceptors", "logger", "router", "turns")

    def __init__(
        self, router: Router, interceptors: Interceptors, clock: Clock, turns: Turns, logger: Any
    ) -> None:
        self.router = router
        self.interceptors = interceptors
        self.clock = clock
        self.turns = turns
        self.logger = logger

    def submit(self, pending: PendingRequest) -> None:
        """Call the interceptors of its API, then decide the request."""
        api = pending.served.route.name
        found = self.interceptors.of_apis.get(api)
        if found is None:
            found = self.interceptors.of(api)
        if not found:
            self.router.decide(pending)
        elif len(found) > 1 or not found[0].decides(self, pending):
            _Exchange(self, cast(Session, pending.session), pending).begin(pending)

    def adopt(self, session: Session) -> None:
        """Let interceptors see the responses to requests that arrived before them."""
        for pending in session.in_flight:
            if pending.decoding is not None:  # they see the request when a worker has decoded it
                continue
            if not (pending.answered or isinstance(pending.session, _Exchange)) and self.interceptors.of(
                pending.served.route.name
            ):
                self.follow(session, pending, {})

    def follow(self, session: Session, pending: PendingRequest, memory: dict[Any, Any]) -> None:
        """Let interceptors see the response to a request that is decided or waits. memory: of its call."""
        _Exchange(self, session, pending).followed(pending, memory)


R = TypeVar("R")
Examination = Generator[Work, Any, R]  # yields work, and is sent its result

_NOTHING: Final = object()
# In the memory of a call:
BUSY_NS: Final = "busy_ns"  # for how long the event loop decided the request
FAULTS: Final = "faults"  # where faults note their ids, for the journal of requests
BODY_BYTES: Final = "body_bytes"  # of a Fetch response with all partitions, without its header


@dataclass(slots=True)
class _Plan:
    """The combined actions of all interceptors on one request or response.

    end: the action that ends it here, in place of a decision or of a response
    """

    message: Any
    delay_ms: int = 0
    gates: tuple[Gate, ...] = ()
    end: Drop | Respond | Close | None = None
    truncate: Truncate | None = None
    duplicates: bool = False
    muted_ms: int = 0

    @property
    def waits(self) -> bool:
        return bool(self.delay_ms or self.gates)


class _Exchange:
    """One request and its response. The coordinator sees it in place of the request's API and session.

    The pending response refers to it, so it does not refer back, except while it waits: only the garbage
    collector could free the cycle.
    """

    __slots__ = (
        "_client_id",
        "_interception",
        "_is_long",
        "_memory",
        "_plan",
        "_request",
        "_response_seen",
        "_served",
        "_session",
        "_size",
        "_stop_waiting",
        "has_error_code",
        "meter_rule",
        "route",
        "unsent",
        "version",
    )

    def __init__(self, interception: Interception, session: Session, pending: PendingRequest) -> None:
        served = cast(ServedVersion, pending.served)
        self._interception = interception
        self._session = session
        self._served = served
        self._client_id = pending.client_id
        self._size = pending.size
        self._is_long = pending.is_long
        self._request: Any = None  # as the broker decides it
        self._stop_waiting: Callable[[], None] | None = None  # for a gate or the end of a delay
        self._memory: dict[Any, Any] = {}
        if pending.entry is not None:
            pending.entry.faults = self._memory[FAULTS] = []
        self._response_seen = False
        self._plan: _Plan | None = None  # of the response
        self.unsent = 0  # not read: the session counts the response once it cannot change any more
        self.route = served.route
        self.version = served.version
        self.meter_rule = served.meter_rule
        self.has_error_code = served.has_error_code
        pending.session = self
        pending.served = self

    def followed(self, pending: PendingRequest, memory: dict[Any, Any]) -> None:
        """Called for a request that is decided or waits already."""
        self._request = pending.body
        self._memory |= memory

    # the request

    def begin(self, pending: PendingRequest) -> None:
        """Called while the connection is served, which then sends the responses that are ready."""
        self._request = pending.body
        asking = self._ask(pending.body, lambda interceptor, call, _: interceptor.request(call))
        try:
            work = next(asking)
        except StopIteration as asked:
            plan: _Plan = asked.value
        else:
            self._session.parked = pending
            self._interception.turns.in_worker(work, partial(self._examined, pending, asking))
            return
        if plan.waits:
            self._session.parked = pending
            self._wait(plan, partial(self._decide_late, pending, plan))
        else:
            self._decide(pending, plan)

    def _examined(
        self, pending: PendingRequest, asking: Examination[_Plan], done: asyncio.Future[Any]
    ) -> None:
        """Continue with what interceptors have examined in a worker, and decide the request at the end."""
        if self._is_over:
            return
        try:
            if (error := done.exception()) is None:
                work = asking.send(done.result())
            else:
                work = asking.throw(error)
        except StopIteration as asked:
            plan: _Plan = asked.value
            self._wait(plan, partial(self._decide_late, pending, plan))
        else:
            self._interception.turns.in_worker(work, partial(self._examined, pending, asking))
        finally:
            del error  # a local variable must not refer to its own traceback

    def _decide(self, pending: PendingRequest, plan: _Plan) -> None:
        end = plan.end
        if end is None:
            pending.body = self._request = plan.message
            began_ns = precise_ns()
            self._interception.router.decide(pending)
            if not pending.answered and not self._session.closed:
                self._session.parked = pending
            self._memory[BUSY_NS] = precise_ns() - began_ns
            if self._plan is not None and self._plan.muted_ms and pending.frame is None:
                self._session.parked = pending
        elif isinstance(end, Close):
            self._session.closed_by_fault(pending)
            self._session.refuse(None)
        elif isinstance(end, Respond):
            pending.served, pending.session = (
                self._served,
                self._session,
            )  # interceptors see nothing more of it
            self._interception.router.respond(pending, end.response)
            if not pending.answered and not self._session.closed:
                self._session.parked = pending
        else:
            pending.answered = True
            _note(pending, "dropped")
            self._session.fill(pending, b"")

    def _decide_late(self, pending: PendingRequest, plan: _Plan) -> None:
        session = self._session
        if self._is_over:
            return
        self._interception.router.enter(session.caller)
        try:
            self._decide(pending, plan)
        except CloseConnection as reason:
            session.refuse(reason)
        except Exception as error:  # noqa: BLE001 a bug ends one connection, not the broker
            self._failed(error)
        session.ready()

    @property
    def _is_over(self) -> bool:
        """Return whether the connection decides no further request."""
        return self._session.closed or self._session.draining

    # the response: methods of the API that the coordinator calls

    def frame(self, correlation_id: int, response: Any, bodies: dict[int, bytes] | None = None) -> Frame:
        served = self._served
        frame: Frame | None = None
        if served.carries_records:
            frame = served.frame(correlation_id, response)
            self._measure(frame)
        changed = finish(self._responded(response))
        if changed is _NOTHING:
            return b""
        if frame is not None and changed is response:
            return frame
        return served.frame(correlation_id, changed, bodies if changed is response else None)

    def long_frame(
        self, correlation_id: int, response: Any, bytes_max: int, bodies: dict[int, bytes] | None = None
    ) -> Examination[Frame]:
        served = self._served
        frame: Frame | None = None
        if served.carries_records:
            frame = yield from served.long_frame(correlation_id, response, bytes_max)
            self._measure(frame)
        changed = yield from self._responded(response)
        if changed is _NOTHING:
            return b""
        if frame is None or changed is not response:
            kept = bodies if changed is response else None
            frame = yield from served.long_frame(correlation_id, changed, bytes_max, kept)
        return frame

    def _measure(self, frame: Frame) -> None:
        """Note the size of a Fetch response before interceptors see it, because quotas limit that size."""
        self._memory[BODY_BYTES] = size_of(frame) - self._served.head_bytes

    def _responded(self, response: Any) -> Examination[Any]:
        """Return the response to encode, or _NOTHING."""
        if self._response_seen:  # the coordinator encodes an error if the response cannot be encoded
            if self._plan is not None:
                self._plan.message = response
            return response
        self._response_seen = True
        plan = yield from self._ask(
            response, lambda interceptor, call, message: interceptor.response(call, message)
        )
        self._plan = plan
        if isinstance(plan.end, Respond):
            plan.message, plan.end = plan.end.response, None
        return plan.message if plan.end is None else _NOTHING

    # the response: methods of the session that the coordinator calls

    @property
    def closed(self) -> bool:
        return self._session.closed

    @property
    def abort(self) -> Callable[[CloseConnection | None], None]:
        return self._session.abort

    @property
    def refuse(self) -> Callable[[CloseConnection | None], None]:
        return self._session.refuse

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

    def fill(self, pending: PendingRequest, frame: Frame, *, was_held: bool = False) -> None:
        # Forget the plan: the router remembers its last request, and a response may be large.
        plan, self._plan = self._plan, None
        if plan is None:
            muted_ms = self._unanswered()
            self._session.fill(pending, frame)
            if muted_ms:
                self._mute(pending, muted_ms)
        elif plan.waits:
            self._wait(plan, partial(self._fill_late, pending, plan, frame))
        else:
            self._fill(pending, plan, frame)

    def dropped(self) -> None:
        if self._stop_waiting is not None:
            self._stop_waiting()
            self._stop_waiting = None

    def _fill_late(self, pending: PendingRequest, plan: _Plan, frame: Frame) -> None:
        if not self._session.closed:
            self._fill(pending, plan, frame)
            self._session.ready()

    def _fill(self, pending: PendingRequest, plan: _Plan, frame: Frame) -> None:
        session = self._session
        if isinstance(plan.end, Close):
            session.closed_by_fault(pending)
            session.end(pending)
            session.refuse(None)
        elif isinstance(plan.end, Drop):
            _note(pending, "dropped")
            session.fill(pending, b"")
        elif plan.truncate is not None:
            whole = joined(frame)
            _note(pending, "closed", whole)
            session.fill(pending, whole[: plan.truncate.size])
            session.end_after(pending)
            session.refuse(None)
        else:
            if plan.duplicates:
                whole = joined(frame)
                _note(pending, "responded", whole)
                frame = whole * 2
            session.fill(pending, frame)
            if plan.muted_ms:
                self._mute(pending, plan.muted_ms)

    def _mute(self, pending: PendingRequest, ms: int) -> None:
        """Hold back the requests behind this one, although it has its response."""
        self._session.parked = pending
        self._wait(_Plan(None, ms), partial(self._unmute, pending))

    def _unmute(self, pending: PendingRequest) -> None:
        if self._session.parked is pending:
            self._session.parked = None
            self._session.ready()

    # both

    def _ask(
        self, message: Any, ask: Callable[[Interceptor, Call, Any], Action | None]
    ) -> Examination[_Plan]:
        """Call each interceptor in turn. Stop at the action that ends the request or response here.

        Yields the work that belongs into a worker, and is sent its result.
        """
        plan = _Plan(message)
        is_request = not self._response_seen
        try:
            for interceptor in self._interception.interceptors.of(self.route.name):
                call = self._call(plan.message if is_request else self._request)
                action = ask(interceptor, call, plan.message)
                while isinstance(action, Examine):
                    is_long = (
                        action.is_long or self._is_long or has_more_elements(message, ELEMENTS_AT_ONCE_MAX)
                    )
                    action = action.then((yield action.work) if is_long else action.work())
                match action:
                    case Replace(message=changed):
                        plan.message = changed
                    case Delay(ms=ms):
                        plan.delay_ms += ms
                    case Hold(gate=gate):
                        plan.gates += (gate,)
                    case Truncate() as truncate:
                        plan.truncate = truncate
                    case Duplicate():
                        plan.duplicates = True
                    case Throttle(response=changed, ms=ms):
                        plan.message = changed
                        plan.muted_ms = max(plan.muted_ms, ms)
                    case None:
                        pass
                    case Drop() | Respond() | Close() as end:
                        plan.end = end
                        return plan
        except Exception as error:  # noqa: BLE001 a bug of an interceptor ends one connection, not the broker
            self._failed(error)
            return _Plan(message, end=Close())
        return plan

    def _unanswered(self) -> int:
        """Report to every interceptor. Return how long to mute. A bug of one ends the connection."""
        muted_ms = 0
        try:
            call = self._call(self._request)
            for interceptor in self._interception.interceptors.of(self.route.name):
                muted_ms = max(muted_ms, interceptor.unanswered(call))
        except Exception as error:  # noqa: BLE001 a bug of an interceptor ends one connection, not the broker
            self._failed(error)
        return muted_ms

    def _call(self, request: Any) -> Call:
        route = self.route
        return Call(
            self._session.caller,
            route.name,
            self.version,
            self._client_id,
            request,
            self._size,
            route.error_response,
            self._memory,
        )

    def _failed(self, error: Exception) -> None:
        self._interception.logger.error("a request failed", api=self.route.name, exc_info=error)
        self._session.abort(None)

    def _wait(self, plan: _Plan, job: Callable[[], None]) -> None:
        """Call the job when all gates are open and the delay is over, unless the client is gone by then.

        Many requests may have waited for that moment: each gets a turn.
        """
        self._stop_waiting = None
        clock, turns = self._interception.clock, self._interception.turns
        if plan.gates:
            first, *others = plan.gates
            go_on = partial(self._wait, _Plan(None, plan.delay_ms, tuple(others)), job)
            self._stop_waiting = partial(first.forget, go_on)
            first.when_open(go_on)
        elif plan.delay_ms:
            go_on = partial(self._wait, _Plan(None), job)
            self._stop_waiting = clock.call_at(clock.steady_ms() + plan.delay_ms, go_on).cancel
        elif self._size <= SHORT_BYTES:
            turns.first(job, REQUEST_COST + self._size)
        else:
            turns.later(job)


def _note(pending: PendingRequest, outcome: str, response: bytes | None = None) -> None:
    """Let the journal record this outcome, and a response that does not leave as it is."""
    if pending.entry is not None:
        pending.entry.outcome = outcome
        pending.entry.response = response
