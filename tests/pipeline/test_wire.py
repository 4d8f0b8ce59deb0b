"""`tidemark-pipeline --bootstrap-server`: the tables of a running cluster are those of its directory."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

from tests import kafka_oracle, maven, needs
from tests.broker_process import BrokerProcess, two_free_ports
from tests.clients.test_watch_beside_kafka import Cluster as SecuredNode
from tests.kafka_oracle import KafkaNode
from tests.pipeline import kafka_story as story
from tests.pipeline.conftest import missing
from tests.wire import Connection
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.options import parse
from tidemark_pipeline.cli.packages import added
from tidemark_pipeline.cli.wire import offsets_partitions
from tidemark_pipeline.logs.cluster import GROUP_PREFIX, Cluster, explained
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.source.arrow_tables import arrow_table
from tidemark_protocol.java import partition_of_group
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

ROOT: Final = Path(__file__).resolve().parents[2]
CONNECTOR: Final = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"
# The others are in PySpark.
NEEDED: Final = ("spark-sql-kafka", "spark-token-provider-kafka", "kafka-clients", "commons-pool2")
SEEN: Final = ("log_partition", "log_offset", "group", "topic", "partition", "committed_offset", "metadata")
DEADLINE_S: Final = 300
NODE: Final = {"offsets.topic.num.partitions": "4"}

with_spark = [pytest.mark.slow, pytest.mark.java, pytest.mark.ecosystem, pytest.mark.timeout(900)]
on_kafka = pytest.mark.skipif("TIDEMARK_TEST_STORIES" not in os.environ, reason="make pipeline-truth runs it")


def jars() -> str:
    """Return the jars of Spark's source for Kafka, for --conf spark.jars."""
    lacking = missing() or kafka_oracle.missing()
    if lacking is not None:
        needs.missing(f"Spark's source for Kafka is not tested: {lacking} is missing")
    if not (maven.CACHE / "spark-sql-kafka-4.2.0" / ".complete").exists():
        needs.program("mvn", "maven")
    folder = maven.jars(maven.CACHE / "spark-sql-kafka-4.2.0", [CONNECTOR])
    return ",".join(str(jar) for jar in folder.glob("*.jar") if jar.name.startswith(NEEDED))


def environment() -> dict[str, str]:
    path = os.pathsep.join(str(ROOT / part) for part in ("", "pipeline", "protocol"))
    return {**os.environ, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"}


def command(*arguments: object) -> list[str]:
    words = [sys.executable, "-m", "tidemark_pipeline", *map(str, arguments)]
    return [*words, "--master", "local[2]", "--conf", f"spark.jars={jars()}"]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=DEADLINE_S,
    )


def of_directory(data: Path, **options: object) -> list[tuple[Any, ...]]:
    rows = arrow_table([str(data)], "offsets", **options)
    assert rows is not None
    return sorted((tuple(row[name] for name in SEEN) for row in rows.to_pylist()), key=lambda row: row[:2])


@pytest.fixture
def kafka(tmp_path: Path) -> Iterator[KafkaNode]:
    node = KafkaNode(tmp_path / "node", two_free_ports(), NODE)
    node.start()
    yield node
    node.stop()
    shutil.rmtree(tmp_path / "node", ignore_errors=True)


class TestOnTidemark:
    pytestmark = with_spark

    def test_history_of_a_running_broker_is_that_of_its_directory(self, tmp_path: Path) -> None:
        broker = BrokerProcess(tmp_path, {"offsets.topic.num.partitions": "2"})
        broker.start()
        try:
            with Connection(broker.bootstrap) as client:
                story.create(client, {"orders": 3})
                find_coordinators(client)
                for number in range(3):
                    story.commit(client, f"readers-{number}", {0: number, 1: 10 * number}, metadata="é")
                story.delete_offset(client, "readers-1", 1)
                story.in_transaction(client, "tx-1", "readers-2", {2: 7}, commits=True)
                story.in_transaction(client, "tx-2", "readers-2", {2: 8}, commits=False)
            done = run("history", "--bootstrap-server", broker.bootstrap, "--json")
            directory = of_directory(broker.data_dir)
            misspelt = run("current", "--bootstrap-server", broker.bootstrap, "--group", "reader-1")
        finally:
            broker.stop()
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert (
            sorted((tuple(row[name] for name in SEEN) for row in rows), key=lambda row: row[:2]) == directory
        )
        assert len(directory) == 8
        summary = json.loads(done.stderr.splitlines()[-1])
        assert misspelt.returncode == 2
        assert "tidemark-pipeline: No group reader-1 in __consumer_offsets-" in misspelt.stderr
        assert "did you mean readers-1" in misspelt.stderr
        assert summary["bootstrap_server"] == broker.bootstrap and summary["log_dirs"] == []


