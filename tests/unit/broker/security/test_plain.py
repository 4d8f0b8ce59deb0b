from __future__ import annotations

import pytest

from tests.conformance.build_sasl import plain
from tidemark.security.sasl import AuthenticationRefused, Plain

NOW_MS = 1_800_000_000_000

USERS = {"alice": "alice-secret", "zoë": "pässword"}


@pytest.mark.parametrize("user", USERS)
def test_user_with_the_right_password_is_authenticated(user: str) -> None:
    exchange = Plain(USERS)
    assert exchange.evaluate(plain(user, USERS[user]), NOW_MS) == b""
    assert exchange.user == user


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (plain("alice", "wrong"), "Authentication failed: Invalid username or password"),
        (plain("bob", "alice-secret"), "Authentication failed: Invalid username or password"),
        (plain("", "x"), "Authentication failed: username not specified"),
        (plain("alice", ""), "Authentication failed: password not specified"),
        (b"alice", "Invalid SASL/PLAIN response: expected 3 tokens, got 1"),
        (b"\0" * 10, "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
    ],
)
def test_other_token_is_refused_with_kafkas_text(token: bytes, text: str) -> None:
    exchange = Plain(USERS)
    with pytest.raises(AuthenticationRefused) as refused:
        exchange.evaluate(token, NOW_MS)
    assert str(refused.value) == text
    assert exchange.user is None
