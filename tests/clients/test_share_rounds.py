"""Members of a share group accept, release and reject records at random, while the broker is killed.

On three brokers, single brokers are killed meanwhile, and leaders, the coordinator of the group and the share
coordinator move.

In the end, every record was accepted, rejected, or archived after its last delivery, as the members have
logged it. TIDEMARK_TEST_ROUNDS is the number of rounds, TIDEMARK_TEST_SEED the first seed.
`make share-rounds ROUNDS=100` is a long run.
"""

from __future__ import annotations

import json
import os
import random
import time
import urllib.error
import urllib.request
from base64 import urlsafe_b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final
from uuid import UUID

import pytest

from tests.broker_process import BrokerProcess, RunningBroker, start_broker
from tests.clientenv import client_python
from tests.clients.children import CLIENTS, Child
from tests.clients.copiers import any_connection, franz_go, produce
from tests.clients.load import batch_of
from tests.wire import Connection

ROUNDS: Final = int(os.environ.get("TIDEMARK_TEST_ROUNDS", "2"))
SEED: Final = int(os.environ.get("TIDEMARK_TEST_SEED", "1"))
KILLS: Final = 3 if "TIDEMARK_TEST_ROUNDS" in os.environ else 1  # of a round
SECONDS_PER_ROUND: Final = 120  # at most, on a busy machine

MOVES: Final = 5 if "TIDEMARK_TEST_ROUNDS" in os.environ else 3  # of a round on three brokers

BROKERS: Final = (1, 2, 3)
MEMBERS: Final = 3
PARTITIONS: Final = 2
BURST: Final = 12  # batches before each kill, and after the last
BATCH_MAX: Final = 25  # records
DELIVERIES_MAX: Final = 5  # group.share.delivery.count.limit
DEADLINE_S: Final = 90
GROUP_RESOURCE: Final = 32
SHARE: Final = 2  # the key type of share partitions
SET: Final = 0
FINAL: Final = ("accept", "reject")
TERMINAL: Final = (2, 4)  # acknowledged, archived
SETTINGS: Final = {
    "group.share.assignment.interval.ms": "0",
    "group.share.min.session.timeout.ms": "1000",
    "group.share.session.timeout.ms": "5000",
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.heartbeat.interval.ms": "300",
    "share.coordinator.state.topic.num.partitions": "2",
    "share.coordinator.snapshot.update.records.per.snapshot": "20",
}

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(300 + ROUNDS * SECONDS_PER_ROUND)]

Place = tuple[int, int]  # partition and offset


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    """One broker for all rounds, so that the state of old groups is loaded after each kill."""
    running = start_broker(tmp_path_factory.mktemp("broker"), SETTINGS)
    yield running
    running.stop()
    if isinstance(running, BrokerProcess):
        print(running.said()[-5000:])


def confluent_kafka() -> list[str]:
    return [
        str(client_python("confluent-kafka")),
        "-u",
        str(CLIENTS / "sharing_with_confluent_kafka.py"),
    ]


PROGRAMS: Final = pytest.mark.parametrize(
    "program",
    [confluent_kafka, pytest.param(franz_go, marks=pytest.mark.ecosystem)],
    ids=["confluent-kafka", "franz-go"],
)


@PROGRAMS
def test_each_record_is_accepted_rejected_or_archived_as_its_members_have_logged(
    broker: RunningBroker, program: Callable[[], list[str]], tmp_path: Path
) -> None:
    for seed in range(SEED, SEED + ROUNDS):
        _run(Round(broker, program(), tmp_path, seed), KILLS)


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    settings = {
        **SETTINGS,
        "tidemark.brokers": f"{len(BROKERS)}",
        "tidemark.test.api": "true",
        "broker.session.timeout.ms": "1000",
        "offsets.topic.num.partitions": "2",
    }
    running = BrokerProcess(tmp_path_factory.mktemp("brokers"), settings)
    running.start()
    yield running
    running.stop()
    print(running.said()[-5000:])


@PROGRAMS
def test_no_record_is_lost_or_accepted_again_while_brokers_come_and_go(
    brokers: BrokerProcess, program: Callable[[], list[str]], tmp_path: Path
) -> None:
    for seed in range(SEED, SEED + ROUNDS):
        _run(MovingRound(brokers, program(), tmp_path, seed), MOVES)


def _run(disturbed: Round, faults: int) -> None:
    try:
        disturbed.run(faults)
    finally:
        print(f"TIDEMARK_TEST_SEED={disturbed.seed}: {dict(disturbed.outcome)}")


@dataclass(slots=True)
class Delivery:
    """abandoned: its member has closed without an acknowledgement. confirmed: None if that is unknown."""

    count: int
    kind: str
    abandoned: bool
    confirmed: bool | None = None


