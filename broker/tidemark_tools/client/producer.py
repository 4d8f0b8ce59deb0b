"""A producer for one topic: it spreads records over partitions and sends batches to their leaders.

It is not idempotent: it does not repeat a batch whose response was lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark_protocol.batch import LogRecord, build_batch, zigzag_varint
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import murmur2
from tidemark_tools.client.client import PAUSE_MS, Client, check_topic, nodes_of
from tidemark_tools.client.connection import BrokerEndpoint, now_s
from tidemark_tools.client.errors import (
    AuthenticationFailed,
    CannotConnect,
    ClientError,
    ErrorResponse,
    Unreachable,
    error_code,
)

REQUEST_BYTES_MAX: Final = 1024 * 1024  # Kafka's max.request.size
RECORD_OVERHEAD_BYTES: Final = 61 + 21  # of a batch, and at most of a record
VERSION_BY_NAME: Final = 12  # the last version of Produce that names topics
NO_RESPONSE: Final = 0  # acks
DELIVERY_TIMEOUT_MS: Final = 120_000
NO_OFFSET: Final = -1
NOT_LED: Final = (ErrorCode.LEADER_NOT_AVAILABLE, NO_OFFSET)
# Errors of every further request, too.
NO_BROKER: Final = (AuthenticationFailed, CannotConnect, Unreachable)


@dataclass(slots=True)
class Failure:
    """A record that was not written, and why."""

    record: LogRecord
    error: str


class NotSent(Exception):
    """None of the records can be written; the message says why."""


@dataclass(slots=True)
class ProducerSettings:
    """Kafka's settings of these names. compression: a Codec."""

    acks: int
    compression: int
    batch_size: int
    request_timeout_ms: int
    retries: int
    max_block_ms: int


