"""/v1/transactions: transactional ids with their transactions, and what these hold back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final, NamedTuple

from starlette.responses import Response

from tidemark.log.partition import PartitionLog
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.node.node import Node
from tidemark.transactions.explain import (
    HANGING,
    HeldBack,
    HeldPartition,
    explain_hanging,
    explain_transaction,
    outlook,
)
from tidemark.transactions.model import EXPIRE, NO_START, TITLES, Transaction
from tidemark.transactions.state import Transactions
from tidemark.turns import Slice
from tidemark_http.operations import operation
from tidemark_http.parameters import Query
from tidemark_http.responses import ENTRY, HttpError, in_order, long_response, new_slice, write_cursor
from tidemark_protocol.errors import ErrorCode

KNOWN, UNKNOWN = 0, 1  # the two parts of the list: transactional ids, then hanging transactions
OFFSETS_SHOWN: Final = 100  # pending offsets of one transaction
LOG: Final = 25  # work, in offsets examined, to read a log: it may have to be opened


class OpenTransaction(NamedTuple):
    """A transaction of a producer that is open in a log."""

    topic: str
    partition: int
    producer_id: int


@operation(
    "Transactional ids with their transactions",
    query=("transactional_id", "state", "topic", "limit", "cursor"),
)
async def transactions(node: Node, query: Query) -> Response:
    limit, after = query.limit(), query.cursor(int, str, int, int)
    state = query.choice("state", "", *TITLES.values(), HANGING)
    found = _Listing(node, query.text("topic"), state)
    name = query.text("transactional_id")
    if name is not None:
        return long_response({"transactions": [await found.entry(found.known(name))], "cursor": None})
    entries: list[dict[str, Any]] = []
    last: tuple[int, str, int, int] | None = None
    async for key, entry in found.entries(after):
        if len(entries) == limit:
            assert last is not None
            return long_response({"transactions": entries, "cursor": write_cursor(*last)})
        entries.append(entry)
        last = key
    return long_response({"transactions": entries, "cursor": None})


class _Listing:
    """The transactions that a request wants. topic, state: only those that have them, if given."""

    def __init__(self, node: Node, topic: str | None, state: str) -> None:
        self._held = node.current.held
        self._state = node.current.state
        self._transactions = node.current.engine.transactions_state() or Transactions()
        self._topic = topic
        self._title = state
        self._now_ms = self._state.clock.wall_ms()
        self._budget: Slice = new_slice()

    def known(self, name: str) -> Transaction:
        """Return the transaction of this id. Raises HttpError if there is none."""
        found = self._transactions.get(name)
        if found is not None:
            return found
        if self._transactions.status and self._transactions.service_error(name) is not ErrorCode.NONE:
            reason = (
                f"the partition of __transaction_state that would hold transactional id {name!r} cannot be "
                "read or is not in this data directory"
            )
            raise HttpError(503, "not_served", reason, "transactional_id")
        raise HttpError(
            404, "unknown_transactional_id", f"there is no transactional id {name!r}", "transactional_id"
        )

    async def entries(
        self, after: tuple[Any, ...] | None
    ) -> AsyncIterator[tuple[tuple[int, str, int, int], dict[str, Any]]]:
        """Yield each entry with its key, in the order of the list."""
        if after is None or after[0] == KNOWN:
            begin = None if after is None else after[1]
            async for name in in_order(
                [*self._transactions.by_id], lambda each: begin is None or each > begin
            ):
                transaction = self._transactions.get(name)
                if transaction is not None and self._wanted(transaction):
                    yield (KNOWN, name, 0, 0), await self.entry(transaction)
                await self._budget.pause()
        if self._title in ("", HANGING):
            begins = OpenTransaction(*after[1:]) if after is not None and after[0] == UNKNOWN else None
            async for key, entry in self._hanging(begins):
                yield (UNKNOWN, *key), entry

    def _wanted(self, transaction: Transaction) -> bool:
        if self._title not in ("", transaction.status.title):
            return False
        return self._topic is None or any(topic == self._topic for topic, _ in transaction.partitions)

    # Transactions that the coordinator knows.

    async def entry(self, transaction: Transaction) -> dict[str, Any]:
        holds: list[HeldPartition] = []
        async for topic, partition in in_order([*transaction.partitions], lambda each: True):
            log = self._state.logs.written(topic, partition)
            if log is not None:
                holds.append(_hold(log, transaction.producer_id))
            await self._budget.pause(LOG)
        groups, offsets, count = await self._pending(transaction)
        deadline = self._transactions.timeouts.at.get(transaction.transactional_id)
        left_ms = None if deadline is None else deadline - self._state.clock.steady_ms()
        ends = outlook(
            transaction,
            left_ms=None if self._held else left_ms,
            now_ms=self._now_ms,
            id_expiration_ms=self._transactions.settings.transactional_id_expiration_ms,
        )
        is_open = transaction.status not in EXPIRE
        started_ms = transaction.start_ms if is_open and transaction.start_ms != NO_START else None
        await self._budget.pause(ENTRY)
        return {
            "transactional_id": transaction.transactional_id,
            "state": transaction.status.title,
            "producer_id": transaction.producer_id,
            "producer_epoch": transaction.producer_epoch,
            "timeout_ms": transaction.timeout_ms,
            "last_update_ms": transaction.last_update_ms,
            "started_ms": started_ms,
            "age_ms": None if started_ms is None else self._now_ms - started_ms,
            "aborted_ms": ends.aborted_ms,
            "expires_ms": ends.expires_ms,
            "partitions": [_partition(hold) for hold in holds],
            "pending_offsets": count,
            "offsets": offsets,
            "explanation": explain_transaction(transaction, HeldBack(holds, groups), ends, self._now_ms),
        }

    async def _pending(self, transaction: Transaction) -> tuple[list[str], list[dict[str, Any]], int]:
        """Return the groups with pending offsets, some of these, and their number."""
        groups: dict[str, None] = {}
        shown: list[dict[str, Any]] = []
        count = 0
        offsets = self._state.groups.offsets
        for topic, partition in [*transaction.partitions]:
            found = None
            if topic == OFFSETS_TOPIC:
                found = offsets.open_transaction(partition, transaction.producer_id)
            for group, keys in [] if found is None else [*found.keys.items()]:
                groups[group] = None
                count += len(keys)
                shown += [
                    {"group": group, "topic": where[0], "partition": where[1]}
                    for where in keys[: OFFSETS_SHOWN - len(shown)]
                ]
                await self._budget.pause(1 + OFFSETS_SHOWN // ENTRY)
        return [*groups], shown, count

    # Hanging transactions.

    async def _hanging(
        self, begin: OpenTransaction | None
    ) -> AsyncIterator[tuple[OpenTransaction, dict[str, Any]]]:
        """Yield the open transactions that the coordinator does not know, in order of their partitions."""
        async for topic, partition in self._partitions(begin):
            log = self._state.logs.written(topic, partition)
            await self._budget.pause(LOG)
            if log is None or log.producers.first_unstable is None:
                continue
            for producer_id in sorted(log.producers.open_producers):
                key, hold = OpenTransaction(topic, partition, producer_id), _hold(log, producer_id)
                known = self._transactions.producers.get(producer_id)  # the coordinator will end it
                if known is not None and key[:2] in self._transactions.by_id[known].partitions:
                    continue
                if hold.first_offset is None:
                    continue
                if begin is None or key > begin:
                    yield key, self._hanging_entry(log, hold, producer_id)
                    await self._budget.pause(ENTRY)

    async def _partitions(self, begin: OpenTransaction | None) -> AsyncIterator[tuple[str, int]]:
        topics = self._state.cluster.topics
        names = [*topics] if self._topic is None else [self._topic]
        async for name in in_order(names, lambda each: begin is None or each >= begin.topic):
            topic = topics.get(name)
            for partition in [] if topic is None else topic.partitions:
                if begin is None or (name, partition.index) >= begin[:2]:
                    yield name, partition.index

    def _hanging_entry(self, log: PartitionLog, hold: HeldPartition, producer_id: int) -> dict[str, Any]:
        producer = log.producers.states[producer_id]
        return {
            "transactional_id": None,
            "state": HANGING,
            "producer_id": producer_id,
            "producer_epoch": producer.epoch,
            "timeout_ms": None,
            "last_update_ms": producer.last_timestamp_ms,
            "started_ms": None,
            "age_ms": None,
            "aborted_ms": None,
            "expires_ms": None,
            "partitions": [_partition(hold)],
            "pending_offsets": 0,
            "offsets": [],
            "explanation": explain_hanging(producer_id, producer.epoch, hold),
        }


def _hold(log: PartitionLog, producer_id: int) -> HeldPartition:
    state = log.producers.states.get(producer_id)
    return HeldPartition(
        log.topic,
        log.partition,
        None if state is None or state.open_since < 0 else state.open_since,
        log.last_stable_offset,
        log.high_watermark,
    )


def _partition(hold: HeldPartition) -> dict[str, Any]:
    return {
        "topic": hold.topic,
        "partition": hold.partition,
        "first_offset": hold.first_offset,
        "last_stable_offset": hold.last_stable_offset,
        "high_watermark": hold.high_watermark,
        "records_held_back": hold.records_held_back if hold.first_offset is not None else 0,
        "blocks": hold.blocks,
    }
