from __future__ import annotations

from base64 import b64encode

import pytest

from tests.conformance.build_sasl import ScramClient
from tests.unit.broker.token_story import HOUR_MS, TokenStory
from tidemark.security.mechanisms import sasl_listener
from tidemark.security.sasl import InvalidCredentials, KeysNeeded
from tidemark.security.scram import Scram
from tidemark.settings.sasl import SaslSettings

SASL = sasl_listener(SaslSettings(("SCRAM-SHA-256", "SCRAM-SHA-512")))
TOKEN = ",tokenauth=true"


def login(story: TokenStory, token_id: str, password: str, extension: str = TOKEN) -> Scram:
    exchange = SASL.mechanisms["SCRAM-SHA-256"](story.context(0))
    assert isinstance(exchange, Scram)
    client = ScramClient("SCRAM-SHA-256", token_id, password, extension)
    try:
        first = exchange.evaluate(client.first(), story.wall_ms)
    except KeysNeeded as needed:
        needed.keep(needed.derive())
        first = exchange.evaluate(client.first(), story.wall_ms)
    assert client.accepts(exchange.evaluate(client.final(first), story.wall_ms))
    return exchange


def test_token_logs_in_as_its_owner_until_it_expires() -> None:
    story = TokenStory()
    token = story.new(owner="bob")
    exchange = login(story, token.token_id, b64encode(token.hmac).decode())
    assert (exchange.user, exchange.by_token) == ("bob", True)
    assert exchange.expires_ms == story.wall_ms + HOUR_MS


def test_renewed_token_logs_in_with_its_new_expiry() -> None:
    story = TokenStory()
    token = story.new()
    password = b64encode(token.hmac).decode()
    login(story, token.token_id, password)
    story.wall_ms += 1000
    story.renew(token.hmac)
    assert login(story, token.token_id, password).expires_ms == story.wall_ms + HOUR_MS


@pytest.mark.parametrize("extension", ["", ",tokenauth=false", ",tokenauth="])
def test_token_needs_the_extension(extension: str) -> None:
    story = TokenStory()
    token = story.new()
    with pytest.raises(InvalidCredentials):
        login(story, token.token_id, b64encode(token.hmac).decode(), extension)


def test_removed_token_cannot_log_in() -> None:
    story = TokenStory()
    token = story.new()
    login(story, token.token_id, b64encode(token.hmac).decode())
    story.expire(token.hmac)
    with pytest.raises(InvalidCredentials):
        login(story, token.token_id, b64encode(token.hmac).decode())


def test_secrets_of_removed_tokens_are_forgotten() -> None:
    story = TokenStory()
    for _ in range(1100):
        story.expire(story.new().hmac)
    assert len(story.cluster.token_keys._hmacs) <= 1001
