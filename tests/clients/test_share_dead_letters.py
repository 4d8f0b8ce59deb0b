"""A dead-letter queue of a share group (KIP-1191) with Kafka's own clients.

`KAFKA_VERSION=4.4.0` runs it against Apache Kafka, too: 4.3.1 has no dead-letter queues.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, OracleBroker, two_free_ports

pytestmark = [
    pytest.mark.contract,
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]
JAVA: Final = Path(__file__).parent / "java" / "DeadLetters.java"
SETTINGS: Final = {
    "group.share.assignment.interval.ms": "0",
    "group.share.min.delivery.count.limit": "2",
    "share.coordinator.state.topic.num.partitions": "4",
}
BROKERS: Final = ("ours", "kafka") if kafka_oracle.KAFKA_VERSION == kafka_oracle.NEWEST else ("ours",)

# What Kafka 4.4.0 does.
TOLD: Final = """\
received a in delivery 1
received b in delivery 1
received c in delivery 1
received d in delivery 1
received c in delivery 2
received d in delivery 2
"""


def letter(number: int, value: str, offset: int, delivery_count: int, message: str) -> str:
    return f"""\
dead letter {number}: key-{value} {value}
  __dlq.errors.topic: orders
  __dlq.errors.partition: 0
  __dlq.errors.offset: {offset}
  __dlq.errors.group: workers
  __dlq.errors.delivery.count: {delivery_count}
  __dlq.errors.message: {message}
"""


LETTERS: Final = (
    letter(0, "b", 1, 1, "Offset rejected by client."),
    letter(1, "c", 2, 2, "Offset delivery count exceeded the threshold."),
    letter(2, "d", 3, 2, "Offset delivery count exceeded the threshold."),
)


@pytest.fixture(params=BROKERS)
def bootstrap(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    broker: BrokerProcess | OracleBroker = BrokerProcess(tmp_path, SETTINGS)
    if request.param == "kafka":
        broker = OracleBroker(tmp_path, two_free_ports(), SETTINGS)
    try:
        broker.start()
        yield broker.bootstrap
    finally:
        broker.stop()


@pytest.mark.timeout(300)
def test_kafkas_clients_find_rejected_records_in_the_dead_letter_queue(bootstrap: str) -> None:
    command = kafka_oracle.java(str(JAVA), bootstrap)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert ended.stdout == TOLD + "".join(LETTERS), ended.stderr[-3000:]
    assert ended.returncode == 0