@dataclass(slots=True)
class Round:
    broker: RunningBroker
    program: list[str]
    folder: Path
    seed: int
    outcome: Counter[str] = field(default_factory=Counter)
    replicas: ClassVar[int] = 1

    @property
    def drops_buffered(self) -> bool:
        """Whether a member drops records that the program has not polled, when it closes or its session ends.

        That of franz-go does.
        """
        return any(each.startswith("franz-go") for each in Path(self.program[-1]).parts)

    def run(self, kills: int) -> None:
        chance = random.Random(self.seed)
        topic = self._topic
        ends = dict.fromkeys(range(PARTITIONS), 0)
        self._prepare(topic)
        members = Child(self.program, [self.broker.bootstrap], self.folder, topic)
        try:
            members.begin(do="share", topic=topic, group=topic, members=MEMBERS, seed=self.seed)
            for number in range(kills + 1):
                for _ in range(BURST):
                    partition, size = chance.randrange(PARTITIONS), chance.randint(1, BATCH_MAX)
                    batch = batch_of([b"value"] * size)
                    ends[partition] = produce(self.broker.bootstrap, topic, partition, batch) + size
                if number < kills:
                    self._strike(members, chance)
            self._wait(members, topic, ends)
            members.stop_consuming()
        finally:
            self.outcome.update(f"{fact['event']}: {fact.get('error')}"[:120] for fact in members.facts)
            members.close()
        ended = {
            fact["member"] for fact in members.facts if fact["event"] == "failed" or fact.get("abandoned")
        }
        sessions = sum(fact["event"] == "acknowledged" and bool(fact["error"]) for fact in members.facts)
        check(deliveries_of(members), ends, unseen=len(ended) + sessions if self.drops_buffered else 0)

    @property
    def _topic(self) -> str:
        return f"shared-{self.seed}-{Path(self.program[-1]).stem}"

    def _prepare(self, topic: str) -> None:
        with any_connection(self.broker.bootstrap) as connection:
            wanted = {"Name": topic, "NumPartitions": PARTITIONS, "ReplicationFactor": self.replicas}
            created = connection.ask("CreateTopics", 7, {"Topics": [wanted], "timeoutMs": 10_000})
            assert created["Topics"][0]["ErrorCode"] == 0, created
            config = {
                "Name": "share.auto.offset.reset",
                "ConfigOperation": SET,
                "Value": "earliest",
            }
            resource = {"ResourceType": GROUP_RESOURCE, "ResourceName": topic, "Configs": [config]}
            altered = connection.ask("IncrementalAlterConfigs", 1, {"Resources": [resource]})
            assert altered["Responses"][0]["ErrorCode"] == 0, altered

    def _strike(self, members: Child, chance: random.Random) -> None:
        """Kill the broker while they work."""
        self._wait_for_deliveries(members, chance)
        self._kill()

    def _wait_for_deliveries(self, members: Child, chance: random.Random) -> None:
        """Wait for some more deliveries, and a random moment."""
        wanted = len(members.facts) + chance.randint(1, 8)
        end = time.monotonic() + 3  # there may be nothing left to deliver
        members.wait_until(lambda: len(members.facts) >= wanted or time.monotonic() > end, "deliveries")
        time.sleep(chance.random() * 0.1)

    def _kill(self) -> None:
        self.broker.kill9()
        self.broker.restart()

    def _wait(self, members: Child, topic: str, ends: dict[int, int]) -> None:
        """Wait until every record is acknowledged or archived, as the share coordinator has stored it."""
        deadline = time.monotonic() + DEADLINE_S
        states: dict[int, str]
        while (
            states := {place: self._left(topic, place, end) for place, end in ends.items() if end}
        ) and any(states.values()):
            assert not members.has_ended(), members.complaints()
            assert time.monotonic() < deadline, (states, ends, members.facts[-6:], members.complaints())
            time.sleep(0.1)

    def _left(self, topic: str, partition: int, end: int) -> str:
        """Return what is neither acknowledged nor archived in the stored state of a partition."""
        with any_connection(self.broker.bootstrap) as connection:
            described = connection.ask("Metadata", 12, {"Topics": [{"Name": topic}]})
            (known,) = described["Topics"]
            key = f"{topic}:{base64_of(known['TopicId'])}:{partition}"
            found = connection.ask("FindCoordinator", 6, {"KeyType": SHARE, "CoordinatorKeys": [key]})
        (coordinator,) = found["Coordinators"]
        epoch = {each["PartitionIndex"]: each["LeaderEpoch"] for each in known["Partitions"]}[partition]
        asked = {"Partition": partition, "LeaderEpoch": epoch}
        wanted = [{"TopicId": known["TopicId"], "Partitions": [asked]}]
        if coordinator["ErrorCode"]:
            return f"no coordinator: {coordinator}"
        with Connection(f"{coordinator['Host']}:{coordinator['Port']}") as connection:
            state = connection.ask("ReadShareGroupState", 0, {"GroupId": topic, "Topics": wanted})
        (found,) = state["Results"][0]["Partitions"]
        next_offset = found["StartOffset"]
        for batch in found["StateBatches"]:
            if batch["FirstOffset"] != next_offset or batch["DeliveryState"] not in TERMINAL:
                return f"{next_offset}, {batch}"
            next_offset = batch["LastOffset"] + 1
        return "" if next_offset == end else f"{next_offset}"


