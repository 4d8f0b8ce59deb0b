"""StreamsGroupTopologyDescriptionUpdate. Expected responses are those that Apache Kafka 4.4.0 gave."""

from __future__ import annotations

from typing import Any

from tests.conformance.build_streams import describe_topology, description
from tests.conformance.case import Fields
from tests.kafka_oracle import NEWEST
from tests.unit.broker.groups.streams_story import GROUP, MEMBER, StreamsStory, recorded
from tidemark.core.context import Operation, ResourceType
from tidemark.handlers.groups.streams_group_topology_description_update import (
    streams_group_topology_description_update,
)
from tidemark_protocol import from_dict, to_dict

API = "StreamsGroupTopologyDescriptionUpdate v0"


def described(story: StreamsStory, group: str = GROUP, *, allowed: Any = None) -> Fields:
    _, version, request = describe_topology(group, MEMBER, 0, description({}))
    made = from_dict("StreamsGroupTopologyDescriptionUpdateRequest", request)
    fields: Fields = to_dict(
        story.ask(streams_group_topology_description_update, made, version, allowed=allowed)
    )
    return fields


def test_description_needs_a_plugin_as_in_kafka() -> None:
    story = StreamsStory()
    story.join()
    (expected, *_) = recorded("topology_is_described_without_a_plugin", API, NEWEST)
    assert [described(story, group) for group in (GROUP, "unknown", "")] == [expected] * 3


def test_permission_is_checked_before_the_plugin() -> None:
    def may_not_read(operation: int, kind: int, name: str | None) -> bool:
        return (operation, kind, name) != (Operation.READ, ResourceType.GROUP, GROUP)

    (expected, *_) = recorded("permissions_to_describe_a_topology", API, NEWEST)
    assert described(StreamsStory(), allowed=may_not_read) == expected


def test_streams_groups_need_their_feature() -> None:
    story = StreamsStory()
    story.set_level(0)
    (expected, *_) = recorded("topologies_are_described_without_streams_groups", API, NEWEST)
    assert described(story) == expected
