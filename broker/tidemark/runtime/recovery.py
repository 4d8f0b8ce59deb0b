"""Start-up: reads the internal partitions back through replay."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tidemark.coordinator.result import Record
from tidemark.log.partition import PartitionLog, StoredBatch
from tidemark_protocol.batch import CONTROL, TRANSACTIONAL, BatchError, records
from tidemark_protocol.loading import CoordinatorLogReader
from tidemark_protocol.stored import UnknownRecordType, decode_coordinator, decode_metadata
from tidemark_protocol.wire import WireError


@dataclass(slots=True)
class Loaded:
    """What a load found: worth one log line. skipped: record types that are not known, with their counts."""

    records: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    def skip(self, unknown: UnknownRecordType) -> None:
        self.skipped[str(unknown)] = self.skipped.get(str(unknown), 0) + 1


class CannotLoad(Exception):
    """A record that cannot be read: its partition is not served. The text names offset and reason."""


def load_metadata(log: PartitionLog, from_offset: int, replay: Callable[[Any], None]) -> Loaded:
    """Every metadata record from an offset on. Control batches tell of leaders and snapshots, not of the
    cluster.
    """
    loaded = Loaded()
    for stored in log.batches(from_offset):
        if stored.header.is_control:
            continue
        for entry in records(stored.buf, stored.start, stored.header):
            if entry.offset >= from_offset and entry.value is not None:
                replay_metadata(entry.value, replay, loaded)
    return loaded


def replay_metadata(value: bytes, replay: Callable[[Any], None], loaded: Loaded) -> None:
    try:
        record = decode_metadata(value)
    except UnknownRecordType as unknown:
        loaded.skip(unknown)
        return
    replay(Record(None, record))
    loaded.records += 1


def load_offsets(log: PartitionLog, replay: Callable[[Any, Any, int], None]) -> Loaded:
    """Every record of one partition of `__consumer_offsets`: key, value, and when it was appended.

    Raises CannotLoad where Kafka would not serve it either.

    Batches of transactions and their markers are passed over: transactions are not served yet.
    """
    reader = CoordinatorLogReader()
    count = 0
    for stored in log.batches(log.log_start_offset):
        header = stored.header
        if header.attributes & (CONTROL | TRANSACTIONAL):
            continue
        try:
            for key, value, appended_ms in reader.read(stored.buf, stored.start, header):
                replay(key, value, appended_ms)
                count += 1
        except (BatchError, WireError) as error:
            raise CannotLoad(f"the record at offset {_unreadable(stored)} cannot be read: {error}") from None
    return Loaded(count, reader.skipped)


def _unreadable(stored: StoredBatch) -> int:
    """The offset of the first record that cannot be read: nobody counts them until one cannot."""
    try:
        for entry in records(stored.buf, stored.start, stored.header):
            if entry.key is not None:
                with suppress(UnknownRecordType):
                    decode_coordinator(entry.key, entry.value)
    except BatchError:
        return stored.base_offset
    except WireError:
        return entry.offset
    raise AssertionError("every record can be read")
