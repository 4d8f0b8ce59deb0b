"""Kafka Streams counts words with exactly_once_v2, while its instances and the broker are killed."""

from __future__ import annotations

import os
import random
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
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest

SEED: Final = int(os.environ.get("TIDEMARK_TEST_SEED", "1"))
FAULTS: Final = int(os.environ.get("TIDEMARK_TEST_ROUNDS", "6"))
NO_JAVA: Final = kafka_oracle.missing()
JAVA: Final = Path(__file__).parent / "java" / "WordCount.java"
PARTITIONS: Final = 2
INSTANCES: Final = 2
LINES: Final = 20  # before each fault, and after the last
WORDS: Final = ("tide", "mark", "ebb", "flow", "neap", "spring")
DEADLINE_S: Final = 120

pytestmark = [
    pytest.mark.contract,
    pytest.mark.ecosystem,
    pytest.mark.slow,
    pytest.mark.timeout(300 + FAULTS * 60),
    pytest.mark.skipif(NO_JAVA is not None, reason=f"{NO_JAVA}"),
]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    running = start_broker(tmp_path, SETTINGS)
    yield running
    running.stop()


class Instance:
    """A process of the application. It keeps its state on the disk when it is killed."""

    def __init__(self, command: list[str], folder: Path, name: str) -> None:
        self._command = [*command, str(folder / f"state of {name}")]
        self.output = folder / f"{name}.out"
        self.start()

    def start(self) -> None:
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(self._command, stdout=output, stderr=output)

    def kill9(self) -> None:
        self._process.kill()
        self._process.wait()

    def send(self, number: int) -> None:
        self._process.send_signal(number)


class Application:
    """The words that were written for the instances to count, and their counts."""

    def __init__(self, broker: RunningBroker, chance: random.Random) -> None:
        self._broker = broker
        self._chance = chance
        self.written: Counter[str] = Counter()
        self.counts = [CommittedReading("counts", partition) for partition in range(PARTITIONS)]
        with Connection(broker.bootstrap) as connection:
            topics = [CreatableTopic(name, PARTITIONS, 1) for name in ("lines", "counts")]
            created = connection.ask("CreateTopics", 7, CreateTopicsRequest(topics, 10_000))
        assert [topic.error_code for topic in created.topics] == [0, 0], created

    def write(self) -> None:
        for _ in range(LINES):
            words = self._chance.choices(WORDS, k=5)
            self.written.update(words)
            line = batch_of([" ".join(words).encode()])
            produce(self._broker.bootstrap, "lines", self._chance.randrange(PARTITIONS), line)

    def counted(self) -> int:
        """Return the number of counts that consumers with read_committed see."""
        with Connection(self._broker.bootstrap) as connection:
            return sum(len(reading.read(connection)) for reading in self.counts)

    def wait_until_counted(self, wanted: int) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while (counted := self.counted()) < wanted:
            held_back = [(reading.stable, reading.end) for reading in self.counts]
            assert time.monotonic() < deadline, f"{counted} of {wanted}; last stable offsets {held_back}"
            time.sleep(0.05)


@works_with(
    "Kafka Streams",
    kafka_oracle.USUAL,
    """Two instances count words with `exactly_once_v2` and a state store with a changelog. Instances and
    the broker are killed, and an instance is frozen until the other has its partitions. Each word is
    counted once.""",
    limits="`group.protocol=streams` (KIP-1071) is not served; the default, `classic`, is.",
)
def test_each_word_is_counted_exactly_once_despite_kills(broker: RunningBroker, tmp_path: Path) -> None:
    needs.program("mvn", "maven")
    chance = random.Random(SEED)
    application = Application(broker, chance)
    names = ("word-count", "lines", "counts")
    libraries = kafka_oracle.streams_jars()
    command = kafka_oracle.java(str(JAVA), broker.bootstrap, *names, libraries=libraries)
    instances = [Instance(command, tmp_path, f"instance-{n}") for n in range(INSTANCES)]
    try:
        for _ in range(FAULTS):
            before = application.counted()
            application.write()
            application.wait_until_counted(before + chance.randrange(5 * LINES))
            strike(broker, application, instances, chance)
        application.write()
        application.wait_until_counted(application.written.total())
    finally:
        for instance in instances:
            instance.kill9()
            print(instance.output.name, instance.output.read_text()[-3000:])
    check(application)


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
            application.wait_until_counted(application.written.total())
        finally:
            victim.send(signal.SIGCONT)
    if kind in ("instance", "both"):
        victim.kill9()
    if kind in ("broker", "both"):
        broker.kill9()
        broker.restart()
    if kind in ("instance", "both"):
        victim.start()


def check(application: Application) -> None:
    """Check that the counts of each word are 1, 2, 3 and so on, up to the number of times it was written."""
    counts: dict[str, list[int]] = defaultdict(list)
    for reading in application.counts:
        for _, value in reading.found:
            word, _, count = value.decode().partition(" ")
            counts[word].append(int(count))
    assert counts == {word: [*range(1, count + 1)] for word, count in application.written.items()}
