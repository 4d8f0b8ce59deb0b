"""Broken rules of transactions: see mutants.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import tidemark.cleanup.transactions
import tidemark.groups.state
import tidemark.handlers.data.txn_offset_commit
import tidemark.handlers.transactions.end_txn
import tidemark.handlers.transactions.init_producer_id
from tests.faults.simulation.patching import Mutant, at_once, patch
from tidemark.cleanup import cleaning
from tidemark.core.decision import Decision, WriteMarkers
from tidemark.engine.coordinator import Runtime
from tidemark.engine.group_commit import GroupCommit
from tidemark.groups.offsets import Offsets
from tidemark.groups.state import Groups
from tidemark.handlers.data.verification import Verifying
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.producers import NO_OFFSET, Producers
from tidemark.metadata.state import PRODUCER_ID_BLOCK_SIZE, Cluster
from tidemark.node.transactions import TransactionCoordinator
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode


def _all(*patches: Callable[[], None]) -> Callable[[], None]:
    def apply() -> None:
        for each in patches:
            each()

    return apply


def _nothing(known: Any) -> Any:
    return lambda *arguments, **named: None


# the coordinator


def _same_epoch(initialise: Any) -> Any:
    def unbumped(*arguments: Any) -> Any:
        result = initialise(*arguments)
        producer = result.response
        if producer.error is ErrorCode.NONE and producer.producer_epoch > 0:
            result.records[0].value.producer_epoch -= 1
            result.response = producer._replace(producer_epoch=producer.producer_epoch - 1)
        return result

    return unbumped


def _any_epoch(end_transaction: Any) -> Any:
    """A producer that was fenced ends the transaction of its successor."""

    def ended(transactions: Any, now: Any, name: str, producer_id: int, epoch: int, **rest: Any) -> Any:
        known = transactions.get(name)
        if known is not None and epoch < known.producer_epoch:
            producer_id, epoch = known.producer_id, known.producer_epoch
        return end_transaction(transactions, now, name, producer_id, epoch, **rest)

    return ended


def _not_parked(end_txn: Any) -> Any:
    def responding(transactions: Any, ctx: Any, request: Any) -> Any:
        decided = end_txn(transactions, ctx, request)
        if decided.response is not None:
            return decided
        *after, responds = decided.after
        return Decision(responds.args[0].response, decided.records, after=tuple(after))

    return responding


def _ends_at_once(respond: Any) -> Any:
    def responding(self: Runtime, pending: Any, *arguments: Any, **more: Any) -> None:
        ends = pending.served.route.name == "EndTxn"
        (responding_early if ends else respond)(self, pending, *arguments, **more)

    responding_early = at_once(respond)
    return responding


def _never(known: Any) -> Any:
    return lambda *arguments: iter(())


def _from_the_first_block(take: Any) -> Any:
    def again(self: Cluster, node_id: int) -> int:
        producer_id: int = take(self, node_id)
        return producer_id % PRODUCER_ID_BLOCK_SIZE

    return again


# markers


def _done_too_early(end: Any) -> Any:
    """Record that the markers are written, and write them then."""

    async def ended(self: TransactionCoordinator, owed: WriteMarkers) -> None:
        self._complete(owed)
        await self._group_commit.wait_until_durable()
        await self._write_markers(owed)

    return ended


def _but_the_last(write: Any) -> Any:
    def written(self: TransactionCoordinator, owed: WriteMarkers) -> Any:
        return write(self, replace(owed, partitions=owed.partitions[:-1]))

    return written


def _always_commits(end: Any) -> Any:
    def ended(self: Offsets, partition: int, producer_id: int, *, committed: bool) -> None:
        end(self, partition, producer_id, committed=True)

    return ended


# data


def _whole_log(known: Any) -> Any:
    return property(lambda self: self.high_watermark)


def _off(known: Any) -> Any:
    return property(lambda self: False)


def _adds_nothing(ask: Any) -> Any:
    async def asked(self: Verifying, partitions: Any) -> Any:
        return {}

    return asked


def _visible_at_once(replay: Any) -> Any:
    def replayed(self: Groups, key: Any, value: Any, producer: Any) -> None:
        self.replay_record(key, value)

    return replayed


async def _at_once(self: Any) -> None:
    """Do not wait until a decision is durable."""


def _joins_nothing(join: Any) -> Any:
    async def joined(*arguments: Any) -> None:
        return None

    return joined


def _closed(load: Any) -> Any:
    def loaded(self: Producers, data: bytes) -> None:
        load(self, data)
        for state in self.states.values():
            state.open_since = NO_OFFSET
        self._ongoing.clear()
        self._update_first_unstable()

    return loaded


def _mutant(apply: Callable[[], None], wrong: str) -> Mutant:
    return Mutant(apply, wrong, ("copier", "committed"))


MUTANTS = {
    "epoch not bumped": _mutant(
        patch(Transactions, "initialise", _same_epoch),
        "two producers write in one transaction",
    ),
    "producer ids assigned again": Mutant(
        patch(Cluster, "take_producer_id", _from_the_first_block),
        "two producers have the same id",
        ("copier", "committed", "producer"),
    ),
    "a fenced producer ends transactions": _mutant(
        patch(Transactions, "end_transaction", _any_epoch),
        "a half of a transaction is committed",
    ),
    "EndTxn acknowledged too early": _mutant(
        _all(
            patch(tidemark.handlers.transactions.end_txn, "end_txn", _not_parked),
            patch(Runtime, "_respond", _ends_at_once),
        ),
        "a power cut takes a transaction that was committed",
    ),
    "transactions never time out": _mutant(
        patch(Transactions, "timed_out", _never), "readers wait for a dead producer"
    ),
    "complete before the markers are written": _mutant(
        patch(TransactionCoordinator, "_end", _done_too_early), "a kill leaves a transaction open for ever"
    ),
    "one marker forgotten": _mutant(
        patch(TransactionCoordinator, "_write_markers", _but_the_last), "a partition stays open for ever"
    ),
    "open transactions are stable": _mutant(
        patch(PartitionLog, "last_stable_offset", _whole_log), "readers see what is aborted later"
    ),
    "aborted transactions not listed": _mutant(
        patch(PartitionLog, "aborted_from", lambda known: lambda *arguments: ([], None)),
        "readers see aborted records",
    ),
    "open transactions forgotten at a start": _mutant(
        patch(Producers, "load", _closed), "readers pass open transactions after a restart"
    ),
    "compaction keeps aborted records": _mutant(
        patch(cleaning.SeenTransactions, "is_aborted", lambda known: lambda *arguments: False),
        "an aborted record deletes the one before it",
    ),
    "transactions not verified": _mutant(
        patch(Cluster, "verifies_transactions", _off), "a fenced producer writes what no marker ever ends"
    ),
    "partitions not added": _mutant(patch(Verifying, "_ask", _adds_nothing), "data that no marker ever ends"),
    "written before its transaction": _mutant(
        patch(GroupCommit, "wait_until_durable", lambda known: _at_once),
        "a power cut leaves data that no marker ends",
    ),
    "offsets outside of a transaction": _mutant(
        _all(
            patch(tidemark.handlers.data.txn_offset_commit, "_join_transaction", _joins_nothing),
            patch(tidemark.handlers.data.txn_offset_commit, "_unverified", _nothing),
        ),
        "offsets are pending for ever",
    ),
    "pending offsets visible": _mutant(
        patch(Groups, "replay_pending", _visible_at_once), "a consumer skips what is aborted later"
    ),
    "aborted offsets stored": _mutant(
        patch(Offsets, "end_transaction", _always_commits), "a consumer skips records"
    ),
    "deletions not saved": _mutant(
        patch(LogManager, "save_log_starts", lambda known: _at_once),
        "deleted records come back after a kill",
    ),
    "older offsets win": _mutant(
        patch(tidemark.groups.state, "overtake", _nothing), "a commit is replaced by an earlier one"
    ),
}
