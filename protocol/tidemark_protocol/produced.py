"""Checks the records of a produce request, in Kafka's order and with Kafka's errors.

There are two functions, because Kafka checks other things in between. `sole_batch` checks what the request
alone decides, `check_for_append` what depends on the topic's settings and on the records. The expected errors
were recorded from Kafka 4.3.1 with broken batches. Kafka returns UNKNOWN_SERVER_ERROR for an exception it
does not expect.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from tidemark_protocol.batch import (
    APPEND_TIME,
    COMPRESSION_MASK,
    CONTROL,
    CRC_START,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    TRANSACTIONAL,
    BatchError,
    BatchHeader,
    Buffer,
    batch_of,
    read_header,
    set_timestamps,
)
from tidemark_protocol.checksum import crc32c
from tidemark_protocol.compression import Codec, compress
from tidemark_protocol.contents import (
    COMPRESSED_BYTES_PER_STEP,
    COPIED_BYTES_PER_STEP,
    RECORD_BYTES_MAX,
    RECORDS_PER_STEP,
    Sketch,
    Steps,
    Survey,
    check_record_sizes,
    copy_into,
    read_content,
    renumber,
    sketches,
    survey,
)
from tidemark_protocol.errors import ErrorCode

FIRST_VERSION_WITH_ZSTD: Final = 7
SMALLEST_RECORD_BYTES: Final = 14  # the overhead of magic 0, Kafka's limit before it knows the magic
MAGIC_POSITION: Final = 16
LENGTH_MAX: Final = 2**31 - 1 - LOG_OVERHEAD_BYTES  # Kafka adds them in 32 bits
ERRORS_SHOWN: Final = 3
RECORD_ERRORS_MAX: Final = (
    10_000  # reported for one batch: a few kilobytes may hold millions of invalid records
)
CHECKED_BYTES_PER_STEP: Final = 4 * 1024 * 1024
NO_LIMIT: Final = 2**63 - 1


@dataclass(slots=True)
class RecordError:
    """One refused record: its index in the batch, and the reason."""

    batch_index: int
    message: str


class BatchRefused(Exception):
    """A batch is refused, with the error of its partition.

    reason    for a log line
    message   the response's ErrorMessage, which Kafka leaves null in most cases
    checked   the content of the batch was checked: Kafka's response then has the log start offset
    """

    def __init__(
        self,
        code: ErrorCode,
        reason: str,
        *,
        message: str | None = None,
        checked: bool = False,
        record_errors: tuple[RecordError, ...] = (),
    ) -> None:
        super().__init__(f"{code.name}: {reason}")
        self.code = code
        self.reason = reason
        self.message = message
        self.checked = checked
        self.record_errors = record_errors


@dataclass(slots=True)
class AppendRules:
    """The settings of a topic by which batches are checked, with the defaults of Kafka's topic configs."""

    max_message_bytes: int = 1048588
    segment_bytes: int = 1024 * 1024 * 1024
    compacted: bool = False  # cleanup.policy contains "compact": records need keys
    append_time: bool = False  # message.timestamp.type is LogAppendTime
    codec: Codec | None = None  # compression.type; None: keep the producer's codec
    timestamp_before_max_ms: int = NO_LIMIT
    timestamp_after_max_ms: int = 60 * 60 * 1000
    record_bytes_max: int = RECORD_BYTES_MAX  # of a decompressed record: max.decompressed.message.bytes
    level: int | None = None  # the level if the broker compresses; None: the codec's default

    def takes_as_it_is(self, compression: int) -> bool:
        """True if the records remain compressed as received: Kafka then reads no keys and values."""
        return compression != Codec.NONE and self.codec in (None, compression)


def sole_batch(data: Buffer, version: int) -> BatchHeader:
    """Return the header of the only batch that a produce request may have per partition. Raises BatchRefused.

    A truncated batch after it is ignored, as in Kafka.
    """
    end = _batch_end(data, 0)
    if end is None:
        raise BatchRefused(ErrorCode.INVALID_RECORD, "no whole batch")
    magic = data[MAGIC_POSITION]
    if magic != MAGIC:
        raise BatchRefused(ErrorCode.INVALID_RECORD, f"magic {magic}")
    if end < HEADER_BYTES:
        raise BatchRefused(ErrorCode.CORRUPT_MESSAGE, f"a batch of {end} bytes")
    header = read_header(data)
    if header.attributes & COMPRESSION_MASK == Codec.ZSTD and version < FIRST_VERSION_WITH_ZSTD:
        raise BatchRefused(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"zstd in a produce request v{version}")
    if end == len(data):
        return header
    try:
        another = _batch_end(data, end)
    except BatchRefused as refused:
        raise BatchRefused(refused.code, f"behind the first batch: {refused.reason}") from None
    if another is not None:
        raise BatchRefused(ErrorCode.INVALID_RECORD, "more than one batch")
    return header


