"""Responses are compared with Kafka's in tests/conformance/cases/delegation_tokens.py."""

from __future__ import annotations

from tests.unit.broker.token_story import HOUR_MS, TokenStory

NOT_FOUND, OWNER_MISMATCH, EXPIRED = 62, 63, 66


def test_renewed_token_expires_later_but_not_after_its_last_moment() -> None:
    story = TokenStory()
    token = story.new()
    for _ in range(4):
        story.wall_ms += HOUR_MS
        renewed = story.renew(token.hmac)
    assert renewed.expiry_timestamp_ms == token.max_timestamp_ms
    story.wall_ms += 1
    assert story.renew(token.hmac).error_code == EXPIRED


def test_token_that_was_not_renewed_has_expired() -> None:
    story = TokenStory()
    token = story.new()
    story.wall_ms += HOUR_MS
    assert story.renew(token.hmac).error_code == 0
    story.wall_ms += HOUR_MS + 1
    assert story.renew(token.hmac).error_code == EXPIRED


def test_owner_and_renewers_may_renew() -> None:
    story = TokenStory()
    token = story.new(-1, "bob")
    for principal, code in (("User:alice", 0), ("User:bob", 0), ("User:carol", OWNER_MISMATCH)):
        story.principal = principal
        assert story.renew(token.hmac).error_code == code


def test_token_is_found_among_many_by_its_secret() -> None:
    story = TokenStory()
    tokens = [story.new() for _ in range(200)]
    story.cluster.token_keys = None  # as after a restart
    assert story.renew(b"unknown").error_code == NOT_FOUND
    assert all(story.renew(token.hmac).error_code == 0 for token in tokens)
