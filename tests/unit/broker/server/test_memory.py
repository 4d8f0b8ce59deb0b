"""The memory for requests is bounded, from their first byte until their responses have left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from struct import pack

from tests.unit.broker.server.test_disconnecting import reset
from tests.unit.broker.server.test_pipelining import is_served
from tests.unit.broker.whole import A_JOIN, Client, Whole, WorkingClock, running
from tests.wire import request
from tidemark.core.decision import CloseConnection
from tidemark.engine.request import LongResponses
from tidemark.server.memory import STALLED_MS, Memory, elements_of, memory_of
from tidemark.server.unsent import Unsent
from tidemark.turns import Turns
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import MemoryStorage

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


def a_memory(bytes_max: int, clock: VirtualClock | None = None) -> Memory:
    clock = clock or VirtualClock()
    return Memory(
        bytes_max, 100_000, clock, Unsent(bytes_max, clock.steady_ms), LongResponses(), Turns(clock.host_ms)
    )


def test_request_that_does_not_fit_waits_for_its_turn() -> None:
    memory = a_memory(1000)
    first, second, third, fourth = (Sender() for _ in range(4))
    assert memory.arrive(first, 600)
    assert not memory.arrive(second, 600)
    assert not memory.arrive(third, 100)  # in the order of arrival
    assert not memory.arrive(fourth, 600)
    memory.end(first)
    assert (second.may_send, third.may_send, fourth.may_send) == (1, 1, 0)
    memory.end(third)
    assert fourth.may_send == 0
    memory.end(second)
    assert fourth.may_send == 1


def test_request_above_the_bound_is_admitted_alone() -> None:
    memory = a_memory(1000)
    assert memory.arrive(Sender(), 5000)


def test_connection_that_closes_while_it_waits_is_forgotten() -> None:
    memory = a_memory(1000)
    first, second, third = (Sender() for _ in range(3))
    memory.arrive(first, 1000)
    memory.arrive(second, 1000)
    memory.arrive(third, 1000)
    memory.end(second)
    memory.end(first)
    assert (second.may_send, third.may_send) == (0, 1)


def test_client_that_stops_sending_is_disconnected_when_others_wait() -> None:
    clock = VirtualClock()
    memory = a_memory(1000, clock)
    stalled, busy, held, waiting = (Sender() for _ in range(4))
    held.reading = False
    memory.arrive(stalled, 300)
    memory.arrive(busy, 300)
    memory.arrive(held, 300)
    clock.advance(100 * STALLED_MS)
    assert not stalled.reasons
    busy.last_active_ms = clock.steady_ms() + STALLED_MS
    assert not memory.arrive(waiting, 1000)
    clock.advance(STALLED_MS)
    assert [len(each.reasons) for each in (stalled, busy, held)] == [1, 0, 0]


def test_large_requests_are_served_one_after_the_other_if_they_do_not_fit() -> None:
    memory = a_memory(1_000_000)
    first, second, third = (Sender() for _ in range(3))
    assert memory.serve(first, 100_000)  # more than all memory, with its strings and elements
    assert not memory.serve(second, 100_000)
    assert not memory.serve(third, 40_000)  # in the order of arrival
    memory.shrink_reservation(first, 100_000)
    assert (second.may_send, third.may_send) == (0, 0)
    memory.end(first)
    assert (second.may_send, third.may_send) == (1, 0)
    assert memory.serve(second, 100_000)  # it asks again once it is admitted
    memory.end(second)
    assert third.may_send == 1
    memory.end(third)
    assert memory.total == 0


def test_request_releases_what_it_does_not_need_once_it_is_decoded() -> None:
    memory = a_memory(10_000_000)
    first, second = Sender(), Sender()
    assert memory.serve(first, 100_000)
    assert not memory.serve(second, 100_000)
    memory.shrink_reservation(first, 150_000)
    assert second.may_send == 1


def test_large_request_waits_for_memory_that_parked_requests_and_unread_responses_hold() -> None:
    memory = a_memory(1_000_000)
    first, second = Sender(), Sender()
    assert memory.serve(first, 33_000)
    memory.shrink_reservation(first, 40_000)
    memory.keep(900_000)
    assert not memory.arrive(second, 100_000)
    memory.keep(-900_000)
    assert second.may_send == 1


def test_small_requests_have_a_reserve() -> None:
    memory = a_memory(1_000_000)
    small = [Sender() for _ in range(3)]
    memory.keep(1_000_000)
    assert memory.serve(small[0], 10_000)
    memory.keep(250_000)
    assert not memory.serve(small[1], 10_000)
    assert memory.serve(small[2], 1_000)  # the smallest ones do not wait at all
    memory.keep(-100_000)
    assert small[1].may_send == 1


def test_memory_is_that_of_python() -> None:
    text = 1000 * b"a"
    assert memory_of("\N{GREEK SMALL LETTER ALPHA}".encode() + text, 0, 1002, 0) >= 2000
    assert memory_of("\N{WATER WAVE}".encode() + text, 0, 1004, 10) >= 4000 + 10 * 100
    request = FetchRequest(topics=[FetchTopic("a", partitions=[FetchPartition(0)] * 3), FetchTopic("b")])
    assert elements_of(request) == 5


async def half_a_frame(whole: Whole) -> Client:
    client = await whole.client()
    client.writer.write(pack(">i", 20 * MEGABYTES) + bytes(100_000))
    await client.writer.drain()
    return client


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


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.001)


async def test_many_half_sent_small_requests_are_bounded_together() -> None:
    bound = MEGABYTES
    async with running(MemoryStorage(), tidemark_incoming_max_bytes=str(bound)) as whole:
        for _ in range(100):
            client = await whole.client()
            client.writer.write(pack(">i", 61_000) + bytes(60_000))
        connections, memory = whole.server._connections, whole.server.memory
        await until(lambda: sum(not each.reading for each in connections) == 100 - bound // 61_000)
        assert sum(memory._arriving.values()) <= bound
        assert await is_served(whole)
        for other in whole._clients:
            other.writer.transport.abort()
        await until(lambda: not connections)
        assert memory.total == 0


async def test_large_requests_that_have_arrived_are_decoded_one_after_the_other() -> None:
    bound = str(2 * MEGABYTES)
    async with running(MemoryStorage(), clock=WorkingClock(), tidemark_incoming_max_bytes=bound) as whole:
        names = ["\N{WATER WAVE}" + 30_000 * "a"] * 30
        clients = [await whole.client() for _ in range(6)]
        await clients[0].find()
        for client in clients:
            client.writer.write(request("DescribeGroups", 0, {"Groups": names}, 1))
        memory = whole.server.memory
        most = 0
        answered = asyncio.gather(*(client.correlation_ids(1) for client in clients))
        while not answered.done():
            await asyncio.sleep(0)
            most = max(most, len(memory._serving))
        assert most == 1
        assert answered.result() == [[1]] * 6
        assert await is_served(whole)
        assert memory.total == 0


async def test_small_request_is_served_and_releases_large_ones_that_have_used_up_the_memory() -> None:
    bound = str(100_000)
    async with running(MemoryStorage(), tidemark_incoming_max_bytes=bound) as whole:
        leader, other, late = await whole.client(), await whole.client(), await whole.client()
        memory = whole.server.memory
        await leader.find()
        big = {"Name": "range", "Metadata": 60_000 * "aa"}
        leader.send("JoinGroup", 3, A_JOIN)
        first = await leader.answer("JoinGroup", 3)
        # A second member makes the group rebalance: its JoinGroup waits for the leader, which is slow.
        other.send("JoinGroup", 3, A_JOIN | {"Protocols": [big]})
        await until(lambda: any(each.session.parked for each in whole.server._connections))
        late.send("DescribeGroups", 0, {"Groups": ["a" * 100] * 1000})
        assert await late.is_silent()
        assert memory.total > 50_000
        leader.send("JoinGroup", 3, A_JOIN | {"MemberId": first["MemberId"]})
        assert (await leader.answer("JoinGroup", 3))["ErrorCode"] == 0
        assert (await other.answer("JoinGroup", 3))["ErrorCode"] == 0
        assert len((await late.answer("DescribeGroups", 0))["Groups"]) == 1000
        await until(lambda: memory.total == 0)


async def test_parked_requests_with_many_elements_are_counted(whole: Whole, client: Client) -> None:
    await client.make_topic()
    empty = {"Topic": "", "Partitions": []}
    topics = [{"Topic": "orders", "Partitions": [{"Partition": 0, "PartitionMaxBytes": 100}]}]
    fetch = {"MaxWaitMs": 10_000, "MinBytes": 100, "MaxBytes": 100, "Topics": topics + [empty] * 5000}
    client.send("Fetch", 12, fetch)
    memory = whole.server.memory
    await until(lambda: memory.total > 5000 * 100)
    whole.clock.advance(10_000)
    assert (await client.answer("Fetch", 12))["ErrorCode"] == 0
    await until(lambda: memory.total == 0)
    client.send("Fetch", 12, fetch)
    await until(lambda: memory.total > 0)
    reset(client)
    await until(lambda: memory.total == 0)
    assert await is_served(whole)
