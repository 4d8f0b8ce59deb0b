"""All groups: partitions, loading from the log, and what a restart keeps."""

from __future__ import annotations

import pytest

from tests.unit.broker.group_story import subscription
from tests.unit.broker.groups.classic_story import (
    SESSION_MS,
    ClassicStory,
    a_stable_group,
    check_stored,
    stable,
)
from tidemark.core.context import Now
from tidemark.core.decision import Record
from tidemark.groups.classic.member import ClassicGroupState, group_record
from tidemark.groups.state import Groups
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue


@pytest.mark.parametrize(
    ("group_id", "partition"),
    [
        ("", 0),
        ("g", 3),
        ("my-group", 12),
        ("test-group", 12),
        ("connect-cluster", 13),
        ("console-consumer-12345", 6),
        ("polygenelubricants", 0),
        ("groupé", 6),
    ],
)
def test_a_group_is_in_the_same_partition_as_in_kafka(group_id: str, partition: int) -> None:
    groups = Groups()
    groups.serve(50)
    assert groups.partition_for(group_id) == partition
    assert groups.partition_of(Record(GroupMetadataKey(group_id), None)) == partition
    assert groups.partition_of(Record(OffsetCommitKey(group_id, "t", 0), None)) == partition


def test_each_partition_is_served_once_it_is_loaded() -> None:
    groups = Groups()
    assert groups.service_error("g") is ErrorCode.NOT_COORDINATOR
    groups.serve(50)
    assert groups.service_error("g") is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    groups.loaded(3, Now(0, 0))
    assert groups.service_error("g") is ErrorCode.NONE
    assert groups.service_error("my-group") is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS


def test_a_partition_that_cannot_be_read_is_not_coordinated_here() -> None:
    groups = Groups()
    groups.serve(1)
    groups.failed(0)
    with pytest.raises(KafkaError) as refused:
        groups.serving("g", 1)
    assert refused.value.code is ErrorCode.NOT_COORDINATOR


def test_a_stable_group_is_stable_after_a_restart() -> None:
    story = ClassicStory()
    ids = a_stable_group(story, members=2)
    before = story.group()
    story.restart()
    after = story.group()
    assert after is not before
    assert (after.state, after.generation, after.leader) == (ClassicGroupState.STABLE, 2, ids[0])
    assert [story.sync(member_id, 2).response.assignment for member_id in ids] == [
        each.encode() for each in ids
    ]


def test_members_get_a_fresh_session_after_a_restart() -> None:
    story = ClassicStory()
    a_stable_group(story)
    story.advance(SESSION_MS - 1)
    story.restart()
    story.advance(SESSION_MS - 1)
    assert story.status() is ClassicGroupState.STABLE
    story.advance(1)
    assert story.status() is ClassicGroupState.EMPTY


def test_a_rebalancing_group_is_stable_in_its_last_synced_generation_after_a_restart() -> None:
    story = ClassicStory()
    leader, follower = a_stable_group(story, members=2)
    story.join(leader)
    story.join(follower)
    assert story.group().generation == 3
    story.restart()
    assert (story.status(), story.group().generation) == (ClassicGroupState.STABLE, 2)
    assert story.heartbeat(follower, 2) is ErrorCode.NONE


def test_a_group_that_never_synced_has_no_members_after_a_restart() -> None:
    story = ClassicStory()
    story.enter()
    story.restart()
    group = story.group()
    assert (group.state, group.generation, group.protocol_type) == (ClassicGroupState.EMPTY, 0, None)
    assert not group.pending


def test_an_empty_group_keeps_its_clock_over_a_restart() -> None:
    story = ClassicStory()
    (member,) = a_stable_group(story)
    story.leave(member)
    emptied_ms = story.wall_ms
    story.advance(5_000)
    story.restart()
    assert story.group().state_since_ms == emptied_ms
    assert story.group().protocol_type == "consumer"
    assert story.group().subscribed_topics == frozenset()


def test_the_topics_are_known_again_after_a_restart() -> None:
    story = ClassicStory()
    stable(story, [story.enter(protocols={"range": subscription(["a", "b"])})])
    story.restart()
    assert story.group().subscribed_topics == frozenset({"a", "b"})


def test_a_static_member_is_found_by_its_instance_after_a_restart() -> None:
    story = ClassicStory()
    (member,) = stable(story, [story.join(instance_id="one")])
    story.restart()
    assert story.join(instance_id="one").generation == 1
    assert story.heartbeat(member, 1, instance_id="one") is ErrorCode.FENCED_INSTANCE_ID


def test_a_member_of_an_old_record_without_rebalance_timeout_has_its_session_timeout() -> None:
    groups = Groups()
    groups.serve(1)
    member = MemberMetadata("m", None, "c", "/h", -1, 7_000, b"", b"")
    groups.replay(group_record("g", GroupMetadataValue("consumer", 3, "range", "m", -1, [member])))
    group = groups.groups["g"]
    assert group.members["m"].rebalance_timeout_ms == 7_000
    assert group.state_since_ms is None


def test_an_offset_of_an_unknown_group_creates_a_simple_group() -> None:
    groups = Groups()
    groups.serve(1)
    groups.replay(Record(OffsetCommitKey("g", "t", 0), OffsetCommitValue(5, -1, "", 1)))
    assert groups.groups["g"].protocol_type is None


def test_an_offset_tombstone_creates_no_group() -> None:
    groups = Groups()
    groups.serve(1)
    groups.replay(Record(OffsetCommitKey("g", "t", 0), None))
    assert groups.groups == {}


def test_a_groups_tombstone_removes_it_and_leaves_its_offsets() -> None:
    story = ClassicStory()
    story.join()
    key = OffsetCommitKey("g", "t", 0)
    story.groups.replay(Record(key, OffsetCommitValue(5, -1, "", 1)))
    story.groups.replay(group_record("g", None))
    assert story.groups.get("g") is None
    assert story.groups.offsets.get("g", "t", 0) is not None
    assert story.groups.deadlines.next() is None


def test_a_record_that_is_not_the_groups_projection_is_a_bug() -> None:
    story = ClassicStory()
    a_stable_group(story)
    check_stored(story.group())
    story.group().generation += 1
    with pytest.raises(AssertionError, match="differs from its record"):
        check_stored(story.group())