@on_kafka
class TestOnKafka:
    pytestmark = with_spark

    def test_tables_of_a_cluster_equal_those_of_its_directory(self, kafka: KafkaNode, tmp_path: Path) -> None:
        with Connection(kafka.bootstrap) as client:
            story.tell(client, consumers=True)
        copy = tmp_path / "copy"
        kept = shutil.ignore_patterns("__cluster_metadata-*", "orders-*", "__transaction_state-*")
        shutil.copytree(kafka.data_dir, copy, ignore=kept)
        script = Path(__file__).with_name("wire_tables.py")
        words = [sys.executable, script, kafka.bootstrap, kafka.data_dir, copy, jars()]
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, env=environment(), timeout=800
        )
        assert done.returncode == 0, done.stderr[-4000:]
        found = json.loads(done.stdout.splitlines()[-1])
        assert any("a transaction is open since offset" in said for said in found.pop("missing"))
        assert found.pop("missing, ended") == []
        assert found["history"][0] and found["removals"][0] and found["timeline"][0] and found["lag"][0]
        for name, (wire, directory) in found.items():
            differ = [*(set(wire) ^ set(directory))]
            assert wire == directory, f"{name}: {sorted(differ)[:4]}"

    def test_follow_that_is_killed_twice_loses_and_doubles_nothing(
        self, kafka: KafkaNode, tmp_path: Path
    ) -> None:
        out = tmp_path / "history"
        line = ("history", "--bootstrap-server", kafka.bootstrap, "--out", out, "--follow")
        with Connection(kafka.bootstrap) as client:
            story.create(client, {"orders": 3})
            find_coordinators(client)
            story.commit(client, "g-0", {0: 0})
        ended = threading.Event()
        writer = threading.Thread(target=commit_until, args=(kafka.bootstrap, ended))
        writer.start()
        try:
            for _ in range(2):
                self.kill_after_two_batches(line, out)
        finally:
            ended.set()
            writer.join()
        done = run(*line, "--once")
        assert done.returncode == 0, done.stderr
        assert main(["history", "--settle", "--out", str(out)]) == 0
        rows = pq.read_table(out).to_pylist()
        got = sorted((tuple(row[name] for name in SEEN) for row in rows), key=lambda row: row[:2])
        assert got == of_directory(kafka.data_dir)
        assert len(got) > 100

    def test_a_missing_acl_is_named(self, tmp_path: Path) -> None:
        node = SecuredNode(tmp_path / "node")
        node.start()
        try:
            with node.connect() as client:
                find_coordinators(client)
            allow(node, "--operation", "Read", "--topic", "__consumer_offsets")
            line = ("current", "--bootstrap-server", f"127.0.0.1:{node.secured}", "--command-config")
            of_topic = run(*line, node.client_file("nobody"))
            of_group = run(*line, node.client_file("watch"))
            allow(node, "--operation", "Read", "--group", GROUP_PREFIX, "--resource-pattern-type", "prefixed")
            allowed = run(*line, node.client_file("watch"))
        finally:
            node.stop()
        assert (of_topic.returncode, of_group.returncode) == (1, 1)
        assert "needs the ACLs Describe and Read on this topic" in of_topic.stderr.splitlines()[-1]
        assert f"ACL Read on groups with the prefix {GROUP_PREFIX}" in of_group.stderr.splitlines()[-1]
        assert "no group has a record in it" in allowed.stderr.splitlines()[-1]

    @staticmethod
    def kill_after_two_batches(line: tuple[object, ...], out: Path) -> None:
        """Kill it at once after it has begun a micro-batch, when it has finished two."""
        before = newest(out / "_spark_metadata")
        running = subprocess.Popen(
            command(*line), stderr=subprocess.DEVNULL, env=environment(), start_new_session=True
        )
        try:
            deadline = time.monotonic() + DEADLINE_S
            while newest(out / "_spark_metadata") < before + 2 or newest(
                out / "_checkpoint" / "offsets"
            ) == newest(out / "_checkpoint" / "commits"):
                assert running.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
        finally:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()


def allow(node: SecuredNode, *acl: str) -> None:
    line = ("--bootstrap-server", node.bootstrap, "--add", "--allow-principal", "User:watch", *acl)
    added = kafka_oracle.run_tool("kafka-acls", *line)
    assert added.returncode == 0, added.stderr


def find_coordinators(client: Connection) -> None:
    """Make Kafka create its topics for groups and transactions."""
    for kind in (0, 1):
        story.until_ready(partial(client.ask, "FindCoordinator", 3, FindCoordinatorRequest("any", kind)))


def newest(directory: Path) -> int:
    return max((int(path.name) for path in directory.glob("[0-9]*") if path.name.isdecimal()), default=-1)


def commit_until(bootstrap: str, ended: threading.Event) -> None:
    """Commit, in transactions too, some of them aborted."""
    with Connection(bootstrap) as client:
        number = 0
        while not ended.is_set():
            number += 1
            story.commit(client, f"g-{number % 7}", {0: number, 1: number})
            if number % 10 == 0:
                story.in_transaction(client, "tx", "g-tx", {2: number}, commits=number % 20 == 0)
            ended.wait(0.05)


class Leaders:
    """An admin client of a topic whose log partitions have these leaders."""

    def __init__(self, *has_leader: bool) -> None:
        self._leaders = dict(enumerate(has_leader))

    def topic_partitions(self, names: list[str]) -> dict[str, dict[int, bool]]:
        return dict.fromkeys(names, self._leaders)


