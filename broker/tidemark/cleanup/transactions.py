"""The passes over transactions: those that have timed out are aborted, and ids that are not used expire.

Kafka: TransactionCoordinator.abortTimedOutTransactions and
TransactionStateManager.removeExpiredTransactionalIds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tidemark.clock import Clock, Timer
from tidemark.core.context import Now
from tidemark.core.decision import Decision
from tidemark.core.log_text import short
from tidemark.metrics.registry import Metrics
from tidemark.transactions.model import Transaction
from tidemark.transactions.state import TimedOut, Transactions
from tidemark.turns import Pace, Turns


class TransactionTimeouts:
    """Aborts transactions that have timed out, at the next pass after their timeout.

    Passes are an interval of steady time apart, counted from the start. A timer runs only for the next pass
    at which something may be due. A pass works within the budget of long work.

    accept(result)     writes a decision about transactions
    new_producer_id()  returns a fresh producer id
    held()             True while no timer may run
    seen               a list to which transactions that time out are added
    """

    def __init__(
        self,
        transactions: Transactions,
        clock: Clock,
        turns: Turns,
        interval_ms: int,
        metrics: Metrics,
        logger: Any,
        *,
        accept: Callable[[Decision[Any]], None],
        new_producer_id: Callable[[], int],
        held: Callable[[], bool],
    ) -> None:
        self._transactions = transactions
        self._clock = clock
        self._turns = turns
        self._interval_ms = interval_ms
        self._metrics = metrics
        self._logger = logger
        self._accept = accept
        self._new_producer_id = new_producer_id
        self._held = held
        self._begins_ms = clock.steady_ms()
        self._timer: Timer | None = None
        self._timer_at_ms: int | None = None
        self.seen: list[TimedOut] | None = None
        self.is_due = False  # a pass begins after the requests that have arrived and the work that waits
        self.is_working = False

    def arm(self) -> None:
        """Note that a timeout may be earlier than all others."""
        at_ms = self._next_ms()
        if at_ms is None or (self._timer_at_ms is not None and self._timer_at_ms <= at_ms):
            return
        if self.is_working or self._held():
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
            self._work(self._transactions.timed_out(now, self._new_producer_id))

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

    def _work(self, aborts: Iterator[Decision[Any]]) -> None:
        for abort in aborts:
            self._accept(abort)
            self._note(self._transactions.by_id[abort.records[0].key.transactional_id])
            if self._turns.spend():
                self._turns.later(lambda: self._work(aborts))
                return
        self.is_working = False
        self.arm()

    def _note(self, aborted: Transaction) -> None:
        self._metrics.transactions_timed_out += 1
        if self.seen is not None:
            self.seen.append(TimedOut.of(aborted))
        self._logger.info(
            "transaction timed out", transactional_id=short(aborted.transactional_id),
            producer_id=aborted.producer_id, producer_epoch=aborted.producer_epoch,
            timeout_ms=aborted.timeout_ms, partitions=len(aborted.partitions),
        )  # fmt: skip


async def remove_expired_ids(
    transactions: Transactions,
    clock: Clock,
    accept: Callable[[Decision[Any]], None],
    metrics: Metrics,
    logger: Any,
    wall_ms: int | None = None,
) -> None:
    """Remove transactional ids that were not used for `transactional.id.expiration.ms`.

    wall_ms: of the pass; None: now. A second pass at the same time does no harm.
    """
    pace = Pace(clock)
    for result in transactions.expired_ids(clock.wall_ms() if wall_ms is None else wall_ms):
        if result is not None:
            accept(result)
            metrics.transactional_ids_expired += len(result.records)
            for record in result.records:
                logger.info("transactional id expired", transactional_id=short(record.key.transactional_id))
        if pace.spend():
            await pace.rest()
