"""kill -9 under load, many times: nothing acknowledged is missing, and nothing exists that was not sent.

TIDEMARK_TEST_KILLS sets the number of kills (50), TIDEMARK_TEST_SEED repeats a run; `make kills KILLS=500` is
a long run.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import BrokerProcess, RunningBroker, start_broker
from tests.clients.children import Child, python_client
from tests.clients.load import (
    Committer,
    IdempotentProducer,
    LoadClient,
    Member,
    Producer,
    TopicMaker,
    TopicRecycler,
    fetched,
    until_cut_off,
)
from tests.wire import Connection
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

KILLS: Final = int(os.environ.get("TIDEMARK_TEST_KILLS", "50"))
SECONDS_PER_KILL: Final = 6  # at most, on a busy machine

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(300 + KILLS * SECONDS_PER_KILL)]

TOPIC: Final = "orders"
RECORDS: Final = "records"
NUMBERS: Final = "numbers"
LIBRARY: Final = "library"
PARTITIONS: Final = 4
CLIENTS: Final = 8
STOP_LIMIT_S: Final = 2
LIBRARY_RECORDS: Final = 10_000_000
# Segments as small as Kafka allows, compacted as soon as they are closed.
SEGMENT_BYTES: Final = 1 << 20
RESTLESS_LOG: Final = {
    "offsets.topic.segment.bytes": str(SEGMENT_BYTES),
    "log.cleaner.backoff.ms": "100",
    "log.cleaner.min.cleanable.ratio": "0.01",
    "log.segment.bytes": str(SEGMENT_BYTES),
    "group.min.session.timeout.ms": "1000",
}
BYTES_PER_COMMIT: Final = 70
KILLED_AT_START: Final = 0.25  # this share of kills is followed by one during the start
KILLED_AT_COMPACTION: Final = 0.3
CLEAN_STOP_EVERY: Final = 20  # otherwise every start would read all records, because none is ever synced


@pytest.fixture
def restless_broker(tmp_path: Path) -> Iterator[RunningBroker]:
    """A broker that rolls and compacts its logs all the time."""
    running = start_broker(tmp_path, RESTLESS_LOG, forked=False)
    yield running
    running.stop()
    if isinstance(running, BrokerProcess):
        print(running.said()[-5000:])


async def test_kills_lose_nothing_acknowledged_and_add_nothing(
    restless_broker: RunningBroker, tmp_path: Path
) -> None:
    """Commits, records of four kinds of producers, topics and groups survive KILLS kills."""
    broker = restless_broker
    prepare(broker)
    producers = [Producer(RECORDS, partition) for partition in range(2)]
    idempotent = [IdempotentProducer(NUMBERS, partition) for partition in range(2)]
    clients: list[LoadClient] = [
        *(Committer(f"group-{i}", TOPIC, PARTITIONS, metadata_bytes=1000) for i in range(3)),
        *producers,
        *idempotent,
        *(TopicMaker(f"made-{i}") for i in range(2)),
        TopicRecycler("recycled"),
        *(Member(f"members-{i}") for i in range(3)),
    ]
    library = Child(python_client("confluent-kafka"), [broker.bootstrap], tmp_path, "library")
    try:
        library.begin(do="produce", topic=LIBRARY, codec="none", first=0, count=LIBRARY_RECORDS)
        await load_and_kill(broker, clients, KILLS, 0.6, sight_compaction=True)
        for producer in producers:
            producer.check_all(broker.bootstrap)
        for numbers in idempotent:
            numbers.check_all(broker.bootstrap)
        acked = check_library(broker, library)
    finally:
        library.kill9()
    promised = {type(each).__name__: 0 for each in clients}
    for each in clients:
        promised[type(each).__name__] += each.acknowledged
    print(f"acknowledged: {promised}, by librdkafka {acked}")
    assert all(count > 0 for count in (*promised.values(), acked)), promised


async def test_compaction_under_kills_loses_no_acknowledged_commit(restless_broker: RunningBroker) -> None:
    broker = restless_broker
    prepare(broker)
    committers = [Committer(f"group-{i}", TOPIC, PARTITIONS) for i in range(CLIENTS)]
    await load_and_kill(broker, committers, KILLS // 5, 1.5)
    while (commits := commits_of(committers)) * BYTES_PER_COMMIT < 4 * SEGMENT_BYTES:
        await load_until(broker.kill9, broker, committers, 1.5)
        broker.restart()
    wait_until_compacted(broker, commits)
    check(broker, committers)
    broker.kill9()
    broker.restart()
    check(broker, committers)


async def test_a_clean_stop_under_load_needs_at_most_two_seconds_and_loses_nothing(
    broker: RunningBroker,
) -> None:
    prepare(broker)
    committers = [Committer(f"group-{i}", TOPIC, PARTITIONS) for i in range(CLIENTS)]
    taken_s: list[float] = []

    def stop() -> None:
        started = time.monotonic()
        broker.stop()
        taken_s.append(time.monotonic() - started)

    for _ in range(3):
        await load_until(stop, broker, committers, 0.3)
        broker.restart()
        check(broker, committers)
    # The machine itself may stall for a while, so one of three stops may be slow.
    assert not isinstance(broker, BrokerProcess) or statistics.median(taken_s) < STOP_LIMIT_S, taken_s


def prepare(broker: RunningBroker) -> None:
    """Create the topics, and wait for the coordinator."""
    partitions = {TOPIC: PARTITIONS, RECORDS: 2, NUMBERS: 2, LIBRARY: 1}
    with Connection(broker.bootstrap) as connection:
        create = CreateTopicsRequest([CreatableTopic(name, count, 1) for name, count in partitions.items()])
        responses = connection.ask("CreateTopics", 7, create).topics
        assert {response.error_code for response in responses} == {ErrorCode.NONE}
        connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key="any"))


async def load_and_kill(
    broker: RunningBroker,
    clients: Sequence[LoadClient],
    kills: int,
    longest_life_s: float,
    *,
    sight_compaction: bool = False,
) -> None:
    """Load and kill this many times, and check everything acknowledged each time."""
    seed = int(os.environ.get("TIDEMARK_TEST_SEED", time.time_ns() % 1_000_000))
    print(f"TIDEMARK_TEST_SEED={seed}")
    chance = random.Random(seed)
    starts_s: list[float] = []
    at_start = at_compaction = 0
    for kill in range(1, kills + 1):
        at_sight = sight_compaction and chance.random() < KILLED_AT_COMPACTION
        sighted = await load_until(
            broker.kill9, broker, clients, chance.uniform(0.02, longest_life_s), at_sight=at_sight
        )
        at_compaction += sighted
        if isinstance(broker, BrokerProcess) and chance.random() < KILLED_AT_START:
            kill_while_it_starts(broker, chance.uniform(0.0, 0.3))
            at_start += 1
        broker.restart()
        if isinstance(broker, BrokerProcess):
            starts_s.append(broker.ready_after_s)
        check(broker, clients)
        if kill % CLEAN_STOP_EVERY == 0:
            await load_until(broker.stop, broker, clients, 0.1)
            broker.restart()
            check(broker, clients)
            print(f"{kill} kills")
    assert all(client.acknowledged for client in clients), "there was hardly any load"
    print(f"{kills} kills, {at_compaction} of them while a log was compacted; {at_start} more during a start")
    if starts_s:
        print(f"a start took {statistics.median(starts_s):.2f} s, at most {max(starts_s):.2f} s")


async def load_until(
    end: Callable[[], None],
    broker: RunningBroker,
    clients: Sequence[LoadClient],
    life_s: float,
    *,
    at_sight: bool = False,
) -> bool:
    """Run all clients for a time, then end the broker while they continue.

    at_sight: end it as soon as a compaction is visible on the disk, if that is sooner. Return whether it was.
    """
    running = [asyncio.create_task(until_cut_off(client, broker.bootstrap)) for client in clients]
    sighted = False
    deadline = time.monotonic() + (life_s if not at_sight else life_s + 1)
    while time.monotonic() < deadline and not sighted:
        await asyncio.sleep(0.005 if at_sight else max(0.0, deadline - time.monotonic()))
        sighted = at_sight and any((broker.data_dir / "__consumer_offsets-0").glob("*.cleaned"))
    await asyncio.to_thread(end)
    await asyncio.gather(*running)
    return sighted


def check(broker: RunningBroker, clients: Sequence[LoadClient]) -> None:
    for client in clients:
        client.check(broker.bootstrap)


def check_library(broker: RunningBroker, library: Child) -> int:
    """Check librdkafka's idempotent producer, which runs through all kills: each record once, in order."""
    # On a slow machine it may not finish between two kills; after the last one it does.
    library.wait_until(lambda: any(fact["event"] == "acked" for fact in library.facts), "the first ack")
    acked: int = max(fact["count"] for fact in library.facts if fact["event"] == "acked")
    offset = 0
    with Connection(broker.bootstrap) as connection:
        while offset < acked and (more := fetched(connection, LIBRARY, 0, offset)):
            assert more == [(offset + i, b"value-%d" % (offset + i)) for i in range(len(more))]
            offset += len(more)
    assert offset >= acked
    return acked


def kill_while_it_starts(broker: BrokerProcess, after_s: float) -> None:
    """Kill the broker during recovery, too. The next recovery must succeed."""
    broker.launch()
    time.sleep(after_s)
    broker.kill9()


def commits_of(committers: list[Committer]) -> int:
    """Return the number of acknowledged commits; each client counts through all of its partitions."""
    return sum(committer.acknowledged for committer in committers)


def wait_until_compacted(broker: RunningBroker, commits: int) -> None:
    """Wait until the log is smaller than a third of what was written to it, and than three segments."""
    deadline = time.monotonic() + 30
    while sum(log.stat().st_size for log in broker.data_dir.glob("__consumer_offsets-*/*.log")) > min(
        commits * BYTES_PER_COMMIT / 3, 3 * SEGMENT_BYTES
    ):
        assert time.monotonic() < deadline, "the offsets topic is not compacted"
        time.sleep(0.1)
