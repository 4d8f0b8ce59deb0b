"""Members of a streams group, for stories without disk and sockets, beside recorded responses of Kafka."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.conformance.build_streams import NO_TASKS, describe_streams, streams_heartbeat
from tests.conformance.case import Fields
from tests.conformance.recorded_responses import read
from tests.conformance.streaming import comparable, groups_in_order, one_source
from tests.kafka_oracle import USUAL
from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import as_decoded
from tidemark.core.decision import Record
from tidemark.handlers.groups.streams_group_describe import streams_group_describe
from tidemark.handlers.groups.streams_group_heartbeat import streams_group_heartbeat
from tidemark.settings.release import RELEASES
from tidemark_protocol import to_dict
from tidemark_protocol.by_name import from_dict
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord

GROUP, TOPIC, MEMBER = "group3", "topic1", "m1"  # the names in recorded cases


def recorded(case: str, api: str, version: str = USUAL) -> list[Fields]:
    """Return the responses of an API in a case, in order, as this version of Kafka gave them."""
    return [step[api] for step in read(version)[case] if api in step]


class StreamsStory(GroupStory):
    """A target assignment is computed at once, in the request."""

    def __init__(self, partitions: int = 3, *, release: str = "4.3") -> None:
        super().__init__(
            {TOPIC: partitions},
            group_streams_initial_rebalance_delay_ms=0,
            group_streams_assignment_interval_ms=0,
        )
        self.cluster.settings.release = RELEASES[release]
        self.set_level(1)

    def set_level(self, level: int) -> None:
        self.cluster.replay(Record(None, FeatureLevelRecord("streams.version", level)))

    def beat(self, epoch: int, *, member: str = MEMBER, allowed: Any = None, **fields: Any) -> Fields:
        """Return the response as recorded cases have it. fields: of `streams_heartbeat`."""
        _, version, request = streams_heartbeat(GROUP, member, epoch, **fields)
        response = self.ask(
            streams_group_heartbeat,
            from_dict("StreamsGroupHeartbeatRequest", request),
            version,
            allowed=allowed,
            client_id=member,
        )
        return comparable(to_dict(as_decoded(response, version)))

    def join(self, *, allowed: Any = None, **fields: Any) -> Fields:
        given = {
            "topology": one_source(TOPIC), "rebalance_ms": 30_000, "process": "p1",
            "active": NO_TASKS, "standby": NO_TASKS, "warmup": NO_TASKS,
        }  # fmt: skip
        return self.beat(0, allowed=allowed, **{**given, **fields})

    def describe(self, groups: Iterable[str] = (GROUP,), *, allowed: Any = None, **more: Any) -> Fields:
        _, version, request = describe_streams(*groups, **more)
        made = from_dict("StreamsGroupDescribeRequest", request)
        response = self.ask(streams_group_describe, made, version, allowed=allowed)
        return groups_in_order(to_dict(as_decoded(response, version)))
