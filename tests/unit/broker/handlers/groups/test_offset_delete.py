"""OffsetDelete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import finished
from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import Cause, Decision, Record
from tidemark.groups.state import Groups
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.leave_group import leave_group
from tidemark.handlers.groups.list_groups import list_groups
from tidemark.handlers.groups.offset_delete import offset_delete
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
)
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

NONE, UNKNOWN_TOPIC_OR_PARTITION, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR = 0, 3, 14, 16
INVALID_GROUP_ID = 24
TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED = 29, 30
NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND, GROUP_SUBSCRIBED_TO_TOPIC = 68, 69, 86

Answer = tuple[str, list[tuple[int, int]]]


def topic(name: str, *partitions: int) -> OffsetDeleteRequestTopic:
    return OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(each) for each in partitions])


def delete(
    story: GroupStory, *topics: OffsetDeleteRequestTopic, group: str = "readers", **how: Any
) -> int | list[Answer]:
    """Return the error of the response, or (partition, error) for each topic."""
    response: OffsetDeleteResponse = story.ask(
        offset_delete, OffsetDeleteRequest(group, list(topics)), 0, **how
    )
    if response.error_code:
        assert response.topics == []
        return response.error_code
    return [
        (each.name, [(one.partition_index, one.error_code) for one in each.partitions])
        for each in response.topics
    ]


def decide(story: GroupStory, request: OffsetDeleteRequest) -> Decision[OffsetDeleteResponse]:
    """Return the decision without accepting it."""
    ctx = story.context(0)
    result: Decision[OffsetDeleteResponse] = finished(offset_delete(story.groups, ctx, request))
    return result


def pend(story: GroupStory, group: str, name: str, partition: int) -> None:
    """Write an offset as TxnOffsetCommit does: it is pending until the transaction ends."""
    value = OffsetCommitValue(7, commit_timestamp=story.wall_ms, topic_id=story.topic_id(name))
    story.groups.replay(Record(OffsetCommitKey(group, name, partition), value, producer=(1, 0)))


def denying(operation: int, resource: int, name: str) -> Callable[[int, int, str], bool]:
    return lambda *requested: requested != (operation, resource, name)


def a_story() -> GroupStory:
    story = GroupStory({"orders": 3, "payments": 2})
    for partition in range(3):
        story.commit("readers", "orders", partition)
    story.commit("readers", "payments", 0)
    return story


def test_offsets_of_a_simple_group_are_deleted_at_once() -> None:
    story = a_story()
    before = len(story.log)
    assert delete(story, topic("orders", 0, 2)) == [("orders", [(0, NONE), (2, NONE)])]
    assert [(record.key, record.value) for record in story.log[before:]] == [
        (OffsetCommitKey("readers", "orders", partition), None) for partition in (0, 2)
    ]
    assert story.offsets("readers") == {("orders", 1): 42, ("payments", 0): 42}


def test_a_partition_without_an_offset_is_deleted_without_a_tombstone() -> None:
    story = a_story()
    before = len(story.log)
    assert delete(story, topic("payments", 1)) == [("payments", [(1, NONE)])]
    assert story.log[before:] == []


def test_the_group_is_kept_when_its_last_offset_is_deleted() -> None:
    story = GroupStory()
    story.commit("readers")
    delete(story, topic("orders", 0))
    (listed,) = story.ask(list_groups, ListGroupsRequest(), 5).groups
    assert (listed.group_id, listed.group_state) == ("readers", "Empty")


def test_an_empty_group_without_offsets_expires_at_the_next_pass() -> None:
    story = GroupStory()
    story.commit("readers")
    member_id = story.a_stable_group("stable", ["payments"])
    story.commit("stable", generation_id_or_member_epoch=1, member_id=member_id)
    for group in ("readers", "stable"):
        assert delete(story, topic("orders", 0), group=group) == [("orders", [(0, NONE)])]
    story.clean_up()
    assert list(story.groups.groups) == ["stable"]
    assert delete(story, topic("orders", 0)) == GROUP_ID_NOT_FOUND


def test_a_deleted_offset_may_be_committed_again_before_the_next_pass() -> None:
    story = GroupStory()
    story.commit("readers")
    delete(story, topic("orders", 0))
    assert story.commit("readers", offset=7) == NONE
    story.clean_up()
    assert story.offsets("readers") == {("orders", 0): 7}


def test_a_partition_that_is_named_twice_gets_two_tombstones_and_is_removed_once() -> None:
    """Kafka writes and counts both (KIP-496's meter counts tombstones)."""
    story = a_story()
    before = len(story.log)
    assert delete(story, topic("orders", 0, 0)) == [("orders", [(0, NONE), (0, NONE)])]
    assert [record.key for record in story.log[before:]] == [OffsetCommitKey("readers", "orders", 0)] * 2
    assert len(story.offsets("readers")) == 3


def test_pending_offsets_are_deleted_too() -> None:
    story = a_story()
    pend(story, "readers", "payments", 1)
    before = len(story.log)
    assert delete(story, topic("payments", 1)) == [("payments", [(1, NONE)])]
    assert story.log[before:] == [Record(OffsetCommitKey("readers", "payments", 1), None)]
    assert not story.groups.offsets.pending("readers")


def test_a_removal_has_its_cause() -> None:
    story = a_story()
    topics = [topic("orders", 0, 0), topic("payments", 1)]
    result = decide(story, OffsetDeleteRequest("readers", topics))
    assert [(each.topic, each.partition, each.offset, each.cause) for each in result.removed] == [
        ("orders", 0, 42, Cause.OFFSET_DELETE)
    ]


def test_a_deletion_survives_a_restart() -> None:
    story = a_story()
    delete(story, topic("orders", 0, 1, 2))
    assert list(story.restarted().offsets.of("readers")) == [("payments", 0)]


def test_offsets_may_be_deleted_once_a_group_with_an_unreadable_subscription_is_empty() -> None:
    story = GroupStory()
    protocols = [JoinGroupRequestProtocol("range", b"\0")]
    joined = story.ask(
        join_group, JoinGroupRequest("readers", 10_000, 60_000, "", None, "consumer", protocols), 3
    )
    assert story.sync_group("readers", joined.member_id) == 0
    assert delete(story, topic("orders", 0)) == [("orders", [(0, GROUP_SUBSCRIBED_TO_TOPIC)])]
    story.ask(leave_group, LeaveGroupRequest("readers", members=[MemberIdentity(joined.member_id)]), 3)
    assert delete(story, topic("orders", 0)) == [("orders", [(0, NONE)])]


def test_a_stable_consumer_group_keeps_what_it_is_subscribed_to() -> None:
    story = a_story()
    story.a_stable_group("readers", ["orders"])
    response = delete(story, topic("orders", 0, 1), topic("payments", 0), topic("nope", 0))
    assert response == [
        ("nope", [(0, UNKNOWN_TOPIC_OR_PARTITION)]),
        ("orders", [(0, GROUP_SUBSCRIBED_TO_TOPIC), (1, GROUP_SUBSCRIBED_TO_TOPIC)]),
        ("payments", [(0, NONE)]),
    ]
    assert ("payments", 0) not in story.offsets("readers")
    assert ("orders", 0) in story.offsets("readers")


def test_the_subscription_counts_from_the_completed_join() -> None:
    story = a_story()
    story.join_group("readers", ["orders"])  # no member has synced yet
    assert delete(story, topic("orders", 0)) == [("orders", [(0, GROUP_SUBSCRIBED_TO_TOPIC)])]
    assert delete(story, topic("payments", 0)) == [("payments", [(0, NONE)])]


def test_while_a_rebalance_is_prepared_the_last_subscription_counts() -> None:
    story = a_story()
    story.a_stable_group("readers", ["orders"])
    story.join_group("readers", ["payments"])  # parked
    assert delete(story, topic("orders", 0)) == [("orders", [(0, GROUP_SUBSCRIBED_TO_TOPIC)])]
    assert delete(story, topic("payments", 0)) == [("payments", [(0, NONE)])]


def test_a_group_of_another_protocol_type_refuses_while_it_has_members() -> None:
    story = a_story()
    story.a_stable_group("readers", protocol_type="connect")
    assert delete(story, topic("payments", 0)) == NON_EMPTY_GROUP


def test_all_offsets_of_an_empty_consumer_group_may_be_deleted() -> None:
    story = a_story()
    story.a_stable_group("readers", ["orders"])
    story.passes(60_000)
    story.settle()
    assert delete(story, topic("orders", 0)) == [("orders", [(0, NONE)])]


def test_an_error_of_the_group_replaces_errors_of_topics() -> None:
    assert delete(GroupStory(), topic("nope", 0), group="nobody") == GROUP_ID_NOT_FOUND


def test_the_group_is_checked_even_if_all_topics_are_refused() -> None:
    assert delete(GroupStory(), group="nobody") == GROUP_ID_NOT_FOUND
    assert delete(GroupStory(), group="") == INVALID_GROUP_ID
    assert delete(a_story()) == []


def test_the_empty_group_id_is_invalid_even_where_such_a_group_exists() -> None:
    story = GroupStory()
    story.commit("")
    assert delete(story, topic("orders", 0), group="") == INVALID_GROUP_ID


def test_before_the_offsets_topic_exists_there_is_no_coordinator() -> None:
    assert delete(GroupStory(partitions=0), topic("orders", 0)) == NOT_COORDINATOR


def test_a_group_whose_partition_loads_or_failed_is_an_error() -> None:
    story = a_story()
    story.groups = Groups()
    story.groups.serve(1)
    assert delete(story, topic("orders", 0)) == COORDINATOR_LOAD_IN_PROGRESS
    story.groups.failed(0)
    assert delete(story, topic("orders", 0)) == NOT_COORDINATOR


@pytest.mark.parametrize("group", ["readers", "nobody", ""])
@pytest.mark.parametrize("partitions", [0, 1])
def test_a_group_that_may_not_be_deleted_from_is_refused_before_anything_else(
    group: str, partitions: int
) -> None:
    """Neither the group, nor its name, nor the coordinator is checked before."""
    refuse = denying(Operation.DELETE, ResourceType.GROUP, group)
    story = a_story() if partitions else GroupStory(partitions=0)
    response = delete(story, topic("nope", 0), group=group, allowed=refuse)
    assert response == GROUP_AUTHORIZATION_FAILED


def test_delete_on_the_group_and_read_on_topics_are_the_only_permissions_checked() -> None:
    requested: list[tuple[int, int, str]] = []
    delete(a_story(), topic("payments", 0), topic("nope", 0), topic("orders", 0),
           allowed=lambda *wanted: requested.append(wanted) is None)  # fmt: skip
    assert requested == [
        (Operation.DELETE, ResourceType.GROUP, "readers"),
        *((Operation.READ, ResourceType.TOPIC, name) for name in ("payments", "nope", "orders")),
    ]


def test_an_error_of_the_group_also_replaces_that_a_topic_may_not_be_read() -> None:
    refuse = denying(Operation.READ, ResourceType.TOPIC, "orders")
    assert delete(GroupStory(), topic("orders", 0), group="nobody", allowed=refuse) == GROUP_ID_NOT_FOUND


def test_refused_topics_are_first_in_the_order_of_the_request() -> None:
    """The same request was sent to Kafka 4.3.1."""
    story = GroupStory({"T1": 2, "T2": 2, "T3": 2})
    story.commit("readers", "T1")
    topics = [
        topic("T1", 0),
        topic("T2", 0),
        topic("missing", 0),
        topic("T2", 1, 9),
        topic("T3", 5),
        topic("T3", 0),
    ]
    refuse = denying(Operation.READ, ResourceType.TOPIC, "T2")
    assert delete(story, *topics, allowed=refuse) == [
        ("T2", [(partition, TOPIC_AUTHORIZATION_FAILED) for partition in (0, 1, 9)]),
        ("missing", [(0, UNKNOWN_TOPIC_OR_PARTITION)]),
        ("T3", [(5, UNKNOWN_TOPIC_OR_PARTITION), (0, NONE)]),
        ("T1", [(0, NONE)]),
    ]


def test_offsets_of_a_topic_that_may_not_be_read_are_kept() -> None:
    story = a_story()
    refuse = denying(Operation.READ, ResourceType.TOPIC, "orders")
    delete(story, topic("orders", 0, 1, 2), topic("payments", 0), allowed=refuse)
    assert set(story.offsets("readers")) == {("orders", 0), ("orders", 1), ("orders", 2)}


@pytest.mark.parametrize("name", ["orders", "nope"])
def test_a_topic_needs_read_whether_it_exists_or_not(name: str) -> None:
    refuse = denying(Operation.READ, ResourceType.TOPIC, name)
    response = delete(a_story(), topic(name, 0, 99), topic("payments", 0), allowed=refuse)
    assert response == [
        (name, [(0, TOPIC_AUTHORIZATION_FAILED), (99, TOPIC_AUTHORIZATION_FAILED)]),
        ("payments", [(0, NONE)]),
    ]


def test_a_known_topic_without_partitions_is_left_out_and_an_unknown_one_is_echoed() -> None:
    """The same request was sent to Kafka 4.3.1."""
    assert delete(a_story(), topic("orders"), topic("nope")) == [("nope", [])]


def test_if_one_is_refused_refused_topics_are_first_and_repeated_ones_merged() -> None:
    """The same request was sent to Kafka 4.3.1."""
    story = GroupStory({"T1": 2, "T2": 2})
    story.commit("readers", "T1")
    response = delete(
        story, topic("T1", 0, 0), topic("T2", 0, 9), topic("T1", 1), topic("nope", 1), topic("T2", 1)
    )
    assert response == [
        ("T2", [(9, UNKNOWN_TOPIC_OR_PARTITION), (0, NONE), (1, NONE)]),
        ("nope", [(1, UNKNOWN_TOPIC_OR_PARTITION)]),
        ("T1", [(0, NONE), (0, NONE), (1, NONE)]),
    ]


def test_without_refusals_repeated_topics_stay_apart() -> None:
    assert delete(a_story(), topic("orders", 0), topic("orders", 1)) == [
        ("orders", [(0, NONE)]),
        ("orders", [(1, NONE)]),
    ]
