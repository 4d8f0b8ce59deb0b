"""What a broker checks of the records in a produce request, in Kafka's order and with Kafka's answers.

Two steps, because Kafka has others in between: `sole_batch` is what the request alone decides,
`check_for_append` what the topic's settings and the records themselves decide. All of it was asked of Kafka
4.3.1 with broken batches. UNKNOWN_SERVER_ERROR is what it answers where it lets an exception out that it did
not expect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidemark_protocol.batch import (
    APPEND_TIME,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    BatchError,
    BatchHeader,
    Buffer,
    LogRecord,
    check_crc,
    read_header,
    record_bytes,
    records,
    set_offset_and_epoch,
    set_timestamps,
    skip_headers,
    varint,
    varlong,
)
from tidemark_protocol.compression import Codec
from tidemark_protocol.errors import ErrorCode

FIRST_VERSION_WITH_ZSTD: Final = 7
SMALLEST_RECORD_BYTES: Final = 14  # of magic 0: Kafka's bound before it knows the magic
MAGIC_POSITION: Final = 16
LENGTH_MAX: Final = 2**31 - 1 - LOG_OVERHEAD_BYTES  # Kafka adds the two in 32 bits
ERRORS_SHOWN: Final = 3
NO_LIMIT: Final = 2**63 - 1
_BEFORE_ALL_TIMES: Final = -(2**80)
_AFTER_ALL_TIMES: Final = 2**80


@dataclass(slots=True)
class RecordError:
    """One refused record: its place in the batch, and why."""

    batch_index: int
    message: str


class BatchRefused(Exception):
    """The answer to a partition of a produce request.

    reason    for a log line
    message   the answer's ErrorMessage: Kafka leaves it null in most cases
    checked   the batch came as far as the checks of its content: Kafka's answer then has the log start offset
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
    """The settings of a topic that decide about a batch, with the defaults of Kafka's topic configs."""

    max_message_bytes: int = 1048588
    segment_bytes: int = 1024 * 1024 * 1024
    compacted: bool = False  # cleanup.policy holds "compact": records need keys
    append_time: bool = False  # message.timestamp.type is LogAppendTime
    codec: Codec | None = None  # compression.type; None: as the producer compressed it
    timestamp_before_max_ms: int = NO_LIMIT
    timestamp_after_max_ms: int = 60 * 60 * 1000

    def takes_as_it_is(self, compression: int) -> bool:
        """The records stay compressed as they came: Kafka reads such a batch without its keys and values."""
        return compression != Codec.NONE and self.codec in (None, compression)


@dataclass(slots=True)
class Checked:
    """A batch that may be appended, and what a broker writes over the producer's header."""

    header: BatchHeader
    max_timestamp: int
    append_time: bool

    def stamped(self, data: Buffer, base_offset: int, leader_epoch: int) -> bytearray:
        """The batch as the log holds it. The CRC is renewed where the producer's timestamps do not stand."""
        out = bytearray(memoryview(data)[: self.header.size])
        set_offset_and_epoch(out, 0, base_offset, leader_epoch)
        if (
            self.append_time != bool(self.header.timestamp_type)
            or self.max_timestamp != self.header.max_timestamp
        ):
            set_timestamps(out, 0, self.header, self.max_timestamp, append_time=self.append_time)
        return out


