"""StreamsGroupHeartbeat. Expected responses are those that Apache Kafka 4.3.1 gave in recorded cases."""

from __future__ import annotations

from tests.conformance.build_streams import NO_TASKS, streams_heartbeat, subtopology, topology
from tests.conformance.streaming import one_source
from tests.unit.broker.groups.streams_story import GROUP, TOPIC, StreamsStory, recorded
from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import Decision, Record
from tidemark.handlers.groups.streams_group_heartbeat import streams_group_heartbeat
from tidemark_protocol.by_name import from_dict
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.partition_record import PartitionRecord

API = "StreamsGroupHeartbeat v0"


def test_member_joins_and_leaves_as_in_kafka() -> None:
    story = StreamsStory()
    owned = {"active": {"0": [0, 1, 2]}, "standby": {}, "warmup": {}}
    told = [
        story.join(),
        story.beat(2),
        story.beat(2, **owned),
        story.beat(-1),
        story.beat(-1),
        story.beat(0),
    ]
    assert told == recorded("streams_member_joins_and_leaves", API)
    assert story.groups.groups[GROUP].is_empty


def test_unsupported_fields_are_refused_as_in_kafka() -> None:
    story = StreamsStory(1)
    patterns = topology(subtopology("0", [TOPIC]), subtopology("1", regexes=["a.*"]))
    empty = {"active": {}, "standby": {}}
    told = [
        story.join(instance="i1"),
        story.join(offsets=[]),
        story.join(end_offsets=[]),
        story.join(offsets=[("0", 0, 5)], end_offsets=[("0", 0, 5)]),
        story.join(warmup={"0": [0]}),
        story.join(topology=one_source(TOPIC, regexes=["a.*"])),
        story.join(topology=patterns),
        story.join(),
        story.beat(2, instance="i1"),
        story.beat(2, offsets=[]),
        story.beat(2, end_offsets=[("0", 0, 5)]),
        story.beat(2, **empty, warmup={"0": [0]}),
        story.beat(-1, instance="i1"),
        story.beat(-2, instance="i1"),
        story.beat(-2),
    ]
    assert told == recorded("streams_heartbeat_with_unsupported_features", API)


def test_permissions() -> None:
    story = StreamsStory(1)

    def no_group(operation: int, kind: int, name: str | None) -> bool:
        return (operation, kind, name) != (Operation.READ, ResourceType.GROUP, GROUP)

    def no_topic(operation: int, kind: int, name: str | None) -> bool:
        return (operation, kind, name) != (Operation.DESCRIBE, ResourceType.TOPIC, TOPIC)

    refused = recorded("permissions_on_a_streams_group", API)[0]
    assert story.join(allowed=no_group) == refused
    refused = recorded("permissions_on_topics_of_a_streams_group", API)[0]
    assert story.join(allowed=no_topic) == refused
    assert GROUP not in story.groups.groups


def test_streams_groups_need_their_feature() -> None:
    story = StreamsStory()
    story.set_level(0)
    assert story.join() == recorded("streams_groups_are_not_enabled", API)[0]


def test_topic_that_grows_while_a_large_target_is_computed_is_noticed() -> None:
    story = StreamsStory(500)
    epoch = story.join()["MemberEpoch"]
    story.beat(epoch)
    _, version, fields = streams_heartbeat(
        GROUP, "m2", 0, topology=one_source(TOPIC), rebalance_ms=30_000, process="p2",
        active=NO_TASKS, standby=NO_TASKS, warmup=NO_TASKS,
    )  # fmt: skip
    request = from_dict("StreamsGroupHeartbeatRequest", fields)
    joining = streams_group_heartbeat(story.groups, story.context(version, client_id="m2"), request)
    applied = 0
    while True:
        try:
            step = next(joining)
        except StopIteration as last:
            story.accept(last.value)
            break
        if isinstance(step, Decision):
            story.accept(step)
            applied += 1
            grown = PartitionRecord(500, story.topic_id(TOPIC), [1], [1], leader=1)
            story.cluster.replay(Record(None, grown))
    assert applied == 1
    before = story.groups.groups[GROUP].epoch
    story.beat(epoch)
    assert story.groups.groups[GROUP].epoch == before + 1


def test_member_that_joins_again_while_a_large_target_is_computed_is_unknown_to_its_first_join() -> None:
    story = StreamsStory(500)
    story.beat(story.join()["MemberEpoch"])
    _, version, fields = streams_heartbeat(
        GROUP, "m2", 0, topology=one_source(TOPIC), rebalance_ms=30_000, process="p2",
        active=NO_TASKS, standby=NO_TASKS, warmup=NO_TASKS,
    )  # fmt: skip
    request = from_dict("StreamsGroupHeartbeatRequest", fields)
    steps = streams_group_heartbeat(story.groups, story.context(version, client_id="m2"), request)
    applied = 0
    while True:
        try:
            step = next(steps)
        except StopIteration as last:
            response = last.value.response
            break
        if isinstance(step, Decision):
            story.accept(step)
            story.beat(-1, member="m2")
            applied = 1
        elif applied == 1:
            story.join(member="m2", process="p2")
            applied = 2
    assert response.error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_computation_that_stalled_does_not_replace_a_later_target() -> None:
    story = StreamsStory(500)
    epoch = story.beat(story.join()["MemberEpoch"])["MemberEpoch"]
    _, version, fields = streams_heartbeat(
        GROUP, "m2", 0, topology=one_source(TOPIC), rebalance_ms=30_000, process="p2",
        active=NO_TASKS, standby=NO_TASKS, warmup=NO_TASKS,
    )  # fmt: skip
    request = from_dict("StreamsGroupHeartbeatRequest", fields)
    steps = streams_group_heartbeat(story.groups, story.context(version, client_id="m2"), request)
    pauses, parts = 0, 0
    while True:
        try:
            step = next(steps)
        except StopIteration as last:
            story.accept(last.value)
            response = last.value.response
            break
        pauses += parts == 1
        if isinstance(step, Decision):
            story.accept(step)
            parts += 1
        elif pauses == 1:
            story.passes(30_000)
            assert story.join(member="m3", process="p3")["MemberEpoch"] == epoch + 2
    assert response.member_epoch == story.groups.groups[GROUP].assignment_epoch == epoch + 2
    assert len(story.groups.groups[GROUP].targets) == 3
