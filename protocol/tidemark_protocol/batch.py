"""Reads, checks and builds record batches v2, the form in which Kafka sends and stores records.

Readers work at a position in a larger buffer, and copy only the values that they return. There are two
writers. `BatchBuilder` is on the hot path of group commit: no headers, one timestamp, tables instead of
varint loops. `build_batch` writes everything that the format allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct, error
from typing import Final

from tidemark_protocol.checksum import crc32c
from tidemark_protocol.compression import Codec, CompressionError, compress, decompress
from tidemark_protocol.wire import java_long

Buffer = bytes | bytearray | memoryview

HEADER: Final = Struct(">qiibIhiqqqhii")
HEADER_BYTES: Final = 61
RECORD_OVERHEAD_BYTES: Final = 21  # the maximum size of a record's varints, without headers
LOG_OVERHEAD_BYTES: Final = 12  # base offset and length, which the length does not count
CRC_START: Final = 21  # the CRC covers everything from the attributes on
CRC: Final = Struct(">I")
CRC_POSITION: Final = 17
MAGIC: Final = 2

COMPRESSION_MASK: Final = 0x07
APPEND_TIME: Final = 0x08
TRANSACTIONAL: Final = 0x10
CONTROL: Final = 0x20
DELETE_HORIZON: Final = 0x40

NO_TIMESTAMP: Final = -1
NO_PRODUCER_ID: Final = -1
NO_PRODUCER_EPOCH: Final = -1
NO_SEQUENCE: Final = -1

UNCOMPRESSED_BYTES_MAX: Final = (
    100 * 1024 * 1024
)  # the limit for a decompressed batch: the size of the largest request

Headers = Sequence[tuple[str, bytes | None]]


class BatchError(Exception):
    """The bytes are not a record batch, or its records cannot be read."""


# A constant, because a class that mypyc compiles for Python 3.11 has no __slots__.
_HEADER_FIELDS: Final = (
    "attributes",
    "base_offset",
    "base_sequence",
    "base_timestamp",
    "count",
    "crc",
    "last_offset_delta",
    "leader_epoch",
    "length",
    "magic",
    "max_timestamp",
    "producer_epoch",
    "producer_id",
)


class BatchHeader:
    """The 61 bytes before the records. The producer fields are -1 if there is no producer."""

    __slots__ = _HEADER_FIELDS

    def __init__(
        self,
        base_offset: int,
        length: int,
        leader_epoch: int,
        magic: int,
        crc: int,
        attributes: int,
        last_offset_delta: int,
        base_timestamp: int,
        max_timestamp: int,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        count: int,
    ) -> None:
        self.base_offset = base_offset
        self.length = length
        self.leader_epoch = leader_epoch
        self.magic = magic
        self.crc = crc
        self.attributes = attributes
        self.last_offset_delta = last_offset_delta
        self.base_timestamp = base_timestamp
        self.max_timestamp = max_timestamp
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.base_sequence = base_sequence
        self.count = count

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)}" for name in _HEADER_FIELDS)
        return f"BatchHeader({fields})"

    @property
    def size(self) -> int:
        """Size of the whole batch, including base offset and length."""
        return self.length + LOG_OVERHEAD_BYTES

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def last_sequence(self) -> int:
        """The sequence of the last record. Sequences wrap from 2^31-1 to 0."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return (self.base_sequence + self.last_offset_delta) & 0x7FFFFFFF

    @property
    def compression(self) -> int:
        return self.attributes & COMPRESSION_MASK

    @property
    def is_transactional(self) -> bool:
        return self.attributes & TRANSACTIONAL != 0

    @property
    def is_control(self) -> bool:
        return self.attributes & CONTROL != 0

    @property
    def timestamp_type(self) -> int:
        """0 for create time, 1 for log append time. Kafka: `TimestampType`."""
        return (self.attributes & APPEND_TIME) >> 3

    @property
    def delete_horizon_ms(self) -> int | None:
        """The time when compaction may drop tombstones. If set, it replaces the base timestamp."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON else None


class LogRecord:
    """One record with its absolute offset and timestamp.

    A header's key is text. Bytes of it that are not UTF-8, which Kafka stores unchanged, become surrogates.
    """

    __slots__ = ("headers", "key", "offset", "timestamp", "value")

    def __init__(
        self, offset: int, timestamp: int, key: bytes | None, value: bytes | None, headers: Headers = ()
    ) -> None:
        self.offset = offset
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.headers = headers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LogRecord):
            return NotImplemented
        return (
            self.offset == other.offset
            and self.timestamp == other.timestamp
            and self.key == other.key
            and self.value == other.value
            and self.headers == other.headers
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LogRecord({self.offset}, {self.timestamp}, {self.key!r}, {self.value!r}, {self.headers!r})"


def read_header(buf: Buffer, pos: int = 0) -> BatchHeader:
    """Return the header at pos. Raises BatchError for a truncated one, another magic or an invalid length."""
    try:
        header = BatchHeader(*HEADER.unpack_from(buf, pos))
    except error:
        raise BatchError(
            f"a batch header needs {HEADER_BYTES} bytes, {max(0, len(buf) - pos)} are left"
        ) from None
    if header.magic != MAGIC:
        raise BatchError(f"magic {header.magic} in place of {MAGIC}")
    if header.length < HEADER_BYTES - LOG_OVERHEAD_BYTES:
        raise BatchError(f"batch length {header.length} is less than its header")
    return header


def headers(buf: Buffer, pos: int = 0, end: int | None = None) -> Iterator[tuple[int, BatchHeader]]:
    """Yield position and header of each complete batch. Stop at a truncated one, as every client does."""
    end = len(buf) if end is None else end
    while end - pos >= HEADER_BYTES:
        header = read_header(buf, pos)
        following = pos + header.length + LOG_OVERHEAD_BYTES
        if following > end:
            return
        yield pos, header
        pos = following


def check_crc(buf: Buffer, pos: int, header: BatchHeader) -> bool:
    """Return True if the CRC matches the bytes."""
    end = pos + header.length + LOG_OVERHEAD_BYTES
    return end <= len(buf) and crc32c(memoryview(buf)[pos + CRC_START : end]) == header.crc


def records(
    buf: Buffer, pos: int, header: BatchHeader, max_bytes: int = UNCOMPRESSED_BYTES_MAX
) -> list[LogRecord]:
    """Return all records of the batch at pos, decompressed. Raises BatchError. The CRC is not checked."""
    data = record_bytes(buf, pos, header, max_bytes)
    try:
        return _read_records(data, header)
    except IndexError:
        raise BatchError("the records end early") from None


def record_bytes(
    buf: Buffer, pos: int, header: BatchHeader, max_bytes: int = UNCOMPRESSED_BYTES_MAX
) -> bytes:
    """Return the bytes after the header, decompressed."""
    end = pos + header.length + LOG_OVERHEAD_BYTES
    if end > len(buf):
        raise BatchError(f"the batch ends {end - len(buf)} bytes past the buffer")
    if not header.attributes & COMPRESSION_MASK:
        return bytes(buf[pos + HEADER_BYTES : end])
    try:
        return decompress(header.compression, memoryview(buf)[pos + HEADER_BYTES : end], max_bytes)
    except CompressionError as error:
        raise BatchError(str(error)) from None


def _read_records(data: bytes, header: BatchHeader) -> list[LogRecord]:
    """Read the records in one loop, without calls for a usual record: its short varints are read in place.

    The fields are not checked one by one. It is enough that the record ends where its length says.
    """
    if header.count < 0:
        raise BatchError(f"{header.count} records")
    found: list[LogRecord] = []
    base_offset = header.base_offset
    base_timestamp = header.base_timestamp
    append_timestamp = header.max_timestamp if header.attributes & APPEND_TIME else None
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
        record_end = pos + (n >> 1) if not n & 1 else -1

        n = data[pos + 1]  # after the attributes, none of which are defined
        if n < 128:
            pos += 2
        else:
            n, pos = varlong(data, pos + 1)
        timestamp = base_timestamp + ((n >> 1) ^ -(n & 1)) if append_timestamp is None else append_timestamp
        if not -(2**63) <= timestamp < 2**63:
            timestamp = java_long(timestamp)

        n = data[pos]
        if n < 128:
            pos += 1
        elif (high := data[pos + 1]) < 128:
            n += (high << 7) - 128
            pos += 2
        else:
            n, pos = varint(data, pos)
        offset = base_offset + ((n >> 1) ^ -(n & 1))

        n = data[pos]
        if n < 128:
            pos += 1
        elif (high := data[pos + 1]) < 128:
            n += (high << 7) - 128
            pos += 2
        else:
            n, pos = varint(data, pos)
        key: bytes | None = None
        if not n & 1:
            field_end = pos + (n >> 1)
            key = data[pos:field_end]
            pos = field_end
        elif n != 1:
            raise BatchError("a key's length is negative")

        n = data[pos]
        if n < 128:
            pos += 1
        elif (high := data[pos + 1]) < 128:
            n += (high << 7) - 128
            pos += 2
        else:
            n, pos = varint(data, pos)
        value: bytes | None = None
        if not n & 1:
            field_end = pos + (n >> 1)
            value = data[pos:field_end]
            pos = field_end
        elif n != 1:
            raise BatchError("a value's length is negative")

        if data[pos] == 0:
            pos += 1
            found.append(LogRecord(offset, timestamp, key, value))
        else:
            record_headers, pos = _read_headers(data, pos, record_end)
            found.append(LogRecord(offset, timestamp, key, value, record_headers))
        if pos != record_end:
            raise BatchError("a record's length and its content differ")
    if pos != len(data):
        raise BatchError(f"{len(data) - pos} bytes follow the last record")
    return found


def _read_headers(data: bytes, pos: int, end: int) -> tuple[list[tuple[str, bytes | None]], int]:
    count, pos = header_count(data, pos, end)
    found: list[tuple[str, bytes | None]] = []
    for _ in range(count):
        key, pos = _read_sized(data, pos, end)
        if key is None:
            raise BatchError("a header key is null")
        value, pos = _read_sized(data, pos, end)
        found.append((key.decode("utf-8", "surrogateescape"), value))
    return found, pos


def skip_headers(data: Buffer, pos: int, end: int) -> int:
    """Return the end of a record's headers, which begin at pos with their count. Raises BatchError."""
    count, pos = header_count(data, pos, end)
    for _ in range(count):
        pos = skip_header(data, pos, end)
    return pos


