"""Fetches without sessions: of each leader what stands behind the positions, without what does not count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from tidemark.client.client import LEADER_NOT_THERE, Client, Node, Refused, Spot, error_code
from tidemark.client.membership import Position
from tidemark_protocol.batch import (
    APPEND_TIME,
    BatchError,
    BatchHeader,
    ControlType,
    LogRecord,
    check_crc,
    control_type,
    headers,
    records,
)
from tidemark_protocol.errors import ErrorCode

VERSION_BY_NAME: Final = 12  # of Fetch: later ones name topics by id
READ_COMMITTED: Final = 1

# What is asked again, once it is known who leads.
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
    """What a fetch brought of one partition. append_times: which records the broker gave their timestamp.

    following: where reading goes on after all of it, also past what is not shown.
    """

    spot: Spot
    records: list[LogRecord]
    append_times: list[bool]
    following: Position


class OutOfRange(Exception):
    """The log does not have this position, or no longer."""

    def __init__(self, spot: Spot) -> None:
        super().__init__(str(spot))
        self.spot = spot


class Fetcher:
    """Remembers who leads."""

    def __init__(self, client: Client, settings: FetchSettings) -> None:
        self._client = client
        self._settings = settings
        self._leaders: dict[Spot, Node | None] = {}

    def fetch(self, positions: Mapping[Spot, Position], wait_ms: int) -> list[Chunk]:
        """What there is, or nothing within wait_ms. Raises OutOfRange, Refused, Unreachable."""
        by_node = self._by_node(positions)
        if not by_node:
            return []
        wait_ms = min(wait_ms, self._settings.max_wait_ms) // len(by_node)
        return [
            chunk
            for node, spots in by_node.items()
            for chunk in self._fetch(node, {spot: positions[spot] for spot in spots}, wait_ms)
        ]

    def _by_node(self, positions: Mapping[Spot, Position]) -> dict[Node, list[Spot]]:
        unknown = {spot.topic for spot in positions if self._leaders.get(spot) is None}
        if unknown:
            self._leaders |= self._client.leaders(sorted(unknown))
        by_node: dict[Node, list[Spot]] = {}
        for spot in positions:
            leader = self._leaders.get(spot)
            if leader is not None:
                by_node.setdefault(leader, []).append(spot)
        return by_node

    def _fetch(self, node: Node, positions: Mapping[Spot, Position], wait_ms: int) -> list[Chunk]:
        answer = self._client.ask(self._request(positions, wait_ms), node, at_most=VERSION_BY_NAME)
        if answer.error_code:
            raise Refused(answer.error_code)
        chunks = []
        for topic in answer.responses:
            for told in topic.partitions:
                spot = Spot(topic.topic, told.partition_index)
                code = error_code(told.error_code)
                if code in ELSEWHERE:
                    self._leaders.pop(spot, None)
                elif code == ErrorCode.OFFSET_OUT_OF_RANGE:
                    raise OutOfRange(spot)
                elif code != ErrorCode.NONE:
                    raise Refused(code)
                elif told.records:
                    chunks.append(self._chunk(spot, told, positions[spot]))
        return chunks

    def _request(self, positions: Mapping[Spot, Position], wait_ms: int) -> Any:
        from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic

        topics: dict[str, list[Any]] = {}
        for spot, position in positions.items():
            asked = FetchPartition(
                partition=spot.partition,
                fetch_offset=position.offset,
                partition_max_bytes=self._settings.partition_bytes,
            )
            topics.setdefault(spot.topic, []).append(asked)
        return FetchRequest(
            max_wait_ms=wait_ms,
            min_bytes=self._settings.min_bytes,
            max_bytes=self._settings.max_bytes,
            isolation_level=self._settings.isolation_level,
            topics=[FetchTopic(topic=name, partitions=asked) for name, asked in topics.items()],
        )

    def _chunk(self, spot: Spot, told: Any, position: Position) -> Chunk:
        aborted = told.aborted_transactions if self._settings.isolation_level == READ_COMMITTED else None
        try:
            return chunk_of(spot, told.records, position, aborted or ())
        except BatchError as error:
            raise BrokenRecords(f"{spot}: {error}") from None


class BrokenRecords(Exception):
    """A fetch brought what cannot be read."""


def chunk_of(spot: Spot, data: bytes, position: Position, aborted: Iterable[Any]) -> Chunk:
    """The records from the position on that count. BatchError: they cannot be read."""
    found: list[LogRecord] = []
    append_times: list[bool] = []
    for at, header in _shown(data, aborted):
        fresh = [record for record in records(data, at, header) if record.offset >= position.offset]
        found += fresh
        append_times += [bool(header.attributes & APPEND_TIME)] * len(fresh)
    following = position
    for _, header in headers(data):
        following = Position(max(following.offset, header.next_offset), header.leader_epoch)
    return Chunk(spot, found, append_times, following)


def _shown(data: bytes, aborted: Iterable[Any]) -> Iterator[tuple[int, BatchHeader]]:
    """The batches whose records count: no control batches, none of the aborted transactions.

    aborted: producer id and first offset of each, as the broker tells them with the records.
    """
    waiting = sorted(aborted, key=lambda each: each.first_offset, reverse=True)
    open_aborted: set[int] = set()
    for at, header in headers(data):
        if not check_crc(data, at, header):
            raise BatchError(f"the batch at offset {header.base_offset} differs from its CRC")
        while waiting and waiting[-1].first_offset <= header.last_offset:
            open_aborted.add(waiting.pop().producer_id)
        if header.is_control:
            if _is_abort(data, at, header):
                open_aborted.discard(header.producer_id)
        elif not (header.is_transactional and header.producer_id in open_aborted):
            yield at, header


def _is_abort(data: bytes, at: int, header: BatchHeader) -> bool:
    return any(control_type(record.key) == ControlType.ABORT for record in records(data, at, header))


__all__ = ["BrokenRecords", "Chunk", "FetchSettings", "Fetcher", "OutOfRange", "chunk_of"]
