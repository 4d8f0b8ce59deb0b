"""Long responses wait while memory is used up: only the oldest is built, and one is encoded at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.broker.whole import DEADLINE_S, Client, Whole, WorkingClock, a_commit, running, stable_member
from tests.wire import request
from tidemark.engine.request import ITEM_BYTES, LongResponses
from tidemark_testing.storage import MemoryStorage

PARTITIONS = 4000
CLIENTS = 12
RESPONSE_BYTES = PARTITIONS * ITEM_BYTES


class Session:
    closed = False


class Pending:
    """A request, as `LongResponses` needs it."""

    def __init__(self) -> None:
        self.session = Session()


class Built:
    """Three responses, and what they were allowed to do."""

    def __init__(self) -> None:
        self.bytes_max = 1000 * ITEM_BYTES
        self.responses = LongResponses()
        self.responses.has_room = self.has_room
        self.pending: list[Any] = [Pending(), Pending(), Pending()]
        self.went_on: list[int] = []

    def has_room(self, size: int, *, is_alone: bool) -> bool:
        return is_alone or self.responses.total + size <= self.bytes_max

    def grow(self, number: int, items: int) -> None:
        if self.responses.grow(self.pending[number], items, lambda: self.went_on.append(number)):
            self.went_on.append(number)

    def encode(self, number: int) -> None:
        self.responses.encode(self.pending[number], lambda: self.went_on.append(number))

    def end(self, number: int) -> None:
        self.responses.end(self.pending[number])


def test_an_error_is_encoded_in_place_of_a_response_that_cannot_be_encoded() -> None:
    built = Built()
    built.encode(0)
    built.encode(1)
    built.encode(0)
    assert built.went_on == [0, 0]
    built.end(0)
    assert built.went_on == [0, 0, 1]


def test_only_the_oldest_goes_on_while_memory_is_used_up() -> None:
    built = Built()
    for number in range(3):
        built.grow(number, 500)
    built.grow(0, 600)
    built.grow(1, 600)
    assert built.went_on == [0, 1, 0]
    assert built.responses.waiting == 2
    built.end(0)
    assert built.went_on == [0, 1, 0, 1]
    built.end(1)
    assert built.went_on == [0, 1, 0, 1, 2]
    built.end(2)
    assert built.responses.total == 0


def test_one_response_is_encoded_at_a_time() -> None:
    built = Built()
    built.encode(0)
    built.encode(1)
    built.encode(2)
    assert built.went_on == [0]
    built.end(0)
    assert built.went_on == [0, 1]
    built.end(2)
    built.end(1)
    assert built.went_on == [0, 1]
    assert built.responses.waiting == 0


def test_encoded_responses_that_are_not_durable_hold_back_others() -> None:
    built = Built()
    built.encode(0)
    built.responses.keep(built.pending[0], built.bytes_max + 1)
    built.end(0)
    built.encode(1)
    assert built.went_on == [0]
    built.responses.sent(built.pending[0])
    assert built.went_on == [0, 1]


def test_response_of_a_closed_connection_releases_its_memory() -> None:
    built = Built()
    built.grow(0, 2000)
    built.grow(1, 600)
    assert built.went_on == [0]
    built.end(1)
    built.pending[0].session.closed = True
    built.end(0)
    assert built.responses.total == 0
    assert built.responses.waiting == 0


async def test_long_response_of_a_log_api_is_sent_once_it_may_be_encoded(
    whole: Whole, client: Client
) -> None:
    responses = whole.engine.runtime.long_responses
    has_room, responses.has_room = responses.has_room, lambda size, *, is_alone: False
    partitions = [{"PartitionIndex": index, "Timestamp": -1} for index in range(PARTITIONS)]
    client.send("ListOffsets", 7, {"ReplicaId": -1, "Topics": [{"Name": "x", "Partitions": partitions}]})
    async with asyncio.timeout(DEADLINE_S):
        while not responses.waiting:
            await asyncio.sleep(0)
    responses.has_room = has_room
    responses.admit()
    listed = await client.answer("ListOffsets", 7)
    assert len(listed["Topics"][0]["Partitions"]) == PARTITIONS
    assert responses.total == 0


async def test_long_response_that_cannot_be_encoded_does_not_hold_back_others(whole: Whole) -> None:
    """Bytes that are no UTF-8 become characters of three bytes each, and the name is too long then."""
    client, other = await whole.client(), await whole.client()
    await stable_member(client)  # creates the topic of offsets
    name = "x" * 20_000
    commit = a_commit("readers", 7, name)
    commit["Topics"][0]["Partitions"] *= PARTITIONS
    frame = request("OffsetCommit", 8, commit)
    client.writer.write(frame.replace(name.encode(), b"\xff" * len(name)))
    async with asyncio.timeout(DEADLINE_S):
        assert await client.reader.read() == b""
        commit["Topics"][0]["Name"] = "nope"
        completed = await other.ask("OffsetCommit", 8, commit)
    assert len(completed["Topics"][0]["Partitions"]) == PARTITIONS


@pytest.mark.slow
async def test_many_long_responses_at_once_share_the_memory() -> None:
    async with running(
        MemoryStorage(), WorkingClock(), tidemark_incoming_max_bytes=str(2 * RESPONSE_BYTES)
    ) as whole:
        first = await whole.client()
        await stable_member(first)  # creates the topic of offsets
        topics = [{"Name": "wide", "NumPartitions": PARTITIONS, "ReplicationFactor": 1}]
        await first.ask("CreateTopics", 7, {"Topics": topics})
        commit = a_commit("readers", 7, "wide")
        (partition,) = commit["Topics"][0]["Partitions"]
        commit["Topics"][0]["Partitions"] = [
            partition | {"PartitionIndex": index} for index in range(PARTITIONS)
        ]
        await first.ask("OffsetCommit", 8, commit)
        responses = whole.engine.runtime.long_responses
        peak = 0

        async def everything(client: Client) -> int:
            fetched = await client.ask("OffsetFetch", 7, {"GroupId": "readers", "Topics": None})
            return len(fetched["Topics"][0]["Partitions"])

        clients = [await whole.client() for _ in range(CLIENTS)]
        tasks = [asyncio.ensure_future(everything(client)) for client in clients]
        while not all(task.done() for task in tasks):
            peak = max(peak, responses.total)
            await asyncio.sleep(0)
        assert [task.result() for task in tasks] == [PARTITIONS] * CLIENTS
        # Those that wait have made another part each before they look.
        assert RESPONSE_BYTES <= peak <= 3 * RESPONSE_BYTES + CLIENTS * 1000 * ITEM_BYTES
        assert responses.total == 0
