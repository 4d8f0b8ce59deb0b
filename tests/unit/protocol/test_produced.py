"""A broker's checks of produced batches. The errors are those of Kafka 4.3.1 for the same bytes."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.unit.protocol.golden import Line, batches
from tidemark_protocol.batch import (
    APPEND_TIME,
    CONTROL,
    DELETE_HORIZON,
    TRANSACTIONAL,
    LogRecord,
    build_batch,
    check_crc,
    read_header,
    records,
)
from tidemark_protocol.compression import Codec
from tidemark_protocol.contents import finish
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.produced import (
    NO_LIMIT,
    AppendRules,
    BatchRefused,
    RecordError,
    check_for_append,
    sole_batch,
)

NOW = 1_795_233_800_000
PLAIN = AppendRules()
COMPACTED = AppendRules(compacted=True)
TIMED = AppendRules(timestamp_before_max_ms=10_000, timestamp_after_max_ms=5_000)
ANY_TIME = AppendRules(timestamp_after_max_ms=NO_LIMIT)
CODECS = [Codec.NONE, Codec.GZIP, Codec.ZSTD]

LINES = [line for line in batches() if not line["valid"]]


def check(data: bytes, rules: AppendRules = PLAIN, *, version: int = 9) -> bytearray:
    """Return the batch as it is stored."""
    return finish(check_for_append(data, sole_batch(data, version), rules, NOW, "t-0"))


def refused(data: bytes, rules: AppendRules = PLAIN, *, version: int = 9) -> BatchRefused:
    with pytest.raises(BatchRefused) as caught:
        check(data, rules, version=version)
    return caught.value


def at(*timestamps: int, keys: Iterable[bytes | None] | None = None) -> list[LogRecord]:
    found = list(keys) if keys is not None else [b"k"] * len(timestamps)
    return [
        LogRecord(i, time, key, b"v") for i, (time, key) in enumerate(zip(timestamps, found, strict=True))
    ]


def broken(data: bytes, position: int, value: bytes) -> bytes:
    return data[:position] + value + data[position + len(value) :]


ONE = build_batch(at(NOW))


@pytest.mark.parametrize("line", LINES, ids=[line["name"] for line in LINES])
def test_broken_batch_gets_kafkas_error(line: Line) -> None:
    data = bytes.fromhex(line["hex"])
    if line["errors"]:
        assert refused(data, ANY_TIME, version=7).code.name in line["errors"]
    else:
        check(data, ANY_TIME, version=7)


@pytest.mark.parametrize("codec", CODECS)
def test_broker_computes_the_largest_timestamp(codec: Codec) -> None:
    data = build_batch(at(NOW, NOW + 5), max_timestamp=NOW + 77, compression=codec)
    stored = check(data)
    header = read_header(stored)
    assert (header.base_offset, header.leader_epoch, header.max_timestamp) == (0, 0, NOW + 5)
    assert check_crc(stored, 0, header)
    assert [record.offset for record in records(stored, 0, header)] == [0, 1]


def test_valid_batch_keeps_its_crc() -> None:
    data = build_batch(at(NOW, NOW + 5))
    assert check(data) == data


def test_truncated_second_batch_is_dropped() -> None:
    for cut in range(len(ONE)):
        assert check(ONE + ONE[:cut]) == ONE


@pytest.mark.parametrize("codec", CODECS)
def test_negative_timestamp_is_accepted_as_absent(codec: Codec) -> None:
    """-1 is always accepted. -2 is just very old, and by default no timestamp is too old."""
    assert read_header(check(build_batch(at(-1), compression=codec), TIMED)).max_timestamp == -1
    assert read_header(check(build_batch(at(-2), compression=codec))).max_timestamp == -1


@pytest.mark.parametrize("codec", CODECS)
def test_topic_with_append_time_sets_timestamps(codec: Codec) -> None:
    data = build_batch(at(NOW - 90_000, NOW - 91_000), compression=codec)
    stored = check(data, AppendRules(append_time=True, timestamp_before_max_ms=10_000))
    header = read_header(stored)
    assert (header.timestamp_type, header.max_timestamp) == (1, NOW)
    assert check_crc(stored, 0, header)


@pytest.mark.parametrize("target", [*CODECS, None])
@pytest.mark.parametrize("codec", CODECS)
def test_a_batch_of_a_transaction_stays_one_when_it_is_compressed_anew(
    codec: Codec, target: Codec | None
) -> None:
    data = build_batch(
        at(NOW), attributes=TRANSACTIONAL, compression=codec, producer_id=7, producer_epoch=1, base_sequence=3
    )
    header = sole_batch(data, 9)
    stored = finish(check_for_append(data, header, AppendRules(codec=target), NOW, "t-0"))
    kept = read_header(stored)
    assert (kept.is_transactional, kept.producer_id, kept.producer_epoch, kept.base_sequence) == (
        True,
        7,
        1,
        3,
    )
    # The caller goes on with the header that it has: all fields but the CRC agree.
    header.crc = kept.crc
    assert repr(header) == repr(kept)


@pytest.mark.parametrize("codec", CODECS)
def test_append_time_bit_of_a_producer_is_cleared(codec: Codec) -> None:
    data = build_batch(at(NOW), attributes=APPEND_TIME, compression=codec)
    stored = check(data)
    assert read_header(stored).attributes == codec
    assert check_crc(stored, 0, read_header(stored))


@pytest.mark.parametrize(
    ("codec", "target", "record"),
    [
        (Codec.NONE, None, "DefaultRecord(offset=0, timestamp={}, key=0 bytes, value=2 bytes)"),
        (Codec.GZIP, None, "PartialDefaultRecord(offset=0, timestamp={}, key=-1 bytes, value=2 bytes)"),
        (Codec.GZIP, Codec.GZIP, "PartialDefaultRecord(offset=0, timestamp={}, key=-1 bytes, value=2 bytes)"),
        (Codec.GZIP, Codec.ZSTD, "DefaultRecord(offset=0, timestamp={}, key=0 bytes, value=2 bytes)"),
        (Codec.GZIP, Codec.NONE, "DefaultRecord(offset=0, timestamp={}, key=0 bytes, value=2 bytes)"),
    ],
)
def test_producer_may_not_set_append_time_if_the_topic_does(
    codec: Codec, target: Codec | None, record: str
) -> None:
    """Kafka reads a batch that it stores unchanged without keys and values, and names the record so."""
    data = build_batch([LogRecord(0, NOW, None, b"vv")], attributes=APPEND_TIME, compression=codec)
    answer = refused(data, AppendRules(append_time=True, codec=target))
    assert answer.code == ErrorCode.INVALID_TIMESTAMP
    assert answer.checked
    assert answer.message == "One or more records have been rejected due to invalid timestamp"
    text = (
        f"Invalid timestamp type in message {record.format(NOW)}. "
        "Producer should not set timestamp type to LogAppendTime."
    )
    assert answer.record_errors == (RecordError(0, text),)


@pytest.mark.parametrize("attributes", [DELETE_HORIZON, 0x80])
def test_other_attribute_bits_are_kept(attributes: int) -> None:
    data = build_batch(at(NOW), attributes=attributes)
    assert check(data) == data


def gaps(codec: Codec, *keys: bytes | None) -> bytes:
    offsets = (0, 5, 1)
    found = [LogRecord(offset, NOW, key, b"v") for offset, key in zip(offsets, keys, strict=True)]
    return build_batch(found, next_offset=3, compression=codec)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("target", [None, *CODECS])
def test_offset_gaps_are_refused_only_without_recompression(codec: Codec, target: Codec | None) -> None:
    data, rules = gaps(codec, b"k", b"k", b"k"), AppendRules(codec=target)
    if codec == Codec.NONE or target not in (None, codec):
        check(data, rules)
    else:
        answer = refused(data, rules)
        assert (answer.code, answer.checked) == (ErrorCode.UNKNOWN_SERVER_ERROR, True)


NO_KEY = "Compacted topic cannot accept message without key in topic partition t-0"


@pytest.mark.parametrize("codec", CODECS)
def test_a_compacted_topic_names_the_records_without_a_key(codec: Codec) -> None:
    answer = refused(build_batch(at(*[NOW] * 5, keys=[b"k", *[None] * 4]), compression=codec), COMPACTED)
    assert answer.code == ErrorCode.INVALID_RECORD
    assert answer.checked
    assert answer.record_errors == tuple(RecordError(i, NO_KEY) for i in (1, 2, 3, 4))
    assert answer.message == (
        "One or more records have been rejected due to 4 record errors in total, and only showing the first "
        f"three errors at most: [RecordError(batchIndex=1, message='{NO_KEY}'), "
        f"RecordError(batchIndex=2, message='{NO_KEY}'), RecordError(batchIndex=3, message='{NO_KEY}')]"
    )


@pytest.mark.parametrize("codec", CODECS)
def test_records_without_a_key_are_named_despite_offset_gaps(codec: Codec) -> None:
    answer = refused(gaps(codec, b"k", None, None), COMPACTED)
    assert answer.code == ErrorCode.INVALID_RECORD
    assert answer.record_errors == (RecordError(1, NO_KEY), RecordError(2, NO_KEY))


@pytest.mark.parametrize("codec", CODECS)
def test_each_timestamp_out_of_range_is_named(codec: Codec) -> None:
    answer = refused(build_batch(at(NOW, NOW - 10_001, NOW + 5_001, -1), compression=codec), TIMED)
    limits = f"The timestamp should be within [{NOW - 10_000}, {NOW + 5_000}]"
    assert answer.code == ErrorCode.INVALID_TIMESTAMP
    assert answer.record_errors == (
        RecordError(1, f"Timestamp {NOW - 10_001} of message with offset 1 is out of range. {limits}"),
        RecordError(2, f"Timestamp {NOW + 5_001} of message with offset 2 is out of range. {limits}"),
    )
    check(build_batch(at(NOW - 10_000, NOW + 5_000), compression=codec), TIMED)


def test_a_missing_key_hides_a_bad_timestamp_and_one_bad_timestamp_decides_the_code() -> None:
    rules = AppendRules(compacted=True, timestamp_before_max_ms=10_000)
    answer = refused(build_batch(at(NOW - 90_000, NOW - 90_000, NOW, keys=[None, b"k", b"k"])), rules)
    assert answer.code == ErrorCode.INVALID_TIMESTAMP
    assert [error.batch_index for error in answer.record_errors] == [0, 1]
    assert answer.record_errors[0].message == NO_KEY
    assert answer.message == "One or more records have been rejected due to invalid timestamp"


def test_zstd_needs_version_7() -> None:
    data = build_batch(at(NOW), compression=Codec.ZSTD)
    assert refused(data, version=6).code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    check(data, version=7)


def test_zstd_before_version_7_is_checked_before_a_second_batch() -> None:
    zstd = build_batch(at(NOW), compression=Codec.ZSTD)
    for second in (zstd, ONE, broken(ONE, 16, b"\x09"), broken(ONE, 8, b"\0\0\0\1")):
        assert refused(zstd + second, version=6).code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert refused(ONE + zstd, version=6).code == ErrorCode.INVALID_RECORD
    assert refused(zstd + zstd, version=7).code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("magic", [0, 1])
def test_old_magics_are_invalid_records(magic: int) -> None:
    for data in (broken(ONE, 16, bytes([magic])), ONE + broken(ONE, 16, bytes([magic]))):
        answer = refused(data)
        assert (answer.code, answer.message, answer.checked) == (ErrorCode.INVALID_RECORD, None, False)


@pytest.mark.parametrize("magic", [3, -1])
def test_unknown_magics_are_corrupt_and_the_first_is_named(magic: int) -> None:
    bad = broken(ONE, 16, magic.to_bytes(1, "big", signed=True))
    first, second = refused(bad + ONE), refused(ONE + bad)
    assert (first.code, first.message) == (
        ErrorCode.CORRUPT_MESSAGE,
        f"Invalid magic found in record: {magic}",
    )
    assert (second.code, second.message) == (ErrorCode.CORRUPT_MESSAGE, None)


@pytest.mark.parametrize("length", [-1, 0, 5, 13])
def test_lengths_below_any_record_are_corrupt_and_the_first_is_named(length: int) -> None:
    bad = broken(ONE, 8, length.to_bytes(4, "big", signed=True))
    first, second = refused(bad), refused(ONE + bad)
    text = f"Record size {length} is less than the minimum record overhead (14)"
    assert (first.code, first.message) == (ErrorCode.CORRUPT_MESSAGE, text)
    assert (second.code, second.message) == (ErrorCode.CORRUPT_MESSAGE, None)


def test_a_length_that_overflows_with_its_overhead_is_an_unknown_error() -> None:
    answer = refused(broken(ONE, 8, (2**31 - 1).to_bytes(4, "big")))
    assert (answer.code, answer.message, answer.checked) == (ErrorCode.UNKNOWN_SERVER_ERROR, None, False)


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD, 5, 6, 7])
def test_body_that_cannot_be_decompressed_is_an_unknown_error(codec: int) -> None:
    answer = refused(build_batch(at(NOW), attributes=codec))
    assert (answer.code, answer.checked) == (ErrorCode.UNKNOWN_SERVER_ERROR, True)


@pytest.mark.parametrize("length", [14, 48])
def test_lengths_below_a_header_are_corrupt(length: int) -> None:
    bad = broken(ONE, 8, length.to_bytes(4, "big"))
    answer = refused(bad)
    assert (answer.code, answer.message) == (ErrorCode.CORRUPT_MESSAGE, None)
    assert refused(ONE + bad).code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("cut", range(61))
def test_missing_complete_batch_is_an_invalid_record(cut: int) -> None:
    answer = refused(ONE[:cut])
    assert (answer.code, answer.message, answer.checked) == (ErrorCode.INVALID_RECORD, None, False)


def test_checks_have_kafkas_order() -> None:
    """Base offset, size, CRC, counts, segment; codec and version before all of them."""
    small = AppendRules(max_message_bytes=100)
    large = [LogRecord(0, NOW, b"k", bytes(200))]
    assert (
        refused(build_batch(large, compression=Codec.ZSTD), small, version=6).code.name
        == "UNSUPPORTED_COMPRESSION_TYPE"
    )
    moved = refused(build_batch(large, base_offset=-5, next_offset=-4), small)
    assert (moved.code, moved.checked) == (ErrorCode.INVALID_RECORD, True)
    bad_crc = broken(build_batch(large, next_offset=9), 17, b"\0\0\0\0")
    too_large = refused(bad_crc, small)
    assert (too_large.code, too_large.checked) == (ErrorCode.MESSAGE_TOO_LARGE, False)
    corrupt = refused(bad_crc)
    assert (corrupt.code, corrupt.checked) == (ErrorCode.CORRUPT_MESSAGE, False)
    assert refused(build_batch(large, next_offset=9)).code == ErrorCode.INVALID_RECORD
    assert refused(build_batch(large, attributes=CONTROL)).code == ErrorCode.INVALID_RECORD
    listed = refused(build_batch(large), AppendRules(segment_bytes=100))
    assert (listed.code, listed.checked) == (ErrorCode.RECORD_LIST_TOO_LARGE, False)


def test_a_producer_needs_a_sequence() -> None:
    for sequence in (-1, -5):
        data = build_batch(at(NOW), producer_id=5, producer_epoch=0, base_sequence=sequence)
        assert refused(data).code == ErrorCode.INVALID_RECORD
    check(build_batch(at(NOW), producer_id=-2, base_sequence=-1))
    check(build_batch(at(NOW), base_sequence=4))


def test_a_timestamp_that_no_int64_holds_is_refused() -> None:
    data = build_batch(at(2**63 - 1, 2**63 + 10), base_timestamp=2**63 - 1, max_timestamp=0)
    assert refused(data, ANY_TIME).code == ErrorCode.INVALID_RECORD


def test_sole_batch_is_checked_without_its_content() -> None:
    header = sole_batch(broken(ONE, 17, b"\0\0\0\0"), 9)
    assert header.size == len(ONE)
