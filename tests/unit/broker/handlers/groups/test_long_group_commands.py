"""Commands about thousands of committed offsets or members are decided in parts, each atomic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import interrupted
from tidemark.core.context import Context
from tidemark.core.decision import PART_RECORDS_MAX, CloseConnection, Decision, Record
from tidemark.groups.forgetting import TOMBSTONE_BYTES
from tidemark.handlers.groups.delete_groups import delete_groups
from tidemark.handlers.groups.join_group import PROTOCOLS_MAX, join_group_in_steps
from tidemark.handlers.groups.leave_group import leave_group
from tidemark.handlers.groups.offset_commit import STEP_PARTITIONS, offset_commit, offset_commit_in_steps
from tidemark.handlers.groups.offset_delete import offset_delete
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark_protocol.batch import HEADER_BYTES
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord

WIDE = 1000
TOPIC = 2


@pytest.fixture
def story() -> GroupStory:
    """A simple group with an offset for each partition of a wide topic."""
    story = GroupStory({"wide": WIDE, "__consumer_offsets": 1})
    for index in range(WIDE):
        story.commit("readers", "wide", index)
    return story


def a_context(story: GroupStory, version: int) -> Context:
    return Context(
        wall_ms=story.wall_ms,
        steady_ms=story.steady_ms,
        version=version,
        cluster=story.cluster,
        new_id=lambda: "an-id",
    )


def played(
    story: GroupStory, steps: Any, meanwhile: Callable[[int], None] = lambda part: None
) -> list[Decision[Any]]:
    """Accept the parts of a decision, and let something happen after each. Return them all."""
    parts: list[Decision[Any]] = []
    while True:
        try:
            step = next(steps)
        except StopIteration as done:
            story.accept(done.value)
            return [*parts, done.value]
        if isinstance(step, Decision):
            story.accept(step)
            parts.append(step)
            meanwhile(len(parts))


def deletion(count: int = WIDE) -> OffsetDeleteRequest:
    partitions = [OffsetDeleteRequestPartition(index) for index in range(count)]
    return OffsetDeleteRequest("readers", [OffsetDeleteRequestTopic("wide", partitions)])


def test_many_offsets_are_deleted_in_parts(story: GroupStory) -> None:
    parts = played(story, offset_delete(story.groups, a_context(story, 0), deletion()))
    assert [len(part.records) for part in parts] == [PART_RECORDS_MAX] * (WIDE // PART_RECORDS_MAX)
    assert sum(len(part.removed) for part in parts) == WIDE
    assert len(parts[-1].response.topics[0].partitions) == WIDE
    assert not story.groups.offsets.of("readers")


def test_an_offset_that_is_committed_during_a_deletion_is_kept(story: GroupStory) -> None:
    def commits(part: int) -> None:
        if part == 1:
            story.commit("readers", "wide", 5, offset=77)
            story.commit("readers", "wide", WIDE - 1, offset=78)

    played(story, offset_delete(story.groups, a_context(story, 0), deletion()), commits)
    left = {index: value.offset for (_, index), value in story.groups.offsets.of("readers").items()}
    assert left == {5: 77, WIDE - 1: 78}


def test_a_group_with_many_offsets_is_deleted_in_parts(story: GroupStory) -> None:
    story.commit("small", "wide", 0)
    request = DeleteGroupsRequest(["readers", "small", "nobody"])
    parts = played(story, delete_groups(story.groups, a_context(story, 2), request))
    assert max(len(part.records) for part in parts) <= PART_RECORDS_MAX + 2
    codes = {each.group_id: each.error_code for each in parts[-1].response.results}
    assert codes == {"readers": 0, "small": 0, "nobody": 69}
    assert story.groups.get("readers") is None
    assert not story.groups.offsets.of("readers")


def test_a_member_that_joins_while_its_group_is_deleted_keeps_the_group(story: GroupStory) -> None:
    """The deletion has precedence: the member finds a group without offsets."""

    def joins(part: int) -> None:
        if part == 2:
            story.join_group("readers")

    played(story, delete_groups(story.groups, a_context(story, 2), DeleteGroupsRequest(["readers"])), joins)
    group = story.groups.get("readers")
    assert group is not None
    assert len(group.members) == 1
    assert not story.groups.offsets.of("readers")


def test_a_group_that_gets_a_member_before_its_deletion_begins_keeps_its_offsets(story: GroupStory) -> None:
    def joins() -> None:
        story.join_group("readers")

    steps = delete_groups(story.groups, a_context(story, 2), DeleteGroupsRequest(["small", "readers"]))
    story.commit("small", "wide", 0)
    parts = played(story, steps, lambda part: joins() if part == 1 else None)
    codes = {each.group_id: each.error_code for each in parts[-1].response.results}
    assert codes == {"small": 0, "readers": 68}
    assert len(story.groups.offsets.of("readers")) == WIDE


@pytest.mark.parametrize("pause", range(4))
def test_commits_of_a_member_that_joins_before_a_deletion_begins_are_kept(
    story: GroupStory, pause: int
) -> None:
    """The offsets that are deleted must not be those of a topic to which the group is subscribed."""
    ctx = a_context(story, 0)
    others = [OffsetDeleteRequestTopic("__consumer_offsets", [OffsetDeleteRequestPartition(0)])]
    request = OffsetDeleteRequest("readers", [*deletion(1).topics, *others])
    decided = interrupted(
        offset_delete(story.groups, ctx, request),
        pause,
        story.accept,
        lambda: story.a_stable_group("readers", ["wide"]),
    )
    code = decided.response.topics[0].partitions[0].error_code
    assert code == ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    assert len(story.groups.offsets.of("readers")) == WIDE


def limit_batches(story: GroupStory, bytes_max: int) -> None:
    record = ConfigRecord(TOPIC, OFFSETS_TOPIC, "max.message.bytes", str(bytes_max))
    story.cluster.replay(Record(None, record))


@pytest.mark.parametrize("spare", [0, -1])
def test_a_deletion_whose_tombstones_do_not_fit_a_batch_is_refused_as_by_kafka(
    story: GroupStory, spare: int
) -> None:
    limit_batches(story, HEADER_BYTES + WIDE * (TOMBSTONE_BYTES + len("readers") + len("wide")) + spare)
    steps = offset_delete(story.groups, a_context(story, 0), deletion())
    if spare < 0:
        with pytest.raises(KafkaError) as refused:
            played(story, steps)
        assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
        with pytest.raises(KafkaError):
            played(story, delete_groups(story.groups, a_context(story, 2), DeleteGroupsRequest(["readers"])))
        assert len(story.groups.offsets.of("readers")) == WIDE
    else:
        played(story, steps)
        assert not story.groups.offsets.of("readers")


def a_commit(topics: int, partitions: int, name: str = "wide") -> OffsetCommitRequest:
    return OffsetCommitRequest(
        "writers",
        topics=[
            OffsetCommitRequestTopic(
                name if topics == 1 else f"unknown-{topic}",
                partitions=[OffsetCommitRequestPartition(index, 7) for index in range(partitions)],
            )
            for topic in range(topics)
        ],
    )


@pytest.mark.parametrize(("topics", "partitions"), [(1, WIDE + 10), (500, 3)])
def test_a_large_commit_is_decided_like_a_small_one(story: GroupStory, topics: int, partitions: int) -> None:
    request = a_commit(topics, partitions)
    at_once = offset_commit(story.groups, a_context(story, 8), request)
    (in_steps,) = played(story, offset_commit_in_steps(story.groups, a_context(story, 8), request))
    assert in_steps == at_once


def test_a_commit_that_fits_no_batch_is_refused_before_its_records_are_made(story: GroupStory) -> None:
    limit_batches(story, 50_000)
    (result,) = played(
        story, offset_commit_in_steps(story.groups, a_context(story, 8), a_commit(1, WIDE + 10))
    )
    codes = [each.error_code for each in result.response.topics[0].partitions]
    assert not result.records
    assert sorted(codes) == [-1] * WIDE + [3] * 10


def test_the_records_of_a_large_commit_are_made_in_steps(story: GroupStory) -> None:
    steps = offset_commit_in_steps(story.groups, a_context(story, 8), a_commit(1, WIDE))
    assert len(list(steps)) >= WIDE / STEP_PARTITIONS


@pytest.mark.parametrize("steps_before", [1, 2, 3])
def test_a_topic_that_is_deleted_while_a_large_commit_is_decided_gets_no_offset(
    story: GroupStory, steps_before: int
) -> None:
    steps = offset_commit_in_steps(story.groups, a_context(story, 8), a_commit(1, WIDE))
    for _ in range(steps_before):
        next(steps)
    story.cluster.replay(Record(None, RemoveTopicRecord(story.topic_id("wide"))))
    (result,) = played(story, steps)
    assert not result.records
    assert {each.error_code for each in result.response.topics[0].partitions} == {3}


def test_a_member_that_leaves_by_itself_meanwhile_is_not_removed_twice(story: GroupStory) -> None:
    first = story.a_stable_group("crew")
    identities = [MemberIdentity(first), MemberIdentity("unknown")]
    steps = leave_group(story.groups, a_context(story, 5), LeaveGroupRequest("crew", members=identities))
    next(steps)
    story.ask(leave_group, LeaveGroupRequest("crew", members=[MemberIdentity(first)]), 3)
    (result,) = played(story, steps)
    assert not result.after
    assert [each.error_code for each in result.response.members] == [0, 25]


def test_a_group_that_is_deleted_meanwhile_loses_no_member(story: GroupStory) -> None:
    """A group of that name is not written again, and neither is the client left without a response."""
    first = story.a_stable_group("crew")
    identities = [MemberIdentity(first), MemberIdentity("unknown")]
    steps = leave_group(story.groups, a_context(story, 5), LeaveGroupRequest("crew", members=identities))
    next(steps)
    story.ask(leave_group, LeaveGroupRequest("crew", members=[MemberIdentity(first)]), 3)
    story.ask(delete_groups, DeleteGroupsRequest(["crew"]), 2)
    assert "crew" not in story.groups.groups
    (result,) = played(story, steps)
    assert not result.records
    assert not result.after
    assert [each.error_code for each in result.response.members] == [0, 25]


def a_join(protocols: int) -> JoinGroupRequest:
    some = [JoinGroupRequestProtocol(f"protocol-{n}", b"m" * 100) for n in range(protocols)]
    return JoinGroupRequest("crew", 30_000, 30_000, "", protocol_type="consumer", protocols=some)


def test_a_large_join_with_as_many_protocols_as_allowed_is_decided(story: GroupStory) -> None:
    played(story, join_group_in_steps(story.groups, a_context(story, 3), a_join(PROTOCOLS_MAX)))
    assert len(story.groups.groups["crew"].member_ids) == 1


def test_a_join_with_more_protocols_than_any_client_has_closes_the_connection(story: GroupStory) -> None:
    with pytest.raises(CloseConnection, match="1001 protocols"):
        played(story, join_group_in_steps(story.groups, a_context(story, 3), a_join(PROTOCOLS_MAX + 1)))
