"""Faults and the journal of a whole node: what clients get, and what is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event, current_thread
from typing import Any, Final

import pytest

from tests.unit.broker.server.test_interceptors import is_closed
from tests.unit.broker.whole import (
    A_JOIN,
    STEP_MS,
    Client,
    Whole,
    WorkingClock,
    a_commit,
    running,
    stable_member,
    start,
)
from tests.wire import request
from tidemark.config import ConfigError
from tidemark.faults import errors
from tidemark.faults.active import ActiveFault
from tidemark.faults.interceptor import TRANSACTION_APIS
from tidemark.faults.model import ACTIONS, read_fault
from tidemark.node.on_request import FaultControl
from tidemark.server.memory import TRIMMED_BYTES
from tidemark.server.request_journal import ELEMENTS_MAX, Entry, JournalFilter, RequestJournal
from tidemark.server.session import ELEMENTS_AT_ONCE_MAX
from tidemark.turns import TURN_MS
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_testing.storage import MemoryStorage

LONG_MS = 5_000


@asynccontextmanager
async def faulty(**settings: str) -> AsyncIterator[tuple[Whole, Client]]:
    """Run a node with the test API, a topic `orders` and a coordinator."""
    async with running(MemoryStorage(), tidemark_test_api="true", **settings) as whole:
        client = await whole.client()
        await client.make_topic(partitions=2)
        await client.find()
        yield whole, client


def control(whole: Whole) -> FaultControl:
    assert whole.node.on_request is not None and whole.node.on_request.faults is not None
    return whole.node.on_request.faults


def journal(whole: Whole) -> RequestJournal:
    assert whole.node.on_request is not None and whole.node.on_request.journals is not None
    return whole.node.on_request.journals.clients


def add(whole: Whole, **fields: Any) -> ActiveFault:
    return control(whole).add(read_fault(fields))


def recorded(whole: Whole, **wanted: Any) -> list[Entry]:
    found, passes = journal(whole), JournalFilter(**wanted)
    return [entry for entry in found.entries() if found.selects(passes, entry)]


def view(whole: Whole, entry: Entry) -> dict[str, Any]:
    return journal(whole).view(entry, entry.messages())


async def until(condition: Any) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


# what a client gets

# A fault of each action.
OF_ACTION: dict[str, dict[str, Any]] = {
    "error": {"error": "NOT_COORDINATOR"},
    "delay_ms": {"delay_ms": LONG_MS},
    "throttle_ms": {"throttle_ms": LONG_MS},
    "truncate_bytes": {"truncate_bytes": 5},
    "disk": {"disk": "write", "errno": "EIO"},
}


async def received(whole: Whole) -> bytes | None:
    """Return the bytes that the broker sends for a commit on a new connection; None if it sends none."""
    client = await whole.client()
    client.send("OffsetCommit", 8, a_commit("g", 1))
    silent = await client.is_silent()
    return None if silent else await client.reader.read(1_000)


@pytest.mark.parametrize("action", ACTIONS)
async def test_each_action_has_an_effect(action: str) -> None:
    async with faulty() as (whole, _):
        without = await received(whole)
        assert without is not None
        assert await received(whole) == without
        fault = add(whole, **OF_ACTION.get(action, {action: True}))
        assert fault.fault.action == action
        assert await received(whole) != without
        assert fault.matched == 1
        control(whole).remove(fault.id)
        if action != "disk":  # a disk that has failed once stops the broker
            assert await received(whole) == without


async def test_error_is_returned_as_often_as_requested_and_nothing_is_decided() -> None:
    async with faulty() as (whole, client):
        fault = add(whole, api="OffsetCommit", group="g", error="NOT_COORDINATOR", times=2)
        assert await client.commit("other", 1) == 0
        assert [await client.commit("g", 1) for _ in range(3)] == [16, 16, 0]
        assert (fault.matched, fault.seen) == (2, 2)
        refused = recorded(whole, api="OffsetCommit", error="NOT_COORDINATOR")
        assert [entry.faults for entry in refused] == [[fault.id], [fault.id]]


@pytest.mark.parametrize("chosen", [{"once": True}, {"nth": 1}], ids=str)
async def test_request_on_which_an_error_has_no_effect_is_not_counted(chosen: dict[str, Any]) -> None:
    async with faulty() as (whole, client):
        fault = add(whole, api="Metadata", error="UNKNOWN_TOPIC_OR_PARTITION", **chosen)
        assert (await client.ask("Metadata", 12, {"Topics": []}))["Brokers"]
        assert (fault.matched, fault.seen) == (0, 0)
        assert view(whole, recorded(whole, api="Metadata")[-1])["faults"] == []
        for error in (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NONE):
            asked = {"Topics": [{"Name": "orders"}]}
            assert (await client.ask("Metadata", 12, asked))["Topics"][0]["ErrorCode"] == error
        assert fault.matched == 1
        assert [entry.faults for entry in recorded(whole, api="Metadata")[-2:]] == [[fault.id], []]


@pytest.mark.parametrize(
    "action",
    [
        {"drop": True},
        {"truncate_bytes": 5},
        {"duplicate": True},
        {"throttle_ms": LONG_MS},
        {"delay_ms": LONG_MS, "when": "after"},
        {"close": True, "when": "after"},
        {"block": True, "when": "after"},
    ],
    ids=str,
)
async def test_fault_of_a_response_does_not_match_a_request_without_one(action: dict[str, Any]) -> None:
    async with faulty() as (whole, client):
        fault = add(whole, api="Produce", **action)
        batch = build_batch([LogRecord(0, 1, None, b"one order", ())], leader_epoch=-1)
        data = [TopicProduceData("orders", partition_data=[PartitionProduceData(0, batch)])]
        client.writer.write(request("Produce", 9, ProduceRequest(acks=0, topic_data=data)))
        await until(lambda: recorded(whole, api="Produce", outcome="no_response"))
        assert (fault.matched, fault.seen) == (0, 0)


async def test_throttle_does_not_match_a_response_without_throttle_time() -> None:
    async with faulty() as (whole, client):
        fault = add(whole, throttle_ms=1)
        await client.ask("SaslHandshake", 1, {"Mechanism": "PLAIN"})
        assert fault.matched == 0
        await client.ask("ListGroups", 4, {})
        assert fault.matched == 1


async def test_lost_response_comes_before_an_error_that_was_set_later() -> None:
    async with faulty() as (whole, client):
        lost = add(whole, api="OffsetCommit", drop=True, once=True)
        error = add(whole, api="OffsetCommit", error="NOT_COORDINATOR", times=2)
        client.send("OffsetCommit", 8, a_commit("g", 7))
        assert await client.committed("g") == 7
        assert (lost.matched, error.matched) == (1, 0)
        assert [await client.commit("g", 8) for _ in range(3)] == [16, 16, 0]
        assert error.matched == 2


@pytest.mark.parametrize(
    "later",
    [{"throttle_ms": 1}, {"duplicate": True}, {"delay_ms": 1, "when": "after"}, {"truncate_bytes": 5}],
    ids=str,
)
async def test_fault_of_a_response_does_not_match_a_request_that_another_fault_refuses(
    later: dict[str, Any],
) -> None:
    async with faulty() as (whole, client):
        waiting = add(whole, api="OffsetCommit", once=True, **later)
        add(whole, api="OffsetCommit", error="NOT_COORDINATOR", once=True)
        assert await client.commit("g", 7) == ErrorCode.NOT_COORDINATOR
        assert (waiting.matched, waiting.seen) == (0, 0)
        (refused,) = recorded(whole, api="OffsetCommit")
        assert len(refused.faults) == 1
        client.send("OffsetCommit", 8, a_commit("g", 7))
        await until(lambda: waiting.matched == 1)


async def test_coordinator_that_loads_does_not_match_a_search_for_it() -> None:
    async with faulty() as (whole, client):
        fault = add(whole, coordinator_away=True, group="g", loading_ms=LONG_MS)
        control(whole).release(fault.id)
        await client.ask("FindCoordinator", 4, {"CoordinatorKeys": ["g"]})
        assert fault.matched == 0


async def test_dropped_response_was_applied() -> None:
    async with faulty() as (whole, client):
        add(whole, api="OffsetCommit", drop=True, once=True)
        client.send("OffsetCommit", 8, a_commit("g", 7))
        assert await client.committed("g") == 7  # the response to the next request
        (commit,) = recorded(whole, api="OffsetCommit")
        assert (commit.outcome, view(whole, commit)["response"]) == ("dropped", None)


@pytest.mark.parametrize(("when", "committed"), [("before", -1), ("after", 7)])
async def test_connection_is_closed_before_or_after_the_decision(when: str, committed: int) -> None:
    async with faulty() as (whole, client):
        add(whole, api="OffsetCommit", close=True, when=when)
        client.send("OffsetCommit", 8, a_commit("g", 7))
        assert await is_closed(client)
        assert await (await whole.client()).committed("g") == committed
        (commit,) = recorded(whole, api="OffsetCommit")
        assert commit.outcome == "closed"


async def test_response_is_truncated_and_the_connection_closed() -> None:
    async with faulty() as (whole, client):
        add(whole, api="OffsetCommit", truncate_bytes=9)
        client.send("OffsetCommit", 8, a_commit("g", 7))
        client.send("Metadata", 9, {})
        async with asyncio.timeout(10):
            assert len(await client.reader.read()) == 9


async def test_response_is_sent_twice() -> None:
    async with faulty() as (whole, client):
        add(whole, api="OffsetCommit", duplicate=True)
        assert await client.commit("g", 7) == 0
        assert (await client.answer("OffsetCommit", 8))["Topics"]


async def test_throttle_time_is_set_beside_the_result() -> None:
    async with faulty() as (whole, client):
        add(whole, api="OffsetCommit", throttle_ms=30)
        answered = await client.ask("OffsetCommit", 8, a_commit("g", 7))
        assert answered["ThrottleTimeMs"] == 30
        assert await (await whole.client()).committed("g") == 7


@pytest.mark.parametrize(("when", "committed"), [("before", -1), ("after", 7)])
async def test_delay_is_before_or_after_the_decision(when: str, committed: int) -> None:
    async with faulty() as (whole, client):
        add(whole, api="OffsetCommit", delay_ms=LONG_MS, when=when)
        client.send("OffsetCommit", 8, a_commit("g", 7))
        assert await client.is_silent()
        other = await whole.client()
        assert await other.committed("g") == committed
        await whole.passes(LONG_MS + STEP_MS)
        assert (await client.answer("OffsetCommit", 8))["Topics"]
        assert await other.committed("g") == 7


async def test_error_after_a_delay_by_two_faults() -> None:
    async with faulty() as (whole, client):
        add(whole, api="OffsetCommit", delay_ms=LONG_MS)
        add(whole, api="OffsetCommit", error="NOT_COORDINATOR")
        client.send("OffsetCommit", 8, a_commit("g", 7))
        assert await client.is_silent()
        await whole.passes(LONG_MS + STEP_MS)
        answered = await client.answer("OffsetCommit", 8)
        assert answered["Topics"][0]["Partitions"][0]["ErrorCode"] == ErrorCode.NOT_COORDINATOR


@pytest.mark.parametrize("ends", ["release", "remove", "for_ms"])
async def test_blocked_request_waits_until_it_is_released(ends: str) -> None:
    async with faulty() as (whole, client):
        fault = add(whole, api="OffsetCommit", block=True, for_ms=LONG_MS)
        client.send("OffsetCommit", 8, a_commit("g", 7))
        await until(lambda: fault.matched == 1)
        assert await client.is_silent()
        (pending,) = recorded(whole, outcome="pending")
        assert pending.api == "OffsetCommit"
        if ends == "for_ms":
            await whole.passes(LONG_MS + STEP_MS)
        else:
            getattr(control(whole), ends)(fault.id)
        assert (await client.answer("OffsetCommit", 8))["Topics"]


async def test_paused_broker_sends_nothing_not_even_what_it_decided_before() -> None:
    async with faulty() as (whole, client):
        waiting = await whole.client()
        await stable_member(waiting)
        waits = {"MaxWaitMs": LONG_MS, "MinBytes": 1, "MaxBytes": 1000, "SessionEpoch": -1}
        partitions = [{"Partition": 0, "PartitionMaxBytes": 1000}]
        waiting.send("Fetch", 11, {**waits, "Topics": [{"Topic": "orders", "Partitions": partitions}]})
        await until(lambda: recorded(whole, api="Fetch"))
        fault = add(whole, pause=True)
        client.send("OffsetCommit", 8, a_commit("g", 7))
        await until(lambda: fault.matched == 1)
        await whole.passes(LONG_MS + STEP_MS)
        assert await client.is_silent() and await waiting.is_silent()
        control(whole).remove(fault.id)
        assert (await client.answer("OffsetCommit", 8))["Topics"]
        assert (await waiting.answer("Fetch", 11))["ErrorCode"] == 0


async def test_connections_are_refused_and_open_ones_stay() -> None:
    async with faulty() as (whole, client):
        fault = add(whole, refuse_connections=True, once=True)
        assert await is_closed(await whole.client())
        assert fault.matched == 1
        assert await client.commit("g", 1) == 0
        assert await (await whole.client()).committed("g") == 1


async def test_coordinator_moves_away_loads_and_serves_again() -> None:
    async with faulty() as (whole, client):
        fault = add(whole, coordinator_away=True, group="g", loading_ms=LONG_MS)
        assert await client.commit("g", 1) == ErrorCode.NOT_COORDINATOR
        assert await client.commit("other", 1) == 0
        found = await client.ask("FindCoordinator", 4, {"CoordinatorKeys": ["g", "other"]})
        assert [each["ErrorCode"] for each in found["Coordinators"]] == [15, 0]
        control(whole).release(fault.id)
        found = await client.ask("FindCoordinator", 4, {"CoordinatorKeys": ["g"]})
        assert found["Coordinators"][0]["ErrorCode"] == 0
        assert await client.commit("g", 1) == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        await whole.passes(LONG_MS + STEP_MS)
        assert await client.commit("g", 1) == 0


async def find(client: Client, transactional_id: str) -> int:
    asked = {"CoordinatorKeys": [transactional_id], "KeyType": 1}
    (found,) = (await client.ask("FindCoordinator", 4, asked))["Coordinators"]
    code: int = found["ErrorCode"]
    return code


async def initialised(client: Client, transactional_id: str | None) -> int:
    asked = {"TransactionalId": transactional_id, "TransactionTimeoutMs": LONG_MS}
    code: int = (await client.ask("InitProducerId", 4, asked))["ErrorCode"]
    return code


async def test_coordinator_of_a_transactional_id_moves_away_alone() -> None:
    async with faulty() as (whole, client):
        assert (await find(client, "x"), await find(client, "y")) == (0, 0)
        fault = add(whole, coordinator_away=True, transactional_id="x", loading_ms=LONG_MS)
        assert await find(client, "x") == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert await initialised(client, "x") == ErrorCode.NOT_COORDINATOR
        assert (await find(client, "y"), await initialised(client, "y"), await initialised(client, None)) == (
            0,
        ) * 3
        assert await client.commit("g", 1) == 0
        control(whole).release(fault.id)
        assert await find(client, "x") == 0
        assert await initialised(client, "x") == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        await whole.passes(LONG_MS + STEP_MS)
        assert await initialised(client, "x") == 0
        refused = recorded(whole, transactional_id="x", error="NOT_COORDINATOR")
        assert [entry.api for entry in refused] == ["InitProducerId"]


TOPICS_OF_X = [{"Name": "orders", "Partitions": [0]}]
IDS_OF_X = {"TransactionalId": "x", "ProducerId": 0, "ProducerEpoch": 0}
OF_X: dict[str, tuple[int, dict[str, Any]]] = {
    "AddOffsetsToTxn": (3, {**IDS_OF_X, "GroupId": "g"}),
    "AddPartitionsToTxn": (
        3,
        {
            "V3AndBelowTransactionalId": "x",
            "V3AndBelowProducerId": 0,
            "V3AndBelowProducerEpoch": 0,
            "V3AndBelowTopics": TOPICS_OF_X,
        },
    ),
    "DescribeTransactions": (0, {"TransactionalIds": ["x"]}),
    "EndTxn": (3, IDS_OF_X),
    "InitProducerId": (4, {"TransactionalId": "x", "TransactionTimeoutMs": LONG_MS}),
}


async def test_each_request_to_the_coordinator_of_a_transactional_id_is_refused() -> None:
    async with faulty() as (whole, client):
        await find(client, "x")
        add(whole, coordinator_away=True)
        assert set(OF_X) == TRANSACTION_APIS
        for api, (version, asked) in OF_X.items():
            await client.ask(api, version, asked)
            (entry,) = recorded(whole, api=api, transactional_id="x")
            assert entry.read_errors() == ["NOT_COORDINATOR"], api


async def test_coordinator_of_a_group_moves_away_without_that_of_its_transactions() -> None:
    async with faulty() as (whole, client):
        await find(client, "x")
        add(whole, coordinator_away=True, group="g")
        await client.ask("AddOffsetsToTxn", *OF_X["AddOffsetsToTxn"])
        (entry,) = recorded(whole, api="AddOffsetsToTxn")
        assert entry.read_errors() == ["INVALID_PRODUCER_ID_MAPPING"]


async def test_connection_is_muted_for_its_throttle_time() -> None:
    async with faulty() as (whole, client):
        await client.commit("g", 0)
        add(whole, api="OffsetCommit", throttle_ms=LONG_MS, once=True)
        for offset in (1, 2):
            client.send("OffsetCommit", 8, a_commit("g", offset))
        assert (await client.answer("OffsetCommit", 8))["ThrottleTimeMs"] == LONG_MS
        other = await whole.client()
        assert await other.committed("g") == 1
        assert await client.is_silent()
        client.send("OffsetCommit", 8, a_commit("g", 3))
        assert await client.is_silent()
        assert await other.committed("g") == 1
        await whole.passes(LONG_MS + STEP_MS)
        for _ in range(2):
            assert (await client.answer("OffsetCommit", 8))["ThrottleTimeMs"] == 0
        assert await other.committed("g") == 3


async def test_produce_without_acks_and_an_error_closes_the_connection() -> None:
    async with faulty() as (whole, client):
        add(whole, api="Produce", error="NOT_LEADER_OR_FOLLOWER")
        topics = [{"Name": "orders", "PartitionData": [{"Index": 0, "Records": None}]}]
        client.writer.write(request("Produce", 9, {"Acks": 0, "TopicData": topics}))
        assert await is_closed(client)


async def test_fault_of_a_topic_reaches_every_fetch_of_a_session() -> None:
    """Only the first request of a session names its partitions."""
    async with faulty() as (whole, client):
        partitions = [{"Partition": each, "PartitionMaxBytes": 1_000_000} for each in (0, 1)]
        topics = [{"Topic": "orders", "Partitions": partitions}]
        first = await client.ask("Fetch", 11, {"MaxBytes": 1_000_000, "SessionEpoch": 0, "Topics": topics})
        add(whole, api="Fetch", topic="orders", partition=1, error="NOT_LEADER_OR_FOLLOWER")
        for epoch in (1, 2):
            later = {
                "MaxWaitMs": LONG_MS,
                "MinBytes": 1,
                "MaxBytes": 1_000_000,
                "SessionId": first["SessionId"],
            }
            fetched = await client.ask("Fetch", 11, later | {"SessionEpoch": epoch})
            errors = [
                (each["PartitionIndex"], each["ErrorCode"])
                for topic in fetched["Responses"]
                for each in topic["Partitions"]
            ]
            assert errors == [(1, ErrorCode.NOT_LEADER_OR_FOLLOWER)]


MANY: Final = 3 * ELEMENTS_AT_ONCE_MAX


@pytest.mark.parametrize("partition", [None, 0])
@pytest.mark.parametrize(
    ("api", "version", "sent"),
    [
        ("OffsetCommit", 8, {"GroupId": "g"}),
        ("ListOffsets", 6, {}),
        ("Metadata", 9, {}),
        ("OffsetFetch", 7, {"GroupId": "g"}),
    ],
)
async def test_error_of_a_long_request_is_built_in_a_worker(
    api: str, version: int, sent: dict[str, Any], partition: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: set[str] = set()

    def spied(work: Any) -> Any:
        def spy(*arguments: Any) -> Any:
            threads.add(current_thread().name)
            return work(*arguments)

        return spy

    monkeypatch.setattr(errors, "failed_parts", spied(errors.failed_parts))
    numbers = range(1 if api == "Metadata" else MANY)
    inside: dict[str, Any] = {
        "ListOffsets": {"Partitions": [{"PartitionIndex": each, "Timestamp": -1} for each in numbers]},
        "OffsetFetch": {"PartitionIndexes": [*numbers]},
        "Metadata": {},
    }.get(api, {"Partitions": [{"PartitionIndex": each, "CommittedOffset": 5} for each in numbers]})
    topics = [{"Name": "orders", **inside}]
    if api == "Metadata":
        topics += [{"Name": f"none-{each}"} for each in range(MANY)]
    async with faulty() as (whole, client):
        level = {"topic": "orders"} if partition is None else {"topic": "orders", "partition": partition}
        if api == "Metadata":
            level = {"level": "topic"}
        fault = add(whole, api=api, error="UNKNOWN_SERVER_ERROR", **level)
        answered = await client.ask(api, version, {**sent, "Topics": topics})
        found = [answered["Topics"][0]] if api == "Metadata" else answered["Topics"][0]["Partitions"]
        failed = [each for each in found if each["ErrorCode"] == ErrorCode.UNKNOWN_SERVER_ERROR]
        assert len(failed) == (1 if partition == 0 or api == "Metadata" else MANY)
        assert len(found) == len(numbers)
        assert fault.matched == 1
        assert threads
        assert current_thread().name not in threads
        assert await (await whole.client()).ask("ApiVersions", 0, {})


# the disk


@pytest.mark.parametrize("operation", ["write", "sync"])
async def test_disk_that_fails_stops_the_broker_with_its_error(operation: str) -> None:
    async with faulty() as (whole, client):
        fault = add(whole, disk=operation, errno="ENOSPC")
        client.send("OffsetCommit", 8, a_commit("g", 7))
        async with asyncio.timeout(10):
            reason = await whole.node.failed
        assert f"No space left on device (fault {fault.id})" in reason
        assert fault.matched >= 1


async def test_disk_that_fails_when_another_broker_leads_stops_all() -> None:
    """No request and no task waits for what follows the end of a broker's session."""
    unexpected: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unexpected.append(context))
    async with faulty(tidemark_brokers="3") as (whole, client):
        topic = {"Name": "kept", "NumPartitions": 1, "ReplicationFactor": 3}
        await client.ask("CreateTopics", 7, {"Topics": [topic]})
        await whole.node.brokers.move_leader("kept", 0, 1)  # the broker of this client
        await client.ask("Produce", 9, a_record("kept"))
        await whole.node.brokers.kill(1)
        fault = add(whole, disk="write", errno="ENOSPC")
        await whole.passes(10_000)
        async with asyncio.timeout(10):
            reason = await whole.node.failed
        assert f"No space left on device (fault {fault.id})" in reason
        assert not unexpected


