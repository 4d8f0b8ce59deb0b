"""Connections over real sockets: limits, idle connections, slow readers, and the order of requests."""

from __future__ import annotations

import asyncio
import gc
import socket
from struct import pack
from typing import Any

import pytest

from tests.unit.broker.whole import Client, Whole, a_commit, running
from tidemark.server.session import Session
from tidemark_testing.storage import MemoryStorage


async def is_hung_up_on(client: Client) -> bool:
    async with asyncio.timeout(10):
        try:
            return await client.reader.read(1) == b""
        except ConnectionResetError:
            return True


async def is_served(whole: Whole) -> bool:
    answered = await (await whole.client()).ask("ApiVersions", 0, {})
    return bool(answered["ErrorCode"] == 0)


BAD_INPUT = {
    "a negative size": (pack(">i", -5), "frame_size"),
    "a size past the limit": (pack(">i", 104_857_601), "frame_size"),
    "a size of zero": (pack(">i", 0), "header"),
    "an unknown API key": (pack(">ihhih", 10, 999, 0, 1, -1), "api_key"),
    "a version too high": (pack(">ihhih", 10, 3, 99, 1, -1), "version"),
    "a version too low": (pack(">ihhih", 10, 3, -1, 1, -1), "version"),
    "a body that ends early": (pack(">ihhih", 10, 12, 0, 1, -1), "body"),
    "an array of two billion": (pack(">ihhihi", 14, 3, 1, 1, -1, 2**31 - 1), "body"),
}


@pytest.mark.parametrize(("data", "kind"), BAD_INPUT.values(), ids=BAD_INPUT.keys())
async def test_bad_input_is_counted_and_closes_only_its_connection(
    whole: Whole, client: Client, data: bytes, kind: str
) -> None:
    client.writer.write(data)
    assert await is_hung_up_on(client)
    assert whole.metrics.bad_input[kind] == 1
    assert len(whole.lines.of("connection closed after invalid input")) == 1
    assert await is_served(whole)


async def test_connection_above_the_limit_is_refused() -> None:
    async with running(MemoryStorage(), max_connections_per_ip="2") as whole:
        first = await whole.client()
        await first.ask("ApiVersions", 0, {})
        assert await is_served(whole)
        assert await is_hung_up_on(await whole.client())
        assert whole.metrics.bad_input["connections"] == 1


