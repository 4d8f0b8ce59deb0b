"""Obligations: work in other logs that is repeated after a restart until it is recorded as done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from tidemark.core.context import Now
from tidemark.core.result import Marker, Obligation, Result, WriteMarkers
from tidemark.log.errors import OutOfDescriptors
from tidemark.runtime.after_durable import AfterDurable
from tidemark.runtime.journal import Journal, JournaledLog
from tidemark.turns import Turns


class Owner(Protocol):
    """A state machine that has obligations."""

    def fulfilled(self, key: str, now: Now) -> Result[None]: ...


class Obligations:
    """Carries out obligations of the given state machines, which are found by name.

    accept(owner, result) applies a decision of the machine. An obligation has three steps: its own record
    becomes durable; the work is done, over several turns of the loop if it is long, and becomes durable; the
    owner records that it is done.

    open: how many are not recorded as done yet
    """

    def __init__(
        self,
        owners: dict[str, Owner],
        after_durable: AfterDurable,
        turns: Turns,
        *,
        accept: Callable[[str, Result[Any]], None],
        now: Callable[[], Now],
        wake: Callable[[], None],
    ) -> None:
        self.open = 0
        self._owners = owners
        self._after_durable = after_durable
        self._turns = turns
        self._accept = accept
        self._now = now
        self._wake = wake

    def carry_out(self, work: Callable[[Any], Iterator[None]], obligation: Obligation) -> None:
        """Register this with the type of the obligation, bound to the function that adds to the journal.

        work yields where other clients may be served in between.
        """
        self.open += 1
        self._after_durable.call(partial(self._begin, work, obligation))

    def _begin(self, work: Callable[[Any], Iterator[None]], obligation: Obligation) -> None:
        self._continue(work(obligation), obligation)

    def _continue(self, steps: Iterator[None], obligation: Obligation) -> None:
        for _ in steps:
            if self._turns.spend():
                self._turns.later(partial(self._continue, steps, obligation))
                return
        self._wake()
        self._after_durable.call(partial(self._done, obligation))

    def _done(self, obligation: Obligation) -> None:
        result = self._owners[obligation.owner].fulfilled(obligation.key, self._now())
        self._accept(obligation.owner, result)
        self.open -= 1


class TransactionMarkers:
    """Ends transactions in user logs, and in logs whose state machine has to replay the marker.

    user_log(topic, partition) is None if the partition was deleted: it needs no marker. accept_marker has, by
    topic, what ends a transaction in an internal log.

    A restart may write a marker twice. Kafka's brokers and consumers ignore the second one, since it ends no
    transaction (ProducerAppendInfo.appendEndTxnMarker, CompletedFetch.containsAbortMarker). The coordinator
    must not let the producer begin a transaction before it has recorded that all markers are written.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        user_log: Callable[[str, int], JournaledLog | None],
        accept_marker: dict[str, Callable[[Marker], None]],
        wall_ms: Callable[[], int],
    ) -> None:
        self._journal = journal
        self._user_log = user_log
        self._accept_marker = accept_marker
        self._wall_ms = wall_ms

    def write(self, obligation: WriteMarkers) -> Iterator[None]:
        """Add the markers to the journal. Yield after each."""
        for topic, partition in obligation.partitions:
            marker = Marker(
                partition,
                obligation.producer_id,
                obligation.producer_epoch,
                obligation.committed,
                obligation.coordinator_epoch,
            )
            while not self._has_written(topic, marker):
                yield
            yield

    def _has_written(self, topic: str, marker: Marker) -> bool:
        """Return False if a log cannot be opened now, for want of a descriptor."""
        try:
            self.write_one(topic, marker)
        except OutOfDescriptors:
            return False
        return True

    def write_one(self, topic: str, marker: Marker) -> None:
        """Add one marker to the journal, unless its partition is deleted."""
        accept = self._accept_marker.get(topic)
        if accept is not None:
            accept(marker)
            return
        log = self._user_log(topic, marker.partition)
        if log is not None:
            self._journal.end_transaction(log, marker, self._wall_ms())
