"""A connection that closes sends the responses that Kafka sends. Kafka reads its requests one by one."""

from __future__ import annotations

import asyncio
from struct import pack

import pytest

from tests.unit.broker.whole import Client, Whole, a_commit, running
from tests.wire import request
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.compression import Codec
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_testing.storage import MemoryStorage

NOT_SERVED = pack(">ihhih", 10, 999, 0, 1, -1)
A_JOIN = {
    "GroupId": "g",
    "SessionTimeoutMs": 10000,
    "RebalanceTimeoutMs": 10000,
    "MemberId": "",
    "ProtocolType": "consumer",
    "Protocols": [{"Name": "range", "Metadata": ""}],
}


async def has_ended(client: Client) -> bool:
    async with asyncio.timeout(10):
        return await client.reader.read(1) == b""


async def test_bad_frame_closes_the_connection_after_the_responses_before_it(
    whole: Whole, client: Client
) -> None:
    await client.make_topic()
    await client.find()
    for number in range(2):
        client.send("OffsetCommit", 8, a_commit("g", number))
    client.writer.write(NOT_SERVED)
    client.send("OffsetCommit", 8, a_commit("g", 7))
    for _ in range(2):
        answered = await client.answer("OffsetCommit", 8)
        assert answered["Topics"][0]["Partitions"][0]["ErrorCode"] == 0
    assert await has_ended(client)
    assert whole.metrics.bad_input["api_key"] == 1
    assert await (await whole.client()).committed("g") == 1


async def test_idle_connection_is_closed_though_its_join_is_parked() -> None:
    settings = {"group_initial_rebalance_delay_ms": "60000", "connections_max_idle_ms": "10000"}
    async with running(MemoryStorage(), **settings) as whole:
        client = await whole.client()
        await client.find()
        client.send("JoinGroup", 3, A_JOIN)
        assert await client.is_silent()
        await whole.passes(15_000)
        assert await has_ended(client)
        assert sum(whole.metrics.bad_input.values()) == 0


async def test_connection_limit_of_an_address_holds_on_a_dual_stack_listener() -> None:
    settings = {"max_connections_per_ip": "1", "max_connections_per_ip_overrides": "127.0.0.1:2"}
    async with running(MemoryStorage(), listeners="PLAINTEXT://:0", **settings) as whole:
        port = int(whole.node.ready()["bootstrap_servers"].rpartition(":")[2])
        clients = [Client(*await asyncio.open_connection("127.0.0.1", port)) for _ in range(3)]
        for client in clients[:2]:
            assert (await client.ask("ApiVersions", 0, {}))["ErrorCode"] == 0
        assert await has_ended(clients[2])
        for client in clients:
            client.writer.close()


async def test_half_closed_connection_gets_its_responses() -> None:
    async with running(MemoryStorage(), group_initial_rebalance_delay_ms="3000") as whole:
        client = await whole.client()
        await client.find()
        client.send("JoinGroup", 3, A_JOIN)
        client.send("ApiVersions", 0, {})
        client.writer.write_eof()
        assert await client.is_silent()
        whole.clock.advance(3_000)
        assert (await client.answer("JoinGroup", 3))["GenerationId"] == 1
        assert (await client.answer("ApiVersions", 0))["ErrorCode"] == 0
        assert await has_ended(client)
        assert sum(whole.metrics.bad_input.values()) == 0


PARTITIONS = 4


async def produce_large_batches(client: Client, acks: int) -> None:
    """Produce a large batch to each partition, which needs several turns of the loop."""
    large = build_batch([LogRecord(0, 0, None, bytes(20 << 20))], compression=Codec.ZSTD)
    await client.make_topic("orders", PARTITIONS)
    message = ProduceRequest(
        acks=acks,
        topic_data=[
            TopicProduceData(
                "orders", partition_data=[PartitionProduceData(index, large) for index in range(PARTITIONS)]
            )
        ],
    )
    client.writer.write(request("Produce", 9, message))


async def all_appended(whole: Whole) -> None:
    async with asyncio.timeout(10):
        while any(whole.state.logs.ends("orders", index) != (0, 1) for index in range(PARTITIONS)):
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("acks", [-1, 0])
async def test_produce_request_is_appended_as_a_whole_after_its_client_disconnects(
    whole: Whole, client: Client, acks: int
) -> None:
    await produce_large_batches(client, acks)
    while whole.state.logs.ends("orders", 0) != (0, 1):
        await asyncio.sleep(0)
    client.writer.transport.abort()
    await all_appended(whole)


async def test_batches_of_one_connection_are_appended_in_order_with_acks_0(client: Client) -> None:
    await produce_large_batches(client, 0)
    small = build_batch([LogRecord(0, 0, None, b"small")])
    topic = TopicProduceData("orders", partition_data=[PartitionProduceData(PARTITIONS - 1, small)])
    message = ProduceRequest(acks=-1, topic_data=[topic])
    client.writer.write(request("Produce", 9, message))
    answered = await client.answer("Produce", 9)
    assert answered["Responses"][0]["PartitionResponses"][0]["BaseOffset"] == 1
