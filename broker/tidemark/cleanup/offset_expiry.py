"""The cleanup pass over committed offsets (KIP-211): what `retention` says is due goes, with its tombstones.

A pass looks first and writes then, a slice in each turn of the loop, so that a million offsets stall nobody.
Nothing is due in between: what the pass finds at its own moment is rechecked when it is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from tidemark.clock import Clock, turn
from tidemark.coordinator.groups.expirations import due_groups, expirations
from tidemark.coordinator.groups.foreign import deleted_group
from tidemark.coordinator.groups.notes import DueBound
from tidemark.coordinator.groups.state import Groups
from tidemark.coordinator.result import Removal, Result
from tidemark.metrics.registry import Metrics


@dataclass(slots=True)
class Expired:
    """What one pass removed."""

    offsets: list[Removal] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)


class OffsetExpiry:
    """accept(result) writes down what was decided about groups. One pass runs at a time."""

    def __init__(
        self,
        groups: Groups,
        clock: Clock,
        metrics: Metrics,
        accept: Callable[[Result[None]], None],
    ) -> None:
        self._groups = groups
        self._clock = clock
        self._metrics = metrics
        self._accept = accept
        self._one_at_a_time = asyncio.Lock()

    async def run(self, wall_ms: int | None = None) -> Expired:
        """One pass at this wall time. None: now."""
        async with self._one_at_a_time:
            began_ms = self._clock.steady_ms()
            expired = await self._pass(self._clock.wall_ms() if wall_ms is None else wall_ms)
            self._metrics.cleanup_runs += 1
            self._metrics.cleanup_duration.observe((self._clock.steady_ms() - began_ms) / 1000)
            return expired

    async def _pass(self, wall_ms: int) -> Expired:
        expired = Expired()
        due = await self._look(wall_ms)
        for result in expirations(self._groups, due, wall_ms):
            if result is None:
                await turn()
                continue
            self._accept(result)
            self._metrics.offsets_expired.mark(len(result.removed), self._clock.steady_ms())
            expired.offsets += result.removed
            expired.groups += filter(None, map(deleted_group, result.records))
        return expired

    async def _look(self, wall_ms: int) -> list[str]:
        """Groups of one partition of the log stand together, and so will their tombstones."""
        due: dict[int, list[str]] = {}
        for found in due_groups(self._groups, wall_ms):
            if found is None:
                await turn()
            elif isinstance(found, DueBound):
                self._accept(Result(notes=(found,)))
            else:
                due.setdefault(self._groups.partition_for(found), []).append(found)
        return [group_id for partition in sorted(due) for group_id in due[partition]]
