"""The modules of testcontainers start the image in place of Kafka's, in each language that has one.

They run against a stand-in for the container engine (tests/ecosystem/image/engine). Each module starts a
container, and a client of its language produces a record and consumes it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.clientenv import built, client_python
from tests.ecosystem.image.engine.api import Engine, serving
from tests.ecosystem.image.images import BuiltImage

pytestmark = [pytest.mark.ecosystem, pytest.mark.timeout(1800)]

MODULES: Final = Path(__file__).parent / "modules"
# Modules read the version of Confluent's image in the tag, and start Kafka 8 and newer without ZooKeeper.
IMAGE: Final = "tidemark:8.0.0"
PATIENCE_S: Final = 600
PLUGIN_TEST: Final = """
import pytest

def test_topics_of_a_test(tidemark):
    assert tidemark.server.mode == "docker"
    tidemark.topic("orders")
    assert tidemark.clock.advance(days=8).moved_ms == 8 * 24 * 3600 * 1000

def test_are_gone_in_the_next(tidemark_factory, tidemark):
    tidemark.topic("orders")
    tidemark_factory({"node.id": 7}).topic("orders")

@pytest.mark.parametrize("end", ["stop", "kill", "restart"])
def test_records_survive(tidemark, end):
    addresses = tidemark.bootstrap_servers, tidemark.http
    assert not tidemark.groups
    tidemark.produce("orders", "an order")
    getattr(tidemark, end)()
    tidemark.restart()
    assert (tidemark.bootstrap_servers, tidemark.http) == addresses
    assert [order.text for order in tidemark.records("orders")] == ["an order"]
"""


class Host:
    """The engine, and the variables by which a module finds it."""

    def __init__(self, engine: Engine, variables: dict[str, str]) -> None:
        self.engine = engine
        self.variables = variables

    def printed(self, *command: str | Path) -> list[str]:
        """Return the lines that a program with a module prints."""
        # For programs that run in this Python, because they import tidemark.
        libraries = client_python("testcontainers").parents[1].glob("lib/python3*/site-packages")
        variables = {"PYTHONPATH": ":".join(map(str, libraries)), **self.variables}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, env={**os.environ, **variables}
        )
        logs = [container.output.text() for container in self.engine.containers.values()]
        assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-6000:]}\n{logs}"
        return done.stdout.splitlines()


@pytest.fixture(scope="module")
def host(namespaces: None, image: BuiltImage) -> Iterator[Host]:
    with serving(image.store, image.name) as (engine, variables):
        yield Host(engine, variables)


@pytest.fixture(autouse=True)
def removed(host: Host) -> Iterator[None]:
    """Each module removes the containers that it has started."""
    yield
    left = [container.name for container in host.engine.containers.values()]
    host.engine.close()
    assert left == []


@pytest.mark.parametrize("mode", ["plain", "kraft"])
def test_python(host: Host, mode: str) -> None:
    python = client_python("testcontainers")
    assert host.printed(python, MODULES / "with_python.py", IMAGE, mode) == ["an order"]


@pytest.mark.parametrize("module", ["apache", "confluent", "old", "old-kraft"])
def test_java(host: Host, module: str) -> None:
    if reason := kafka_oracle.missing():
        pytest.skip(reason)
    java = kafka_oracle.java(
        str(MODULES / "WithJava.java"), IMAGE, module, libraries=kafka_oracle.testcontainers_jars()
    )
    assert host.printed(*java) == ["an order"]


def test_node(host: Host) -> None:
    need("npm")
    folder = built(MODULES / "node", "npm", "ci", "--silent", "--ignore-scripts")
    assert host.printed("node", folder / "main.js", IMAGE) == ["an order"]


def test_go(host: Host) -> None:
    need("go")
    folder = built(MODULES / "go", "go", "build", "-o", "main", ".")
    assert host.printed(folder / "main", IMAGE) == ["an order"]


def test_rust(host: Host) -> None:
    need("cargo")
    folder = built(MODULES / "rust", "cargo", "build", "--quiet", "--locked")
    assert host.printed(folder / "target" / "debug" / "main", IMAGE) == ["an order"]


def test_tidemark_container_has_clock_explanations_and_restarts(host: Host) -> None:
    *told, refusal = host.printed(sys.executable, MODULES / "with_tidemark_container.py", IMAGE)
    assert told == [
        *("an order", "group_empty", "0", "token_required", "before the kill", "after the kill"),
        "other ports",
    ]
    assert refusal.startswith(f"tidemark cannot start in {IMAGE}: tidemark: ")
    assert "/etc/data" in refusal


def test_plugin_runs_tests_against_a_container(host: Host, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PLUGIN_TEST)
    options = ("-q", "-p", "no:cacheprovider", "--tidemark-mode", "docker", "--tidemark-image", IMAGE)
    assert host.printed(sys.executable, "-m", "pytest", *options, str(tmp_path))[-1].startswith("5 passed")


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
