"""Heartbeat."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.groups.classic_story import SESSION_MS, ClassicStory, a_stable_group
from tidemark.groups.classic.model import ClassicGroupState
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


def test_a_group_that_is_unknown_has_no_member() -> None:
    assert ClassicStory().heartbeat("m", 1) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_pending_id_is_no_member() -> None:
    story = ClassicStory()
    assert story.heartbeat(story.join().member_id, 0) is ErrorCode.UNKNOWN_MEMBER_ID


def test_an_instance_that_another_member_has_is_fenced() -> None:
    story = ClassicStory()
    story.join(instance_id="one")
    assert story.heartbeat("other", 1, instance_id="one") is ErrorCode.FENCED_INSTANCE_ID


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


def test_while_members_sync_a_heartbeat_is_accepted() -> None:
    story = ClassicStory()
    joined = story.enter()
    assert story.status() is ClassicGroupState.COMPLETING_REBALANCE
    assert story.heartbeat(joined.member_id, 1) is ErrorCode.NONE


def test_during_a_rebalance_heartbeats_return_rebalance_in_progress() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2)
    story.join(leader)
    story.advance(SESSION_MS - 1)
    assert story.heartbeat(follower, 2) is ErrorCode.REBALANCE_IN_PROGRESS
    story.advance(SESSION_MS - 1)
    assert follower in story.group().members


def test_a_static_member_that_missed_a_rebalance_has_an_old_generation() -> None:
    story = ClassicStory()
    fields: dict[str, Any] = {"session_ms": 120_000}
    one = story.join(instance_id="one", **fields)
    two = story.join(instance_id="two", **fields)
    story.join(one.member_id, instance_id="one", **fields)
    story.join(one.member_id, instance_id="one", protocols={"range": b"changed"}, **fields)
    story.advance(60_000)  # the rebalance timeout: static members stay without having rejoined
    assert story.heartbeat(two.member_id, two.generation, instance_id="two") is ErrorCode.ILLEGAL_GENERATION
    assert story.sync(two.member_id, two.generation + 1, instance_id="two").parked
