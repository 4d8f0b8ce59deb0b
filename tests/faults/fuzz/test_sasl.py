"""Mutated logins on a live listener: none of them is served, and the next client is."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Iterator
from struct import pack

import pytest

from tests.broker_process import BrokerProcess
from tests.conformance.build_sasl import authenticate, handshake, plain
from tests.conformance.build_tokens import create_token
from tests.oauth.tokens import JWKS, claims, first_message, signed, unsecured
from tests.wire import Connection, request, response, sized
from tidemark_protocol import from_dict

pytestmark = pytest.mark.slow

CONNECTIONS = 600
HEALTHY_EVERY = 50
FRAMES_MAX = 4
NONE, ILLEGAL_SASL_STATE = 0, 34
SECRETS = ("alice-secret", "token-secret")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", "")
PACKAGE = "org.apache.kafka.common.security"
SETTINGS = {
    "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
    "listener.name.plaintext.plain.sasl.jaas.config": (
        f'{PACKAGE}.plain.PlainLoginModule required user_alice="alice-secret";'
    ),
    "listener.name.plaintext.oauthbearer.sasl.server.callback.handler.class": (
        f"{PACKAGE}.oauthbearer.OAuthBearerValidatorCallbackHandler"
    ),
    "sasl.oauthbearer.jwks.endpoint.url": JWKS.as_uri(),
    "sasl.oauthbearer.expected.audience": "kafka",
    "sasl.oauthbearer.expected.issuer": "https://issuer.example",
    "tidemark.scram.users": "SCRAM-SHA-256=[name=alice,password=alice-secret]",
    "delegation.token.secret.key": "token-secret",
    "connection.failed.authentication.delay.ms": "0",
}
# No login that a mutation of one of these could complete: the users, keys and passwords are wrong.
TOKENS = (
    b"",
    b"\x01",
    plain("alice", "wrong"),
    plain("", "", "alice"),
    b"n,,n=alice,r=nonce",
    b"n,,n=alice,r=nonce,tokenauth=true",
    b"n,a=alice,n=alice,r=nonce",
    b"c=biws,r=nonce,p=AAAA",
    first_message(signed(claims(), "other")),
    first_message(signed(claims(exp=1, iat=0))),
    first_message(unsecured(claims())),
    first_message("abc", "alice", "key=value\x01"),
)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path_factory.mktemp("sasl"), SETTINGS)
    running.start()
    yield running
    running.stop()


def mutated(draw: random.Random, data: bytes) -> bytes:
    """Return the bytes with a few of them changed, inserted, removed or repeated."""
    out = bytearray(data)
    for _ in range(draw.choice((0, 1, 1, 2, 8))):
        pos = draw.randrange(len(out) + 1)
        kind = draw.randrange(4)
        if kind == 0 and pos < len(out):
            out[pos] = draw.randrange(256)
        elif kind == 1:
            out[pos:pos] = draw.randbytes(draw.choice((1, 2, 100)))
        elif kind == 2:
            del out[pos : pos + draw.choice((1, 4, 50))]
        else:
            out[pos:pos] = out[: draw.choice((1, 10, 1000))]
    return bytes(out)


def frames(draw: random.Random) -> bytes:
    """Return what a client sends in place of a login."""
    sent = bytearray()
    with_headers = draw.random() < 0.7
    if draw.random() < 0.9:
        name, version, fields = handshake(draw.choice(MECHANISMS), int(with_headers))
        sent += request(name, version, fields)
    for _ in range(draw.randrange(FRAMES_MAX)):
        token = mutated(draw, draw.choice(TOKENS))
        if with_headers:
            name, version, fields = authenticate(token, draw.randrange(3))
            sent += request(name, version, fields)
        else:
            sent += sized(token)
    if draw.random() < 0.3:
        sent = bytearray(mutated(draw, bytes(sent)))
    return bytes(sent)


def is_served(bootstrap: str, sent: bytes) -> bool:
    """Return whether a request is served after these bytes. The connection may be closed instead."""
    with Connection(bootstrap) as client:
        number = 4711
        last = request("DescribeCluster", 0, {}, number)
        try:
            client.send(sent + last)
            client.socket.shutdown(socket.SHUT_WR)
            while True:
                frame = client.answer()
                if frame.startswith(pack(">i", number)):
                    code = response("DescribeCluster", 0, frame).error_code
                    assert code in (NONE, ILLEGAL_SASL_STATE)
                    return bool(code == NONE)
        except ConnectionError:
            return False


def log_in(bootstrap: str) -> None:
    """Log in and create a delegation token."""
    with Connection(bootstrap) as client:
        for name, version, fields in (
            handshake(),
            authenticate(plain("alice", "alice-secret")),
            create_token(),
        ):
            told = client.ask(name, version, from_dict(f"{name}Request", fields))
            assert told.error_code == NONE


def test_mutated_logins_are_refused_and_disturb_nobody(broker: BrokerProcess) -> None:
    seed = int(os.environ.get("SEED") or random.randrange(2**32))
    print(f"SEED={seed} repeats this run")
    draw = random.Random(seed)
    for number in range(CONNECTIONS):
        sent = frames(draw)
        assert not is_served(broker.bootstrap, sent), sent.hex()
        if number % HEALTHY_EVERY == 0:
            log_in(broker.bootstrap)
    log_in(broker.bootstrap)
    said = broker.said()
    assert "a request failed" not in said
    assert "Traceback" not in said
    assert not [secret for secret in SECRETS if secret in said]
