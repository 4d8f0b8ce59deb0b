"""Runtime: joins core and log. It asks deciders and `settle`, writes down what they decided, replays it, and
answers. A request that may be long is worked on in steps, between which other clients are served.

One path for everything: `_accept` encodes all records first (that may fail, and then nothing has happened),
hands them to the journal, replays records and notes, and holds each reply until all that was decided before
it is durable.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import replace
from functools import partial
from typing import Any, Final, Protocol, cast

from tidemark.clock import Clock, Pace, Timer, turn
from tidemark.coordinator.deadlines import Deadlines
from tidemark.coordinator.result import (
    NO_ANSWER,
    NOTHING,
    CloseConnection,
    Context,
    Effect,
    Marker,
    Note,
    Now,
    Record,
    Removal,
    Reply,
    Result,
    Steps,
)
from tidemark.metrics.catalogue import BadInput, Mark
from tidemark.metrics.rates import Meter
from tidemark.metrics.registry import Metrics
from tidemark.runtime.journal import Encoded, InternalLog, Journal, Refused
from tidemark.runtime.slot import Frame, Slot
from tidemark.turns import Turns
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.wire import WireError

SETTLE_PASSES_MAX: Final = 10_000  # a key that has not come to rest by then is a bug
ITEM_BYTES_MIN: Final = 50  # of a response: a partition, a member, a setting; few have fewer
TICK_KEYS_MAX: Final = 128  # due keys per loop turn, if its time is not over before: 5 ms for small groups

UNWRITTEN: Final = ErrorCode.UNKNOWN_SERVER_ERROR  # Kafka's, where a batch is too large for the log


class State(Protocol):
    """Groups, Cluster."""

    deadlines: Deadlines
    marked: set[str]

    def settle(self, key: str, now: Now) -> Result[None]: ...
    def replay(self, change: Record | Note | Marker) -> None: ...
    def partition_of(self, record: Record) -> int: ...
    def refused(self, key: str, code: ErrorCode, now: Now) -> Result[Any]: ...


class Ledger(Protocol):
    """Where a state's records go: how they are encoded, and the internal log of each partition."""

    def encode(self, record: Record) -> Encoded: ...
    def log(self, partition: int) -> InternalLog: ...


class Machine:
    """A state with its ledger. changed(records) and noted(notes) are called once these are replayed."""

    __slots__ = ("changed", "ledger", "noted", "state")

    def __init__(
        self,
        state: State,
        ledger: Ledger,
        changed: Callable[[tuple[Record, ...]], None] | None = None,
        noted: Callable[[tuple[Note, ...]], None] | None = None,
    ) -> None:
        self.state = state
        self.ledger = ledger
        self.changed = changed
        self.noted = noted


