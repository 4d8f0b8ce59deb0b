"""The iteration order of Java's hash maps. It decides ties of a vote and the order of groups in responses."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, TypeVar

from tidemark.core.result import Steps
from tidemark_protocol.java import java_hash

K = TypeVar("K")

SMALLEST_TABLE: Final = 16  # buckets; they double when more than three quarters are in use


OFFSETS_TOPIC_HASH: Final = java_hash("__consumer_offsets")


def partition_hash(partition: int) -> int:
    """TopicPartition.hashCode of a partition of `__consumer_offsets`."""
    return 31 * (31 + partition) + OFFSETS_TOPIC_HASH


def map_order(keys: Collection[K], hash_of: Callable[[K], int]) -> list[K]:
    """Return the order of a HashMap that computeIfAbsent has filled with these different keys.

    Such a map grows one key late, and the newest key of a bucket is first.
    """
    table = SMALLEST_TABLE
    while (len(keys) - 1) * 4 > table * 3:
        table *= 2
    newest_first = [*keys][::-1]
    return sorted(newest_first, key=lambda key: _bucket(hash_of(key), table))


def set_order(texts: Collection[str]) -> Steps[list[str]]:
    """Return the order of a HashSet made of these different strings at once.

    A generator: it yields after each text, because the hash of a long one takes some time.
    """
    table = SMALLEST_TABLE
    while table < len(texts) * 4 // 3 + 1:
        table *= 2
    buckets: dict[str, int] = {}
    for text in texts:
        buckets[text] = _bucket(java_hash(text), table)
        yield 0
    return sorted(texts, key=buckets.__getitem__)


def _bucket(value: int, table: int) -> int:
    value &= 0xFFFFFFFF
    return (value ^ value >> 16) & table - 1
