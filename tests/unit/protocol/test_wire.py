"""The primitives, with the examples of Kafka's protocol and at their limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemark_protocol.wire import (
    TagCountError,
    WireError,
    read_uvarint,
    skip_tags,
    with_any_tag_count,
    write_tags,
    write_uvarint,
)


def uvarint(value: int) -> bytes:
    out = bytearray()
    write_uvarint(out, value)
    return bytes(out)


@pytest.mark.parametrize(
    ("value", "data"), [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (2**31 - 1, "ffffffff07")]
)
def test_an_unsigned_varint_has_its_low_bits_first(value: int, data: str) -> None:
    assert uvarint(value) == bytes.fromhex(data)
    assert read_uvarint(bytes.fromhex(data), 0) == (value, len(data) // 2)


def test_an_unsigned_varint_past_31_bits_is_negative_as_in_java() -> None:
    assert read_uvarint(bytes.fromhex("8180808008"), 0) == (1 - 2**31, 5)
    assert read_uvarint(bytes.fromhex("ffffffff0f"), 0) == (-1, 5)
    assert read_uvarint(bytes.fromhex("ffffffff7f"), 0) == (-1, 5)


def test_a_length_of_one_less_than_two_to_the_31_is_too_large_and_not_null() -> None:
    assert read_uvarint(bytes.fromhex("8080808008"), 0) == (2**31, 5)


@given(st.integers(0, 2**31 - 1))
def test_every_length_survives_a_round_trip(value: int) -> None:
    assert read_uvarint(b"\xff" + uvarint(value), 1) == (value, 1 + len(uvarint(value)))


def test_a_varint_that_does_not_end_is_refused() -> None:
    with pytest.raises(WireError):
        read_uvarint(b"\x80" * 6, 0)


def test_unknown_tags_are_skipped() -> None:
    out = bytearray()
    write_tags(out, [(0, bytearray(b"abc")), (300, bytearray())])
    assert out == bytes.fromhex("02 00 03 616263 ac02 00")
    assert skip_tags(bytes(out) + b"behind", 0, len(out)) == len(out)
    assert skip_tags(b"\0", 0, 1) == 1


@pytest.mark.parametrize("data", ["01 00 04 616263", "05 00", "01 00 ffffffff0f", "ffffffff07"])
def test_tags_that_run_past_the_frame_are_refused(data: str) -> None:
    tags = bytes.fromhex(data)
    with pytest.raises(WireError):
        skip_tags(tags + b"behind", 0, len(tags))


NEGATIVE = bytes.fromhex("ffffffff0f")
TEN_THOUSAND = bytes.fromhex("904e") + bytes(2 * 10_000)
ONE_MORE = bytes.fromhex("914e") + bytes(2 * 10_001)


def test_number_of_tags_is_from_0_to_10000() -> None:
    assert skip_tags(TEN_THOUSAND, 0, len(TEN_THOUSAND)) == len(TEN_THOUSAND)
    for tags in (NEGATIVE, ONE_MORE):
        with pytest.raises(TagCountError, match="0 to 10000 are allowed"):
            skip_tags(tags, 0, len(tags))


@pytest.mark.parametrize("tags", [NEGATIVE, TEN_THOUSAND, ONE_MORE])
def test_any_number_of_tags_is_read_on_demand(tags: bytes) -> None:
    """A negative number means none, as in Java's loop."""
    assert with_any_tag_count(skip_tags)(tags, 0, len(tags)) == len(tags)


def test_reading_is_strict_again_after_an_error() -> None:
    with pytest.raises(WireError):
        with_any_tag_count(skip_tags)(NEGATIVE[:4] + b"\x7f" * 9, 0, 3)
    with pytest.raises(TagCountError):
        skip_tags(NEGATIVE, 0, len(NEGATIVE))
