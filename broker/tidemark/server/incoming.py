"""The memory for large requests that are still arriving, across all connections.

A request is in memory from its first byte, and its client may be slow to send the rest. A bound on all of
them together keeps many half-sent requests from filling the memory. A connection whose request does not fit
is not read until others have arrived. Kafka: `queued.max.request.bytes`.
"""

from __future__ import annotations

from collections import deque
from typing import Final, Protocol

from tidemark.clock import Clock, Timer
from tidemark.core.result import CloseConnection
from tidemark.metrics.catalogue import BadInput

LARGE_BYTES: Final = 64 * 1024  # smaller requests are not counted: a thousand connections hold 64 MiB of them
# The connection of a client that sends nothing for this long is closed if others wait for memory.
STALLED_MS: Final = 2000


class Sender(Protocol):
    """A connection that sends a large request."""

    last_active_ms: int
    reading: bool  # False while the broker does not read it: then its silence does not count

    def admitted(self) -> None: ...
    def abort(self, reason: CloseConnection | None = None) -> None: ...


class Incoming:
    """Decides which connections may send a large request. bytes_max bounds all of them together."""

    __slots__ = ("_bytes_max", "_clock", "_held", "_timer", "_total", "_waiting")

    def __init__(self, bytes_max: int, clock: Clock) -> None:
        self._bytes_max = bytes_max
        self._clock = clock
        self._total = 0
        self._held: dict[Sender, int] = {}
        self._waiting: deque[tuple[Sender, int]] = deque()
        self._timer: Timer | None = None

    def begin(self, sender: Sender, size: int) -> bool:
        """Reserve memory for a request. Return False if it must wait; `admitted` is called later."""
        if not self._waiting and self._fits(size):
            self._admit(sender, size)
            return True
        self._waiting.append((sender, size))
        self._watch()
        return False

    def end(self, sender: Sender) -> None:
        """Release the memory: the request has arrived, or its connection is closed."""
        size = self._held.pop(sender, None)
        if size is not None:
            self._total -= size
        elif self._waiting:
            self._waiting = deque(each for each in self._waiting if each[0] is not sender)
        while self._waiting and self._fits(self._waiting[0][1]):
            waiting, size = self._waiting.popleft()
            self._admit(waiting, size)
            waiting.admitted()

    def _fits(self, size: int) -> bool:
        """True if there is memory. A request of any size is admitted if no other holds memory."""
        return not self._held or self._total + size <= self._bytes_max

    def _admit(self, sender: Sender, size: int) -> None:
        self._held[sender] = size
        self._total += size

    def _watch(self) -> None:
        if self._timer is None:
            self._timer = self._clock.call_at(self._clock.steady_ms() + STALLED_MS, self._close_stalled)

    def _close_stalled(self) -> None:
        """Close the connections of clients that have stopped sending, if others wait."""
        self._timer = None
        if not self._waiting:
            return
        oldest_ms = self._clock.steady_ms() - STALLED_MS
        stalled = [each for each in self._held if each.reading and each.last_active_ms <= oldest_ms]
        for sender in stalled:
            sender.abort(CloseConnection("half a frame and silence while others wait", BadInput.IDLE))
        self._watch()


__all__ = ["LARGE_BYTES", "Incoming", "Sender"]