class Producer:
    """A producer. unreachable: the error if no broker could be reached, or refused the
    login, else None.

    written(partition, base offset, records) is called for each batch that was written. With acks 0, the
    offset is -1.
    """

    def __init__(
        self,
        client: Client,
        topic: str,
        settings: ProducerSettings,
        seed: int,
        written: Callable[[int, int, Sequence[LogRecord]], None] = lambda partition, offset, records: None,
    ) -> None:
        self._client = client
        self._topic = topic
        self._settings = settings
        self._turn = seed
        self._report = written
        self._leaders: list[BrokerEndpoint | None] = []
        self.unreachable: ClientError | None = None

    def send(self, records: Sequence[LogRecord]) -> list[Failure]:
        """Write the records and wait for acknowledgement. Return the failures, in no order."""
        too_large = [Failure(record, error) for record in records if (error := _too_large(record))]
        refused = {id(failure.record) for failure in too_large}
        fitting = [record for record in records if id(record) not in refused]
        try:
            placed = self._placed(fitting) if fitting else {}
        except NotSent as error:
            return too_large + [Failure(record, str(error)) for record in fitting]
        return too_large + [
            failure
            for partition, those in placed.items()
            for batch in _batches(those, self._settings.batch_size)
            for failure in self._written(partition, batch)
        ]

    def _placed(self, records: Iterable[LogRecord]) -> dict[int, list[LogRecord]]:
        """Group records by partition: by the hash of the key; records without a key share one partition."""
        count = len(self._find_leaders())
        self._turn += 1
        placed: dict[int, list[LogRecord]] = {}
        for record in records:
            index = self._turn if record.key is None else murmur2(record.key) & 0x7FFFFFFF
            placed.setdefault(index % count, []).append(record)
        return placed

    def _find_leaders(self) -> list[BrokerEndpoint | None]:
        """Return the leader of each partition. The request may create the topic. Raises NotSent."""
        if self._leaders:
            return self._leaders
        block_ms = self._settings.max_block_ms
        deadline = self._client.deadline(block_ms)
        while now_s() < deadline:
            try:
                response = self._client.metadata([self._topic], create=True, timeout_ms=block_ms)
            except NO_BROKER as error:
                self.unreachable = error
                raise NotSent(str(error)) from None
            except ClientError:
                break
            found = response.topics[0]
            try:
                check_topic(found)
            except ErrorResponse as error:
                raise NotSent(str(error)) from None
            if not found.error_code and found.partitions:
                known = nodes_of(response)
                partitions = sorted(found.partitions, key=lambda each: each.partition_index)
                self._leaders = [known.get(each.leader_id) for each in partitions]
                return self._leaders
            time.sleep(PAUSE_MS / 1000)
        raise NotSent(f"Topic {self._topic} not present in metadata after {block_ms} ms.")

    def _written(self, partition: int, records: Sequence[LogRecord]) -> Iterator[Failure]:
        """Send one batch and yield its failures. If it is too large for the broker, send it in halves."""
        error = self._produced(partition, records)
        if error == ErrorCode.MESSAGE_TOO_LARGE and len(records) > 1:
            half = len(records) // 2
            yield from self._written(partition, records[:half])
            yield from self._written(partition, records[half:])
        elif error is not None:
            text = error if isinstance(error, str) else error.text
            yield from (Failure(record, text) for record in records)

    def _produced(self, partition: int, records: Sequence[LogRecord]) -> ErrorCode | str | None:
        """Send one batch. Return None if it was written, else the error.

        Retriable errors are retried up to `retries` times.
        """
        request = self._request(partition, records)
        for left in range(self._settings.retries, -1, -1):
            try:
                leaders = self._find_leaders()
                leader = leaders[partition] if partition < len(leaders) else None
                code, offset = NOT_LED if leader is None else self._response(leader, request)
            except NotSent as error:
                return str(error)
            except (ClientError, OSError) as error:
                self.unreachable = error if isinstance(error, NO_BROKER) else self.unreachable
                return f"Expiring {len(records)} record(s) for {self._topic}-{partition}: {error}"
            if code == ErrorCode.NONE:
                self._report(partition, offset, records)
                return None
            if not code.retriable or not left:
                return code
            self._leaders = []
            time.sleep(PAUSE_MS / 1000)
        return None

    def _response(self, leader: BrokerEndpoint, request: Any) -> tuple[ErrorCode, int]:
        """Send a batch. Return the error and the offset of its first record."""
        if self._settings.acks == NO_RESPONSE:
            deadline = self._client.deadline(self._settings.request_timeout_ms)
            connection = self._client.connection(leader, deadline)
            connection.send(request, connection.version(request, VERSION_BY_NAME), deadline)
            return ErrorCode.NONE, NO_OFFSET
        response = self._client.call(
            request, leader, max_version=VERSION_BY_NAME, timeout_ms=DELIVERY_TIMEOUT_MS, once=True
        )
        result = response.responses[0].partition_responses[0]
        return error_code(result.error_code), result.base_offset

    def _request(self, partition: int, records: Sequence[LogRecord]) -> Any:
        from tidemark_protocol.messages import produce as api

        numbered = [
            LogRecord(number, each.timestamp, each.key, each.value, each.headers)
            for number, each in enumerate(records)
        ]
        batch = build_batch(numbered, leader_epoch=-1, compression=self._settings.compression)
        data = [api.PartitionProduceData(index=partition, records=batch)]
        return api.ProduceRequest(
            acks=self._settings.acks,
            timeout_ms=self._settings.request_timeout_ms,
            topic_data=[api.TopicProduceData(name=self._topic, partition_data=data)],
        )


def _batches(records: Sequence[LogRecord], batch_size: int) -> Iterator[list[LogRecord]]:
    """Split the records into batches of at most batch_size bytes, or of one record."""
    batch: list[LogRecord] = []
    size = 0
    for record in records:
        bytes_here = record_bytes_max(record)
        if batch and size + bytes_here > batch_size:
            yield batch
            batch, size = [], 0
        batch.append(record)
        size += bytes_here
    if batch:
        yield batch


def record_bytes_max(record: LogRecord) -> int:
    """Return an upper bound for the size of a batch with this record alone, as Kafka's client computes it."""
    size = RECORD_OVERHEAD_BYTES + _sized(record.key) + _sized(record.value)
    size += len(zigzag_varint(len(record.headers)))
    return size + sum(_sized(name.encode()) + _sized(value) for name, value in record.headers)


def _sized(content: bytes | None) -> int:
    return 1 if content is None else len(zigzag_varint(len(content))) + len(content)


def _too_large(record: LogRecord) -> str:
    """Return why the record is too large to be sent, or "" if it is not."""
    size = record_bytes_max(record)
    if size <= REQUEST_BYTES_MAX:
        return ""
    return (
        f"The message is {size} bytes when serialized which is larger than {REQUEST_BYTES_MAX}, which is the "
        "value of the max.request.size configuration."
    )
