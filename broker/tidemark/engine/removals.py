"""Removed committed offsets: counted, logged, and kept so that `/v1` can explain them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from sys import getsizeof
from typing import Any, Final

from tidemark.core.log_text import short
from tidemark.core.removal import Cause, Removal
from tidemark.metrics.registry import Metrics

# Ten thousand removals with usual names need a fifth of it. The id of a group may have 32 KB, and the
# metadata of an offset 4 KB, which one emoji makes four times as large.
BYTES_MAX: Final = 32_000_000
REMOVAL_BYTES: Final = 500  # without its texts


class Removals:
    """The last `kept_max` removals, as far as memory allows, oldest first.

    `forgotten` counts the removals before these.
    """

    def __init__(self, metrics: Metrics, log: Any, kept_max: int) -> None:
        self._metrics = metrics
        self._log = log
        self._kept: deque[Removal] = deque()
        self._kept_max = kept_max
        self._bytes = 0
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
        self._bytes += sum(map(_bytes_of, removed))
        while len(self._kept) > self._kept_max or self._bytes > BYTES_MAX:
            self._bytes -= _bytes_of(self._kept.popleft())
        self.count += len(removed)
        metrics = self._metrics
        for removal in removed:
            metrics.offsets_removed[removal.cause] += 1
            if removal.cause is Cause.EXPIRED and removal.rule is not None:
                metrics.offset_expirations[removal.rule] += 1
            self._log.info(
                "offset removed", group=short(removal.group), topic=removal.topic,
                partition=removal.partition, offset=removal.offset, cause=removal.cause, rule=removal.rule,
                since_ms=removal.since_ms, due_ms=removal.due_ms,
            )  # fmt: skip


def _bytes_of(removal: Removal) -> int:
    return REMOVAL_BYTES + getsizeof(removal.group) + getsizeof(removal.topic) + getsizeof(removal.metadata)
