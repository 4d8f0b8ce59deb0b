"""The fast reader of coordinator logs returns the same records as the plain functions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemark_protocol import WireError
from tidemark_protocol.batch import (
    APPEND_TIME,
    BatchError,
    BatchHeader,
    LogRecord,
    build_batch,
    read_header,
    records,
)
from tidemark_protocol.compression import Codec
from tidemark_protocol.loading import CoordinatorLogReader, OtherRecordKey, other_record_key
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import VERSIONS_OF, CoordinatorCodec, UnknownRecordType, decode_coordinator

Told = list[tuple[object, object, int]]

START_MS = 1_700_000_000_000

names = st.sampled_from(["g", "h", "a-longer-name", "ü", "", "x" * 130])
offset_keys = st.builds(OffsetCommitKey, names, names, st.integers(0, 3))
offset_values = st.builds(
    OffsetCommitValue,
    st.integers(0, 2**62),
    st.sampled_from([-1, 0, 7]),
    st.sampled_from(["", "m", "m" * 70]),
    st.integers(0, 2**42),
    st.sampled_from([-1, 5]),
    st.sampled_from([bytes(16), bytes(range(16))]),
)
group_keys = st.builds(GroupMetadataKey, names)
group_values = st.builds(GroupMetadataValue, st.just("consumer"), st.integers(0, 9))
codecs = [CoordinatorCodec(versions) for versions in VERSIONS_OF.values()]
stored = st.builds(
    lambda codec, pair: codec.encode(*pair),
    st.sampled_from(codecs),
    st.tuples(offset_keys, st.none() | offset_values)
    | st.tuples(offset_keys, offset_values)
    | st.tuples(group_keys, st.none() | group_values),
)
others = st.sampled_from([(b"\0\x09\0\1g", b"x"), (b"\x7f\xff", None), (None, b"v"), (None, None)])
entries = st.tuples(
    stored | others,
    st.sampled_from([0, 0, 0, 1, -1, 70, 2**62, 2**63 - 1]),
    st.sampled_from([(), (), (), (("h", b"x"),), (("h", None),)]),
)


def a_batch(
    held: Sequence[tuple[tuple[bytes | None, bytes | None], int, tuple[tuple[str, bytes | None], ...]]],
    gap: int = 1,
    attributes: int = 0,
    start_ms: int = START_MS,
    **fields: int,
) -> bytes:
    found = [
        LogRecord(index * gap, min(start_ms + delta, 2**63 - 1), key, value, headers)
        for index, ((key, value), delta, headers) in enumerate(held)
    ]
    return build_batch(found, attributes=attributes, base_timestamp=start_ms, **fields)


def plainly(data: bytes, header: BatchHeader) -> tuple[Told, dict[str, int]]:
    told: Told = []
    skipped: dict[str, int] = {}
    for record in records(data, 0, header):
        if record.key is not None:
            try:
                told.append((*decode_coordinator(record.key, record.value), record.timestamp))
            except UnknownRecordType as unknown:
                skipped[str(unknown)] = skipped.get(str(unknown), 0) + 1
                if (key := other_record_key(record.key)) is not None:
                    told.append((key, record.value, record.timestamp))
    return told, skipped


def test_key_that_is_not_read_still_names_its_group() -> None:
    assert other_record_key(b"\0\x0b\0\2\xc3\xbcrest") == OtherRecordKey(11, "ü", b"\0\x0b\0\2\xc3\xbcrest")
    for none in (b"", b"\0\x0b", b"\0\x0b\0\2x", b"\0\x0b\xff\xff", b"\0\x0b\0\1\xff"):
        assert other_record_key(none) is None


batches = st.builds(
    a_batch,
    st.lists(entries, min_size=1, max_size=12),
    st.sampled_from([1, 1, 40, 9_000]),
    st.sampled_from([0, 0, APPEND_TIME]),
    st.sampled_from([START_MS, START_MS, -1, 2**63 - 2]),
    compression=st.sampled_from([Codec.NONE, Codec.NONE, Codec.GZIP]),
)


@given(st.lists(batches, min_size=1, max_size=4))
def test_fast_reader_agrees_with_the_plain_functions(log: list[bytes]) -> None:
    reader = CoordinatorLogReader(learn_after=1)
    counted: dict[str, int] = {}
    for data in log * 2:  # the second time, everything that can be cached is cached
        header = read_header(data)
        told, skipped = plainly(data, header)
        assert list(reader.read(data, 0, header)) == told
        for kind, count in skipped.items():
            counted[kind] = counted.get(kind, 0) + count
    assert reader.skipped == counted


@given(batches, st.integers(0, 400), st.integers(1, 255))
def test_fast_reader_agrees_about_damaged_records(data: bytes, at: int, bits: int) -> None:
    reader = CoordinatorLogReader(learn_after=1)
    list(reader.read(data, 0, read_header(data)))
    damaged = bytearray(data)
    damaged[61 + at % (len(data) - 61)] ^= bits
    header = read_header(damaged)
    try:
        wanted, _ = plainly(bytes(damaged), header)
    except (BatchError, WireError) as error:
        with pytest.raises(type(error)):
            list(reader.read(damaged, 0, header))
    else:
        assert list(reader.read(damaged, 0, header)) == wanted


def test_records_of_equal_length_may_have_different_layouts() -> None:
    keys = [OffsetCommitKey("abc", "t", 0), OffsetCommitKey("ab", "tu", 0), OffsetCommitKey("a", "tuv", 0)]
    held = [(CoordinatorCodec().encode(key, OffsetCommitValue(5, 1)), 0, ()) for key in keys * 3]
    data = a_batch(held)
    told = list(CoordinatorLogReader(learn_after=1).read(data, 0, read_header(data)))
    assert [key for key, _, _ in told] == keys * 3


def test_batch_with_negative_record_count_is_refused() -> None:
    data = a_batch([((b"\0\1", b""), 0, ())])
    header = read_header(data)
    header.count = -1
    with pytest.raises(BatchError):
        list(CoordinatorLogReader(learn_after=1).read(data, 0, header))
