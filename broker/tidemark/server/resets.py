"""Notices that clients reset connections from which the broker does not read.

Neither asyncio nor uvloop reports the end of a connection that is not read: one whose request waits with more
than a few bytes behind it, or whose client has closed its sending half.
"""

from __future__ import annotations

import select
from typing import Final, Protocol

from tidemark.clock import Clock, Timer

CHECK_MS: Final = 500


class Unread(Protocol):
    """A connection that is not read."""

    def fileno(self) -> int:
        """Return the descriptor of its socket. Below 0: it has none."""

    def abort(self) -> None: ...


class Resets:
    """Asks the kernel about all unread connections, in one call for each CHECK_MS."""

    __slots__ = ("_clock", "_timer", "_unread")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._unread: dict[Unread, None] = {}
        self._timer: Timer | None = None

    def watch(self, connection: Unread) -> None:
        if connection.fileno() >= 0:
            self._unread[connection] = None
            self._check_later()

    def forget(self, connection: Unread) -> None:
        self._unread.pop(connection, None)

    def stop(self) -> None:
        self._unread.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_later(self) -> None:
        if self._timer is None:
            self._timer = self._clock.call_at(self._clock.steady_ms() + CHECK_MS, self._check)

    def _check(self) -> None:
        self._timer = None
        poll = select.poll()
        by_descriptor = {connection.fileno(): connection for connection in self._unread}
        by_descriptor.pop(-1, None)
        for descriptor in by_descriptor:
            poll.register(descriptor, 0)  # a reset is reported anyway, the end of input is not
        for descriptor, _ in poll.poll(0):
            by_descriptor[descriptor].abort()
        if self._unread:
            self._check_later()
