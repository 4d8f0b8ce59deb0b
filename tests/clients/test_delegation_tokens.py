"""kafka-delegation-tokens manages tokens of the broker, and Kafka's client logs in with them.

TIDEMARK_TEST_ORACLE=1 runs the same story against Apache Kafka.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import kafka_oracle
from tests.broker_process import RunningBroker, start_broker
from tests.conformance.cases.delegation_tokens import TOKENS

pytestmark = [
    pytest.mark.contract,
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(bool(kafka_oracle.missing()), reason=str(kafka_oracle.missing())),
]

LOGINS = Path(__file__).parent / "java" / "Logins.java"
DEADLINE_S = 240
PLAIN = (
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="{0}" password="{0}-secret";'
)
SCRAM = (
    "org.apache.kafka.common.security.scram.ScramLoginModule required "
    'username="{0}" password="{1}" tokenauth="true";'
)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    running = start_broker(tmp_path_factory.mktemp("tokens"), TOKENS)
    yield running
    running.stop()


class Tool:
    """kafka-delegation-tokens as one user."""

    def __init__(self, broker: RunningBroker, user: str, folder: Path) -> None:
        self._config = folder / f"{user}.properties"
        self._config.write_text(
            f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config={PLAIN.format(user)}\n"
        )
        self._bootstrap = broker.bootstrap

    def __call__(self, *arguments: str) -> str:
        done = kafka_oracle.run_tool(
            "kafka-delegation-tokens", "--bootstrap-server", self._bootstrap,
            "--command-config", str(self._config), *arguments,
        )  # fmt: skip
        return done.stdout + done.stderr


def login(broker: RunningBroker, token_id: str, secret: str) -> object:
    settings = (
        "security.protocol=SASL_PLAINTEXT",
        "sasl.mechanism=SCRAM-SHA-512",
        f"sasl.jaas.config={SCRAM.format(token_id, secret)}",
    )
    command = kafka_oracle.java(str(LOGINS), broker.bootstrap, "0", *settings)
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=DEADLINE_S)
    return json.loads(done.stdout.splitlines()[-1])


def test_tool_manages_tokens_with_which_kafkas_client_logs_in(broker: RunningBroker, tmp_path: Path) -> None:
    alice, bob = Tool(broker, "alice", tmp_path), Tool(broker, "bob", tmp_path)
    created = alice("--create", "--max-life-time-period", "-1", "--renewer-principal", "User:bob")
    token_id, secret, *rest = created.splitlines()[-1].split()
    assert created.startswith("Calling create token operation with renewers")
    assert rest[:3] == ["User:alice", "User:alice", "[User:bob]"]
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", token_id)
    assert token_id in alice("--describe", "--owner-principal", "User:alice")
    assert login(broker, token_id, secret) == {"topics": 0, "sessions": 0}
    assert login(broker, token_id, "wrong") == {"error": "SaslAuthenticationException"}

    renewed = bob("--renew", "--renew-time-period", "-1", "--hmac", secret)
    assert "Completed renew operation. New expiry date" in renewed
    expired = bob("--expire", "--expiry-time-period", "-1", "--hmac", secret)
    assert "Completed expire operation. New expiry date" in expired
    assert login(broker, token_id, secret) == {"error": "SaslAuthenticationException"}
    assert "DelegationTokenNotFoundException" in alice(
        "--renew", "--renew-time-period", "-1", "--hmac", secret
    )
