"""The image in the place of Kafka's: settings, entry points, health checks, and the steps of modules.

The containers run in the stand-in for the container engine, as Docker would start them.
"""

from __future__ import annotations

import io
import json
import os
import signal
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.ecosystem.image.engine.api import Engine
from tests.ecosystem.image.engine.containers import Container
from tests.ecosystem.image.images import BuiltImage

pytestmark = [pytest.mark.ecosystem, pytest.mark.timeout(1800)]

PATIENCE_S: Final = 60
MOUNTED: Final = "mnt/shared/config/server.properties"
READY: Final = "Transitioning from RECOVERY to RUNNING"
# The commands of health checks in compose files.
HEALTH_CHECKS: Final = (
    "nc -z localhost 9092",
    "kafka-topics --bootstrap-server localhost:9092 --list",
    "kafka-topics.sh --bootstrap-server localhost:9092 --list",
    "/opt/kafka/bin/kafka-topics.sh --bootstrap-server localhost:9092 --list",
    "kafka-broker-api-versions.sh --bootstrap-server localhost:9092",
    "kafka-cluster.sh cluster-id --bootstrap-server localhost:9092",
    "cub kafka-ready -b localhost:9092 1 20",
    "healthcheck",
)


@pytest.fixture(scope="module")
def engine(namespaces: None, image: BuiltImage) -> Iterator[Engine]:
    engine = Engine(image.store, image.name)
    yield engine
    engine.close()


@contextmanager
def created(engine: Engine, **wanted: Any) -> Iterator[Container]:
    container = engine.create("", wanted)
    try:
        yield container
    finally:
        engine.remove(container)


def wait_for(container: Container, reached: Callable[[str], bool]) -> str:
    """Return the container's output once it satisfies the condition."""
    deadline = time.monotonic() + PATIENCE_S
    while not reached(text := container.output.text()):
        assert time.monotonic() < deadline, text
        assert container.running, text
        time.sleep(0.01)
    return text


def wait_until_ready(container: Container) -> dict[str, Any]:
    """Return the addresses that the broker has printed."""
    text = wait_for(container, lambda text: READY in text)
    found: dict[str, Any] = json.loads(next(line for line in text.splitlines() if line.startswith("{")))
    return found


def run(container: Container, *command: str) -> tuple[int, str]:
    """Run a command in the container. Return its exit code and its output."""
    process, output, threads = container.execute({"Cmd": list(command)})
    code = process.wait(PATIENCE_S)
    for thread in threads:
        thread.join()
    return code, output.text()


