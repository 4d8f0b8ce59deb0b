"""Reads and prints numbers and hashes texts as Java does. Hashes decide partitions and the order of maps."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Collection
from operator import mul
from typing import Final, TypeVar

_SMALLEST: Final = -(1 << 31)  # Kafka's abs returns 0 for it
_UNITS: Final = 256  # hashed at once
SMALLEST_TABLE: Final = 16  # buckets of a HashMap; they double when more than three quarters are in use
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,4300}")  # by default, int() refuses more digits
_POWERS: Final = tuple(pow(31, _UNITS - at, 1 << 32) for at in range(_UNITS + 1))

K = TypeVar("K")


def java_hash(text: str) -> int:
    """Return Java's String.hashCode: over UTF-16 units, wrapping at 32 bits, signed.

    Clients choose texts of up to 32 KB, for which a loop over single units would be four times as slow.
    """
    data = text.encode("utf-16-be", "surrogatepass")
    units = struct.unpack(f">{len(data) // 2}H", data)
    value = 0
    for start in range(0, len(units), _UNITS):
        part = units[start : start + _UNITS]
        value = (value * _POWERS[-len(part) - 1] + sum(map(mul, part, _POWERS[-len(part) :]))) & 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


def java_integer(text: str, bits: int) -> int | None:
    """Return what Short.parseShort (16 bits), Integer.parseInt (32) or Long.parseLong (64) reads.

    None: they throw NumberFormatException, or the number has more than 4,300 digits because it begins with
    zeros.
    """
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    limit = 1 << bits - 1
    return number if -limit <= number < limit else None


def partition_of_group(group_id: str, partitions: int) -> int:
    """Return the partition of `__consumer_offsets` that holds a group. Kafka: `partitionFor`."""
    value = java_hash(group_id)
    return 0 if value == _SMALLEST else abs(value) % partitions


def java_double(value: float) -> str:
    """Return a number as Java's Double.toString does: 1024.0, 1.0E9, Infinity."""
    if value != value or value in (float("inf"), float("-inf")):
        return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    from decimal import Decimal  # slow to import, and rarely needed

    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *others = map(str, digits)
    return f"{'-' if sign else ''}{first}.{''.join(others) or '0'}E{int(exponent) + len(others)}"


def hash_map_order(
    keys: Collection[K], hash_of: Callable[[K], int], capacity: int = SMALLEST_TABLE
) -> list[K]:
    """Return the order of a HashMap, made with this capacity, into which these different keys were put."""
    table = hash_map_table(len(keys), capacity)
    return sorted(keys, key=lambda key: bucket(hash_of(key), table))


def hash_map_table(count: int, capacity: int = SMALLEST_TABLE) -> int:
    """Return how many buckets a HashMap of so many keys has."""
    table = 1
    while table < capacity or count * 4 > table * 3:
        table *= 2
    return table


def bucket(value: int, table: int) -> int:
    """Return the bucket of a hash. A map lists its buckets in order, and a bucket its oldest key first."""
    value &= 0xFFFFFFFF
    return (value ^ value >> 16) & table - 1


def long_hash(key: int) -> int:
    """Return Long.hashCode, up to its sign."""
    return key ^ key >> 32


def topic_partition_hash(topic_partition: tuple[str, int]) -> int:
    """Return TopicPartition.hashCode."""
    topic, partition = topic_partition
    return 31 * (31 + partition) + java_hash(topic)


def murmur2(data: bytes) -> int:
    """Return the 32-bit hash that assigns a key to a partition. Kafka: Utils.murmur2."""
    mask, factor = 0xFFFFFFFF, 0x5BD1E995
    value = 0x9747B28C ^ len(data)
    whole = len(data) - len(data) % 4
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * factor & mask
        word = (word ^ word >> 24) * factor & mask
        value = (value * factor & mask) ^ word
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * factor & mask
    value = (value ^ value >> 13) * factor & mask
    return value ^ value >> 15
