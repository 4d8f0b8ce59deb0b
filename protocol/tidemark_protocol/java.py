"""Java's hash of strings, and the partition that it puts a group into."""

from __future__ import annotations

from typing import Final

_SMALLEST: Final = -(1 << 31)  # Kafka's abs takes it to 0


def java_hash(text: str) -> int:
    """String.hashCode: over UTF-16 units, wrapping at 32 bits, signed."""
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for at in range(0, len(units), 2):
        value = (31 * value + (units[at] << 8 | units[at + 1])) & 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


def partition_of_group(group_id: str, partitions: int) -> int:
    """Which partition of `__consumer_offsets` holds a group (reference 5.1)."""
    value = java_hash(group_id)
    return 0 if value == _SMALLEST else abs(value) % partitions