def header_count(data: Buffer, pos: int, end: int) -> tuple[int, int]:
    """Return the number of headers, and the position of the first one."""
    count, pos = _signed_varint(data, pos)
    if not 0 <= count <= end - pos:
        raise BatchError(f"{count} headers")
    return count, pos


def skip_header(data: Buffer, pos: int, end: int) -> int:
    """Return the end of the header at pos."""
    size, pos = read_size(data, pos, end)
    if size < 0:
        raise BatchError("a header key is null")
    size, pos = read_size(data, pos + size, end)
    return pos + max(0, size)


def _read_sized(data: bytes, pos: int, end: int) -> tuple[bytes | None, int]:
    size, pos = read_size(data, pos, end)
    return (None, pos) if size < 0 else (data[pos : pos + size], pos + size)


def read_size(data: Buffer, pos: int, end: int) -> tuple[int, int]:
    """Return the length at pos, and the position after it. A length of -1 is null."""
    size, pos = _signed_varint(data, pos)
    if not -1 <= size <= end - pos:
        raise BatchError(f"a length of {size} where {end - pos} bytes are left")
    return size, pos


def varint(data: Buffer, pos: int) -> tuple[int, int]:
    """Read a varint, without zigzag decoding."""
    return _varint(data, pos, 32)


def varlong(data: Buffer, pos: int) -> tuple[int, int]:
    """Read a varlong, without zigzag decoding."""
    return _varint(data, pos, 64)


