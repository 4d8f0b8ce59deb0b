"""The checks of a TxnOffsetCommit in groups. The expected errors are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.groups.consumer.test_commits import classic, current
from tests.unit.broker.groups.test_read_only_groups import group, member
from tidemark.groups.unserved import UnreadGroup
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

NONE, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID = 0, 22, 25, 82
TOO_LONG = "x" * 5000


def check(
    story: GroupStory,
    generation: int = -1,
    member_id: str = "",
    instance_id: str | None = None,
    *,
    group_id: str = "g",
    partition: int = 0,
    metadata: str = "",
) -> int:
    given = [TxnOffsetCommitRequestPartition(partition, 5, -1, metadata)]
    requested = TxnOffsetCommitRequestTopic("t", partitions=given)
    request = TxnOffsetCommitRequest("tx", group_id, 1, 0, generation, member_id, instance_id, [requested])
    try:
        story.groups.check_transactional_commit(
            story.context(3), request, [(requested, story.cluster.topics["t"], given)]
        )
    except KafkaError as error:
        return error.code
    return NONE


def a_story() -> GroupStory:
    return GroupStory({"t": 6, "orders": 3})


def test_an_unknown_group_is_created_unless_a_generation_is_named() -> None:
    story = a_story()
    assert check(story) == NONE
    assert check(story, -1, "nobody") == NONE
    assert check(story, 0) == ILLEGAL_GENERATION
    assert check(story, 0, "nobody") == ILLEGAL_GENERATION


def test_a_simple_group_accepts_commits_without_a_generation() -> None:
    story = a_story()
    story.commit("g")
    assert [check(story), check(story, -1, "nobody")] == [NONE, NONE]
    assert [check(story, 0), check(story, 1, "nobody")] == [UNKNOWN_MEMBER_ID, UNKNOWN_MEMBER_ID]


def test_members_of_a_classic_group_name_their_generation() -> None:
    story = a_story()
    member_id = story.a_stable_group("g")
    assert check(story, 1, member_id) == NONE
    assert check(story) == NONE  # as a producer does that knows no group metadata
    assert check(story, 0, member_id) == ILLEGAL_GENERATION
    assert check(story, -1, member_id) == ILLEGAL_GENERATION
    assert check(story, 1, "nobody") == UNKNOWN_MEMBER_ID
    assert check(story, 1) == UNKNOWN_MEMBER_ID
    assert check(story, -1, "", "i") == UNKNOWN_MEMBER_ID


def test_a_rebalance_does_not_prevent_a_commit() -> None:
    story = a_story()
    member_id = story.join_group("g")
    assert story.groups.groups["g"].state_name == "CompletingRebalance"
    assert check(story, 1, member_id) == NONE
    assert check(story) == NONE


def test_members_of_a_consumer_group_name_their_epoch() -> None:
    story = a_consumer_group()
    assert check(story, 3, "m") == NONE
    assert check(story, 4, "m") == ILLEGAL_GENERATION
    assert check(story, -1, "m") == ILLEGAL_GENERATION
    assert check(story, 3, "nobody") == UNKNOWN_MEMBER_ID
    assert check(story, 3) == UNKNOWN_MEMBER_ID
    assert check(story, -1, "", "i") == UNKNOWN_MEMBER_ID
    assert check(story) == NONE


@pytest.mark.parametrize(("member_id", "held", "newer", "others"), [("m", 0, 4, 5), ("c", 5, 4, 0)])
def test_an_older_epoch_is_accepted_for_partitions_that_the_member_has_had_since(
    member_id: str, held: int, newer: int, others: int
) -> None:
    story = a_consumer_group()
    assert check(story, 2, member_id, partition=held) == NONE
    assert check(story, 1, member_id, partition=held) == ILLEGAL_GENERATION
    assert check(story, 2, member_id, partition=newer) == ILLEGAL_GENERATION
    assert check(story, 2, member_id, partition=others) == ILLEGAL_GENERATION
    assert check(story, 2, member_id, partition=others, metadata=TOO_LONG) == NONE


def test_a_consumer_group_without_members_accepts_commits_without_an_epoch() -> None:
    story = a_story()
    story.groups.replay(group(3))
    assert check(story, -1, "nobody") == NONE
    assert check(story, 0) == UNKNOWN_MEMBER_ID


def test_a_group_that_is_not_served_accepts_commits_without_a_member() -> None:
    story = a_story()
    story.groups.groups["g"] = UnreadGroup("g", 0, None)
    assert check(story) == NONE
    assert check(story, 0) == UNKNOWN_MEMBER_ID


def test_before_the_offsets_topic_exists_there_is_no_coordinator() -> None:
    story = a_story()
    story.groups.status = []
    assert check(story) == ErrorCode.NOT_COORDINATOR


def a_consumer_group() -> GroupStory:
    """m has 0 and 1 since epoch 2, 4 since epoch 3. c is a classic member and has 5."""
    story = a_story()
    story.groups.replay(group(3))
    for record in (member("t"), classic("c")):
        story.groups.replay(record)
    story.groups.replay(current(story, "m", 3, {0: 2, 1: 2, 4: 3}, {}))
    story.groups.replay(current(story, "c", 3, {5: 2}, {}))
    return story
