"""ListGroups."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.group_story import GroupStory
from tidemark.core.context import CLUSTER_NAME, Operation, ResourceType
from tidemark.groups.state import Groups
from tidemark.handlers.groups.list_groups import list_groups
from tidemark_protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse

COORDINATOR_LOAD_IN_PROGRESS = 14


def ask(
    story: GroupStory, states: tuple[str, ...] = (), types: tuple[str, ...] = (), **how: Any
) -> list[str]:
    response: ListGroupsResponse = story.ask(
        list_groups, ListGroupsRequest(list(states), list(types)), 5, **how
    )
    assert response.error_code == 0
    return [group.group_id for group in response.groups]


def a_story() -> GroupStory:
    story = GroupStory()
    story.commit("simple")
    story.a_stable_group("stable")
    story.join_group("syncing")
    return story


@pytest.mark.parametrize(
    ("states", "listed"),
    [
        (("Stable",), ["stable"]),
        (("stable", "EMPTY"), ["simple", "stable"]),
        (("  Empty ",), ["simple"]),
        (("Nonsense",), []),
        (("",), []),
        (("Nonsense", "completingrebalance"), ["syncing"]),
    ],
)
def test_states_are_compared_trimmed_and_without_case(states: tuple[str, ...], listed: list[str]) -> None:
    assert ask(a_story(), states) == listed


def test_describe_on_the_cluster_shows_groups_that_may_not_be_described() -> None:
    def allowed(operation: int, resource: int, name: str) -> bool:
        return (operation, resource, name) == (Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME)

    assert len(ask(a_story(), allowed=allowed)) == 3


def test_without_describe_on_the_cluster_only_permitted_groups_are_listed() -> None:
    def allowed(operation: int, resource: int, name: str) -> bool:
        return (operation, resource, name) == (Operation.DESCRIBE, ResourceType.GROUP, "stable")

    assert ask(a_story(), allowed=allowed) == ["stable"]


def test_while_a_partition_loads_the_response_is_an_error() -> None:
    story = GroupStory()
    story.groups = Groups()
    story.groups.serve(2)
    story.groups.loaded(0, story.now)
    response = story.ask(list_groups, ListGroupsRequest(), 5)
    assert response == ListGroupsResponse(0, COORDINATOR_LOAD_IN_PROGRESS, [])


def test_groups_of_a_failed_partition_are_left_out_without_an_error() -> None:
    story = GroupStory(partitions=50)
    story.commit("my-group")
    story.commit("connect-cluster")
    story.groups.failed(12)
    assert ask(story) == ["connect-cluster"]
