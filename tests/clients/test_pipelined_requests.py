"""A client sends many requests before it reads: every response arrives, in order, with the right content."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess, RunningBroker
from tests.clients.conversation import ALL_TOPICS, API_VERSIONS, VERSIONS, Conversation
from tests.clients.load import ask_coordinator, batch_of
from tests.faults.fuzz.probe import Waiting
from tests.wire import Connection, frames, request
from tidemark_protocol.compression import Codec
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

pytestmark = [pytest.mark.contract, pytest.mark.slow]

CONNECTIONS: Final = 50
REQUESTS: Final = 2000
TOPIC: Final = "own"
WIDE_PARTITIONS: Final = 500
MIB: Final = 1 << 20
DEADLINE_S: Final = 240
SERVED_WITHIN_S: Final = 2
PROBE_PAUSE_S: Final = 0.005
# Small and fixed, so that the kernel does not buffer everything that a slow client leaves unread.
RECEIVE_BUFFER_BYTES: Final = 128 * 1024
FAST: Final = 256 * 1024
SLOW: Final = 4096

# Each request and its weight in the random choice.
MIX: Final[list[tuple[int, Callable[[Conversation, Random], None]]]] = [
    (120, lambda talk, _: talk.ask_api_versions()),
    (30, lambda talk, _: talk.ask_metadata()),
    (150, lambda talk, _: talk.commit()),
    (150, lambda talk, _: talk.ask_committed()),
    (100, lambda talk, _: talk.describe_group()),
    (120, lambda talk, _: talk.beat_as_a_stranger()),
    (120, lambda talk, _: talk.ask_end_offset()),
    (120, lambda talk, random: talk.produce(a_batch(random), acks=random.choice([-1, 0, 1]))),
    (70, lambda talk, _: talk.fetch_last_batch()),
    (15, lambda talk, _: talk.fetch_at_end(max_wait_ms=5)),
    (5, lambda talk, _: talk.fetch_all()),
]


def a_batch(random: Random) -> bytes:
    return batch_of([random.randbytes(2000) for _ in range(3)], compression=random.choice(list(Codec)))


class Talks:
    """Creates conversations with one broker, each with its own group and partition."""

    def __init__(self, bootstrap: str, partitions: int) -> None:
        self._made = 0
        with Connection(bootstrap) as connection:
            topics = [CreatableTopic(TOPIC, partitions, 1), CreatableTopic("wide", WIDE_PARTITIONS, 1)]
            created = connection.ask("CreateTopics", 7, CreateTopicsRequest(topics, timeout_ms=30_000))
            assert [topic.error_code for topic in created.topics] == [0, 0]
            connection.ask("FindCoordinator", 2, FindCoordinatorRequest("any"))
            for number in range(partitions):
                requested = OffsetFetchRequest(
                    groups=[OffsetFetchRequestGroup(f"group-{number}", topics=None)]
                )
                ask_coordinator(bootstrap, "OffsetFetch", VERSIONS["OffsetFetch"], requested)
            self._api_versions = body(connection, "ApiVersions", API_VERSIONS)
            self._metadata = body(connection, "Metadata", ALL_TOPICS)

    def new(self) -> Conversation:
        number = self._made
        self._made += 1
        return Conversation(
            TOPIC, number, f"group-{number}", api_versions=self._api_versions, metadata=self._metadata
        )


def body(connection: Connection, name: str, message: object) -> bytes:
    """Return the body of a response."""
    connection.send(request(name, VERSIONS[name], message))
    return connection.answer()[4 if name == "ApiVersions" else 5 :]


class Peer:
    """One connection of a client that sends without waiting and checks each response on its arrival."""

    def __init__(self, bootstrap: str, talk: Conversation) -> None:
        host, _, port = bootstrap.rpartition(":")
        self._talk = talk
        self._socket = socket.create_connection((host, int(port)), timeout=DEADLINE_S)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        self._socket.setblocking(False)

    @property
    def missing(self) -> int:
        """Return the number of missing responses."""
        return len(self._talk.expected)

    async def send(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            await asyncio.get_running_loop().sock_sendall(self._socket, piece)

    async def read(self, bytes_at_once: int) -> None:
        """Read all responses. Raise AssertionError if one is not the next expected one."""
        received = bytearray()
        while self._talk.expected:
            data = await asyncio.get_running_loop().sock_recv(self._socket, bytes_at_once)
            assert data, f"the broker hung up with {self.missing} responses missing"
            received += data
            for frame in frames(received):
                self._talk.expected.popleft().check(frame)

    def close(self) -> None:
        self._socket.close()


@contextmanager
def another_client(broker: RunningBroker) -> Iterator[list[float]]:
    """Run another client that sends one request after another. Each response must arrive in SERVED_WITHIN_S.

    Yields the waiting times so far, in seconds. They lack the time in which the broker or this process was
    ready to run and had no core.
    """
    waits: list[float] = []
    done = threading.Event()
    without_core = [Waiting("self")] + (
        [Waiting(str(broker.pid))] if isinstance(broker, BrokerProcess) else []
    )

    def ask() -> None:
        with Connection(broker.bootstrap) as connection:
            while not done.wait(PROBE_PAUSE_S):
                before = [each.ms() for each in without_core]
                began = time.monotonic()
                connection.ask("ApiVersions", VERSIONS["ApiVersions"], API_VERSIONS)
                by_the_clock = time.monotonic() - began
                others_ms = max(each.ms() - was for each, was in zip(without_core, before, strict=True))
                waits.append(by_the_clock - others_ms / 1000)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield waits
    finally:
        done.set()
        asking.join()
    assert max(waits) < SERVED_WITHIN_S


def pieces_of(data: bytes, random: Random) -> Iterator[bytes]:
    """Split data at random positions, also within frames."""
    pos = 0
    while pos < len(data):
        size = random.randrange(1, 10_000)
        yield data[pos : pos + size]
        pos += size


def mixed(talk: Conversation, random: Random) -> bytes:
    """Draw REQUESTS requests and return them all."""
    talk.commit()
    talk.produce(a_batch(random))
    weights = [weight for weight, _ in MIX]
    while len(talk.sent) < REQUESTS:
        random.choices(MIX, weights)[0][1](talk, random)
    return b"".join(talk.sent)


async def all_answered(peers: list[Peer], *work: Coroutine[Any, Any, None]) -> None:
    """Run the work until every response has arrived. Raise AssertionError if some do not arrive in time."""
    try:
        async with asyncio.timeout(DEADLINE_S), asyncio.TaskGroup() as tasks:
            for each in work:
                tasks.create_task(each)
    except TimeoutError:
        missing = {number: peer.missing for number, peer in enumerate(peers) if peer.missing}
        raise AssertionError(f"responses missing by connection: {missing}") from None
    finally:
        for peer in peers:
            peer.close()


async def test_2000_mixed_requests_on_each_of_50_connections_get_responses_in_order(
    broker: RunningBroker,
) -> None:
    """Two of every five clients send and read at once, one sends in pieces, and one reads slowly.

    The fifth reads nothing until all others have their responses.
    """
    talks = Talks(broker.bootstrap, CONNECTIONS)
    peers, sending, reading, reading_late = [], [], [], []
    others_done = asyncio.Event()

    async def read_late(peer: Peer) -> None:
        await others_done.wait()
        await peer.read(FAST)

    for number in range(CONNECTIONS):
        random = Random(number)
        talk = talks.new()
        data = mixed(talk, random)
        peer = Peer(broker.bootstrap, talk)
        kind = number % 5
        peers.append(peer)
        sending.append(peer.send(pieces_of(data, random) if kind == 2 else [data]))
        if kind == 4:
            reading_late.append(read_late(peer))
        else:
            reading.append(peer.read(SLOW if kind == 3 else FAST))

    async def read() -> None:
        async with asyncio.TaskGroup() as tasks:
            for each in reading:
                tasks.create_task(each)
        others_done.set()

    with another_client(broker):
        await all_answered(peers, *sending, read(), *reading_late)


@pytest.mark.parametrize("codec", list(Codec)[1:], ids=lambda codec: codec.name.lower())
async def test_requests_sent_with_large_compressed_batches_get_responses(
    codec: Codec, broker: RunningBroker
) -> None:
    """Requests that arrive with a batch see its records, even if it has no response (acks=0)."""
    talk = Talks(broker.bootstrap, 1).new()
    large = batch_of([bytes(MIB)] * 16, compression=codec)
    small = batch_of([b"small"])
    talk.commit()
    for acks in (1, 0, -1, 0):
        talk.ask_api_versions()
        talk.produce(large, acks=acks)
        talk.ask_end_offset()
        talk.ask_api_versions()
        talk.produce(small, acks=acks)
        talk.commit()
        talk.ask_committed()
        talk.fetch_last_batch()
        talk.produce(large, acks=acks)
        talk.fetch_all()
        talk.ask_metadata()
        talk.fetch_at_end(max_wait_ms=1)
        talk.describe_group()
    peer = Peer(broker.bootstrap, talk)
    with another_client(broker):
        await all_answered([peer], peer.send([b"".join(talk.sent)]), peer.read(FAST))


async def test_requests_after_large_fetches_get_responses_for_a_slow_reader(broker: RunningBroker) -> None:
    """The client reads nothing while another one is served, and then reads slowly."""
    talk = Talks(broker.bootstrap, 1).new()
    talk.commit()
    for _ in range(4):
        talk.produce(batch_of([Random(0).randbytes(MIB * 3 // 4)]))
    for _ in range(5):
        talk.fetch_all()
        talk.ask_api_versions()
        talk.commit()
        talk.ask_committed()
        talk.ask_metadata()
        talk.produce(batch_of([b"small"]))
        talk.fetch_last_batch()
        talk.fetch_all()
        talk.fetch_at_end(max_wait_ms=1)
        talk.ask_end_offset()
        talk.beat_as_a_stranger()
    peer = Peer(broker.bootstrap, talk)

    async def read_later(waits: list[float]) -> None:
        while len(waits) < 100:
            await asyncio.sleep(PROBE_PAUSE_S)
        await peer.read(SLOW)

    with another_client(broker) as waits:
        await all_answered([peer], peer.send([b"".join(talk.sent)]), read_later(waits))
