"""A share group changes without a heartbeat of the member: time, state, topics, restarts."""

from __future__ import annotations

import pytest

from tests.unit.broker.groups.share_story import FIRST, SECOND, A, B, ShareStory
from tests.unit.broker.story import finished, interrupted
from tidemark.core.context import Now
from tidemark.core.decision import Decision, Record
from tidemark.groups.forgetting import forget_dead, forget_topics
from tidemark.groups.share.group import ShareGroup
from tidemark.handlers.groups.delete_groups import delete_groups
from tidemark.handlers.groups.describe_groups import describe_groups
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.list_groups import list_groups
from tidemark.handlers.groups.offset_delete import offset_delete
from tidemark.handlers.groups.share_group_heartbeat import share_group_heartbeat
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.offset_delete import OffsetDeleteRequest
from tidemark_protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord

SESSION_MS = 45_000
NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND, INCONSISTENT_GROUP_PROTOCOL = 68, 69, 23


def stable(*topics: str) -> ShareStory:
    """Return a group whose first member has all partitions of the topics."""
    story = ShareStory()
    story.beat(FIRST, 0, topics or ("a",))
    story.initialize()
    story.passes(1000)
    story.beat(FIRST, 2)
    return story


def state_of(group: ShareGroup) -> tuple[dict[bytes, list[int]], dict[bytes, list[int]], list[bytes]]:
    return (
        {topic_id: sorted(partitions) for topic_id, (_, partitions) in group.initializing.items()},
        {topic_id: sorted(partitions) for topic_id, (_, partitions) in group.initialized.items()},
        sorted(group.deleting),
    )


# Sessions.


def test_member_without_a_heartbeat_is_removed_after_its_session() -> None:
    story = stable()
    story.passes(SESSION_MS - 1)
    story.settle()
    assert story.group.members.keys() == {FIRST}
    story.passes(1)
    story.settle()
    assert (story.group.state_name, story.group.epoch, story.group.metadata_hash) == ("Empty", 4, 0)
    assert story.group.targets == {}


def test_heartbeat_extends_the_session() -> None:
    story = stable()
    story.passes(SESSION_MS - 1)
    story.beat(FIRST, 3)
    story.passes(SESSION_MS - 1)
    story.settle()
    assert story.group.members.keys() == {FIRST}


def test_empty_group_does_not_expire() -> None:
    story = stable()
    story.beat(FIRST, -1)
    story.passes(10 * 7 * 24 * 3_600_000)
    story.clean_up()
    assert story.group.state_name == "Empty"


# Assignments.


def test_target_is_computed_once_per_interval() -> None:
    story = stable()
    assert story.shown(story.beat(SECOND, 0, ["a"])) == (3, {})
    story.passes(999)
    assert story.shown(story.beat(SECOND, 3)) == (3, None)
    story.passes(1)
    assert story.shown(story.beat(SECOND, 3)) == (4, {"a": [0, 1]})
    assert story.shown(story.beat(FIRST, 3)) == (4, {"a": [2]})


def test_new_partitions_are_initialized_and_then_assigned() -> None:
    story = stable()
    known = story.cluster.topics["a"]
    record = known.partitions[0].record(known.topic_id)
    record.partition_id = 3
    story.cluster.replay(Record(None, record))
    story.passes(1000)
    assert story.shown(story.beat(FIRST, 3)) == (4, None)
    assert state_of(story.group) == ({A: [3]}, {A: [0, 1, 2]}, [])
    story.initialize()
    story.passes(1000)
    assert story.shown(story.beat(FIRST, 4)) == (5, {"a": [0, 1, 2, 3]})


def test_large_group_is_assigned_in_steps() -> None:
    story = ShareStory({"a": 3, "large": 900})
    assert story.shown(story.beat(FIRST, 0, ["large"])) == (2, {})
    story.initialize()
    story.passes(1000)
    epoch, assigned = story.shown(story.beat(FIRST, 2))
    assert (epoch, assigned) == (3, {"large": [*range(900)]})
    story.beat(SECOND, 0, ["large"])
    story.passes(1000)
    epoch, assigned = story.shown(story.beat(SECOND, 3))
    assert assigned is not None
    assert (epoch, len(assigned["large"])) == (4, 450)
    assert story.group.assigning_ms is None


@pytest.mark.parametrize("pause", range(3))
def test_member_that_leaves_while_a_large_group_is_assigned_is_unknown(pause: int) -> None:
    story = ShareStory({"large": 900})
    story.beat(FIRST, 0, ["large"])
    story.initialize()
    story.passes(1000)
    story.beat(FIRST, 2)
    story.beat(SECOND, 0, ["large"])
    story.passes(1000)
    request = ShareGroupHeartbeatRequest("s", SECOND, 3)
    steps = share_group_heartbeat(story.groups, story.context(1), request)
    with pytest.raises(KafkaError) as refused:
        interrupted(steps, pause, story.accept, lambda: story.beat(SECOND, -1))
    assert refused.value.code == ErrorCode.UNKNOWN_MEMBER_ID
    assert story.group.assigning_ms is None


