"""Apache Kafka from Maven Central, with its tools. Our tests are verified with it.

mvn downloads the jars once to `~/.cache/tidemark/kafka/<release>` or to TIDEMARK_KAFKA_HOME. Needs Java 17.
By hand: `python -m tests.kafka_oracle start DIR PORT [key=value ...] | stop DIR | tool NAME [argument ...]`.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests import jvm, maven

# The release whose tools and files the tests know, and the newest one. KAFKA_VERSION chooses another one.
USUAL: Final = "4.3.1"
NEWEST: Final = "4.4.0"
KAFKA_VERSION: Final = os.environ.get("KAFKA_VERSION", USUAL)
# The release of the tools, if it is another one: Maven Central has no kafka-tools 4.4.0.
TOOLS_OF: Final = {"4.4.0": "4.3.1"}
READY_TIMEOUT_S: Final = 90
META: Final = "meta.properties"
ARCHIVED_WITHIN_S: Final = 240

TOOL_CLASSES: Final = {
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-groups": "org.apache.kafka.tools.GroupsCommand",
    "kafka-console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "kafka-console-share-consumer": "org.apache.kafka.tools.consumer.ConsoleShareConsumer",
    "kafka-console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "kafka-delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "kafka-broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "kafka-log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-delegation-tokens": "org.apache.kafka.tools.DelegationTokenCommand",
    "kafka-features": "org.apache.kafka.tools.FeatureCommand",
    "kafka-cluster": "org.apache.kafka.tools.ClusterTool",
    "kafka-metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "kafka-transactions": "org.apache.kafka.tools.TransactionsCommand",
    "kafka-configs": "org.apache.kafka.tools.ConfigCommand",
    "kafka-acls": "org.apache.kafka.tools.AclCommand",
    "kafka-dump-log": "org.apache.kafka.tools.DumpLogSegments",
    "kafka-storage": "kafka.tools.StorageTool",
    "kafka-leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "kafka-reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "kafka-client-metrics": "org.apache.kafka.tools.ClientMetricsCommand",
    "kafka-share-groups": "org.apache.kafka.tools.consumer.group.ShareGroupCommand",
    "kafka-streams-groups": "org.apache.kafka.tools.streams.StreamsGroupCommand",
    "kafka-streams-application-reset": "org.apache.kafka.tools.StreamsResetter",
    "kafka-producer-perf-test": "org.apache.kafka.tools.ProducerPerformance",
    "kafka-consumer-perf-test": "org.apache.kafka.tools.ConsumerPerformance",
    "kafka-verifiable-producer": "org.apache.kafka.tools.VerifiableProducer",
    "kafka-jmx": "org.apache.kafka.tools.JmxTool",
    "kafka-verifiable-consumer": "org.apache.kafka.tools.VerifiableConsumer",
}
# The names of a class in other releases. The first one that a jar contains is used.
OLDER_CLASSES: Final = {
    "kafka-configs": "kafka.admin.ConfigCommand",
    "kafka-acls": "kafka.admin.AclCommand",
    "kafka-dump-log": "kafka.tools.DumpLogSegments",
}

# Timers and one-replica internal topics that suit a test on one node.
NODE_SETTINGS: Final = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller_port}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={data}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
"""

# Settings of a cluster, in addition. A killed node is fenced soon, and no election comes unasked.
CLUSTER_SETTINGS: Final = {
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
    "broker.session.timeout.ms": "6000",
    "broker.heartbeat.interval.ms": "500",
    "auto.leader.rebalance.enable": "false",
}

# Artifacts of a folder of jars. Those of Kafka itself have a logger, too.
KAFKA_ARTIFACTS: Final = (
    "org.apache.kafka:kafka_2.13:{version}",
    "org.apache.kafka:kafka-tools:{tools}",
    "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3",
    "org.apache.logging.log4j:log4j-core:2.24.3",
    "org.apache.logging.log4j:log4j-1.2-api:2.24.3",
)
TESTCONTAINERS_ARTIFACTS: Final = (
    "org.testcontainers:kafka:1.21.4",
    "org.apache.kafka:kafka-clients:{version}",
    "org.slf4j:slf4j-simple:1.7.36",
)
STREAMS_ARTIFACTS: Final = ("org.apache.kafka:kafka-streams:{version}",)


def short_name(version: str) -> str:
    """Return 4.4 for 4.4.0."""
    return ".".join(version.split(".")[:2])


