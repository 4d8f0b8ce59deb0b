"""Responses are compared with Kafka's in tests/conformance/cases/delegation_tokens.py."""

from __future__ import annotations

from tests.unit.broker.token_story import HOUR_MS, TokenStory

NOT_FOUND, EXPIRED = 62, 66


def test_negative_period_removes_the_token() -> None:
    story = TokenStory()
    token = story.new()
    assert story.expire(token.hmac).expiry_timestamp_ms == story.wall_ms
    assert story.known() == []
    assert story.expire(token.hmac).error_code == NOT_FOUND
    assert story.restarted().delegation_tokens == {}


def test_other_period_moves_the_expiry() -> None:
    story = TokenStory()
    token = story.new()
    assert story.expire(token.hmac, 2 * HOUR_MS).expiry_timestamp_ms == story.wall_ms + 2 * HOUR_MS
    story.wall_ms += 2 * HOUR_MS + 1
    assert story.expire(token.hmac, HOUR_MS).error_code == EXPIRED
    assert story.expire(token.hmac).error_code == 0
