"""DeleteGroups."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import error_response, finished
from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import Cause, Marker, Record
from tidemark.groups.state import Groups
from tidemark.handlers.groups.delete_groups import delete_groups
from tidemark_protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)
from tidemark_protocol.records.group_metadata import GroupMetadataKey
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

NONE, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, UNKNOWN_MEMBER_ID = 0, 14, 16, 25
UNKNOWN_SERVER_ERROR = -1
GROUP_AUTHORIZATION_FAILED, NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND, MEMBER_ID_REQUIRED = 30, 68, 69, 79


def delete(story: GroupStory, *names: str, **how: Any) -> list[tuple[str, int]]:
    response: DeleteGroupsResponse = story.ask(delete_groups, DeleteGroupsRequest(list(names)), 2, **how)
    return [(each.group_id, each.error_code) for each in response.results]


def test_a_simple_group_is_deleted_in_one_batch_after_its_offsets() -> None:
    story = GroupStory()
    story.commit("readers", "orders", 0)
    story.commit("readers", "payments", 1)
    before = len(story.log)
    assert delete(story, "readers") == [("readers", NONE)]
    assert [(record.key, record.value) for record in story.log[before:]] == [
        (OffsetCommitKey("readers", "orders", 0), None),
        (OffsetCommitKey("readers", "payments", 1), None),
        (GroupMetadataKey("readers"), None),
    ]
    assert story.offsets("readers") == {}
    assert story.groups.offsets.count == 0
    assert story.restarted().groups == {}


def test_the_empty_name_is_a_group_like_any_other() -> None:
    story = GroupStory()
    assert delete(story, "") == [("", GROUP_ID_NOT_FOUND)]
    story.commit("")
    assert delete(story, "") == [("", NONE)]


def test_each_group_needs_delete_and_refused_groups_are_last() -> None:
    story = GroupStory()
    story.commit("mine")
    response = delete(
        story,
        "theirs",
        "mine",
        "nobody",
        allowed=lambda operation, resource, name: (
            (operation, resource) == (Operation.DELETE, ResourceType.GROUP) and name != "theirs"
        ),
    )
    assert response == [
        ("mine", NONE),
        ("nobody", GROUP_ID_NOT_FOUND),
        ("theirs", GROUP_AUTHORIZATION_FAILED),
    ]


def test_refused_groups_are_in_request_order_and_others_by_partition() -> None:
    """The same request was sent to Kafka 4.3.1."""
    story = GroupStory(partitions=50)
    mine = [f"x.{name}" for name in ("g9", "g12", "g7", "g10", "g5")]
    theirs = [f"x.{name}" for name in ("g13", "g6", "g11", "g8", "group4")]
    for name in (*mine, *theirs):
        story.commit(name)
    requested = [
        f"x.{name}"
        for name in ("g13", "g5", "g6", "g7", "g11", "g9", "g8", "group4", "g10", "g12", "g13", "g6")
    ]
    response = delete(story, *requested, allowed=lambda *wanted: wanted[2] not in theirs)
    assert response == [
        *((name, NONE) for name in mine),
        *((name, GROUP_AUTHORIZATION_FAILED) for name in theirs),
    ]


def test_a_refused_group_has_one_result_whether_or_not_it_exists() -> None:
    response = delete(GroupStory(), "theirs", "theirs", allowed=lambda *_: False)
    assert response == [("theirs", GROUP_AUTHORIZATION_FAILED)]
    assert delete(GroupStory(partitions=0), "theirs", allowed=lambda *_: False) == response


def test_a_refused_group_is_kept_while_the_others_are_deleted() -> None:
    story = GroupStory()
    story.commit("theirs")
    story.commit("mine")
    delete(story, "theirs", "mine", allowed=lambda *requested: requested[2] != "theirs")
    assert list(story.groups.groups) == ["theirs"]


def test_delete_on_each_group_is_the_only_permission_checked() -> None:
    """READ of its topics is not required."""
    requested: list[tuple[int, int, str]] = []
    story = GroupStory()
    story.commit("readers")
    delete(story, "readers", "nobody", "readers", allowed=lambda *wanted: requested.append(wanted) is None)
    assert sorted(requested) == [
        (Operation.DELETE, ResourceType.GROUP, "nobody"),
        (Operation.DELETE, ResourceType.GROUP, "readers"),
    ]


def test_pending_offsets_are_deleted_and_keep_no_group() -> None:
    story = GroupStory()
    story.commit("readers", "orders", 0)
    for where in (("orders", 0), ("payments", 1)):
        value = OffsetCommitValue(7, commit_timestamp=story.wall_ms, topic_id=story.topic_id(where[0]))
        story.groups.replay(Record(OffsetCommitKey("readers", *where), value, producer=(1, 0)))
    before = len(story.log)
    assert delete(story, "readers") == [("readers", NONE)]
    assert [record.key for record in story.log[before:]] == [
        OffsetCommitKey("readers", "orders", 0),
        OffsetCommitKey("readers", "payments", 1),
        GroupMetadataKey("readers"),
    ]
    story.groups.replay(Marker(0, 1, 0, committed=True))
    assert story.offsets("readers") == {}


@pytest.mark.slow
def test_a_group_with_more_pending_offsets_than_tombstones_fit_in_a_batch_is_not_deleted() -> None:
    story = GroupStory({"orders": 30_000})
    value = OffsetCommitValue(7, commit_timestamp=story.wall_ms, topic_id=story.topic_id("orders"))
    for partition in range(30_000):
        story.groups.replay(Record(OffsetCommitKey("readers", "orders", partition), value, producer=(1, 0)))
    assert delete(story, "readers") == [("readers", UNKNOWN_SERVER_ERROR)]
    assert "readers" in story.groups.groups


def test_a_removal_has_its_cause() -> None:
    story = GroupStory()
    story.commit("readers", "payments", 1)
    story.commit("stays")
    story.a_stable_group("stays")
    ctx = story.context(2)
    result = finished(delete_groups(story.groups, ctx, DeleteGroupsRequest(["readers", "stays", "nobody"])))
    assert [(each.group, each.topic, each.partition, each.cause) for each in result.removed] == [
        ("readers", "payments", 1, Cause.GROUP_DELETE)
    ]


def test_groups_of_a_partition_that_loads_or_failed_are_refused_separately() -> None:
    story = GroupStory(partitions=50)
    story.groups = Groups()
    story.groups.serve(50)
    story.groups.loaded(13, story.now)
    story.groups.failed(3)
    assert sorted(delete(story, "my-group", "g", "connect-cluster")) == [
        ("connect-cluster", GROUP_ID_NOT_FOUND),
        ("g", NOT_COORDINATOR),
        ("my-group", COORDINATOR_LOAD_IN_PROGRESS),
    ]


def test_a_result_that_is_too_large_for_the_log_is_an_error_on_every_group() -> None:
    assert error_response(DeleteGroupsRequest(["a", "b", "a"]), -1) == DeleteGroupsResponse(
        results=[DeletableGroupResult("a", -1), DeletableGroupResult("b", -1)]
    )