async def test_connection_without_a_caller_is_closed(whole: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever fails while a connection is made: asyncio would go on, with an anonymous client."""

    def fail(**_: Any) -> Any:
        raise RuntimeError("a bug")

    logged: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context))
    with monkeypatch.context() as patched:
        patched.setattr("tidemark.server.listener.Caller", fail)
        assert await is_hung_up_on(await whole.client())
    assert [str(context["exception"]) for context in logged] == ["a bug"]
    assert await is_served(whole)
    assert whole.metrics.connections["PLAINTEXT"] == 1


async def test_closed_connection_no_longer_counts_for_the_limit() -> None:
    async with running(MemoryStorage(), max_connections="1") as whole:
        first = await whole.client()
        await first.ask("ApiVersions", 0, {})
        first.writer.close()
        await first.writer.wait_closed()
        async with asyncio.timeout(10):
            while whole.metrics.connections["PLAINTEXT"]:
                await asyncio.sleep(0)
        assert await is_served(whole)


async def test_idle_connection_is_closed_and_busy_one_is_not() -> None:
    async with running(MemoryStorage(), connections_max_idle_ms="10000") as whole:
        idle, busy = await whole.client(), await whole.client()
        await idle.ask("ApiVersions", 0, {})
        await busy.ask("ApiVersions", 0, {})
        whole.clock.advance(9_000)
        await busy.ask("ApiVersions", 0, {})
        whole.clock.advance(5_000)
        assert await is_hung_up_on(idle)
        assert (await busy.ask("ApiVersions", 0, {}))["ErrorCode"] == 0
        assert sum(whole.metrics.bad_input.values()) == 0


async def test_connection_that_stops_within_a_frame_is_closed_and_counted() -> None:
    async with running(MemoryStorage(), connections_max_idle_ms="10000") as whole:
        client = await whole.client()
        await client.ask("ApiVersions", 0, {})
        client.writer.write(pack(">ih", 100, 18))
        await client.writer.drain()
        async with asyncio.timeout(10):
            while not any(c.session.within_frame for c in whole.server._connections):
                await asyncio.sleep(0)
        await whole.passes(20_000)
        assert await is_hung_up_on(client)
        assert whole.metrics.bad_input["idle"] == 1


async def test_responses_to_a_client_that_never_reads_are_bounded() -> None:
    async with running(MemoryStorage(), tidemark_connection_unsent_max_bytes="100000") as whole:
        await (await whole.client()).make_topic("wide", 300)
        host, _, port = whole.node.ready()["bootstrap_servers"].rpartition(":")
        deaf = socket.create_connection((host, int(port)))
        deaf.setblocking(False)
        frame = pack(">ihhih", 14, 3, 1, 1, -1) + pack(">i", -1)
        sent = 0
        for _ in range(300):  # responses of about 8 kB each, so all of them would need some megabytes
            try:
                sent += deaf.send(frame * 100) // len(frame)
            except BlockingIOError:
                break
            await asyncio.sleep(0)
        answered = whole.metrics.sent_bytes["PLAINTEXT"]
        assert sent > 5_000
        assert answered < 8_000_000  # the kernel's buffer and our bound
        assert await is_served(whole)
        deaf.close()


def a_join(member_id: str = "", session_ms: int = 10_000) -> dict[str, Any]:
    return {
        "GroupId": "g",
        "SessionTimeoutMs": session_ms,
        "RebalanceTimeoutMs": session_ms,
        "MemberId": member_id,
        "ProtocolType": "consumer",
        "Protocols": [{"Name": "range", "Metadata": ""}],
    }


async def test_parked_join_holds_back_the_requests_behind_it() -> None:
    async with running(MemoryStorage(), group_initial_rebalance_delay_ms="3000") as whole:
        client = await whole.client()
        await client.find()
        client.send("JoinGroup", 3, a_join())
        client.send("ApiVersions", 0, {})
        assert await client.is_silent()
        assert await is_served(whole)
        whole.clock.advance(3_000)
        assert (await client.answer("JoinGroup", 3))["GenerationId"] == 1
        assert (await client.answer("ApiVersions", 0))["ErrorCode"] == 0


async def test_member_stays_in_its_group_when_its_connection_closes() -> None:
    async with running(MemoryStorage(), group_initial_rebalance_delay_ms="3000") as whole:
        client, other = await whole.client(), await whole.client()
        await client.find()
        client.send("JoinGroup", 3, a_join())
        await client.is_silent()
        client.writer.close()
        await client.writer.wait_closed()
        described = await other.ask("DescribeGroups", 0, {"Groups": ["g"]})
        assert len(described["Groups"][0]["Members"]) == 1
        whole.clock.advance(3_000)
        assert await is_served(whole)


async def test_request_that_waits_for_a_sync_holds_back_no_request(whole: Whole, client: Client) -> None:
    await client.make_topic()
    await client.find()
    for number in range(10):
        client.send("OffsetCommit", 8, a_commit("g", number))
    for _ in range(10):
        await client.answer("OffsetCommit", 8)
    # All of them arrived in one chunk of bytes, so one flush wrote them.
    assert whole.metrics.flush_records.counts[3] >= 1


async def test_broker_advertises_the_local_address_of_the_connection() -> None:
    async with running(MemoryStorage(), listeners="PLAINTEXT://0.0.0.0:0") as whole:
        port = int(whole.node.ready()["bootstrap_servers"].rpartition(":")[2])
        for host in ("127.0.0.1", "127.0.0.5"):
            client = Client(*await asyncio.open_connection(host, port))
            (node,) = (await client.ask("Metadata", 1, {"Topics": []}))["Brokers"]
            assert (node["Host"], node["Port"]) == (host, port)
            client.writer.close()


async def test_advertised_address_replaces_the_local_address() -> None:
    async with running(MemoryStorage(), advertised_listeners="PLAINTEXT://kafka.test:19092") as whole:
        assert whole.node.ready()["bootstrap_servers"] == "kafka.test:19092"


def sessions() -> int:
    """Return how many sessions exist in this process."""
    return sum(type(each) is Session for each in gc.get_objects())


async def test_closed_connection_leaves_nothing_to_the_garbage_collector() -> None:
    """The collector skips old objects, so a cycle would stay for ever."""
    gc.collect()
    gc.disable()
    try:
        async with running(MemoryStorage()) as whole:
            before = sessions()
            client = await whole.client()
            await client.make_topic()
            await client.find()
            assert await client.commit("g", 1) == 0
            assert sessions() == before + 1
            client.writer.write(pack(">i", -5))
            assert await is_hung_up_on(client)
            client.writer.close()
            assert await is_served(whole)  # shared objects keep a reference to the last client
            async with asyncio.timeout(10):
                while sessions() > before + 1:
                    await asyncio.sleep(0)
    finally:
        gc.enable()
