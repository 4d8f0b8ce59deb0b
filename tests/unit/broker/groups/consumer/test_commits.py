"""Commits and fetches of offsets by members of KIP-848 groups.

The expected errors are those of Apache Kafka 4.3.1 for the same members and epochs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.groups.test_read_only_groups import group, member
from tests.unit.broker.story import finished
from tidemark.core.decision import Record
from tidemark.handlers.groups.offset_commit import offset_commit, offset_commit_in_steps
from tidemark.handlers.groups.offset_fetch import offset_fetch
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tidemark_protocol.records.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from tidemark_protocol.records.consumer_group_member_metadata import (
    ClassicMemberMetadata,
    ClassicProtocol,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
)

METADATA_TOO_LARGE, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID = 12, 22, 25
UNSUPPORTED_VERSION, GROUP_ID_NOT_FOUND, STALE_MEMBER_EPOCH = 35, 69, 113
UNKNOWN_SERVER_ERROR = -1
FORMS = [offset_commit, offset_commit_in_steps]
TOO_LONG = "x" * 5000


def current(
    story: GroupStory, member_id: str, epoch: int, assigned: dict[int, int], pending: dict[int, int]
) -> Record:
    """Return a member's epoch, and its partitions of the topic t with the epochs since which it has them."""

    def owned(since: dict[int, int]) -> list[TopicPartitions]:
        return [TopicPartitions(story.topic_id("t"), [*since], [*since.values()])] if since else []

    value = ConsumerGroupCurrentMemberAssignmentValue(epoch, epoch - 1, 0, owned(assigned), owned(pending))
    return Record(ConsumerGroupCurrentMemberAssignmentKey("g", member_id), value)


def classic(member_id: str) -> Record:
    value = ConsumerGroupMemberMetadataValue(
        instance_id=None,
        subscribed_topic_names=["t"],
        subscribed_topic_regex=None,
        classic_member_metadata=ClassicMemberMetadata(45_000, [ClassicProtocol("range", b"")]),
    )
    return Record(ConsumerGroupMemberMetadataKey("g", member_id), value)


@pytest.fixture
def story() -> GroupStory:
    """m has 0 and 1 since epoch 2, 4 since epoch 3; it must give up 3. c has 5, and n has nothing."""
    story = GroupStory({"t": 6})
    story.groups.replay(group(3))
    for record in (member("t"), member("t", member_id="n"), classic("c")):
        story.groups.replay(record)
    story.groups.replay(current(story, "m", 3, {0: 2, 1: 2, 4: 3}, {3: 2}))
    story.groups.replay(current(story, "n", 3, {}, {}))
    story.groups.replay(current(story, "c", 3, {5: 2}, {}))
    return story


def commit(
    story: GroupStory,
    member_id: str,
    epoch: int,
    *partitions: int,
    version: int = 9,
    long_metadata: int | None = None,
    form: Callable[..., Any] = offset_commit,
) -> list[int]:
    """Commit and return the error of each partition. long_metadata: the partition with too long metadata."""
    given = [
        OffsetCommitRequestPartition(each, 5, committed_metadata=TOO_LONG if each == long_metadata else "")
        for each in partitions
    ]
    topic = OffsetCommitRequestTopic("t", story.topic_id("t"), given)
    request = OffsetCommitRequest("g", epoch, member_id, topics=[topic])
    (response,) = story.ask(lambda *a: finished(form(*a)), request, version).topics
    return [each.error_code for each in response.partitions]


@pytest.mark.parametrize("form", FORMS)
def test_the_current_epoch_may_commit_any_partition(story: GroupStory, form: Callable[..., Any]) -> None:
    assert commit(story, "m", 3, 0, 3, 5, form=form) == [0, 0, 0]
    assert story.offsets("g") == {("t", 0): 5, ("t", 3): 5, ("t", 5): 5}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("version", [9, 10])
def test_an_older_epoch_may_commit_partitions_that_the_member_has_since_then(
    story: GroupStory, form: Callable[..., Any], version: int
) -> None:
    """KIP-1251."""
    assert commit(story, "m", 2, 0, 1, version=version, form=form) == [0, 0]
    assert commit(story, "m", 2, 3, version=version, form=form) == [0]  # it has not given it up yet


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("epoch", "partitions"),
    [
        (4, [0]),  # newer
        (1, [0]),  # it has the partition since 2
        (2, [4]),  # since 3
        (2, [5]),  # another member has it
        (2, [0, 5]),  # one refused partition refuses all
        (0, [0]),
        (-1, [0]),
    ],
)
def test_any_other_epoch_is_stale(
    story: GroupStory, form: Callable[..., Any], epoch: int, partitions: list[int]
) -> None:
    assert commit(story, "m", epoch, *partitions, form=form) == [STALE_MEMBER_EPOCH] * len(partitions)
    assert story.offsets("g") == {}


