"""Delegation tokens expire in the broker's time, which a test moves, and their secrets are shown nowhere."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.broker_process import BrokerProcess
from tests.conformance.build import Request
from tests.conformance.build_sasl import authenticate, handshake, plain
from tests.conformance.build_tokens import create_token, describe_tokens, renew_token
from tests.conformance.cases.delegation_tokens import DAY_MS, TOKENS
from tests.wire import Connection
from tidemark_protocol import from_dict

pytestmark = [pytest.mark.contract, pytest.mark.slow]

NOT_FOUND, EXPIRED = 62, 66
SPARE_MS = 600_000


@pytest.fixture
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    settings = {**TOKENS, "tidemark.test.api": "true"}
    running = BrokerProcess(tmp_path_factory.mktemp("tokens"), settings)
    running.start()
    yield running
    running.stop()


def advance(broker: BrokerProcess, ms: int, *, cleanup: bool = True) -> None:
    body = json.dumps({"ms": ms, "cleanup": cleanup, "sessions": False}).encode()
    url = f"http://{broker.http}/v1/clock/advance"
    urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json"})).close()


class Client:
    """A connection of alice."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        for login in (handshake(), authenticate(plain("alice", "alice-secret"))):
            assert self.ask(login).error_code == 0

    def ask(self, request: Request) -> Any:
        name, version, fields = request
        return self._connection.ask(name, version, from_dict(f"{name}Request", fields))

    def tokens(self) -> int:
        return len(self.ask(describe_tokens(None)).tokens)


def test_token_expires_when_time_moves_and_the_pass_removes_it(broker: BrokerProcess) -> None:
    with Connection(broker.bootstrap) as connection:
        client = Client(connection)
        token = client.ask(create_token())
        advance(broker, DAY_MS - SPARE_MS)
        assert client.tokens() == 1
        advance(broker, 2 * SPARE_MS, cleanup=False)
        assert client.tokens() == 1
        assert client.ask(renew_token(token.hmac)).error_code == EXPIRED
        advance(broker, 1)
        assert client.tokens() == 0
        assert client.ask(renew_token(token.hmac)).error_code == NOT_FOUND


def test_secrets_are_neither_on_the_disk_nor_in_what_the_broker_shows(broker: BrokerProcess) -> None:
    with Connection(broker.bootstrap) as connection:
        client = Client(connection)
        secret = client.ask(create_token()).hmac
        client.ask(renew_token(secret))
        client.ask(describe_tokens(None))
    with urllib.request.urlopen(f"http://{broker.http}/v1/requests") as shown:
        requests = shown.read().decode()
    assert "CreateDelegationToken" in requests
    with urllib.request.urlopen(f"http://{broker.http}/metrics") as shown:
        metrics = shown.read().decode()
    broker.stop()
    stored = b"".join(path.read_bytes() for path in broker.data_dir.rglob("*") if path.is_file())
    for text in (requests, metrics, broker.said(), stored.decode("latin-1")):
        assert "token-secret" not in text
        assert "alice-secret" not in text
        assert secret.hex() not in text
    assert secret not in stored
