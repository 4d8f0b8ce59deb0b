"""Kafka Streams runs with exactly_once_v2, while its instances and the broker are killed.

Its groups have both protocols: `classic`, and `streams` (KIP-1071). With 4.4, members of the latter may be
static.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle, needs
from tests.broker_process import RunningBroker, start_broker
from tests.clients.committed_reading import CommittedReading
from tests.clients.copiers import SETTINGS, produce
from tests.clients.load import batch_of
from tests.ecosystem.works_with.rows import works_with
from tests.wire import Connection
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import murmur2
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest

SEED: Final = int(os.environ.get("TIDEMARK_TEST_SEED", "1"))
FAULTS: Final = int(os.environ.get("TIDEMARK_TEST_ROUNDS", "6"))
NO_JAVA: Final = kafka_oracle.missing()
JAVA: Final = Path(__file__).parent / "java"
PARTITIONS: Final = 2
INSTANCES: Final = 2
RECORDS: Final = 20  # before each fault, and after the last
WORDS: Final = ("tide", "mark", "ebb", "flow", "neap", "spring")
DEADLINE_S: Final = 120
NO_LEADER: Final = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
STATIC: Final = "streams with static members"
# The protocol, and the release of Kafka Streams.
PROTOCOLS: Final = (
    ("classic", kafka_oracle.USUAL), ("streams", kafka_oracle.USUAL), (STATIC, kafka_oracle.NEWEST)
)  # fmt: skip
STREAMS_SETTINGS: Final = {
    **SETTINGS,
    "group.streams.min.session.timeout.ms": "1000",
    "group.streams.session.timeout.ms": "3000",
    "group.streams.min.heartbeat.interval.ms": "100",
    "group.streams.heartbeat.interval.ms": "300",
    "group.streams.initial.rebalance.delay.ms": "0",
}

pytestmark = [
    pytest.mark.contract,
    pytest.mark.ecosystem,
    pytest.mark.slow,
    pytest.mark.timeout(300 + FAULTS * 60),
    pytest.mark.skipif(NO_JAVA is not None, reason=f"{NO_JAVA}"),
]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    running = start_broker(tmp_path, STREAMS_SETTINGS)
    yield running
    running.stop()


class Instance:
    """A process of the application. It keeps its state on the disk when it is killed, unless it is static.

    Kafka Streams 4.4 does not start if a kill has interrupted the creation of a RocksDB store.
    """

    def __init__(self, command: list[str], folder: Path, name: str, *, static: bool) -> None:
        self._state = folder / f"state of {name}"
        self._static = static
        self._command = [*command, str(self._state), *([name] if static else [])]
        self.output = folder / f"{name}.out"
        self.start()

    def start(self) -> None:
        if self._static:
            shutil.rmtree(self._state, ignore_errors=True)
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(self._command, stdout=output, stderr=output)

    def kill9(self) -> None:
        self._process.kill()
        self._process.wait()

    def send(self, number: int) -> None:
        self._process.send_signal(number)


class Application:
    """The records that were written for the instances, and the results that they wrote."""

    java: str
    sources: tuple[str, ...]
    target: str

    def __init__(self, broker: RunningBroker, chance: random.Random) -> None:
        self._broker = broker
        self._chance = chance
        # Apache Kafka's partitions have no leader for a moment after they were created, and after a restart.
        self._results = [
            CommittedReading(self.target, partition, unreadable=NO_LEADER) for partition in range(PARTITIONS)
        ]
        with Connection(broker.bootstrap) as connection:
            topics = [CreatableTopic(name, PARTITIONS, 1) for name in (*self.sources, self.target)]
            created = connection.ask("CreateTopics", 7, CreateTopicsRequest(topics, 10_000))
        assert not any(topic.error_code for topic in created.topics), created

    def command(self, protocol: str, release: str) -> list[str]:
        """Return the command of an instance, without its state directory."""
        name, _, _ = protocol.partition(" ")
        given = (self._broker.bootstrap, "application", name, *self.sources, self.target)
        libraries = kafka_oracle.streams_jars(release)
        return kafka_oracle.java(str(JAVA / self.java), *given, libraries=libraries)

    def write(self) -> None:
        """Write some records to the sources."""
        raise NotImplementedError

    def expected(self) -> int:
        """Return how many results the records that were written have."""
        raise NotImplementedError

    def check(self) -> None:
        """Check that each result was written exactly once."""
        raise NotImplementedError

    def found(self) -> list[str]:
        """Return the results that consumers with read_committed see."""
        with Connection(self._broker.bootstrap) as connection:
            return [value.decode() for reading in self._results for _, value in reading.read(connection)]

    def wait_for(self, wanted: int) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while (found := len(self.found())) < wanted:
            held_back = [(reading.stable, reading.end) for reading in self._results]
            assert time.monotonic() < deadline, f"{found} of {wanted}; last stable offsets {held_back}"
            time.sleep(0.05)


class WordCount(Application):
    """Counts words. Its result is the word and its count, for each word."""

    java = "WordCount.java"
    sources = ("lines",)
    target = "counts"

    def __init__(self, broker: RunningBroker, chance: random.Random) -> None:
        super().__init__(broker, chance)
        self._written: Counter[str] = Counter()

    def write(self) -> None:
        for _ in range(RECORDS):
            words = self._chance.choices(WORDS, k=5)
            self._written.update(words)
            line = batch_of([" ".join(words).encode()])
            produce(self._broker.bootstrap, "lines", self._chance.randrange(PARTITIONS), line)

    def expected(self) -> int:
        return self._written.total()

    def check(self) -> None:
        """Check that the counts of each word are 1, 2, 3 and so on."""
        counts: dict[str, list[int]] = defaultdict(list)
        for result in self.found():
            word, _, count = result.partition(" ")
            counts[word].append(int(count))
        assert counts == {word: [*range(1, count + 1)] for word, count in self._written.items()}


class StreamJoin(Application):
    """Joins two topics by a word. Its result is the word and two numbers, for each pair."""

    java = "StreamJoin.java"
    sources = ("left", "right")
    target = "pairs"

    def __init__(self, broker: RunningBroker, chance: random.Random) -> None:
        super().__init__(broker, chance)
        self._written: dict[str, dict[str, list[int]]] = {word: {"left": [], "right": []} for word in WORDS}

    def write(self) -> None:
        for number in range(RECORDS):
            word, side = self._chance.choice(WORDS), self._chance.choice(self.sources)
            numbers = self._written[word][side]
            numbers.append(len(numbers))
            now_ms = int(time.time() * 1000)
            if side == "left":
                record = LogRecord(0, now_ms, None, f"{word} {numbers[-1]}".encode())
                partition = number % PARTITIONS
            else:
                record = LogRecord(0, now_ms, word.encode(), str(numbers[-1]).encode())
                partition = (murmur2(word.encode()) & 0x7FFFFFFF) % PARTITIONS
            produce(self._broker.bootstrap, side, partition, build_batch([record]))

    def expected(self) -> int:
        return sum(len(each["left"]) * len(each["right"]) for each in self._written.values())

    def check(self) -> None:
        assert sorted(self.found()) == sorted(
            f"{word} {left} {right}"
            for word, numbers in self._written.items()
            for left in numbers["left"]
            for right in numbers["right"]
        )


@works_with(
    "Kafka Streams",
    f"{kafka_oracle.USUAL}, {kafka_oracle.NEWEST}",
    """Two instances count words, and join two topics, with `exactly_once_v2` and state stores with
    changelogs, with `group.protocol=classic` and with `streams` (KIP-1071), and with 4.4 as static members.
    Instances and the broker are killed, and an instance is frozen until the other has its partitions. Each
    result is written once.""",
)
@pytest.mark.parametrize(("protocol", "release"), PROTOCOLS)
@pytest.mark.parametrize("kind", [WordCount, StreamJoin])
def test_each_result_is_written_exactly_once_despite_kills(
    broker: RunningBroker, tmp_path: Path, kind: type[Application], protocol: str, release: str
) -> None:
    needs.program("mvn", "maven")
    chance = random.Random(SEED)
    application = kind(broker, chance)
    command = application.command(protocol, release)
    static = protocol == STATIC
    instances = [
        Instance(command, tmp_path, f"instance-{number}", static=static) for number in range(INSTANCES)
    ]
    try:
        for _ in range(FAULTS):
            before = len(application.found())
            application.write()
            application.wait_for(chance.randrange(before, application.expected()))
            strike(broker, application, instances, chance)
        application.write()
        application.wait_for(application.expected())
    finally:
        for instance in instances:
            instance.kill9()
            print(instance.output.name, instance.output.read_text()[-3000:])
    application.check()


def strike(
    broker: RunningBroker, application: Application, instances: list[Instance], chance: random.Random
) -> None:
    """Kill an instance, the broker or both; or let an instance sleep until the others have its partitions."""
    kind = chance.choice(("instance", "broker", "both", "frozen"))
    print(kind)
    victim = chance.choice(instances)
    if kind == "frozen":
        victim.send(signal.SIGSTOP)
        try:
            application.wait_for(application.expected())
        finally:
            victim.send(signal.SIGCONT)
    if kind in ("instance", "both"):
        victim.kill9()
    if kind in ("broker", "both"):
        broker.kill9()
        broker.restart()
    if kind in ("instance", "both"):
        victim.start()
