"""New partitions, as the accepted text of KIP-1327 defines them: created after the group."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.groups.consumer_story import ConsumerStory
from tests.unit.broker.story import START_MS
from tidemark.config import Config
from tidemark.core.decision import Record
from tidemark.metadata.model import CREATION_UNKNOWN
from tidemark_protocol.records.consumer_group_metadata import (
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
)

HOUR_MS = 3_600_000
V2 = 2


def full(story: ConsumerStory, member_id: str, epoch: int, version: int = V2, **owns: range) -> Any:
    """A heartbeat to which the coordinator responds with the whole assignment."""
    return story.beat(
        member_id,
        epoch,
        version=version,
        owns=owns,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["c"],
    )


def epoch_records(story: ConsumerStory) -> list[ConsumerGroupMetadataValue | None]:
    return [record.value for record in story.log if isinstance(record.key, ConsumerGroupMetadataKey)]


@pytest.mark.parametrize(
    ("created_ms", "is_new"),
    [(START_MS - 1, False), (START_MS, False), (START_MS + 1, True), (CREATION_UNKNOWN, False)],
)
def test_partition_is_new_if_it_was_created_after_the_group(created_ms: int, is_new: bool) -> None:
    story = ConsumerStory({"c": 2})
    assert story.new(story.join("m1", version=V2)) == {"c": []}
    story.passes(HOUR_MS)
    story.add_partition("c", created_ms)
    response = full(story, "m1", 2, c=range(2))
    assert story.shown(response) == (3, {"c": [0, 1, 2]})
    assert story.new(response) == {"c": [2] if is_new else []}


def test_partition_stays_new_for_every_member_that_gets_it() -> None:
    story = ConsumerStory({"c": 2})
    story.join("m1", version=V2)
    story.passes(HOUR_MS)
    story.add_partition("c", story.wall_ms)
    full(story, "m1", 2, c=range(2))
    story.beat("m1", -1)
    story.passes(HOUR_MS)
    assert story.new(story.join("m2", version=V2)) == {"c": [2]}


@pytest.mark.parametrize("version", [0, 1])
def test_no_partition_is_called_new_before_version_2(version: int) -> None:
    story = ConsumerStory({"c": 1})
    story.join("m1")
    story.add_partition("c", START_MS + 1)
    assert story.new(full(story, "m1", 2, version, c=range(1))) == {"c": []}


def test_every_epoch_record_has_the_time_of_the_first() -> None:
    story = ConsumerStory({"c": 2})
    story.join("m1")
    story.passes(HOUR_MS)
    story.join("m2")
    story.beat("m1", -1)
    story.beat("m2", -1)
    found = [value.creation_time_ms for value in epoch_records(story) if value is not None]
    assert found == [START_MS] * 4


def test_time_of_a_group_whose_members_only_have_a_regular_expression_is_that_of_the_first_match() -> None:
    story = ConsumerStory({"c": 2})
    story.join("m1", None, subscribed_topic_regex="c.*")
    assert epoch_records(story) == []
    story.passes(5)
    story.resolve()
    assert story.group.created_ms == START_MS + 5


def test_no_partition_is_new_in_a_group_without_a_creation_time() -> None:
    story = ConsumerStory({"c": 2})
    older = Record(ConsumerGroupMetadataKey("g"), ConsumerGroupMetadataValue(7))
    story.groups.replay(older)
    story.add_partition("c", START_MS + HOUR_MS)
    assert story.new(story.join("m1", version=V2)) == {"c": []}
    assert [value.creation_time_ms for value in epoch_records(story) if value] == [CREATION_UNKNOWN]


def test_group_that_was_deleted_has_a_new_creation_time() -> None:
    story = ConsumerStory({"c": 2})
    story.join("m1")
    story.beat("m1", -1)
    story.passes(HOUR_MS)
    for record in story.group.tombstones():
        story.groups.replay(record)
    story.join("m2")
    assert story.group.created_ms == START_MS + HOUR_MS


@pytest.mark.parametrize(("release", "written"), [("", True), ("4.3", False), ("3.9", False)])
def test_only_a_broker_without_a_release_writes_creation_times(release: str, written: bool) -> None:
    story = ConsumerStory({"c": 2})
    story.groups.settings = Config(
        {"tidemark.as": release, "group.coordinator.rebalance.protocols": "classic,consumer"}
    )
    story.join("m1")
    story.beat("m1", -1)
    expected = START_MS if written else CREATION_UNKNOWN
    assert [value.creation_time_ms for value in epoch_records(story) if value] == [expected] * 2