def _varint(data: Buffer, pos: int, bits: int) -> tuple[int, int]:
    """Read a varint of so many bits. Excess high bits in the last byte are discarded, as in Java."""
    value = 0
    for shift in range(0, bits, 7):
        byte = data[pos]
        pos += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << bits) - 1, pos
    raise BatchError(f"a varint of more than {(bits + 6) // 7} bytes")


def _signed_varint(data: Buffer, pos: int) -> tuple[int, int]:
    n, pos = varint(data, pos)
    return (n >> 1) ^ -(n & 1), pos


def zigzag_varint(value: int) -> bytes:
    """Return the varint or varlong of a signed number."""
    n = (value << 1) ^ (value >> 63)
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


# Tables of the builder: varints of lengths and offset deltas, and a field's bytes.
# The varint of a number below 64 has one byte, below 8,192 two. Calls of zigzag_varint would take 3 ms.
_VARINTS: Final = (
    *[bytes((low,)) for low in range(0, 128, 2)],
    *[bytes((low, high)) for high in range(1, 64) for low in range(128, 256, 2)],
)
_TABLE_SIZE: Final = 4096
_FIELD_BYTES: Final = (*range(1, 65), *range(66, _TABLE_SIZE + 2))  # a length, and as many bytes
_DELTAS: Final = tuple([b"\0\0" + varint for varint in _VARINTS])  # after attributes 0 and timestamp delta 0
_NULL: Final = zigzag_varint(-1)