def missing() -> str | None:
    """Return why Kafka's tools cannot run here, as a skip reason; None if they can."""
    if shutil.which("java") is None:
        return "java (17 or newer) is not installed"
    if _complete_jars(KAFKA_VERSION) is None and shutil.which("mvn") is None:
        folder = _cache(KAFKA_VERSION)
        return f"the jars of Kafka {KAFKA_VERSION} are not in {folder} and mvn is not installed to fetch them"
    return None


def jars(version: str | None = None) -> Path:
    """Return the folder of the jars of Kafka, of KAFKA_VERSION or of another one."""
    version = version or KAFKA_VERSION
    found = _complete_jars(version)
    return maven.jars(_cache(version), _of_release(KAFKA_ARTIFACTS, version)) if found is None else found


def streams_jars(version: str | None = None) -> Path:
    """Return the folder of the jars of Kafka Streams, of KAFKA_VERSION or of another one."""
    version = version or KAFKA_VERSION
    folder = _cache(version).with_name(f"streams-{version}")
    return maven.jars(folder, _of_release(STREAMS_ARTIFACTS, version))


def testcontainers_jars() -> Path:
    """Return the folder of the jars of testcontainers. Download them if it does not exist."""
    folder = _cache(KAFKA_VERSION).with_name(f"testcontainers-{KAFKA_VERSION}")
    return maven.jars(folder, _of_release(TESTCONTAINERS_ARTIFACTS, KAFKA_VERSION))


def _of_release(artifacts: tuple[str, ...], version: str) -> list[str]:
    tools = TOOLS_OF.get(version, version)
    return [each.format(version=version, tools=tools) for each in artifacts]


def _cache(version: str) -> Path:
    home = os.environ.get("TIDEMARK_KAFKA_HOME", "~/.cache/tidemark/kafka")
    return Path(home).expanduser() / version


def _complete_jars(version: str) -> Path | None:
    for folder in (_cache(version), Path("~/.cache/real-kafka").expanduser() / version):
        if (folder / ".complete").exists():
            return folder
    return None


def java(
    main: str,
    *arguments: str,
    heap: str = "256m",
    libraries: Path | None = None,
    version: str | None = None,
) -> list[str]:
    """Return the command line of a Java program: a class, or a .java file that has the name of its class.

    libraries: a folder of jars. None: Kafka's, of this version or of KAFKA_VERSION
    """
    classpath = f"{libraries or jars(version)}/*"
    if main.endswith(".java") and (classes := jvm.compiled(Path(main), classpath)) is not None:
        classpath, main = f"{classpath}:{classes}", Path(main).stem
    # One tier of compilation: these programs run for a second or two, too short for the second tier.
    speed = [*jvm.BRIEF, "-Xshare:auto", *(jvm.archive(_archive_name(version)) if libraries is None else ())]
    return ["java", f"-Xmx{heap}", *speed, "-Dlog4j2.level=WARN", "-cp", classpath, main, *arguments]


def _archive_name(version: str | None = None) -> str:
    return f"kafka-{version or KAFKA_VERSION}-{zlib.crc32(str(jars(version)).encode()):08x}"


def _archive_classes(file: Path) -> None:
    """Run a node and a tool, and write the classes that the node has loaded."""
    from tests.broker_process import two_free_ports

    with tempfile.TemporaryDirectory() as folder:
        node = KafkaNode(Path(folder, "kafka"), two_free_ports())
        node.launch(f"-XX:ArchiveClassesAtExit={file}")
        node.wait_until_ready()
        run_tool("kafka-topics", "--bootstrap-server", node.bootstrap, "--create", "--topic", "any")
        node.stop(patience_s=ARCHIVED_WITHIN_S)


def tool(name: str, *arguments: str) -> list[str]:
    """Return the command line of a tool of Kafka's, by the name of its script.

    A tool of another release than KAFKA_VERSION runs with the jars of that release, because it may need them.
    """
    return java(tool_class(name), *arguments, libraries=_jars_of_tools())


