"""Client libraries copy records in transactions, while they and the broker are killed.

TIDEMARK_TEST_ROUNDS is the number of rounds, shared by the libraries, TIDEMARK_TEST_SEED the first seed.
`make exactly-once ROUNDS=100` is a long run with all libraries.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, RunningBroker, start_broker
from tests.clients.copiers import LIBRARIES, SETTINGS, Round

ROUNDS: Final = int(os.environ.get("TIDEMARK_TEST_ROUNDS", f"{len(LIBRARIES)}"))
SEED: Final = int(os.environ.get("TIDEMARK_TEST_SEED", "1"))
FAULTS: Final = 4 if "TIDEMARK_TEST_ROUNDS" in os.environ else 1  # of a round
SECONDS_PER_ROUND: Final = 120  # at most, on a busy machine
NO_JAVA: Final = kafka_oracle.missing()
FOREIGN: Final = {
    "java": [pytest.mark.java, pytest.mark.skipif(NO_JAVA is not None, reason=f"{NO_JAVA}")],
    "franz-go": [pytest.mark.ecosystem],
    "kafkajs": [pytest.mark.ecosystem],
}

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(300 + ROUNDS * SECONDS_PER_ROUND)]


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    """One broker for all libraries, so that old transactions are loaded after each kill."""
    running = start_broker(tmp_path_factory.mktemp("broker"), SETTINGS)
    yield running
    running.stop()
    if isinstance(running, BrokerProcess):
        print(running.said()[-5000:])


@pytest.mark.parametrize("library", [pytest.param(name, marks=FOREIGN.get(name, [])) for name in LIBRARIES])
def test_each_record_is_copied_exactly_once_despite_kills(
    broker: RunningBroker, tmp_path: Path, library: str
) -> None:
    for seed in range(SEED, SEED + ROUNDS, len(LIBRARIES)):
        disturbed = Round(broker, library, tmp_path, seed)
        try:
            disturbed.run(FAULTS)
        finally:
            print(f"TIDEMARK_TEST_SEED={seed} {library}, {disturbed.protocol}: {disturbed.outcome}")