@pytest.mark.parametrize("pause", range(1, 3))
def test_computation_that_stalled_does_not_replace_a_later_target(pause: int) -> None:
    story = ShareStory({"large": 900})
    story.beat(FIRST, 0, ["large"])
    story.initialize()
    story.passes(1000)
    story.beat(FIRST, 2)
    story.beat(SECOND, 0, ["large"])
    story.passes(1000)

    def later() -> None:
        story.passes(30_000)
        story.beat("third", 0, ["large"])

    request = ShareGroupHeartbeatRequest("s", SECOND, 3)
    steps = share_group_heartbeat(story.groups, story.context(1), request)
    decided = interrupted(steps, pause, story.accept, later)
    assert decided.response.member_epoch == story.group.assignment_epoch == 5
    assert [sum(map(len, each.values())) for each in story.group.targets.values()] == [300, 300, 300]
    assert story.group.assigning_ms is None


# State.


def test_state_that_cannot_be_created_is_requested_again_by_the_next_heartbeat() -> None:
    story = ShareStory()
    story.beat(FIRST, 0, ["a"])
    story.refuse()
    assert state_of(story.group) == ({}, {}, [])
    assert story.shown(story.beat(FIRST, 2)) == (2, None)
    assert state_of(story.group) == ({A: [0, 1, 2]}, {}, [])
    assert len(story.initializations) == 1
    story.initialize()
    assert state_of(story.group) == ({}, {A: [0, 1, 2]}, [])


def test_state_is_requested_once() -> None:
    story = ShareStory()
    story.beat(FIRST, 0, ["a"])
    story.beat(FIRST, 2)
    story.beat(SECOND, 0, ["a"])
    assert len(story.initializations) == 1


def test_deleted_topic_is_removed_from_the_record() -> None:
    story = stable("a", "b")
    story.cluster.replay(Record(None, RemoveTopicRecord(B)))
    for part in forget_topics(story.groups, ["b"], [B], story.wall_ms):
        for decision in part:
            story.accept(decision)
    assert state_of(story.group) == ({}, {A: [0, 1, 2]}, [])
    story.passes(1000)
    assert story.shown(story.beat(FIRST, 3)) == (4, {"a": [0, 1, 2]})


def test_topic_that_is_deleted_while_its_state_is_created_is_not_recorded() -> None:
    story = ShareStory()
    story.beat(FIRST, 0, ["a", "b"])
    story.cluster.replay(Record(None, RemoveTopicRecord(B)))
    story.initialize()
    assert state_of(story.group) == ({}, {A: [0, 1, 2]}, [])


def test_start_forgets_topics_whose_deletion_a_crash_has_interrupted() -> None:
    story = stable("a", "b")
    story.cluster.replay(Record(None, RemoveTopicRecord(B)))
    story.groups = story.restarted()
    for part in forget_dead(story.groups, story.cluster, story.wall_ms):
        for decision in part:
            story.accept(decision)
    assert state_of(story.group) == ({}, {A: [0, 1, 2]}, [])


# Deletion.


def test_group_with_members_is_not_deleted() -> None:
    story = stable()
    assert story.delete("s") == [("s", NON_EMPTY_GROUP)]
    assert story.deletions == []


def test_group_stays_if_its_state_cannot_be_deleted_and_a_later_attempt_repeats_it() -> None:
    story = stable()
    story.beat(FIRST, -1)
    story.delete_error = ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert story.delete("s") == [("s", ErrorCode.COORDINATOR_NOT_AVAILABLE)]
    assert state_of(story.group) == ({}, {}, [A])
    story.delete_error = ErrorCode.NONE
    assert story.delete("s") == [("s", 0)]
    assert story.deletions[1].topics == {A: ("a", [0, 1, 2])}
    assert "s" not in story.groups.groups


def test_topic_that_is_read_again_is_not_deleted_any_more() -> None:
    story = stable()
    story.beat(FIRST, -1)
    story.delete_error = ErrorCode.COORDINATOR_NOT_AVAILABLE
    story.delete("s")
    story.beat(FIRST, 0, ["a"])
    assert state_of(story.group) == ({A: [0, 1, 2]}, {}, [])


def test_group_without_state_is_deleted_at_once() -> None:
    story = ShareStory()
    story.beat(FIRST, 0, ["nope"])
    story.beat(FIRST, -1)
    assert story.delete("s") == [("s", 0)]
    assert story.deletions == []


