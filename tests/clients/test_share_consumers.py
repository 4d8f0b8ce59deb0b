"""Kafka's own share consumer (KIP-932), on our broker and on Apache Kafka."""

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
JAVA: Final = Path(__file__).parent / "java" / "Shares.java"
SETTINGS: Final = {
    "group.share.assignment.interval.ms": "0",
    "group.share.min.session.timeout.ms": "1000",
    "group.share.min.heartbeat.interval.ms": "500",
    "group.share.min.record.lock.duration.ms": "1000",
    "share.coordinator.state.topic.num.partitions": "4",
}

# What Kafka 4.3.1 does: records as value/delivery count, and outcomes of acknowledgements by partition.
TOLD: Final = """\
# implicit acknowledgement
first poll: a/1, b/1, c/1
second poll: d/1
commit: 0 stored
new member: nothing
# explicit acknowledgement
first poll: a/1, b/1, c/1, d/1
poll before acknowledging: refused
commit: 0 stored
acknowledge again: refused
second poll: b/2, d/2
commit: 0 stored
third poll: nothing
# renewal
lock: Optional[3000]
first poll: a/1, b/1
renew: 0 stored
poll: a/1, b/1
other member: nothing
renew: 0 stored
poll: a/1, b/1
other member: nothing
renew: 0 stored
poll: a/1, b/1
other member: nothing
accept: 0 stored
# callback
poll: a/1, b/1
callback: 0 [0, 1] null
# three members
records: 30
deliveries: 30
first deliveries: 30
# acquire mode record_limit
poll: a/1, b/1, c/1
poll: d/1, e/1, f/1
poll: g/1
# acquire mode batch_optimized
poll: a/1, b/1, c/1, d/1, e/1, f/1, g/1
poll: nothing
poll: nothing
# share.auto.offset.reset latest
poll: new/1
# share.auto.offset.reset earliest
poll: old/1
# share.auto.offset.reset by_duration:PT1H
poll: old/1
# read_committed
poll: committed/1, committed 2/1, last/1, last 2/1
commit: 0 stored
open transaction: nothing
committed: open/1
# read_uncommitted
poll: committed/1, committed 2/1, aborted/1, aborted 2/1, last/1, last 2/1
commit: 0 stored
open transaction: open/1
committed: nothing
# a lock that ends
slow member: a/1, b/1
other member: a/2, b/2
too late: 0 InvalidRecordStateException
in time: 0 stored
# a member that closes
first member: a/1, b/1, c/1
second member: a/2, c/2
# the last delivery
delivery: a/1
release: 0 stored
delivery: a/2
release: 0 stored
delivery: a/3
release: 0 stored
delivery: a/4
release: 0 stored
delivery: a/5
release: 0 stored
no more: nothing
next record: b/1
"""


@pytest.fixture(params=["ours", "kafka"])
def bootstrap(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    broker: BrokerProcess | OracleBroker = BrokerProcess(tmp_path, SETTINGS)
    if request.param == "kafka":
        broker = OracleBroker(tmp_path, two_free_ports(), SETTINGS)
    try:
        broker.start()
        yield broker.bootstrap
    finally:
        broker.stop()


@pytest.mark.timeout(600)
def test_kafkas_share_consumer_sees_the_same_as_on_kafka(bootstrap: str) -> None:
    command = kafka_oracle.java(str(JAVA), bootstrap, "java")
    ended = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert ended.stdout == TOLD, ended.stderr[-3000:]
    assert ended.returncode == 0
