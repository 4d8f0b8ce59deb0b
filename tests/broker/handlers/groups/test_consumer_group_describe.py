"""ConsumerGroupDescribe. tests/broker/groups/test_kafka_directory.py compares it with Kafka."""

from __future__ import annotations

from typing import Any

from tests.broker.group_story import Story
from tests.broker.groups.test_read_only_groups import STABLE, a_story, group, member
from tidemark.core.context import Operation, ResourceType
from tidemark.core.result import Record
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

INVALID_GROUP_ID, NOT_COORDINATOR, TOPIC_AUTHORIZATION_FAILED = 24, 16, 29
GROUP_AUTHORIZATION_FAILED, GROUP_ID_NOT_FOUND = 30, 69
NOT_ASKED = -(2**31)
EVERYTHING = 3400


def describe(
    story: Story, *names: str, version: int = 1, operations: bool = False, **how: Any
) -> list[DescribedGroup]:
    request = ConsumerGroupDescribeRequest(list(names), operations)
    described: list[DescribedGroup] = story.ask(consumer_group_describe, version, request, **how).groups
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


def test_describe_is_required_on_the_group_and_its_topics() -> None:
    story = a_story(*STABLE, group(2, "h"), member("payments", name="h"))

    def no_group(operation: int, kind: int, name: str) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.GROUP, "h")

    def no_topic(operation: int, kind: int, name: str) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.TOPIC, "payments")

    assert [(each.group_id, each.error_code) for each in describe(story, "g", "h", allowed=no_group)] == [
        ("h", GROUP_AUTHORIZATION_FAILED),
        ("g", 0),
    ]
    (refused,) = describe(story, "h", allowed=no_topic)
    assert refused == DescribedGroup(TOPIC_AUTHORIZATION_FAILED, None, "h")
