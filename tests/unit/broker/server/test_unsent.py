"""The memory for unread responses is bounded for the whole broker, and other clients are served."""

from __future__ import annotations

import asyncio
import socket
from struct import pack

from tests.unit.broker.server.test_pipelining import is_served
from tests.unit.broker.whole import Whole, running
from tidemark.core.decision import CloseConnection
from tidemark.server.unsent import STALLED_MS, Unsent
from tidemark_testing.storage import MemoryStorage


class Clock:
    def __init__(self) -> None:
        self.ms = 0

    def now_ms(self) -> int:
        return self.ms


class Reader:
    def __init__(self, size: int) -> None:
        self.size = size
        self.reasons: list[CloseConnection | None] = []

    def unsent_bytes(self) -> int:
        return self.size

    def abort(self, reason: CloseConnection | None = None) -> None:
        self.reasons.append(reason)
        self.size = 0


def test_unread_responses_leave_less_room() -> None:
    unsent = Unsent(1000, Clock().now_ms)
    reader = Reader(300)
    unsent.update(reader)
    unsent.reserve(200)
    assert unsent.room() == 500
    reader.size = 100
    unsent.update(reader)
    unsent.reserve(-200)
    assert unsent.room() == 900
    unsent.forget(reader)
    assert unsent.room() == 1000


def test_only_as_many_stalled_readers_as_needed_are_closed_longest_stalled_first() -> None:
    clock = Clock()
    unsent = Unsent(1000, clock.now_ms)
    first, second, third = Reader(500), Reader(500), Reader(400)
    for reader in (first, second, third):
        unsent.update(reader)
        clock.ms += 10
    assert unsent.room() == 0
    assert not any(reader.reasons for reader in (first, second, third))
    clock.ms += STALLED_MS
    assert unsent.room() == 100
    assert len(first.reasons) == 1
    assert not second.reasons


def test_slow_reader_that_still_reads_is_not_closed() -> None:
    clock = Clock()
    unsent = Unsent(1000, clock.now_ms)
    slow, deaf = Reader(800), Reader(800)
    unsent.update(slow)
    unsent.update(deaf)
    clock.ms += STALLED_MS
    slow.size -= 1
    unsent.room()
    assert deaf.reasons
    assert not slow.reasons


def test_connection_that_needs_more_is_closed_at_once_far_above_the_bound() -> None:
    unsent = Unsent(1000, Clock().now_ms)
    readers = [Reader(900) for _ in range(4)]
    for reader in readers:
        unsent.update(reader)
    assert [len(reader.reasons) for reader in readers] == [0, 0, 1, 1]
    assert unsent.total == 1800


async def a_deaf_client(whole: Whole, frames: bytes) -> socket.socket:
    """A client that sends requests and never reads."""
    host, _, port = whole.node.ready()["bootstrap_servers"].rpartition(":")
    deaf = socket.create_connection((host, int(port)))
    deaf.setblocking(False)
    await asyncio.get_running_loop().sock_sendall(deaf, frames)
    return deaf


async def test_clients_that_never_read_are_closed_when_their_responses_exceed_the_bound() -> None:
    settings = {"tidemark_unsent_max_bytes": "2000000", "tidemark_connection_unsent_max_bytes": "500000"}
    async with running(MemoryStorage(), **settings) as whole:
        await (await whole.client()).make_topic("wide", 3000)
        frames = (pack(">ihhih", 14, 3, 1, 1, -1) + pack(">i", -1)) * 60
        deaf = []
        async with asyncio.timeout(30):
            while not whole.metrics.bad_input["unread"]:
                deaf.append(await a_deaf_client(whole, frames))
                for _ in range(20):
                    await asyncio.sleep(0)
                whole.clock.advance(STALLED_MS // 4)
        assert len(deaf) > 3
        assert whole.server.unsent.total <= 4_000_000
        assert await is_served(whole)
        for client in deaf:
            client.close()


async def test_idle_connection_that_does_not_read_keeps_no_memory() -> None:
    async with running(MemoryStorage(), connections_max_idle_ms="10000") as whole:
        await (await whole.client()).make_topic("wide", 3000)
        frames = (pack(">ihhih", 14, 3, 1, 1, -1) + pack(">i", -1)) * 60
        deaf = await a_deaf_client(whole, frames)
        async with asyncio.timeout(10):
            while not whole.server.unsent.total:
                await asyncio.sleep(0)
        await whole.passes(20_000)
        async with asyncio.timeout(10):
            while whole.server.unsent.total:
                await asyncio.sleep(0)
        assert whole.metrics.bad_input["unread"] == 1
        assert await is_served(whole)
        deaf.close()


async def test_restore_closes_clients_that_do_not_read_and_releases_their_memory() -> None:
    settings = {"tidemark_unsent_max_bytes": "2000000", "tidemark_connection_unsent_max_bytes": "500000"}
    async with running(MemoryStorage(), tidemark_test_api="true", **settings) as whole:
        await (await whole.client()).make_topic("wide", 3000)
        snapshot_id = await whole.node.snapshots.create()
        frames = (pack(">ihhih", 14, 3, 1, 1, -1) + pack(">i", -1)) * 60
        for _ in range(3):
            deaf = [await a_deaf_client(whole, frames) for _ in range(2)]
            before = whole.server
            async with asyncio.timeout(10):
                while len(before.unsent._backlogs) < len(deaf):
                    await asyncio.sleep(0)
            await whole.node.snapshots.restore(snapshot_id)
            assert before.unsent.total == 0
            assert not before._connections
            assert whole.server.unsent.room() == 2_000_000
            assert await is_served(whole)
            for client in deaf:
                client.close()
