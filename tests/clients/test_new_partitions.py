"""KIP-1327's story: partitions are added while records arrive, and a consumer on latest is to miss none.

Two consumers, both with the consumer protocol: AgeAwareConsumer in a process of its own environment, and the
console consumer. Each is stopped (SIGSTOP) while partitions are added and written to, so that the records are
always there before the consumer learns of their partitions.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, environment, two_free_ports
from tests.clientenv import client_python
from tests.clients.test_opening import serving
from tests.kafka_oracle import KafkaNode
from tests.kafkas_directory import unpacked
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_testing.client import Tidemark
from tidemark_testing.wire import create_topic
from tidemark_tools.client.client import Client, TopicPartition
from tidemark_tools.client.connection import wall_ms
from tidemark_tools.client.membership import GroupSettings, Membership, Position
from tidemark_tools.client.topics import create_partitions, describe_topics
from tidemark_tools.http_api import Api

pytestmark = [pytest.mark.contract, pytest.mark.slow]

AGE_AWARE: Final = Path(__file__).parent / "clients" / "age_aware.py"
ROOT: Final = Path(__file__).resolve().parents[2]
KAFKAS_TOPIC: Final = "orders"
PRODUCE_BY_NAME: Final = 12  # the last version that names topics
WAIT_S: Final = 60
HOUR_MS: Final = 3_600_000
MAX_AGE: Final = "auto.offset.reset.latest.max.age"
NEW_PARTITIONS: Final = "auto.offset.reset.new.partitions"
LATEST: Final = {"auto.offset.reset": "latest"}
SETTINGS: Final = {
    "tidemark.test.api": "true",
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "200",
    "group.consumer.assignment.interval.ms": "0",
}
OLD, EARLY, LATE = "old", "early", "late"
_NUMBERS: Final = count()


class Process:
    """A child whose stdout has a JSON object in each line."""

    def __init__(self, command: list[str], env: dict[str, str], folder: Path) -> None:
        self.lines: list[dict[str, Any]] = []
        self._complaints = folder / f"reader-{next(_NUMBERS)}.err"
        with self._complaints.open("wb") as complaints:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, text=True, env=env
            )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(json.loads(line))

    def records(self) -> list[tuple[int, str]]:
        """Return the partition and value of every record read so far."""
        found = []
        for line in list(self.lines):
            if line.get("event") == "records":
                found += [(partition, value) for partition, _, value in line["records"]]
            elif "value" in line:
                found.append((line["partition"], line["value"]))
        return found

    def complaints(self) -> str:
        return self._complaints.read_text(errors="replace")

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.resume()
        self.process.terminate()
        self.process.wait(WAIT_S)
        self._thread.join(WAIT_S)
        self.process.stdin.close()
        self.process.stdout.close()


Start = Callable[..., Process]


def age_aware(bootstrap: str, topic: str, group: str, settings: dict[str, Any], folder: Path) -> Process:
    given = {"bootstrap.servers": bootstrap, "group.id": group, "enable.auto.commit": False, **settings}
    packages = os.pathsep.join(map(str, (ROOT / "broker", ROOT / "protocol")))
    return Process(
        [str(client_python("confluent-kafka")), "-u", str(AGE_AWARE), json.dumps(given), topic],
        {**os.environ, "PYTHONPATH": packages},
        folder,
    )


def console(bootstrap: str, topic: str, group: str, settings: dict[str, str], folder: Path) -> Process:
    given = {"group.protocol": "consumer", "enable.auto.commit": "false", **settings}
    properties = [word for name, value in given.items() for word in ("--command-property", f"{name}={value}")]
    tool = [sys.executable, "-m", "tidemark", "console-consumer", "--bootstrap-server", bootstrap, "--json"]
    return Process([*tool, "--topic", topic, "--group", group, *properties], environment(), folder)


CONSUMERS: Final = {"AgeAwareConsumer": age_aware, "console-consumer": console}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path_factory.mktemp("broker"), SETTINGS)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNode]:
    node = KafkaNode(tmp_path_factory.mktemp("kafka"), two_free_ports())
    node.start()
    yield node
    node.stop()


@pytest.fixture(params=list(CONSUMERS))
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    """Starts consumers of each kind. All of them end with the test."""
    started: list[Process] = []

    def make(bootstrap: str, topic: str, settings: dict[str, str], group: str = "") -> Process:
        make_one = CONSUMERS[request.param]
        started.append(make_one(bootstrap, topic, group or topic, settings, tmp_path))
        return started[-1]

    yield make
    for process in started:
        process.close()


@pytest.fixture
def topic() -> str:
    return f"orders-{next(_NUMBERS)}"


def until(true: Callable[[], Any], reader: Process) -> None:
    deadline = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < deadline, (reader.lines[-5:], reader.complaints())
        assert reader.process.poll() is None, (reader.lines[-5:], reader.complaints())
        time.sleep(0.02)


def write(
    bootstrap: str, topic: str, partitions: Iterable[int], value: str, at_ms: int | None = None
) -> None:
    """Write a record with this value, and this timestamp or the current one, to each of these partitions."""
    timestamp = wall_ms() if at_ms is None else at_ms
    batch = build_batch([LogRecord(0, timestamp, None, value.encode(), [])])
    data = [PartitionProduceData(index, batch) for index in partitions]
    request = ProduceRequest(
        acks=-1, timeout_ms=10_000, topic_data=[TopicProduceData(topic, partition_data=data)]
    )
    with Client(bootstrap) as client:
        response = client.call(request, max_version=PRODUCE_BY_NAME)
    codes = {result.error_code for result in response.responses[0].partition_responses}
    assert codes == {0}, response


class Marker:
    """Writes a marker to each partition again and again, until the reader has read one of each."""

    def __init__(self, bootstrap: str, topic: str, partitions: int, at_ms: int | None) -> None:
        self._bootstrap, self._topic, self._at_ms = bootstrap, topic, at_ms
        self._partitions = set(range(partitions))
        self._next = 0.0

    def all_read_by(self, reader: Process) -> bool:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.3
            write(self._bootstrap, self._topic, self._partitions, LATE, self._at_ms)
        return {partition for partition, value in reader.records() if value == LATE} == self._partitions


def read_late(bootstrap: str, topic: str, partitions: int, reader: Process, at_ms: int | None = None) -> None:
    """Write until the reader has read a record of each partition, so that it has taken all of them."""
    marker = Marker(bootstrap, topic, partitions, at_ms)
    until(lambda: marker.all_read_by(reader), reader)


def advance(broker: BrokerProcess, ms: int) -> None:
    Api(broker.http).post("/v1/clock/advance", {"ms": ms})


def make_old(broker: BrokerProcess, topic: str) -> None:
    """Create a topic of one partition with one record, two hours ago."""
    create_topic(broker.bootstrap, topic, 1, {})
    write(broker.bootstrap, topic, [0], OLD)
    advance(broker, 2 * HOUR_MS)


def story(broker: BrokerProcess, topic: str, reader: Process, later_ms: int = 0) -> list[int]:
    """Add two partitions while the reader is stopped, and write to them. Return which of them it read."""
    read_late(broker.bootstrap, topic, 1, reader)
    reader.pause()
    with Client(broker.bootstrap) as client:
        create_partitions(client, {topic: 3}, {})
    write(broker.bootstrap, topic, [1, 2], EARLY)
    if later_ms:
        advance(broker, later_ms)
    reader.resume()
    read_late(broker.bootstrap, topic, 3, reader)
    assert OLD not in {value for _, value in reader.records()}
    return sorted(partition for partition, value in reader.records() if value == EARLY)


@pytest.mark.parametrize(
    ("settings", "read"),
    [({}, []), ({MAX_AGE: "-1"}, []), ({MAX_AGE: str(HOUR_MS)}, [1, 2]), ({MAX_AGE: "60000"}, [1, 2])],
)
def test_records_of_added_partitions_are_lost_without_the_setting_and_read_once_with_it(
    broker: BrokerProcess, start: Start, topic: str, settings: dict[str, str], read: list[int]
) -> None:
    make_old(broker, topic)
    assert story(broker, topic, start(broker.bootstrap, topic, {**LATEST, **settings})) == read


@pytest.mark.parametrize(
    ("policy", "read"), [("earliest", [1, 2]), ("by_duration:PT10H", [1, 2]), ("latest", [])]
)
def test_partitions_that_are_newer_than_the_group_start_by_their_own_policy(
    broker: BrokerProcess, topic: str, tmp_path: Path, policy: str, read: list[int]
) -> None:
    make_old(broker, topic)
    reader = console(broker.bootstrap, topic, topic, {**LATEST, NEW_PARTITIONS: policy}, tmp_path)
    try:
        assert story(broker, topic, reader, later_ms=2 * HOUR_MS) == read
    finally:
        reader.close()


@pytest.mark.java
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka: {kafka_oracle.missing()}")
def test_apache_kafka_ignores_new_partitions_and_starts_by_the_base(kafka: KafkaNode, tmp_path: Path) -> None:
    create_topic(kafka.bootstrap, "payments", 1, {})
    write(kafka.bootstrap, "payments", [0], OLD)
    given = {**LATEST, NEW_PARTITIONS: "earliest"}
    reader = console(kafka.bootstrap, "payments", "payments", given, tmp_path)
    try:
        read_late(kafka.bootstrap, "payments", 1, reader)
        assert OLD not in {value for _, value in reader.records()}
    finally:
        reader.close()


@pytest.mark.parametrize(("max_age_ms", "read"), [(HOUR_MS, []), (3 * HOUR_MS, [1, 2])])
def test_age_counts_by_the_moved_clock_of_the_broker(
    broker: BrokerProcess, start: Start, topic: str, max_age_ms: int, read: list[int]
) -> None:
    make_old(broker, topic)
    advance(broker, 2 * HOUR_MS)
    reader = start(broker.bootstrap, topic, {**LATEST, MAX_AGE: str(max_age_ms)})
    assert story(broker, topic, reader, later_ms=2 * HOUR_MS) == read


@pytest.mark.parametrize(("settings", "read"), [({}, []), ({MAX_AGE: str(HOUR_MS)}, [1, 2])])
def test_partitions_that_are_assigned_by_hand_start_by_their_age(
    broker: BrokerProcess, topic: str, tmp_path: Path, settings: dict[str, str], read: list[int]
) -> None:
    make_old(broker, topic)
    with Client(broker.bootstrap) as client:
        create_partitions(client, {topic: 3}, {})
    write(broker.bootstrap, topic, [1, 2], EARLY)
    given: dict[str, Any] = {**LATEST, **settings, "by_hand": [0, 1, 2]}
    reader = age_aware(broker.bootstrap, topic, topic, given, tmp_path)
    try:
        read_late(broker.bootstrap, topic, 3, reader)
    finally:
        reader.close()
    assert OLD not in {value for _, value in reader.records()}
    assert sorted(partition for partition, value in reader.records() if value == EARLY) == read


def test_offset_out_of_range_starts_at_latest_however_young_the_partition(
    broker: BrokerProcess, start: Start, topic: str
) -> None:
    create_topic(broker.bootstrap, topic, 1, {})
    write(broker.bootstrap, topic, [0], OLD)
    with Client(broker.bootstrap) as client:
        group = GroupSettings(topic, None, 45_000, 3_000, 300_000)
        simple = Membership(client, group, list, lambda _: {})
        simple.commit({TopicPartition(topic, 0): Position(1000)})
    reader = start(broker.bootstrap, topic, {**LATEST, MAX_AGE: str(HOUR_MS)})
    read_late(broker.bootstrap, topic, 1, reader)
    assert OLD not in {value for _, value in reader.records()}


def test_committed_offset_is_continued_from_however_young_the_partition(
    broker: BrokerProcess, start: Start, topic: str
) -> None:
    create_topic(broker.bootstrap, topic, 1, {})
    for value in (OLD, EARLY):
        write(broker.bootstrap, topic, [0], value)
    with Client(broker.bootstrap) as client:
        group = GroupSettings(topic, None, 45_000, 3_000, 300_000)
        simple = Membership(client, group, list, lambda _: {})
        simple.commit({TopicPartition(topic, 0): Position(1)})
    reader = start(broker.bootstrap, topic, {**LATEST, MAX_AGE: str(HOUR_MS)})
    read_late(broker.bootstrap, topic, 1, reader)
    assert next(value for _, value in reader.records()) == EARLY


def test_partition_of_unknown_age_starts_at_latest(start: Start, tmp_path: Path) -> None:
    """Apache Kafka 4.3.1 created the topic: the directory does not say when."""
    settings = [f"--set={name}={value}" for name, value in SETTINGS.items()]
    with serving("--from", unpacked(tmp_path), *settings) as opened:
        bootstrap = opened.ready["bootstrap_servers"]
        with Client(bootstrap) as client:
            found = describe_topics(client, [KAFKAS_TOPIC])[KAFKAS_TOPIC]
        assert {each.creation_time_ms for each in found.partitions} == {None}
        reader = start(bootstrap, KAFKAS_TOPIC, {**LATEST, MAX_AGE: str(2**63 - 1)}, group="on-latest")
        read_late(
            bootstrap, KAFKAS_TOPIC, len(found.partitions), reader, opened.http.get("/v1/clock")["now_ms"]
        )
        assert {value for _, value in reader.records()} == {LATE}


@pytest.mark.java
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka: {kafka_oracle.missing()}")
def test_apache_kafka_4_3_1_is_refused_at_run_time(kafka: KafkaNode, tmp_path: Path) -> None:
    create_topic(kafka.bootstrap, "orders", 1, {})
    given = {**LATEST, MAX_AGE: "60000"}
    aware = age_aware(kafka.bootstrap, "orders", "aware", given, tmp_path)
    until(lambda: "raised" in {line.get("event") for line in aware.lines}, aware)
    aware.close()
    raised = next(line for line in aware.lines if line["event"] == "raised")
    assert (raised["kind"], raised["assignment"]) == ("UnsupportedVersion", [])
    assert "version 14 is needed" in raised["text"]
    tool = console(kafka.bootstrap, "orders", "console", given, tmp_path)
    assert tool.process.wait(WAIT_S) == 1
    assert "version 14 is needed" in tool.complaints()
    tool.close()


@pytest.mark.java
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka: {kafka_oracle.missing()}")
def test_apache_kafka_4_3_1_is_read_without_the_setting(start: Start, kafka: KafkaNode, topic: str) -> None:
    create_topic(kafka.bootstrap, topic, 1, {})
    write(kafka.bootstrap, topic, [0], OLD)
    reader = start(kafka.bootstrap, topic, LATEST)
    read_late(kafka.bootstrap, topic, 1, reader)
    assert OLD not in {value for _, value in reader.records()}


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({MAX_AGE: "-2"}, f"Invalid value -2 for configuration {MAX_AGE}: Value must be at least -1"),
        ({MAX_AGE: "5", "group.protocol": "classic"}, f"{MAX_AGE} cannot be set when group.protocol=CLASSIC"),
        (
            {MAX_AGE: "5", "security.protocol": "sasl_plaintext", "sasl.mechanism": "OAUTHBEARER"},
            "sasl.mechanism must be PLAIN or SCRAM, got OAUTHBEARER",
        ),
    ],
)
def test_age_aware_consumer_refuses_wrong_settings(
    settings: dict[str, str], text: str, tmp_path: Path
) -> None:
    refused = age_aware("127.0.0.1:1", "orders", "g", {**LATEST, **settings}, tmp_path)
    assert refused.process.wait(WAIT_S) == 0, refused.complaints()
    refused.close()
    assert [(line["kind"], line["text"]) for line in refused.lines] == [("ConfigError", text)]


def test_age_aware_consumer_logs_in_to_read_ages(topic: str, tmp_path: Path) -> None:
    jaas = 'ScramLoginModule required username="alice" password="alice-secret";'
    client = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-256"}
    secured = {
        **SETTINGS,
        "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
        "tidemark.scram.users": "SCRAM-SHA-256=[name=alice,password=alice-secret]",
    }
    with Tidemark.start(secured, client_settings={**client, "sasl.jaas.config": jaas}) as tidemark:
        tidemark.produce(tidemark.topic(topic), EARLY)
        given = {**LATEST, MAX_AGE: str(HOUR_MS), **client, "sasl.username": "alice"}
        given["sasl.password"] = "alice-secret"
        reader = age_aware(tidemark.bootstrap_servers, topic, topic, given, tmp_path)
        try:
            until(reader.records, reader)
        finally:
            reader.close()
        assert [value for _, value in reader.records()] == [EARLY]
