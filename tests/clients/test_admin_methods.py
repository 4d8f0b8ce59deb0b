"""The methods of Kafka's AdminClient, 4.3.1 and 4.4.0, return the same from tidemark as from Kafka 4.3.1.

java/Admins.txt holds the output for Kafka. TIDEMARK_TEST_ORACLE=1 calls Kafka itself, which responds to some
changes a moment before others see them: a failed run may succeed when it is repeated.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import start_broker
from tests.conformance.tools.recorded import settings_of

pytestmark = [
    pytest.mark.contract,
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"{kafka_oracle.missing()}"),
]

JAVA: Final = Path(__file__).parent / "java" / "Admins.java"
TOLD: Final = JAVA.with_suffix(".txt")
TIMEOUT_S: Final = 240
LOGGED: Final = re.compile(r"\d\d:\d\d:\d\d\.\d+ ")


@pytest.mark.parametrize("version", [kafka_oracle.USUAL, kafka_oracle.NEWEST])
def test_admin_client_gets_kafkas_results(version: str, tmp_path: Path) -> None:
    broker = start_broker(tmp_path, settings_of(authorized=True))
    try:
        done = subprocess.run(
            kafka_oracle.java(str(JAVA), broker.bootstrap, version=version),
            capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
    finally:
        broker.stop()
    assert done.returncode == 0, done.stderr
    client, *told = [line for line in done.stdout.splitlines() if not LOGGED.match(line)]
    assert client == version
    assert told == TOLD.read_text().splitlines()
