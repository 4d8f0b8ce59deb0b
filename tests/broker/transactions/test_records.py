"""The order of partitions, as Java prints a HashSet<TopicPartition> and its groups by topic."""

from __future__ import annotations

from tidemark.transactions.model import TopicPartition
from tidemark.transactions.records import by_topic, in_order, united

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
