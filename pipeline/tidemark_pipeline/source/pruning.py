"""Choose the part of the logs that must be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

OFFSET_END: Final = 2**63


@dataclass(slots=True, frozen=True)
class Pruning:
    """The part of the logs that must be read. None: all. Offsets are from first to below end."""

    groups: frozenset[str] | None = None
    log_partitions: frozenset[int] | None = None
    first_offset: int = 0
    end_offset: int = OFFSET_END

    def reads(self, log_partition: int) -> bool:
        return self.log_partitions is None or log_partition in self.log_partitions

    def of_all_offsets(self) -> Pruning:
        return Pruning(self.groups, self.log_partitions)

    def narrowed(self, other: Pruning) -> Pruning:
        """Return what both select."""
        return Pruning(
            _both(self.groups, other.groups),
            _both(self.log_partitions, other.log_partitions),
            max(self.first_offset, other.first_offset),
            min(self.end_offset, other.end_offset),
        )

    def widened(self, other: Pruning) -> Pruning:
        """Return at least what either selects."""
        return Pruning(
            _either(self.groups, other.groups),
            _either(self.log_partitions, other.log_partitions),
            min(self.first_offset, other.first_offset),
            max(self.end_offset, other.end_offset),
        )


EVERYTHING: Final = Pruning()


def _both(one: frozenset[Any] | None, other: frozenset[Any] | None) -> frozenset[Any] | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _either(one: frozenset[Any] | None, other: frozenset[Any] | None) -> frozenset[Any] | None:
    return None if one is None or other is None else one | other
