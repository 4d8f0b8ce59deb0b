"""Restores of a snapshot, again and again: the memory of the broker stays level."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import BrokerProcess
from tests.wire import Connection
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_tools.http_api import Api

WARM_UP: Final = 10
RESTORES: Final = 60
GROWN_MB_MAX: Final = 3.0  # 50 KB each; the state of a broker without topics has 110 KB

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(120)]


def resident_mb(broker: BrokerProcess) -> float:
    line = next(x for x in Path(f"/proc/{broker.pid}/status").read_text().splitlines() if "VmRSS" in x)
    return int(line.split()[1]) / 1000


def test_state_that_a_restore_replaces_is_freed(tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path, {"tidemark.test.api": "true"}, forked=False)
    broker.start()
    api = Api(broker.http)

    def restore() -> None:
        api.post(f"/v1/snapshots/{snapshot}/restore")
        with Connection(broker.bootstrap) as connection:
            connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key="g"))

    try:
        snapshot = api.post("/v1/snapshots")["id"]
        for _ in range(WARM_UP):
            restore()
        before = resident_mb(broker)
        for _ in range(RESTORES):
            restore()
        assert resident_mb(broker) - before < GROWN_MB_MAX
    finally:
        broker.stop()
