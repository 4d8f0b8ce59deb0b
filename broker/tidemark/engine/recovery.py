"""Start-up: replay the internal partitions, and the snapshots of the metadata log.

A snapshot is in KRaft's format: `<end offset>-<epoch>.checkpoint` beside the log's segments. It has a header,
the records that rebuild the state, and a footer. The log is not needed below the snapshot's offset. The file
is renamed once it is complete, so that a crash leaves all of it or none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import field
from typing import Any, Final

from tidemark.core.decision import Record
from tidemark.engine.cluster_logs import METADATA_BATCH_BYTES_MAX, METADATA_LEADER_EPOCH
from tidemark.late_dataclass import dataclass
from tidemark.log.partition import PartitionLog
from tidemark.log.segment import StoredBatch
from tidemark.log.storage import Storage
from tidemark_protocol.batch import (
    CONTROL,
    NO_SEQUENCE,
    TRANSACTIONAL,
    BatchBuilder,
    BatchError,
    ControlType,
    build_control_batch,
    check_crc,
    control_type,
    headers,
    records,
)
from tidemark_protocol.loading import LEARN_AFTER, CoordinatorLogReader, OffsetCommits
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord
from tidemark_protocol.records.snapshot_footer_record import SnapshotFooterRecord
from tidemark_protocol.records.snapshot_header_record import SnapshotHeaderRecord
from tidemark_protocol.stored import UnknownRecordType, decode_coordinator, decode_metadata, encode_metadata
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
    count = sum(replay_batch(stored, reader, replay) for stored in log.batches(log.log_start_offset))
    return Loaded(count, reader.skipped)


def replay_batch(stored: StoredBatch, reader: CoordinatorLogReader, replay: Any) -> int:
    """Pass every record of one batch to replay, a `GroupsReplay`. Return their number. Raises CannotLoad."""
    header, count = stored.header, 0
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
    return count


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


_NAME: Final = re.compile(r"(\d{20})-(\d{10})\.checkpoint")


class MetadataSnapshot:
    """The cluster's state at the end of the log, to be written to the disk.

    Create and finish it on the event loop. `write` may run in a worker thread.
    """

    __slots__ = ("_end_offset", "_log", "_now_ms", "_state", "_storage", "_synced_offset")

    def __init__(self, storage: Storage, log: PartitionLog, state: Iterable[Record], now_ms: int) -> None:
        self._storage = storage
        self._log = log
        self._state = state
        self._now_ms = now_ms
        self._end_offset = self._synced_offset = log.log_end_offset
        log.roll(now_ms)

    def write(self) -> None:
        """Sync the log, then write the snapshot: after a power cut the log must not end below it."""
        self._synced_offset = self._log.sync(up_to=self._end_offset)
        directory, epoch = self._log.directory, METADATA_LEADER_EPOCH
        write_snapshot(self._storage, directory, self._end_offset, epoch, self._state, self._now_ms)

    def finish(self) -> None:
        """Delete the part of the log that the snapshot covers."""
        self._log.mark_synced(self._synced_offset)
        self._log.advance_log_start(self._end_offset)


def write_snapshot(
    storage: Storage, directory: str, end_offset: int, epoch: int, state: Iterable[Record], now_ms: int
) -> str:
    """Write a snapshot and remove older ones. Return its file name."""
    batches = [_control(ControlType.SNAPSHOT_HEADER, SnapshotHeaderRecord(0, now_ms), now_ms)]
    builder = BatchBuilder(now_ms)
    for record in state:
        value = encode_metadata(record.value)
        if builder.count and len(builder.out) + len(value) > METADATA_BATCH_BYTES_MAX:
            batches.append(builder.build(base_sequence=NO_SEQUENCE))
            builder = BatchBuilder(now_ms)
        builder.add(None, value)
    if builder.count:
        batches.append(builder.build(base_sequence=NO_SEQUENCE))
    batches.append(_control(ControlType.SNAPSHOT_FOOTER, SnapshotFooterRecord(0), now_ms))
    name = f"{end_offset:020d}-{epoch:010d}.checkpoint"
    storage.write(f"{directory}/{name}", b"".join(_in_a_row(batches)))
    for older, _ in snapshots(storage, directory):
        if older != name:
            storage.remove(f"{directory}/{older}")
    return name


def snapshots(storage: Storage, directory: str) -> list[tuple[str, int]]:
    """Return (file name, end offset) of each snapshot, oldest first."""
    found = ((name, _NAME.fullmatch(name)) for name, _ in storage.list(directory))
    return [(name, int(match[1])) for name, match in found if match is not None]


def load_snapshot(storage: Storage, directory: str, replay: Callable[[Any], None]) -> tuple[int, Loaded]:
    """Replay the newest snapshot. Return the offset at which the log continues, and what was found.

    The offset is 0 if there is no snapshot.

    Raises CannotLoad for a damaged snapshot: its content is stored nowhere else.
    """
    loaded = Loaded()
    found = snapshots(storage, directory)
    if not found:
        return 0, loaded
    name, end_offset = found[-1]
    data = storage.read(f"{directory}/{name}")
    whole = False
    for pos, header in headers(data):
        if not check_crc(data, pos, header):
            raise CannotLoad(f"{directory}/{name} is corrupt at byte {pos}")
        whole = header.is_control
        if header.is_control:
            continue
        for entry in records(data, pos, header):
            if entry.value is not None:
                replay_metadata(entry.value, replay, loaded)
    if not whole:
        raise CannotLoad(f"{directory}/{name} ends without its footer")
    return end_offset, loaded


def _control(kind: int, message: Any, now_ms: int) -> bytes:
    value = bytearray()
    message.ENCODERS[0](value, message)
    return build_control_batch(kind, bytes(value), now_ms)


def _in_a_row(batches: list[bytes]) -> Iterable[bytes]:
    """Return the batches with their offsets, which count from 0 in a snapshot."""
    offset = 0
    for batch in batches:
        ((_, header),) = headers(batch)
        yield offset.to_bytes(8, "big") + batch[8:]
        offset += header.count