def _batch_end(data: Buffer, start: int) -> int | None:
    """Return the end of the batch at start, or None if it is truncated. Kafka checks size and magic first."""
    left = len(data) - start
    if left < LOG_OVERHEAD_BYTES:
        return None
    length = int.from_bytes(data[start + 8 : start + 12], "big", signed=True)
    if length < SMALLEST_RECORD_BYTES:
        text = f"Record size {length} is less than the minimum record overhead ({SMALLEST_RECORD_BYTES})"
        raise BatchRefused(ErrorCode.CORRUPT_MESSAGE, text, message=text)
    if left <= MAGIC_POSITION:
        return None
    magic = int.from_bytes(data[start + MAGIC_POSITION : start + MAGIC_POSITION + 1], "big", signed=True)
    if not 0 <= magic <= MAGIC:
        text = f"Invalid magic found in record: {magic}"
        raise BatchRefused(ErrorCode.CORRUPT_MESSAGE, text, message=text)
    if length > LENGTH_MAX:
        raise BatchRefused(ErrorCode.UNKNOWN_SERVER_ERROR, f"a length of {length}")
    end = start + LOG_OVERHEAD_BYTES + length
    return end if end <= len(data) else None


def check_for_append(
    data: Buffer, header: BatchHeader, rules: AppendRules, wall_ms: int, topic_partition: str
) -> Steps[bytearray]:
    """Return the batch at the start of data as a log with these rules stores it. Raises BatchRefused.

    The log sets offset and leader epoch. It also checks the batch against the producer's earlier ones
    (sequences, epochs, transactions). header is changed to that of the returned batch, but
    keeps its CRC.
    """
    size = header.length + LOG_OVERHEAD_BYTES
    if header.base_offset != 0:
        raise _invalid(f"base offset {header.base_offset}")
    if size > rules.max_message_bytes:
        raise BatchRefused(
            ErrorCode.MESSAGE_TOO_LARGE, f"{size} bytes, {rules.max_message_bytes} are allowed"
        )
    view = memoryview(data)[:size]
    crc = 0
    for start in range(CRC_START, size, CHECKED_BYTES_PER_STEP):
        if start > CRC_START:
            yield None
        crc = crc32c(view[start : start + CHECKED_BYTES_PER_STEP], crc)
    if crc != header.crc:
        raise BatchRefused(ErrorCode.CORRUPT_MESSAGE, "the CRC does not fit")
    _check_header(header)
    compression = header.attributes & COMPRESSION_MASK
    content: Buffer
    if not compression:
        content = view[HEADER_BYTES:]
        if header.count > 1 and size <= COPIED_BYTES_PER_STEP:
            content = bytes(content)  # the records of bytes are surveyed in half the time or less
    else:
        try:
            content = yield from read_content(data, 0, header)
        except BatchError as error:
            raise _unexpected(f"a body that cannot be decompressed: {error}") from None
    try:
        found = yield from survey(content, header)
        if compression and len(content) > rules.record_bytes_max:
            yield from check_record_sizes(content, header, rules.record_bytes_max)
    except (BatchError, IndexError) as error:
        raise _invalid(f"records that cannot be read: {error}") from None
    if _needs_a_close_look(header, found, rules, wall_ms):
        yield from _refuse_bad_records(content, header, rules, wall_ms, topic_partition)
    if found.has_gaps and rules.takes_as_it_is(compression):
        raise _unexpected("offsets that do not follow each other")
    if size > rules.segment_bytes:
        raise BatchRefused(
            ErrorCode.RECORD_LIST_TOO_LARGE, f"{size} bytes, a segment has {rules.segment_bytes}"
        )
    max_timestamp = wall_ms if rules.append_time else max(found.latest, NO_TIMESTAMP)
    if rules.codec is not None and rules.codec != compression:
        return (yield from _encode_again(content, header, rules, max_timestamp))
    if size <= COPIED_BYTES_PER_STEP:
        out = bytearray(view)
    else:
        out = bytearray()
        yield from copy_into(out, view)
    append_time = header.attributes & APPEND_TIME != 0
    if rules.append_time != append_time or max_timestamp != header.max_timestamp:
        set_timestamps(out, 0, header, max_timestamp, append_time=rules.append_time)
    return out


