"""A schema registry that keeps its schemas in topics, and Avro of confluent-kafka."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle, maven, needs
from tests.broker_process import RunningBroker, free_port
from tests.clientenv import TOOLS, client_python
from tests.ecosystem.works_with.programs import Program, Topics, http
from tests.ecosystem.works_with.rows import works_with

HERE: Final = Path(__file__).parent
APICURIO: Final = "3.0.9"  # 3.3 needs Java 21
CONFLUENT: Final = TOOLS["avro"][0].partition("==")[2]
JOURNAL: Final = "kafkasql-journal"

pytestmark = [pytest.mark.ecosystem, pytest.mark.contract, pytest.mark.java, pytest.mark.timeout(600)]


class Registry:
    """Apicurio, whose only storage is the broker."""

    def __init__(self, broker: RunningBroker, folder: Path) -> None:
        if (no_java := kafka_oracle.missing()) is not None:
            pytest.skip(no_java)
        needs.program("mvn", "maven")
        archive = f"io.apicurio:apicurio-registry-app:{APICURIO}:tar.gz:all"
        files = maven.unpacked(maven.CACHE / f"apicurio-{APICURIO}", archive)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/apis"
        settings = {
            "APICURIO_STORAGE_KIND": "kafkasql",
            "APICURIO_KAFKASQL_BOOTSTRAP_SERVERS": broker.bootstrap,
            "APICURIO_KAFKASQL_CONSUMER_POLL_TIMEOUT": "200",  # it ends the start
            "QUARKUS_HTTP_HOST": "127.0.0.1",
            "QUARKUS_HTTP_PORT": str(port),
        }
        jar = files / f"apicurio-registry-app-{APICURIO}-runner.jar"
        options = ["-Xmx400m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        self.program = Program(["java", *options, "-jar", jar], folder / "apicurio.out", environment=settings)

    def wait(self) -> None:
        system = self.program.until(lambda: http("GET", f"{self.url}/registry/v3/system/info"), "it responds")
        assert system["version"] == APICURIO


@works_with(
    "Apicurio Registry with Avro",
    f"{APICURIO}, confluent-kafka {CONFLUENT}",
    """The registry keeps its schemas in a topic of the broker (`kafkasql`). confluent-kafka registers a
    schema through the API of Confluent's registry, produces and consumes Avro, and has an
    incompatible schema refused. After a kill of the broker and of the registry, the schemas are read
    from the topic.""",
    limits="""Karapace and Confluent's registry were not run, so no test shows a compacted `_schemas`: neither
    PyPI nor Maven Central offered them.""",
)
def test_schemas_survive_a_kill_of_registry_and_broker(broker: RunningBroker, tmp_path: Path) -> None:
    registry = Registry(broker, tmp_path)
    python = client_python("avro")

    def ordered(item: str) -> dict[str, Any]:
        arguments = (broker.bootstrap, f"{registry.url}/ccompat/v7", f"readers of {item}", item)
        command = [python, HERE / "ordering_with_avro.py", *arguments]
        with Program(command, tmp_path / f"{item}.out") as program:
            facts: dict[str, Any] = json.loads(program.finished().splitlines()[-1])
            return facts

    expected = {"subjects": ["orders-value"], "versions": [1], "incompatible": True}
    with registry.program:
        registry.wait()
        assert ordered("tea") == {"items": ["tea"], **expected}
        journal = Topics(broker).read(JOURNAL)
        assert any('"orders-value"' in message for message in journal)
        registry.program.kill9()
        broker.kill9()
        broker.restart()
        assert Topics(broker).read(JOURNAL)[: len(journal)] == journal
        registry.program.start()
        registry.wait()
        assert ordered("mug") == {"items": ["tea", "mug"], **expected}
