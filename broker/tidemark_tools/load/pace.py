"""Limits a load to a number of records per second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

BATCHES_PER_S: Final = 100  # a limited load is sent in this many steps, so that it is even


class Pace:
    """per_s: records per second; not above 0: no limit."""

    def __init__(self, per_s: float, now_s: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._per_s = per_s
        self._now_s = now_s
        self._sleep = sleep
        self._began_s = now_s()

    def batch(self, most: int) -> int:
        """Return how many records to send at once, at most `most`."""
        return most if self._per_s <= 0 else max(1, min(most, int(self._per_s / BATCHES_PER_S)))

    def wait(self, sent: int) -> None:
        """Wait until so many records may have been sent."""
        if self._per_s > 0:
            early_s = sent / self._per_s - (self._now_s() - self._began_s)
            if early_s > 0:
                self._sleep(early_s)
