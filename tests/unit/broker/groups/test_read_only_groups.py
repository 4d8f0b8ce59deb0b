"""Groups whose protocol is not served, in a log that Kafka wrote."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.unit.broker.group_story import GroupStory
from tidemark.core.context import Now
from tidemark.core.decision import Record
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.expirations import deleted_group
from tidemark.groups.state import Groups
from tidemark.handlers.groups.delete_groups import delete_groups
from tidemark.handlers.groups.heartbeat import heartbeat
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.leave_group import leave_group
from tidemark.handlers.groups.offset_delete import offset_delete
from tidemark.handlers.groups.sync_group import sync_group
from tidemark_protocol.loading import OtherRecordKey
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.heartbeat import HeartbeatRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tidemark_protocol.messages.sync_group import SyncGroupRequest
from tidemark_protocol.records.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
)
from tidemark_protocol.records.consumer_group_member_metadata import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
)
from tidemark_protocol.records.consumer_group_metadata import (
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
)
from tidemark_protocol.records.consumer_group_regular_expression import (
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
)
from tidemark_protocol.records.consumer_group_target_assignment_member import (
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
)
from tidemark_protocol.records.consumer_group_target_assignment_metadata import (
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, INCONSISTENT_GROUP_PROTOCOL = 69, 25, 23
UNSUPPORTED_VERSION = 35
NON_EMPTY_GROUP, GROUP_SUBSCRIBED_TO_TOPIC = 68, 86
UNREAD_GROUP = OtherRecordKey(31, "g", b"\0\x1f\0\1g")
UNREAD_MEMBER = OtherRecordKey(30, "g", b"\0\x1e\0\1g\0\1m")


def group(epoch: int | None, name: str = "g") -> Record:
    value = None if epoch is None else ConsumerGroupMetadataValue(epoch)
    return Record(ConsumerGroupMetadataKey(name), value)


def member(*topics: str, regex: str = "", member_id: str = "m", name: str = "g") -> Record:
    value = ConsumerGroupMemberMetadataValue(
        instance_id=None,
        subscribed_topic_names=list(topics),
        subscribed_topic_regex=regex,
        classic_member_metadata=None,
    )
    return Record(ConsumerGroupMemberMetadataKey(name, member_id), value)


def target(epoch: int, name: str = "g") -> Record:
    return Record(
        ConsumerGroupTargetAssignmentMetadataKey(name), ConsumerGroupTargetAssignmentMetadataValue(epoch)
    )


def target_of(member_id: str = "m", name: str = "g") -> Record:
    return Record(
        ConsumerGroupTargetAssignmentMemberKey(name, member_id), ConsumerGroupTargetAssignmentMemberValue([])
    )


def current(epoch: int, state: int = 0, member_id: str = "m", name: str = "g") -> Record:
    value = ConsumerGroupCurrentMemberAssignmentValue(epoch, epoch - 1, state)
    return Record(ConsumerGroupCurrentMemberAssignmentKey(name, member_id), value)


def regex(pattern: str, *topics: str, name: str = "g") -> Record:
    value = ConsumerGroupRegularExpressionValue(list(topics))
    return Record(ConsumerGroupRegularExpressionKey(name, pattern), value)


def offset(topic: str = "orders", name: str = "g") -> Record:
    return Record(OffsetCommitKey(name, topic, 0), OffsetCommitValue(1, -1, "", 5))


def tombstone_of(record: Record) -> Record:
    return Record(record.key, None)


def other(key: OtherRecordKey, value: bytes | None = b"\0\0") -> Record:
    return Record(key, value)


def loaded(*records: Record) -> Groups:
    groups = Groups()
    groups.serve(1)
    for record in records:
        groups.replay(record)
    groups.loaded(0, Now(0, 0))
    return groups


STABLE = (group(2), member("orders"), target(2), target_of(), current(2))


@pytest.mark.parametrize("order", [*itertools.permutations(range(5))])
def test_compaction_leaves_the_records_in_any_order(order: tuple[int, ...]) -> None:
    records = [STABLE[at] for at in order]
    found = loaded(records[0], offset(), *records[1:]).groups["g"]
    assert (found.type_name, found.state_name, found.protocol_type) == ("consumer", "Stable", "consumer")
    assert found.is_subscribed("orders")
    assert not found.is_subscribed("payments")


@pytest.mark.parametrize(
    ("records", "state"),
    [
        ((group(3),), "Empty"),
        ((group(3), member("orders"), target(2), current(2)), "Assigning"),
        ((group(3), member("orders"), target(3), current(2)), "Reconciling"),
        ((group(3), member("orders"), target(3), current(3, state=1)), "Reconciling"),
        ((group(3), member("orders"), target(3), current(3)), "Stable"),
        ((group(3), member("orders"), target(3), current(3), member("orders", member_id="n")), "Reconciling"),
    ],
)
def test_the_state_follows_from_the_epochs(records: tuple[Record, ...], state: str) -> None:
    assert loaded(*records).groups["g"].state_name == state


def test_a_regular_expression_subscribes_to_its_resolved_topics() -> None:
    found = loaded(group(2), member(regex="o.*"), regex("o.*", "orders")).groups["g"]
    assert found.subscribed_topics == {"orders"}
    assert loaded(group(2), member(regex="o.*")).groups["g"].subscribed_topics == frozenset()


def test_tombstones_remove_members_and_groups() -> None:
    left = loaded(
        *STABLE, tombstone_of(current(2)), tombstone_of(target_of()), tombstone_of(member()), group(3)
    ).groups["g"]
    assert isinstance(left, ConsumerGroup)
    assert (left.state, left.members, left.targets) == ("Empty", {}, {})
    assert loaded(group(3), tombstone_of(target(2)), group(None)).groups == {}


def test_a_tombstone_creates_no_group() -> None:
    for record in (*STABLE, regex("o.*")):
        assert loaded(tombstone_of(record)).groups == {}


def test_the_type_of_an_upgraded_or_downgraded_group_is_that_of_its_last_record() -> None:
    classic = Record(GroupMetadataKey("g"), GroupMetadataValue("consumer", 3))
    assert loaded(classic, tombstone_of(classic), *STABLE).groups["g"].type_name == "consumer"
    assert loaded(*STABLE, group(None), classic).groups["g"].type_name == "classic"


def test_a_share_group_is_known_while_any_record_of_it_is() -> None:
    found = loaded(other(UNREAD_MEMBER), other(UNREAD_GROUP)).groups["g"]
    assert (found.type_name, found.protocol_type, found.state_name) == ("unknown", "unknown", "Unknown")
    assert loaded(other(UNREAD_MEMBER), other(UNREAD_GROUP), other(UNREAD_MEMBER, None)).groups.keys() == {
        "g"
    }
    assert loaded(other(UNREAD_GROUP), other(UNREAD_GROUP, None)).groups == {}
    assert loaded(other(UNREAD_GROUP, None)).groups == {}


@pytest.mark.parametrize("record_type", [9, 18])
def test_records_of_early_releases_are_skipped(record_type: int) -> None:
    assert loaded(other(OtherRecordKey(record_type, "g", b"key"))).groups == {}


def test_a_record_of_another_type_does_not_change_a_known_group() -> None:
    assert loaded(*STABLE, other(UNREAD_GROUP)).groups["g"].type_name == "consumer"


def test_a_kip_848_group_is_deleted_with_the_same_records_as_in_kafka() -> None:
    """Kafka deletes an empty group with records of types 6, 4 and 3."""
    groups = loaded(group(3), target(2))
    records = groups.groups["g"].tombstones()
    assert [record.key.API_KEY for record in records] == [6, 4, 3]
    assert [deleted_group(record) for record in (*records, group(3))] == [None, None, "g", None]
    for record in records:
        assert groups.partition_of(record) == 0
        groups.replay(record)
    assert groups.groups == {}


# Permitted requests of clients.


def a_story(*records: Record) -> GroupStory:
    story = GroupStory()
    for record in records:
        story.groups.replay(record)
    story.groups.loaded(0, story.now)
    return story


@pytest.mark.parametrize("records", [(other(UNREAD_GROUP),)])
def test_joins_are_refused_and_members_are_unknown(records: tuple[Record, ...]) -> None:
    story = a_story(*records)
    join = JoinGroupRequest(
        "g", 10_000, 60_000, "", None, "consumer", [JoinGroupRequestProtocol("range", b"")]
    )
    requests: list[tuple[Any, int, Any, int]] = [
        (join_group, 5, join, INCONSISTENT_GROUP_PROTOCOL),
        (heartbeat, 4, HeartbeatRequest("g", 2, "m"), UNKNOWN_MEMBER_ID),
        (sync_group, 4, SyncGroupRequest("g", 2, "m"), UNKNOWN_MEMBER_ID),
    ]
    for decide, version, request, code in requests:
        assert story.ask(decide, request, version).error_code == code
    left = story.ask(leave_group, LeaveGroupRequest("g", members=[MemberIdentity("m")]), 3)
    assert left.members[0].error_code == UNKNOWN_MEMBER_ID
    assert story.log == []


def test_commits_without_a_member_are_accepted_only_while_the_group_is_empty() -> None:
    assert a_story(group(2)).commit("g") == 0
    assert a_story(*STABLE).commit("g") == UNKNOWN_MEMBER_ID
    assert a_story(*STABLE).commit("g", member_id="m", generation_id_or_member_epoch=2) == UNSUPPORTED_VERSION
    assert a_story(other(UNREAD_GROUP)).commit("g") == UNKNOWN_MEMBER_ID


def test_offsets_of_unsubscribed_topics_may_be_deleted() -> None:
    def delete(*records: Record) -> Any:
        topics = [
            OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(0)])
            for name in ("orders", "payments")
        ]
        response = a_story(*records).ask(offset_delete, OffsetDeleteRequest("g", topics), 0)
        return response.error_code, [topic.partitions[0].error_code for topic in response.topics]

    assert delete(*STABLE) == (0, [GROUP_SUBSCRIBED_TO_TOPIC, 0])
    assert delete(group(2)) == (0, [0, 0])
    assert delete(other(UNREAD_GROUP)) == (GROUP_ID_NOT_FOUND, [])


def test_a_group_without_members_may_be_deleted() -> None:
    def delete(story: GroupStory) -> int:
        code: int = story.ask(delete_groups, DeleteGroupsRequest(["g"]), 2).results[0].error_code
        return code

    assert delete(a_story(*STABLE)) == NON_EMPTY_GROUP
    assert delete(a_story(other(UNREAD_GROUP))) == NON_EMPTY_GROUP
    story = a_story(group(2), offset())
    assert delete(story) == 0
    assert story.groups.groups == {}
    assert story.restarted().groups == {}
