"""The cleanup pass over committed offsets (KIP-211): what `retention` says is due goes, with its tombstones.

A pass looks first and writes then, a slice in each turn of the loop, so that a million offsets stall nobody.
It is about its own moment: what it finds is rechecked when it is written, and what becomes due meanwhile
waits for the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from tidemark.clock import Clock
from tidemark.core.removal import Removal
from tidemark.core.result import Result
from tidemark.groups.events import DueBound
from tidemark.groups.expirations import Due, deleted_group, due_groups, expirations
from tidemark.groups.state import Groups
from tidemark.metrics.registry import Metrics
from tidemark.turns import Budget, Pace


@dataclass(slots=True)
class Expired:
    """What one pass removed."""

    offsets: list[Removal] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def add(self, result: Result[None]) -> None:
        self.offsets += result.removed
        names = map(deleted_group, result.records)
        self.groups += [name for name in names if name is not None]


class OffsetExpiry:
    """accept(result) writes down what was decided about groups. One pass runs at a time.

    new_pace(clock) says when it leaves the loop to others.
    """

    def __init__(
        self,
        groups: Groups,
        clock: Clock,
        metrics: Metrics,
        accept: Callable[[Result[None]], None],
        new_pace: Callable[[Clock], Budget] = Pace,
    ) -> None:
        self._groups = groups
        self._clock = clock
        self._metrics = metrics
        self._accept = accept
        self._new_pace = new_pace
        self._one_at_a_time = asyncio.Lock()

    async def run(self, wall_ms: int | None = None) -> Expired:
        """One pass at this wall time. None: now."""
        expired = Expired()
        await self._run(wall_ms, expired.add)
        return expired

    async def run_scheduled(self) -> None:
        """One pass now. Nobody asks what it removed: of a million offsets that would be 200 MB."""
        await self._run(None, lambda _: None)

    async def _run(self, wall_ms: int | None, tell: Callable[[Result[None]], None]) -> None:
        async with self._one_at_a_time:
            began_ms = self._clock.steady_ms()
            await self._pass(self._clock.wall_ms() if wall_ms is None else wall_ms, tell)
            self._metrics.cleanup_runs += 1
            self._metrics.cleanup_duration.observe((self._clock.steady_ms() - began_ms) / 1000)

    async def _pass(self, wall_ms: int, tell: Callable[[Result[None]], None]) -> None:
        pace = self._new_pace(self._clock)
        due = await self._look(wall_ms, pace)
        for result in expirations(self._groups, due, wall_ms):
            if result is not None:
                self._accept(result)
                self._metrics.offsets_expired.mark(len(result.removed), self._clock.steady_ms())
                tell(result)
            if pace.spend():
                await pace.rest()

    async def _look(self, wall_ms: int, pace: Budget) -> list[Due]:
        """Groups of one partition of the log stand together, and so will their tombstones."""
        due: dict[int, list[Due]] = {}
        for found in due_groups(self._groups, wall_ms):
            if isinstance(found, DueBound):
                self._accept(Result(events=(found,)))
            elif found is not None:
                due.setdefault(self._groups.partition_for(found.group_id), []).append(found)
            if pace.spend():
                await pace.rest()
        return [each for partition in sorted(due) for each in due[partition]]
