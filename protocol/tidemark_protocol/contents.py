"""Examines the records of a batch in short steps, without building them.

A batch of a few kilobytes may hold 100 MB and millions of records, so that a broker must not examine it in
one step. All functions here are generators of steps. Between two steps the caller may do other work.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from tidemark_protocol.batch import (
    APPEND_TIME,
    HEADER_BYTES,
    UNCOMPRESSED_BYTES_MAX,
    BatchError,
    BatchHeader,
    Buffer,
    header_count,
    read_size,
    skip_header,
    skip_headers,
    varint,
    varlong,
    zigzag_varint,
)
from tidemark_protocol.compression import CompressionError, TooLarge, decompress, decompress_into
from tidemark_protocol.wire import java_long

T = TypeVar("T")
Steps = Generator[Callable[[], Any] | None, Any, T]
"""Work in steps of less than a millisecond.

Each step yields None, or a function that needs longer but does not hold the interpreter's lock. The caller
may call that function in another thread, and sends its result.
"""

RECORDS_PER_STEP: Final = 256
HEADERS_PER_STEP: Final = 256
ALIKE_MIN: Final = 8  # records of one shape; fewer are read faster one by one
# The offset deltas 0, 1, 2, ... as zigzag varints of one byte, and of two: the first bytes of all, then the
# second bytes.
_OFFSET_DELTAS: Final = {
    1: (bytes(range(0, 128, 2)),),
    2: (bytes(delta * 2 & 127 | 128 for delta in range(8192)), bytes(delta >> 6 for delta in range(8192))),
}
RECORD_BYTES_MAX: Final = (
    2**31 - 9
)  # the largest array of Java, and the default of max.decompressed.message.bytes
# A batch up to this size is decompressed in one step, which takes a few milliseconds at most.
COMPRESSED_BYTES_PER_STEP: Final = 32 * 1024
DECOMPRESSED_BYTES_PER_STEP: Final = 256 * 1024
COPIED_BYTES_PER_STEP: Final = 1024 * 1024
HEADERS_SHORT_BYTES: Final = 4 * 1024
NO_TIME_YET: Final = 2**80  # larger than every timestamp
LONG_MAX: Final = 2**63 - 1
NULL: Final = zigzag_varint(-1)


def finish(steps: Steps[T]) -> T:
    """Run all steps at once, and return their result."""
    try:
        work = next(steps)
        while True:
            work = steps.send(None if work is None else work())
    except StopIteration as done:
        result: T = done.value
        return result


def read_content(buf: Buffer, pos: int, header: BatchHeader) -> Steps[Buffer]:
    """Return the bytes after the header of the batch at pos, decompressed. Raises BatchError."""
    stored = memoryview(buf)[pos + HEADER_BYTES : pos + header.size]
    if not header.compression:
        return stored
    try:
        if len(stored) <= COMPRESSED_BYTES_PER_STEP:
            return decompress(header.compression, stored, DECOMPRESSED_BYTES_PER_STEP)
    except TooLarge:
        pass
    except CompressionError as error:
        raise BatchError(str(error)) from None
    content: Buffer | BatchError = yield partial(_decompress_large, header.compression, stored)
    if isinstance(content, BatchError):
        raise content
    return content


def _decompress_large(codec: int, stored: memoryview) -> Buffer | BatchError:
    """Decompress into memory that the system provides page by page.

    A bytearray of the same size would be filled with zeros first, while no other thread can run.
    """
    room = memoryview(mmap.mmap(-1, UNCOMPRESSED_BYTES_MAX, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    try:
        return room[: decompress_into(codec, stored, room)]
    except CompressionError as error:
        return BatchError(str(error))


class Survey(NamedTuple):
    """The result of one pass over the records. Timestamps are those that a reader of the batch sees."""

    earliest: int
    latest: int
    keyless: bool
    has_gaps: bool


def survey(data: Buffer, header: BatchHeader) -> Steps[Survey]:
    """Read over the records without building any. Raises BatchError or IndexError if they are invalid.

    Records with the same shape as the one before them are examined together (`_alike`).
    """
    earliest, latest, previous = NO_TIME_YET, -NO_TIME_YET, -1
    keyless = has_gaps = False
    pos = index = 0
    # The length of the record before, if it was read alone and others can be compared with it, else -1; and
    # the positions of its fields.
    length = -1
    begin = time_at = offset_at = key_at = value_at = 0
    can_compare = not isinstance(data, memoryview)
    for first in range(0, header.count, RECORDS_PER_STEP):
        if first:
            yield None
        stop = min(first + RECORDS_PER_STEP, header.count)
        while index < stop:
            start = pos
            n = data[pos]
            if n < 128:
                pos += 1
            elif (high := data[pos + 1]) < 128:
                n += (high << 7) - 128
                pos += 2
            else:
                n, pos = varint(data, pos)
            record_end = pos + (n >> 1) if not n & 1 else -1

            if n == length:
                times = _alike(data, (begin, time_at, offset_at, key_at, value_at, start), index, stop)
                if times:
                    for n in {*times}:
                        delta = (n >> 1) ^ -(n & 1)
                        latest = max(latest, delta)
                        earliest = min(earliest, delta)
                    index += len(times)
                    pos = start + len(times) * (start - begin)
                    length = -1
                    continue
            length = n if can_compare else -1
            begin = start

            time_at = pos + 1  # after the attributes
            n = data[time_at]
            if n < 128:
                pos += 2
            elif (high := data[pos + 2]) < 128:
                n += (high << 7) - 128
                pos += 3
            else:
                n, pos = varlong(data, pos + 1)
            if n != previous:  # many records have the same time as the one before
                previous = n
                delta = (n >> 1) ^ -(n & 1)
                if delta > latest:
                    latest = delta
                if delta < earliest:
                    earliest = delta

            offset_at = pos
            n = data[pos]
            if n < 128:
                pos += 1
            elif (high := data[pos + 1]) < 128:
                n += (high << 7) - 128
                pos += 2
            else:
                n, pos = varint(data, pos)
            if n != 2 * index:  # a zigzag varint stores twice the offset delta
                has_gaps = True

            key_at = pos
            n = data[pos]
            if n < 128:
                pos += 1
            elif (high := data[pos + 1]) < 128:
                n += (high << 7) - 128
                pos += 2
            else:
                n, pos = varint(data, pos)
            if not n & 1:
                pos += n >> 1
            elif n == 1:
                keyless = True
            else:
                raise BatchError("a key's length is negative")

            value_at = pos
            n = data[pos]
            if n < 128:
                pos += 1
            elif (high := data[pos + 1]) < 128:
                n += (high << 7) - 128
                pos += 2
            else:
                n, pos = varint(data, pos)
            if not n & 1:
                pos += n >> 1
            elif n != 1:
                raise BatchError("a value's length is negative")

            if data[pos] == 0:
                pos += 1
            else:
                length = -1
                if record_end - pos <= HEADERS_SHORT_BYTES:
                    pos = skip_headers(data, pos, record_end)
                else:
                    pos = yield from _skip_many_headers(data, pos, record_end)
            if pos != record_end:
                raise BatchError("a record's length and its content differ")
            index += 1
    if pos != len(data):
        raise BatchError(f"{len(data) - pos} bytes follow the last record")
    if header.attributes & APPEND_TIME:
        return Survey(header.max_timestamp, header.max_timestamp, keyless, has_gaps)
    earliest += header.base_timestamp
    latest += header.base_timestamp
    if earliest < -LONG_MAX or latest > LONG_MAX:
        raise BatchError("a timestamp that no int64 holds")
    return Survey(earliest, latest, keyless, has_gaps)


def _alike(data: Buffer, shape: tuple[int, int, int, int, int, int], index: int, stop: int) -> Buffer:
    """Return the timestamp deltas of the records that follow a record and have its shape.

    Such records have the same lengths, timestamp deltas of one byte, offset deltas that equal their indexes,
    and no headers. The result is empty if there are fewer than ALIKE_MIN.

    shape: positions of the record before, of its timestamp delta, of its offset delta, of the lengths of its
    key and of its value, and of its end. index: the number of the first record after it. stop: the end of
    this step.

    A slice with a step returns the same byte of each record. So a batch of small records of one size takes a
    twentieth of the time that is needed to read the records one by one.
    """
    begin, time_at, offset_at, key_at, value_at, end = shape
    expected = _OFFSET_DELTAS.get(key_at - offset_at)
    if expected is None or offset_at - time_at != 1:
        return b""
    size = end - begin
    number = min(stop - index, (len(data) - end) // size)
    key_from, value_from = key_at + 1, value_at + 1
    while data[key_from - 1] >= 128:
        key_from += 1
    while data[value_from - 1] >= 128:
        value_from += 1
    equal = *range(begin, time_at - 1), *range(key_at, key_from), *range(value_at, value_from), end - 1
    for at in equal:
        if number < ALIKE_MIN:
            return b""
        column = data[at + size : end + number * size : size]
        number = len(column) - len(column.lstrip(data[at : at + 1]))  # type: ignore[union-attr]
    past = end + number * size
    times = data[time_at + size : past : size]
    if number < ALIKE_MIN or not times.isascii():  # type: ignore[union-attr]
        return b""
    for at, deltas in zip(range(offset_at, key_at), expected, strict=True):
        if data[at + size : past : size] != deltas[index : index + number]:
            return b""
    return times


def _skip_many_headers(data: Buffer, pos: int, end: int) -> Steps[int]:
    count, pos = header_count(data, pos, end)
    for at in range(count):
        if at % HEADERS_PER_STEP == 0:
            yield None
        pos = skip_header(data, pos, end)
    return pos


class Sketch:
    """One record without its bytes: the positions of key and value (start -1: null).

    start: after the record's size
    """

    __slots__ = ("end", "headers_at", "key_end", "key_start", "offset", "start", "timestamp", "value_end",
                 "value_start")  # fmt: skip

    def __init__(self) -> None:
        self.start = 0
        self.offset = 0
        self.timestamp = 0
        self.key_start = self.key_end = -1
        self.value_start = self.value_end = -1
        self.headers_at = 0
        self.end = 0


def sketches(data: Buffer, header: BatchHeader) -> Iterator[Sketch]:
    """Yield a sketch of each record, after `survey` has read over the same bytes.

    The same object is yielded each time. Raises BatchError or IndexError if the records are invalid.
    """
    append_timestamp = header.max_timestamp if header.attributes & APPEND_TIME else None
    base_offset, base_timestamp = header.base_offset, header.base_timestamp
    found = Sketch()
    pos = 0
    for _ in range(header.count):
        n = data[pos]
        if n < 128:
            pos += 1
        elif (high := data[pos + 1]) < 128:
            n += (high << 7) - 128
            pos += 2
        else:
            n, pos = varint(data, pos)
        found.start = pos
        found.end = pos + (n >> 1)

        n, pos = varlong(data, pos + 1) if data[pos + 1] >= 128 else (data[pos + 1], pos + 2)
        timestamp = base_timestamp + ((n >> 1) ^ -(n & 1)) if append_timestamp is None else append_timestamp
        found.timestamp = timestamp if -LONG_MAX <= timestamp <= LONG_MAX else java_long(timestamp)

        n, pos = varint(data, pos) if data[pos] >= 128 else (data[pos], pos + 1)
        found.offset = base_offset + ((n >> 1) ^ -(n & 1))

        n, pos = varint(data, pos) if data[pos] >= 128 else (data[pos], pos + 1)
        found.key_start = pos if not n & 1 else -1
        if not n & 1:
            pos += n >> 1
        found.key_end = pos

        n, pos = varint(data, pos) if data[pos] >= 128 else (data[pos], pos + 1)
        found.value_start = pos if not n & 1 else -1
        if not n & 1:
            pos += n >> 1
        found.value_end = found.headers_at = pos
        if pos >= found.end:
            raise BatchError("a record's length and its content differ")
        yield found
        pos = found.end


class RecordTooLarge(BatchError):
    """A record of a compressed batch is larger than max.decompressed.message.bytes."""

    def __init__(self, size: int, max_bytes: int) -> None:
        super().__init__(f"a decompressed record of {size} bytes, {max_bytes} are allowed")


def check_record_sizes(data: Buffer, header: BatchHeader, max_bytes: int) -> Steps[None]:
    """Check the sizes of surveyed records of a compressed batch, as Kafka 4.4 does. Raises RecordTooLarge.

    Kafka does not count the bytes of the size itself, and has no limit for uncompressed records.
    """
    for index, record in enumerate(sketches(data, header)):
        if index % RECORDS_PER_STEP == 0:
            yield None
        if record.end - record.start > max_bytes:
            raise RecordTooLarge(record.end - record.start, max_bytes)


def find_time(
    buf: Buffer,
    pos: int,
    header: BatchHeader,
    timestamp_ms: int,
    offset: int,
    record_bytes_max: int = RECORD_BYTES_MAX,
) -> Steps[tuple[int, int] | None]:
    """Find the first record of the batch at pos with at least this timestamp and this offset.

    record_bytes_max: of a record in a compressed batch, as in `check_record_sizes`

    Returns its timestamp and offset. Raises BatchError.
    """
    content = yield from read_content(buf, pos, header)
    limit = record_bytes_max if header.compression else RECORD_BYTES_MAX
    try:
        for at, record in enumerate(sketches(content, header)):
            if at % RECORDS_PER_STEP == 0:
                yield None
            if record.end - record.start > limit:
                raise RecordTooLarge(record.end - record.start, limit)
            if record.timestamp >= timestamp_ms and record.offset >= offset:
                return record.timestamp, record.offset
    except IndexError:
        raise BatchError("the records end early") from None
    return None


def renumber(data: Buffer, header: BatchHeader) -> Steps[tuple[bytearray, int]]:
    """Rewrite surveyed records as Kafka does when it compresses them.

    The offset deltas begin at 0, the attributes are cleared, and the first record's timestamp is the base.
    Returns the bytes and the base timestamp.
    """
    out = bytearray()
    base_timestamp = 0
    for index, record in enumerate(sketches(data, header)):
        if index % RECORDS_PER_STEP == 0:
            yield None
        if not index:
            base_timestamp = record.timestamp
        headers: Buffer = b"\0"
        if data[record.headers_at]:
            headers = yield from _headers_anew(data, record.headers_at, record.end)
        parts = (
            b"\0",
            zigzag_varint(java_long(record.timestamp - base_timestamp)),
            zigzag_varint(index),
            *_sized(data, record.key_start, record.key_end),
            *_sized(data, record.value_start, record.value_end),
            headers,
        )
        size = sum(map(len, parts))
        out += zigzag_varint(size)
        if size <= COPIED_BYTES_PER_STEP:
            out += b"".join(parts)
        else:
            for part in parts:
                yield from copy_into(out, part)
    return out, base_timestamp


def _sized(data: Buffer, start: int, end: int) -> tuple[bytes, Buffer]:
    return (NULL, b"") if start < 0 else (zigzag_varint(end - start), data[start:end])


def _headers_anew(data: Buffer, pos: int, end: int) -> Steps[bytearray]:
    count, pos = header_count(data, pos, end)
    out = bytearray(zigzag_varint(count))
    for at in range(count):
        if at % HEADERS_PER_STEP == 0:
            yield None
        for _ in ("key", "value"):
            size, pos = read_size(data, pos, end)
            length, field = _sized(data, pos if size >= 0 else -1, pos + size)
            out += length
            yield from copy_into(out, field)
            pos += max(0, size)
    return out


def copy_into(out: bytearray, data: Buffer) -> Steps[None]:
    """Append data to out, a part at a time."""
    if len(data) <= COPIED_BYTES_PER_STEP:
        out += data
        return
    view = memoryview(data)
    for start in range(0, len(view), COPIED_BYTES_PER_STEP):
        yield None
        out += view[start : start + COPIED_BYTES_PER_STEP]