def put_script(container: Container, path: str, text: str) -> None:
    """Copy a script into the container, as modules do."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        member = tarfile.TarInfo(path)
        member.size, member.mode = len(text.encode()), 0o777
        tar.addfile(member, io.BytesIO(text.encode()))
    container.put(archive.getvalue(), "/")


# settings


@pytest.mark.parametrize(
    ("mounted", "variables", "arguments", "node"),
    [
        ("", [], [], 1),
        ("node.id=5", [], [], 5),
        ("node.id=5", ["KAFKA_NODE_ID=6"], [], 6),
        ("node.id=5", ["KAFKA_NODE_ID=6"], ["KAFKA_NODE_ID=7"], 7),
        ("node.id=5", ["KAFKA_NODE_ID=6"], ["--set", "node.id=8"], 8),
    ],
    ids=["default", "file", "variable", "argument", "option"],
)
def test_later_source_of_a_setting_replaces_earlier_ones(
    engine: Engine, mounted: str, variables: list[str], arguments: list[str], node: int
) -> None:
    with created(engine, Env=variables, Cmd=arguments) as container:
        if mounted:
            (container.root / MOUNTED).write_text(mounted)
        container.start()
        wait_until_ready(container)
        assert f"[KafkaServer id={node}] started" in container.output.text()


def test_the_image_watches_a_cluster_and_is_healthy_then(engine: Engine) -> None:
    """As docker/watch/compose.yaml runs it; here the broker is in the same container."""
    watch = "tidemark watch --bootstrap-server localhost:9092 --http :9465"
    asked = "KAFKA_TIDEMARK_HTTP_LISTENER=:9465 healthcheck"
    with created(engine) as container:
        container.start()
        wait_until_ready(container)
        public = "KAFKA_TIDEMARK_HTTP_PUBLIC=true"
        code, text = run(
            container, "bash", "-c",
            f"{public} {watch} & until {asked}; do sleep 0.1; done; kill %1; wait",
        )  # fmt: skip
        assert (code, "watching" in text) == (0, True), text


def test_defaults_of_the_image_remain_below_a_mounted_file(engine: Engine) -> None:
    with created(engine, Env=["CLUSTER_ID=4L6g3nShT-eMCtK--X86sw"]) as container:
        (container.root / MOUNTED).write_text("num.partitions=3\n")
        container.start()
        ready = wait_until_ready(container)
        assert ready["data_dir"] == "/var/lib/kafka/data"
        assert ready["cluster_id"] == "4L6g3nShT-eMCtK--X86sw"
        assert ready["http"].endswith(":9464")


@pytest.mark.parametrize(
    ("variables", "arguments", "words"),
    [
        (["KAFKA_NUM_PARTITIONS=many"], [], "KAFKA_NUM_PARTITIONS"),
        (["TIDEMARK_TEST_API=maybe"], [], "TIDEMARK_TEST_API"),
        (["KAFKA_LOG4J_ROOT_LOGLEVEL=LOUD"], [], "KAFKA_LOG4J_ROOT_LOGLEVEL"),
        (["KAFKA_LISTENERS=SSL://:9092"], [], "SSL"),
        ([], ["KAFKA_NUM_PARTITIONS=many"], "KAFKA_NUM_PARTITIONS"),
        (["KAFKA_LOG_DIRS=/etc/data"], [], "/etc/data"),
    ],
)
def test_wrong_setting_stops_the_start_with_one_line_that_names_it(
    engine: Engine, variables: list[str], arguments: list[str], words: str
) -> None:
    with created(engine, Env=variables, Cmd=arguments) as container:
        container.start()
        assert container.wait(PATIENCE_S) == 1
        (line,) = wait_for_end(container).splitlines()
        assert line.startswith("tidemark: ")
        assert words in line


def test_volume_that_cannot_be_written_stops_the_start_with_one_line(engine: Engine) -> None:
    with created(engine) as container:
        os.chown(container.root / "var/lib/kafka/data", 0, 0)
        (container.root / "var/lib/kafka/data").chmod(0o755)
        container.start()
        assert container.wait(PATIENCE_S) == 1
        (line,) = wait_for_end(container).splitlines()
        assert "/var/lib/kafka/data" in line


def wait_for_end(container: Container) -> str:
    """Return the whole output of a container that has stopped."""
    for _ in container.output.follow(until_end=True):
        continue
    return container.output.text()


# its processes


def test_broker_is_the_first_process_and_ends_with_0_at_sigterm(engine: Engine) -> None:
    with created(engine) as container:
        container.start()
        pid = wait_until_ready(container)["pid"]
        assert pid == 1
        container.kill(signal.SIGTERM)
        assert container.wait(PATIENCE_S) == 0


def test_command_runs_in_place_of_the_broker(engine: Engine) -> None:
    with created(
        engine, Cmd=["sh", "-c", "id -u; hostname; kafka-storage format && zookeeper-server-start x"]
    ) as container:
        container.start()
        assert container.wait(PATIENCE_S) == 0
        assert wait_for_end(container) == f"1000\n{container.hostname}\n"


def test_health_checks_of_compose_files_follow_the_broker(engine: Engine) -> None:
    with created(engine, Cmd=["sleep", "1000"]) as container:
        container.start()
        wait_for_command(container, "sleep")
        for check in HEALTH_CHECKS:
            if not check.startswith(("cub", "kafka", "/opt")):  # these wait for a broker
                assert run(container, "sh", "-c", check)[0] != 0
    with created(engine) as container:
        container.start()
        ready = wait_until_ready(container)
        for check in HEALTH_CHECKS:
            code, output = run(container, "sh", "-c", check)
            assert code == 0, (check, output)
            assert not check.startswith("kafka-cluster") or output == f"Cluster ID: {ready['cluster_id']}\n"


def wait_for_command(container: Container, name: str) -> None:
    """Wait until the first process of the container is the command of this name."""
    deadline = time.monotonic() + PATIENCE_S
    while not (pid := container.pid) or name not in Path(f"/proc/{pid}/comm").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# The steps of a module whose language is not here, as its source gives them.


def test_steps_of_the_module_for_dotnet(engine: Engine) -> None:
    """Testcontainers.Kafka waits for a script, copies it, and waits for `[KafkaServer id=1] started`."""
    waits = "while [ ! -f /testcontainers.sh ]; do sleep 0.1; done; /testcontainers.sh"
    variables = [
        "KAFKA_LISTENERS=PLAINTEXT://0.0.0.0:9092,BROKER://0.0.0.0:9093,CONTROLLER://0.0.0.0:9094",
        "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "KAFKA_INTER_BROKER_LISTENER_NAME=BROKER",
        "KAFKA_NODE_ID=1",
        "KAFKA_PROCESS_ROLES=broker,controller",
        "KAFKA_CONTROLLER_LISTENER_NAMES=CONTROLLER",
        "KAFKA_CONTROLLER_QUORUM_VOTERS=1@localhost:9094",
        "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR=1",
        "KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS=1",
        "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR=1",
        "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR=1",
        "KAFKA_LOG_FLUSH_INTERVAL_MESSAGES=9223372036854775807",
        "KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS=0",
        "CLUSTER_ID=4L6g3nShT-eMCtK--X86sw",
    ]
    for entry_point in ("/etc/kafka/docker/run", "/etc/confluent/docker/run"):
        with created(engine, Env=variables, Entrypoint=["/bin/sh", "-c"], Cmd=[waits]) as container:
            container.start()
            advertised = f"PLAINTEXT://127.0.0.1:32768,BROKER://{container.hostname}:9093"
            script = f"#!/bin/bash\nexport KAFKA_ADVERTISED_LISTENERS={advertised}\n{entry_point}\n"
            put_script(container, "/testcontainers.sh", script)
            wait_for(container, lambda text: "[KafkaServer id=1] started" in text)
            for port in (9092, 9093):
                assert run(container, "nc", "-z", "localhost", str(port))[0] == 0
