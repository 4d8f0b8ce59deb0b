"""Clients that repeat an error do not fill the log."""

from __future__ import annotations

import asyncio
from struct import pack

from tests.unit.broker.server.test_pipelining import is_served
from tests.unit.broker.whole import Whole, running
from tidemark.metrics.catalogue import BadInput
from tidemark.metrics.rates import LINES_PER_SECOND_MAX, SECOND_MS
from tidemark_testing.storage import MemoryStorage

INVALID = "connection closed after invalid input"


async def send_invalid_frames(whole: Whole, count: int) -> None:
    counted = whole.metrics.bad_input[BadInput.FRAME_SIZE]
    for _ in range(count):
        (await whole.client()).writer.write(pack(">i", -1))
    async with asyncio.timeout(20):
        while whole.metrics.bad_input[BadInput.FRAME_SIZE] < counted + count:
            await asyncio.sleep(0.001)


async def test_invalid_frames_cause_a_bounded_number_of_lines_per_second(whole: Whole) -> None:
    await send_invalid_frames(whole, 3 * LINES_PER_SECOND_MAX)
    assert len(whole.lines.of(INVALID)) == LINES_PER_SECOND_MAX
    whole.clock.advance(SECOND_MS)
    await send_invalid_frames(whole, 2)
    more = [line.get("not_logged") for line in whole.lines.of(INVALID)[LINES_PER_SECOND_MAX:]]
    assert more == [2 * LINES_PER_SECOND_MAX, None]
    assert await is_served(whole)


async def test_refused_connections_cause_a_bounded_number_of_lines_per_second() -> None:
    async with running(MemoryStorage(), max_connections="1") as whole:
        await whole.client()
        for _ in range(2 * LINES_PER_SECOND_MAX):
            refused = await whole.client()
            assert await refused.reader.read() == b""
        assert len(whole.lines.of("connection refused")) == LINES_PER_SECOND_MAX
        assert whole.metrics.bad_input[BadInput.CONNECTIONS] == 2 * LINES_PER_SECOND_MAX
