"""Runs where a wheel was installed, outside of the checkout. dist.py starts it with pytest.

TIDEMARK_DIST_COMPILED is 1 for a compiled wheel, and 0 for the pure one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Iterator
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer

PACKAGES = (
    "tidemark", "tidemark_http", "tidemark_tools", "tidemark_testing", "tidemark_protocol", "tidemark_expiry",
    "tidemark_pipeline", "pyspark_tidemark",
)  # fmt: skip
COMPILED = "tidemark.core.apply"  # a module of hatch_build.py's HOT
WAIT_S = 60

USERS_TEST = """
from confluent_kafka import Consumer, Producer


def test_a_group_that_is_away_for_eight_days_starts_over(tidemark):
    topic = tidemark.topic("orders")
    servers = {"bootstrap.servers": tidemark.bootstrap_servers}
    producer = Producer(servers)
    producer.produce(topic, b"one order")
    producer.flush()

    for _ in range(2):
        consumer = Consumer({**servers, "group.id": "billing", "auto.offset.reset": "earliest"})
        consumer.subscribe([topic])
        assert consumer.poll(30).value() == b"one order"
        consumer.close()
        tidemark.clock.advance(days=8)
        tidemark.assert_expired("billing", topic)
"""


def command(name: str) -> str:
    """Return the path of an installed command."""
    return str(Path(sysconfig.get_path("scripts"), name))


def run(*arguments: str) -> str:
    """Return the output of a command, which must succeed."""
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_come_from_the_wheel(name: str) -> None:
    spec = find_spec(name)  # pyspark_tidemark itself cannot be imported without Spark
    assert spec is not None and spec.origin is not None
    assert Path(sysconfig.get_path("platlib")) in Path(spec.origin).parents


def test_only_a_compiled_wheel_has_compiled_modules() -> None:
    is_compiled = not str(import_module(COMPILED).__file__).endswith(".py")
    assert is_compiled == (os.environ["TIDEMARK_DIST_COMPILED"] == "1")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """`tidemark serve`, which a signal stops. Yields its ready file."""
    folder = tmp_path_factory.mktemp("broker")
    ports = ["--port=0", "--http-port=0"]
    serve = [command("tidemark"), "serve", "--data-dir", str(folder), *ports]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_S) == 0


def test_a_client_writes_and_reads(broker: dict[str, str]) -> None:
    servers = {"bootstrap.servers": broker["bootstrap_servers"]}
    producer = Producer(servers)
    for number in range(10):
        producer.produce("orders", str(number).encode())
    assert producer.flush(WAIT_S) == 0
    consumer = Consumer({**servers, "group.id": "billing", "auto.offset.reset": "earliest"})
    consumer.subscribe(["orders"])
    records = [consumer.poll(WAIT_S) for _ in range(10)]
    consumer.commit(asynchronous=False)
    consumer.close()
    assert [record.value() for record in records] == [str(number).encode() for number in range(10)]

    bootstrap = f"--bootstrap-server={broker['bootstrap_servers']}"
    assert "orders" in run(command("tidemark"), "topics", bootstrap, "--list").splitlines()
    shown = ["--describe", "--group=billing", "--explain", f"--http={broker['http']}"]
    described = run(command("tidemark"), "consumer-groups", bootstrap, *shown)
    assert "group_empty" in described


@pytest.mark.parametrize("path", ["/", "/docs/testing.md", "/v1/openapi.json", "/metrics"])
def test_http_has_its_files(path: str, broker: dict[str, str]) -> None:
    with urllib.request.urlopen(f"http://{broker['http']}{path}", timeout=WAIT_S) as response:
        assert response.read()


@pytest.mark.parametrize("mode", ["thread", "subprocess"])
def test_the_fixture_needs_no_configuration(mode: str, tmp_path: Path) -> None:
    (tmp_path / "test_billing.py").write_text(USERS_TEST)
    arguments = ["-p", "no:cacheprovider", f"--tidemark-mode={mode}", f"--rootdir={tmp_path}", str(tmp_path)]
    assert "1 passed" in run(sys.executable, "-m", "pytest", *arguments)


def test_commands_print_their_help() -> None:
    assert "consumer-groups" in run(command("tidemark"), "--help")
    assert "removals" in run(command("tidemark-pipeline"), "--help")
    assert metadata.version("tidemark-broker") in run(command("tidemark"), "--version")
