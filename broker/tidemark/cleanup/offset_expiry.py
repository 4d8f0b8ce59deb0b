"""The cleanup pass over committed offsets (KIP-211): it removes the offsets that `retention` declares due.

A pass first finds the offsets that are due and then writes tombstones, in slices, so that a million offsets
do not block requests. It checks each offset again before it writes. An offset that becomes due meanwhile
waits for the next pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import field

from tidemark.clock import Clock
from tidemark.core.decision import Decision, Removal
from tidemark.groups.expirations import Due, deleted_group, due_groups, expirations
from tidemark.groups.state import Groups
from tidemark.late_dataclass import dataclass
from tidemark.metrics.registry import Metrics
from tidemark.turns import Budget, Pace


@dataclass(slots=True)
class Expired:
    """The offsets and groups that one pass removed."""

    offsets: list[Removal] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def add(self, result: Decision[None]) -> None:
        self.offsets += result.removed
        names = map(deleted_group, result.records)
        self.groups += [name for name in names if name is not None]


class OffsetExpiry:
    """Runs cleanup passes, one at a time.

    accept(result)   writes a decision about groups
    new_pace(clock)  returns the budget after which a pass lets requests run
    """

    def __init__(
        self,
        groups: Groups,
        clock: Clock,
        metrics: Metrics,
        accept: Callable[[Decision[None]], None],
        new_pace: Callable[[Clock], Budget] = Pace,
    ) -> None:
        self._groups = groups
        self._clock = clock
        self._metrics = metrics
        self._accept = accept
        self._new_pace = new_pace
        self._one_at_a_time = asyncio.Lock()

    async def run(self, wall_ms: int | None = None) -> Expired:
        """Run one pass for this wall time. None: now."""
        expired = Expired()
        await self._run(wall_ms, expired.add)
        return expired

    async def run_scheduled(self) -> None:
        """Run one pass now. What it removes is not collected: a million offsets would need 200 MB."""
        await self._run(None, lambda _: None)

    async def _run(self, wall_ms: int | None, report: Callable[[Decision[None]], None]) -> None:
        async with self._one_at_a_time:
            began_ms = self._clock.steady_ms()
            await self._pass(self._clock.wall_ms() if wall_ms is None else wall_ms, report)
            self._metrics.cleanup_runs += 1
            self._metrics.cleanup_duration.observe((self._clock.steady_ms() - began_ms) / 1000)

    async def _pass(self, wall_ms: int, report: Callable[[Decision[None]], None]) -> None:
        pace = self._new_pace(self._clock)
        due = await self._look(wall_ms, pace)
        for result in expirations(self._groups, due, wall_ms):
            if result is not None:
                self._accept(result)
                self._metrics.offsets_expired.mark(len(result.removed), self._clock.steady_ms())
                report(result)
            if pace.spend():
                await pace.rest()

    async def _look(self, wall_ms: int, pace: Budget) -> list[Due]:
        """Return the due offsets by partition of the log, so that tombstones of a partition share batches."""
        due: dict[int, list[Due]] = {}
        for found in due_groups(self._groups, wall_ms):
            if found is not None:
                due.setdefault(self._groups.partition_for(found.group_id), []).append(found)
            if pace.spend():
                await pace.rest()
        return [each for partition in sorted(due) for each in due[partition]]
