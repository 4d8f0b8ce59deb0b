"""Requests of a client that commits, joins, deletes, produces and fetches, to any broker."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.group_story import subscription
from tests.wire import Connection
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment


class Client:
    """A client that sends single requests on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.ask(2, FindCoordinatorRequest("any"))  # creates __consumer_offsets

    def ask(self, version: int, message: Any) -> Any:
        return self._connection.ask(type(message).__name__.removesuffix("Request"), version, message)

    def produce(self, topic: str, *batches: tuple[int, bytes], acks: int = -1) -> list[int]:
        """Produce. Return the error of each (partition, batch)."""
        data = [PartitionProduceData(partition, batch) for partition, batch in batches]
        topics = [TopicProduceData(topic, partition_data=data)]
        response = self.ask(9, ProduceRequest(acks=acks, timeout_ms=1000, topic_data=topics))
        return [partition.error_code for partition in response.responses[0].partition_responses]

    def fetch(
        self, topic: str, *places: tuple[int, int], max_wait_ms: int = 0, partition_bytes_max: int = 1 << 20
    ) -> int:
        """Return the bytes of the records from these (partition, offset)."""
        wanted = [FetchPartition(partition, fetch_offset=offset, partition_max_bytes=partition_bytes_max)
                  for partition, offset in places]  # fmt: skip
        requested = FetchRequest(
            max_wait_ms=max_wait_ms,
            min_bytes=1,
            max_bytes=1 << 20,
            topics=[FetchTopic(topic, partitions=wanted)],
        )
        partitions = self.ask(11, requested).responses[0].partitions
        return sum(len(partition.records or b"") for partition in partitions)

    def commit(
        self, group: str, topic: str, offsets: dict[int, int], version: int = 8, **more: Any
    ) -> list[int]:
        """Commit. Return the error of each partition."""
        partitions = [OffsetCommitRequestPartition(index, offset) for index, offset in offsets.items()]
        topics = [OffsetCommitRequestTopic(topic, partitions=partitions)]
        response = self.ask(version, OffsetCommitRequest(group, topics=topics, **more))
        return [partition.error_code for partition in response.topics[0].partitions]

    def delete_offset(self, group: str, topic: str, partition: int) -> None:
        topics = [OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(partition)])]
        assert self.ask(0, OffsetDeleteRequest(group, topics)).error_code == 0

    def delete_group(self, group: str) -> None:
        assert self.ask(1, DeleteGroupsRequest([group])).results[0].error_code == 0

    def join(self, group: str, topic: str) -> str:
        """Join and sync as the only member of the group. Return the member id."""
        protocols = [JoinGroupRequestProtocol("range", subscription([topic]))]
        requested = JoinGroupRequest(group, 30_000, 30_000, "", None, "consumer", protocols)
        member: str = self.ask(3, requested).member_id
        brought = [SyncGroupRequestAssignment(member, b"")]
        assert self.ask(3, SyncGroupRequest(group, 1, member, assignments=brought)).error_code == 0
        return member

    def leave(self, group: str, member: str) -> None:
        assert self.ask(1, LeaveGroupRequest(group, member)).error_code == 0


def batch(count: int, **more: Any) -> bytes:
    """Return a record batch. more: arguments of build_batch."""
    made = [LogRecord(offset, 1_795_000_000_000, b"key", b"value", ()) for offset in range(count)]
    return bytes(build_batch(made, **more))
