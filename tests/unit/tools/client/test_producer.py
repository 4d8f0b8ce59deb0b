"""The producer: partitions, batches, and the size of records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.java import murmur2
from tidemark_tools.client.producer import _batches, record_bytes_max


@pytest.mark.parametrize(
    ("key", "signed"),
    [
        # The vectors of Kafka's own UtilsTest.
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_a_key_has_the_same_hash_as_in_kafka(key: bytes, signed: int) -> None:
    assert murmur2(key) == signed % 2**32


some_bytes = st.none() | st.binary(max_size=300)
headers = st.lists(st.tuples(st.text(max_size=5), some_bytes), max_size=3)
a_record = st.builds(LogRecord, st.just(0), st.just(0), some_bytes, some_bytes, headers)


@given(st.lists(a_record), st.integers(1, 1000))
def test_batches_keep_every_record_in_order_and_within_the_size(records: list[LogRecord], size: int) -> None:
    batches = list(_batches(records, size))
    assert [record for batch in batches for record in batch] == records
    assert all(len(batch) == 1 or sum(map(record_bytes_max, batch)) <= size for batch in batches)
    assert all(batches)


@given(a_record)
def test_a_record_is_never_larger_than_its_upper_bound(record: LogRecord) -> None:
    assert len(build_batch([record])) <= record_bytes_max(record)
