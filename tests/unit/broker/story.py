"""A state machine without disk and sockets. It decides, writes, replays and settles as the coordinator does.

`GroupStory`, `ClusterStory` and `TransactionStory` are the three machines of a broker.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from inspect import isgenerator
from typing import Any

from tidemark.core.apply import Machine, apply, settle_due, settle_marked
from tidemark.core.context import Authorizer, Caller, Context, Now, everything_is_allowed
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import Decision, Effect, Record, Released, Removal
from tidemark.handlers.error_responses import compile_error_response
from tidemark_protocol import decode, encode
from tidemark_protocol.by_name import message_class
from tidemark_protocol.errors import ErrorCode, KafkaError

START_MS = 1_795_000_000_000
DUE_MAX = 100
SETTLE_PASSES_MAX = 100


class PendingRequest:
    """The place of a response, which is None while the request is parked."""

    def __init__(self, version: int) -> None:
        self.api_version = version
        self.response: Any = None

    @property
    def parked(self) -> bool:
        return self.response is None

    @property
    def error(self) -> ErrorCode:
        assert self.response is not None, "still parked"
        return ErrorCode(self.response.error_code)

    @property
    def member_id(self) -> str:
        member_id: str = self.response.member_id
        return member_id

    @property
    def generation(self) -> int:
        generation: int = self.response.generation_id
        return generation

    def fill(self, response: Any) -> None:
        assert self.response is None, "answered twice"
        self.response = response


class Story(Machine):
    """A machine that is its own runtime. Tests send requests and move time.

    allowed  what the caller's authorizer permits
    log      the records that were written
    parked   the requests without a response
    effects  what decisions required outside of the machine
    """

    def __init__(self, state: Any) -> None:
        super().__init__(state, self)
        self.wall_ms = START_MS
        self.steady_ms = 0
        self.allowed: Authorizer = everything_is_allowed
        self.log: list[Any] = []
        self.parked: list[PendingRequest] = []
        self.effects: list[Effect] = []
        self._ids = 0

    @property
    def now(self) -> Now:
        return Now(self.wall_ms, self.steady_ms)

    def passes(self, ms: int) -> None:
        self.wall_ms += ms
        self.steady_ms += ms

    # Requests.

    def context(self, version: int, *, allowed: Authorizer | None = None, **more: Any) -> Context:
        """Return the context of a request. more: arguments of Context."""
        authorizer = allowed or self.allowed
        given = {"caller": Caller(authorizers=lambda *_: authorizer), "new_id": self.new_id}
        return Context(wall_ms=self.wall_ms, steady_ms=self.steady_ms, version=version, **(given | more))

    def new_id(self) -> str:
        self._ids += 1
        return str(uuid.UUID(int=self._ids, version=4))

    def send(self, decide: Callable[..., Any], request: Any, version: int, **more: Any) -> PendingRequest:
        """Decide a request, and settle what follows. more: arguments of the context."""
        pending = PendingRequest(version)
        ctx = self.context(version, pending=pending, **more)
        try:
            decided = finished(decide(self.state, ctx, request), self.accept)
        except KafkaError as error:
            decided = error_response(request, error.code)
        if not isinstance(decided, Decision):
            pending.fill(decided)
            return pending
        if decided.response is None:
            self.parked.append(pending)
        self.accept(decided)
        if decided.response is not None:
            pending.fill(decided.response)
        self.settle()
        return pending

    def ask(self, decide: Callable[..., Any], request: Any, version: int, **more: Any) -> Any:
        """Return the response, or None if the request is parked."""
        return self.send(decide, request, version, **more).response

    # What the coordinator does.

    def accept(self, result: Decision[Any]) -> None:
        apply(self, result, self.wall_ms)

    def settle(self) -> None:
        """Settle what is marked and what is due now, until nothing more follows."""
        settle_marked(self, self.now)
        for _ in range(SETTLE_PASSES_MAX):
            if not self.state.deadlines.peek_due(self.steady_ms, 1):
                return
            settle_due(self, self.now, self.steady_ms, DUE_MAX, lambda: False)
        raise AssertionError("settle finds no end")

    def write(self, records: tuple[Record, ...], wall_ms: int) -> None:
        self.log += records

    def release_parked(self, released: Released) -> None:
        pending: Any = released.pending
        pending.fill(released.response)
        self.parked.remove(pending)

    def carry_out(self, effect: Effect) -> None:
        self.effects.append(effect)

    def removed(self, removals: tuple[Removal, ...]) -> None: ...

    def arm(self, deadlines: Deadlines) -> None: ...


def finished(decided: Any, accept: Callable[[Decision[Any]], None] | None = None) -> Any:
    """Return the decision of a handler, or the final result of its generator.

    accept is called with the parts of a long decision.
    """
    while isgenerator(decided):
        try:
            step = next(decided)
        except StopIteration as done:
            return done.value
        if isinstance(step, Decision):
            assert accept is not None
            accept(step)
    return decided


def interrupted(
    steps: Any, pause: int, accept: Callable[[Decision[Any]], None], meanwhile: Callable[[], object]
) -> Any:
    """Accept the decision of a generator with its parts, and return it.

    pause: the number of the pause in which `meanwhile` is called, from 0
    """
    number = 0
    while True:
        try:
            step = next(steps)
        except StopIteration as done:
            accept(done.value)
            return done.value
        if isinstance(step, Decision):
            accept(step)
        if number == pause:
            meanwhile()
        number += 1


def as_decoded(message: Any, version: int) -> Any:
    """Return the message as its reader decodes it, without fields that the version does not have."""
    name = type(message).__name__
    return decode(name, version, encode(name, version, message))


def error_response(request: Any, code: int) -> Any:
    """Return the response of the router if a handler raises KafkaError."""
    api = request.NAME.removesuffix("Request")
    return compile_error_response(api, message_class(f"{api}Response"))(request, code)
