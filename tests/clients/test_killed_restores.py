"""kill -9 at a random moment of restoring a snapshot: the next start has the old state or the restored one.

`tests/unit/broker/node/test_killed_restores.py` kills at each file operation, in memory.
TIDEMARK_TEST_KILLS sets the number of kills, TIDEMARK_TEST_SEED repeats a run.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.wire import Connection
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_tools.http_api import Api, ApiError, NoResponse

KILLS: Final = int(os.environ.get("TIDEMARK_TEST_KILLS", "50")) // 5
SECONDS_PER_KILL: Final = 10  # at most, on a busy machine
SETTINGS: Final = {"tidemark.test.api": "true"}
TOPICS: Final = 40  # with this many directories, a restore is slow enough for a kill to hit it
GROUP: Final = "readers"

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(120 + KILLS * SECONDS_PER_KILL)]
State = tuple[dict[str, int], int]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path, SETTINGS)
    running.start()
    yield running
    running.stop()
    print(running.said()[-3000:])


class Client:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.ask("FindCoordinator", 4, {"CoordinatorKeys": [GROUP]})

    def ask(self, api: str, version: int, value: dict[str, Any]) -> Any:
        return self._connection.ask(api, version, value)

    def make(self, *topics: str) -> None:
        wanted = [{"Name": name, "NumPartitions": 1, "ReplicationFactor": 1} for name in topics]
        made = self.ask("CreateTopics", 7, {"Topics": wanted})
        assert all(topic["ErrorCode"] == 0 for topic in made["Topics"])

    def produce(self, *topics: str) -> None:
        batch = build_batch([LogRecord(0, 0, None, b"value")], leader_epoch=-1).hex()
        data = [{"Name": name, "PartitionData": [{"Index": 0, "Records": batch}]} for name in topics]
        completed = self.ask("Produce", 8, {"Acks": -1, "TimeoutMs": 1000, "TopicData": data})
        assert all(each["PartitionResponses"][0]["ErrorCode"] == 0 for each in completed["Responses"])

    def commit(self, offset: int) -> None:
        partition = {"PartitionIndex": 0, "CommittedOffset": offset, "CommittedMetadata": ""}
        topics = [{"Name": "topic-0", "Partitions": [partition]}]
        completed = self.ask("OffsetCommit", 8, {"GroupId": GROUP, "Topics": topics})
        assert completed["Topics"][0]["Partitions"][0]["ErrorCode"] == 0

    def state(self) -> State:
        """Return the end of each topic, and the committed offset."""
        found = self.ask("Metadata", 9, {"Topics": None})["Topics"]
        names = [topic["Name"] for topic in found if not topic["IsInternal"]]
        wanted = [{"Name": name, "Partitions": [{"PartitionIndex": 0, "Timestamp": -1}]} for name in names]
        ends = self.ask("ListOffsets", 5, {"ReplicaId": -1, "Topics": wanted})["Topics"]
        fetched = {"GroupId": GROUP, "Topics": [{"Name": "topic-0", "PartitionIndexes": [0]}]}
        offset = self.ask("OffsetFetch", 7, fetched)["Topics"][0]["Partitions"][0]["CommittedOffset"]
        return {topic["Name"]: topic["Partitions"][0]["Offset"] for topic in ends}, offset


@contextmanager
def client_of(broker: BrokerProcess) -> Iterator[Client]:
    with Connection(broker.bootstrap) as connection:
        yield Client(connection)


def restore(broker: BrokerProcess, snapshot: str) -> threading.Thread:
    """Restore in a thread. The kill may prevent the response."""

    def requested() -> None:
        with suppress(NoResponse, ApiError):
            Api(broker.http).post(f"/v1/snapshots/{snapshot}/restore")

    thread = threading.Thread(target=requested)
    thread.start()
    return thread


def test_a_kill_during_a_restore_leaves_the_old_or_the_restored_state(
    broker: BrokerProcess,
) -> None:
    seed = int(os.environ.get("TIDEMARK_TEST_SEED", random.randrange(2**31)))
    print(f"TIDEMARK_TEST_SEED={seed}")
    chance = random.Random(seed)
    names = [f"topic-{n}" for n in range(TOPICS)]
    with client_of(broker) as client:
        client.make(*names)
        client.produce(*names)
        client.commit(0)
        began = time.monotonic()  # while a client is connected: else the restore does nothing
        restore(broker, Api(broker.http).post("/v1/snapshots")["id"]).join()
        takes_s = time.monotonic() - began
    outcomes = {"old": 0, "restored": 0}
    for number in range(1, KILLS + 1):
        with client_of(broker) as client:
            restored = client.state()
            snapshot = Api(broker.http).post("/v1/snapshots")["id"]
            client.make(f"later-{number}")
            client.produce("topic-0", f"later-{number}")
            client.commit(number)
            old = client.state()
        restoring = restore(broker, snapshot)
        time.sleep(chance.uniform(0, 1.2 * takes_s))
        broker.kill9()
        restoring.join()
        broker.restart()
        with client_of(broker) as client:
            found = client.state()
        assert found in (old, restored)
        outcomes["old" if found == old else "restored"] += 1
    print(f"a restore took {takes_s * 1000:.0f} ms; after {KILLS} kills: {outcomes}")
