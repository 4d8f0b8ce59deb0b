"""kill -9 under commit load, again and again: no acknowledged commit is ever missing afterwards.

TIDEMARK_TEST_KILLS says how often (50), TIDEMARK_TEST_SEED repeats a run.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from struct import unpack

import pytest

from tests.broker_process import BrokerProcess, RunningBroker, start_broker
from tests.contract.wire import Connection, request, response
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(300)]

TOPIC = "orders"
PARTITIONS = 4
CLIENTS = 8
IN_FLIGHT = 16
STOP_LIMIT_S = 2
KILLS = int(os.environ.get("TIDEMARK_TEST_KILLS", "50"))
NOT_YET = (
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
)


class Committer:
    """Commits ever higher offsets of one group, IN_FLIGHT at a time, and remembers what was acknowledged."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.sent = dict.fromkeys(range(PARTITIONS), -1)
        self.acknowledged = dict.fromkeys(range(PARTITIONS), -1)
        self._next = 0

    async def commit_until_cut_off(self, bootstrap: str) -> None:
        host, _, port = bootstrap.rpartition(":")
        unanswered: deque[tuple[int, int]] = deque()
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            while True:
                while len(unanswered) < IN_FLIGHT:
                    writer.write(self._commit(unanswered))
                await writer.drain()
                size: int = unpack(">i", await reader.readexactly(4))[0]
                answer = response("OffsetCommit", 8, await reader.readexactly(size))
                partition, offset = unanswered.popleft()
                code = answer.topics[0].partitions[0].error_code
                assert code == ErrorCode.NONE or code in NOT_YET, ErrorCode(code)
                if code == ErrorCode.NONE:
                    self.acknowledged[partition] = offset
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    def _commit(self, unanswered: deque[tuple[int, int]]) -> bytes:
        partition, offset = self._next % PARTITIONS, self._next
        self._next += 1
        self.sent[partition] = offset
        unanswered.append((partition, offset))
        commit = OffsetCommitRequestPartition(partition, offset, committed_metadata=f"{self.group} was here")
        topics = [OffsetCommitRequestTopic(name=TOPIC, partitions=[commit])]
        return request("OffsetCommit", 8, OffsetCommitRequest(self.group, topics=topics))


# Segments as small as Kafka allows, compacted as soon as they are closed.
SEGMENT_BYTES = 1 << 20
RESTLESS_LOG = {
    "offsets.topic.segment.bytes": str(SEGMENT_BYTES),
    "log.cleaner.backoff.ms": "100",
    "log.cleaner.min.cleanable.ratio": "0.01",
}
BYTES_PER_COMMIT = 70


@pytest.fixture
def restless_broker(tmp_path: Path) -> Iterator[RunningBroker]:
    """A broker whose offsets topic is rolled and compacted all the time."""
    running = start_broker(tmp_path, RESTLESS_LOG)
    yield running
    running.stop()
    if isinstance(running, BrokerProcess):
        print(running.said()[-5000:])


def test_every_acknowledged_commit_survives_every_kill(broker: RunningBroker) -> None:
    load_and_kill(broker, KILLS, 0.35)