def test_a_partition_with_too_long_metadata_does_not_refuse_the_others(story: GroupStory) -> None:
    assert commit(story, "m", 2, 5, 0, long_metadata=5) == [METADATA_TOO_LARGE, 0]
    assert commit(story, "m", 2, 0, 5, long_metadata=0) == [STALE_MEMBER_EPOCH] * 2
    assert commit(story, "m", 2, 5, long_metadata=5) == [METADATA_TOO_LARGE]


def test_a_member_must_use_a_version_that_has_member_epochs(story: GroupStory) -> None:
    assert commit(story, "m", 3, 0, version=8) == [UNSUPPORTED_VERSION]
    assert commit(story, "m", 1, 0, version=8) == [UNSUPPORTED_VERSION]


def test_a_classic_member_may_use_any_version_and_has_a_generation(story: GroupStory) -> None:
    assert commit(story, "c", 3, 5, version=8) == [0]
    assert commit(story, "c", 2, 5, version=8) == [0]
    for epoch in (-1, 1, 4):
        assert commit(story, "c", epoch, 5) == [ILLEGAL_GENERATION]
    assert commit(story, "c", 2, 0) == [ILLEGAL_GENERATION]


@pytest.mark.parametrize("member_id", ["", "nobody"])
@pytest.mark.parametrize("epoch", [-1, 3])
def test_only_members_may_commit_while_there_are_members(
    story: GroupStory, member_id: str, epoch: int
) -> None:
    assert commit(story, member_id, epoch, 0) == [UNKNOWN_MEMBER_ID]


def test_an_empty_group_accepts_commits_without_an_epoch_in_any_version() -> None:
    story = GroupStory({"t": 6})
    story.groups.replay(group(3))
    assert commit(story, "m", -1, 0, version=8) == [0]
    assert commit(story, "", -2, 0) == [0]
    assert commit(story, "m", 0, 0) == [UNKNOWN_MEMBER_ID]


def test_an_unknown_group_is_not_found_from_version_9_on() -> None:
    story = GroupStory({"t": 6})
    assert commit(story, "m", 3, 0) == [GROUP_ID_NOT_FOUND]
    assert commit(story, "m", 3, 0, version=8) == [ILLEGAL_GENERATION]


def test_a_commit_does_not_extend_the_session(story: GroupStory) -> None:
    before = story.groups.groups["g"].timers.next()  # type: ignore[attr-defined]
    story.passes(1_000)
    assert commit(story, "m", 3, 0) == [0]
    assert story.groups.groups["g"].timers.next() == before  # type: ignore[attr-defined]


def fetch(story: GroupStory, member_id: str | None, epoch: int) -> tuple[int, list[int]]:
    topic = OffsetFetchRequestTopics("t", story.topic_id("t"), [0])
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", member_id, epoch, [topic])])
    (found,) = story.ask(offset_fetch, request, 9).groups
    return found.error_code, [each.committed_offset for topic in found.topics for each in topic.partitions]


def test_a_fetch_needs_the_current_epoch(story: GroupStory) -> None:
    """KIP-1251 is about commits only."""
    commit(story, "m", 3, 0)
    assert fetch(story, "m", 3) == (0, [5])
    for epoch in (-1, 0, 2, 4):
        assert fetch(story, "m", epoch) == (STALE_MEMBER_EPOCH, [])
        assert fetch(story, "c", epoch) == (ILLEGAL_GENERATION, [])
    assert fetch(story, "c", 3) == (0, [5])
    for member_id in ("", "nobody"):
        assert fetch(story, member_id, 3) == (UNKNOWN_MEMBER_ID, [])


def test_a_fetch_without_a_member_needs_no_epoch(story: GroupStory) -> None:
    assert fetch(story, None, -1) == (0, [-1])
    assert fetch(story, None, 3) == (UNKNOWN_SERVER_ERROR, [])
    request = OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])])
    assert story.ask(offset_fetch, request, 7).error_code == 0
