"""Functions to call once everything that was decided so far is durable."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from tidemark.runtime.journal import Journal


class AfterDurable:
    """Calls each function in a turn of its own or after a flush, never within `call`."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()

    def call(self, function: Callable[[], None]) -> None:
        """Call function once everything that is in the journal now is durable."""
        self._waiting.append((self._journal.appended, function))
        if self._journal.durable >= self._journal.appended:
            asyncio.get_running_loop().call_soon(self.run)

    def run(self) -> None:
        """Call the functions that are due. Called whenever the journal's durable count has risen."""
        while self._waiting and self._waiting[0][0] <= self._journal.durable:
            self._waiting.popleft()[1]()

    def stop(self) -> None:
        """Drop the functions that are not due yet."""
        self._waiting.clear()