def test_compaction_under_kills_loses_no_acknowledged_commit(restless_broker: RunningBroker) -> None:
    broker = restless_broker
    committers = load_and_kill(broker, KILLS // 5, 1.5)
    wait_until_compacted(
        broker, commits=sum(max(committer.acknowledged.values()) for committer in committers)
    )
    assert_nothing_is_missing(broker, committers)
    broker.kill9()
    broker.restart()
    assert_nothing_is_missing(broker, committers)


def wait_until_compacted(broker: RunningBroker, commits: int) -> None:
    """Until the log is smaller than a third of what was written to it, and than three segments."""
    deadline = time.monotonic() + 30
    while sum(log.stat().st_size for log in broker.data_dir.glob("__consumer_offsets-*/*.log")) > min(
        commits * BYTES_PER_COMMIT / 3, 3 * SEGMENT_BYTES
    ):
        assert time.monotonic() < deadline, "the offsets topic is not compacted"
        time.sleep(0.1)


def load_and_kill(broker: RunningBroker, kills: int, longest_life_s: float) -> list[Committer]:
    """Load and kill, so many times, and look for every acknowledged commit each time."""
    seed = int(os.environ.get("TIDEMARK_TEST_SEED", time.time_ns() % 1_000_000))
    print(f"TIDEMARK_TEST_SEED={seed}")
    chance = random.Random(seed)
    committers = prepare(broker)
    for _ in range(kills):
        asyncio.run(load_until(broker.kill9, broker, committers, chance.uniform(0.02, longest_life_s)))
        if isinstance(broker, BrokerProcess) and chance.random() < 0.25:
            kill_while_it_starts(broker, chance.uniform(0.0, 0.3))
        broker.restart()
        assert_nothing_is_missing(broker, committers)
    most = [max(committer.acknowledged.values()) for committer in committers]
    assert sum(most) > kills * CLIENTS, "there was hardly any load"
    print(f"{kills} kills, last acknowledged {most}")
    if isinstance(broker, BrokerProcess):
        print(f"the last start took {broker.ready_after_s:.2f} s")
    return committers


def test_a_clean_stop_under_load_takes_two_seconds_at_most_and_loses_nothing(broker: RunningBroker) -> None:
    committers = prepare(broker)
    taken_s: list[float] = []

    def stop() -> None:
        started = time.monotonic()
        broker.stop()
        taken_s.append(time.monotonic() - started)

    for _ in range(3):
        asyncio.run(load_until(stop, broker, committers, 0.3))
        broker.restart()
        assert_nothing_is_missing(broker, committers)
    assert not isinstance(broker, BrokerProcess) or max(taken_s) < STOP_LIMIT_S, taken_s


def prepare(broker: RunningBroker) -> list[Committer]:
    """The topic is there, the coordinator too, and so are those who will commit."""
    with Connection(broker.bootstrap) as connection:
        create = CreateTopicsRequest([CreatableTopic(TOPIC, PARTITIONS, 1)])
        assert connection.ask("CreateTopics", 7, create).topics[0].error_code == ErrorCode.NONE
        connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key="any"))
    return [Committer(f"group-{i}") for i in range(CLIENTS)]


async def load_until(
    end: Callable[[], None], broker: RunningBroker, committers: list[Committer], life_s: float
) -> None:
    """Commits from all clients for so long; then the end of the broker, while they go on."""
    clients = [
        asyncio.create_task(committer.commit_until_cut_off(broker.bootstrap)) for committer in committers
    ]
    await asyncio.sleep(life_s)
    await asyncio.to_thread(end)
    await asyncio.gather(*clients)


def assert_nothing_is_missing(broker: RunningBroker, committers: list[Committer]) -> None:
    for committer in committers:
        stored = fetch_offsets(broker, committer.group)
        for partition in range(PARTITIONS):
            least, most = committer.acknowledged[partition], committer.sent[partition]
            assert least <= stored[partition] <= most, (
                committer.group,
                partition,
                least,
                stored[partition],
                most,
            )


def kill_while_it_starts(broker: BrokerProcess, after_s: float) -> None:
    """Recovery is killed too: it must leave a directory that the next one can recover."""
    broker.launch()
    time.sleep(after_s)
    broker.kill9()


def fetch_offsets(broker: RunningBroker, group: str) -> dict[int, int]:
    """The group's stored offsets, -1 where there is none; asked again while the coordinator is loading."""
    deadline = time.monotonic() + 20
    while True:
        with Connection(broker.bootstrap) as connection:
            asked = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=None)])
            answer = connection.ask("OffsetFetch", 8, asked).groups[0]
        if answer.error_code not in NOT_YET:
            break
        assert time.monotonic() < deadline, "the coordinator does not come up"
        time.sleep(0.05)
    assert answer.error_code == ErrorCode.NONE, ErrorCode(answer.error_code)
    stored = dict.fromkeys(range(PARTITIONS), -1)
    for topic in answer.topics:
        stored |= {partition.partition_index: partition.committed_offset for partition in topic.partitions}
    return stored