class TestBadInput:
    def test_a_log_partition_without_a_leader_is_named(self) -> None:
        admin: Any = Leaders(True, False, True)
        with pytest.raises(PipelineError, match="^__consumer_offsets-1 cannot be read: no broker leads it"):
            offsets_partitions(admin, None)
        led = next(name for name in "abcdef" if partition_of_group(name, 3) != 1)
        assert offsets_partitions(admin, led).read == [partition_of_group(led, 3)]
        many: Any = Leaders(*[False] * 5)
        with pytest.raises(PipelineError, match="-0, __consumer_offsets-1, __consumer_offsets-2 and 2 more"):
            offsets_partitions(many, None)

    def test_a_wrong_address_is_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        for wrong in ("kafka", "kafka:0", "kafka:70000", "http://kafka:9092", "a:1,b"):
            assert main(["current", "--bootstrap-server", wrong]) == 2
            assert "is not HOST:PORT" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--log-dir", "/a"], "--bootstrap-server and --log-dir cannot be combined"),
            (["--skip-damaged"], "--skip-damaged requires --log-dir: brokers do not send damaged batches"),
            (["--master", "sc://host"], "--bootstrap-server cannot be read on Spark Connect"),
            (
                ["--command-config", "/no/such/file"],
                "/no/such/file cannot be read: No such file or directory",
            ),
        ],
    )
    def test_options_that_do_not_fit_are_refused(
        self, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["current", "--bootstrap-server", "[::1]:9092,kafka:9092", *more]) == 2
        assert said in capsys.readouterr().err

    def test_command_config_needs_a_cluster(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "client.properties").write_text("security.protocol=SSL\n")
        config = str(tmp_path / "client.properties")
        assert main(["current", "--log-dir", "/a", "--command-config", config]) == 2
        assert "--command-config requires --bootstrap-server" in capsys.readouterr().err

    def test_a_cluster_that_cannot_be_reached_is_one_sentence(self) -> None:
        port = two_free_ports()
        cluster = Cluster(f"127.0.0.1:{port},no.such.host.invalid:9092")
        with pytest.raises(
            PipelineError, match=rf"^no broker can be reached at 127.0.0.1:{port}: Connection"
        ):
            cluster.check_reachable()

    def test_settings_of_a_client_reach_spark_and_its_own_do_not(self, tmp_path: Path) -> None:
        config = tmp_path / "client.properties"
        config.write_text("security.protocol=SASL_SSL\ngroup.id=mine\nrequest.timeout.ms=7000\n")
        asked = parse(["current", "--bootstrap-server", "kafka:9092", "--command-config", str(config)])
        assert asked.cluster is not None
        options = asked.cluster.source_options(committed=True)
        assert options == {
            "kafka.bootstrap.servers": "kafka:9092",
            "kafka.security.protocol": "SASL_SSL",
            "kafka.request.timeout.ms": "7000",
            "kafka.default.api.timeout.ms": "20000",
            "kafka.isolation.level": "read_committed",
            "groupIdPrefix": "tidemark-pipeline",
        }

    def test_the_package_fits_the_installed_spark(self) -> None:
        asked = parse(["current", "--bootstrap-server", "kafka:9092"])
        for version in ("4.2.1", "4.3.0"):
            assert added(asked, submitted=False, version=version).spark["spark.jars.packages"] == CONNECTOR
        with pytest.raises(PipelineError, match="no release of Spark's source for Kafka is known to work"):
            added(asked, submitted=False, version="4.9.0")

    @pytest.mark.parametrize(
        ("trace", "said"),
        [
            (
                "Caused by: org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized",
                "no permission to read __consumer_offsets: the principal needs the ACLs Describe and Read",
            ),
            (
                "org.apache.kafka.common.errors.GroupAuthorizationException: not this group",
                "the principal needs the ACL Read on groups with the prefix tidemark-pipeline",
            ),
            (
                "org.apache.kafka.common.KafkaException: Failed to create new KafkaAdminClient\n"
                "Caused by: org.apache.kafka.common.config.ConfigException: No LoginModule for x",
                "No LoginModule for x",
            ),
            (
                "ExecutionException: org.apache.kafka.common.errors.TimeoutException: Timed out waiting",
                "no response in time: a listener with TLS or SASL needs --command-config",
            ),
            (
                "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server",
                "the cluster has no topic __consumer_offsets: no group has committed an offset yet",
            ),
            (
                "org.apache.kafka.common.errors.ClusterAuthorizationException: denied",
                "ClusterAuthorizationException: denied",
            ),
        ],
    )
    def test_exceptions_of_kafka_are_one_sentence(self, trace: str, said: str) -> None:
        with pytest.raises(PipelineError) as raised, explained(Cluster("kafka:9092")):
            raise RuntimeError(f"{trace}\n\tat org.apache.kafka.Some.frame(Some.java:1)")
        assert str(raised.value).startswith("kafka:9092: ") and said in str(raised.value)
        assert "\n" not in str(raised.value) and ".java" not in str(raised.value)
