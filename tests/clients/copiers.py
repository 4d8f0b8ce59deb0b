"""Clients that copy records from one topic to another in transactions, while they and the broker are killed.

A round is repeatable by its seed, as far as processes are: the seed draws the settings of the clients, the
kind of each fault, and the step of a transaction at which it strikes.
"""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import RunningBroker
from tests.clientenv import built, client_python
from tests.clients.children import CLIENTS, Child, Fact
from tests.clients.load import NOT_YET, batch_of
from tests.wire import Connection
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

SETTINGS: Final = {
    "group.min.session.timeout.ms": "1000",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.session.timeout.ms": "3000",
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "300",
    "offsets.topic.num.partitions": "2",
    "transaction.state.log.num.partitions": "2",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "200",
}
SOURCE_PARTITIONS: Final = 4
TARGET_PARTITIONS: Final = 2  # as in the clients
BURST: Final = 60  # records before each fault, and after the last
SEGMENT_MS: Final = 500  # of the target, so that transactions span segments
END: Final = b"end"  # as in the clients
DEADLINE_S: Final = 60
STEPS: Final = ("begun", "sent", "offsets", "committed", "aborted")
Source = tuple[int, int]  # partition and offset


@dataclass(frozen=True, slots=True)
class Library:
    """A client library. faults: the kinds that it can survive."""

    program: Callable[[], list[str]]
    copiers: int = 2
    joins: bool = True  # else each process has partitions of its own
    protocols: tuple[str, ...] = ("classic",)


def python(client: str) -> Callable[[], list[str]]:
    script = CLIENTS / f"copying_with_{client.replace('-', '_')}.py"
    return lambda: [str(client_python(client)), "-u", str(script)]


def java() -> list[str]:
    return kafka_oracle.java(str(CLIENTS / "Copier.java"), version=kafka_oracle.NEWEST)


@cache
def franz_go() -> list[str]:
    _needs("go")
    return [str(built(CLIENTS / "franz-go", "go", "build", "-o", "client", ".") / "client")]


@cache
def kafkajs() -> list[str]:
    _needs("node")
    folder = built(CLIENTS / "kafkajs", "npm", "ci", "--silent", "--no-audit", "--no-fund")
    return ["node", str(folder / "copying.js")]


