"""How long the garbage collector stops the process."""

from __future__ import annotations

import gc
from collections.abc import Callable

from tidemark.metrics.registry import Metrics


class PauseWatch:
    """Measures the collections of this process, from start() to stop(). now_ns returns steady time."""

    __slots__ = ("_began_ns", "_metrics", "_now_ns")

    def __init__(self, metrics: Metrics, now_ns: Callable[[], int]) -> None:
        self._metrics = metrics
        self._now_ns = now_ns
        self._began_ns = 0

    def start(self) -> None:
        gc.callbacks.append(self.collected)

    def stop(self) -> None:
        if self.collected in gc.callbacks:
            gc.callbacks.remove(self.collected)

    def collected(self, phase: str, info: dict[str, int]) -> None:
        """Note the beginning or the end of a collection. Collections are never nested."""
        if phase == "start":
            self._began_ns = self._now_ns()
        elif self._began_ns:
            self._metrics.gc_pause.observe((self._now_ns() - self._began_ns) / 1e9)
