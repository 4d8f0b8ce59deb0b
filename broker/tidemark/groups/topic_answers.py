"""How OffsetCommit and OffsetDelete put their answers together: both sort topics out before they ask the
group.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar


class TopicAnswer(Protocol):
    partitions: list[Any]


class HasIndex(Protocol):
    partition_index: int


Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer", bound=TopicAnswer)
Asked = TypeVar("Asked", bound=HasIndex)


def split(partitions: list[Asked], count: int) -> tuple[list[Asked], list[Asked]]:
    """(there, missing) for a topic with this many partitions."""
    there: list[Asked] = []
    missing: list[Asked] = []
    for partition in partitions:
        (there if 0 <= partition.partition_index < count else missing).append(partition)
    return there, missing


def merge(answers: dict[Key, Answer], key: Key, answer: Answer) -> None:
    """One answer per topic. Kafka merges once a topic was refused, and then refused ones come first."""
    first = answers.setdefault(key, answer)
    if first is not answer:
        first.partitions += answer.partitions
