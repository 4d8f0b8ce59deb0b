"""Java's hash of strings. The expected values are those of `String.hashCode` and Kafka's partitions."""

from __future__ import annotations

import pytest

from tidemark_protocol.java import hash_map_order, java_hash, java_integer, long_hash, partition_of_group


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", 0),
        ("my-group", -1906497762),
        ("test-group", 627841412),
        ("polygenelubricants", -2147483648),
        ("\U0001f600", 1772899),
    ],
)
def test_hash_equals_javas(text: str, value: int) -> None:
    assert java_hash(text) == value


@pytest.mark.parametrize(
    ("text", "bits", "number"),
    [
        ("7", 32, 7),
        ("+007", 32, 7),
        ("-2147483648", 32, -2147483648),
        ("2147483648", 32, None),
        ("2147483648", 64, 2147483648),
        ("-32769", 16, None),
        ("", 32, None),
        ("+", 32, None),
        (" 7", 32, None),
        ("1_000", 32, None),
        ("\u0667", 32, None),
        ("9" * 32_767, 64, None),
        ("0" * 4300 + "7", 32, None),
    ],
)
def test_integer_is_read_as_java_reads_it(text: str, bits: int, number: int | None) -> None:
    assert java_integer(text, bits) == number


@pytest.mark.parametrize(
    ("group", "partition"),
    [
        ("", 0),
        ("g", 3),
        ("my-group", 12),
        ("test-group", 12),
        ("connect-cluster", 13),
        ("console-consumer-12345", 6),
        ("polygenelubricants", 0),
        ("groupé", 6),
    ],
)
def test_group_is_in_kafkas_partition(group: str, partition: int) -> None:
    assert partition_of_group(group, 50) == partition


def test_order_of_a_map_of_numbers_is_that_of_java() -> None:
    assert hash_map_order([1005, 2000, 7, 23, 39], long_hash) == [2000, 7, 23, 39, 1005]
    wide = [8589934592, 8589934593, 1, 17, 4294967296, 65536, 65552]
    assert hash_map_order(wide, long_hash) == [1, 17, 4294967296, 65536, 65552, 8589934592, 8589934593]
    grown = [*range(14), 1000, 1016, 2032]
    assert hash_map_order(grown, long_hash) == [*range(9), 1000, *range(9, 14), 2032, 1016]
