"""Requests of all connections share a turn of the loop: what has used it up makes the others wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.unit.broker.server.test_disconnecting import A_LONG_FETCH
from tests.unit.broker.server.test_pipelining import is_served
from tests.unit.broker.whole import Client, Whole, WorkingClock, running
from tests.wire import request
from tidemark.turns import LOOK_COST, REQUEST_COST, REQUESTS_MS, SHORT_BYTES, TURN_MS
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_testing.storage import MemoryStorage

CONNECTIONS = 20
PARTITIONS = 400
OFFSET_COMMIT, HEARTBEAT = 8, 12


def a_large_commit(group: str) -> bytes:
    rest = {"CommittedOffset": 5, "CommittedMetadata": ""}
    partitions = [{"PartitionIndex": number} | rest for number in range(PARTITIONS)]
    topics = [{"Name": "wide", "Partitions": partitions}]
    return request("OffsetCommit", 8, {"GroupId": group, "Topics": topics}, 1)


def a_heartbeat(number: int) -> bytes:
    return request("Heartbeat", 0, {"GroupId": "g", "GenerationId": 1, "MemberId": "nobody"}, number)


def served(whole: Whole, api_key: int) -> int:
    """Return how many requests of an API the broker has decoded."""
    known = whole.server._router.served
    return sum(each.requests for key, each in known.items() if key >> 16 == api_key)


async def most_in_a_turn(count: Callable[[], int], until: int) -> int:
    """Return the largest number of requests that were served in one turn of the loop."""
    most, before = 0, count()
    async with asyncio.timeout(30):
        while before < until:
            await asyncio.sleep(0)
            most, before = max(most, count() - before), count()
    return most


async def clients_of(whole: Whole, count: int) -> list[Client]:
    return [await whole.client() for _ in range(count)]


async def test_large_requests_of_many_connections_are_served_in_several_turns() -> None:
    # Each look at the clock finds that the turn is used up.
    async with running(MemoryStorage(), clock=WorkingClock(REQUESTS_MS)) as whole:
        clients = await clients_of(whole, CONNECTIONS)
        await clients[0].make_topic("wide", PARTITIONS)
        await clients[0].find()
        for number, client in enumerate(clients):
            client.writer.write(a_large_commit(f"g-{number}"))
        most = await most_in_a_turn(lambda: served(whole, OFFSET_COMMIT), CONNECTIONS)
        # The first one starts the time, and the second one uses it up, among new requests and in the queue.
        assert most <= 4
        for client in clients:
            assert await client.correlation_ids(1) == [1]
        assert await is_served(whole)


async def test_small_requests_of_many_connections_are_served_in_several_turns() -> None:
    async with running(MemoryStorage(), clock=WorkingClock(REQUESTS_MS)) as whole:
        clients = await clients_of(whole, 5 * CONNECTIONS)
        await clients[0].find()
        for client in clients:
            client.writer.write(a_heartbeat(1))
        most = await most_in_a_turn(lambda: served(whole, HEARTBEAT), len(clients))
        assert most <= 3 * LOOK_COST // REQUEST_COST
        for client in clients:
            assert await client.correlation_ids(1) == [1]


async def test_pipelined_small_requests_are_served_in_several_turns() -> None:
    async with running(MemoryStorage(), clock=WorkingClock(REQUESTS_MS)) as whole:
        client = await whole.client()
        await client.find()
        client.writer.write(b"".join(a_heartbeat(number) for number in range(200)))
        most = await most_in_a_turn(lambda: served(whole, HEARTBEAT), 200)
        assert most <= 3 * LOOK_COST // REQUEST_COST
        assert await client.correlation_ids(200) == list(range(200))


async def test_small_request_does_not_wait_behind_large_ones() -> None:
    async with running(MemoryStorage(), clock=WorkingClock(REQUESTS_MS)) as whole:
        clients = await clients_of(whole, CONNECTIONS)
        small = await whole.client()
        await small.make_topic("wide", PARTITIONS)
        await small.find()
        assert len(a_large_commit("g")) > SHORT_BYTES
        for number, client in enumerate(clients):
            client.writer.write(a_large_commit(f"g-{number}"))
        small.writer.write(a_heartbeat(1))
        assert await small.correlation_ids(1) == [1]
        assert served(whole, OFFSET_COMMIT) < CONNECTIONS
        for client in clients:
            assert await client.correlation_ids(1) == [1]


async def test_small_request_overtakes_the_pipelines_of_many_connections() -> None:
    async with running(MemoryStorage(), clock=WorkingClock(REQUESTS_MS)) as whole:
        clients = await clients_of(whole, CONNECTIONS)
        small = await whole.client()
        await small.find()
        pipeline = b"".join(a_heartbeat(number) for number in range(70))
        assert len(pipeline) <= SHORT_BYTES
        for client in clients:
            client.writer.write(pipeline)
        small.writer.write(a_heartbeat(1))
        assert await small.correlation_ids(1) == [1]
        assert served(whole, HEARTBEAT) < 70 * CONNECTIONS // 4
        for client in clients:
            assert await client.correlation_ids(70) == list(range(70))


async def test_bytes_that_arrive_while_their_connection_waits_for_a_turn_keep_their_order() -> None:
    async with running(MemoryStorage(), clock=WorkingClock(REQUESTS_MS)) as whole:
        clients = await clients_of(whole, CONNECTIONS)
        await clients[0].find()
        frames = b"".join(a_heartbeat(number) for number in range(50))
        for at in range(0, len(frames), 101):
            for client in clients:
                client.writer.write(frames[at : at + 101])
            await asyncio.sleep(0)
        for client in clients:
            client.writer.write_eof()
        for client in clients:
            assert await client.correlation_ids(50) == list(range(50))
            assert await client.reader.read() == b""
        assert await is_served(whole)


async def test_readers_that_waited_for_the_same_records_are_served_in_several_turns() -> None:
    async with running(MemoryStorage(), clock=WorkingClock(TURN_MS)) as whole:
        clients = await clients_of(whole, CONNECTIONS)
        await clients[0].make_topic()
        for client in clients:
            client.send("Fetch", 4, A_LONG_FETCH)
        sessions = [connection.session for connection in whole.server._connections]
        log = whole.state.logs.get("orders", 0)
        async with asyncio.timeout(10):
            while log is None or len(log._listeners) < CONNECTIONS:
                await asyncio.sleep(0)
                log = whole.state.logs.get("orders", 0)
        log.append(build_batch([LogRecord(0, 0, b"k", b"v")]), leader_epoch=0, now_ms=0)
        log.mark_synced(log.sync())
        most = await most_in_a_turn(lambda: sum(each.parked is None for each in sessions), CONNECTIONS)
        assert most <= 2
        for client in clients:
            (topic,) = (await client.answer("Fetch", 4))["Responses"]
            assert topic["Partitions"][0]["Records"]
