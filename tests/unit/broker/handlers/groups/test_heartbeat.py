"""Heartbeat."""

from __future__ import annotations

from tests.unit.broker.groups.classic_story import SESSION_MS, ClassicStory, a_stable_group
from tidemark_protocol.errors import ErrorCode


def test_permission_is_checked_before_the_group_id() -> None:
    story = ClassicStory()
    story.forbid("")
    assert story.heartbeat("m", 1, group_id="") is ErrorCode.GROUP_AUTHORIZATION_FAILED


def test_an_empty_group_id_is_invalid() -> None:
    assert ClassicStory().heartbeat("m", 1, group_id="") is ErrorCode.INVALID_GROUP_ID


def test_while_the_partition_loads_every_heartbeat_is_accepted() -> None:
    story = ClassicStory()
    story.groups.serve(1)
    assert story.heartbeat("m", 1) is ErrorCode.NONE


def test_a_partition_that_failed_to_load_is_not_coordinated_here() -> None:
    story = ClassicStory()
    story.groups.failed(0)
    assert story.heartbeat("m", 1) is ErrorCode.NOT_COORDINATOR


def test_another_generation_is_illegal() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    assert story.heartbeat(member, 2) is ErrorCode.ILLEGAL_GENERATION


def test_heartbeats_keep_a_member_of_a_stable_group() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    for _ in range(5):
        story.advance(SESSION_MS - 1)
        assert story.heartbeat(member, 1) is ErrorCode.NONE
    story.advance(SESSION_MS)
    assert story.heartbeat(member, 1) is ErrorCode.UNKNOWN_MEMBER_ID
