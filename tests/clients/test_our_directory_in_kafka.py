"""Apache Kafka 4.4.0 serves a directory that tidemark created by default, and its clients see the same."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, OracleBroker, two_free_ports
from tests.clients.test_admin_methods import LOGGED
from tests.conformance.tools.recorded import settings_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"{kafka_oracle.missing()}"),
]

JAVA: Final = Path(__file__).parent / "java" / "Stored.java"
SETTINGS: Final = settings_of(authorized=True)
TIMEOUT_S: Final = 180


def told(bootstrap: str, *mode: str) -> list[str]:
    command = kafka_oracle.java(str(JAVA), bootstrap, *mode, version=kafka_oracle.NEWEST)
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if not LOGGED.match(line)]


def test_kafka_4_4_serves_a_directory_that_tidemark_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_oracle, "KAFKA_VERSION", kafka_oracle.NEWEST)
    ours = BrokerProcess(tmp_path, SETTINGS)
    ours.start()
    try:
        before = told(ours.bootstrap, "write")
    finally:
        ours.stop()
    assert "records: [0 plain, 3 committed, 5 committed, too] until {orders-0=7}" in before
    kafka = OracleBroker(tmp_path, two_free_ports(), SETTINGS)
    kafka.start()
    try:
        assert told(kafka.bootstrap) == before
    finally:
        kafka.stop()
