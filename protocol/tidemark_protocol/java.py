"""Java's hash of strings, and the partition that it puts a group into."""

from __future__ import annotations

import struct
from operator import mul
from typing import Final

_SMALLEST: Final = -(1 << 31)  # Kafka's abs takes it to 0
_UNITS: Final = 256  # hashed in one go
_POWERS: Final = tuple(pow(31, _UNITS - at, 1 << 32) for at in range(_UNITS + 1))


def java_hash(text: str) -> int:
    """Return String.hashCode: over UTF-16 units, wrapping at 32 bits, signed.

    Clients choose the texts, up to 32 KB each: a loop over single units would be four times as slow.
    """
    data = text.encode("utf-16-be", "surrogatepass")
    units = struct.unpack(f">{len(data) // 2}H", data)
    value = 0
    for start in range(0, len(units), _UNITS):
        part = units[start : start + _UNITS]
        value = (value * _POWERS[-len(part) - 1] + sum(map(mul, part, _POWERS[-len(part) :]))) & 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


def partition_of_group(group_id: str, partitions: int) -> int:
    """Which partition of `__consumer_offsets` holds a group (reference 5.1)."""
    value = java_hash(group_id)
    return 0 if value == _SMALLEST else abs(value) % partitions
