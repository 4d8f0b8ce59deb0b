"""The coordinator: `Runtime` calls deciders and `settle`, applies their decisions, and responds.

A request that may be long is served in steps, between which other clients are served.

`core/apply.py` has the order in which a decision is written, replayed and followed up. `DurableMachine`
encodes all records first, so that nothing has happened if that fails, and adds them to group commit. Each
response is held until everything that was decided before it is durable.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar, cast

from msgspec import Struct

from tidemark.clock import Clock, Timer
from tidemark.core.apply import (
    LogUnavailable,
    Machine,
    RecordsTooLarge,
    Unwritten,
    apply,
    refuse,
    settle_due,
    settle_marked,
)
from tidemark.core.context import Caller, Context, Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import (
    ITEM_BYTES_MIN,
    NO_RESPONSE,
    CloseConnection,
    Decision,
    Effect,
    Marker,
    Record,
    Released,
    Removal,
)
from tidemark.engine.group_commit import Encoded, GroupCommit, InternalLog
from tidemark.engine.request import ITEMS_MIN, Frame, LongResponses, PendingRequest, Work, size_of
from tidemark.log.errors import OutOfDescriptors
from tidemark.metrics.catalogue import BadInput
from tidemark.metrics.rates import Meter
from tidemark.metrics.registry import Metrics
from tidemark.turns import Pace, Turns
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.wire import WireError

R = TypeVar("R")


class Grown(Struct):
    """A step of a long decision: its response has, or is about to have, so many items."""

    items: int


# Yields a number that says nothing, `Grown`, work for the worker, whose result it is sent, or a future.
LongWork = Generator[int | Grown | Work | asyncio.Future[Any], Any, R]

# Connections that send responses in one turn of the loop: 20 us each. A group of 5,000 members has so many.
SENT_PER_TURN: Final = 500
TICK_KEYS_MAX: Final = 128  # due keys per loop turn, if its time is not over before: 5 ms for small groups


class DurableMachine(Machine):
    """A machine whose records go to internal logs, and whose responses leave once these are durable.

    encode(key, value)   returns a record as stored. Raises WireError for a name that is too long: each byte
                         that is not UTF-8 becomes three
    open_log(partition)  returns the internal log of a partition. Called once for each
    """

    __slots__ = ("_encode", "_group_commit", "_logs", "_open_log")

    def __init__(
        self,
        state: Any,
        runtime: Runtime,
        encode: Callable[[Any, Any], Encoded],
        open_log: Callable[[int], InternalLog],
        changed: Callable[[tuple[Record, ...]], None] | None = None,
    ) -> None:
        super().__init__(state, runtime, changed)
        self._group_commit = runtime.group_commit
        self._encode = encode
        self._open_log = open_log
        self._logs: dict[int, InternalLog] = {}

    def write(self, records: tuple[Record, ...], wall_ms: int) -> None:
        partition_of, encode, logs = self.state.partition_of, self._encode, self._logs
        producer = records[0].producer
        try:
            if len(records) == 1 and producer is None:
                record = records[0]
                key, value = encode(record.key, record.value)
                partition = partition_of(record)
                self._group_commit.add(logs.get(partition) or self._log(partition), key, value, wall_ms)
                return
            by_log: dict[InternalLog, list[Encoded]] = {}
            for record in records:
                assert record.producer == producer, "one decision has records of two producers"
                partition = partition_of(record)
                log = logs.get(partition) or self._log(partition)
                by_log.setdefault(log, []).append(encode(record.key, record.value))
            self._group_commit.add_all(by_log, wall_ms, producer)
        except OutOfDescriptors as error:
            raise LogUnavailable from error
        except WireError as error:
            raise RecordsTooLarge from error

    def _log(self, partition: int) -> InternalLog:
        log = self._logs.get(partition)
        if log is None:
            log = self._logs[partition] = self._open_log(partition)
        return log

    def write_markers(self, markers: tuple[Marker, ...], wall_ms: int) -> None:
        try:
            for marker in markers:
                self._group_commit.end_transaction(self._log(marker.partition), marker, wall_ms)
        except OutOfDescriptors as error:
            raise LogUnavailable from error


class Runtime:
    """Serves requests, and settles the keys whose deadlines have passed. Log APIs have it as `ctx.decisions`.

    machines                    by the names of their state classes. The creator of the runtime adds them
    late                        by name, functions that create the machines that not every broker needs
    logs                        the user logs, on which log APIs work
    turns                       the time for long requests in each turn of the loop
    response_bytes_max          of one long response
    carry_out(effect)           does the work that a decision requires elsewhere
    removed(removals)           is called when committed offsets were removed
    unexpected(pending, error)  is called when a request failed with an exception that is no response
    """

    def __init__(
        self,
        clock: Clock,
        group_commit: GroupCommit,
        logs: Any,
        metrics: Metrics,
        turns: Turns,
        *,
        late: dict[str, Callable[[], DurableMachine]],
        shares: Callable[[], Any],
        response_bytes_max: int,
        carry_out: Callable[[Effect], None],
        removed: Callable[[tuple[Removal, ...]], None],
        unexpected: Callable[[PendingRequest, BaseException], None],
    ) -> None:
        self._clock = clock
        self.group_commit = group_commit
        self.machines: dict[str, DurableMachine] = {}
        self._late = late
        self.shares = shares
        self._logs = logs
        self._metrics = metrics
        self._turns = turns
        self._response_bytes_max = response_bytes_max
        self.carry_out = carry_out
        self.removed = removed
        self._unexpected = unexpected
        self.long_responses = LongResponses()
        self.half_done: set[PendingRequest] = set()  # their first part is written, their last one is not
        self._finishing: list[asyncio.Future[None]] = []  # done when half_done is empty
        self._waiting: deque[tuple[int, PendingRequest, Frame]] = deque()
        self._touched: dict[Any, None] = {}  # in the order of their responses: hashes are random
        self._resume_scheduled = False
        self._current: PendingRequest | None = None
        self._timer: Timer | None = None
        self._timer_at_ms: int | None = None
        self.settles_later = False  # a deadline has passed, but work that waits for a turn comes first
        self.held = False  # while this is true, no timer is armed
        self.context = Context(wall_ms=0, steady_ms=0, version=0)  # of every request; `new_server` fills it

    # machines

    def machine(self, name: str) -> DurableMachine:
        """Return the machine with this state, created now if this is its first use."""
        machine = self.machines.get(name)
        if machine is None:
            machine = self.machines[name] = self._late[name]()
        return machine

    def state(self, name: str) -> Any:
        """Return a state machine's state, created now if this is its first use. Only `replay` changes it."""
        return self.machine(name).state

    # requests

    def enter(self, caller: Caller) -> None:
        """Serve this caller until the next call."""
        ctx = self.context
        ctx.wall_ms = self._clock.wall_ms()
        ctx.steady_ms = self._clock.steady_ms()
        ctx.caller = caller
        ctx.allowed = caller.authorizer

    def submit(self, pending: PendingRequest) -> None:
        """Decide one request. Raises CloseConnection if Kafka responds by closing the connection.

        If the disk fails, the broker stops: it must not report data that does not exist.
        """
        ctx, served = self.context, pending.served
        ctx.version = served.version
        ctx.client_id = pending.client_id
        ctx.pending = pending
        route = served.route
        self._current = pending
        try:
            if route.kind == "log_api":
                self._log_api(pending, route, ctx)
                return
            if pending.is_long or route.in_steps:
                self._work(pending, self._in_steps(pending, ctx))
                return
            machine = self.machines[route.state]
            try:
                decided = route.decide(machine.state, ctx, pending.body)
            except KafkaError as refused:
                self._respond(pending, route.error_response(pending.body, refused.code))
                return
            if route.kind == "query":
                self._respond(pending, decided)
                return
            if type(decided) is not Decision:  # a generator: this request is long
                self._work(pending, self._in_steps(pending, ctx, decided))
                return
            accepted = self._accepted(pending, ctx, machine, decided)
            if accepted.response is not None:  # None: the request is parked
                self._respond(pending, accepted.response, accepted.bodies)
        except OSError as error:
            self._unexpected(pending, error)
        finally:
            self._current = None
            if not pending.answered:  # it keeps this context until it has its response
                self.context = ctx = ctx.copy()
            ctx.pending = None  # the next request may come much later

    def respond(self, pending: PendingRequest, response: Any) -> None:
        """Respond to a request that is not decided."""
        self._work(pending, self._fill_in_steps(pending, response))

    def _accepted(
        self, pending: PendingRequest, ctx: Context, machine: DurableMachine, decided: Decision[Any]
    ) -> Decision[Any]:
        """Apply a handler's decision and everything that follows from it at once. One response covers both.

        Returns decided, or the response to a request whose records cannot be written.
        """
        served = pending.served
        if served.meter_rule is not None:
            if decided.records:  # counted even if they cannot be written
                name, each_record = served.meter_rule
                meter: Meter = getattr(self._metrics, name)
                meter.count += len(decided.records) if each_record else 1
            elif served.route.name == "OffsetCommit":
                self._count_refused_commit(decided.response)
        try:
            apply(machine, decided, ctx.wall_ms)
        except Unwritten as error:
            decided = Decision(served.route.unwritten_response(ctx, pending.body, error.code))
            refuse(machine, getattr(pending.body, "group_id", ""), error.code, ctx.now)
        if machine.state.marked:
            settle_marked(machine, ctx.now)
        return decided

    # requests in steps

    def _in_steps(self, pending: PendingRequest, ctx: Context, decided: Any = None) -> LongWork[None]:
        """Decide a request that may be long, and encode its response. The state is consistent in between.

        decided: the generator that a handler has returned, if it was called already
        """
        route = pending.served.route
        machine = self.machines[route.state]
        bodies: dict[int, bytes] | None = None
        try:
            if decided is None:
                decided = (route.decide_large or route.decide)(machine.state, ctx, pending.body)
            if hasattr(decided, "send"):  # a generator; a compiled one has a type of its own
                decided = yield from self._decided(pending, ctx, machine, decided)
            if route.kind == "query":
                response = decided
            else:
                accepted = self._accepted(pending, ctx, machine, decided)
                response, bodies = accepted.response, accepted.bodies
        except KafkaError as refused:
            response = yield from route.error_in_steps(pending, refused.code)
        yield from self._respond_in_steps(pending, response, bodies)

    def _respond_in_steps(
        self, pending: PendingRequest, response: Any, bodies: dict[int, bytes] | None = None
    ) -> LongWork[None]:
        """Encode a response and send it once it is durable. None: the request is parked."""
        if response is not None and not pending.session.closed:
            served = pending.served
            if response is not NO_RESPONSE and served.has_error_code and response.error_code:
                self._metrics.request_errors[served.route.name, int(response.error_code)] += 1
            frame = yield from self._frame_in_steps(pending, response, bodies)
            self._respond(pending, response, frame=frame)
            if self._waiting and self._waiting[-1][1] is pending:
                self.long_responses.keep(pending, sum(map(len, frame)) if isinstance(frame, list) else 0)

    def _decided(
        self, pending: PendingRequest, ctx: Context, machine: DurableMachine, steps: Generator[Any, None, Any]
    ) -> LongWork[Any]:
        """Apply the parts of a long decision, and return the last one, or the response of a query.

        steps: `Steps`, which may also yield futures. Their type does not say so, because the core is pure.
        Raises CloseConnection as soon as a response has more items than fit, to limit memory.
        """
        items_max = self._response_bytes_max // ITEM_BYTES_MIN
        items = counted = 0
        while True:
            try:
                step = next(steps)
            except StopIteration as done:
                return done.value
            if isinstance(step, asyncio.Future):
                yield step
                continue
            if isinstance(step, Decision):
                accepted = self._accepted(pending, ctx, machine, step)
                if accepted is not step:  # it cannot be written: the rest must not follow from it
                    return accepted
                self.half_done.add(pending)
                step = 1
            items += step
            grown = ITEMS_MIN < items > counted
            if items > counted:
                counted = items + ITEMS_MIN
            if items > items_max:
                raise CloseConnection(
                    f"{pending.served.route.name} v{pending.api_version}: "
                    f"the response has more than {items_max} items",
                    BadInput.RESPONSE_SIZE,
                )
            yield Grown(items) if grown else step

    def _frame_in_steps(
        self, pending: PendingRequest, response: Any, bodies: dict[int, bytes] | None = None
    ) -> LongWork[Frame]:
        if response is NO_RESPONSE:
            return b""
        served, bytes_max = pending.served, self._response_bytes_max
        try:
            return (yield from served.long_frame(pending.correlation_id, response, bytes_max, bodies))
        except WireError:
            return (yield from self._frame_of_error_in_steps(pending))

    def _frame_of_error_in_steps(self, pending: PendingRequest) -> LongWork[Frame]:
        """Return the same as `_frame_of_error`."""
        served, bytes_max = pending.served, self._response_bytes_max
        try:
            unknown = yield from served.route.error_in_steps(pending, ErrorCode.UNKNOWN_SERVER_ERROR)
            return (yield from served.long_frame(pending.correlation_id, unknown, bytes_max))
        except WireError as error:
            _abort(pending, error)
            return b""

    def _work(
        self, pending: PendingRequest, steps: LongWork[None], done: asyncio.Future[Any] | None = None
    ) -> None:
        """Run steps until they end or this turn of the loop is over. The rest runs in a later turn.

        The work that they yield is done in a worker: `done` is its result. A future that they yield is
        awaited. A request whose client has disconnected is dropped, unless it is half done.
        """
        turns, session = self._turns, pending.session

        def go_on() -> None:
            turns.later(partial(self._work, pending, steps))

        try:
            while not session.closed or pending in self.half_done:
                if done is None:
                    step = next(steps)
                elif (error := done.exception()) is not None:
                    self._unexpected(pending, error)
                    break
                else:
                    step, done = steps.send(done.result()), None
                if callable(step):
                    self.long_responses.encode(pending, partial(self._encode, pending, steps, step))
                    return
                if isinstance(step, asyncio.Future):
                    turns.when_done(step, partial(self._work, pending, steps))
                    return
                if isinstance(step, Grown):
                    waits = None if pending in self.half_done else go_on  # a stop waits for what is half done
                    if not self.long_responses.grow(pending, step.items, waits):
                        return
                if turns.spend():
                    go_on()
                    return
            steps.close()
        except StopIteration:
            pass
        except CloseConnection as reason:
            session.refuse(reason)
        except Exception as error:  # noqa: BLE001 a bug ends one connection, not the broker
            self._unexpected(pending, error)
        self.half_done.discard(pending)
        if self._finishing:
            self._wake_finishing()
        self.long_responses.end(pending)

    def _encode(self, pending: PendingRequest, steps: LongWork[None], work: Work) -> None:
        """Do the work that steps have yielded. Skip it if the client has disconnected."""
        if pending.session.closed and pending not in self.half_done:
            self._turns.later(lambda: self._work(pending, steps))
        else:
            self._turns.in_worker(work, lambda future: self._work(pending, steps, future))

    def _log_api(self, pending: PendingRequest, route: Any, ctx: Context) -> None:
        try:
            done, left = start(route.decide(self._logs, ctx, pending.body))
        except KafkaError as refused:
            self._work(pending, self._refuse_in_steps(pending, refused.code))
            return
        if left is None:
            if pending.is_long:
                self._work(pending, self._fill_in_steps(pending, done))
            else:
                try:
                    frame = b"" if done is NO_RESPONSE else pending.served.frame(pending.correlation_id, done)
                except WireError:
                    frame = _frame_of_error(pending)
                self._fill(pending, frame)
            return
        task = asyncio.ensure_future(left)
        pending.session.waiting_task = task
        task.add_done_callback(partial(self._log_api_done, pending))

    def _log_api_done(self, pending: PendingRequest, task: asyncio.Future[Any]) -> None:
        pending.session.waiting_task = None
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, KafkaError):
            self._work(pending, self._refuse_in_steps(pending, error.code))
        elif error is not None:
            self._unexpected(pending, error)
        else:
            self._work(pending, self._fill_in_steps(pending, task.result()))

    def _fill_in_steps(self, pending: PendingRequest, response: Any) -> LongWork[None]:
        """Encode the response of a log API in steps: it may be long."""
        self._fill(pending, (yield from self._frame_in_steps(pending, response)))

    def _refuse_in_steps(self, pending: PendingRequest, code: int) -> LongWork[None]:
        response = yield from pending.served.route.error_in_steps(pending, code)
        yield from self._fill_in_steps(pending, response)

    def _fill(self, pending: PendingRequest, frame: Frame) -> None:
        """Send a response, in a later turn of the loop unless its connection is the one that is served."""
        pending.answered = True
        session = pending.session
        if not session.closed:
            session.fill(pending, frame)
            if pending is not self._current:
                self._touched[session] = None
                self._resume_later()

    def _count_refused_commit(self, response: Any) -> None:
        topics = response.topics
        if topics and topics[0].partitions:
            self._metrics.refused_commits[int(topics[0].partitions[0].error_code)] += 1

    def _respond(
        self,
        pending: PendingRequest,
        response: Any,
        bodies: dict[int, bytes] | None = None,
        frame: Frame | None = None,
    ) -> None:
        """Send a response once everything that was decided before it is durable.

        frame: the response, if it is encoded and counted already
        """
        session = pending.session
        if response is NO_RESPONSE:
            frame = b""
        elif frame is None:
            served = pending.served
            if served.has_error_code and response.error_code:
                self._metrics.request_errors[served.route.name, int(response.error_code)] += 1
            if session.closed:
                return
            try:
                frame = served.frame(pending.correlation_id, response, bodies)
            except WireError:
                frame = _frame_of_error(pending)
        group_commit = self.group_commit
        if group_commit.durable >= group_commit.appended:
            self._fill(pending, frame)
        else:
            pending.answered = True
            self._waiting.append((group_commit.appended, pending, frame))
            pending.body = None  # a slow disk would keep hundreds of requests of each connection in memory
            session.unsent += len(frame) if type(frame) is bytes else size_of(frame)

    def release_parked(self, released: Released) -> None:
        pending = cast(PendingRequest, released.pending)
        if not pending.answered:
            self._respond(pending, released.response)

    # responses

    def release(self) -> None:
        """Send the responses that are durable now."""
        waiting = self._waiting
        durable = self.group_commit.durable
        kept = self.long_responses.kept
        while waiting and waiting[0][0] <= durable:
            _, pending, frame = waiting.popleft()
            if kept:
                self.long_responses.sent(pending)
            session = pending.session
            if not session.closed:
                session.fill(pending, frame, was_held=True)
                self._touched[session] = None
        if self._touched:
            self._resume()

    def _resume_later(self) -> None:
        if not self._resume_scheduled:
            self._resume_scheduled = True
            asyncio.get_running_loop().call_soon(partial(self._resume, is_scheduled=True))

    def _resume(self, sessions_max: int = SENT_PER_TURN, *, is_scheduled: bool = False) -> None:
        """Let some connections send their responses, and the others in the next turn of the loop."""
        if is_scheduled:
            self._resume_scheduled = False
        for session in list(islice(self._touched, sessions_max)):
            if session in self._touched:  # else a response that was sent has led to this
                del self._touched[session]
                session.ready()
        if self._touched:
            self._resume_later()

    def send_all(self) -> None:
        """Send all responses that are durable, before the connections are closed."""
        self._resume(len(self._touched))

    # changes without a request

    def accept(self, name: str, result: Decision[Any]) -> None:
        """Apply a decision that was made outside of a request."""
        machine = self.machine(name)
        now = self.now()
        apply(machine, result, now.wall_ms)
        if machine.state.marked:
            settle_marked(machine, now)

    def apply(self, name: str, result: Decision[R]) -> R:
        """Apply a decision of an asynchronous handler and return its response, for after `durable`.

        Raises KafkaError if the records cannot be written.
        """
        try:
            self.accept(name, result)
        except Unwritten as error:
            raise KafkaError(error.code) from None
        response: R = result.response  # type: ignore[assignment]  # such a decision is not parked
        return response

    async def durable(self) -> None:
        """Return once everything that was decided so far is durable."""
        await self.group_commit.wait_until_durable()
        await self._turns.pause()  # many requests may have waited for this sync

    def verified(self, failed: int, ms: int) -> None:
        """Count a response of the transaction coordinator about partitions, of which it refused some."""
        self._metrics.verification_failures += failed
        self._metrics.verification_duration.observe(ms / 1000)

    def now(self) -> Now:
        return Now(self._clock.wall_ms(), self._clock.steady_ms())

    def run_deadlines(self) -> None:
        """Arm the timer for the next deadline. Call this at a start; decisions keep it armed."""
        for machine in self.machines.values():
            self.arm(machine.state.deadlines)

    def arm(self, deadlines: Deadlines) -> None:
        deadlines.is_earlier = False
        at_ms = deadlines.next()
        if at_ms is None or (self._timer_at_ms is not None and self._timer_at_ms <= at_ms):
            return
        if self.held:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at_ms = at_ms
        self._timer = self._clock.call_at(at_ms, self._tick)

    def _tick(self) -> None:
        """Settle everything that is due now, after two other things.

        The requests that have arrived are read first, and waiting connections and long work get a turn.
        """
        settle = partial(self._settle_due, self._clock.steady_ms())
        self._timer = self._clock.after_reading(partial(self._settle_in_turn, settle))

    def _settle_in_turn(self, settle: Callable[[], None]) -> None:
        self.settles_later = True
        self._turns.after_waiting(settle)

    def _settle_due(self, due_ms: int) -> None:
        """Settle as many keys as fit into this turn of the loop. The rest is due again in the next one."""
        self.settles_later = False
        self._timer = None
        self._timer_at_ms = None
        now, pace = self.now(), Pace(self._clock)
        for machine in self.machines.values():
            if machine.state.deadlines.heap:
                settle_due(machine, now, due_ms, TICK_KEYS_MAX, pace.spend)
                self.arm(machine.state.deadlines)

    async def finish(self) -> None:
        """Finish the requests that are half done: some thousand records at most for each connection."""
        while self.half_done:
            finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._finishing.append(finished)
            await finished

    def _wake_finishing(self) -> None:
        if not self.half_done:
            finishing, self._finishing = self._finishing, []
            for each in finishing:
                if not each.done():  # else its client has disconnected
                    each.set_result(None)

    def close(self) -> None:
        self._turns.clear()
        self.long_responses.clear()
        self.settles_later = False
        self.half_done.clear()  # nothing will finish it
        self._wake_finishing()
        if self._timer is not None:
            self._timer.cancel()


