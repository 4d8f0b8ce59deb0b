"""StreamsGroupDescribe. Expected responses are those that Apache Kafka 4.3.1 gave in recorded cases."""

from __future__ import annotations

from tests.kafka_oracle import NEWEST
from tests.unit.broker.groups.streams_story import GROUP, TOPIC, StreamsStory, recorded
from tidemark.core.context import Operation, ResourceType

API = "StreamsGroupDescribe v0"


def test_group_is_described_as_in_kafka() -> None:
    story = StreamsStory()
    story.join()
    assert story.describe() == recorded("streams_member_joins_and_leaves", API)[0]


def test_groups_that_cannot_be_described_come_with_an_error() -> None:
    story = StreamsStory(2)
    story.join()
    assert story.commit("group5", TOPIC) == 0
    kafkas, with_operations = recorded("streams_groups_are_described", API)[:2]
    expected = [each for each in kafkas["Groups"] if each["GroupId"] not in ("group4", "group6")]
    assert story.describe(["", GROUP, "group5", "group7"])["Groups"] == expected
    assert story.describe(operations=True) == with_operations


def test_permissions() -> None:
    story = StreamsStory()
    story.join()

    def no_group(operation: int, kind: int, name: str | None) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.GROUP, GROUP)

    def no_topic(operation: int, kind: int, name: str | None) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.TOPIC, TOPIC)

    refused = recorded("permissions_on_a_streams_group", API)[1]["Groups"][0]
    assert story.describe(allowed=no_group)["Groups"] == [{**refused, "GroupId": GROUP}]
    refused = recorded("permissions_on_topics_of_a_streams_group", API)[0]["Groups"][0]
    assert story.describe(allowed=no_topic)["Groups"] == [{**refused, "GroupId": GROUP}]


def test_streams_groups_need_their_feature() -> None:
    story = StreamsStory()
    story.set_level(0)
    assert story.describe([GROUP, ""]) == recorded("streams_groups_are_not_enabled", API)[0]


def test_description_of_a_topology_is_not_stored() -> None:
    story = StreamsStory()
    story.join()
    expected = recorded("streams_groups_are_described_in_version_1", "StreamsGroupDescribe v1", NEWEST)[1]
    (of_kafka,) = [each for each in expected["Groups"] if each["GroupId"] == GROUP]
    (found,) = story.describe(description=True, version=1)["Groups"]
    for field in ("TopologyDescription", "TopologyDescriptionStatus", "AssignorName"):
        assert found[field] == of_kafka[field]
