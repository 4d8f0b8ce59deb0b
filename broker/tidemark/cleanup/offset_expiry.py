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

    async def run(self, wall_ms: int | None = None, *, collect: bool = True) -> Expired:
        """Run one pass for this wall time. None: now.

        collect: return what the pass removes. A million offsets need 200 MB.
        """
        groups, metrics, clock = self._groups, self._metrics, self._clock
        expired = Expired()
        async with self._one_at_a_time:
            began_ms = clock.steady_ms()
            if wall_ms is None:
                wall_ms = clock.wall_ms()
            pace = self._new_pace(clock)
            due: dict[int, list[Due]] = {}  # by partition of the log: its tombstones share batches
            for found in due_groups(groups, wall_ms):
                if found is not None:
                    due.setdefault(groups.partition_for(found.group_id), []).append(found)
                if pace.spend():
                    await pace.rest()
            in_order = [each for partition in sorted(due) for each in due.pop(partition)]
            for result in expirations(groups, in_order, wall_ms):
                if result is not None:
                    self._accept(result)
                    metrics.offsets_expired.mark(len(result.removed), clock.steady_ms())
                    if collect:
                        expired.offsets += result.removed
                        names = map(deleted_group, result.records)
                        expired.groups += [name for name in names if name is not None]
                if pace.spend():
                    await pace.rest()
            metrics.cleanup_runs += 1
            metrics.cleanup_duration.observe((clock.steady_ms() - began_ms) / 1000)
        return expired