class MovingRound(Round):
    """A round on three brokers."""

    broker: BrokerProcess
    replicas = len(BROKERS)

    def _strike(self, members: Child, chance: random.Random) -> None:
        kinds = [self._kill_a_broker, self._stop_a_broker, self._move_everything, self._kill_all]
        kind = chance.choice(kinds)
        self.outcome[kind.__name__] += 1
        self._wait_for_deliveries(members, chance)
        kind(members, chance)

    def _kill_a_broker(self, members: Child, chance: random.Random) -> None:
        """Kill a broker. Others lead its partitions once its session has ended."""
        self._without_a_broker("kill", members, chance)

    def _stop_a_broker(self, members: Child, chance: random.Random) -> None:
        self._without_a_broker("stop", members, chance)

    def _without_a_broker(self, leave: str, members: Child, chance: random.Random) -> None:
        node_id = chance.choice(BROKERS)
        post(self.broker, f"{node_id}/{leave}")
        self._move_everything(members, chance, [each for each in BROKERS if each != node_id])
        self._wait_for_deliveries(members, chance)
        post(self.broker, f"{node_id}/start")

    def _move_everything(
        self, members: Child, chance: random.Random, brokers: Sequence[int] = BROKERS
    ) -> None:
        """Move the leaders, the coordinator of the group and the share coordinator among these brokers."""
        group = topic = self._topic
        shared = int(SETTINGS["share.coordinator.state.topic.num.partitions"])
        leaders = [(topic, partition) for partition in range(PARTITIONS)]
        leaders += [("__share_group_state", partition) for partition in range(shared)]
        for name, partition in chance.sample(leaders, len(leaders)):
            post(self.broker, "leader", topic=name, partition=partition, to=chance.choice(brokers))
            time.sleep(chance.random() * 0.05)
        post(self.broker, "coordinator", group=group, to=chance.choice(brokers))

    def _kill_all(self, members: Child, chance: random.Random) -> None:
        self._kill()


def post(broker: BrokerProcess, path: str, **body: Any) -> None:
    address = f"http://{broker.http}/v1/brokers/{path}"
    try:
        urllib.request.urlopen(address, json.dumps(body).encode(), timeout=30).close()
    except urllib.error.HTTPError as refused:
        raise AssertionError(f"{path} {body}: {refused.read().decode()}") from None


def base64_of(topic_id: str) -> str:
    return urlsafe_b64encode(UUID(topic_id).bytes).decode().rstrip("=")


def deliveries_of(members: Child) -> dict[Place, list[Delivery]]:
    """Return what each record's members have logged, in order."""
    found: dict[Place, list[Delivery]] = defaultdict(list)
    open_: dict[tuple[str, int, int], list[Delivery]] = defaultdict(list)
    for fact in members.facts:
        if fact["event"] == "deliveries":
            for partition, offset, count, kind in fact["rows"]:
                delivery = Delivery(count, kind, fact["abandoned"])
                found[partition, offset].append(delivery)
                open_[fact["member"], partition, offset].append(delivery)
        elif fact["event"] == "acknowledged":
            for partition, offset in fact["rows"]:
                same = open_.pop((fact["member"], partition, offset), [])
                for delivery in same:  # if a poll returned several, it is unknown which one was acknowledged
                    delivery.confirmed = _is_confirmed(fact["error"]) if len(same) == 1 else None
    return found


def _is_confirmed(error: str | None) -> bool | None:
    if error is None:
        return True
    return False if "INVALID_RECORD_STATE" in error else None


def check(found: dict[Place, list[Delivery]], ends: dict[int, int], unseen: int = 0) -> None:
    """Check that each record has ended as its deliveries say.

    An acknowledgement without a confirmation may have been stored or not. A client may deliver a record that
    it has received before a kill after another one has acknowledged it, but is then refused.

    unseen: how many deliveries of a record clients may have dropped, without a log
    """
    wanted = {(partition, offset) for partition, end in ends.items() for offset in range(end)}
    assert not (lost := sorted(wanted - found.keys())), f"never delivered: {lost}"
    assert found.keys() == wanted
    for place, deliveries in found.items():
        told = (place, deliveries)
        confirmed = [each for each in deliveries if each.confirmed]
        # A record may be delivered twice with one count if its leader changes. Once it has ended and is below
        # the start offset, Kafka also confirms the acknowledgement of the other delivery.
        ended = next((each for each in confirmed if each.kind in FINAL), None)
        if ended is not None:
            confirmed = [each for each in confirmed if each is ended or each.count != ended.count]
        counts = [each.count for each in confirmed]
        assert counts == sorted(set(counts)), f"an acknowledged delivery counts again: {told}"
        assert max(each.count for each in deliveries) <= DELIVERIES_MAX, f"too many deliveries: {told}"
        final = [each for each in confirmed if each.kind in FINAL]
        assert len(final) <= 1, f"two final acknowledgements: {told}"
        assert not final or confirmed[-1] is final[0], f"released after it was acknowledged: {told}"
        may_be_final = [each for each in deliveries if each.kind in FINAL and each.confirmed is None]
        is_last = any(each.count + unseen >= DELIVERIES_MAX for each in deliveries)
        assert final or may_be_final or is_last, f"archived without a reason: {told}"