class BatchBuilder:
    """Builds an uncompressed batch of records with one timestamp.

    out  the batch so far, with room for the header
    """

    __slots__ = ("count", "out", "timestamp_ms")

    def __init__(self, timestamp_ms: int) -> None:
        self.timestamp_ms = timestamp_ms
        self.count = 0
        self.out = bytearray(HEADER_BYTES)

    def add(self, key: bytes | None, value: bytes | None, headers: Headers = ()) -> None:
        count = self.count
        if headers:
            self.out += _record(0, count, key, value, headers)
            self.count = count + 1
            return
        try:
            key_size = len(key)  # type: ignore[arg-type]
            value_size = len(value)  # type: ignore[arg-type]
            delta = _DELTAS[count]
            length = _VARINTS[len(delta) + 1 + _FIELD_BYTES[key_size] + _FIELD_BYTES[value_size]]
            self.out += b"".join(
                (length, delta, _VARINTS[key_size], key, _VARINTS[value_size], value, b"\0")  # type: ignore[arg-type]
            )
        except (IndexError, TypeError):  # too long for the tables, or null: a tombstone or a metadata record
            self.out += _record(0, count, key, value, ())
        self.count = count + 1

    def build(
        self,
        base_offset: int = 0,
        leader_epoch: int = 0,
        base_sequence: int = 0,
        compression: int = Codec.NONE,
        producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int = NO_PRODUCER_EPOCH,
        attributes: int = 0,
    ) -> bytes:
        """Return a copy of the batch that `finish` returns."""
        return bytes(
            self.finish(
                base_offset, leader_epoch, base_sequence, compression, producer_id, producer_epoch, attributes
            )[0]
        )

    def finish(
        self,
        base_offset: int = 0,
        leader_epoch: int = 0,
        base_sequence: int = 0,
        compression: int = Codec.NONE,
        producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int = NO_PRODUCER_EPOCH,
        attributes: int = 0,
    ) -> tuple[bytearray, BatchHeader]:
        """Return the batch and its header, whose CRC is not set. The builder must not be used again.

        base_sequence: Kafka's coordinators write 0, its metadata log -1.
        """
        out = self.out
        if compression:
            out = out[:HEADER_BYTES]
            out += compress(compression, memoryview(self.out)[HEADER_BYTES:])
        header = BatchHeader(
            base_offset,
            len(out) - LOG_OVERHEAD_BYTES,
            leader_epoch,
            MAGIC,
            0,
            attributes | compression,
            max(0, self.count - 1),
            self.timestamp_ms,
            self.timestamp_ms,
            producer_id,
            producer_epoch,
            base_sequence,
            self.count,
        )
        _write_header(out, header)
        return out, header


def _record(
    timestamp_delta: int, offset_delta: int, key: bytes | None, value: bytes | None, headers: Headers
) -> bytes:
    parts = [b"\0", _known_varint(timestamp_delta), _known_varint(offset_delta)]
    parts += _sized(key)
    parts += _sized(value)
    parts.append(_known_varint(len(headers)))
    for name, content in headers:
        parts += _sized(name.encode("utf-8", "surrogateescape"))
        parts += _sized(content)
    body = b"".join(parts)
    return _known_varint(len(body)) + body


def _sized(value: bytes | None) -> tuple[bytes, bytes]:
    return (_NULL, b"") if value is None else (_known_varint(len(value)), value)


def _known_varint(value: int) -> bytes:
    """Like `zigzag_varint`, but look small numbers up."""
    return _VARINTS[value] if 0 <= value < _TABLE_SIZE else zigzag_varint(value)


def _write_header(out: bytearray, header: BatchHeader) -> None:
    """Write the header into the first 61 bytes, with the CRC of the bytes after it."""
    HEADER.pack_into(
        out,
        0,
        header.base_offset,
        header.length,
        header.leader_epoch,
        header.magic,
        0,
        header.attributes,
        header.last_offset_delta,
        header.base_timestamp,
        header.max_timestamp,
        header.producer_id,
        header.producer_epoch,
        header.base_sequence,
        header.count,
    )
    _renew_crc(out, 0, len(out))


def _renew_crc(out: bytearray, pos: int, end: int) -> None:
    with memoryview(out) as view:
        crc = crc32c(view[pos + CRC_START : end])
    CRC.pack_into(out, pos + CRC_POSITION, crc)


