"""OffsetCommit: its checks in Kafka's order, and what it stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import START_MS
from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import Decision
from tidemark.groups.state import Groups
from tidemark.handlers.groups.list_groups import list_groups
from tidemark.handlers.groups.offset_commit import offset_commit, unwritten_response
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

NONE, UNKNOWN_TOPIC_OR_PARTITION, OFFSET_METADATA_TOO_LARGE = 0, 3, 12
COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, ILLEGAL_GENERATION = 14, 16, 22
UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS, TOPIC_AUTHORIZATION_FAILED = 25, 27, 29
GROUP_AUTHORIZATION_FAILED, GROUP_ID_NOT_FOUND, FENCED_INSTANCE_ID, UNKNOWN_TOPIC_ID = 30, 69, 82, 100

NOBODY = bytes(15) + b"\x07"
ZERO = bytes(16)


def part(
    index: int, offset: int = 42, *, epoch: int = -1, at_ms: int = -1, metadata: str | None = ""
) -> OffsetCommitRequestPartition:
    return OffsetCommitRequestPartition(index, offset, epoch, at_ms, metadata)


def topic(name: str, *partitions: OffsetCommitRequestPartition) -> OffsetCommitRequestTopic:
    return OffsetCommitRequestTopic(name, partitions=list(partitions))


def topic_by_id(topic_id: bytes, *partitions: OffsetCommitRequestPartition) -> OffsetCommitRequestTopic:
    return OffsetCommitRequestTopic("", topic_id, list(partitions))


def commit(
    story: GroupStory,
    *topics: OffsetCommitRequestTopic,
    group: str = "readers",
    version: int = 8,
    **more: Any,
) -> list[tuple[str | bytes, list[tuple[int, int]]]]:
    """Return for each topic of the response its name or id, and (partition, error code)."""
    allowed: dict[str, Any] = {"allowed": more.pop("allowed")} if "allowed" in more else {}
    request = OffsetCommitRequest(group, topics=list(topics), **more)
    return in_short(story.ask(offset_commit, request, version, **allowed))


def in_short(response: OffsetCommitResponse) -> list[tuple[str | bytes, list[tuple[int, int]]]]:
    return [
        (topic.name or topic.topic_id, [(each.partition_index, each.error_code) for each in topic.partitions])
        for topic in response.topics
    ]


def stored(
    story: GroupStory, group: str = "readers", topic: str = "orders", partition: int = 0
) -> OffsetCommitValue:
    value = story.groups.offsets.get(group, topic, partition)
    assert value is not None
    return value


def denying(operation: int, resource: int, name: str) -> Callable[[int, int, str], bool]:
    return lambda *requested: requested != (operation, resource, name)


# stored records


def test_a_commit_is_one_record_with_the_time_of_the_broker_and_the_id_of_the_topic() -> None:
    story = GroupStory()
    assert commit(story, topic("orders", part(1, 7, epoch=3, metadata="md"))) == [("orders", [(1, NONE)])]
    (record,) = story.log
    assert record.key == OffsetCommitKey("readers", "orders", 1)
    assert record.value == OffsetCommitValue(7, 3, "md", START_MS, -1, story.topic_id("orders"))
    assert story.offsets("readers") == {("orders", 1): 7}


def test_null_metadata_is_stored_as_the_empty_string() -> None:
    story = GroupStory()
    commit(story, topic("orders", part(0, metadata=None)))
    assert stored(story).metadata == ""


@pytest.mark.parametrize("version", range(10))
def test_every_version_by_name_commits(version: int) -> None:
    story = GroupStory()
    assert story.commit("readers", offset=version, version=version) == NONE
    assert story.offsets("readers") == {("orders", 0): version}


def test_v10_commits_by_topic_id_and_responds_with_ids() -> None:
    story = GroupStory()
    orders = story.topic_id("orders")
    assert commit(story, topic_by_id(orders, part(2)), version=10) == [(orders, [(2, NONE)])]
    assert story.log[0].key == OffsetCommitKey("readers", "orders", 2)


def test_each_entry_of_a_repeated_partition_is_a_record_and_the_last_one_counts() -> None:
    story = GroupStory()
    assert commit(story, topic("orders", part(0, 1), part(0, 2))) == [("orders", [(0, NONE), (0, NONE)])]
    assert [record.value.offset for record in story.log] == [1, 2]
    assert stored(story).offset == 2


@pytest.mark.parametrize("release", ["", "4.3", "4.0"])
def test_offsets_survive_a_restart_just_as_they_were(release: str) -> None:
    story = GroupStory()
    story.commit("readers", offset=1)
    story.commit("readers", offset=2)
    story.commit("", topic="payments", partition=1, offset=3)
    commit(story, topic("orders", part(1, epoch=5, metadata="md")))
    commit(story, topic("orders", part(2)), version=4, retention_time_ms=1_000)
    commit(story, topic("payments", part(0, at_ms=17)), version=1)
    again = story.restarted(release)
    assert {group: dict(offsets) for group, offsets in again.offsets.items()} == {
        group: dict(offsets) for group, offsets in story.groups.offsets.items()
    }
    assert list(again.groups) == ["readers", ""]
    assert again.offsets.count == 5


# timestamps


def test_v1_may_set_the_commit_time_which_sets_no_expiry() -> None:
    story = GroupStory()
    commit(story, topic("orders", part(0, at_ms=17), part(1, at_ms=-1), part(2, at_ms=-2)), version=1)
    assert [record.value.commit_timestamp for record in story.log] == [17, START_MS, -2]
    assert [record.value.expire_timestamp for record in story.log] == [-1, -1, -1]


@pytest.mark.parametrize(
    ("retention_ms", "expires_ms"),
    [(-1, -1), (0, START_MS), (3_600_000, START_MS + 3_600_000), (-5, START_MS - 5)],
)
def test_v2_to_v4_may_set_a_retention_that_counts_from_now(retention_ms: int, expires_ms: int) -> None:
    story = GroupStory()
    story.commit("readers", version=2, retention_time_ms=retention_ms)
    assert stored(story).expire_timestamp == expires_ms
    assert stored(story).commit_timestamp == START_MS


def test_a_huge_retention_wraps_as_a_java_long() -> None:
    story = GroupStory()
    story.wall_ms = 1_795_230_760_208
    story.commit("readers", version=4, retention_time_ms=2**63 - 1)
    assert (
        stored(story).expire_timestamp == -9_223_370_241_624_015_601
    )  # as Kafka 4.3.1 stored it at that moment
    just_below = 2**63 - 1 - story.wall_ms
    story.commit("readers", version=4, retention_time_ms=just_below)
    assert stored(story).expire_timestamp == 2**63 - 1


def test_the_response_has_the_same_bytes_from_v3_to_v7() -> None:
    """KIP-211 removed the retention from the request only."""
    partitions = [OffsetCommitResponsePartition(0, NONE), OffsetCommitResponsePartition(1, 12)]
    response = OffsetCommitResponse(5, [OffsetCommitResponseTopic("orders", partitions=partitions)])
    encoded = set()
    for version in range(3, 8):
        out = bytearray()
        OffsetCommitResponse.ENCODERS[version](out, response)
        encoded.add(bytes(out))
    assert len(encoded) == 1


def test_a_later_plain_commit_replaces_the_explicit_expiry() -> None:
    story = GroupStory()
    story.commit("readers", version=4, retention_time_ms=1_000)
    story.commit("readers", version=8)
    assert stored(story).expire_timestamp == -1


# checks of topics


def test_a_group_that_may_not_be_read_is_refused_on_every_partition_in_request_order() -> None:
    response = commit(
        GroupStory(),
        topic("nope", part(9)),
        topic("orders", part(1), part(77), part(0)),
        allowed=denying(Operation.READ, ResourceType.GROUP, "readers"),
    )
    assert response == [
        ("nope", [(9, GROUP_AUTHORIZATION_FAILED)]),
        ("orders", [(partition, GROUP_AUTHORIZATION_FAILED) for partition in (1, 77, 0)]),
    ]


def test_the_group_is_authorized_before_topic_ids_are_checked() -> None:
    refuse_group = denying(Operation.READ, ResourceType.GROUP, "readers")
    response = commit(GroupStory(), topic_by_id(NOBODY, part(0)), version=10, allowed=refuse_group)
    assert response == [(NOBODY, [(0, GROUP_AUTHORIZATION_FAILED)])]


@pytest.mark.parametrize("name", ["orders", "nope"])
def test_a_topic_that_may_not_be_read_is_refused_whether_it_exists_or_not(name: str) -> None:
    refuse_topic = denying(Operation.READ, ResourceType.TOPIC, name)
    response = commit(
        GroupStory(), topic(name, part(0), part(99)), topic("payments", part(0)), allowed=refuse_topic
    )
    assert response == [
        (name, [(0, TOPIC_AUTHORIZATION_FAILED), (99, TOPIC_AUTHORIZATION_FAILED)]),
        ("payments", [(0, NONE)]),
    ]


def test_a_topic_by_id_is_authorized_by_its_name() -> None:
    story = GroupStory()
    refuse_topic = denying(Operation.READ, ResourceType.TOPIC, "orders")
    orders = story.topic_id("orders")
    response = commit(story, topic_by_id(orders, part(0)), version=10, allowed=refuse_topic)
    assert response == [(orders, [(0, TOPIC_AUTHORIZATION_FAILED)])]


def test_if_all_partitions_are_refused_the_coordinator_is_not_checked() -> None:
    story = GroupStory(partitions=0)
    assert commit(story, topic("nope", part(0))) == [("nope", [(0, UNKNOWN_TOPIC_OR_PARTITION)])]


# the order of the response


def test_an_error_of_the_group_keeps_repeated_topics_apart_too() -> None:
    response = commit(
        GroupStory(), topic("orders", part(0)), topic("orders", part(1)), generation_id_or_member_epoch=5
    )
    assert response == [("orders", [(0, ILLEGAL_GENERATION)]), ("orders", [(1, ILLEGAL_GENERATION)])]


def test_if_one_is_refused_refused_topics_are_first_and_repeated_ones_merged() -> None:
    """The same request was sent to Kafka 4.3.1."""
    response = commit(
        GroupStory({"T1": 2, "T2": 2}),
        topic("T1", part(0)),
        topic("T1", part(1)),
        topic("T2", part(0), part(7)),
        topic("T2", part(1)),
        topic("nope"),
        topic("T1", part(0)),
        topic("T2"),
    )
    assert response == [
        ("T2", [(7, UNKNOWN_TOPIC_OR_PARTITION), (0, NONE), (1, NONE)]),
        ("nope", []),
        ("T1", [(0, NONE), (1, NONE), (0, NONE)]),
    ]


def test_a_request_by_topic_id_has_the_same_order_in_its_response() -> None:
    """The same request was sent to Kafka 4.3.1."""
    story = GroupStory({"T1": 2})
    t1 = story.topic_id("T1")
    request = OffsetCommitRequest(
        "readers",
        topics=[
            topic_by_id(t1, part(0)),
            topic_by_id(NOBODY, part(0)),
            topic_by_id(t1, part(1), part(4)),
            topic_by_id(ZERO),
            topic_by_id(NOBODY, part(5)),
            topic_by_id(ZERO, part(1)),
        ],
    )
    response = story.ask(offset_commit, request, 10)
    assert [
        (each.topic_id, [(p.partition_index, p.error_code) for p in each.partitions])
        for each in response.topics
    ] == [
        (NOBODY, [(0, 100), (5, 100)]),
        (t1, [(4, 3), (0, 0), (1, 0)]),
        (ZERO, [(1, 100)]),
    ]


# checks of the coordinator


def test_commits_are_refused_only_for_groups_whose_partition_loads() -> None:
    story = GroupStory(partitions=50)
    loading = Groups()
    loading.serve(50)
    for partition in range(50):
        if partition != 12:
            loading.loaded(partition, story.now)
    loading.failed(3)
    story.groups = loading
    assert story.commit("my-group") == COORDINATOR_LOAD_IN_PROGRESS  # partition 12
    assert story.commit("g") == NOT_COORDINATOR  # partition 3
    assert story.commit("connect-cluster") == NONE  # partition 13


# checks of generation and member


def test_the_empty_group_id_is_accepted_and_creates_a_simple_group() -> None:
    story = GroupStory()
    assert story.commit("") == NONE
    (listed,) = story.ask(list_groups, ListGroupsRequest(), 5).groups
    assert (listed.group_id, listed.protocol_type, listed.group_state, listed.group_type) == (
        "",
        "",
        "Empty",
        "classic",
    )


def test_an_empty_group_accepts_a_commit_without_generation_from_any_member() -> None:
    story = GroupStory()
    story.commit("readers")
    ids: dict[str, Any] = {"member_id": "nobody", "group_instance_id": "nothing"}
    assert story.commit("readers", offset=43, generation_id_or_member_epoch=-2, **ids) == NONE


@pytest.mark.parametrize("member_id", ["", "nobody"])
def test_an_empty_group_refuses_a_commit_with_a_generation(member_id: str) -> None:
    story = GroupStory()
    story.commit("readers")
    assert story.commit("readers", generation_id_or_member_epoch=0, member_id=member_id) == UNKNOWN_MEMBER_ID


def test_a_group_that_waits_for_its_leader_refuses_commits_of_the_new_generation() -> None:
    story = GroupStory()
    member_id = story.join_group("readers")
    assert (
        story.commit("readers", generation_id_or_member_epoch=1, member_id=member_id) == REBALANCE_IN_PROGRESS
    )
    assert story.commit("readers", generation_id_or_member_epoch=0, member_id=member_id) == ILLEGAL_GENERATION
    assert story.commit("readers") == UNKNOWN_MEMBER_ID


def test_a_commit_without_a_member_makes_no_event_and_marks_no_group() -> None:
    story = GroupStory()
    story.commit("readers")
    ctx = story.context(8)
    result = offset_commit(
        story.groups, ctx, OffsetCommitRequest("readers", topics=[topic("orders", part(0))])
    )
    assert isinstance(result, Decision)
    assert result.after == ()
    for record in result.records:
        story.groups.replay(record)
    assert story.groups.marked == set()


# checks of metadata


def test_a_commit_that_stores_nothing_creates_no_group() -> None:
    """Kafka creates a group that only writes see, not ListGroups. tidemark does not."""
    story = GroupStory(offset_metadata_max_bytes=3)
    commit(story, topic("orders", part(0, metadata="four")))
    assert story.groups.groups == {}


# records


def test_a_commit_too_large_for_the_log_is_an_error_on_partitions_not_refused_before() -> None:
    story = GroupStory()
    ctx = story.context(8)
    requested = [topic("orders", part(0), part(7)), topic("nothing", part(0)), topic("payments", part(0))]
    response = unwritten_response(ctx, OffsetCommitRequest("readers", topics=requested), -1)
    assert in_short(response) == [
        ("orders", [(7, 3), (0, -1)]),
        ("nothing", [(0, 3)]),
        ("payments", [(0, -1)]),
    ]
