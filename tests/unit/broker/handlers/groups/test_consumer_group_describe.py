"""ConsumerGroupDescribe. tests/unit/broker/groups/test_kafka_directory.py compares it with Kafka."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.groups.test_read_only_groups import STABLE, a_story, group, member
from tests.unit.broker.story import finished
from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import Record
from tidemark.handlers.groups.consumer_group_describe import consumer_group_describe
from tidemark_protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    DescribedGroup,
)
from tidemark_protocol.records.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from tidemark_protocol.records.consumer_group_member_metadata import ConsumerGroupMemberMetadataKey
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord

INVALID_GROUP_ID, NOT_COORDINATOR, TOPIC_AUTHORIZATION_FAILED = 24, 16, 29
GROUP_AUTHORIZATION_FAILED, UNSUPPORTED_VERSION, GROUP_ID_NOT_FOUND = 30, 35, 69
NOT_ASKED = -(2**31)
EVERYTHING = 3400


def describe(
    story: GroupStory, *names: str, version: int = 1, operations: bool = False, **how: Any
) -> list[DescribedGroup]:
    request = ConsumerGroupDescribeRequest(list(names), operations)
    described: list[DescribedGroup] = story.ask(consumer_group_describe, request, version, **how).groups
    return described


def test_an_error_has_its_message_and_no_other_field() -> None:
    story = a_story(*STABLE)
    story.commit("classic")
    assert describe(story, "nobody") == [
        DescribedGroup(GROUP_ID_NOT_FOUND, "Group nobody not found.", "nobody")
    ]
    assert describe(story, "classic") == [
        DescribedGroup(GROUP_ID_NOT_FOUND, "Group classic is not a consumer group.", "classic")
    ]
    assert [each.group_id for each in describe(story, "g", "")] == ["", "g"]
    assert describe(story, "") == [DescribedGroup(INVALID_GROUP_ID, None, "")]


def test_a_group_in_a_partition_that_is_not_served_is_refused() -> None:
    story = a_story(*STABLE)
    story.groups.failed(0)
    assert describe(story, "g") == [DescribedGroup(NOT_COORDINATOR, None, "g")]


def test_an_empty_group_has_its_epochs_and_kafkas_assignor() -> None:
    assert describe(a_story(group(7)), "g") == [
        DescribedGroup(0, None, "g", "Empty", 7, 1, "uniform", [], NOT_ASKED)
    ]


def test_a_member_lists_its_partitions_of_existing_topics() -> None:
    story = a_story(*STABLE)
    owned = [TopicPartitions(story.topic_id("orders"), [2, 0]), TopicPartitions(bytes(15) + b"\x09", [1])]
    key = ConsumerGroupCurrentMemberAssignmentKey("g", "m")
    story.groups.replay(Record(key, ConsumerGroupCurrentMemberAssignmentValue(2, 1, 0, owned)))
    (described,) = describe(story, "g")
    (shown,) = described.members
    assert [(each.topic_name, each.partitions) for each in shown.assignment.topic_partitions] == [
        ("orders", [2, 0])
    ]
    assert (shown.member_epoch, shown.subscribed_topic_names, shown.subscribed_topic_regex) == (
        2, ["orders"], "",
    )  # fmt: skip


def test_authorized_operations_are_included_on_request_of_the_group() -> None:
    story = a_story(*STABLE)
    assert [each.authorized_operations for each in describe(story, "g", operations=True)] == [EVERYTHING]
    assert [each.authorized_operations for each in describe(story, "x", operations=True)] == [NOT_ASKED]


def test_describe_is_required_on_the_group_and_its_assigned_topics() -> None:
    """As in Kafka, a topic that no member has been assigned is not checked."""
    story = a_story(*STABLE, group(2, "h"), member("payments", name="h"))

    def no_group(operation: int, kind: int, name: str) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.GROUP, "h")

    def no_topic(operation: int, kind: int, name: str) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.TOPIC, "payments")

    assert [(each.group_id, each.error_code) for each in describe(story, "g", "h", allowed=no_group)] == [
        ("h", GROUP_AUTHORIZATION_FAILED),
        ("g", 0),
    ]
    assert [each.error_code for each in describe(story, "h", allowed=no_topic)] == [0]
    owned = [TopicPartitions(story.topic_id("payments"), [0])]
    key = ConsumerGroupCurrentMemberAssignmentKey("h", "m")
    story.groups.replay(Record(key, ConsumerGroupCurrentMemberAssignmentValue(2, 1, 0, [], owned)))
    (refused,) = describe(story, "h", allowed=no_topic)
    why = "The group has described topic(s) that the client is not authorized to describe."
    assert refused == DescribedGroup(TOPIC_AUTHORIZATION_FAILED, why, "h")


def test_refused_groups_are_first_and_then_the_one_without_a_name() -> None:
    def no_group(operation: int, kind: int, name: str) -> bool:
        return name != "h"

    described = describe(a_story(*STABLE), "g", "", "nobody", "h", "g", allowed=no_group)
    assert [(each.group_id, each.error_code) for each in described] == [
        ("h", GROUP_AUTHORIZATION_FAILED),
        ("", INVALID_GROUP_ID),
        ("g", 0),
        ("nobody", GROUP_ID_NOT_FOUND),
        ("g", 0),
    ]


def test_without_the_consumer_protocol_every_group_is_refused() -> None:
    refused = [DescribedGroup(UNSUPPORTED_VERSION, None, "g"), DescribedGroup(UNSUPPORTED_VERSION, None, "")]
    story = a_story(*STABLE)
    story.cluster.replay(Record(None, FeatureLevelRecord("group.version", 0)))
    assert describe(story, "g", "", operations=True) == refused
    assert describe(GroupStory(group_coordinator_rebalance_protocols=("classic",)), "g", "") == refused


def test_a_large_group_is_described_in_steps_as_of_one_moment() -> None:
    names = [f"m{number}" for number in range(100)]
    story = a_story(group(2), *(member("orders", member_id=name) for name in names))
    ctx = story.context(1)
    steps = consumer_group_describe(story.groups, ctx, ConsumerGroupDescribeRequest(["g"]))
    for _ in range(50):
        next(steps)
    leaving = ConsumerGroupMemberMetadataKey("g", "m99")
    story.groups.replay(Record(ConsumerGroupCurrentMemberAssignmentKey("g", "m99"), None))
    story.groups.replay(Record(leaving, None))
    (described,) = finished(steps).groups
    assert [each.member_id for each in described.members] == names
