"""Pipelined and large requests are answered in order, while other connections are served."""

from __future__ import annotations

from struct import pack

import pytest

from tests.unit.broker.whole import Whole, WorkingClock, running
from tests.wire import request
from tidemark_testing.clock import LoopClock
from tidemark_testing.storage import MemoryStorage

TOPICS = 300


async def is_served(whole: Whole) -> bool:
    answered = await (await whole.client()).ask("ApiVersions", 0, {})
    return bool(answered["ErrorCode"] == 0)


@pytest.mark.parametrize("clock", [LoopClock, WorkingClock])
async def test_all_requests_above_the_in_flight_limit_get_responses(clock: type[LoopClock]) -> None:
    async with running(MemoryStorage(), clock=clock(), tidemark_connection_requests_max="50") as whole:
        client = await whole.client()
        client.writer.write(b"".join(request("ApiVersions", 0, {}, number) for number in range(1201)))
        assert await client.correlation_ids(1201) == list(range(1201))


@pytest.mark.parametrize("clock", [LoopClock, WorkingClock])
async def test_requests_after_a_large_response_get_theirs_after_it(clock: type[LoopClock]) -> None:
    async with running(MemoryStorage(), clock=clock(), tidemark_connection_unsent_max_bytes="4000") as whole:
        client = await whole.client()
        await client.make_topic("wide", TOPICS)
        everything = {"Topics": None}
        frames = [request("Metadata", 1, everything, number) for number in range(20)]
        client.writer.write(b"".join(frames) + request("ApiVersions", 0, {}, 20))
        assert await client.correlation_ids(21) == list(range(21))


@pytest.mark.parametrize("clock", [LoopClock, WorkingClock])
async def test_large_request_keeps_its_place_among_small_ones(clock: type[LoopClock]) -> None:
    async with running(MemoryStorage(), clock=clock()) as whole:
        client = await whole.client()
        await client.make_topic("wide", TOPICS)
        await client.find()
        names = [f"a-group-with-a-long-name-{number:08}" for number in range(5_000)]
        client.writer.write(
            request("ApiVersions", 0, {}, 0)
            + request("DescribeGroups", 0, {"Groups": names}, 1)
            + request("ApiVersions", 0, {}, 2)
            + request("FindCoordinator", 6, {"CoordinatorKeys": names}, 3)
            + request("ApiVersions", 0, {}, 4)
        )
        assert await is_served(whole)
        assert await client.correlation_ids(5) == list(range(5))


async def test_client_that_disconnects_during_its_large_request_disturbs_no_other() -> None:
    async with running(MemoryStorage(), clock=WorkingClock()) as whole:
        for _ in range(3):
            client = await whole.client()
            names = [f"a-group-with-a-long-name-{number:08}" for number in range(5_000)]
            client.writer.write(request("DescribeGroups", 0, {"Groups": names}, 1))
            await client.writer.drain()
            client.writer.transport.abort()
        assert await is_served(whole)
        assert whole.lines.of("a request failed") == []


async def test_more_array_elements_than_allowed_close_the_connection() -> None:
    async with running(MemoryStorage(), tidemark_request_elements_max="20000") as whole:
        client = await whole.client()
        client.writer.write(request("DescribeGroups", 0, {"Groups": ["g"] * 20_001}, 1))
        assert await client.reader.read() == b""
        assert whole.metrics.bad_input["elements"] == 1
        assert await is_served(whole)
        other = await whole.client()
        other.writer.write(request("DescribeGroups", 0, {"Groups": ["g"] * 19_000}, 1))
        assert await other.correlation_ids(1) == [1]


async def test_unknown_tagged_fields_count_as_elements() -> None:
    async with running(MemoryStorage(), tidemark_request_elements_max="8000") as whole:
        client = await whole.client()
        header = pack(">hhih", 18, 3, 1, -1) + b"\xa8\x46" + b"\x09\x02ab" * 9000
        client.writer.write(pack(">i", len(header)) + header)
        assert await client.reader.read() == b""
        assert whole.metrics.bad_input["elements"] == 1
        assert await is_served(whole)


async def test_malformed_large_request_closes_the_connection_after_earlier_responses() -> None:
    async with running(MemoryStorage(), clock=WorkingClock()) as whole:
        client = await whole.client()
        broken = bytearray(request("DescribeGroups", 0, {"Groups": ["a-group"] * 10_000}, 1))
        broken[-9:-7] = pack(">h", 2000)
        client.writer.write(
            request("ApiVersions", 0, {}, 0) + bytes(broken) + request("ApiVersions", 0, {}, 2)
        )
        assert await client.correlation_ids(1) == [0]
        assert await client.reader.read() == b""
        assert whole.metrics.bad_input["body"] == 1
        assert await is_served(whole)
