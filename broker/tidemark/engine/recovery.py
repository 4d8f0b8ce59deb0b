"""Start-up: replay the internal partitions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from typing import Any

from tidemark.core.decision import Record
from tidemark.late_dataclass import dataclass
from tidemark.log.partition import PartitionLog
from tidemark.log.segment import StoredBatch
from tidemark_protocol.batch import CONTROL, TRANSACTIONAL, BatchError, ControlType, control_type, records
from tidemark_protocol.loading import LEARN_AFTER, CoordinatorLogReader, OffsetCommits
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord
from tidemark_protocol.stored import UnknownRecordType, decode_coordinator, decode_metadata
from tidemark_protocol.wire import WireError


@dataclass(slots=True)
class Loaded:
    """The result of a load.

    skipped: counts of records of unknown types. deleted: ids of the topics that were deleted.
    """

    records: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    deleted: set[bytes] = field(default_factory=set)

    def skip(self, unknown: UnknownRecordType) -> None:
        self.skipped[str(unknown)] = self.skipped.get(str(unknown), 0) + 1


class CannotLoad(Exception):
    """A record cannot be read, so its partition is not served. The text names offset and reason."""


def load_metadata(log: PartitionLog, from_offset: int, replay: Callable[[Any], None]) -> Loaded:
    """Replay every metadata record from an offset on.

    Control batches are skipped: they are about leaders and snapshots, not about the cluster.
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
    """Replay one record. Raises CannotLoad if it has a known type and cannot be read: none may be missing."""
    try:
        record = decode_metadata(value)
    except UnknownRecordType as unknown:
        loaded.skip(unknown)
        return
    except WireError as error:
        raise CannotLoad(f"a record of the metadata log cannot be read: {error}") from None
    replay(Record(None, record))
    loaded.records += 1
    if isinstance(record, RemoveTopicRecord):
        loaded.deleted.add(record.topic_id)


def load_offsets(log: PartitionLog, replay: Any, learn_after: int = LEARN_AFTER) -> Loaded:
    """Pass every record of one partition of `__consumer_offsets` to replay, a `GroupsReplay`.

    learn_after: see CoordinatorLogReader. Raises CannotLoad if Kafka would not serve the partition either.
    """
    reader = CoordinatorLogReader(learn_after)
    count = 0
    for stored in log.batches(log.log_start_offset):
        header = stored.header
        try:
            if header.attributes & CONTROL:
                _replay_marker(stored, replay)
            elif header.attributes & TRANSACTIONAL:
                producer = (header.producer_id, header.producer_epoch)
                for key, value, appended_ms in reader.read(stored.buf, stored.start, header):
                    replay.pending(key, value, appended_ms, producer)
                    count += 1
            else:
                for found in reader.read_commits(stored.buf, stored.start, header):
                    if isinstance(found, OffsetCommits):
                        replay.commits(found)
                        count += found.count
                    else:
                        replay.record(*found)
                        count += 1
        except (BatchError, WireError) as error:
            raise CannotLoad(f"the record at offset {_unreadable(stored)} cannot be read: {error}") from None
    return Loaded(count, reader.skipped)


def _replay_marker(stored: StoredBatch, replay: Any) -> None:
    """Compaction may drop a marker's record once no data depends on it, which leaves an empty batch."""
    header = stored.header
    for entry in records(stored.buf, stored.start, header):
        kind = control_type(entry.key)
        if kind in (ControlType.ABORT, ControlType.COMMIT):
            producer = (header.producer_id, header.producer_epoch)
            replay.marker(producer, committed=kind == ControlType.COMMIT)


def _unreadable(stored: StoredBatch) -> int:
    """Return the offset of the first record that cannot be read. Offsets are not tracked before that."""
    if stored.header.is_control:
        return stored.base_offset  # it has one record
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