class Runtime:
    """machines by the name of their state class. carry_out does the effects. wake is the flusher's. removed
    is told of committed offsets that are gone.
    """

    def __init__(
        self,
        clock: Clock,
        journal: Journal,
        machines: dict[str, Machine],
        logs: Any,
        metrics: Metrics,
        turns: Turns,
        *,
        response_bytes_max: int,
        wake: Callable[[], None],
        carry_out: Callable[[Effect], None],
        removed: Callable[[tuple[Removal, ...]], None],
        unexpected: Callable[[Slot, BaseException], None],
    ) -> None:
        self._clock = clock
        self._journal = journal
        self._machines = machines
        self._logs = logs
        self._metrics = metrics
        self._turns = turns
        self._response_bytes_max = response_bytes_max
        self._wake = wake
        self._carry_out = carry_out
        self._removed = removed
        self._unexpected = unexpected
        self.half_done: set[Slot] = set()  # their first part is written, their last one is not
        self._waiting: deque[tuple[int, Slot, Frame]] = deque()
        self._touched: dict[Any, None] = {}  # in the order of their answers: hashes are chance
        self._resume_scheduled = False
        self._current: Slot | None = None
        self._timer: Timer | None = None
        self._timer_at_ms: int | None = None
        self.held = False  # nothing happens by itself: no timer is armed

    # requests

    def submit(self, slot: Slot, ctx: Context) -> None:
        """Decide one request. Raises CloseConnection if Kafka answers it by closing the connection.

        A disk that fails meanwhile stops the broker: otherwise it would report what does not exist.
        """
        route = slot.served.route
        self._current = slot
        try:
            if slot.decoding is not None or route.in_steps:
                self._work(slot, self._in_steps(slot, ctx.copy()))
            elif route.kind == "transfer":
                self._transfer(slot, route, ctx.copy())
            else:
                machine = self._machines[route.state]
                try:
                    response, bodies = self._accepted(
                        slot, ctx, machine, route.decide(machine.state, ctx, slot.body)
                    )
                except KafkaError as refused:
                    response, bodies = route.error_response(slot.body, refused.code), None
                if response is not None:
                    self._reply(slot, response, bodies)
        except OSError as error:
            self._unexpected(slot, error)
        finally:
            self._current = None

    def _accepted(
        self, slot: Slot, ctx: Context, machine: Machine, decided: Any
    ) -> tuple[Any, dict[int, bytes] | None]:
        """Accept what a handler decided, and all that follows from it at once: it is acknowledged with it.

        Returns the response (None: parked) and the place of its bytes (`Result.bodies`).
        """
        route = slot.served.route
        if route.kind == "query":
            return decided, None
        self._count(slot.served.mark, decided)
        response, bodies = decided.response, decided.bodies
        try:
            self._accept(machine, decided, ctx.wall_ms)
        except Refused:
            response, bodies = route.unwritten_response(ctx, slot.body, UNWRITTEN), None
            self._refuse(machine, getattr(slot.body, "group_id", ""), ctx.now)
        if machine.state.marked:
            self._settle_marked(machine, ctx.now)
        return response, bodies

    # requests in steps

    def _in_steps(self, slot: Slot, ctx: Context) -> Generator[int, None, None]:
        """Decode, decide and encode a request that may be long. Each step leaves the state whole."""
        route = slot.served.route
        if slot.decoding is not None:
            slot.body = yield from slot.decoding
            ctx.wall_ms = self._clock.wall_ms()
            ctx.steady_ms = self._clock.steady_ms()
        if route.kind == "transfer":
            self._transfer(slot, route, ctx)
            return
        machine = self._machines[route.state]
        try:
            in_steps = route.in_steps or route.decide_large is not None
            decided = (route.decide_large or route.decide)(machine.state, ctx, slot.body)
            if in_steps:
                decided = yield from self._decided(slot, ctx, machine, decided)
            response, _ = self._accepted(slot, ctx, machine, decided)
        except KafkaError as refused:
            response = route.error_response(slot.body, refused.code)
        if response is not None and not slot.session.closed:
            self._count_error(slot, response)
            self._hold(slot, (yield from self._frame_in_steps(slot, response)))

    def _decided(
        self, slot: Slot, ctx: Context, machine: Machine, steps: Steps[Any]
    ) -> Generator[int, None, Any]:
        """Accept the parts of a long decision, and return the last one, or the response of a query.

        Raises CloseConnection if a response gets more items than fit, before they take too much memory.
        """
        items_max = self._response_bytes_max // ITEM_BYTES_MIN
        items = 0
        while True:
            try:
                step = next(steps)
            except StopIteration as done:
                return done.value
            if isinstance(step, Result):
                self._accepted(slot, ctx, machine, step)
                if step.records:
                    self.half_done.add(slot)
                step = 1
            items += step
            if items > items_max:
                raise CloseConnection(
                    f"{slot.served.route.name} v{slot.version}: the response has more than {items_max} items",
                    BadInput.RESPONSE_SIZE,
                )
            yield step

    def _frame_in_steps(self, slot: Slot, response: Any) -> Generator[int, None, Frame]:
        if response is NO_ANSWER:
            return b""
        served = slot.served
        try:
            frame: Frame = yield from served.frame_in_steps(
                slot.correlation_id, response, self._response_bytes_max
            )
        except WireError:
            return _frame_of_error(slot)
        return frame

    def _work(self, slot: Slot, steps: Generator[int, None, None]) -> None:
        """Go on with steps until they end or this turn of the loop is over; then later.

        A request whose client has gone is dropped, unless it is half done.
        """
        turns, session = self._turns, slot.session
        try:
            for _ in steps:
                if session.closed and slot not in self.half_done:
                    break
                if turns.over():
                    turns.later(lambda: self._work(slot, steps))
                    return
            steps.close()
        except CloseConnection as reason:
            session.refuse(reason)
        except Exception as error:  # noqa: BLE001 a bug ends one connection, not the broker
            self._unexpected(slot, error)
        self.half_done.discard(slot)

    def _transfer(self, slot: Slot, route: Any, ctx: Context) -> None:
        try:
            done, left = start(route.decide(self._logs, ctx, slot.body))
        except KafkaError as refused:
            done, left = route.error_response(slot.body, refused.code), None
        if left is None:
            if slot.decoding is not None:
                self._work(slot, self._fill_in_steps(slot, done))
            else:
                self._fill(slot, b"" if done is NO_ANSWER else _frame(slot, done))
            return
        task = asyncio.ensure_future(left)
        slot.session.waiting_task = task
        task.add_done_callback(lambda finished: self._transferred(slot, finished))

    def _transferred(self, slot: Slot, task: asyncio.Future[Any]) -> None:
        slot.session.waiting_task = None
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, KafkaError):
            self._fill(slot, _frame(slot, slot.served.route.error_response(slot.body, error.code)))
        elif error is not None:
            self._unexpected(slot, error)
        else:
            self._work(slot, self._fill_in_steps(slot, task.result()))

    def _fill_in_steps(self, slot: Slot, response: Any) -> Generator[int, None, None]:
        """A transfer that had to wait may have a long response."""
        self._fill(slot, (yield from self._frame_in_steps(slot, response)))

    def _fill(self, slot: Slot, frame: Frame) -> None:
        slot.answered = True
        if not slot.session.closed:
            slot.session.fill(slot, frame)
            self._touch(slot)

    # the one path

    def _accept(self, machine: Machine, result: Result[Any], wall_ms: int) -> None:
        state = machine.state
        if result.records:
            self._write_down(machine, result.records, wall_ms)
        if result.removed:
            self._removed(result.removed)
        if result.notes:
            for note in result.notes:
                state.replay(note)
            if machine.noted is not None:
                machine.noted(result.notes)
            self._arm(state.deadlines)
        for reply in result.released:
            self._release_parked(reply)
        for effect in result.effects:
            self._carry_out(effect)

    def _count(self, mark: Mark | None, result: Result[Any]) -> None:
        """KIP-496's meters: when records are decided, whatever becomes of them. The next flush settles."""
        if mark is not None and result.records:
            name, each_record = mark
            meter: Meter = getattr(self._metrics, name)
            meter.count += len(result.records) if each_record else 1

    def _write_down(self, machine: Machine, records: tuple[Record, ...], wall_ms: int) -> None:
        state, ledger, journal = machine.state, machine.ledger, self._journal
        if len(records) == 1:
            record = records[0]
            key, value = ledger.encode(record)
            journal.add(ledger.log(state.partition_of(record)), key, value, wall_ms)
            state.replay(record)
        else:
            by_log: dict[InternalLog, list[Encoded]] = {}
            for record in records:
                by_log.setdefault(ledger.log(state.partition_of(record)), []).append(ledger.encode(record))
            journal.add_all(by_log, wall_ms)
            for record in records:
                state.replay(record)
        if machine.changed is not None:
            machine.changed(records)
        self._wake()

    def _reply(self, slot: Slot, response: Any, bodies: dict[int, bytes] | None = None) -> None:
        if response is NO_ANSWER:
            self._hold(slot, b"")
            return
        self._count_error(slot, response)
        if not slot.session.closed:
            self._hold(slot, _frame(slot, response, bodies))

    def _count_error(self, slot: Slot, response: Any) -> None:
        if slot.served.has_error_code and response.error_code:
            self._metrics.request_errors[slot.served.route.name, int(response.error_code)] += 1

    def _release_parked(self, reply: Reply) -> None:
        slot = cast(Slot, reply.ticket)
        if not slot.answered:
            self._reply(slot, reply.response)

    def _hold(self, slot: Slot, frame: Frame) -> None:
        """The reply leaves once everything that was decided before it is durable."""
        slot.answered = True
        journal = self._journal
        if journal.durable >= journal.appended:
            slot.session.fill(slot, frame)
            self._touch(slot)
        else:
            self._waiting.append((journal.appended, slot, frame))

    # answers

    def release(self) -> None:
        """The journal's durable count has risen: the replies up to it leave."""
        waiting = self._waiting
        durable = self._journal.durable
        touched: dict[Any, None] = {}
        while waiting and waiting[0][0] <= durable:
            _, slot, frame = waiting.popleft()
            session = slot.session
            if not session.closed:
                session.fill(slot, frame)
                touched[session] = None
        for session in touched:
            session.ready()

    def _touch(self, slot: Slot) -> None:
        """A connection other than the one that is being served has something to send."""
        if slot is self._current:
            return
        self._touched[slot.session] = None
        if not self._resume_scheduled:
            self._resume_scheduled = True
            asyncio.get_running_loop().call_soon(self._resume)

    def _resume(self) -> None:
        self._resume_scheduled = False
        touched, self._touched = self._touched, {}
        for session in touched:
            session.ready()

    # what happens by itself

    def _settle_marked(self, machine: Machine, now: Now) -> None:
        marked = machine.state.marked
        while marked:
            self._settle(machine, marked.pop(), now)

    def _settle(self, machine: Machine, key: str, now: Now) -> None:
        """Asks until nothing more follows."""
        for _ in range(SETTLE_PASSES_MAX):
            if not self._step(machine, key, now):
                return
        raise AssertionError(f"{key} does not come to rest")

    def _step(self, machine: Machine, key: str, now: Now) -> bool:
        """Do the next thing that follows. Return False if nothing does."""
        result = machine.state.settle(key, now)
        if result is NOTHING:
            return False
        try:
            self._accept(machine, result, now.wall_ms)
        except Refused:
            self._refuse(machine, key, now)
        return True

    def _refuse(self, machine: Machine, key: str, now: Now) -> None:
        """What was decided cannot be written: answers all who hung on it."""
        self._accept(machine, machine.state.refused(key, UNWRITTEN, now), now.wall_ms)

    def accept(self, name: str, result: Result[Any]) -> None:
        """Writes down what was decided outside of a request: effects, start-up."""
        machine = self._machines[name]
        now = self.now()
        self._accept(machine, result, now.wall_ms)
        self._settle_marked(machine, now)

    def now(self) -> Now:
        return Now(self._clock.wall_ms(), self._clock.steady_ms())

    def run_deadlines(self) -> None:
        """Arms the timer for what is due next. Called once at start; replayed notes keep it armed."""
        for machine in self._machines.values():
            self._arm(machine.state.deadlines)

    def _arm(self, deadlines: Deadlines) -> None:
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
        """Settle what is due by now, once the requests that have arrived by now were read, and connections
        and long work that wait for a turn had one.
        """
        settle = partial(self._settle_due, self._clock.steady_ms())
        self._timer = self._clock.after_reading(partial(self._turns.after_waiting, settle))

    def _settle_due(self, due_ms: int) -> None:
        self._timer = None
        self._timer_at_ms = None
        for machine in self._machines.values():
            self.tick(machine, self.now(), due_ms)
        self.run_deadlines()

    def tick(self, machine: Machine, now: Now, due_ms: int) -> None:
        """Settle the keys that are due at due_ms: at least one. What the turn has no time for is due again in
        the next one.

        A key takes one step by time, and then whatever follows from it without more time passing. So the
        members that time removes from a large group are removed in several turns.
        """
        deadlines = machine.state.deadlines
        due = replace(now, due_ms=due_ms)
        pace = Pace(self._clock)
        is_over = False
        for key in deadlines.due(due_ms, TICK_KEYS_MAX):
            if is_over:
                deadlines.set(key, due_ms)
                continue
            if self._step(machine, key, due):
                self._settle(machine, key, now)
            is_over = pace.is_over
        self._settle_marked(machine, now)

    async def finish(self) -> None:
        """Finish what is half done: no more than some thousand records for each connection."""
        while self.half_done:
            await turn()

    def close(self) -> None:
        self._turns.clear()
        if self._timer is not None:
            self._timer.cancel()


