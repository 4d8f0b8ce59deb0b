"""DescribeGroups."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.group_story import GroupStory
from tidemark.core.context import Operation, ResourceType
from tidemark.handlers.groups.describe_groups import describe_groups
from tidemark_protocol.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)

NONE, NOT_COORDINATOR, GROUP_AUTHORIZATION_FAILED, GROUP_ID_NOT_FOUND = 0, 16, 30, 69
NOT_ASKED = -(2**31)
EVERYTHING = 3400


def describe(
    story: GroupStory, *names: str, version: int = 5, operations: bool = False, **how: Any
) -> list[DescribedGroup]:
    response: DescribeGroupsResponse = story.ask(
        describe_groups, DescribeGroupsRequest(list(names), operations), version, **how
    )
    return response.groups


def test_while_the_leader_is_awaited_members_are_listed_without_metadata() -> None:
    story = GroupStory()
    member_id = story.join_group("readers")
    member = DescribedGroupMember(member_id, None, "client", "/127.0.0.1", b"", b"")
    assert describe(story, "readers") == [
        DescribedGroup(NONE, None, "readers", "CompletingRebalance", "consumer", "", [member])
    ]


def test_a_group_that_may_not_be_described_is_refused_before_the_others() -> None:
    story = GroupStory()
    story.commit("mine")
    response = describe(
        story,
        "mine",
        "theirs",
        version=6,
        operations=True,
        allowed=lambda operation, resource, name: (
            (operation, resource, name) == (Operation.DESCRIBE, ResourceType.GROUP, "mine")
        ),
    )
    assert response == [
        DescribedGroup(GROUP_AUTHORIZATION_FAILED, None, "theirs", "", ""),
        DescribedGroup(NONE, None, "mine", "Empty", authorized_operations=1 << Operation.DESCRIBE),
    ]


def test_refused_groups_are_listed_in_the_order_of_the_request() -> None:
    names = [f"g{number}" for number in range(8)]
    story = GroupStory(partitions=4)
    response = describe(story, *names, *names[::-1], version=6, allowed=lambda *_: False)
    assert [group.group_id for group in response] == [*names, *names[::-1]]


def test_a_repeated_name_is_described_twice_and_the_empty_name_is_valid() -> None:
    assert [group.group_id for group in describe(GroupStory(), "a", "", "a")] == ["a", "", "a"]


def test_authorized_operations_are_included_on_request() -> None:
    story = GroupStory()
    story.commit("readers")

    def told(version: int) -> list[int]:
        response = describe(story, "readers", "nobody", version=version, operations=True)
        return [group.authorized_operations for group in response]

    assert told(5) == [EVERYTHING, EVERYTHING]
    assert told(6) == [EVERYTHING, NOT_ASKED]
    assert [group.authorized_operations for group in describe(story, "readers")] == [NOT_ASKED]


def test_before_the_offsets_topic_exists_there_is_no_coordinator() -> None:
    unserved = GroupStory(partitions=0)
    assert describe(unserved, "readers", operations=True) == [
        DescribedGroup(NOT_COORDINATOR, None, "readers")
    ]
