"""The memory for large requests that are arriving is bounded, and no client waits for ever."""

from __future__ import annotations

import asyncio
from struct import pack

import pytest

from tests.broker.server.test_pipelining import is_served
from tests.broker.whole import Client, Whole, running
from tidemark.core.result import CloseConnection
from tidemark.server.incoming import STALLED_MS, Incoming
from tidemark.testing.clock import VirtualClock
from tidemark.testing.storage import MemoryStorage

MEGABYTES = 1_000_000


class Sender:
    def __init__(self) -> None:
        self.last_active_ms = 0
        self.reading = True
        self.may_send = 0
        self.reasons: list[CloseConnection | None] = []

    def admitted(self) -> None:
        self.may_send += 1

    def abort(self, reason: CloseConnection | None = None) -> None:
        self.reasons.append(reason)


def test_request_that_does_not_fit_waits_for_its_turn() -> None:
    incoming = Incoming(1000, VirtualClock())
    first, second, third, fourth = (Sender() for _ in range(4))
    assert incoming.begin(first, 600)
    assert not incoming.begin(second, 600)
    assert not incoming.begin(third, 100)  # in the order of arrival
    assert not incoming.begin(fourth, 600)
    incoming.end(first)
    assert (second.may_send, third.may_send, fourth.may_send) == (1, 1, 0)
    incoming.end(third)
    assert fourth.may_send == 0
    incoming.end(second)
    assert fourth.may_send == 1


def test_request_above_the_bound_is_admitted_alone() -> None:
    incoming = Incoming(1000, VirtualClock())
    assert incoming.begin(Sender(), 5000)


def test_connection_that_closes_while_it_waits_is_forgotten() -> None:
    incoming = Incoming(1000, VirtualClock())
    first, second, third = (Sender() for _ in range(3))
    incoming.begin(first, 1000)
    incoming.begin(second, 1000)
    incoming.begin(third, 1000)
    incoming.end(second)
    incoming.end(first)
    assert (second.may_send, third.may_send) == (0, 1)


def test_client_that_stops_sending_is_disconnected_when_others_wait() -> None:
    clock = VirtualClock()
    incoming = Incoming(1000, clock)
    stalled, busy, held, waiting = (Sender() for _ in range(4))
    held.reading = False
    incoming.begin(stalled, 300)
    incoming.begin(busy, 300)
    incoming.begin(held, 300)
    clock.advance(100 * STALLED_MS)
    assert not stalled.reasons
    busy.last_active_ms = clock.steady_ms() + STALLED_MS
    assert not incoming.begin(waiting, 1000)
    clock.advance(STALLED_MS)
    assert [len(each.reasons) for each in (stalled, busy, held)] == [1, 0, 0]


async def half_a_frame(whole: Whole) -> Client:
    client = await whole.client()
    client.writer.write(pack(">i", 20 * MEGABYTES) + bytes(100_000))
    await client.writer.drain()
    return client


@pytest.mark.asyncio
async def test_half_sent_requests_do_not_block_a_whole_one() -> None:
    settings = {"tidemark_incoming_max_bytes": str(40 * MEGABYTES)}
    async with running(MemoryStorage(), **settings) as whole:
        for _ in range(5):
            await half_a_frame(whole)
        assert await is_served(whole)
        honest = await whole.client()
        frame = pack(">hhih", 18, 0, 7, -1) + bytes(5 * MEGABYTES)
        honest.writer.write(pack(">i", len(frame)) + frame)
        async with asyncio.timeout(20):
            while not honest.reader.at_eof() and not honest.reader._buffer:  # type: ignore[attr-defined]
                whole.clock.advance(STALLED_MS // 10)
                await asyncio.sleep(0)
        assert (await honest.reader.readexactly(8))[4:] == pack(">i", 7)


@pytest.mark.asyncio
async def test_many_half_sent_requests_below_a_megabyte_are_bounded_together() -> None:
    bound = 2 * MEGABYTES
    async with running(MemoryStorage(), tidemark_incoming_max_bytes=str(bound)) as whole:
        for _ in range(30):
            client = await whole.client()
            client.writer.write(pack(">i", 900_000) + bytes(800_000))
        connections = whole.server._connections
        async with asyncio.timeout(20):
            while sum(not each.reading for each in connections) < 28:
                await asyncio.sleep(0.001)
        # A connection that must wait was read once, up to the 256 KiB of one read of uvloop.
        assert sum(each.session.buffered for each in connections) <= bound + 28 * 256 * 1024
        assert await is_served(whole)