def _encode_again(
    content: Buffer, header: BatchHeader, rules: AppendRules, max_timestamp: int
) -> Steps[bytearray]:
    """Compress the same records with the topic's compression.type."""
    codec = rules.codec
    assert codec is not None
    body: Buffer
    body, base_timestamp = yield from renumber(content, header)
    if codec is not Codec.NONE:
        work = partial(compress, codec, body, rules.level)
        body = work() if len(body) <= COMPRESSED_BYTES_PER_STEP else (yield work)
    size = HEADER_BYTES + len(body)
    if size > rules.max_message_bytes:
        raise BatchRefused(ErrorCode.MESSAGE_TOO_LARGE, f"{size} bytes under compression.type {codec.name}")
    header.leader_epoch = 0
    header.attributes = codec | header.attributes & TRANSACTIONAL | (APPEND_TIME if rules.append_time else 0)
    header.base_timestamp = base_timestamp
    header.max_timestamp = max_timestamp
    return batch_of(header, body)


def _invalid(reason: str) -> BatchRefused:
    return BatchRefused(ErrorCode.INVALID_RECORD, reason, checked=True)


def _unexpected(reason: str) -> BatchRefused:
    return BatchRefused(ErrorCode.UNKNOWN_SERVER_ERROR, reason, checked=True)


def _check_header(header: BatchHeader) -> None:
    if header.count <= 0 or header.count != header.last_offset_delta + 1:
        raise _invalid(f"{header.count} records in offsets up to {header.last_offset_delta}")
    if header.attributes & CONTROL:
        raise _invalid("a control batch from a client")
    if header.producer_id >= 0 and header.base_sequence <= NO_SEQUENCE:
        raise _invalid(f"producer {header.producer_id} with sequence {header.base_sequence}")
    if header.attributes & COMPRESSION_MASK > Codec.ZSTD:
        raise _unexpected(f"compression codec {header.compression}")


def _needs_a_close_look(header: BatchHeader, found: Survey, rules: AppendRules, wall_ms: int) -> bool:
    if rules.compacted and found.keyless:
        return True
    if rules.append_time:
        return header.attributes & APPEND_TIME != 0
    return (
        wall_ms - found.earliest > rules.timestamp_before_max_ms
        or found.latest - wall_ms > rules.timestamp_after_max_ms
    )


def _refuse_bad_records(
    content: Buffer, header: BatchHeader, rules: AppendRules, wall_ms: int, topic_partition: str
) -> Steps[None]:
    """Refuse a batch with invalid records. A missing key hides an invalid timestamp of the same record."""
    errors: list[RecordError] = []
    count = 0
    out_of_time = False
    for index, record in enumerate(sketches(content, header)):
        if index % RECORDS_PER_STEP == 0:
            yield None
        if rules.compacted and record.key_start < 0:
            text = f"Compacted topic cannot accept message without key in topic partition {topic_partition}"
        elif (bad := _bad_timestamp(record, header, rules, wall_ms)) is not None:
            out_of_time = True
            text = bad
        else:
            continue
        count += 1
        if len(errors) < RECORD_ERRORS_MAX:
            errors.append(RecordError(index, text))
    if not errors:
        return
    if out_of_time:
        raise BatchRefused(
            ErrorCode.INVALID_TIMESTAMP,
            errors[0].message,
            message="One or more records have been rejected due to invalid timestamp",
            checked=True,
            record_errors=tuple(errors),
        )
    raise BatchRefused(
        ErrorCode.INVALID_RECORD,
        errors[0].message,
        message=_summary(errors, count),
        checked=True,
        record_errors=tuple(errors),
    )


def _bad_timestamp(record: Sketch, header: BatchHeader, rules: AppendRules, wall_ms: int) -> str | None:
    if rules.append_time:
        if not header.attributes & APPEND_TIME:
            return None
        partial = rules.takes_as_it_is(header.compression)
        kind, null_bytes = ("PartialDefaultRecord", -1) if partial else ("DefaultRecord", 0)
        key_bytes = null_bytes if record.key_start < 0 else record.key_end - record.key_start
        value_bytes = null_bytes if record.value_start < 0 else record.value_end - record.value_start
        return (
            f"Invalid timestamp type in message {kind}(offset={record.offset}, timestamp={record.timestamp}, "
            f"key={key_bytes} bytes, value={value_bytes} bytes). "
            "Producer should not set timestamp type to LogAppendTime."
        )
    if record.timestamp == NO_TIMESTAMP:
        return None
    earliest = wall_ms - rules.timestamp_before_max_ms
    latest = wall_ms + rules.timestamp_after_max_ms
    if earliest <= record.timestamp <= latest:
        return None
    return (
        f"Timestamp {record.timestamp} of message with offset {record.offset} is out of range. "
        f"The timestamp should be within [{earliest}, {latest}]"
    )


def _summary(errors: list[RecordError], count: int) -> str:
    shown = ", ".join(
        f"RecordError(batchIndex={error.batch_index}, message='{error.message}')"
        for error in errors[:ERRORS_SHOWN]
    )
    return (
        f"One or more records have been rejected due to {count} record errors in total, "
        f"and only showing the first three errors at most: [{shown}]"
    )