def _frame(slot: Slot, response: Any, bodies: dict[int, bytes] | None = None) -> Frame:
    try:
        return slot.served.frame(slot.correlation_id, response, bodies)
    except WireError:
        return _frame_of_error(slot)


def _frame_of_error(slot: Slot) -> Frame:
    """The frame of a response that cannot be encoded. Kafka answers UNKNOWN_SERVER_ERROR if a text of its
    response, which quotes the client's own, is longer than a string may be [4.3.1]. If not even the names fit
    any more (a byte that is not UTF-8 becomes three), Kafka never answers; we close the connection.
    """
    served = slot.served
    try:
        unknown = served.route.error_response(slot.body, ErrorCode.UNKNOWN_SERVER_ERROR)
        return served.frame(slot.correlation_id, unknown)
    except WireError as error:
        reason = f"{served.route.name} v{served.version}: no answer can quote this: {error}"
        slot.session.abort(CloseConnection(reason, BadInput.BODY))
        return b""


class _Rest:
    """The rest of a coroutine whose first step has been taken: awaiting it goes on with what that step waits
    for.
    """

    __slots__ = ("_coroutine", "_first")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], first: Any) -> None:
        self._coroutine = coroutine
        self._first = first

    def __await__(self) -> Generator[Any, Any, Any]:
        try:
            try:
                yield  # `start` runs it up to here, so that what ends it before its task's first step arrives
            except BaseException as error:  # noqa: BLE001 it is the coroutine's to take
                waits_for = self._coroutine.throw(error)
            else:
                waits_for = self._first
            while True:
                try:
                    sent = yield waits_for
                except BaseException as error:  # noqa: BLE001 it is the coroutine's to take
                    waits_for = self._coroutine.throw(error)
                else:
                    waits_for = self._coroutine.send(sent)
        except StopIteration as done:
            return done.value


async def _await(rest: Awaitable[Any]) -> Any:
    return await rest


def start(coroutine: Coroutine[Any, Any, Any]) -> tuple[Any, Coroutine[Any, Any, Any] | None]:
    """Runs a coroutine up to its first await: (its result, None), or (None, what is left to run).

    So a transfer that does not have to wait costs no task, and everything before a wait happens in arrival
    order.
    """
    try:
        first = coroutine.send(None)
    except StopIteration as done:
        return done.value, None
    rest = _await(_Rest(coroutine, first))
    rest.send(None)
    return None, rest


__all__ = ["CloseConnection", "Ledger", "Machine", "Runtime", "State", "start"]
