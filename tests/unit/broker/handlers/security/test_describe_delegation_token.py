"""Responses are compared with Kafka's in tests/conformance/cases/delegation_tokens.py."""

from __future__ import annotations

from tests.unit.broker.token_story import TokenStory
from tidemark.core.context import Operation, ResourceType


def test_owner_requester_and_renewers_know_a_token() -> None:
    story = TokenStory()
    token = story.new(-1, "bob", owner="carol")
    story.allowed = lambda *_: False
    for principal, known in (("User:alice", 1), ("User:bob", 1), ("User:carol", 1), ("User:dave", 0)):
        story.principal = principal
        assert story.known() == [token.token_id] * known


def test_permission_shows_the_tokens_of_others() -> None:
    story = TokenStory()
    first, second = story.new(), story.new()
    story.principal = "User:dave"
    story.allowed = lambda *asked: (
        asked == (Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN, second.token_id)
    )
    assert story.known() == [second.token_id]
    story.allowed = lambda *asked: asked == (Operation.DESCRIBE_TOKENS, ResourceType.USER, "User:alice")
    assert story.known() == [first.token_id, second.token_id]
    assert story.known("bob") == []
