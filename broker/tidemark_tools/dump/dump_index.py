"""The dump of the files beside a log: `.index`, `.timeindex`, `.txnindex`, `.snapshot`.

The offset index and the time index are compared with the log beside them. Differences are printed at the end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import Final

from tidemark.log.index import ENTRY_BYTES, TransactionIndex
from tidemark.log.producers import NO_OFFSET, Producers, SnapshotCorrupt
from tidemark_tools.dump.log_file import File, LogFile, Thrown

OFFSET_ENTRY: Final = Struct(">ii")  # offset from the segment's start, position
TIME_ENTRY: Final = Struct(">qi")
CORRUPT_INDEX: Final = "org.apache.kafka.storage.internals.log.CorruptIndexException"
NOT_FOUND: Final = -1
VERSION_BYTES: Final = 2
PRODUCERS_VERSION: Final = 1

Pairs = list[tuple[int, int]]


@dataclass(slots=True)
class Mismatches:
    """Differences between indexes and logs, by file: (value in the index, value in the log)."""

    offsets: dict[str, Pairs] = field(default_factory=dict)
    timestamps: dict[str, Pairs] = field(default_factory=dict)
    order: dict[str, Pairs] = field(default_factory=dict)
    unfound: dict[str, Pairs] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        for name, pairs in self.offsets.items():
            yield f"Mismatches in :{name}"
            last = dict(pairs)
            yield from (
                f"  Index offset: {key}, log offset: {last[key]}" for key in sorted(last, reverse=True)
            )
        for name, pairs in self.timestamps.items():
            yield f"Found timestamp mismatch in :{name}"
            yield from (f"  Index timestamp: {index}, log timestamp: {log}" for index, log in pairs)
        for name, pairs in self.order.items():
            yield f"Found out of order timestamp in :{name}"
            for this, one_before in pairs:
                yield f"  Index timestamp: {this}, Previously indexed timestamp: {one_before}"
        for name, pairs in self.unfound.items():
            yield f"The following indexed offsets are not found in :{name}"
            yield from (f"Indexed offset: {index}, found log offset: {log}" for index, log in pairs)


def _add(pairs: dict[str, Pairs], file: File, pair: tuple[int, int]) -> None:
    pairs.setdefault(file.absolute, []).append(pair)


def dump_offset_index(
    file: File, log: LogFile, mismatches: Mismatches, message_bytes_max: int
) -> Iterator[str]:
    """Yield the entries, and compare each with the batch that it points to."""
    start = file.start_offset()
    for number, (relative, position) in enumerate(_entries(OFFSET_ENTRY, file)):
        if relative == 0 and number:
            return  # after a crash, or while a broker runs, zeros follow the entries
        found = log.batch_at(position, message_bytes_max)
        if found.last_offset != start + relative:
            _add(mismatches.offsets, file, (start + relative, found.last_offset))
        yield f"offset: {start + relative} position: {position}"


def dump_time_index(file: File, log: LogFile, mismatches: Mismatches) -> Iterator[str]:
    """Yield the entries, and compare each with the largest timestamp of its batch."""
    start = file.start_offset()
    index = list(_entries(OFFSET_ENTRY, file.beside(".index")))
    headers = list(log.headers())
    positions = [position for position, _ in headers]
    last_offsets = [header.last_offset for _, header in headers]
    before = NOT_FOUND
    for number, (timestamp, relative) in enumerate(_entries(TIME_ENTRY, file)):
        if relative == 0 and number:
            return
        offset = start + relative
        begin = max((position for known, position in index if known <= relative), default=0)
        log.check_position(begin)
        at = bisect_left(last_offsets, offset, lo=bisect_left(positions, begin))
        if at == len(headers):
            _add(mismatches.unfound, file, (offset, NOT_FOUND))
        elif last_offsets[at] != offset:
            _add(mismatches.unfound, file, (offset, last_offsets[at]))
        else:
            largest = max((r.timestamp for r in log.records(*headers[at])), default=NOT_FOUND)
            if largest != timestamp:
                _add(mismatches.timestamps, file, (timestamp, largest))
            if before >= timestamp:
                _add(mismatches.order, file, (timestamp, before))
        yield f"timestamp: {timestamp} offset: {offset}"
        before = timestamp


def is_empty(file: File) -> bool:
    """Return whether an offset index has no entries."""
    return len(file.read()) < OFFSET_ENTRY.size


def check_offset_index(file: File) -> None:
    """Raise Thrown if a broker would rebuild the index."""
    data = file.read()
    start = file.start_offset()
    if len(data) >= OFFSET_ENTRY.size:
        *_, (last, _) = _entries(OFFSET_ENTRY, file)
        if last < 0:
            raise Thrown(
                CORRUPT_INDEX,
                f"Corrupt index found, index file ({file.absolute}) has non-zero size but the last offset "
                f"is {start + last} which is less than the base offset {start}",
            )
    _check_length(file, data, OFFSET_ENTRY, "Index file")


def check_time_index(file: File) -> None:
    """Raise Thrown if a broker would rebuild the index."""
    data = file.read()
    start = file.start_offset()
    if len(data) >= TIME_ENTRY.size:
        what = f"Corrupt time index found, time index file ({file.absolute}) has non-zero size but the last"
        entries = [*_entries(TIME_ENTRY, file)]
        (first, _), (timestamp, relative) = entries[0], entries[-1]
        if timestamp < first:
            raise Thrown(
                CORRUPT_INDEX,
                f"{what} timestamp is {timestamp} which is less than the first timestamp {first}",
            )
        if relative < 0:
            raise Thrown(
                CORRUPT_INDEX,
                f"{what} offset is {start + relative} which is less than the first offset {start}",
            )
    _check_length(file, data, TIME_ENTRY, "Time index file")


def _check_length(file: File, data: bytes, entry: Struct, what: str) -> None:
    if len(data) % entry.size:
        raise Thrown(
            CORRUPT_INDEX,
            f"{what} {file.absolute} is corrupt, found {len(data)} bytes which is neither positive nor "
            f"a multiple of {entry.size}",
        )


def _entries(entry: Struct, file: File) -> Iterator[tuple[int, int]]:
    data = file.read()
    yield from entry.iter_unpack(data[: len(data) // entry.size * entry.size])


def dump_aborted(file: File) -> Iterator[str]:
    """Yield the entries of a `.txnindex`. Most segments do not have this file: then there are none."""
    file.start_offset()
    is_absent = not file.path.exists() and file.beside(".log").path.exists()
    data = b"" if is_absent else file.read()
    index = TransactionIndex(data)
    for version in data[: index.size : ENTRY_BYTES]:  # Kafka reads the first byte of a version only
        if 0 < version < 128:
            raise Thrown(
                "org.apache.kafka.common.KafkaException",
                f"Unexpected aborted transaction version {version} in transaction index {file.absolute}, "
                "current version is 0",
            )
    for each in index:
        yield (
            f"version: 0 producerId: {each.producer_id} firstOffset: {each.first_offset} "
            f"lastOffset: {each.last_offset} lastStableOffset: {each.last_stable_offset}"
        )


def dump_producers(file: File) -> Iterator[str]:
    """Yield the producers of a `.snapshot`. Raises SnapshotCorrupt."""
    data = file.read()
    version = int.from_bytes(data[:VERSION_BYTES], "big", signed=True)
    if version != PRODUCERS_VERSION:
        raise SnapshotCorrupt(
            f"Snapshot failed schema validation: Snapshot contained an unknown file version {version}"
        )
    producers = Producers()
    producers.load(data)
    for each in producers.states.values():
        opened = "OptionalLong.empty" if each.open_since == NO_OFFSET else f"OptionalLong[{each.open_since}]"
        line = (
            f"producerId: {each.producer_id} producerEpoch: {each.epoch} coordinatorEpoch: "
            f"{each.coordinator_epoch} currentTxnFirstOffset: {opened} "
            f"lastTimestamp: {each.last_timestamp_ms}"
        )
        for batch in each.batches[-1:]:
            line += (
                f" firstSequence: {batch.base_sequence} lastSequence: {batch.last_sequence} "
                f"lastOffset: {batch.last_offset} offsetDelta: {batch.last_offset - batch.base_offset} "
                f"timestamp: {batch.timestamp_ms}"
            )
        yield line
