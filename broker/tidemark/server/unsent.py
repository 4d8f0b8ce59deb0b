"""The memory for responses that clients have not read yet, across all connections.

A client that requests much and never reads uses memory until its connection is closed as idle. Each
connection has a bound of its own. The bound here is for all of them together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tidemark.core.decision import CloseConnection
from tidemark.late_dataclass import dataclass
from tidemark.metrics.catalogue import BadInput

if TYPE_CHECKING:
    from tidemark.server.connection import Connection

# The connection of a client that reads nothing for this long is closed if memory is short.
STALLED_MS: Final = 1000
HARD_LIMIT: Final = 2  # times the bound: beyond it, a connection that needs more is closed at once


@dataclass(slots=True)
class _Backlog:
    size: int
    since_ms: int  # the client has read nothing since then


class Unsent:
    """Accounts for the responses to slow readers.

    bytes_max: above it, Fetch reads one batch only, and the connections of stalled readers are closed.
    when_less: called when clients have read something
    """

    __slots__ = ("_backlogs", "_bytes_max", "_reserved", "_steady_ms", "total", "when_less")

    def __init__(self, bytes_max: int, steady_ms: Callable[[], int]) -> None:
        self._bytes_max = bytes_max
        self._steady_ms = steady_ms
        self._backlogs: dict[Connection, _Backlog] = {}
        self._reserved = 0
        self.total = 0  # of all backlogs
        self.when_less: Callable[[], None] = _nothing

    def room(self) -> int:
        """Return how many bytes of records a response may still read."""
        if self.total + self._reserved >= self._bytes_max:
            self._relieve()
        return max(0, self._bytes_max - self.total - self._reserved)

    def reserve(self, size: int) -> None:
        """Count bytes of a response that its connection does not have yet. Negative: release them."""
        self._reserved += size

    def update(self, reader: Connection) -> None:
        """Measure a connection again: it has written, or its client has read."""
        size = reader.unsent_bytes()
        backlog = self._backlogs.get(reader)
        if backlog is None:
            if not size:
                return
            backlog = self._backlogs[reader] = _Backlog(0, self._steady_ms())
        self.total += size - backlog.size
        if size < backlog.size:
            backlog.since_ms = self._steady_ms()
            self.when_less()
        backlog.size = size
        if not size:
            del self._backlogs[reader]
        elif self.total > self._bytes_max:
            self._relieve()
            if self.total > HARD_LIMIT * self._bytes_max:
                self._close(reader)

    def forget(self, reader: Connection) -> None:
        """Forget a connection that is closed."""
        backlog = self._backlogs.pop(reader, None)
        if backlog is not None:
            self.total -= backlog.size
            self.when_less()

    def _relieve(self) -> None:
        """Close connections of stalled readers, longest stalled first, until the others fit."""
        now_ms = self._steady_ms()
        for reader, backlog in self._backlogs.items():
            size = reader.unsent_bytes()
            if size < backlog.size:
                backlog.since_ms = now_ms
            self.total += size - backlog.size
            backlog.size = size
        stalled = sorted(
            (each for each in self._backlogs.items() if now_ms - each[1].since_ms >= STALLED_MS),
            key=lambda each: each[1].since_ms,
        )
        for reader, _ in stalled:
            if self.total <= self._bytes_max:
                return
            self._close(reader)

    def _close(self, reader: Connection) -> None:
        unsent = self._backlogs[reader].size
        self.forget(reader)
        reader.abort(
            CloseConnection(f"the client does not read its responses: {unsent} bytes", BadInput.UNREAD)
        )


def _nothing() -> None:
    pass


__all__ = ["Unsent"]
