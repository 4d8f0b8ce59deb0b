"""Pipelined and large requests are answered in order, while other connections are served."""

from __future__ import annotations

import asyncio
from struct import pack, unpack
from typing import Any

import pytest

from tests.clients.wire import request
from tests.unit.broker.whole import Client, Whole, WorkingClock, running
from tidemark_protocol import from_dict
from tidemark_testing.clock import LoopClock
from tidemark_testing.storage import MemoryStorage

TOPICS = 300


def a_frame(api: str, version: int, value: dict[str, Any], correlation_id: int) -> bytes:
    frame = bytearray(request(api, version, from_dict(f"{api}Request", value)))
    frame[8:12] = pack(">i", correlation_id)
    return bytes(frame)


async def correlation_ids(client: Client, count: int) -> list[int]:
    """Return the correlation ids of the next responses."""
    found = []
    async with asyncio.timeout(30):
        for _ in range(count):
            size, correlation_id = unpack(">ii", await client.reader.readexactly(8))
            await client.reader.readexactly(size - 4)
            found.append(correlation_id)
    return found


async def is_served(whole: Whole) -> bool:
    answered = await (await whole.client()).ask("ApiVersions", 0, {})
    return bool(answered["ErrorCode"] == 0)


@pytest.mark.asyncio
@pytest.mark.parametrize("clock", [LoopClock, WorkingClock])
async def test_all_requests_above_the_in_flight_limit_get_responses(clock: type[LoopClock]) -> None:
    async with running(MemoryStorage(), clock=clock(), tidemark_connection_requests_max="50") as whole:
        client = await whole.client()
        client.writer.write(b"".join(a_frame("ApiVersions", 0, {}, number) for number in range(1201)))
        assert await correlation_ids(client, 1201) == list(range(1201))


@pytest.mark.asyncio
@pytest.mark.parametrize("clock", [LoopClock, WorkingClock])
async def test_requests_after_a_large_response_get_theirs_after_it(clock: type[LoopClock]) -> None:
    async with running(MemoryStorage(), clock=clock(), tidemark_connection_unsent_max_bytes="4000") as whole:
        client = await whole.client()
        await client.make_topic("wide", TOPICS)
        everything = {"Topics": None}
        frames = [a_frame("Metadata", 1, everything, number) for number in range(20)]
        client.writer.write(b"".join(frames) + a_frame("ApiVersions", 0, {}, 20))
        assert await correlation_ids(client, 21) == list(range(21))


@pytest.mark.asyncio
@pytest.mark.parametrize("clock", [LoopClock, WorkingClock])
async def test_large_request_keeps_its_place_among_small_ones(clock: type[LoopClock]) -> None:
    async with running(MemoryStorage(), clock=clock()) as whole:
        client = await whole.client()
        await client.make_topic("wide", TOPICS)
        await client.find()
        names = [f"a-group-with-a-long-name-{number:08}" for number in range(5_000)]
        client.writer.write(
            a_frame("ApiVersions", 0, {}, 0)
            + a_frame("DescribeGroups", 0, {"Groups": names}, 1)
            + a_frame("ApiVersions", 0, {}, 2)
            + a_frame("FindCoordinator", 6, {"CoordinatorKeys": names}, 3)
            + a_frame("ApiVersions", 0, {}, 4)
        )
        assert await is_served(whole)
        assert await correlation_ids(client, 5) == list(range(5))


@pytest.mark.asyncio
async def test_client_that_disconnects_during_its_large_request_disturbs_no_other() -> None:
    async with running(MemoryStorage(), clock=WorkingClock()) as whole:
        for _ in range(3):
            client = await whole.client()
            names = [f"a-group-with-a-long-name-{number:08}" for number in range(5_000)]
            client.writer.write(a_frame("DescribeGroups", 0, {"Groups": names}, 1))
            await client.writer.drain()
            client.writer.transport.abort()
        assert await is_served(whole)
        assert whole.lines.of("a request failed") == []


@pytest.mark.asyncio
async def test_more_array_elements_than_allowed_close_the_connection() -> None:
    async with running(MemoryStorage(), tidemark_request_elements_max="20000") as whole:
        client = await whole.client()
        client.writer.write(a_frame("DescribeGroups", 0, {"Groups": ["g"] * 20_001}, 1))
        assert await client.reader.read() == b""
        assert whole.metrics.bad_input["elements"] == 1
        assert await is_served(whole)
        other = await whole.client()
        other.writer.write(a_frame("DescribeGroups", 0, {"Groups": ["g"] * 19_000}, 1))
        assert await correlation_ids(other, 1) == [1]


@pytest.mark.asyncio
async def test_unknown_tagged_fields_count_as_elements() -> None:
    async with running(MemoryStorage(), tidemark_request_elements_max="20000") as whole:
        client = await whole.client()
        header = pack(">hhih", 18, 3, 1, -1) + b"\xc0\xb8\x02" + b"\x09\x00" * 40_000
        client.writer.write(pack(">i", len(header)) + header)
        assert await client.reader.read() == b""
        assert whole.metrics.bad_input["elements"] == 1
        assert await is_served(whole)


@pytest.mark.asyncio
async def test_malformed_large_request_closes_the_connection_after_earlier_responses() -> None:
    async with running(MemoryStorage(), clock=WorkingClock()) as whole:
        client = await whole.client()
        broken = bytearray(a_frame("DescribeGroups", 0, {"Groups": ["a-group"] * 10_000}, 1))
        broken[-9:-7] = pack(">h", 2000)
        client.writer.write(
            a_frame("ApiVersions", 0, {}, 0) + bytes(broken) + a_frame("ApiVersions", 0, {}, 2)
        )
        assert await correlation_ids(client, 1) == [0]
        assert await client.reader.read() == b""
        assert whole.metrics.bad_input["body"] == 1
        assert await is_served(whole)
