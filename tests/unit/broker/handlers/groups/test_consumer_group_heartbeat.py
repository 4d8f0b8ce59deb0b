"""ConsumerGroupHeartbeat: stories that were run against Apache Kafka 4.3.1."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.broker.groups.consumer_story import ConsumerStory
from tidemark.core.decision import Decision
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.records import member_record

UNKNOWN_MEMBER_ID, GROUP_MAX_SIZE_REACHED, FENCED_INSTANCE_ID = 25, 81, 82
FENCED_MEMBER_EPOCH, UNRELEASED_INSTANCE_ID = 110, 111


def test_two_members_share_a_topic_as_the_first_gives_up_partitions() -> None:
    story = ConsumerStory()
    everything = {"c": range(6)}
    assert story.shown(story.join("m1")) == (2, {"c": [0, 1, 2, 3, 4, 5]})
    assert story.shown(story.join("m2")) == (3, {})
    assert story.shown(story.beat("m1", 2, owns=everything)) == (2, {"c": [0, 1, 2]})
    assert story.shown(story.beat("m1", 2, owns=everything)) == (2, None)
    assert story.shown(story.beat("m2", 3)) == (3, None)
    assert story.shown(story.beat("m1", 2, owns={"c": range(3)})) == (3, None)
    assert story.group.state_name == "Reconciling"
    assert story.shown(story.beat("m2", 3)) == (3, {"c": [3, 4, 5]})
    assert story.shown(story.beat("m2", 3)) == (3, None)
    assert story.group.state_name == "Stable"


def test_the_records_of_a_first_join_and_of_a_leave() -> None:
    story = ConsumerStory()
    story.join("m1")
    assert story.written() == [(5, "m1"), (3, 2), (7, "m1"), (6, 2), (8, "m1")]
    story.beat("m1", -1)
    assert story.written() == [(8, ("m1", None)), (7, ("m1", None)), (5, ("m1", None)), (3, 3), (6, 3)]


def test_a_member_without_heartbeats_is_removed_after_the_session_timeout() -> None:
    story = ConsumerStory(session_timeout_ms=45_000)
    story.join("m1")
    story.passes(30_000)
    story.join("m2")
    story.written()
    story.passes(15_000)
    story.settle()
    assert story.written() == [(8, ("m1", None)), (7, ("m1", None)), (5, ("m1", None)), (3, 4)]
    assert story.beat("m1", 2).error_code == UNKNOWN_MEMBER_ID
    assert story.shown(story.beat("m2", 3)) == (4, {"c": [0, 1, 2, 3, 4, 5]})


def test_a_member_that_does_not_revoke_in_time_is_removed() -> None:
    story = ConsumerStory()
    story.join("m1", rebalance_timeout_ms=10_000)
    story.join("m2")
    assert story.shown(story.beat("m1", 2, owns={"c": range(6)})) == (2, {"c": [0, 1, 2]})
    story.passes(9_999)
    story.settle()
    assert "m1" in story.group.members
    story.passes(1)
    story.settle()
    assert "m1" not in story.group.members
    assert story.shown(story.beat("m2", 3)) == (4, {"c": [0, 1, 2, 3, 4, 5]})


def test_a_member_that_revokes_in_time_stays() -> None:
    story = ConsumerStory()
    story.join("m1", rebalance_timeout_ms=10_000)
    story.join("m2")
    story.beat("m1", 2, owns={"c": range(6)})
    story.beat("m1", 2, owns={"c": range(3)})
    story.passes(20_000)
    story.settle()
    assert "m1" in story.group.members


def test_a_target_is_computed_at_the_first_heartbeat_after_the_assignment_interval() -> None:
    story = ConsumerStory(assignment_interval_ms=1_000)
    story.join("m1")
    assert story.shown(story.join("m2")) == (2, {})
    assert story.group.state_name == "Assigning"
    assert story.shown(story.beat("m1", 2, owns={"c": range(6)})) == (2, None)
    story.passes(1_000)
    assert story.shown(story.beat("m1", 2, owns={"c": range(6)})) == (2, {"c": [0, 1, 2]})
    assert story.group.assignment_epoch == 3


def test_a_static_member_that_returns_keeps_its_assignment_under_its_new_id() -> None:
    story = ConsumerStory()
    story.join("m1", instance_id="i1")
    story.written()
    left = story.beat("m1", -2, instance_id="i1")
    assert (left.member_id, left.member_epoch, left.heartbeat_interval_ms) == ("m1", -2, 0)
    assert story.written() == [(8, "m1")]
    assert story.group.state_name == "Reconciling"
    assert story.shown(story.join("m1b", instance_id="i1")) == (2, {"c": [0, 1, 2, 3, 4, 5]})
    assert story.written() == [
        *((key, ("m1", None)) for key in (8, 7, 5)),
        *((key, "m1b") for key in (5, 7, 8, 8)),
    ]
    fenced = story.beat("m1", 2, instance_id="i1")
    assert fenced.error_code == FENCED_INSTANCE_ID
    assert fenced.error_message == "Static member m1 with instance id i1 was fenced by member m1b."


def test_an_instance_that_is_in_use_refuses_another_member() -> None:
    story = ConsumerStory()
    story.join("m1", instance_id="i1")
    for member_id in ("m1", "m2"):
        refused = story.join(member_id, instance_id="i1")
        assert (refused.error_code, refused.member_epoch) == (UNRELEASED_INSTANCE_ID, 0)


def test_a_static_member_that_does_not_return_in_time_is_removed() -> None:
    story = ConsumerStory()
    story.join("m1", instance_id="i1")
    story.beat("m1", -2, instance_id="i1")
    story.passes(45_000)
    story.settle()
    assert story.group.state_name == "Empty"
    assert not story.group.static_members


def test_an_epoch_must_be_the_current_one_or_the_one_before_with_owned_partitions() -> None:
    story = ConsumerStory()
    story.join("m1")
    story.beat("m1", 2, subscribed_topic_names=["c", "d"])
    assert story.group.members["m1"].epoch == 3
    assert story.shown(story.beat("m1", 2, owns={"c": [0]})) == (3, None)
    for refused in (story.beat("m1", 2), story.beat("m1", 4), story.beat("m1", 1, owns={})):
        assert refused.error_code == FENCED_MEMBER_EPOCH
    assert story.beat("m1", 4).error_message == (
        "The consumer group member has a greater member epoch (4) than the one known by the group "
        "coordinator (3). The member must abandon all its partitions and rejoin."
    )


def test_partitions_of_a_topic_that_the_member_drops_are_taken_at_once() -> None:
    story = ConsumerStory({"c": 2, "d": 1}, assignment_interval_ms=1_000)
    story.join("m1", ["c", "d"])
    story.written()
    response = story.beat("m1", 2, subscribed_topic_names=["d"], owns={"c": [0, 1], "d": [0]})
    assert story.shown(response) == (2, {"d": [0]})
    assert story.written() == [(5, "m1"), (3, 3), (8, "m1")]


def test_a_changed_topic_raises_the_group_epoch_at_the_next_heartbeat() -> None:
    story = ConsumerStory({"c": 1})
    story.join("m1", ["c", "later"])
    story.create_topic("later", 2, story.wall_ms)
    assert story.shown(story.beat("m1", 2)) == (3, {"c": [0], "later": [0, 1]})
    story.create_topic("other", 2, story.wall_ms)
    assert story.shown(story.beat("m1", 3)) == (3, None)


def test_a_member_with_a_regular_expression_joins_before_it_is_resolved() -> None:
    story = ConsumerStory({"c1": 1, "c2": 1, "d": 1})
    assert story.shown(story.join("m1", None, subscribed_topic_regex="c.*")) == (1, {})
    assert story.written() == [(5, "m1"), (8, "m1")]
    story.resolve()
    assert story.written() == [(16, "c.*"), (3, 2)]
    epoch, assigned = story.shown(story.beat("m1", 1))
    assert (epoch, assigned) == (2, {"c1": [0], "c2": [0]})
    assert story.written() == [(7, "m1"), (6, 2), (8, "m1")]
    assert story.group.is_subscribed("c1")
    story.beat("m1", -1)
    assert story.written()[-3:] == [(16, ("c.*", None)), (3, 3), (6, 3)]


def test_regular_expressions_are_resolved_again_ten_seconds_after_a_new_topic() -> None:
    story = ConsumerStory({"c1": 1})
    story.join("m1", None, subscribed_topic_regex="c.*")
    story.resolve()
    story.beat("m1", 1)
    story.create_topic("c2", 1, story.wall_ms)
    story.passes(10_000)
    story.beat("m1", 2)
    assert not story.resolutions
    story.passes(1)
    story.beat("m1", 2)
    story.beat("m1", 2)
    assert len(story.resolutions) == 1
    story.resolve()
    assert story.shown(story.beat("m1", 2)) == (3, {"c1": [0], "c2": [0]})


def test_a_member_that_joins_an_empty_classic_group_keeps_its_offsets() -> None:
    story = ConsumerStory()
    assert story.commit("g", "c") == 0
    story.written()
    assert story.shown(story.join("m1"))[0] == 2
    assert story.written() == [(2, (None, None)), (5, "m1"), (3, 2), (7, "m1"), (6, 2), (8, "m1")]
    assert story.offsets("g") == {("c", 0): 42}


def test_a_full_group_accepts_members_that_it_knows() -> None:
    story = ConsumerStory(max_size=1)
    story.join("m1")
    refused = story.join("m2")
    assert refused.error_code == GROUP_MAX_SIZE_REACHED
    assert refused.error_message == "The consumer group has reached its maximum capacity of 1 members."
    assert story.join("m1").error_code == 0


def test_a_restart_continues_with_epochs_assignments_and_sessions() -> None:
    story = ConsumerStory()
    story.join("m1")
    story.join("m2", instance_id="i2")
    story.beat("m1", 2, owns={"c": range(6)})
    before = story.group
    after = story.restarted().groups["g"]
    assert isinstance(after, ConsumerGroup)
    assert (after.members, after.targets, after.owners) == (before.members, before.targets, before.owners)
    assert (after.group_epoch, after.assignment_epoch, after.state) == (3, 3, "Reconciling")
    assert (after.metadata_hash, after.static_members) == (before.metadata_hash, before.static_members)
    assert after.members["m1"].rebalance_ms == 60_000
    assert after.members["m2"].session_ms == 45_000


def test_an_assignor_that_only_another_broker_has_gives_way_to_the_default() -> None:
    story = ConsumerStory()
    story.join("m1")
    member = story.group.members["m1"]
    stored = member_record("g", replace(member, assignor="com.example.Assignor"))
    story.accept(Decision(records=(stored,)))
    assert story.shown(story.beat("m1", 2, subscribed_topic_names=["c", "d"]))[0] == 3
