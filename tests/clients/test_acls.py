"""Client libraries create, list and delete ACLs. tests/conformance/tools does so with Kafka's AdminClient."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clientenv import client_python
from tests.clients.children import CLIENTS
from tests.conformance.build_acls import STANDARD_AUTHORIZER

pytestmark = [pytest.mark.contract, pytest.mark.slow]

SETTINGS: Final = {"authorizer.class.name": STANDARD_AUTHORIZER, "super.users": "User:ANONYMOUS"}
DENIED: Final = "GROUP app- PREFIXED User:alice * READ DENY"
ALLOWED: Final = "TOPIC orders LITERAL User:alice * READ ALLOW"
TIMEOUT_S: Final = 120


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path_factory.mktemp("acls"), SETTINGS)
    running.start()
    yield running
    running.stop()


@pytest.mark.parametrize("client", ["confluent-kafka", "kafka-python"])
def test_acls_are_created_listed_and_deleted(client: str, broker: BrokerProcess) -> None:
    program = Path(CLIENTS, f"acls_with_{client.replace('-', '_')}.py")
    told = subprocess.run(
        [client_python(client), program, broker.bootstrap],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    printed = [f"listed: {DENIED}, {ALLOWED}", f"deleted: {DENIED}", f"left: {ALLOWED}"]
    assert told.stdout.splitlines() == printed, told.stderr