def build_batch(
    records: Iterable[LogRecord],
    *,
    base_offset: int | None = None,
    next_offset: int | None = None,
    leader_epoch: int = 0,
    compression: int = Codec.NONE,
    level: int | None = None,
    attributes: int = 0,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    base_timestamp: int | None = None,
    max_timestamp: int | None = None,
) -> bytes:
    """Return a batch of these records. Gaps between their offsets are kept.

    base_offset, next_offset   needed if compaction removed the first or the last records
    base_timestamp             needed for a delete horizon
    max_timestamp              needed for append time
    """
    kept = list(records)
    if base_offset is None:
        base_offset = kept[0].offset if kept else 0
    if next_offset is None:
        next_offset = kept[-1].offset + 1 if kept else base_offset + 1
    if base_timestamp is None:
        base_timestamp = kept[0].timestamp if kept else NO_TIMESTAMP
    if max_timestamp is None:
        max_timestamp = max((record.timestamp for record in kept), default=NO_TIMESTAMP)
    body = b"".join(
        _record(
            java_long(each.timestamp - base_timestamp),
            each.offset - base_offset,
            each.key,
            each.value,
            each.headers,
        )
        for each in kept
    )
    header = BatchHeader(
        base_offset,
        0,
        leader_epoch,
        MAGIC,
        0,
        attributes | compression,
        next_offset - base_offset - 1,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        len(kept),
    )
    return bytes(batch_of(header, compress(compression, body, level) if compression else body))


def batch_of(header: BatchHeader, body: Buffer) -> bytearray:
    """Return the batch with this compressed body. Sets length and CRC."""
    out = bytearray(HEADER_BYTES)
    out += body
    header.length = len(out) - LOG_OVERHEAD_BYTES
    _write_header(out, header)
    return out


class ControlType:
    """Types of control records, the second int16 of their key."""

    ABORT: Final = 0
    COMMIT: Final = 1
    LEADER_CHANGE: Final = 2
    SNAPSHOT_HEADER: Final = 3
    SNAPSHOT_FOOTER: Final = 4
    KRAFT_VERSION: Final = 5
    KRAFT_VOTERS: Final = 6


def build_control_batch(
    control_type: int,
    value: bytes,
    timestamp_ms: int,
    *,
    base_offset: int = 0,
    leader_epoch: int = 0,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    append_time: bool = False,
) -> bytes:
    """Return a batch of one control record: a transaction's marker, which has a producer, or one of KRaft.

    value: the encoded EndTxnMarker after its int16 version, or the KRaft message.
    append_time: mark the timestamp as that of the append, as in every batch of a LogAppendTime topic.
    """
    transactional = TRANSACTIONAL if producer_id != NO_PRODUCER_ID else 0
    builder = BatchBuilder(timestamp_ms)
    builder.add(b"\0\0" + control_type.to_bytes(2, "big"), value)
    return builder.build(
        base_offset,
        leader_epoch,
        base_sequence=NO_SEQUENCE,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        attributes=CONTROL | transactional | (APPEND_TIME if append_time else 0),
    )


def control_type(key: bytes | None) -> int:
    """Return the type in a control record's key. Raises BatchError."""
    if key is None or len(key) < 4:
        raise BatchError("a control record without version and type")
    return int.from_bytes(key[2:4], "big", signed=True)


_OFFSET: Final = Struct(">q")
_LEADER_EPOCH: Final = Struct(">i")
_ATTRIBUTES: Final = Struct(">h")
_LEADER_EPOCH_POSITION: Final = 12
_MAX_TIMESTAMP_POSITION: Final = 35


def set_offset_and_epoch(buf: bytearray, pos: int, base_offset: int, leader_epoch: int) -> None:
    """Write a batch's offset and leader epoch. The CRC covers neither, so it stays valid."""
    _OFFSET.pack_into(buf, pos, base_offset)
    _LEADER_EPOCH.pack_into(buf, pos + _LEADER_EPOCH_POSITION, leader_epoch)


def set_timestamps(
    buf: bytearray, pos: int, header: BatchHeader, max_timestamp: int, *, append_time: bool
) -> None:
    """Set the largest timestamp, and whether it holds for every record (LogAppendTime), in the batch and in
    its header. Updates the CRC of the batch.
    """
    header.attributes = header.attributes | APPEND_TIME if append_time else header.attributes & ~APPEND_TIME
    header.max_timestamp = max_timestamp
    _ATTRIBUTES.pack_into(buf, pos + CRC_START, header.attributes)
    _OFFSET.pack_into(buf, pos + _MAX_TIMESTAMP_POSITION, max_timestamp)
    _renew_crc(buf, pos, pos + header.length + LOG_OVERHEAD_BYTES)
