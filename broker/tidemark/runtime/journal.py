"""Journal: records -> batches -> internal partitions.

What is accepted between two flushes is gathered into one batch per internal log, so that a flush costs one
CRC, one write and one sync however many requests it carries. The position that a reply waits for is one
running count of accepted requests over all internal logs: a flush covers whatever was added before it began.
"""

from __future__ import annotations

from tidemark.core.apply import RecordsTooLarge
from tidemark.log.partition import PartitionLog
from tidemark.log.traffic import Traffic
from tidemark_protocol.batch import HEADER_BYTES, RECORD_OVERHEAD_BYTES, BatchBuilder

Encoded = tuple[bytes | None, bytes | None]


class InternalLog:
    """An internal partition and the batches that are gathered for it. traffic counts what is written.

    The settings of the log bound a batch, and may change at any time. A batch that was begun before is
    written all the same: its records have been replayed.
    """

    __slots__ = ("base_sequence", "builder", "full", "leader_epoch", "log", "traffic")

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
        self.builder: BatchBuilder | None = None
        self.full: list[BatchBuilder] = []

    def room_for(self, size: int, now_ms: int) -> BatchBuilder:
        """The batch that takes records of this size: they stand in one, with whatever came before and still
        fits beside them.

        Raises RecordsTooLarge for what is larger than a batch may be.
        """
        builder, batch_bytes_max = self.builder, self.log.settings.batch_bytes_max
        if builder is not None and builder.size + size <= batch_bytes_max:
            return builder
        if size + HEADER_BYTES > batch_bytes_max:
            raise RecordsTooLarge
        if builder is not None:
            self.full.append(builder)
        builder = self.builder = BatchBuilder(now_ms)
        return builder

    def write(self, now_ms: int) -> None:
        """Appends what was gathered to the log."""
        if self.builder is None:
            return
        for builder in (*self.full, self.builder):
            batch = builder.build(base_sequence=self.base_sequence, leader_epoch=self.leader_epoch)
            self.log.append(batch, leader_epoch=self.leader_epoch, now_ms=now_ms, from_client=False)
            if self.traffic is not None:
                self.traffic.produce_requests += 1
                self.traffic.appended(builder.count, len(batch))
        self.full.clear()
        self.builder = None


def encoded_bytes(encoded: list[Encoded]) -> int:
    """At most how many bytes these records take in a batch."""
    return sum(len(key or b"") + len(value or b"") + RECORD_OVERHEAD_BYTES for key, value in encoded)


class Journal:
    """All internal logs. `appended` counts what was added, `durable` how much of it will survive."""

    __slots__ = ("_dirty", "appended", "durable")

    def __init__(self) -> None:
        self._dirty: dict[InternalLog, None] = {}
        self.appended = 0
        self.durable = 0

    def add(self, log: InternalLog, key: bytes | None, value: bytes | None, now_ms: int) -> None:
        """One record. Raises RecordsTooLarge."""
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

    def add_all(self, by_log: dict[InternalLog, list[Encoded]], now_ms: int) -> None:
        """Add the records of one request, those of each log in one batch.

        Raises RecordsTooLarge before anything is added.
        """
        sizes = {log: encoded_bytes(encoded) for log, encoded in by_log.items()}
        if any(size + HEADER_BYTES > log.log.settings.batch_bytes_max for log, size in sizes.items()):
            raise RecordsTooLarge
        for log, encoded in by_log.items():
            builder = log.room_for(sizes[log], now_ms)
            for key, value in encoded:
                builder.add(key, value)
            self._dirty[log] = None
        self.appended += 1

    @property
    def pending(self) -> bool:
        return bool(self._dirty)

    def write(self, now_ms: int) -> list[PartitionLog]:
        """Writes what was gathered; the logs that have to be synced, in the order in which they were first
        added to.
        """
        logs = [internal.log for internal in self._dirty]
        for internal in self._dirty:
            internal.write(now_ms)
        self._dirty.clear()
        return logs
