"""The work that a share group requires of the share coordinator (KIP-932)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tidemark.core.decision import Effect
from tidemark_protocol.errors import ErrorCode

# Topic id (16 bytes) -> name of the topic, and partitions in ascending order.
NamedPartitions = Mapping[bytes, tuple[str, Sequence[int]]]


@dataclass(slots=True)
class InitializeShareState(Effect):
    """Create the state of partitions that a group reads for the first time.

    Then decide `state_initialized` or `state_not_initialized` (groups/share/group.py). A start repeats work
    that has not ended.

    state_epoch    the group epoch, which becomes the epoch of the state
    start_offsets  by topic id and partition; -1, or none: the first fetch decides
    results        the function that carries out the effect stores an awaitable here. Its result has the error
                   of each partition, by topic id
    """

    group_id: str
    topics: NamedPartitions
    state_epoch: int
    start_offsets: Mapping[bytes, Mapping[int, int]] = field(default_factory=dict)
    results: Any = None


@dataclass(slots=True)
class DeleteShareState(Effect):
    """Delete the state of partitions, because their group or its offsets are being deleted.

    results: as those of `InitializeShareState`
    """

    group_id: str
    topics: NamedPartitions
    results: Any = None


def first_error(errors: Mapping[int, ErrorCode]) -> ErrorCode:
    """Return the first error of the partitions of a topic, or NONE."""
    return next((error for error in errors.values() if error is not ErrorCode.NONE), ErrorCode.NONE)
