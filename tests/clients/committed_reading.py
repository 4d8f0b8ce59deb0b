"""Reads a partition as a consumer with read_committed does, by raw requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tests.wire import Connection
from tidemark_protocol.batch import (
    CONTROL,
    TRANSACTIONAL,
    ControlType,
    check_crc,
    control_type,
    headers,
    records,
)
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic

FETCH_BYTES: Final = 4 << 20
READ_COMMITTED: Final = 1


class CorruptBatch(Exception):
    """A batch that was fetched has a wrong CRC."""


@dataclass(slots=True)
class CommittedReading:
    """The values of a partition so far, with their offsets. It goes on at `position`.

    unreadable: the errors at which it ends. Any other error fails an assertion
    """

    topic: str
    partition: int
    position: int = 0
    found: list[tuple[int, bytes]] = field(default_factory=list)
    stable: int = -1  # the last stable offset
    end: int = -1
    unreadable: tuple[int, ...] = ()

    def read(self, connection: Connection) -> list[tuple[int, bytes]]:
        """Read up to the last stable offset. Return everything that was found so far.

        Raises CorruptBatch. Records that were found before it are kept.
        """
        while self._fetch(connection):
            pass
        return self.found

    def _fetch(self, connection: Connection) -> bool:
        """Return whether there was anything."""
        wanted = FetchPartition(self.partition, fetch_offset=self.position, partition_max_bytes=FETCH_BYTES)
        topics = [FetchTopic(topic=self.topic, partitions=[wanted])]
        request = FetchRequest(
            max_wait_ms=0,
            min_bytes=0,
            max_bytes=FETCH_BYTES,
            isolation_level=READ_COMMITTED,
            topics=topics,
        )
        answer = connection.ask("Fetch", 11, request).responses[0].partitions[0]
        if answer.error_code in self.unreadable:
            return False
        assert answer.error_code == 0, (self.topic, self.partition, ErrorCode(answer.error_code))
        self.stable, self.end = answer.last_stable_offset, answer.high_watermark
        data = bytes(answer.records or b"")
        begins = sorted(
            ((each.first_offset, each.producer_id) for each in answer.aborted_transactions or []),
            reverse=True,
        )
        aborted: set[int] = set()
        for at, header in headers(data):
            if not check_crc(data, at, header):
                raise CorruptBatch(f"{self.topic}-{self.partition} at offset {header.base_offset}")
            while begins and begins[-1][0] <= header.base_offset + header.last_offset_delta:
                aborted.add(begins.pop()[1])
            end = header.base_offset + header.last_offset_delta + 1
            if header.attributes & CONTROL:
                if control_type(records(data, at, header)[0].key) == ControlType.ABORT:
                    aborted.discard(header.producer_id)
            elif not (header.attributes & TRANSACTIONAL and header.producer_id in aborted):
                self.found += [
                    (record.offset, record.value or b"")
                    for record in records(data, at, header)
                    if record.offset >= self.position
                ]
            self.position = max(end, self.position)
        return bool(data)
