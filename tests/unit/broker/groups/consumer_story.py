"""Members of a KIP-848 group, for stories without disk and sockets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.unit.broker.group_story import GroupStory
from tidemark.core.decision import Decision, Record
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.resolving import resolve
from tidemark.handlers.groups.consumer_group_heartbeat import consumer_group_heartbeat
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
    ConsumerGroupHeartbeatResponse,
)

Owned = Mapping[str, Iterable[int]]  # by topic name


class ConsumerStory(GroupStory):
    """Topic c has 6 partitions. settings: those named group.consumer.*, without this prefix."""

    def __init__(self, topics: dict[str, int] | None = None, **settings: Any) -> None:
        values = {"assignment_interval_ms": 0, **settings}
        super().__init__(
            {"c": 6} if topics is None else topics,
            **{f"group_consumer_{name}": value for name, value in values.items()},
        )

    @property
    def group(self) -> ConsumerGroup:
        group = self.groups.groups["g"]
        assert isinstance(group, ConsumerGroup)
        return group

    def beat(
        self,
        member_id: str,
        epoch: int,
        *,
        owns: Owned | None = None,
        group: str = "g",
        version: int = 1,
        **fields: Any,
    ) -> ConsumerGroupHeartbeatResponse:
        """Send a heartbeat. fields: of the request; client_id: of the context."""
        more = {"client_id": fields.pop("client_id")} if "client_id" in fields else {}
        partitions = None
        if owns is not None:
            partitions = [
                ConsumerGroupHeartbeatRequestTopicPartitions(self.topic_id(name), [*numbers])
                for name, numbers in owns.items()
            ]
        request = ConsumerGroupHeartbeatRequest(
            group, member_id, epoch, topic_partitions=partitions, **fields
        )
        response: ConsumerGroupHeartbeatResponse = self.ask(
            consumer_group_heartbeat, request, version, **more
        )
        return response

    def join(
        self, member_id: str, topics: Iterable[str] | None = ("c",), **fields: Any
    ) -> ConsumerGroupHeartbeatResponse:
        names = None if topics is None else [*topics]
        fields = {"rebalance_timeout_ms": 60_000, "owns": {}, "subscribed_topic_names": names, **fields}
        return self.beat(member_id, 0, **fields)

    def add_partition(self, topic: str, created_ms: int | None = None) -> None:
        known = self.cluster.topics[topic]
        record = known.partitions[0].record(known.topic_id)
        record.partition_id = len(known.partitions)
        if created_ms is not None:
            record.creation_time_ms = created_ms
        self.cluster.replay(Record(None, record))

    def resolve(self) -> None:
        """Resolve the regular expressions that were requested."""
        while self.resolutions:
            for step in resolve(self.groups, self.resolutions.pop(), self.wall_ms):
                if isinstance(step, Decision):
                    self.accept(step)
                    self.settle()

    def shown(self, response: ConsumerGroupHeartbeatResponse) -> tuple[int, dict[str, list[int]] | None]:
        """Return epoch and assignment of a response without an error, with topics by name."""
        assert response.error_code == 0, (response.error_code, response.error_message)
        if response.assignment is None:
            return response.member_epoch, None
        return response.member_epoch, {
            self.cluster.topics_by_id[each.topic_id].name: each.partitions
            for each in response.assignment.topic_partitions
        }

    def new(self, response: ConsumerGroupHeartbeatResponse) -> dict[str, list[int]]:
        """Return the partitions of the response's assignment that are called new, by topic."""
        assert response.assignment is not None
        return {
            self.cluster.topics_by_id[each.topic_id].name: each.new_partitions
            for each in response.assignment.topic_partitions
        }

    def written(self) -> list[tuple[int, Any]]:
        """Return the types of the records since the last call, and the member, or the epoch, of each."""
        records, self.log = self.log, []
        self.appended_ms = []
        return [_shown(record) for record in records]


def _shown(record: Record) -> tuple[int, Any]:
    key, value = record.key, record.value
    subject = getattr(key, "member_id", getattr(key, "regular_expression", None))
    if subject is None:
        subject = getattr(value, "epoch", getattr(value, "assignment_epoch", None))
    return key.API_KEY, (subject, None) if value is None else subject
