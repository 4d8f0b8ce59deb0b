from __future__ import annotations

import asyncio

from tests.unit.broker.token_story import HOUR_MS, TokenStory
from tidemark.cleanup.task import remove_expired_tokens
from tidemark_testing.clock import VirtualClock


def sweep(story: TokenStory) -> None:
    clock = VirtualClock(wall_ms=story.wall_ms)
    asyncio.run(remove_expired_tokens(story.cluster, clock, story.accept))


def test_pass_removes_tokens_that_have_expired() -> None:
    story = TokenStory()
    short, long = story.new(1000), story.new()
    story.wall_ms += 1000
    sweep(story)
    assert story.known() == [short.token_id, long.token_id]
    story.wall_ms += 1
    sweep(story)
    assert story.known() == [long.token_id]


def test_pass_removes_many_tokens() -> None:
    story = TokenStory()
    for _ in range(2500):
        story.new()
    story.wall_ms += HOUR_MS + 1
    sweep(story)
    assert story.restarted().delegation_tokens == {}
