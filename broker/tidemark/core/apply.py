"""Apply a decision to a state machine, and settle it until nothing more follows.

The coordinator, the tests and the simulation share these functions, so that all of them follow one order. A
`Machine` and its runtime supply the differences: where records are written and where responses are sent.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, ClassVar, Final

from tidemark.core.context import Now
from tidemark.core.decision import Decision, Marker, Record
from tidemark_protocol.errors import ErrorCode


class PartitionStatus(Enum):
    LOADING = auto()
    ACTIVE = auto()
    FAILED = auto()


SERVICE_ERRORS: Final = {
    PartitionStatus.LOADING: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    PartitionStatus.ACTIVE: ErrorCode.NONE,
    PartitionStatus.FAILED: ErrorCode.NOT_COORDINATOR,
}


SETTLE_PASSES_MAX: Final = 10_000  # a key that is not settled by then is a bug


class Unwritten(Exception):
    """Records cannot be written. Nothing has changed.

    code: the response of Kafka (CoordinatorOperationExceptionHelper)
    """

    code: ClassVar[ErrorCode]  # mypyc would not give an attribute the default of a subclass


class RecordsTooLarge(Unwritten):
    """The records of one decision are larger than a batch may be."""

    code: ClassVar[ErrorCode] = ErrorCode.UNKNOWN_SERVER_ERROR


class LogUnavailable(Unwritten):
    """The log cannot be opened now."""

    code: ClassVar[ErrorCode] = ErrorCode.NOT_COORDINATOR


class Machine:
    """A state machine, the log of its records, and its runtime, as `apply` and `settle` call them.

    state              `Groups`, `Cluster` or `Transactions`: `replay`, `partition_of`, `refused` and
      by_key           groups or transactions. `settle(now)` of each returns the next change that needs no
                       request, or else when it must be settled again (steady ms). None: a change marks it
      deadlines        when a key must be settled again: never too late, sometimes too early
      marked           keys that have changed since they were last settled
    runtime            carries out what a decision requires outside of its state machine: the `Runtime` of
                       engine/coordinator.py, by `carry_out`, `removed`, `release_parked` and `arm`
    changed(records)   is called once records are replayed, if it is set
    """

    __slots__ = ("changed", "runtime", "state")

    def __init__(
        self,
        state: Any,
        runtime: Any,
        changed: Callable[[tuple[Record, ...]], None] | None = None,
    ) -> None:
        self.state = state
        self.runtime = runtime
        self.changed = changed

    def write(self, records: tuple[Record, ...], wall_ms: int) -> None:
        """Write records before they are replayed: add them to the batch that the next flush appends.

        Raises Unwritten if that is impossible.
        """
        raise NotImplementedError

    def write_markers(self, markers: tuple[Marker, ...], wall_ms: int) -> None:
        """Write the ends of transactions before they are replayed."""
        raise NotImplementedError


def apply(machine: Machine, result: Decision[Any], wall_ms: int) -> None:
    """Write and replay the records of a decision, release responses and carry out effects.

    Raises Unwritten if the records cannot be written. The state is unchanged then.
    """
    state = machine.state
    records = result.records
    if records:
        machine.write(records, wall_ms)
        for record in records:
            state.replay(record)
        if machine.changed is not None:
            machine.changed(records)
    if result.markers:
        machine.write_markers(result.markers, wall_ms)
        for marker in result.markers:
            state.replay(marker)
    if result.removed:
        machine.runtime.removed(result.removed)
    for change in result.after:
        change()
    for released in result.released:
        machine.runtime.release_parked(released)
    for effect in result.effects:
        machine.runtime.carry_out(effect)


def settle_marked(machine: Machine, now: Now) -> None:
    """Settle every key that has changed."""
    state = machine.state
    while state.marked:
        settle(machine, state.marked.pop(), now)
    if state.deadlines.is_earlier:
        machine.runtime.arm(state.deadlines)


def settle(machine: Machine, key: str, now: Now, first: Now | None = None) -> None:
    """Settle this key until nothing more follows, and set its next deadline.

    first: the time of the first step, if it differs from that of the others
    """
    state, moment = machine.state, first or now
    for _ in range(SETTLE_PASSES_MAX):
        settled = state.by_key.get(key)
        result = None if settled is None else settled.settle(moment)
        if not isinstance(result, Decision):
            state.marked.discard(key)
            state.deadlines.set(key, result)
            return
        try:
            apply(machine, result, now.wall_ms)
        except Unwritten as error:
            refuse(machine, key, error.code, now)
        moment = now
    raise AssertionError(f"{key} is not settled after {SETTLE_PASSES_MAX} passes")


def settle_due(machine: Machine, now: Now, due_ms: int, keys_max: int, over: Callable[[], bool]) -> None:
    """Settle the first key whose deadline has passed at due_ms, and more (at most keys_max) until over() is
    true.

    The remaining keys stay due. The caller must arm the timer for the next deadline. A key gets one step in
    which its deadline has passed, and then all that follows without more time passing: members that expire
    together in a large group are removed in several calls.
    """
    deadlines = machine.state.deadlines
    due = Now(now.wall_ms, now.steady_ms, due_ms)
    is_over = False
    for key in deadlines.pop_due(due_ms, keys_max):
        if is_over:
            deadlines.set(key, due_ms)
            continue
        settle(machine, key, now, first=due)
        is_over = over()
    if machine.state.marked:
        settle_marked(machine, now)


def refuse(machine: Machine, key: str, code: ErrorCode, now: Now) -> None:
    """Respond to all requests that waited for records of this key that cannot be written."""
    apply(machine, machine.state.refused(key, code, now), now.wall_ms)