async def test_slow_disk_delays_the_response() -> None:
    async with faulty() as (whole, client):
        fault = add(whole, disk="sync", delay_ms=1, times=1)
        assert await client.commit("g", 7) == 0
        assert fault.matched == 1


def a_record(topic: str = "orders") -> dict[str, Any]:
    records = build_batch([LogRecord(0, 1_000, None, b"x")]).hex()
    data = [{"Name": topic, "PartitionData": [{"Index": 0, "Records": records}]}]
    return {"Acks": -1, "TimeoutMs": 1000, "TopicData": data}


async def test_a_slow_write_delays_its_response_and_no_other_client() -> None:
    async with faulty() as (whole, client):
        other = await whole.client()
        fault = add(whole, disk="write", delay_ms=60_000, times=1)
        client.send("Produce", 9, a_record())
        assert await client.is_silent()
        assert fault.matched == 1
        assert (await other.ask("ApiVersions", 0, {}))["ErrorCode"] == 0
        whole.clock.advance(60_000)
        (topic,) = (await client.answer("Produce", 9))["Responses"]
        assert topic["PartitionResponses"][0]["ErrorCode"] == 0


@pytest.mark.parametrize("operation", ["write", "sync"])
async def test_a_slow_disk_is_fast_again_once_its_fault_is_removed(operation: str) -> None:
    async with faulty() as (whole, client):
        fault = add(whole, disk=operation, delay_ms=60_000)
        client.send("OffsetCommit", 8, a_commit("g", 7))
        assert await client.is_silent()
        control(whole).remove(fault.id)
        assert (await client.answer("OffsetCommit", 8))["Topics"][0]["Partitions"][0]["ErrorCode"] == 0