def _frame_of_error(pending: PendingRequest) -> Frame:
    """Return the frame for a response that cannot be encoded.

    Kafka 4.3.1 responds with UNKNOWN_SERVER_ERROR if its response quotes the client's text and the quote is
    too long for a string. If the names do not fit either (a byte that is not UTF-8 becomes three), Kafka
    never responds; we close the connection.
    """
    served = pending.served
    try:
        unknown = served.route.error_response(pending.body, ErrorCode.UNKNOWN_SERVER_ERROR)
        return served.frame(pending.correlation_id, unknown)
    except WireError as error:
        _abort(pending, error)
        return b""


def _abort(pending: PendingRequest, error: WireError) -> None:
    served = pending.served
    reason = f"{served.route.name} v{served.version}: no response can quote this: {error}"
    pending.session.abort(CloseConnection(reason, BadInput.BODY))


class _Rest:
    """The rest of a coroutine whose first step has run. Its own first step returns what that one awaits.

    A task accepts any object with these methods. A cancellation before its first step arrives in the
    coroutine, too.
    """

    __slots__ = ("_coroutine", "_first", "_is_resumed")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], first: Any) -> None:
        self._coroutine = coroutine
        self._first = first
        self._is_resumed = False

    def send(self, value: Any) -> Any:
        if self._is_resumed:
            return self._coroutine.send(value)
        self._is_resumed = True
        return self._first

    def throw(self, error: BaseException) -> Any:
        self._is_resumed = True
        try:
            return self._coroutine.throw(error)
        finally:
            del error  # a local variable must not refer to its own traceback

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Any:
        return self._coroutine.__await__()


def start(coroutine: Coroutine[Any, Any, Any]) -> tuple[Any, Coroutine[Any, Any, Any] | None]:
    """Run a coroutine up to its first await. Return (its result, None), or (None, the rest of it).

    A log API that does not wait costs no task, and everything before a wait happens in arrival order.
    """
    try:
        first = coroutine.send(None)
    except StopIteration as done:
        return done.value, None
    return None, cast("Coroutine[Any, Any, Any]", _Rest(coroutine, first))


__all__ = [
    "CloseConnection",
    "DurableMachine",
    "Runtime",
    "start",
]
