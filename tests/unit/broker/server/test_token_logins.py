"""Many clients log in at once, each with a token of its own, whose keys must be computed."""

from __future__ import annotations

import threading
import uuid
from base64 import b64encode
from typing import Any, Final

import pytest

from tests.conformance.build_sasl import ScramClient, authenticate, handshake
from tests.unit.broker.server.test_fairness import clients_of, most_in_a_turn
from tests.unit.broker.whole import Whole, WorkingClock, running
from tidemark.core.decision import Decision, Record
from tidemark.metadata.delegation_tokens import token_keys
from tidemark.security import mechanisms
from tidemark.turns import REQUESTS_MS
from tidemark_protocol.records.delegation_token_record import DelegationTokenRecord
from tidemark_testing.storage import MemoryStorage

LOGINS: Final = 20
HOUR_MS: Final = 3_600_000
MECHANISM: Final = "SCRAM-SHA-256"
SETTINGS: Final = {
    "listeners": "SASL_PLAINTEXT://127.0.0.1:0",
    "sasl.enabled.mechanisms": MECHANISM,
    "delegation.token.secret.key": "secret",
}


def make_tokens(whole: Whole) -> list[str]:
    names = [str(uuid.uuid4()) for _ in range(LOGINS)]
    expires_ms = whole.state.clock.wall_ms() + HOUR_MS
    for name in names:
        token = DelegationTokenRecord("User:bob", "User:bob", [], 0, expires_ms, expires_ms, name)
        whole.engine.runtime.accept("Cluster", Decision(records=(Record(None, token),)))
    return names


async def test_keys_of_many_tokens_are_derived_outside_of_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    derived_in: set[str] = set()
    derive = mechanisms.salted

    def seen(*arguments: Any) -> bytes:
        derived_in.add(threading.current_thread().name.rpartition("_")[0])
        return derive(*arguments)

    monkeypatch.setattr(mechanisms, "salted", seen)
    # Each look at the clock finds that the turn is used up.
    async with running(MemoryStorage(), WorkingClock(REQUESTS_MS), **SETTINGS) as whole:
        names = make_tokens(whole)
        keys = token_keys(whole.state.cluster)
        assert keys is not None
        clients = await clients_of(whole, LOGINS)
        exchanges = [
            ScramClient(MECHANISM, name, b64encode(keys.hmac(name)).decode(), ",tokenauth=true")
            for name in names
        ]
        for client in clients:
            await client.ask(*handshake(MECHANISM))
        for client, exchange in zip(clients, exchanges, strict=True):
            client.send(*authenticate(exchange.first()))
        assert await most_in_a_turn(lambda: len(keys.credentials), LOGINS) <= 4
        assert derived_in == {"tidemark-keys"}
        for client, exchange in zip(clients, exchanges, strict=True):
            begun = bytes.fromhex((await client.answer("SaslAuthenticate", 2))["AuthBytes"])
            ended = await client.ask(*authenticate(exchange.final(begun)))
            assert exchange.accepts(bytes.fromhex(ended["AuthBytes"]))
