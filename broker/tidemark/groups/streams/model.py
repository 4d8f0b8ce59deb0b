"""Streams groups (KIP-1071) that Kafka wrote. They are not served: no member can join, and none times out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from tidemark.core.result import Record
from tidemark.groups.group import Group, MemberFacts
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.streams_group_metadata import StreamsGroupMetadataKey
from tidemark_protocol.records.streams_group_target_assignment_metadata import (
    StreamsGroupTargetAssignmentMetadataKey,
)
from tidemark_protocol.records.streams_group_topology import StreamsGroupTopologyKey

STREAMS = "streams"


@dataclass(slots=True, eq=False)
class StreamsGroup(Group):
    """A streams group.

    group_epoch  the number of its last change
    members      by id
    sources      source topics and repartition source topics of the topology. One record holds them all
    """

    group_epoch: int = 0
    members: dict[str, MemberFacts] = field(default_factory=dict)
    sources: frozenset[str] = frozenset()

    @property
    def type_name(self) -> str:
        return STREAMS

    @property
    def state_name(self) -> str:
        """Return Unknown if the group has members: its epochs are not compared."""
        return "Unknown" if self.members else "Empty"

    @property
    def is_empty(self) -> bool:
        return not self.members

    @property
    def epoch(self) -> int:
        return self.group_epoch

    @property
    def topics_are_known(self) -> bool:
        return bool(self.members)

    @property
    def member_ids(self) -> Collection[str]:
        return self.members.keys()

    def member_facts(self) -> list[MemberFacts]:
        return [*self.members.values()]

    def is_subscribed(self, topic: str) -> bool:
        """Return whether the members read the topic. Kafka: StreamsGroup.isSubscribedToTopic."""
        return bool(self.members) and topic in self.sources

    def check_offset_delete(self) -> ErrorCode:
        return ErrorCode.NONE

    def tombstones(self) -> tuple[Record, ...]:
        """Return Kafka's records. The group is Empty, so there are none of members."""
        return (
            Record(StreamsGroupTargetAssignmentMetadataKey(self.group_id), None),
            Record(StreamsGroupMetadataKey(self.group_id), None),
            Record(StreamsGroupTopologyKey(self.group_id), None),
        )
