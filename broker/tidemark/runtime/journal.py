"""Journal: gathers the records of the state machines and writes them to the internal logs.

Records that are added between two flushes become one batch per log. So a flush costs one CRC, one write and
one sync, regardless of the number of requests. Consecutive records of one producer's transaction get a batch
of their own, and so does each marker. The order in a log is the order in which records were added.

A response waits for a position: a running count of additions over all logs. A flush covers everything that
was added before it began.
"""

from __future__ import annotations

from tidemark.core.apply import RecordsTooLarge
from tidemark.core.result import Marker
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.markers import marker_batch
from tidemark.log.partition import PartitionLog
from tidemark.log.traffic import Traffic
from tidemark_protocol.batch import (
    HEADER_BYTES,
    RECORD_OVERHEAD_BYTES,
    TRANSACTIONAL,
    BatchBuilder,
)

Encoded = tuple[bytes | None, bytes | None]
Producer = tuple[int, int]  # producer id and epoch


class JournaledLog:
    """An internal log that the journal writes to, and the batches that are gathered for it.

    traffic counts what is written to it.

    The settings of the log bound a batch, and may change at any time. A batch that was begun before is
    written all the same: its records have been replayed.
    """

    __slots__ = (
        "base_sequence",
        "builder",
        "full",
        "leader_epoch",
        "log",
        "producer",
        "traffic",
    )

    def __init__(
        self,
        log: PartitionLog,
        *,
        leader_epoch: int,
        base_sequence: int,
        traffic: Traffic | None = None,
    ) -> None:
        self.log = log
        self.leader_epoch = leader_epoch
        self.base_sequence = base_sequence
        self.traffic = traffic
        self.builder: BatchBuilder | None = None  # the open batch of records without a producer
        self.producer: tuple[Producer, BatchBuilder] | None = None  # the open batch of a transaction
        self.full: list[tuple[bytes, int]] = []  # batches that are complete, and their numbers of records

    def room_for(self, size: int, now_ms: int) -> BatchBuilder:
        """Return a batch that has room for all records of this size.

        Raises RecordsTooLarge if they are larger than a batch may be.
        """
        builder, batch_bytes_max = self.builder, self.log.settings.batch_bytes_max
        if builder is not None and builder.size + size <= batch_bytes_max:
            return builder
        if size + HEADER_BYTES > batch_bytes_max:
            raise RecordsTooLarge
        self.complete()
        builder = self.builder = BatchBuilder(now_ms)
        return builder

    def room_in_transaction(self, producer: Producer, size: int, now_ms: int) -> BatchBuilder:
        """Like `room_for`, for records of a transaction."""
        batch_bytes_max = self.log.settings.batch_bytes_max
        if self.producer is not None:
            current, builder = self.producer
            if current == producer and builder.size + size <= batch_bytes_max:
                return builder
        if size + HEADER_BYTES > batch_bytes_max:
            raise RecordsTooLarge
        self.complete()
        builder = BatchBuilder(now_ms)
        self.producer = (producer, builder)
        return builder

    def end_transaction(self, marker: Marker, now_ms: int) -> None:
        """Add a control batch behind all that was added before."""
        self.complete()
        self.full.append((marker_batch(marker, now_ms, append_time=self.log.settings.append_time), 1))

    def complete(self) -> None:
        """End the open batch, if there is one: at most one of the two is open."""
        builder = self.builder
        if builder is not None:
            batch = builder.build(base_sequence=self.base_sequence, leader_epoch=self.leader_epoch)
            self.full.append((batch, builder.count))
            self.builder = None
        elif self.producer is not None:
            (producer_id, epoch), builder = self.producer
            batch = builder.build(
                base_sequence=self.base_sequence,
                leader_epoch=self.leader_epoch,
                producer_id=producer_id,
                producer_epoch=epoch,
                attributes=TRANSACTIONAL,
            )
            self.full.append((batch, builder.count))
            self.producer = None

    def write(self, now_ms: int) -> None:
        """Append what was gathered to the log. After OutOfDescriptors, the rest can be written later."""
        self.complete()
        written = 0
        try:
            for batch, count in self.full:
                self.log.append(batch, leader_epoch=self.leader_epoch, now_ms=now_ms, from_client=False)
                written += 1
                if self.traffic is not None:
                    self.traffic.produce_requests += 1
                    self.traffic.appended(count, len(batch))
        except OutOfDescriptors:
            del self.full[:written]
            raise
        self.full.clear()


def encoded_bytes(encoded: list[Encoded]) -> int:
    """Return an upper bound of the bytes of these records in a batch."""
    return sum(len(key or b"") + len(value or b"") + RECORD_OVERHEAD_BYTES for key, value in encoded)


class Journal:
    """All logs to write. `appended` counts what was added, `durable` how much of it is durable."""

    __slots__ = ("_dirty", "appended", "durable")

    def __init__(self) -> None:
        self._dirty: dict[JournaledLog, None] = {}
        self.appended = 0
        self.durable = 0

    def add(self, log: JournaledLog, key: bytes | None, value: bytes | None, now_ms: int) -> None:
        """Add one record without a producer. Raises RecordsTooLarge."""
        size = RECORD_OVERHEAD_BYTES
        if key is not None:
            size += len(key)
        if value is not None:
            size += len(value)
        builder = log.builder
        if builder is None or builder.size + size > log.log.settings.batch_bytes_max:
            builder = log.room_for(size, now_ms)
        builder.add(key, value)
        self._dirty[log] = None
        self.appended += 1

    def add_all(
        self, by_log: dict[JournaledLog, list[Encoded]], now_ms: int, producer: Producer | None = None
    ) -> None:
        """Add the records of one request, those of each log in one batch.

        Raises RecordsTooLarge before anything is added.
        """
        sizes = {log: encoded_bytes(encoded) for log, encoded in by_log.items()}
        if any(size + HEADER_BYTES > log.log.settings.batch_bytes_max for log, size in sizes.items()):
            raise RecordsTooLarge
        for log, encoded in by_log.items():
            if producer is None:
                builder = log.room_for(sizes[log], now_ms)
            else:
                builder = log.room_in_transaction(producer, sizes[log], now_ms)
            for key, value in encoded:
                builder.add(key, value)
            self._dirty[log] = None
        self.appended += 1

    def end_transaction(self, log: JournaledLog, marker: Marker, now_ms: int) -> None:
        """Add a marker."""
        log.end_transaction(marker, now_ms)
        self._dirty[log] = None
        self.appended += 1

    @property
    def pending(self) -> bool:
        return bool(self._dirty)

    def write(self, now_ms: int) -> list[PartitionLog]:
        """Write what was gathered. Return the logs to sync, in the order of their first records."""
        logs = [each.log for each in self._dirty]
        for each in self._dirty:
            each.write(now_ms)
        self._dirty.clear()
        return logs
