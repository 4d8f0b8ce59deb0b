"""LeaveGroup."""

from __future__ import annotations

import pytest

from tests.unit.broker.groups.classic_story import ClassicStory, a_stable_group
from tidemark.core.decision import Record
from tidemark.groups.classic.member import ClassicGroupState
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.leave_group import LeaveGroupResponse, MemberResponse
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue


def leave_response(*members: MemberResponse, code: ErrorCode = ErrorCode.NONE) -> LeaveGroupResponse:
    return LeaveGroupResponse(0, code, list(members))


def left(member_id: str, instance_id: str | None = None) -> MemberResponse:
    return MemberResponse(member_id, instance_id, ErrorCode.NONE)


def unknown(member_id: str, instance_id: str | None = None) -> MemberResponse:
    return MemberResponse(member_id, instance_id, ErrorCode.UNKNOWN_MEMBER_ID)


def test_a_group_that_may_not_be_read_is_refused_without_members() -> None:
    story = ClassicStory()
    story.forbid("")
    assert story.leave("m", group_id="") == leave_response(code=ErrorCode.GROUP_AUTHORIZATION_FAILED)


def test_an_empty_group_id_is_invalid() -> None:
    assert ClassicStory().leave("m", group_id="") == leave_response(code=ErrorCode.INVALID_GROUP_ID)


def test_without_the_offsets_topic_this_broker_coordinates_no_group() -> None:
    assert ClassicStory(partitions=0).leave("m") == leave_response(code=ErrorCode.NOT_COORDINATOR)


@pytest.mark.parametrize("version", [0, 2])
def test_before_v3_the_error_of_the_member_is_that_of_the_response(version: int) -> None:
    story = ClassicStory()
    assert story.leave("m", version=version) == leave_response(code=ErrorCode.UNKNOWN_MEMBER_ID)
    (member,) = a_stable_group(story)
    assert story.leave(member, version=version) == leave_response()


def test_a_member_that_is_named_twice_is_unknown_the_second_time() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    assert story.leave(member, member) == leave_response(left(member), unknown(member))


def test_an_instance_that_has_just_left_is_unknown_and_fences_no_member() -> None:
    story = ClassicStory()
    first = story.join(instance_id="one").member_id
    second = story.join(instance_id="one").member_id
    assert story.leave((second, "one"), (first, "one"), ("", "one")) == leave_response(
        left(second, "one"), unknown(first, "one"), unknown("", "one")
    )


def test_a_static_member_is_removed_by_its_instance_alone() -> None:
    story = ClassicStory()
    story.join(instance_id="one")
    assert story.leave(("", "one"), ("", "two"), ("", None)) == leave_response(
        left("", "one"), unknown("", "two"), unknown("")
    )
    assert story.status() is ClassicGroupState.EMPTY


def test_a_pending_id_can_leave() -> None:
    story = ClassicStory()
    pending = story.join().member_id
    assert story.leave(pending) == leave_response(left(pending))
    assert story.group().pending == {}
    assert (story.status(), story.group().generation) == (ClassicGroupState.EMPTY, 0)


def test_the_last_leave_empties_the_group_in_one_call() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    story.advance(500)
    story.leave(member)
    assert story.status() is ClassicGroupState.EMPTY
    assert story.log[-1] == Record(
        GroupMetadataKey("g"), GroupMetadataValue("consumer", 2, None, None, story.wall_ms, [])
    )
    assert story.group().subscribed_topics == frozenset()


def test_the_parked_sync_of_a_removed_member_gets_unknown_member_id() -> None:
    """Kafka 4.3.1 never responds, and the connection hangs until the client gives up."""
    story = ClassicStory()
    leader = story.enter()
    follower = story.enter()
    story.join(leader.member_id)
    parked = story.sync(follower.member_id, 2)
    story.leave(follower.member_id)
    assert parked.error is ErrorCode.UNKNOWN_MEMBER_ID