def run_tool(
    name: str, *arguments: str, stdin: str | None = None, timeout_s: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run a tool. Return its exit code and both streams.

    Each has a JVM of its own: clients that a tool leaves open would look for brokers until the JVM ends.
    """
    return subprocess.run(
        tool(name, *arguments),
        input=stdin or "",
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def _jars_of_tools() -> Path | None:
    """Return None if the tools are of the same release."""
    return jars(TOOLS_OF[KAFKA_VERSION]) if KAFKA_VERSION in TOOLS_OF else None


@cache
def tool_class(name: str) -> str:
    """Return the class that a tool's script runs."""
    older = OLDER_CLASSES.get(name)
    if older is None or _a_jar_holds(TOOL_CLASSES[name]):
        return TOOL_CLASSES[name]
    return older


def _a_jar_holds(class_name: str) -> bool:
    entry = (class_name.replace(".", "/") + ".class").encode()
    return any(entry in jar.read_bytes() for jar in (_jars_of_tools() or jars()).glob("kafka*.jar"))


class KafkaNode:
    """One KRaft node, broker and controller, with its data under `folder`."""

    def __init__(
        self, folder: Path, port: int, settings: dict[str, str] | None = None, cluster_id: str = ""
    ) -> None:
        """cluster_id: of a new directory. By default it is random."""
        self.folder = folder
        self.port = port
        self.data_dir = folder / "data"
        self._settings = settings or {}
        self._cluster_id = cluster_id or _new_id()
        self._process: subprocess.Popen[bytes] | None = None  # set if this object started it

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Format the directory if it is new, and start the node. Return once it accepts connections."""
        if KAFKA_VERSION in (USUAL, NEWEST):
            jvm.archive(_archive_name(), _archive_classes)
        self.launch()
        self.wait_until_ready()

    def launch(self, *options: str) -> None:
        """Format the directory if it is new, and start the node with these options of Java."""
        self.folder.mkdir(parents=True, exist_ok=True)
        properties = self.folder / "server.properties"
        text = NODE_SETTINGS.format(port=self.port, controller_port=self.port + 1, data=self.data_dir)
        properties.write_text(text + "".join(f"{key}={value}\n" for key, value in self._settings.items()))
        if not (self.data_dir / META).exists():
            self._format()
        if url := self._settings.get("sasl.oauthbearer.jwks.endpoint.url"):
            options = (*options, f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={url}")
        java_itself, *command = java("kafka.Kafka", str(properties), heap="512m")
        with (self.folder / "server.out").open("wb") as output:
            self._process = subprocess.Popen(
                [java_itself, *options, *command], stdout=output, stderr=output, start_new_session=True
            )
        (self.folder / "pid").write_text(str(self._process.pid))

    def wait_until_ready(self) -> None:
        assert self._process is not None, "this object did not start it"
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not accepts(self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Kafka did not start, see {self.folder / 'server.out'}")
            time.sleep(0.1)

    def send(self, number: int) -> None:
        """Send a signal without waiting: SIGSTOP pauses the node, and SIGCONT lets it go on."""
        os.kill(int((self.folder / "pid").read_text()), number)

    def stop(self, with_signal: int = signal.SIGTERM, patience_s: float = 30) -> None:
        """Stop the node and wait until it ends. Use SIGKILL for a crash, which also follows the patience."""
        pid = int((self.folder / "pid").read_text())
        deadline = time.monotonic() + patience_s
        while self._alive(pid):
            os.kill(pid, with_signal if time.monotonic() < deadline else signal.SIGKILL)
            time.sleep(0.1)

    def _alive(self, pid: int) -> bool:
        """Return whether the node runs. A child that has ended is a zombie until it is polled."""
        if self._process is not None:
            return self._process.poll() is None
        return Path(f"/proc/{pid}").exists()

    def _format(self) -> None:
        """Format the directory: copy what Kafka's StorageTool writes, with new ids.

        The tool is a JVM, which needs half as much CPU time as the start of the node. Its output depends on
        the release only, so it is kept.
        """
        kept = jvm.CACHE / f"formatted-{_archive_name()}"
        if not kept.exists():
            jvm.CACHE.mkdir(parents=True, exist_ok=True)
            made = Path(tempfile.mkdtemp(dir=jvm.CACHE))
            properties = made / "server.properties"
            properties.write_text(
                NODE_SETTINGS.format(port=self.port, controller_port=self.port + 1, data=made / "data")
            )
            command = java("kafka.tools.StorageTool", "format", "-t", _new_id(), "-c", str(properties))
            subprocess.run(command, check=True, capture_output=True)
            with contextlib.suppress(OSError):  # another worker has been quicker
                (made / "data").rename(kept)
            shutil.rmtree(made)
        shutil.copytree(kept, self.data_dir, dirs_exist_ok=True)
        ids = {
            "cluster": self._cluster_id,
            "directory": _new_id(),
            "node": self._settings.get("node.id", "1"),
        }
        meta = self.data_dir / META
        meta.write_text(
            re.sub(
                r"(cluster|directory|node)\.id=.+",
                lambda found: f"{found[1]}.id={ids[found[1]]}",
                meta.read_text(),
            )
        )


class KafkaCluster:
    """Several KRaft nodes, each a broker and a controller, with ids from 1. All methods wait for the cluster.

    racks: `broker.rack` of each node
    """

    def __init__(
        self,
        folder: Path,
        settings: dict[str, str] | None = None,
        brokers: int = 3,
        racks: Sequence[str] = (),
    ) -> None:
        from tests.broker_process import two_free_ports

        ports = {each: two_free_ports() for each in range(1, brokers + 1)}
        voters = ",".join(f"{each}@127.0.0.1:{port + 1}" for each, port in ports.items())
        cluster_id = _new_id()
        common = {**CLUSTER_SETTINGS, **(settings or {}), "controller.quorum.voters": voters}
        self.nodes = {}
        for each, port in ports.items():
            own = {"node.id": str(each)}
            if racks:
                own["broker.rack"] = racks[each - 1]
            self.nodes[each] = KafkaNode(folder / str(each), port, common | own, cluster_id)
        self._running: set[int] = set()

    @property
    def bootstrap(self) -> str:
        """Return the addresses of all nodes, separated by commas and ordered by id."""
        return ",".join(node.bootstrap for node in self.nodes.values())

    def start(self) -> None:
        """Start all nodes. Return once each of them knows all."""
        if KAFKA_VERSION in (USUAL, NEWEST):
            jvm.archive(_archive_name(), _archive_classes)
        for node in self.nodes.values():
            node.launch()
        self._running = {*self.nodes}
        self.wait_until_known()

    def stop(self) -> None:
        """Stop all nodes."""
        for node in self.nodes.values():
            if (node.folder / "pid").exists():
                node.stop(signal.SIGKILL)

    def stop_broker(self, node_id: int) -> None:
        """Stop a node cleanly: it hands over its partitions."""
        self._end(node_id, signal.SIGTERM)

    def kill_broker(self, node_id: int) -> None:
        """Kill a node. The others learn of it after `broker.session.timeout.ms`."""
        self._end(node_id, signal.SIGKILL)

    def _end(self, node_id: int, with_signal: int) -> None:
        self.nodes[node_id].stop(with_signal)
        self._running.remove(node_id)
        self.wait_until_known()

    def start_broker(self, node_id: int) -> None:
        """Start a node that was stopped or killed. Return once it is in sync."""
        self.nodes[node_id].launch()
        self._running.add(node_id)
        self.wait_until_known()

    def pause_broker(self, node_id: int) -> None:
        """Pause a node, until the others have fenced it after `broker.session.timeout.ms`."""
        self.nodes[node_id].send(signal.SIGSTOP)
        self._running.remove(node_id)
        self.wait_until_known()

    def resume_broker(self, node_id: int) -> None:
        """Let a node that was paused go on. Return once it is in sync."""
        self.nodes[node_id].send(signal.SIGCONT)
        self._running.add(node_id)
        self.wait_until_known()

    def wait_until_known(self) -> None:
        """Wait until all nodes know which brokers run, and each of these has the replicas in sync it can."""
        for each in sorted(self._running):
            self.nodes[each].wait_until_ready()
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not all(map(self._is_known_by, sorted(self._running))):
            assert time.monotonic() < deadline, f"the nodes do not agree that {self._running} run"
            time.sleep(0.1)

    def _is_known_by(self, node_id: int) -> bool:
        from tests.wire import Connection

        try:
            with Connection(self.nodes[node_id].bootstrap) as connection:
                told = connection.ask("Metadata", 12, {"Topics": None})
        except ConnectionError:
            return False
        if {each["NodeId"] for each in told["Brokers"]} != self._running:
            return False
        return all(
            self._running.intersection(partition["ReplicaNodes"]) == set(partition["IsrNodes"])
            for topic in told["Topics"]
            for partition in topic["Partitions"]
        )


def _new_id() -> str:
    """Return a random Uuid, as Kafka writes it."""
    return base64.urlsafe_b64encode(b"\0" + os.urandom(15)).decode()[:22]


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _main(arguments: list[str]) -> int:
    match arguments:
        case ["start", folder, port, *settings]:
            node = KafkaNode(
                Path(folder).absolute(), int(port), dict(item.split("=", 1) for item in settings)
            )
            node.start()
            print(node.bootstrap)
        case ["stop", folder]:
            KafkaNode(Path(folder).absolute(), 0).stop()
        case ["tool", name, *rest]:
            os.execvp("java", tool(name, *rest))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
