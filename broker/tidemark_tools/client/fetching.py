"""Fetches without sessions: the visible records after each position, from the leader of each partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from tidemark_protocol.batch import (
    APPEND_TIME,
    BatchError,
    LogRecord,
    headers,
    records,
)
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.visible import visible_batches
from tidemark_tools.client.addresses import BrokerEndpoint, TopicPartition
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import LEADER_NOT_THERE, ErrorResponse, error_code
from tidemark_tools.client.group_member import Position

VERSION_BY_NAME: Final = 12  # of Fetch: later ones name topics by id
READ_COMMITTED: Final = 1

# After these errors the leader is looked up, and the fetch repeated.
ELSEWHERE: Final = LEADER_NOT_THERE | {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.REPLICA_NOT_AVAILABLE,
    ErrorCode.OFFSET_NOT_AVAILABLE,
}


class FetchSettings(NamedTuple):
    """Kafka's consumer settings of these names."""

    isolation_level: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    partition_bytes: int


class Chunk(NamedTuple):
    """The records that a fetch returned of one partition.

    append_times: whether the broker set the timestamp, for each record. following: the next position, which
    is past records that are not visible, too.
    """

    partition: TopicPartition
    records: list[LogRecord]
    append_times: list[bool]
    following: Position


class OutOfRange(Exception):
    """The position is outside of the log."""

    def __init__(self, partition: TopicPartition) -> None:
        super().__init__(str(partition))
        self.partition = partition


class Fetcher:
    """Sends fetches to partition leaders and caches their addresses."""

    def __init__(self, client: Client, settings: FetchSettings) -> None:
        self._client = client
        self._settings = settings
        self._leaders: dict[TopicPartition, BrokerEndpoint | None] = {}

    def fetch(self, positions: Mapping[TopicPartition, Position], wait_ms: int) -> list[Chunk]:
        """Return the next records, or nothing after wait_ms.

        Raises OutOfRange, ErrorResponse, Unreachable.
        """
        by_node = self._by_node(positions)
        if not by_node:
            return []
        wait_ms = min(wait_ms, self._settings.max_wait_ms) // len(by_node)
        return [
            chunk
            for node, partitions in by_node.items()
            for chunk in self._fetch(
                node,
                {partition: positions[partition] for partition in partitions},
                wait_ms,
            )
        ]

    def _by_node(
        self, positions: Mapping[TopicPartition, Position]
    ) -> dict[BrokerEndpoint, list[TopicPartition]]:
        unknown = {partition.topic for partition in positions if self._leaders.get(partition) is None}
        if unknown:
            self._leaders |= self._client.leaders(sorted(unknown))
        by_node: dict[BrokerEndpoint, list[TopicPartition]] = {}
        for partition in positions:
            leader = self._leaders.get(partition)
            if leader is not None:
                by_node.setdefault(leader, []).append(partition)
        return by_node

    def _fetch(
        self, node: BrokerEndpoint, positions: Mapping[TopicPartition, Position], wait_ms: int
    ) -> list[Chunk]:
        response = self._client.call(self._request(positions, wait_ms), node, max_version=VERSION_BY_NAME)
        if response.error_code:
            raise ErrorResponse(response.error_code)
        chunks = []
        for topic in response.responses:
            for result in topic.partitions:
                partition = TopicPartition(topic.topic, result.partition_index)
                code = error_code(result.error_code)
                if code in ELSEWHERE:
                    self._leaders.pop(partition, None)
                elif code == ErrorCode.OFFSET_OUT_OF_RANGE:
                    raise OutOfRange(partition)
                elif code != ErrorCode.NONE:
                    raise ErrorResponse(code)
                elif result.records:
                    chunks.append(self._chunk(partition, result, positions[partition]))
        return chunks

    def _request(self, positions: Mapping[TopicPartition, Position], wait_ms: int) -> Any:
        from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic

        topics: dict[str, list[Any]] = {}
        for partition, position in positions.items():
            requested = FetchPartition(
                partition=partition.partition,
                fetch_offset=position.offset,
                partition_max_bytes=self._settings.partition_bytes,
            )
            topics.setdefault(partition.topic, []).append(requested)
        return FetchRequest(
            max_wait_ms=wait_ms,
            min_bytes=self._settings.min_bytes,
            max_bytes=self._settings.max_bytes,
            isolation_level=self._settings.isolation_level,
            topics=[FetchTopic(topic=name, partitions=requested) for name, requested in topics.items()],
        )

    def _chunk(self, partition: TopicPartition, result: Any, position: Position) -> Chunk:
        aborted = result.aborted_transactions if self._settings.isolation_level == READ_COMMITTED else None
        try:
            return chunk_of(partition, result.records, position, aborted or ())
        except BatchError as error:
            raise BrokenRecords(f"{partition}: {error}") from None


class BrokenRecords(Exception):
    """A fetch returned records that cannot be decoded."""


def chunk_of(partition: TopicPartition, data: bytes, position: Position, aborted: Iterable[Any]) -> Chunk:
    """Return the visible records from the position on. Raises BatchError if they cannot be decoded."""
    found: list[LogRecord] = []
    append_times: list[bool] = []
    for at, header in visible_batches(data, aborted):
        fresh = [record for record in records(data, at, header) if record.offset >= position.offset]
        found += fresh
        append_times += [bool(header.attributes & APPEND_TIME)] * len(fresh)
    following = position
    for _, header in headers(data):
        following = Position(max(following.offset, header.next_offset), header.leader_epoch)
    return Chunk(partition, found, append_times, following)


__all__ = ["BrokenRecords", "Chunk", "FetchSettings", "Fetcher", "OutOfRange", "chunk_of"]
