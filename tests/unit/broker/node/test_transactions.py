"""The transaction coordinator in a whole node: its log, its start, and what a restart completes."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest

from tests.unit.broker.data_node import a_batch
from tests.unit.broker.node.coordinated import A_FIND, TIMEOUT_MS, begin, markers, prepare, settled
from tests.unit.broker.whole import Client, Whole, WorkingClock, running, start
from tidemark.clock import turn
from tidemark.core.decision import Decision, Record
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.node.time import ClockRefused
from tidemark.transactions.model import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    ONGOING,
    PREPARED,
    Transaction,
    changed,
)
from tidemark.turns import TURN_MS
from tidemark_protocol.batch import TRANSACTIONAL, LogRecord, build_batch
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord
from tidemark_testing.clock import LoopClock
from tidemark_testing.storage import MemoryStorage

INTERVAL_MS: Final = 10_000  # of the passes
DAY_MS: Final = 86_400_000
START_MS: Final = 1_700_000_000_000
PARTITIONS: Final = 50


async def test_a_broker_without_transactions_has_no_coordinator_until_a_client_needs_it(
    whole: Whole, client: Client
) -> None:
    await client.find()
    assert whole.engine.transactions is None
    await client.ask("FindCoordinator", 4, A_FIND)
    assert whole.engine.transactions is not None


async def test_an_end_writes_markers_to_every_partition_that_exists_and_is_recorded(whole: Whole) -> None:
    await (await whole.client()).make_topic("orders", 2)
    await (await whole.client()).find()
    state = await begin(whole, ("orders", 0), ("orders", 1), ("deleted", 0), ("__consumer_offsets", 0))
    prepare(whole)
    await settled(whole)
    assert state.by_id["tx"].status is COMPLETE_COMMIT
    assert markers(whole, "orders", 0) == markers(whole, "orders", 1) == [1]
    assert markers(whole, "__consumer_offsets") == [1]


async def test_an_open_transaction_and_one_that_owes_markers_survive_a_restart() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        await (await whole.client()).make_topic("orders")
        state = await begin(whole, ("orders", 0))
        before = state.by_id["tx"]
    async with running(storage) as whole:
        state = whole.engine.runtime.state("Transactions")
        assert state.by_id == {"tx": before}
        assert state.by_id["tx"].status is ONGOING
        assert "tx" in state.timeouts.at
        prepare(whole)
        await whole.engine.group_commit.drain()
    whole = await start(storage)
    await settled(whole)
    assert whole.engine.runtime.state("Transactions").by_id["tx"].status is COMPLETE_COMMIT
    assert set(markers(whole, "orders")) == {1}
    await whole.node.stop()


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (None, b"", "the record at offset 1 has no key"),
        (b"\0\0\0\2tx", b"\0\1short", "the record at offset 1 cannot be read"),
        (b"\0\0\0\2tx", b"\0\0" + bytes(14) + b"\x09" + bytes(20), "unknown transaction status 9"),
    ],
)
async def test_a_partition_with_a_record_that_cannot_be_read_is_not_served(
    key: bytes | None, value: bytes, reason: str
) -> None:
    storage = MemoryStorage()
    async with running(storage, transaction_state_log_num_partitions="2") as whole:
        state = await begin(whole)
        bad, good = state.partition_for("tx"), 1 - state.partition_for("tx")
        other = next(str(n) for n in range(100) if state.partition_for(str(n)) == good)
        new = changed(Transaction(other, good, 9, producer_epoch=0))
        whole.engine.runtime.accept("Transactions", Decision(records=(new,)))
        await whole.engine.group_commit.drain()
        log = whole.state.logs.get("__transaction_state", bad)
        assert log is not None
        end = log.log_end_offset
        batch = build_batch([LogRecord(0, START_MS, key, value)])
        log.append(batch, leader_epoch=0, now_ms=START_MS, from_client=False)
    async with running(storage) as whole:
        (line,) = whole.lines.of("transactions not served")
        assert line["partition"] == bad
        assert reason.replace("offset 1", f"offset {end}") in line["reason"]
        state = whole.engine.runtime.state("Transactions")
        assert state.service_error("tx") is ErrorCode.NOT_COORDINATOR
        assert state.service_error(other) is ErrorCode.NONE
        assert {*state.by_id} == {other}


async def test_records_of_unknown_versions_are_skipped_and_counted() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        await begin(whole)
        log = whole.state.logs.get("__transaction_state", 0)
        assert log is not None
        unknown = [LogRecord(0, START_MS, b"\0\1new", b""), LogRecord(1, START_MS, b"\0\0\0\1a", b"\0\2new")]
        log.append(build_batch(unknown), leader_epoch=0, now_ms=START_MS, from_client=False)
    async with running(storage) as whole:
        assert {*whole.engine.runtime.state("Transactions").by_id} == {"tx"}
        (line,) = whole.lines.of("records skipped")
        assert line["count"] == 2


async def test_no_producer_id_of_a_transactional_id_is_assigned_again_if_its_block_was_lost() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        state = await begin(whole)
        lost = changed(state.by_id["tx"], producer_id=7_777)
        whole.engine.runtime.accept("Transactions", Decision(records=(lost,)))
        await whole.engine.group_commit.drain()
    async with running(storage) as whole:
        assert whole.engine.new_producer_id() == 7_778


async def test_a_transaction_is_aborted_at_the_first_pass_after_its_timeout(whole: Whole) -> None:
    await (await whole.client()).make_topic("orders")
    state = await begin(whole, ("orders", 0))
    await whole.passes(TIMEOUT_MS)
    assert state.by_id["tx"].status is ONGOING  # the pass at this moment finds it one millisecond early
    await whole.passes(INTERVAL_MS)
    await settled(whole)
    assert state.by_id["tx"].status is COMPLETE_ABORT
    assert state.by_id["tx"].producer_epoch == 1
    assert markers(whole, "orders") == [0]
    (line,) = whole.lines.of("transaction timed out")
    assert (line["transactional_id"], line["timeout_ms"]) == ("tx", TIMEOUT_MS)


async def test_an_earlier_timeout_is_found_although_a_later_one_was_set_first(whole: Whole) -> None:
    state = await begin(whole, ("orders", 0))
    short = changed(Transaction("short", 0, 9, producer_epoch=0), transaction_timeout_ms=1)
    whole.engine.runtime.accept("Transactions", Decision(records=(short,)))
    added = state.add_partitions(whole.engine.runtime.now(), "short", 9, 0, [("orders", 0)])
    whole.engine.runtime.accept("Transactions", added)
    await whole.passes(INTERVAL_MS)
    await settled(whole)
    assert state.by_id["short"].status is COMPLETE_ABORT
    assert state.by_id["tx"].status is ONGOING


async def test_a_restart_leaves_a_transaction_the_rest_of_its_timeout() -> None:
    storage, clock = MemoryStorage(), LoopClock()
    async with running(storage, clock) as whole:
        await begin(whole, ("orders", 0))
        await whole.passes(TIMEOUT_MS - INTERVAL_MS)
    async with running(storage, clock) as whole:
        state = whole.engine.runtime.state("Transactions")
        await whole.passes(INTERVAL_MS)
        assert state.by_id["tx"].status is ONGOING
        await whole.passes(INTERVAL_MS)
        await settled(whole)
        assert state.by_id["tx"].status is COMPLETE_ABORT


async def test_a_move_of_sessions_aborts_what_timed_out_and_returns_when_the_markers_are_durable() -> None:
    async with running(MemoryStorage(), tidemark_test_api="true") as whole:
        await (await whole.client()).make_topic("orders")
        state = await begin(whole, ("orders", 0))
        await whole.time.advance(TIMEOUT_MS, cleanup=True, sessions=True, logs=False)
        assert state.by_id["tx"].status is ONGOING
        await whole.time.advance(1, cleanup=True, sessions=True, logs=False)
        assert state.by_id["tx"].status is COMPLETE_ABORT
        assert markers(whole, "orders") == [0]
        assert whole.engine.group_commit.durable == whole.engine.group_commit.appended


async def test_a_move_of_sessions_waits_for_markers_that_were_owed_before() -> None:
    async with running(MemoryStorage(), tidemark_test_api="true") as whole:
        await (await whole.client()).make_topic("orders")
        state = await begin(whole, ("orders", 0))
        prepare(whole)
        await whole.time.advance(1, cleanup=False, sessions=True, logs=False)
        assert state.by_id["tx"].status is COMPLETE_COMMIT
        assert markers(whole, "orders") == [1]


async def test_a_long_move_of_sessions_aborts_at_the_moment_of_the_pass() -> None:
    async with running(MemoryStorage(), tidemark_test_api="true") as whole:
        state = await begin(whole, ("orders", 0))
        began_ms = state.by_id["tx"].start_ms
        await whole.time.advance(DAY_MS, cleanup=False, sessions=True, logs=False)
        aborted = state.by_id["tx"]
        assert aborted.status is COMPLETE_ABORT
        assert TIMEOUT_MS < aborted.last_update_ms - began_ms <= TIMEOUT_MS + INTERVAL_MS


async def test_a_move_of_wall_time_removes_expired_ids_and_leaves_open_transactions() -> None:
    storage = MemoryStorage()
    async with running(storage, tidemark_test_api="true") as whole:
        state = await begin(whole, ("orders", 0))
        unused = changed(
            Transaction("unused", 0, 9, producer_epoch=0),
            transaction_last_update_timestamp_ms=whole.state.clock.wall_ms(),
        )
        whole.engine.runtime.accept("Transactions", Decision(records=(unused,)))
        await whole.time.advance(7 * DAY_MS - 1_000, cleanup=True, sessions=False, logs=False)
        assert {*state.by_id} == {"tx", "unused"}
        await whole.time.advance(1_000, cleanup=True, sessions=False, logs=False)
        assert {*state.by_id} == {"tx"}
        assert whole.lines.of("transactional id expired") == [{"transactional_id": "unused"}]
    async with running(storage, tidemark_test_api="true") as whole:
        assert {*whole.engine.runtime.state("Transactions").by_id} == {"tx"}


async def test_ids_expire_at_the_scheduled_pass() -> None:
    async with running(MemoryStorage(), transactional_id_expiration_ms="1") as whole:
        state = await begin(whole, ("orders", 0))
        prepare(whole)
        await settled(whole)
        interval_ms = whole.node.env.config.transaction_remove_expired_transaction_cleanup_interval_ms
        whole.clock.advance(interval_ms)
        async with asyncio.timeout(10):
            while state.by_id:
                await whole.reads()


async def test_wall_time_does_not_move_to_before_a_transaction() -> None:
    async with running(MemoryStorage(), tidemark_test_api="true") as whole:
        await (await whole.client()).ask("FindCoordinator", 4, A_FIND)
        whole.clock.advance(1_000)
        await begin(whole, ("orders", 0))
        with pytest.raises(ClockRefused, match="transactional id 'tx'"):
            await whole.time.advance(-DAY_MS, cleanup=False, sessions=False, logs=False)


@pytest.mark.parametrize("committed", [True, False])
async def test_write_txn_markers_decides_about_pending_offsets(
    whole: Whole, client: Client, committed: bool
) -> None:
    await client.make_topic("orders")
    await client.find("g")
    commit = OffsetCommitValue(42, commit_timestamp=START_MS)
    record = Record(OffsetCommitKey("g", "orders", 0), commit, (7, 1))
    whole.engine.runtime.accept("Groups", Decision(records=(record,)))
    marker = {
        "ProducerId": 7,
        "ProducerEpoch": 0,
        "TransactionResult": committed,
        "Topics": [{"Name": "__consumer_offsets", "PartitionIndexes": [0, 1]}],
    }
    assert codes(await client.ask("WriteTxnMarkers", 1, {"Markers": [marker]})) == [(0, 47), (1, 3)]
    marker["ProducerEpoch"] = 1
    assert codes(await client.ask("WriteTxnMarkers", 1, {"Markers": [marker]})) == [(0, 0), (1, 3)]
    assert await client.committed("g") == (42 if committed else -1)
    assert markers(whole, "__consumer_offsets") == [int(committed)]


@pytest.mark.parametrize("turns", range(8))
async def test_write_txn_markers_ends_no_pending_offsets_after_the_leader_has_moved(
    whole: Whole, client: Client, turns: int
) -> None:
    await client.make_topic("orders")
    await client.find("g")
    commit = OffsetCommitValue(42, commit_timestamp=START_MS)
    record = Record(OffsetCommitKey("g", "orders", 0), commit, (7, 1))
    whole.engine.runtime.accept("Groups", Decision(records=(record,)))
    topics = [{"Name": OFFSETS_TOPIC, "PartitionIndexes": [0]}]
    marker = {"ProducerId": 7, "ProducerEpoch": 1, "TransactionResult": True, "Topics": topics}
    client.send("WriteTxnMarkers", 1, {"Markers": [marker]})
    for _ in range(turns):
        await turn()
    offsets = whole.state.groups.offsets
    has_ended = not offsets.pending("g")
    topic_id = whole.state.cluster.topics[OFFSETS_TOPIC].topic_id
    moved = PartitionChangeRecord(0, topic_id, leader=9)
    whole.engine.runtime.accept("Cluster", Decision(records=(Record(None, moved),)))
    response = await client.answer("WriteTxnMarkers", 1)
    assert codes(response) == [(0, 0 if has_ended else ErrorCode.NOT_LEADER_OR_FOLLOWER)]
    assert has_ended == (not offsets.pending("g"))


def codes(response: dict[str, Any]) -> list[tuple[int, int]]:
    (marker,) = response["Markers"]
    (topic,) = marker["Topics"]
    return sorted((each["PartitionIndex"], each["ErrorCode"]) for each in topic["Partitions"])


@pytest.mark.parametrize("version", [4, 5])
async def test_a_clean_stop_responds_to_the_clients_whose_transactions_are_ending(version: int) -> None:
    """The clock makes each marker need a turn of the loop, so that the stop begins in the middle of them."""
    storage, names = MemoryStorage(), [("orders", index) for index in range(PARTITIONS)]
    whole = await start(storage, WorkingClock(TURN_MS))
    client = await whole.client()
    assert await client.make_topic("orders", PARTITIONS) == 0
    state = await begin(whole, *names)
    end = {"TransactionalId": "tx", "ProducerId": 0, "ProducerEpoch": 0, "Committed": True}
    client.send("EndTxn", version, end)
    while state.by_id["tx"].status not in PREPARED:
        await turn()
    await whole.node.stop()
    response = await client.answer("EndTxn", version)
    assert response["ErrorCode"] == 0
    for each in whole._clients:
        each.writer.close()
        await each.writer.wait_closed()

    async with running(storage) as whole:
        state = whole.engine.runtime.state("Transactions")
        assert state.by_id["tx"].status is COMPLETE_COMMIT
        assert all(markers(whole, *name) == [1] for name in names)
        retried = await (await whole.client()).ask("EndTxn", version, end)
        assert retried == response


async def test_verifications_are_counted_for_data_and_for_offsets(whole: Whole, client: Client) -> None:
    await client.make_topic("orders")
    await client.find()
    await begin(whole, ("__consumer_offsets", 0))

    data = a_batch(attributes=TRANSACTIONAL, producer_id=0, producer_epoch=0, sequence=0)
    partition = {"Index": 0, "Records": data.hex()}
    topics = [{"Name": "orders", "PartitionData": [partition]}]
    produce = {"TransactionalId": "tx", "Acks": -1, "TimeoutMs": 1000, "TopicData": topics}
    refused = await client.ask("Produce", 11, produce)
    code = refused["Responses"][0]["PartitionResponses"][0]["ErrorCode"]
    assert code == ErrorCode.TRANSACTION_ABORTABLE
    committed = [{"PartitionIndex": 0, "CommittedOffset": 1}]
    commit = {
        "TransactionalId": "tx",
        "GroupId": "g",
        "ProducerId": 0,
        "ProducerEpoch": 0,
        "Topics": [{"Name": "orders", "Partitions": committed}],
    }
    accepted = await client.ask("TxnOffsetCommit", 3, commit)
    assert accepted["Topics"][0]["Partitions"][0]["ErrorCode"] == 0
    assert whole.metrics.reading("verification_failures") == 1
    assert whole.metrics.reading("verifications") == 2
