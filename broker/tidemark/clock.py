"""The clock: the only file that asks what time it is. Two timelines in whole milliseconds, never mixed.

Wall time is written down and compared with retention; steady time drives what the protocol waits for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    """Every part that needs time takes one of these."""

    def wall_ms(self) -> int:
        """Milliseconds since the epoch. Never runs backwards within a process."""

    def steady_ms(self) -> int:
        """Milliseconds since some fixed moment."""

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> Timer:
        """Runs callback on the loop once steady time has reached the given moment."""

    async def sleep_until(self, steady_ms: int) -> None: ...


class SystemClock:
    """Real time. When the host's clock is set back, wall time stands still until it is overtaken."""

    __slots__ = ("_wall_ms",)

    def __init__(self) -> None:
        self._wall_ms = 0

    def wall_ms(self) -> int:
        now = time.time_ns() // 1_000_000
        if now > self._wall_ms:
            self._wall_ms = now
        return self._wall_ms

    def steady_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000

    def call_at(self, steady_ms: int, callback: Callable[[], None]) -> Timer:
        delay_s = max(0.0, (steady_ms - self.steady_ms()) / 1000)
        return asyncio.get_running_loop().call_later(delay_s, callback)

    async def sleep_until(self, steady_ms: int) -> None:
        while (left := steady_ms - self.steady_ms()) > 0:
            await asyncio.sleep(left / 1000)
