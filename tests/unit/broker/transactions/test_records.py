"""The order of partitions, as Java prints a HashSet<TopicPartition> and its groups by topic."""

from __future__ import annotations

from tidemark.transactions.model import TopicPartition, Transaction, by_topic, changed, fits, in_order, united
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.records.transaction_log import TransactionLogKey, TransactionLogValue

# Added one after the other to the same transaction.
FIRST = [("orders", 0), ("orders", 1), ("orders", 2), ("table", 0), ("table", 1), ("table", 2)]
SECOND = [("zeta", 5), ("alpha", 3), ("__consumer_offsets", 13)]
THIRD = [("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 9)]


def groups(partitions: dict[TopicPartition, None]) -> list[tuple[str, list[int]]]:
    return [(each.topic, each.partition_ids) for each in by_topic(partitions)]


def test_partitions_and_topics_are_in_the_order_of_java() -> None:
    partitions = united({}, FIRST)
    assert [*partitions] == [*FIRST[:3], ("table", 2), ("table", 1), ("table", 0)]
    assert groups(partitions) == [("orders", [0, 1, 2]), ("table", [2, 1, 0])]
    partitions = united(partitions, SECOND)
    assert [name for name, _ in partitions] == [
        "__consumer_offsets", "alpha", "orders", "orders", "orders", "table", "zeta", "table", "table",
    ]  # fmt: skip
    assert [name for name, _ in groups(partitions)] == [
        "zeta", "alpha", "orders", "table", "__consumer_offsets",
    ]  # fmt: skip
    partitions = united(partitions, THIRD)
    assert groups(partitions) == [
        ("zeta", [5]),
        ("a", [2, 1, 4, 3]),
        ("b", [9]),
        ("alpha", [3]),
        ("orders", [0, 1, 2]),
        ("table", [2, 1, 0]),
        ("__consumer_offsets", [13]),
    ]


def test_partitions_of_a_record_are_put_in_order_again() -> None:
    partitions = united({}, FIRST)
    read = {(each.topic, index): None for each in by_topic(partitions) for index in each.partition_ids}
    assert in_order(read) == [*partitions]


def test_order_of_very_many_partitions_is_that_of_the_requests() -> None:
    many = [("t", index) for index in range(1000)]
    assert [*united({}, many)] == many


def test_record_that_ends_a_transaction_fits_if_its_partitions_were_accepted() -> None:
    names = [("x" * 249, index) for index in range(20_000)]
    assert fits(1_048_588, "tx", names)
    assert not fits(80_000, "tx", names)
    for partitions in ({}, dict.fromkeys(names[:50]), dict.fromkeys(FIRST)):
        transaction = Transaction("t" * 50, 0, 2**62, 2**62, 2**62, client_version=2)
        record = changed(transaction, transaction_partitions=by_topic(partitions))
        key, value = bytearray(), bytearray()
        TransactionLogKey.ENCODERS[0](key, record.key)
        TransactionLogValue.ENCODERS[1](value, record.value)
        batch = build_batch([LogRecord(0, 0, b"\0\0" + key, b"\0\1" + value)])
        assert not fits(len(batch) - 1, "t" * 50, partitions)
        assert fits(len(batch) + 200, "t" * 50, partitions)