# the node


async def test_fault_is_asked_about_requests_of_its_api_only() -> None:
    async with faulty() as (whole, _):
        add(whole, api="Produce", error="NOT_LEADER_OR_FOLLOWER")
        interceptors = whole.node.env.interceptors
        assert [len(interceptors.of(api)) for api in ("Produce", "OffsetCommit")] == [1, 0]
        add(whole, coordinator_away=True)
        found = [len(interceptors.of(api)) for api in ("Produce", "OffsetCommit", "EndTxn", "Metadata")]
        assert found == [1, 1, 1, 0]


async def test_restore_removes_faults_and_forgets_requests() -> None:
    async with faulty() as (whole, _):
        async with whole.node.lock:
            pass
        taken = await whole.node.snapshots.create()
        fault = add(whole, api="Metadata", block=True)
        await whole.node.snapshots.restore(taken)
        assert fault.removed
        assert len(control(whole).active) == 0
        assert not recorded(whole)
        client = await whole.client()
        assert await client.commit("g", 1) == 0
        assert [entry.api for entry in recorded(whole)] == ["OffsetCommit"]


async def test_requests_whose_delay_ends_at_once_are_decided_in_several_turns() -> None:
    # Each look at the clock finds that the turn is used up.
    clock = WorkingClock(TURN_MS)
    async with running(MemoryStorage(), clock, tidemark_test_api="true") as whole:
        clients = [await whole.client() for _ in range(20)]
        await clients[0].make_topic()
        await clients[0].find()
        add(whole, api="OffsetCommit", delay_ms=LONG_MS)
        for number, client in enumerate(clients):
            client.send("OffsetCommit", 2, a_commit(f"g-{number}", 5))
        await until(lambda: len(recorded(whole, api="OffsetCommit")) == len(clients))
        groups = whole.state.groups.groups
        assert not groups
        whole.clock.advance(LONG_MS)
        most = before = 0
        async with asyncio.timeout(10):
            while before < len(clients):
                await asyncio.sleep(0)
                most, before = max(most, len(groups) - before), len(groups)
        assert most <= 2
        for client in clients:
            assert await client.answer("OffsetCommit", 2)


