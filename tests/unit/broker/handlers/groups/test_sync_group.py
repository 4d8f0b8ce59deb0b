"""SyncGroup."""

from __future__ import annotations

import pytest

from tests.unit.broker.groups.classic_story import (
    EVERYTHING,
    REBALANCE_MS,
    SESSION_MS,
    ClassicStory,
    a_stable_group,
)
from tidemark.core.decision import Record
from tidemark.groups.classic.member import ClassicGroupState
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.sync_group import SyncGroupResponse
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata


def refusal(code: ErrorCode) -> SyncGroupResponse:
    return SyncGroupResponse(0, code, None, None, b"")


def a_joined_group(story: ClassicStory) -> tuple[str, str]:
    """Return leader and follower, who must sync generation 2."""
    leader = story.enter()
    follower = story.enter()
    story.join(leader.member_id)
    assert story.status() is ClassicGroupState.COMPLETING_REBALANCE
    return leader.member_id, follower.member_id


@pytest.mark.parametrize(("protocol_type", "protocol"), [(None, "range"), ("consumer", None)])
def test_from_v5_protocol_type_and_name_are_checked_first(
    protocol_type: str | None, protocol: str | None
) -> None:
    story = ClassicStory()
    story.forbid("")
    pending = story.sync("m", 1, group_id="", protocol_type=protocol_type, protocol=protocol)
    assert pending.response == refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def test_read_permission_on_the_group_is_checked_second() -> None:
    story = ClassicStory()
    story.forbid("")
    assert story.sync("m", 1, group_id="").response == refusal(ErrorCode.GROUP_AUTHORIZATION_FAILED)


def test_an_empty_group_id_is_invalid() -> None:
    assert ClassicStory().sync("m", 1, group_id="").response == refusal(ErrorCode.INVALID_GROUP_ID)


def test_without_the_offsets_topic_this_broker_coordinates_no_group() -> None:
    assert ClassicStory(partitions=0).sync("m", 1).response == refusal(ErrorCode.NOT_COORDINATOR)


def test_a_group_that_is_unknown_has_no_member() -> None:
    assert ClassicStory().sync("m", 1).response == refusal(ErrorCode.UNKNOWN_MEMBER_ID)


def test_another_generation_is_illegal_and_is_checked_before_the_protocol() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    assert story.sync(member, 7, protocol="sticky").error is ErrorCode.ILLEGAL_GENERATION


@pytest.mark.parametrize(
    ("protocol_type", "protocol"),
    [("connect", "range"), ("consumer", "sticky"), ("", "range"), ("consumer", "")],
)
def test_another_protocol_is_inconsistent(protocol_type: str, protocol: str) -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    pending = story.sync(member, 1, protocol_type=protocol_type, protocol=protocol)
    assert pending.response == refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def test_before_v5_the_protocol_is_not_checked() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    assert story.sync(member, 1, version=4).error is ErrorCode.NONE


def test_before_the_first_election_any_protocol_name_is_accepted() -> None:
    story = ClassicStory(initial_rebalance_delay_ms=1_000)
    story.join(instance_id="one")
    (member_id,) = story.group().members
    assert story.sync(member_id, 0, version=5, protocol="any").error is ErrorCode.REBALANCE_IN_PROGRESS


def test_the_record_of_a_leaders_sync_has_the_start_time_of_the_generation() -> None:
    story = ClassicStory()
    leader, follower = a_joined_group(story)
    began_ms = story.wall_ms
    story.advance(250)
    story.sync(leader, 2, {leader: b"L", "stranger": b"S"})
    member = ("client", "/127.0.0.1", REBALANCE_MS, SESSION_MS, EVERYTHING["range"])
    assert story.log[-1] == Record(
        GroupMetadataKey("g"),
        GroupMetadataValue(
            "consumer",
            2,
            "range",
            leader,
            began_ms,
            [MemberMetadata(leader, None, *member, b"L"), MemberMetadata(follower, None, *member, b"")],
        ),
    )
    assert story.group().state_since_ms == story.wall_ms == began_ms + 250


def test_a_follower_writes_nothing() -> None:
    story = ClassicStory()
    _, follower = a_joined_group(story)
    before = len(story.log)
    story.sync(follower, 2, {follower: b"ignored"})
    assert len(story.log) == before


def test_a_stable_group_returns_the_stored_assignment_and_ignores_new_ones() -> None:
    story = ClassicStory()
    (leader,) = a_stable_group(story)
    before = len(story.log)
    assert story.sync(leader, 1, {leader: b"other"}).response.assignment == leader.encode()
    assert len(story.log) == before


def test_assignments_that_cannot_be_written_fail_all_syncs_and_rebalance() -> None:
    story = ClassicStory()
    _, follower = a_joined_group(story)
    parked = story.sync(follower, 2)
    story.refuse_to_write()
    assert parked.response == refusal(ErrorCode.UNKNOWN_SERVER_ERROR)
    assert story.status() is ClassicGroupState.PREPARING_REBALANCE


def test_in_other_states_an_unwritten_decision_fails_no_sync() -> None:
    story = ClassicStory()
    a_stable_group(story)
    story.refuse_to_write()
    story.refuse_to_write("unknown")
    assert story.status() is ClassicGroupState.STABLE