def _needs(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


LIBRARIES: Final = {
    "confluent-kafka": Library(python("confluent-kafka"), protocols=("classic", "consumer")),
    "kafka-python": Library(python("kafka-python")),
    "aiokafka": Library(python("aiokafka"), joins=False),
    "java": Library(java, protocols=("classic", "consumer")),
    "franz-go": Library(franz_go, protocols=("classic", "consumer")),
    "kafkajs": Library(kafkajs, copiers=1, joins=False),
}


@dataclass(slots=True)
class Copier:
    """The current process of a copier. Processes of the past are zombies if they still run."""

    transactional_id: str
    partitions: list[int]
    child: Child


@dataclass(slots=True)
class Outcome:
    """The events and errors of a round, by their names."""

    faults: list[str] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        errors = "".join(f"\n    {count} {error[:200]}" for error, count in sorted(self.errors.items()))
        return f"{', '.join(self.faults)}: {dict(self.events)}{errors}"


class Round:
    """Copiers of one library, with faults of themselves and of the process of the broker."""

    replicas = 1

    def __init__(self, broker: RunningBroker, library: str, folder: Path, seed: int) -> None:
        self._broker = broker
        self._name = library
        self._library = LIBRARIES[library]
        self._folder = folder
        self._chance = random.Random(f"{library} {seed}")
        self.name = f"{library}-{seed}"
        self.source = f"{self.name}-source"
        self.target = f"{self.name}-target"
        self.protocol = self._chance.choice(self._library.protocols)
        self.abort_every = self._chance.randint(3, 9)
        self.outcome = Outcome()
        self._told = threading.Condition()
        self._children: list[Child] = []
        self._copiers: list[Copier] = []
        self._ends: dict[int, int] = {}  # of the source

    def run(self, faults: int) -> Outcome:
        """Copy without errors while there is no fault, and then everything despite this many faults.

        Check that each record has exactly one copy.
        """
        try:
            self._prepare()
            self._write_burst()
            self._wait("the first records to be copied", self._all_committed)
            undisturbed = [fact for child in self._children for fact in child.facts if fact.get("error")]
            assert not undisturbed, str(undisturbed)[:1000]
            for _ in range(faults):
                self._strike()
            self._write_burst()
            self._wait("everything to be copied", self._all_committed)
        finally:
            for child in self._children:
                self.outcome.events.update(fact["event"] for fact in child.facts)
                self.outcome.errors.update(
                    f"{fact['event']}: {fact['error']}" for fact in child.facts if fact.get("error")
                )
                child.kill9()
        self._check()
        return self.outcome

    def _prepare(self) -> None:
        configs = [CreatableTopicConfig("segment.ms", str(SEGMENT_MS))]
        topics = [
            CreatableTopic(self.source, SOURCE_PARTITIONS, self.replicas),
            CreatableTopic(self.target, TARGET_PARTITIONS, self.replicas, configs=configs),
        ]
        with any_connection(self._broker.bootstrap) as connection:
            created = connection.ask("CreateTopics", 7, CreateTopicsRequest(topics, 10_000))
        assert [topic.error_code for topic in created.topics] == [0, 0], created
        self._ends = dict.fromkeys(range(SOURCE_PARTITIONS), 0)
        for n in range(self._library.copiers):
            mine = [p for p in range(SOURCE_PARTITIONS) if p % self._library.copiers == n]
            transactional_id = f"{self.name}-{n}"
            self._copiers.append(Copier(transactional_id, mine, self._new_child(transactional_id, mine)))

    def _new_child(self, transactional_id: str, partitions: list[int]) -> Child:
        name = f"{self.name}-process-{len(self._children)}"
        child = Child(self._library.program(), [self._broker.bootstrap], self._folder, name, self._told)
        self._children.append(child)
        child.begin(
            do="copy",
            source=self.source,
            target=self.target,
            group=self.name,
            transactional_id=transactional_id,
            partitions=partitions,
            protocol=self.protocol,
            abort_every=self.abort_every,
        )
        return child

    def _strike(self) -> None:
        """Write a burst. Let a fault happen when one of the copiers has come to a step."""
        fault = self._chance.choice(self._kinds())
        step = self._chance.choice(STEPS)
        skipped = self._chance.randrange(4)  # transactions
        self.outcome.faults.append(f"{fault.__name__.removeprefix('_')} at {step}")
        before = {id(copier.child): len(copier.child.facts) for copier in self._copiers}
        self._write_burst()
        victim: list[Copier] = []

        def came_to_step() -> bool:
            for copier in self._copiers:
                facts = copier.child.facts[before.get(id(copier.child), 0) :]
                reached = [fact for fact in facts if fact["event"] == step]
                ended = [fact for fact in facts if fact["event"] in ("committed", "aborted")]
                # Some libraries skip a step, and few transactions are aborted.
                if len(reached) > skipped or len(ended) > skipped + self.abort_every:
                    victim[:] = [copier]
                    return True
            return self._all_committed()

        self._wait(f"a copier to have {step}", came_to_step)
        fault(victim[0] if victim else self._chance.choice(self._copiers))

    def _kinds(self) -> list[Callable[[Copier], None]]:
        kinds = [self._kill_copier, self._kill_broker, self._kill_both, self._replace_frozen]
        return [*kinds, self._abandon] if self._library.joins else kinds

    def _kill_copier(self, victim: Copier) -> None:
        victim.child.kill9()
        victim.child = self._new_child(victim.transactional_id, victim.partitions)

    def _kill_broker(self, _: Copier) -> None:
        self._broker.kill9()
        self._broker.restart()

    def _kill_both(self, victim: Copier) -> None:
        victim.child.kill9()
        self._broker.kill9()
        self._broker.restart()
        victim.child = self._new_child(victim.transactional_id, victim.partitions)

    def _abandon(self, victim: Copier) -> None:
        """Start a successor with an id of its own, so that the open transaction has to time out."""
        victim.child.kill9()
        victim.transactional_id = f"{self.name}-{len(self._children)}"
        victim.child = self._new_child(victim.transactional_id, victim.partitions)

    def _replace_frozen(self, victim: Copier) -> None:
        """Let the process run on, as a zombie, after its successor has copied something."""
        zombie = victim.child
        zombie.freeze()
        try:
            victim.child = self._new_child(victim.transactional_id, victim.partitions)
            self._wait("the successor to be ready", lambda: _told(victim.child, "ready"))
            self._write_burst()
            self._wait("others to copy", self._all_committed)
        finally:
            zombie.thaw()

    def _write_burst(self) -> None:
        """Append to random partitions. A batch that is refused is sent again."""
        for _ in range(BURST // 5):
            partition = self._chance.randrange(SOURCE_PARTITIONS)
            batch = batch_of([b"value"] * 5)
            self._ends[partition] = produce(self._broker.bootstrap, self.source, partition, batch) + 5

    def _all_committed(self) -> bool:
        """Return whether the offsets of the group are at the ends of the source."""
        return committed(self._broker.bootstrap, self.name) == {
            partition: end for partition, end in self._ends.items() if end
        }

    def _wait(self, what: str, reached: Callable[[], bool]) -> None:
        """Wait, and start copiers that have failed again."""
        deadline = time.monotonic() + DEADLINE_S
        while not reached():
            for copier in self._copiers:
                self._revive(copier)
            if time.monotonic() > deadline:
                last = {child.name: child.facts[-6:] for child in self._children}
                said = [child.complaints()[-1000:] for child in self._children]
                raise AssertionError(f"{self.name} waited in vain for {what}: {last}; {said}")
            with self._told:
                self._told.wait(0.05)

    def _revive(self, copier: Copier) -> None:
        if copier.child.has_ended():
            assert _told(copier.child, "failed"), (copier.child.name, copier.child.complaints())
            copier.child = self._new_child(copier.transactional_id, copier.partitions)

    def _check(self) -> None:
        """Check the records that consumers with read_committed see, with two libraries."""
        for partition in range(TARGET_PARTITIONS):
            produce(self._broker.bootstrap, self.target, partition, batch_of([END]))
        rows = self._read(self._name)
        assert sorted(self._read("confluent-kafka")) == sorted(rows)
        check_copies(rows, self._ends)

    def _read(self, library: str) -> list[list[Any]]:
        name = f"{self.name}-reader-{library}"
        reader = Child(LIBRARIES[library].program(), [self._broker.bootstrap], self._folder, name)
        try:
            read: Fact = reader.ask("read", do="read", topic=self.target, count=TARGET_PARTITIONS)
        finally:
            reader.kill9()
        records: list[list[Any]] = read["records"]
        return records


def _told(child: Child, event: str) -> bool:
    return any(fact["event"] == event for fact in list(child.facts))


def check_copies(rows: list[list[Any]], ends: dict[int, int]) -> None:
    """Check that each record has one copy, and that the copies are in the order of their source."""
    copies = [((int(p), int(o)), target) for target, _, value in rows for p, _, o in [value.partition(":")]]
    counts: Counter[Source] = Counter(source for source, _ in copies)
    wanted = {(partition, offset) for partition, end in ends.items() for offset in range(end)}
    assert not (missing := sorted(wanted - counts.keys())), f"never copied: {missing}"
    assert not (twice := {source: n for source, n in counts.items() if n > 1}), f"copied again: {twice}"
    assert counts.keys() == wanted
    offsets = defaultdict(list)
    for (partition, offset), target in copies:
        offsets[partition, target].append(offset)
    for place, found in offsets.items():
        assert found == sorted(found), (place, found)


def any_connection(bootstrap: str) -> Connection:
    """Return a connection to the first broker that accepts one."""
    for address in bootstrap.split(",")[:-1]:
        try:
            return Connection(address)
        except ConnectionRefusedError:
            pass
    return Connection(bootstrap.rsplit(",", maxsplit=1)[-1])


def leader_of(bootstrap: str, topic: str, partition: int) -> str | None:
    """Return the address of the leader of a partition; None: it has none now."""
    request = MetadataRequest([MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
    with any_connection(bootstrap) as connection:
        answer = connection.ask("Metadata", 9, request)
    leaders = {each.partition_index: each.leader_id for each in answer.topics[0].partitions}
    addresses = {each.node_id: f"{each.host}:{each.port}" for each in answer.brokers}
    return addresses.get(leaders.get(partition, -1))


def coordinator_of(bootstrap: str, group: str) -> str | None:
    """Return the address of the coordinator of a group; None: it has none now."""
    with any_connection(bootstrap) as connection:
        answer = connection.ask("FindCoordinator", 4, FindCoordinatorRequest(coordinator_keys=[group]))
    found = answer.coordinators[0]
    return None if found.error_code else f"{found.host}:{found.port}"


def produce(bootstrap: str, topic: str, partition: int, batch: bytes) -> int:
    """Append a batch and return its offset. Repeat it while the partition has no leader.

    Call it only while brokers neither stop nor start: without idempotence, a repetition may append twice.
    """
    deadline = time.monotonic() + DEADLINE_S
    data = TopicProduceData(name=topic, partition_data=[PartitionProduceData(partition, batch)])
    while True:
        leader = leader_of(bootstrap, topic, partition)
        if leader is not None:
            request = ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[data])
            with Connection(leader) as connection:
                answer = connection.ask("Produce", 9, request)
            response = answer.responses[0].partition_responses[0]
            if response.error_code == 0:
                return int(response.base_offset)
            expected = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            assert response.error_code in expected, response
        assert time.monotonic() < deadline, f"{topic}-{partition} has no leader"
        time.sleep(0.05)


def committed(bootstrap: str, group: str) -> dict[int, int] | None:
    """Return the offsets of a group, by partition.

    None while a transaction with offsets is open, or no broker coordinates the group.
    """
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=None)], require_stable=True)
    coordinator = coordinator_of(bootstrap, group)
    if coordinator is None:
        return None
    try:
        with Connection(coordinator) as connection:
            answer = connection.ask("OffsetFetch", 8, request).groups[0]
    except OSError:  # it has stopped since
        return None
    if answer.error_code in NOT_YET:
        return None
    assert answer.error_code == 0, answer
    partitions = [each for topic in answer.topics for each in topic.partitions]
    if any(each.error_code == ErrorCode.UNSTABLE_OFFSET_COMMIT for each in partitions):
        return None
    return {each.partition_index: each.committed_offset for each in partitions}
