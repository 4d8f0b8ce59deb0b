"""The end of a connection is noticed while a request of it waits for its response."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from struct import pack
from typing import Any

import pytest

from tests.unit.broker.server.test_pipelining import is_served
from tests.unit.broker.whole import Client, Whole
from tidemark.server.connection import Connection
from tidemark.server.listener import RESET_CHECK_MS

A_LONG_FETCH: dict[str, Any] = {
    "ReplicaId": -1,
    "MaxWaitMs": 2**31 - 1,
    "MinBytes": 1,
    "MaxBytes": 1_000_000,
    "Topics": [
        {
            "Topic": "orders",
            "Partitions": [{"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 1_000_000}],
        }
    ],
}


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.001)


async def waiting_client(whole: Whole, behind: int = 0, max_wait_ms: int = 2**31 - 1) -> Client:
    """Return a client whose Fetch waits, with this many requests behind it."""
    client = await whole.client()
    client.send("Fetch", 4, A_LONG_FETCH | {"MaxWaitMs": max_wait_ms})
    for _ in range(behind):
        client.send("ApiVersions", 0, {})
    await until(lambda: any(each.session.parked for each in whole.server._connections))
    return client


def reset(client: Client) -> None:
    sock = client.writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
    client.writer.transport.abort()


@pytest.mark.parametrize("behind", [0, 10])
async def test_reset_is_noticed_while_a_fetch_waits(whole: Whole, behind: int) -> None:
    await (await whole.client()).make_topic()
    client = await waiting_client(whole, behind)
    reset(client)
    await until(lambda: len(whole.server._connections) == 1)
    assert await is_served(whole)


async def until_reset_is_noticed(whole: Whole) -> None:
    async with asyncio.timeout(20):
        while len(whole.server._connections) > 1:
            await asyncio.sleep(0.001)
            whole.clock.advance(RESET_CHECK_MS // 10)


async def a_fetch_that_waits(whole: Whole) -> tuple[Client, Connection]:
    await (await whole.client()).make_topic()
    client = await waiting_client(whole)
    (connection,) = (each for each in whole.server._connections if each.session.parked)
    return client, connection


async def send_more(client: Client, connection: Connection) -> None:
    """Send so many bytes behind the Fetch that the connection is no longer read."""
    client.writer.write(bytes(1_000_000))
    await until(lambda: not connection.reading)


async def send_an_end(client: Client, connection: Connection) -> None:
    client.writer.write_eof()
    await until(lambda: connection._ended)


@pytest.mark.parametrize("before", [send_more, send_an_end])
async def test_reset_is_noticed_of_a_connection_that_is_not_read(
    whole: Whole, before: Callable[[Client, Connection], Awaitable[None]]
) -> None:
    client, connection = await a_fetch_that_waits(whole)
    await before(client, connection)
    await whole.passes(5 * RESET_CHECK_MS)
    assert len(whole.server._connections) == 2
    del connection
    reset(client)
    await until_reset_is_noticed(whole)
    assert await is_served(whole)


async def test_client_that_closes_its_sending_half_gets_the_response_of_its_fetch(whole: Whole) -> None:
    """As in Kafka, whose selector does not read a channel that waits for a response."""
    await (await whole.client()).make_topic()
    client = await waiting_client(whole, behind=2)
    client.writer.write_eof()
    producer = await whole.client()
    await whole.reads()
    assert len(whole.server._connections) == 3
    await producer.ask("DeleteTopics", 1, {"TopicNames": ["orders"], "TimeoutMs": 1000})
    answered = await client.answer("Fetch", 4)
    assert answered["Responses"][0]["Partitions"][0]["ErrorCode"] != 0
    for _ in range(2):
        assert (await client.answer("ApiVersions", 0))["ErrorCode"] == 0
    assert await client.reader.read() == b""


async def test_bytes_behind_a_request_that_waits_are_bounded(whole: Whole) -> None:
    client, connection = await a_fetch_that_waits(whole)
    client.writer.write(bytes(8_000_000))
    await until(lambda: not connection.reading)
    # One read of uvloop returns at most 256 KiB.
    assert connection.session.buffered <= 300_000
    assert await is_served(whole)
