"""Runtime: joins core and log. It asks deciders and `settle`, writes down what they decided, replays it, and
answers.

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

from tidemark.clock import Clock, Pace, Timer
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
)
from tidemark.metrics.catalogue import BadInput, Mark
from tidemark.metrics.rates import Meter
from tidemark.metrics.registry import Metrics
from tidemark.runtime.journal import Encoded, InternalLog, Journal, Refused
from tidemark.runtime.slot import Frame, Slot
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.wire import WireError

SETTLE_PASSES_MAX: Final = 10_000  # a key that has not come to rest by then is a bug
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
    """A state with its ledger. changed() is told of records once they are replayed."""

    __slots__ = ("changed", "ledger", "state")

    def __init__(
        self, state: State, ledger: Ledger, changed: Callable[[tuple[Record, ...]], None] | None = None
    ) -> None:
        self.state = state
        self.ledger = ledger
        self.changed = changed


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
        *,
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
        self._wake = wake
        self._carry_out = carry_out
        self._removed = removed
        self._unexpected = unexpected
        self._waiting: deque[tuple[int, Slot, Frame]] = deque()
        self._touched: dict[Any, None] = {}  # in the order of their answers: hashes are chance
        self._resume_scheduled = False
        self._current: Slot | None = None
        self._timer: Timer | None = None
        self._timer_at_ms: int | None = None
        self.held = False  # nothing happens by itself: no timer is armed

    # requests

    def submit(self, slot: Slot, ctx: Context) -> None:
        """Decides one request. Raises CloseConnection for what is answered by hanging up.

        A disk that fails meanwhile is the broker's end: else it would tell of what is not there.
        """
        route = slot.served.route
        self._current = slot
        try:
            if route.kind == "transfer":
                self._transfer(slot, route, ctx)
                return
            machine = self._machines[route.state]
            try:
                decided = route.decide(machine.state, ctx, slot.body)
                if route.kind == "query":
                    self._reply(slot, decided)
                    return
                self._count(slot.served.mark, decided)
                self._accept(machine, decided, ctx.wall_ms)
            except KafkaError as refused:
                self._reply(slot, route.error_response(slot.body, refused.code))
                return
            except Refused:
                self._reply(slot, route.unwritten_response(ctx, slot.body, UNWRITTEN))
                self._refuse(machine, getattr(slot.body, "group_id", ""), ctx.now)
                self._settle_marked(machine, ctx.now)
                return
            if machine.state.marked:  # before the answer: what follows at once is acknowledged with it
                self._settle_marked(machine, ctx.now)
            if decided.response is not None:
                self._reply(slot, decided.response, decided.bodies)
        except OSError as error:
            self._unexpected(slot, error)
        finally:
            self._current = None

    def _transfer(self, slot: Slot, route: Any, ctx: Context) -> None:
        try:
            done, left = start(route.decide(self._logs, ctx.copy(), slot.body))
        except KafkaError as refused:
            done, left = route.error_response(slot.body, refused.code), None
        if left is None:
            self._fill(slot, done)
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
            self._fill(slot, slot.served.route.error_response(slot.body, error.code))
        elif error is not None:
            self._unexpected(slot, error)
        else:
            self._fill(slot, task.result())

    def _fill(self, slot: Slot, response: Any) -> None:
        slot.answered = True
        if not slot.session.closed:
            slot.session.fill(slot, b"" if response is NO_ANSWER else _frame(slot, response))
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
        if slot.served.has_error_code and response.error_code:
            self._metrics.request_errors[slot.served.route.name, int(response.error_code)] += 1
        if not slot.session.closed:
            self._hold(slot, _frame(slot, response, bodies))

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
        """Settle what is due by now, once the requests that have arrived by now were read."""
        self._timer = self._clock.after_reading(partial(self._settle_due, self._clock.steady_ms()))

    def _settle_due(self, due_ms: int) -> None:
        self._timer = None
        self._timer_at_ms = None
        for machine in self._machines.values():
            self.tick(machine, self.now(), due_ms)
        self.run_deadlines()

    def tick(self, machine: Machine, now: Now, due_ms: int) -> None:
        """Settle the keys that are due at due_ms. What the turn has no time for is due again in the next one.

        A key takes one step by time, and then whatever follows from it without more time passing. So the
        members that time removes from a large group are removed in several turns.
        """
        deadlines = machine.state.deadlines
        due = replace(now, due_ms=due_ms)
        pace = Pace(self._clock)
        for key in deadlines.due(due_ms, TICK_KEYS_MAX):
            if pace.is_over:
                deadlines.set(key, due_ms)
            elif self._step(machine, key, due):
                self._settle(machine, key, now)
        self._settle_marked(machine, now)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _frame(slot: Slot, response: Any, bodies: dict[int, bytes] | None = None) -> Frame:
    """The answer's bytes. Kafka answers UNKNOWN_SERVER_ERROR where a text of its answer, which quotes the
    client's own, is longer than a string may be [4.3.1]. Where not even the names fit any more (what was no
    UTF-8 is three bytes for one) it says nothing; we hang up.
    """
    served = slot.served
    try:
        return served.frame(slot.correlation_id, response, bodies)
    except WireError:
        pass
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
        waits_for = self._first
        try:
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
    return None, _await(_Rest(coroutine, first))


__all__ = ["CloseConnection", "Ledger", "Machine", "Runtime", "State", "start"]