async def test_restore_during_the_examination_of_a_long_request_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker is in the middle of the request when the state is replaced."""
    examining, restored = Event(), Event()
    failed = errors.failed_parts

    def slowly(*arguments: Any) -> Any:
        examining.set()
        assert restored.wait(10)
        return failed(*arguments)

    monkeypatch.setattr(errors, "failed_parts", slowly)
    async with faulty() as (whole, client):
        async with whole.node.lock:
            pass
        taken = await whole.node.snapshots.create()
        add(whole, api="OffsetCommit", error="NOT_COORDINATOR", topic="orders", partition=0)
        partitions = [{"PartitionIndex": each, "CommittedOffset": 5} for each in range(MANY)]
        topics = [{"Name": "orders", "Partitions": partitions}]
        asking = asyncio.ensure_future(client.ask("OffsetCommit", 8, {"GroupId": "g", "Topics": topics}))
        await until(examining.is_set)
        await whole.node.snapshots.restore(taken)
        restored.set()
        with pytest.raises(ConnectionError):
            await asking
        again = await whole.client()
        assert await again.commit("g", 1) == 0
        assert await again.committed("g") == 1


async def test_stop_with_a_large_request_that_a_fault_blocks() -> None:
    """Its memory is released when the threads of the broker have ended already."""
    async with faulty() as (whole, client):
        blocking = add(whole, api="Metadata", block=True)
        names = [{"Name": f"{number}{'x' * 30_000}"} for number in range(700)]
        client.send("Metadata", 4, {"Topics": names})
        await until(lambda: blocking.matched)
        assert whole.server.memory.total > TRIMMED_BYTES
        await whole.node.stop()
        assert await client.reader.read() == b""
        assert whole.server.memory.total == 0
        assert not [line for line in whole.lines.lines if "exc_info" in line[1]]


async def test_faults_of_the_file_are_set_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text("- api: OffsetCommit\n  error: NOT_COORDINATOR\n  times: 1\n")
    async with faulty(tidemark_faults_file=str(path)) as (_, client):
        assert [await client.commit("g", 1) for _ in range(2)] == [16, 0]
    path.write_text("- api: OffsetCommit\n  eror: NOT_COORDINATOR\n")
    with pytest.raises(ConfigError, match="faults.yaml: fault 1: unknown field 'eror'; did you mean 'error'"):
        await start(MemoryStorage(), tidemark_test_api="true", tidemark_faults_file=str(path))


async def test_without_the_test_api_there_is_no_interceptor(whole: Whole) -> None:
    assert whole.node.on_request is None
    assert not whole.node.env.interceptors


async def test_stop_ends_although_a_request_is_blocked() -> None:
    async with faulty() as (whole, client):
        fault = add(whole, block=True)
        client.send("OffsetCommit", 8, a_commit("g", 7))
        await until(lambda: fault.matched == 1)


# the journal


async def test_journal_has_the_size_in_which_a_request_arrived() -> None:
    """It may have fields that the broker does not know."""
    async with faulty() as (whole, client):
        frame = request("OffsetCommit", 8, a_commit("g", 7))
        unknown = bytes([1, 99, 3]) + b"abc"  # one tagged field at the end of the body
        longer = frame[4:-1] + unknown
        client.writer.write(len(longer).to_bytes(4, "big") + longer)
        assert (await client.answer("OffsetCommit", 8))["Topics"][0]["Partitions"][0]["ErrorCode"] == 0
        (entry,) = recorded(whole, api="OffsetCommit")
        assert view(whole, entry)["request_bytes"] == 4 + len(longer)


async def test_journal_names_only_the_topics_of_a_very_long_request() -> None:
    async with faulty() as (whole, client):
        partitions = [{"PartitionIndex": n, "CommittedOffset": 1} for n in range(ELEMENTS_MAX + 1)]
        topics = [{"Name": name, "Partitions": partitions} for name in ("orders", "returns")]
        await client.ask("OffsetCommit", 8, {"GroupId": "g", "Topics": topics})
        (entry,) = recorded(whole, topic="returns", partition=7)
        assert view(whole, entry)["topics"] == [
            {"topic": name, "partition": None} for name in ("orders", "returns")
        ]
        assert not recorded(whole, topic="other")


async def test_journal_records_the_request_its_response_and_who_sent_it() -> None:
    async with faulty() as (whole, client):
        await client.commit("g", 7)
        (entry,) = recorded(whole, api="OffsetCommit", group="g", topic="orders", partition=0)
        shown = view(whole, entry)
        assert shown["request"]["Topics"][0]["Partitions"][0]["CommittedOffset"] == 7
        assert shown["response"]["Topics"][0]["Partitions"][0]["ErrorCode"] == 0
        frame = request("OffsetCommit", 8, a_commit("g", 7))
        assert shown["request_bytes"] == len(frame)
        assert shown["response_bytes"] > 20
        assert (shown["connection"], shown["listener"], shown["errors"]) == (1, "PLAINTEXT", [])
        assert not recorded(whole, group="other")
        assert not recorded(whole, api="OffsetCommit", topic="orders", partition=1)
        assert not recorded(whole, after=entry.number)


async def test_journal_keeps_the_last_requests_within_its_bytes() -> None:
    async with faulty(tidemark_requests_max="5", tidemark_requests_max_bytes="6000") as (whole, client):
        for offset in range(20):
            await client.commit("g", offset)
        entries = recorded(whole)
        assert 1 <= len(entries) <= 5
        assert entries[-1].number == journal(whole).count
        assert journal(whole).memory_bytes == sum(entry.memory_bytes for entry in entries) <= 6000


async def test_slow_request_is_logged_without_the_test_api() -> None:
    async with running(MemoryStorage(), tidemark_requests_slow_ms="0") as whole:
        client = await whole.client()
        await client.make_topic()
        member = await stable_member(client)
        other = await whole.client()
        other.send("JoinGroup", 3, A_JOIN)
        assert await other.is_silent()
        await whole.passes(2000)
        await client.ask("LeaveGroup", 2, {"GroupId": "g", "MemberId": member})
        await other.answer("JoinGroup", 3)
        slow = [fields for fields in whole.lines.of("slow request") if fields["api"] == "JoinGroup"]
        assert slow[0]["ms"] >= 2000
