"""Responses are compared with Kafka's in tests/conformance/cases/delegation_tokens.py."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from tests.unit.broker.token_story import HOUR_MS, TokenStory
from tidemark.settings.broker import BrokerSettings

REQUEST_NOT_ALLOWED = 64
DISABLED = 61


def test_secret_is_the_hmac_of_the_id() -> None:
    token = TokenStory().new()
    assert token.hmac == hmac.new(b"token-secret", token.token_id.encode(), hashlib.sha512).digest()


def test_token_expires_at_the_earlier_of_two_ends() -> None:
    story = TokenStory()
    for asked_ms, expires_ms, last_ms in (
        (-1, HOUR_MS, 4 * HOUR_MS),
        (1000, 1000, 1000),
        (2**63 - 1, HOUR_MS, 4 * HOUR_MS),
    ):
        token = story.new(asked_ms)
        assert token.expiry_timestamp_ms == story.wall_ms + expires_ms
        assert token.max_timestamp_ms == story.wall_ms + last_ms


def test_tokens_survive_a_restart_and_their_records_have_no_secret() -> None:
    story = TokenStory()
    token = story.new(-1, "bob")
    restarted = story.restarted()
    assert restarted.delegation_tokens == story.cluster.delegation_tokens
    assert [*restarted.delegation_tokens] == [token.token_id]
    assert token.hmac.hex() not in repr(story.log)
    assert repr(token.hmac) not in repr(story.log)


@pytest.mark.parametrize(("protocol", "by_token"), [("PLAINTEXT", False), ("SASL_SSL", True)])
def test_client_without_a_login_of_its_own_gets_no_token(protocol: str, by_token: bool) -> None:
    story = TokenStory()
    story.protocol, story.by_token = protocol, by_token
    assert story.new().error_code == REQUEST_NOT_ALLOWED


def test_client_with_a_certificate_gets_a_token() -> None:
    story = TokenStory()
    story.protocol = "SSL"
    assert story.new().error_code == 0
    story.principal = "User:ANONYMOUS"
    assert story.new().error_code == REQUEST_NOT_ALLOWED


@pytest.mark.parametrize("secret_key", [None, ""])
def test_tokens_are_disabled_without_a_key(secret_key: str | None) -> None:
    assert TokenStory(BrokerSettings(delegation_token_secret_key=secret_key)).new().error_code == DISABLED
