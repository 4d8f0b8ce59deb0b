"""Client libraries delete groups and offsets, on our broker and, with Java, on Apache Kafka."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, OracleBroker, two_free_ports
from tests.clientenv import client_python
from tests.clients.children import CLIENTS
from tests.conftest import SETTINGS

pytestmark = [pytest.mark.contract, pytest.mark.slow]

needs_java = [
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]
JAVA: Final = Path(__file__).parent / "java" / "Deletions.java"
NO_DELAY: Final = {**SETTINGS, "group.initial.rebalance.delay.ms": "0"}

# The results of Kafka 4.3.1. Errors: 0 none, 3 UNKNOWN_TOPIC_OR_PARTITION, 68 NON_EMPTY_GROUP,
# 69 GROUP_ID_NOT_FOUND, 86 GROUP_SUBSCRIBED_TO_TOPIC.
TOLD: Final = """\
with a member: missing-0 3, other-0 0, read-0 86
group with a member: stable 68
left: read-0 1
simple group: read-0 0
left: other-0 5, read-1 4
unknown group: 69
groups: nobody 69, simple 0, stable 0
groups again: simple 69
left: nothing
"""
# The same results for a library that cannot delete offsets.
RESULTS_OF_GROUPS: Final = """\
with a member: not offered by this library
group with a member: stable 68
left: other-0 2, read-0 1
simple group: not offered by this library
left: other-0 5, read-0 3, read-1 4
unknown group: not offered by this library
groups: nobody 69, simple 0, stable 0
groups again: simple 69
left: nothing
"""
SCRIPTS: Final = {
    "kafka-python": ("deletions_with_kafka_python.py", TOLD),
    "kafka-python-ng": ("deletions_with_kafka_python.py", RESULTS_OF_GROUPS),
    "confluent-kafka": ("deletions_with_confluent_kafka.py", RESULTS_OF_GROUPS),
}


@pytest.fixture(scope="module", params=["ours", pytest.param("kafka", marks=needs_java)])
def bootstrap(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of each broker in turn."""
    folder = tmp_path_factory.mktemp(request.param)
    broker: BrokerProcess | OracleBroker = BrokerProcess(folder, NO_DELAY)
    if request.param == "kafka":
        broker = OracleBroker(folder, two_free_ports(), NO_DELAY)
    try:
        broker.start()
        yield broker.bootstrap
    finally:
        broker.stop()


def result(command: list[str]) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize("client", SCRIPTS)
def test_python_libraries_delete_groups_and_offsets(client: str, bootstrap: str) -> None:
    script, expected = SCRIPTS[client]
    assert result([str(client_python(client)), str(CLIENTS / script), bootstrap, client]) == expected


@pytest.mark.java
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or "")
def test_kafkas_admin_client_deletes_groups_and_offsets(bootstrap: str) -> None:
    assert result(kafka_oracle.java(str(JAVA), bootstrap, "java")) == TOLD
