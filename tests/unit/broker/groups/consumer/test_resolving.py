from __future__ import annotations

from typing import Final

from tests.unit.broker.groups.consumer_story import ConsumerStory
from tidemark.core.decision import Decision, Record
from tidemark.groups.consumer.group import REFRESH_MS_MIN
from tidemark.groups.consumer.resolving import resolve
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord

TOPICS: Final = 100
EXPRESSIONS: Final = 60
SHORT: Final = "t"
LONG: Final = 200 * "x"  # the names that all expressions match exceed a batch of 1 MiB
REFRESH_MS: Final = 600_000


def beat(story: ConsumerStory, number: int, regex: str) -> None:
    story.beat(f"m{number}", 0, owns={}, rebalance_timeout_ms=60_000, subscribed_topic_regex=regex)


def expression(prefix: str, number: int) -> str:
    return f"{prefix}.*|{number}"


def a_group(prefix: str) -> ConsumerStory:
    """Return a group with a member for each expression, which matches all topics. None is resolved yet."""
    story = ConsumerStory({f"{prefix}{number}": 1 for number in range(TOPICS)})
    for number in range(EXPRESSIONS):
        beat(story, number, expression(prefix, number))
    story.resolutions.clear()  # it had the first expression only
    story.group.resolving = False
    beat(story, 0, expression(prefix, 0))
    assert len(story.resolutions[0].regexes) == EXPRESSIONS
    return story


def test_each_step_writes_the_topics_of_one_expression() -> None:
    story = a_group(SHORT)
    epoch = story.group.group_epoch
    for step in resolve(story.groups, story.resolutions.pop(), story.wall_ms):
        if isinstance(step, Decision):
            assert len(step.records) <= 1
            story.accept(step)
            beat(story, 0, expression(SHORT, 0))
            assert not story.resolutions
    assert {len(each.topics) for each in story.group.regexes.values()} == {TOPICS}
    assert len(story.group.regexes) == EXPRESSIONS
    assert (story.group.group_epoch, story.group.resolving) == (epoch + 1, False)


def test_matches_that_exceed_a_batch_are_not_kept_and_not_repeated() -> None:
    story = a_group(LONG)
    story.resolve()
    assert not story.group.regexes
    assert not story.group.resolving
    for number in range(EXPRESSIONS):
        beat(story, number, expression(LONG, number))
    assert not story.resolutions


def test_matches_that_exceeded_a_batch_are_repeated_after_a_change() -> None:
    story = a_group(LONG)
    story.resolve()
    story.create_topic("other", 1, story.wall_ms)
    beat(story, 0, expression(LONG, 0))
    assert len(story.resolutions) == 1
    story.resolve()
    beat(story, 1, "another")
    assert len(story.resolutions) == 1
    story.resolve()
    story.passes(REFRESH_MS + 1)
    beat(story, 0, expression(LONG, 0))
    assert len(story.resolutions) == 1


def test_the_group_recovers_if_the_matches_fit_later() -> None:
    story = a_group(LONG)
    story.resolve()
    for number in range(1, TOPICS):
        story.cluster.replay(Record(None, RemoveTopicRecord(story.topic_id(f"{LONG}{number}"))))
    story.passes(REFRESH_MS_MIN)
    beat(story, 0, expression(LONG, 0))
    story.resolve()
    assert len(story.group.regexes) == EXPRESSIONS
    assert story.group.oversized is None
