"""StreamsGroupHeartbeat. Expected responses are those that Apache Kafka 4.3.1 gave in recorded cases."""

from __future__ import annotations

from tests.conformance.build_streams import subtopology, topology
from tests.conformance.streaming import one_source
from tests.unit.broker.groups.streams_story import GROUP, TOPIC, StreamsStory, recorded
from tidemark.core.context import Operation, ResourceType

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
