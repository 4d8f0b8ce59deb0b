"""ShareGroupDescribe. Codes and messages are those of Apache Kafka 4.3.1."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.groups.share_story import FIRST, SECOND, A, B, ShareStory
from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import Record
from tidemark.handlers.groups.share_group_describe import share_group_describe
from tidemark_protocol.messages.share_group_describe import (
    DescribedGroup,
    Member,
    ShareGroupDescribeRequest,
    TopicPartitions,
)
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord

INVALID_GROUP_ID, TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED = 24, 29, 30
GROUP_ID_NOT_FOUND = 69
NOT_REQUESTED = -(2**31)


def described(
    story: ShareStory, *group_ids: str, operations: bool = False, **more: Any
) -> list[DescribedGroup]:
    request = ShareGroupDescribeRequest([*group_ids], operations)
    groups: list[DescribedGroup] = story.ask(share_group_describe, request, 1, **more).groups
    return groups


def two_members() -> ShareStory:
    """Return the recorded group at epoch 4: the first member reads a, the second one a and b."""
    story = ShareStory()
    story.beat(FIRST, 0, ["a"], client_id="raw")
    story.initialize()
    story.passes(1000)
    story.beat(FIRST, 2, client_id="raw")
    story.beat(SECOND, 0, ["a", "b", "nope"], client_id="raw")
    story.initialize()
    story.passes(1000)
    story.beat(FIRST, 3, client_id="raw")
    story.beat(SECOND, 3, client_id="raw")
    return story


def test_group_is_described_as_kafka_does() -> None:
    (found,) = described(two_members(), "s")
    assert (found.group_state, found.group_epoch, found.assignment_epoch) == ("Stable", 4, 4)
    assert (found.assignor_name, found.authorized_operations) == ("simple", NOT_REQUESTED)
    first, second = found.members
    assert first.assignment.topic_partitions == [TopicPartitions(A, "a", [2])]
    assert second.assignment.topic_partitions == [
        TopicPartitions(B, "b", [0, 1]),
        TopicPartitions(A, "a", [0, 1]),
    ]
    first.assignment.topic_partitions = second.assignment.topic_partitions = []
    assert first == Member(FIRST, None, 4, "raw", "/127.0.0.1", ["a"])
    assert second == Member(SECOND, None, 4, "raw", "/127.0.0.1", ["a", "b", "nope"])


def test_empty_group_with_operations() -> None:
    story = ShareStory()
    story.beat(FIRST, 0, ["a"])
    story.beat(FIRST, -1)
    (found,) = described(story, "s", operations=True)
    assert (found.group_state, found.group_epoch, found.assignment_epoch) == ("Empty", 3, 2)
    assert (found.members, found.authorized_operations) == ([], 3400)


def test_groups_that_cannot_be_described_come_with_an_error() -> None:
    story = two_members()
    assert story.commit("classic", "a") == 0
    found = described(story, "s", "none", "", "classic", operations=True)
    assert [(each.group_id, each.error_code, each.error_message) for each in found if each.error_code] == [
        ("", INVALID_GROUP_ID, None),
        ("none", GROUP_ID_NOT_FOUND, "Group none not found."),
        ("classic", GROUP_ID_NOT_FOUND, "Group classic is not a share group."),
    ]
    assert {each.authorized_operations for each in found if each.error_code} == {NOT_REQUESTED}


def test_permissions() -> None:
    story = two_members()

    def no_group(operation: int, kind: int, name: str | None) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.GROUP, "s")

    def no_topic(operation: int, kind: int, name: str | None) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.TOPIC, "b")

    (found,) = described(story, "s", allowed=no_group)
    assert (found.error_code, found.error_message) == (GROUP_AUTHORIZATION_FAILED, None)
    (found,) = described(story, "s", allowed=no_topic)
    assert (found.error_code, found.error_message, found.members, found.group_state) == (
        TOPIC_AUTHORIZATION_FAILED,
        "The group has described topic(s) that the client is not authorized to describe.",
        [],
        "",
    )


def test_share_groups_need_their_feature() -> None:
    story = two_members()
    story.cluster.replay(Record(None, FeatureLevelRecord("share.version", 0)))
    assert [each.error_code for each in described(story, "s", "t")] == [35, 35]


def test_thousands_of_topic_names_of_a_member_are_sorted_in_steps() -> None:
    names = [f"topic-{number}" for number in range(5_000)]
    story = ShareStory()
    story.beat(FIRST, 0, names)
    steps = share_group_describe(story.groups, story.context(1), ShareGroupDescribeRequest(["s"]))
    found, count = None, 0
    while found is None:
        try:
            next(steps)
            count += 1
        except StopIteration as done:
            found = done.value
    assert found.groups[0].members[0].subscribed_topic_names == sorted(names)
    assert count > 20