def test_share_groups_that_stay_are_first_in_the_response() -> None:
    story = ShareStory()
    story.beat(FIRST, 0, ["a"], group="s")
    story.beat(FIRST, 0, ["nope"], group="t")
    story.beat(FIRST, -1, group="t")
    response = story.ask(delete_groups, DeleteGroupsRequest(["t", "s", "u"]), 2)
    found = [(each.group_id, each.error_code) for each in response.results]
    assert found[0] == ("s", NON_EMPTY_GROUP)
    assert sorted(found[1:]) == [("t", 0), ("u", GROUP_ID_NOT_FOUND)]


# Restarts.


def test_restart_keeps_the_group() -> None:
    story = stable("a", "b")
    before, members = state_of(story.group), story.group.members
    story.groups = story.restarted()
    group = story.group
    assert (group.state_name, group.epoch, group.target_epoch) == ("Stable", 3, 3)
    assert group.members == members
    assert state_of(group) == before
    assert group.subscribed_topics == frozenset(("a", "b"))
    story.settle()
    assert story.shown(story.beat(FIRST, 3)) == (3, None)


def test_members_have_a_full_session_after_a_restart() -> None:
    story = stable()
    story.passes(SESSION_MS - 1)
    story.groups = story.restarted()
    story.settle()
    story.passes(SESSION_MS - 1)
    story.settle()
    assert story.group.members.keys() == {FIRST}
    story.passes(1)
    story.settle()
    assert story.group.members == {}


def test_restart_requests_state_that_was_being_created() -> None:
    story = ShareStory()
    story.beat(FIRST, 0, ["a"])
    story.initializations.clear()
    story.groups = story.restarted()
    story.settle()
    (effect,) = story.initializations
    assert (effect.topics, effect.state_epoch) == ({A: ("a", [0, 1, 2])}, 2)
    story.initialize()
    story.passes(1000)
    assert story.shown(story.beat(FIRST, 2)) == (3, {"a": [0, 1, 2]})


def test_held_broker_requests_no_state_until_its_release() -> None:
    story = ShareStory()
    story.beat(FIRST, 0, ["a"])
    story.initializations.clear()
    story.groups.start_sessions(Now(story.wall_ms, 2**62))
    story.settle()
    assert story.initializations == []
    story.groups.start_sessions(story.now)
    story.settle()
    assert len(story.initializations) == 1


def test_state_that_is_created_while_its_group_is_deleted_is_deleted_with_it() -> None:
    """No request could delete it afterwards: the group does not know it."""
    story = stable()
    story.beat(FIRST, -1)

    steps = delete_groups(story.groups, story.context(2), DeleteGroupsRequest(["s"]))
    first = next(each for each in steps if isinstance(each, Decision))
    story.accept(first)
    created = story.group.initializing_record({B: ("b", frozenset((1,)))})
    story.accept(Decision(records=(created,)))
    decided = finished(steps, story.accept)
    story.accept(decided)
    assert [each.error_code for each in decided.response.results] == [0]
    assert story.groups.groups == {}
    assert story.deletions[-1].topics[B] == ("b", [1])


def test_deleted_group_does_not_return() -> None:
    story = stable()
    story.beat(FIRST, -1)
    story.delete("s")
    assert story.restarted().groups == {}


# Other APIs.


def test_other_protocols_find_no_group_of_theirs() -> None:
    story = stable()
    described = story.ask(describe_groups, DescribeGroupsRequest(["s"]), 6).groups[0]
    assert (described.error_code, described.error_message, described.group_state) == (
        GROUP_ID_NOT_FOUND, "Group s is not a classic group.", "Dead",
    )  # fmt: skip
    protocols = [JoinGroupRequestProtocol("range", b"")]
    join = JoinGroupRequest("s", 10_000, 60_000, FIRST, None, "consumer", protocols)
    joined = story.ask(join_group, join, 5)
    assert (joined.error_code, joined.member_id) == (INCONSISTENT_GROUP_PROTOCOL, "")
    assert story.ask(offset_delete, OffsetDeleteRequest("s"), 0).error_code == GROUP_ID_NOT_FOUND
    assert story.commit("s", "a") == GROUP_ID_NOT_FOUND


@pytest.mark.parametrize(("joined", "state"), [(True, "Stable"), (False, "Empty")])
def test_group_is_listed(joined: bool, state: str) -> None:
    story = stable()
    if not joined:
        story.beat(FIRST, -1)
    (listed,) = story.ask(list_groups, ListGroupsRequest([], []), 5).groups
    assert (listed.group_id, listed.protocol_type, listed.group_state, listed.group_type) == (
        "s", "share", state, "share",
    )  # fmt: skip
