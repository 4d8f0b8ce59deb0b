"""Client libraries log in by SASL, each in its own environment, at one broker."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.broker_process import RunningBroker, start_broker
from tests.clientenv import REQUIREMENTS, client_python
from tests.contract.wire import Connection
from tidemark_protocol import from_dict

pytestmark = [pytest.mark.contract, pytest.mark.slow]

PROGRAM = Path(__file__).parent / "clients" / "logging_in.py"
DEADLINE_S = 240
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
SETTINGS = {
    "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": ",".join(MECHANISMS),
    "listener.name.plaintext.plain.sasl.jaas.config": (
        'org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="alice-secret";'
    ),
    "tidemark.scram.users": (
        "SCRAM-SHA-256=[name=alice,password=alice-secret],SCRAM-SHA-512=[name=alice,password=alice-secret]"
    ),
}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    running = start_broker(tmp_path_factory.mktemp("sasl"), SETTINGS)
    yield running
    running.stop()


def logins(client: str, broker: RunningBroker, *wanted: tuple[str, str, str]) -> list[dict[str, object]]:
    """Return what each login of a client library leads to."""
    given = json.dumps([[*login, {}] for login in wanted])
    done = subprocess.run(
        [str(client_python(client)), str(PROGRAM), client, broker.bootstrap, given],
        check=True, capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("client", REQUIREMENTS)
def test_library_logs_in_with_each_mechanism(client: str, broker: RunningBroker) -> None:
    wanted = [(mechanism, "alice", "alice-secret") for mechanism in MECHANISMS]
    assert logins(client, broker, *wanted) == [{"topics": 0}] * len(MECHANISMS)


def test_library_reports_a_wrong_password(broker: RunningBroker) -> None:
    refused = [(mechanism, "alice", "wrong") for mechanism in MECHANISMS]
    told = logins("confluent-kafka", broker, *refused)
    assert told == [{"error": "PermissionError _AUTHENTICATION"}] * len(MECHANISMS)


def test_client_without_a_login_is_served_nothing(broker: RunningBroker) -> None:
    with Connection(broker.bootstrap) as raw, pytest.raises(ConnectionError):
        raw.ask("ListGroups", 0, from_dict("ListGroupsRequest", {}))
