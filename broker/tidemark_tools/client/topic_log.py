"""Reads the partitions of a topic as their leaders store them: whole batches, also those of transactions.

No consumer sees as much: control batches, and the records of open and aborted transactions, are included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tidemark_protocol.batch import headers
from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import Client, TopicPartition
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.consumer import ELSEWHERE, VERSION_BY_NAME, OutOfRange
from tidemark_tools.client.errors import ErrorResponse, Unreachable, error_code

FETCH_BYTES: Final = 16 * 2**20  # of one response
PARTITION_BYTES: Final = 2**20  # of one partition, Kafka's max.partition.fetch.bytes
RESPONSE_MS: Final = 5_000  # what a broker gets beside the time that it may wait for records
EPOCH_MAX: Final = 2**31 - 1
NO_SESSION: Final = 0
LOST_SESSION: Final = (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, ErrorCode.INVALID_FETCH_SESSION_EPOCH)


class Fetched(NamedTuple):
    """Complete batches of a partition. The first of them may begin before the position.

    end_offset: the high watermark
    """

    partition: int
    data: bytes
    end_offset: int


@dataclass(slots=True)
class _Session:
    """A fetch session (KIP-227) at one broker: it names only the positions that have changed."""

    number: int = NO_SESSION
    epoch: int = 0
    known: dict[int, int] = field(default_factory=dict)  # the positions that the broker has

    def responded(self, number: int, positions: Mapping[int, int]) -> None:
        if number == NO_SESSION:  # the broker keeps no session for us
            self.number, self.epoch, self.known = NO_SESSION, 0, {}
            return
        self.epoch = 1 if number != self.number or self.epoch == EPOCH_MAX else self.epoch + 1
        self.number, self.known = number, dict(positions)


class TopicLog:
    """The log of a topic. positions: the next offset of each partition; `read` advances them.

    It uses one fetch session at each leader.
    """

    def __init__(self, client: Client, topic: str, positions: Mapping[int, int]) -> None:
        self._client = client
        self._topic = topic
        self.positions = dict(positions)
        self._leaders: dict[TopicPartition, BrokerEndpoint | None] = {}
        self._sessions: dict[BrokerEndpoint, _Session] = {}

    def read(self, wait_ms: int) -> list[Fetched]:
        """Return what the leaders have from the positions on, or nothing after wait_ms.

        A leader that moves or restarts is looked up again by the next call. Raises Unreachable if no leader
        responds, OutOfRange if a position is not in the log (any more), and ErrorResponse.
        """
        by_leader = self._by_leader()
        if not by_leader:
            raise Unreachable(f"no partition of {self._topic} has a leader")
        found: list[Fetched] = []
        failed: Unreachable | None = None
        for leader, partitions in by_leader.items():
            try:
                found += self._fetch(leader, partitions, wait_ms // len(by_leader))
            except Unreachable as error:
                failed = error
                self._forget(leader)
        if failed is not None and len(self._sessions) == 0:
            raise failed
        return found

    def _by_leader(self) -> dict[BrokerEndpoint, list[int]]:
        places = {partition: TopicPartition(self._topic, partition) for partition in self.positions}
        if any(self._leaders.get(place) is None for place in places.values()):
            self._leaders = self._client.leaders([self._topic])
        found: dict[BrokerEndpoint, list[int]] = {}
        for partition, place in places.items():
            leader = self._leaders.get(place)
            if leader is not None:
                found.setdefault(leader, []).append(partition)
        return found

    def _forget(self, leader: BrokerEndpoint) -> None:
        self._sessions.pop(leader, None)
        self._leaders = {place: known for place, known in self._leaders.items() if known != leader}

    def _fetch(self, leader: BrokerEndpoint, partitions: list[int], wait_ms: int) -> list[Fetched]:
        session = self._sessions.setdefault(leader, _Session())
        positions = {partition: self.positions[partition] for partition in partitions}
        response = self._client.call(
            self._request(session, positions, wait_ms),
            leader,
            max_version=VERSION_BY_NAME,
            timeout_ms=wait_ms + RESPONSE_MS,
        )
        code = error_code(response.error_code)
        if code in LOST_SESSION:
            del self._sessions[leader]
            return []
        if code != ErrorCode.NONE:
            raise ErrorResponse(code)
        session.responded(response.session_id, positions)
        return [
            fetched
            for topic in response.responses
            for result in topic.partitions
            if (fetched := self._taken(result)) is not None
        ]

    def _request(self, session: _Session, positions: Mapping[int, int], wait_ms: int) -> Any:
        from tidemark_protocol.messages import fetch as api

        changed = [
            api.FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=PARTITION_BYTES)
            for partition, offset in positions.items()
            if session.known.get(partition) != offset
        ]
        gone = [partition for partition in session.known if partition not in positions]
        return api.FetchRequest(
            max_wait_ms=wait_ms,
            min_bytes=1,
            max_bytes=FETCH_BYTES,
            session_id=session.number,
            session_epoch=session.epoch,
            topics=[api.FetchTopic(topic=self._topic, partitions=changed)] if changed else [],
            forgotten_topics_data=[api.ForgottenTopic(topic=self._topic, partitions=gone)] if gone else [],
        )

    def _taken(self, result: Any) -> Fetched | None:
        """Return what a fetch has of a partition, None if its leader must be looked up again."""
        partition = result.partition_index
        place = TopicPartition(self._topic, partition)
        code = error_code(result.error_code)
        if code in ELSEWHERE:
            self._leaders.pop(place, None)
            return None
        if code == ErrorCode.OFFSET_OUT_OF_RANGE:
            raise OutOfRange(place)
        if code != ErrorCode.NONE:
            raise ErrorResponse(code, f"{place}: {code.text}")
        data = bytes(result.records or b"")
        whole = 0
        for at, header in headers(data):
            self.positions[partition] = max(self.positions[partition], header.next_offset)
            whole = at + header.size
        return Fetched(partition, data[:whole], result.high_watermark)


def offsets_at(client: Client, topic: str, partitions: int, time_ms: int) -> dict[int, int]:
    """Return the offset of this time (or EARLIEST, LATEST) in each partition, -1 if no record is as young.

    Raises ErrorResponse.
    """
    places = [TopicPartition(topic, number) for number in range(partitions)]
    found = client.list_offsets(dict.fromkeys(places, time_ms))
    for place, result in found.items():
        if result.error_code:
            raise ErrorResponse(result.error_code, f"{place}: {error_code(result.error_code).text}")
    return {place.partition: result.offset for place, result in found.items()}