def sole_batch(data: Buffer, version: int) -> BatchHeader:
    """The header of the one batch that a produce request may bring per partition. Raises BatchRefused.

    A batch behind it that is cut is ignored, as Kafka does.
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
    if header.compression == Codec.ZSTD and version < FIRST_VERSION_WITH_ZSTD:
        raise BatchRefused(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"zstd in a produce request v{version}")
    try:
        another = _batch_end(data, end)
    except BatchRefused as refused:
        raise BatchRefused(refused.code, f"behind the first batch: {refused.reason}") from None
    if another is not None:
        raise BatchRefused(ErrorCode.INVALID_RECORD, "more than one batch")
    return header


def _batch_end(data: Buffer, start: int) -> int | None:
    """Where the batch at start ends; None where it is cut. Kafka looks at size and magic first."""
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
) -> Checked:
    """Whether the batch at the start of data may be appended to a log with these rules. Raises BatchRefused.

    What depends on the producer's earlier batches (sequences, epochs, transactions) is the log's to check.
    """
    if header.base_offset != 0:
        raise _invalid(f"base offset {header.base_offset}")
    if header.size > rules.max_message_bytes:
        raise BatchRefused(
            ErrorCode.MESSAGE_TOO_LARGE, f"{header.size} bytes, {rules.max_message_bytes} are allowed"
        )
    if not check_crc(data, 0, header):
        raise BatchRefused(ErrorCode.CORRUPT_MESSAGE, "the CRC does not fit")
    _check_header(header)
    found = _survey(data, header)
    if _needs_a_close_look(header, found, rules, wall_ms):
        _refuse_bad_records(records(data, 0, header), header, rules, wall_ms, topic_partition)
    if found.has_gaps and rules.takes_as_it_is(header.compression):
        raise _stumbled("offsets that do not follow each other")
    if header.size > rules.segment_bytes:
        raise BatchRefused(
            ErrorCode.RECORD_LIST_TOO_LARGE, f"{header.size} bytes, a segment has {rules.segment_bytes}"
        )
    latest = max(found.latest, NO_TIMESTAMP)
    return Checked(header, wall_ms if rules.append_time else latest, rules.append_time)


def _invalid(reason: str) -> BatchRefused:
    return BatchRefused(ErrorCode.INVALID_RECORD, reason, checked=True)


def _stumbled(reason: str) -> BatchRefused:
    return BatchRefused(ErrorCode.UNKNOWN_SERVER_ERROR, reason, checked=True)


def _check_header(header: BatchHeader) -> None:
    if header.count <= 0 or header.count != header.last_offset_delta + 1:
        raise _invalid(f"{header.count} records in offsets up to {header.last_offset_delta}")
    if header.is_control:
        raise _invalid("a control batch from a client")
    if header.producer_id >= 0 and header.base_sequence <= NO_SEQUENCE:
        raise _invalid(f"producer {header.producer_id} with sequence {header.base_sequence}")
    if header.compression > Codec.ZSTD:
        raise _stumbled(f"compression codec {header.compression}")


@dataclass(slots=True)
class _Survey:
    """What one pass over the records has to tell. Timestamps are those that a reader of the batch sees."""

    earliest: int
    latest: int
    keyless: bool
    has_gaps: bool


def _survey(data: Buffer, header: BatchHeader) -> _Survey:
    content: Buffer = memoryview(data)[HEADER_BYTES : header.size]
    if header.compression != Codec.NONE:
        try:
            content = record_bytes(data, 0, header)
        except BatchError as error:
            raise _stumbled(f"a body that cannot be decompressed: {error}") from None
    try:
        return _survey_records(content, header)
    except (BatchError, IndexError) as error:
        raise _invalid(f"records that cannot be read: {error}") from None


def _survey_records(data: Buffer, header: BatchHeader) -> _Survey:
    """Passes over the records without building any, about twice as fast as reading them."""
    earliest, latest, previous = _AFTER_ALL_TIMES, _BEFORE_ALL_TIMES, -1
    keyless = has_gaps = False
    pos = 0
    for twice_index in range(0, 2 * header.count, 2):  # twice: as a varint says it
        n = data[pos]
        if n < 128:
            pos += 1
        elif (high := data[pos + 1]) < 128:
            n += (high << 7) - 128
            pos += 2
        else:
            n, pos = varint(data, pos)
        record_end = pos + (n >> 1) if not n & 1 else -1

        n = data[pos + 1]  # behind the attributes
        if n < 128:
            pos += 2
        elif (high := data[pos + 2]) < 128:
            n += (high << 7) - 128
            pos += 3
        else:
            n, pos = varlong(data, pos + 1)
        if n != previous:  # many records have the time of the one before
            previous = n
            delta = (n >> 1) ^ -(n & 1)
            if delta > latest:
                latest = delta
            if delta < earliest:
                earliest = delta

        n = data[pos]
        if n < 128:
            pos += 1
        elif (high := data[pos + 1]) < 128:
            n += (high << 7) - 128
            pos += 2
        else:
            n, pos = varint(data, pos)
        if n != twice_index:
            has_gaps = True

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

        pos = pos + 1 if data[pos] == 0 else skip_headers(data, pos, record_end)
        if pos != record_end:
            raise BatchError("a record's length and its content differ")
    if pos != len(data):
        raise BatchError(f"{len(data) - pos} bytes follow the last record")
    if header.attributes & APPEND_TIME:
        return _Survey(header.max_timestamp, header.max_timestamp, keyless, has_gaps)
    earliest += header.base_timestamp
    latest += header.base_timestamp
    if earliest < -NO_LIMIT or latest > NO_LIMIT:
        raise BatchError("a timestamp that no int64 holds")
    return _Survey(earliest, latest, keyless, has_gaps)


def _needs_a_close_look(header: BatchHeader, found: _Survey, rules: AppendRules, wall_ms: int) -> bool:
    if rules.compacted and found.keyless:
        return True
    if rules.append_time:
        return header.attributes & APPEND_TIME != 0
    return (
        wall_ms - found.earliest > rules.timestamp_before_max_ms
        or found.latest - wall_ms > rules.timestamp_after_max_ms
    )


def _refuse_bad_records(
    found: list[LogRecord], header: BatchHeader, rules: AppendRules, wall_ms: int, topic_partition: str
) -> None:
    """One error per bad record. A missing key hides a bad timestamp; one bad timestamp decides the code."""
    errors: list[RecordError] = []
    out_of_time = False
    for index, record in enumerate(found):
        if rules.compacted and record.key is None:
            text = f"Compacted topic cannot accept message without key in topic partition {topic_partition}"
            errors.append(RecordError(index, text))
        elif (text_or_none := _bad_timestamp(record, header, rules, wall_ms)) is not None:
            out_of_time = True
            errors.append(RecordError(index, text_or_none))
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
        message=_summary(errors),
        checked=True,
        record_errors=tuple(errors),
    )


def _bad_timestamp(record: LogRecord, header: BatchHeader, rules: AppendRules, wall_ms: int) -> str | None:
    if rules.append_time:
        if not header.attributes & APPEND_TIME:
            return None
        partial = rules.takes_as_it_is(header.compression)
        kind, null_bytes = ("PartialDefaultRecord", -1) if partial else ("DefaultRecord", 0)
        key_bytes = null_bytes if record.key is None else len(record.key)
        value_bytes = null_bytes if record.value is None else len(record.value)
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


def _summary(errors: list[RecordError]) -> str:
    shown = ", ".join(
        f"RecordError(batchIndex={error.batch_index}, message='{error.message}')"
        for error in errors[:ERRORS_SHOWN]
    )
    return (
        f"One or more records have been rejected due to {len(errors)} record errors in total, "
        f"and only showing the first three errors at most: [{shown}]"
    )
