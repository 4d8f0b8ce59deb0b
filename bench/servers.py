"""The servers that are measured: our broker, Apache Kafka 4.3.1, and librdkafka's built-in mock cluster."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Final, Protocol

from bench.host import metric
from bench.rows import OURS
from tests.broker_process import BrokerProcess, two_free_ports
from tests.clientenv import client_python
from tests.kafka_oracle import NODE_SETTINGS, READY_TIMEOUT_S, KafkaNode, accepts, jars
from tests.wire import Connection
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest

SERVER_CORE: Final = 0
TOPIC: Final = "bench"
PARTITIONS: Final = 4  # the number of partitions of the mock cluster's topics
COMPILED: Final = "ours, compiled"
KAFKA: Final = "Kafka 4.3.1"
MOCK: Final = "librdkafka's mock"
# The options of kafka-server-start.sh.
KAFKA_JVM: Final = [
    "-Xms1g",
    "-Xmx1g",
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
    "-Djava.awt.headless=true",
    "-Dlog4j2.level=WARN",
]
CLIENTS: Final = Path(__file__).parent / "clients"


class Server(Protocol):
    name: str

    @property
    def bootstrap(self) -> str: ...

    @property
    def pid(self) -> int: ...

    def stall_ms(self) -> float | None:
        """Return the longest stall of its event loop so far; None if it is unknown."""

    def stop(self) -> None: ...


class OurProcess(BrokerProcess):
    """A broker process. packages: a folder with our packages to run instead of the working tree."""

    def __init__(
        self, folder: Path, settings: dict[str, str], *, pinned: bool, packages: Path | None
    ) -> None:
        super().__init__(folder, settings, SERVER_CORE if pinned else None)
        self._packages = packages

    def _command(self) -> list[str]:
        instead = [] if self._packages is None else ["env", f"PYTHONPATH={self._packages}"]
        return [*instead, *super()._command()]


class Ours:
    """Our broker, started on one core. settings: those of `tidemark serve --set`."""

    def __init__(
        self,
        folder: Path,
        settings: dict[str, str] | None = None,
        *,
        pinned: bool = True,
        packages: Path | None = None,
    ) -> None:
        self.name = OURS if packages is None else COMPILED
        self.process: BrokerProcess = OurProcess(folder, settings or {}, pinned=pinned, packages=packages)
        self.process.start()

    @property
    def bootstrap(self) -> str:
        return self.process.bootstrap

    @property
    def pid(self) -> int:
        return self.process.pid

    def stall_ms(self) -> float | None:
        return metric(self.process.http, "tidemark_event_loop_stall_max_seconds") * 1000

    def stop(self) -> None:
        self.process.stop()


class Kafka(KafkaNode):
    """Apache Kafka, started on all cores with the JVM options of its own start script."""

    name = KAFKA

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, two_free_ports())
        self.ready_after_s = 0.0
        self.start()

    def start(self) -> None:
        """Format the directory, which is not measured, and start."""
        self.folder.mkdir(parents=True, exist_ok=True)
        properties = self.folder / "server.properties"
        text = NODE_SETTINGS.format(port=self.port, controller_port=self.port + 1, data=self.data_dir)
        properties.write_text(text + "offsets.topic.num.partitions=1\n")  # as ours
        if not (self.data_dir / "meta.properties").exists():
            self._format()
        started = time.monotonic()
        with (self.folder / "server.out").open("wb") as output:
            self._process = subprocess.Popen(
                ["java", *KAFKA_JVM, "-cp", f"{jars()}/*", "kafka.Kafka", str(properties)],
                stdout=output,
                stderr=output,
            )
        (self.folder / "pid").write_text(str(self._process.pid))
        while not accepts(self.port):
            if self._process.poll() is not None or time.monotonic() > started + READY_TIMEOUT_S:
                raise RuntimeError(f"Kafka did not start, see {self.folder / 'server.out'}")
            time.sleep(0.01)
        self.ready_after_s = time.monotonic() - started

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def stall_ms(self) -> float | None:
        return None


class Mock:
    """librdkafka's mock cluster of one broker, started in a process of its own."""

    name = MOCK

    def __init__(self, folder: Path) -> None:
        self._complaints = (folder / "mock.err").open("wb")
        self._process = subprocess.Popen(
            [
                "taskset",
                "-c",
                str(SERVER_CORE),
                client_python("confluent-kafka"),
                CLIENTS / "mock.py",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
        )
        assert self._process.stdout is not None
        self.bootstrap = self._process.stdout.readline().strip()
        assert self.bootstrap, "the mock cluster did not start"

    @property
    def pid(self) -> int:
        return self._process.pid

    def stall_ms(self) -> float | None:
        return None

    def stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._complaints.close()


def create_topic(server: Server, topic: str = TOPIC, partitions: int = PARTITIONS) -> None:
    """Create the topic, and look up a coordinator, which creates `__consumer_offsets`. Wait for groups."""
    with Connection(server.bootstrap) as connection:
        connection.ask("CreateTopics", 7, CreateTopicsRequest([CreatableTopic(topic, partitions, 1)]))
        wait_for_coordinator(connection)


def wait_for_coordinator(connection: Connection, group: str = "group-00") -> None:
    """Return once the group's offsets can be fetched: Kafka names a coordinator before it is ready."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    while (
        connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key=group)).error_code
        or connection.ask("OffsetFetch", 5, OffsetFetchRequest(group, topics=[])).error_code
    ):
        assert time.monotonic() < deadline, "the group coordinator did not come up"
        time.sleep(0.05)


def port_of(server: Server) -> int:
    return int(server.bootstrap.rpartition(":")[2])
