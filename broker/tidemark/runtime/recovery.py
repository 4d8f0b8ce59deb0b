"""Start-up: reads the internal partitions back through replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tidemark.coordinator.result import Record
from tidemark.log.partition import PartitionLog
from tidemark_protocol.batch import read_header, records
from tidemark_protocol.stored import UnknownRecordType, decode_coordinator, decode_metadata
from tidemark_protocol.wire import WireError


@dataclass(slots=True)
class Loaded:
    """What a load found: worth one log line."""

    records: int = 0
    skipped: dict[str, int] = field(
        default_factory=dict
    )  # record types that are not known, with their counts


class CannotLoad(Exception):
    """A record that cannot be read: its partition is not served. The text names offset and reason."""


def load_metadata(log: PartitionLog, from_offset: int, replay: Callable[[Any], None]) -> Loaded:
    """Every metadata record from an offset on. Control batches tell of leaders and snapshots, not of the
    cluster.
    """
    loaded = Loaded()
    for stored in log.batches(from_offset):
        header = read_header(stored.buf, stored.start)
        if header.is_control:
            continue
        for entry in records(stored.buf, stored.start, header):
            if entry.offset >= from_offset and entry.value is not None:
                replay_metadata(entry.value, replay, loaded)
    return loaded


def replay_metadata(value: bytes, replay: Callable[[Any], None], loaded: Loaded) -> None:
    try:
        record = decode_metadata(value)
    except UnknownRecordType as unknown:
        loaded.skipped[str(unknown)] = loaded.skipped.get(str(unknown), 0) + 1
        return
    replay(Record(None, record))
    loaded.records += 1


def load_offsets(log: PartitionLog, replay: Callable[[Record, int], None]) -> Loaded:
    """Every record of one partition of `__consumer_offsets`, with the time at which it was appended.

    Raises CannotLoad where Kafka would not serve it either.

    Batches of transactions and their markers are passed over: transactions are not served yet.
    """
    loaded = Loaded()
    for stored in log.batches(log.log_start_offset):
        header = read_header(stored.buf, stored.start)
        if header.is_control or header.is_transactional:
            continue
        for entry in records(stored.buf, stored.start, header):
            if entry.key is None:
                continue
            try:
                key, value = decode_coordinator(entry.key, entry.value)
            except UnknownRecordType as unknown:
                loaded.skipped[str(unknown)] = loaded.skipped.get(str(unknown), 0) + 1
                continue
            except WireError as error:
                raise CannotLoad(f"the record at offset {entry.offset} cannot be read: {error}") from None
            replay(Record(key, value), entry.timestamp)
            loaded.records += 1
    return loaded
