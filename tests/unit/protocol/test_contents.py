"""Examining a batch in steps has the same result as reading its records."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemark_protocol.batch import (
    APPEND_TIME,
    HEADER_BYTES,
    BatchError,
    BatchHeader,
    LogRecord,
    build_batch,
    read_header,
    record_bytes,
    records,
)
from tidemark_protocol.compression import Codec
from tidemark_protocol.contents import (
    DECOMPRESSED_BYTES_PER_STEP,
    RECORDS_PER_STEP,
    find_time,
    finish,
    read_content,
    renumber,
    sketches,
    survey,
)

FIELDS = st.one_of(st.none(), st.binary(max_size=200))
HEADERS = st.lists(st.tuples(st.text(max_size=5), FIELDS), max_size=3)
RECORDS = st.lists(
    st.tuples(st.integers(-(2**40), 2**40), FIELDS, FIELDS, HEADERS), min_size=1, max_size=20
).map(lambda found: [LogRecord(3 * i, at, key, value, h) for i, (at, key, value, h) in enumerate(found)])


@given(RECORDS, st.sampled_from([0, APPEND_TIME]), st.integers(0, 10_000))
def test_rewritten_records_equal_a_new_batch(
    found: list[LogRecord], attributes: int, base_timestamp: int
) -> None:
    batch = build_batch(found, attributes=attributes, base_timestamp=base_timestamp)
    header = read_header(batch)
    body, base = finish(renumber(batch[HEADER_BYTES:], header))
    read = records(batch, 0, header)
    expected = build_batch(
        [LogRecord(i, one.timestamp, one.key, one.value, one.headers) for i, one in enumerate(read)]
    )
    assert (base, body) == (read_header(expected).base_timestamp, expected[HEADER_BYTES:])


@given(RECORDS)
def test_sketches_and_survey_agree_with_the_records(found: list[LogRecord]) -> None:
    batch = build_batch(found)
    header, data = read_header(batch), batch[HEADER_BYTES:]

    def field(start: int, end: int) -> bytes | None:
        return None if start < 0 else data[start:end]

    assert [
        (one.offset, one.timestamp, field(one.key_start, one.key_end), field(one.value_start, one.value_end))
        for one in sketches(data, header)
    ] == [(one.offset, one.timestamp, one.key, one.value) for one in found]
    seen = finish(survey(data, header))
    times = [one.timestamp for one in found]
    assert (seen.earliest, seen.latest) == (min(times), max(times))
    assert seen.keyless == any(one.key is None for one in found)
    assert seen.has_gaps == (len(found) > 1)


def surveyed(data: bytes | memoryview, header: BatchHeader) -> tuple[object, ...]:
    try:
        return tuple(finish(survey(data, header)))
    except IndexError:
        return ("the records end early",)
    except BatchError as error:
        return (str(error),)


@given(
    st.sampled_from([1, 12, 64, 65, 90, 300]),
    st.sampled_from([None, b"", b"key"]),
    st.sampled_from([None, 0, 20, 60, 200]),
    st.sampled_from([0, 1, 9, 100]),
    st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 255)), max_size=2),
    st.integers(0, 3),
)
def test_records_of_one_shape_are_surveyed_together_as_one_by_one(
    count: int,
    key: bytes | None,
    value_bytes: int | None,
    ms: int,
    damage: list[tuple[int, int]],
    missing: int,
) -> None:
    value = None if value_bytes is None else bytes(value_bytes)
    batch = build_batch([LogRecord(i, i * ms // 7, key, value) for i in range(count)])
    header = read_header(batch)
    data = bytearray(batch[HEADER_BYTES : len(batch) - missing])
    for position, byte in damage:
        data[position % len(data)] = byte
    one_by_one = surveyed(memoryview(data), header)
    assert surveyed(bytes(data), header) == one_by_one
    if not damage and not missing:
        assert one_by_one == (0, (count - 1) * ms // 7, key is None, False)


@given(RECORDS, st.integers(-(2**40), 2**40), st.integers(0, 60))
def test_timestamp_search_finds_the_first_record(found: list[LogRecord], timestamp: int, offset: int) -> None:
    batch = build_batch(found)
    expected = [
        (one.timestamp, one.offset) for one in found if one.timestamp >= timestamp and one.offset >= offset
    ]
    place = finish(find_time(batch, 0, read_header(batch), timestamp, offset))
    assert place == (expected[0] if expected else None)


@pytest.mark.parametrize("codec", list(Codec))
@pytest.mark.parametrize("size", [10, DECOMPRESSED_BYTES_PER_STEP + 1])
def test_small_and_large_content_decompress_the_same(codec: Codec, size: int) -> None:
    batch = build_batch([LogRecord(0, 0, None, bytes(size))], compression=codec)
    header = read_header(batch)
    assert bytes(finish(read_content(batch, 0, header))) == record_bytes(batch, 0, header)
    works = 0 if codec is Codec.NONE or size <= DECOMPRESSED_BYTES_PER_STEP else 1
    assert len(list(islice(read_content(batch, 0, header), 1))) == works


@pytest.mark.parametrize("codec", [codec for codec in Codec if codec is not Codec.NONE])
def test_a_large_content_that_is_broken_is_refused(codec: Codec) -> None:
    batch = bytearray(build_batch([LogRecord(0, 0, None, bytes(40_000_000))], compression=codec))
    del batch[-10:]
    batch[8:12] = (len(batch) - 12).to_bytes(4, "big")
    with pytest.raises(BatchError):
        finish(read_content(batch, 0, read_header(batch)))


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_many_records_take_many_steps(codec: Codec) -> None:
    count = 10 * RECORDS_PER_STEP
    batch = build_batch([LogRecord(i, 0, None, None) for i in range(count)], compression=codec)
    header = read_header(batch)
    content = finish(read_content(batch, 0, header))
    assert len(list(survey(content, header))) == 9
    assert len(list(renumber(content, header))) == 10
    assert len(list(find_time(batch, 0, header, 1, 0))) == 10
