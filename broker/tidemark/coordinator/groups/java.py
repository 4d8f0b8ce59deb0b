"""Java's hash of strings, and the orders in which its hash maps give back what they hold.

The hash decides which partition holds a group. The orders decide ties of a vote, and are those of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, TypeVar

K = TypeVar("K")

SMALLEST_TABLE: Final = 16  # buckets; they double when more than three quarters are taken


def java_hash(text: str) -> int:
    """String.hashCode: over UTF-16 units, wrapping at 32 bits, signed."""
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for at in range(0, len(units), 2):
        value = (31 * value + (units[at] << 8 | units[at + 1])) & 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


OFFSETS_TOPIC_HASH: Final = java_hash("__consumer_offsets")


def partition_hash(partition: int) -> int:
    """TopicPartition.hashCode of a partition of `__consumer_offsets`."""
    return 31 * (31 + partition) + OFFSETS_TOPIC_HASH


def map_order(keys: Collection[K], hash_of: Callable[[K], int]) -> list[K]:
    """Of a HashMap that computeIfAbsent has filled with these different keys: it grows one key late, and in a
    bucket the newest comes first.
    """
    table = SMALLEST_TABLE
    while (len(keys) - 1) * 4 > table * 3:
        table *= 2
    newest_first = [*keys][::-1]
    return sorted(newest_first, key=lambda key: _bucket(hash_of(key), table))


def set_order(texts: Collection[str]) -> list[str]:
    """Of a HashSet made of these different strings at once."""
    table = SMALLEST_TABLE
    while table < len(texts) * 4 // 3 + 1:
        table *= 2
    return sorted(texts, key=lambda text: _bucket(java_hash(text), table))


def _bucket(value: int, table: int) -> int:
    value &= 0xFFFFFFFF
    return (value ^ value >> 16) & table - 1
