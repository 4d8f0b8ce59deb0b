"""The order of Java's hash maps, as in Kafka's responses to DescribeGroups and DeleteGroups."""

from __future__ import annotations

import pytest

from tests.unit.broker.story import finished
from tidemark.core.java import PriorityQueue, map_order, partition_hash, set_order


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ([2, 1, 3, 0], [0, 3, 1, 2]),
        ([40, 39, 38, 37, 36], [39, 40, 37, 38, 36]),
        ([40, 39, 38, 37, 36, 35, 34, 33, 32, 0, 1, 2], [0, 32, 39, 40, 37, 38, 35, 36, 1, 33, 2, 34]),
        ([40, 39, 38, 37, 36, 35, 34, 33, 32, 0, 1, 2, 3], [0, 32, 39, 40, 37, 38, 3, 35, 36, 1, 33, 2, 34]),
        (
            [40, 39, 38, 37, 36, 35, 34, 33, 32, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 12],
            [12, 9, 31, 0, 32, 7, 39, 8, 40, 5, 37, 6, 38, 3, 35, 4, 36, 1, 33, 2, 34],
        ),
    ],
)
def test_partitions_are_in_the_order_of_javas_hash_map(asked: list[int], answered: list[int]) -> None:
    assert map_order(asked, partition_hash) == answered


def test_the_order_of_a_java_set_does_not_depend_on_the_request() -> None:
    names = [f"delete_several_groups.group{number}" for number in (4, 8, 11)]
    assert [*finished(set_order(names))] == [names[1], names[2], names[0]]
    assert [*finished(set_order(names[::-1]))] == [names[1], names[2], names[0]]


def test_equal_priorities_are_polled_in_the_order_of_javas_heap() -> None:
    """The expected text is what java.util.PriorityQueue of OpenJDK 17 returns."""
    queue: PriorityQueue[str] = PriorityQueue()
    priorities = dict(zip("abcdefghij", [2, 1, 1, 0, 2, 1, 0, 1, 2, 0], strict=True))
    for item, priority in priorities.items():
        queue.add(priority, item)
    polled = ""
    for _ in range(4):
        item = queue.poll()
        polled += item
        priorities[item] += 1
        queue.add(priorities[item], item)
    while queue:
        polled += queue.poll()
    assert polled == "djgjghbdcfjeai"
