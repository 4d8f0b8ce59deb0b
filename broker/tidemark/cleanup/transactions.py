"""The passes over transactions: those that have timed out are aborted, ids that nobody uses expire.

Kafka: TransactionCoordinator.abortTimedOutTransactions and
TransactionStateManager.removeExpiredTransactionalIds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from tidemark.clock import Clock, Timer
from tidemark.core.context import Now
from tidemark.core.result import Result
from tidemark.transactions.expiring import expired_ids, timed_out
from tidemark.transactions.state import Transactions
from tidemark.turns import Pace, Turns


@dataclass(slots=True, frozen=True)
class Calls:
    """Functions that the passes call.

    accept(result)     writes a decision about transactions
    new_producer_id()  returns a fresh producer id
    held()             True while no timer may run
    ended(result), expired(result)  are called for each transaction aborted, and for ids that have expired
    """

    accept: Callable[[Result[Any]], None]
    new_producer_id: Callable[[], int]
    held: Callable[[], bool]
    ended: Callable[[Result[Any]], None]
    expired: Callable[[Result[Any]], None]


class TransactionTimeouts:
    """Aborts transactions that have timed out, at the next pass after their timeout.

    Passes are an interval of steady time apart, counted from the start. A timer runs only for the next pass
    at which something may be due. A pass works within the budget of long work.
    """

    def __init__(
        self, transactions: Transactions, clock: Clock, turns: Turns, interval_ms: int, calls: Calls
    ) -> None:
        self._transactions = transactions
        self._clock = clock
        self._turns = turns
        self._interval_ms = interval_ms
        self._calls = calls
        self._begins_ms = clock.steady_ms()
        self._timer: Timer | None = None
        self._timer_at_ms: int | None = None
        self.is_due = False  # a pass begins once what has arrived is read and waiting work had its turn
        self.is_working = False

    def arm(self) -> None:
        """Note that a timeout may be earlier than all others."""
        at_ms = self._next_ms()
        if at_ms is None or (self._timer_at_ms is not None and self._timer_at_ms <= at_ms):
            return
        if self.is_working or self._calls.held():
            return
        self.stop()
        self._timer_at_ms = at_ms
        self._timer = self._clock.call_at(at_ms, self._tick)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._timer_at_ms = None
        self.is_due = False

    def run(self) -> None:
        """Begin a pass now, unless one is running."""
        self.is_due = False
        if not self.is_working:
            self.is_working = True
            now = Now(self._clock.wall_ms(), self._clock.steady_ms())
            self._work(timed_out(self._transactions, now, self._calls.new_producer_id))

    def _next_ms(self) -> int | None:
        """Return the first pass that finds the earliest timeout, which must have passed by a millisecond."""
        timeout_ms = self._transactions.timeouts.next()
        if timeout_ms is None:
            return None
        after_ms = max(timeout_ms + 1, self._clock.steady_ms()) - self._begins_ms
        return self._begins_ms + -(-after_ms // self._interval_ms) * self._interval_ms

    def _tick(self) -> None:
        """Begin a pass once the requests that have arrived are read: one may end the transaction in time."""
        self._timer_at_ms = None
        self.is_due = True
        self._timer = self._clock.after_reading(partial(self._turns.after_waiting, self.run))

    def _work(self, aborts: Iterator[Result[Any]]) -> None:
        for abort in aborts:
            self._calls.accept(abort)
            self._calls.ended(abort)
            if self._turns.spend():
                self._turns.later(lambda: self._work(aborts))
                return
        self.is_working = False
        self.arm()


class TransactionalIdExpiry:
    """Removes transactional ids that were not used for `transactional.id.expiration.ms`."""

    def __init__(self, transactions: Transactions, clock: Clock, calls: Calls) -> None:
        self._transactions = transactions
        self._clock = clock
        self._calls = calls

    async def run(self, wall_ms: int | None = None) -> None:
        """Run one pass for this wall time. None: now. A second pass at the same time does no harm."""
        pace = Pace(self._clock)
        wall_ms = self._clock.wall_ms() if wall_ms is None else wall_ms
        for result in expired_ids(self._transactions, wall_ms):
            if result is not None:
                self._calls.accept(result)
                self._calls.expired(result)
            if pace.spend():
                await pace.rest()
