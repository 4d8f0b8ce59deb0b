"""Laws of the coordinator, for any sequence of requests, timeouts, restarts and markers.

The legal transitions are those of Kafka's TransactionState.VALID_PREVIOUS_STATES.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.broker.transaction_story import TIMEOUT_MS, TransactionStory, restored
from tidemark.transactions.model import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    EMPTY,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    PREPARED,
    TransactionStatus,
)
from tidemark.transactions.state import Transactions

IDS: Final = ("tx", "other")
AT_REST: Final = {EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT}
LEGAL_BEFORE: Final[Mapping[TransactionStatus | None, set[TransactionStatus | None]]] = {
    EMPTY: {None, *AT_REST},
    ONGOING: {ONGOING, *AT_REST},
    PREPARE_COMMIT: {ONGOING},
    PREPARE_ABORT: {ONGOING, *AT_REST},
    COMPLETE_COMMIT: {PREPARE_COMMIT},
    COMPLETE_ABORT: {PREPARE_ABORT},
    None: AT_REST,
}

WHO: Final = st.sampled_from(("current", "last", "older", "newer", "other"))
STEPS: Final = st.one_of(
    st.tuples(st.just("init"), st.sampled_from(IDS), st.one_of(st.none(), WHO)),
    st.tuples(st.just("add"), st.sampled_from(IDS), WHO, st.sampled_from((3, 5)), st.sampled_from((0, 1, 2))),
    st.tuples(st.just("offsets"), st.sampled_from(IDS), WHO),
    st.tuples(st.just("end"), st.sampled_from(IDS), WHO, st.booleans(), st.sampled_from((4, 5))),
    st.tuples(st.just("exhaust"), st.sampled_from(IDS)),
    st.tuples(st.just("markers")),
    st.tuples(st.just("restart")),
    st.tuples(st.just("pass"), st.sampled_from((0, 1000, TIMEOUT_MS + 1, 8 * 86_400_000))),
)


class Run:
    """A story, and what each step must keep true."""

    def __init__(self, level: int) -> None:
        self.story = TransactionStory(level)
        self._seen = 0
        self._before: dict[str, Any] = {}

    def do(self, step: tuple[Any, ...]) -> None:
        match step:
            case ("init", name, None):
                self.story.init(transactional_id=name)
            case ("init", name, who):
                self.story.init(*self.producer(name, who), transactional_id=name)
            case ("add", name, who, version, index):
                topics = {"orders": [index]}
                self.story.add(*self.producer(name, who), topics, transactional_id=name, version=version)
            case ("offsets", name, who):
                self.story.add_offsets(*self.producer(name, who), transactional_id=name)
            case ("end", name, who, committed, version):
                producer = self.producer(name, who)
                self.story.end(*producer, committed=committed, transactional_id=name, version=version)
            case ("exhaust", name):
                self._exhaust(name)
            case ("markers",):
                self.story.complete()
            case ("restart",):
                self.story.restart()
            case ("pass", ms):
                self._pass(ms)

    def producer(self, name: str, who: str) -> tuple[int, int]:
        transaction = self.story.transactions.get(name)
        if transaction is None:
            return 0, 0
        producer_id, epoch = transaction.producer_id, transaction.producer_epoch
        return {
            "current": (producer_id, epoch),
            "last": (producer_id, max(epoch - 1, 0)),
            "older": (transaction.previous_producer_id, 32766),
            "newer": (producer_id, min(epoch + 1, 32767)),
            "other": (producer_id + 1000, epoch),
        }[who]

    def _exhaust(self, name: str) -> None:
        """Let the id reach its highest epochs, as thousands of calls do."""
        transaction = self.story.transactions.get(name)
        if transaction is not None and transaction.status is EMPTY and transaction.producer_epoch < 32765:
            transaction.producer_epoch = 32765
            self.story.init(transactional_id=name)

    def _facts(self, transactions: Transactions) -> dict[str, tuple[Any, ...]]:
        """Return what the log contains of each id, in both versions of its values."""
        return {
            name: (
                each.producer_id,
                each.producer_epoch,
                each.timeout_ms,
                each.status,
                each.partitions,
                each.start_ms,
                each.last_update_ms,
            )
            for name, each in transactions.by_id.items()
        }

    def _pass(self, ms: int) -> None:
        story = self.story
        story.passes(ms)
        for abort in story.transactions.timed_out(story.now, story.new_producer_id):
            story.accept(abort)
        for tombstones in story.transactions.expired_ids(story.wall_ms):
            if tombstones is not None:
                story.accept(tombstones)

    def check(self) -> None:
        assert self._facts(self.story.transactions) == self._facts(self.story.loaded()), "a load differs"
        for stored in self.story.log[self._seen :]:
            record = restored(*stored)
            self._check_record(record.key.transactional_id, record.value)
        self._seen = len(self.story.log)
        owed = {markers.transactional_id: markers for markers in self.story.owed}
        assert len(owed) == len(self.story.owed)
        for name, transaction in self.story.transactions.by_id.items():
            assert (name in owed) == (transaction.status in PREPARED)
            assert (name in self.story.transactions.timeouts.at) == (transaction.status is ONGOING)
            if name in owed:
                assert owed[name].partitions == tuple(transaction.partitions)
                assert owed[name].committed == (transaction.status is PREPARE_COMMIT)

    def _check_record(self, name: str, value: Any) -> None:
        before = self._before.get(name)
        status = None if value is None else TransactionStatus(value.transaction_status)
        past = None if before is None else TransactionStatus(before.transaction_status)
        assert past in LEGAL_BEFORE[status], f"{name}: {past!r} -> {status!r}"
        if before is not None and value is not None:
            older = (before.producer_id, before.producer_epoch)
            assert older <= (value.producer_id, value.producer_epoch), "an epoch went back"
            if status in (PREPARE_COMMIT, PREPARE_ABORT) and past is ONGOING:
                assert value.transaction_partitions == before.transaction_partitions
        self._before[name] = value


@settings(max_examples=200, deadline=None)
@given(st.sampled_from((0, 1, 2)), st.lists(STEPS, max_size=40))
def test_transitions_are_legal_and_epochs_never_go_back(level: int, steps: list[tuple[Any, ...]]) -> None:
    run = Run(level)
    for step in steps:
        run.do(step)
        run.check()
    run.do(("markers",))
    run.check()
    run.do(("restart",))
    assert run.story.owed == []
