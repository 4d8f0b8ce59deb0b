"""Removed committed offsets: counted, logged, and kept so that `/v1` can explain them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from tidemark.core.removal import Cause, Removal
from tidemark.metrics.registry import Metrics


class Removals:
    """The last `kept_max` removals, oldest first. `forgotten` counts the removals before these."""

    def __init__(self, metrics: Metrics, log: Any, kept_max: int) -> None:
        self._metrics = metrics
        self._log = log
        self._kept: deque[Removal] = deque(maxlen=kept_max)
        self.count = 0

    def __iter__(self) -> Iterator[Removal]:
        return iter(self._kept)

    @property
    def forgotten(self) -> int:
        return self.count - len(self._kept)

    def since(self, count: int) -> list[Removal]:
        """Return the removals after the first `count`, as far as they are kept."""
        skipped = max(count - self.forgotten, 0)
        return list(self._kept)[skipped:]

    def add(self, removed: tuple[Removal, ...]) -> None:
        self._kept.extend(removed)
        self.count += len(removed)
        metrics = self._metrics
        for removal in removed:
            metrics.offsets_removed[removal.cause] += 1
            if removal.cause is Cause.EXPIRED and removal.rule is not None:
                metrics.offset_expirations[removal.rule] += 1
            self._log.info(
                "offset removed", group=removal.group, topic=removal.topic, partition=removal.partition,
                offset=removal.offset, cause=removal.cause, rule=removal.rule, since_ms=removal.since_ms,
                due_ms=removal.due_ms,
            )  # fmt: skip
