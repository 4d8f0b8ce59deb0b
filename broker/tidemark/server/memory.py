"""The memory for requests of all connections, from their first byte until their responses have left.

It is counted in bytes as Python holds them: a request that is decoded needs several times its bytes. If it is
used up, requests wait. Their connections are not read meanwhile, and not closed. Small requests have a
reserve, because they may release those that wait: a commit, a SyncGroup, a Produce. Kafka:
`queued.max.request.bytes`.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from tidemark.clock import Clock, Timer
from tidemark.core.decision import CloseConnection
from tidemark.engine.request import LongResponses
from tidemark.metrics.catalogue import BadInput
from tidemark.server.unsent import Unsent
from tidemark.turns import Turns
from tidemark.workers import trim_heap

if TYPE_CHECKING:
    from tidemark.server.connection import Connection

# Smaller requests are read in any case: ten thousand connections hold 160 MB of them.
ARRIVING_BYTES_MIN: Final = 16 * 1024
# Smaller requests are served in any case. With most elements one needs 50 KB: empty topics of 3 bytes.
SERVED_BYTES_MIN: Final = 1024
# Larger requests reserve memory before they are decoded. Smaller ones may use the reserve.
LARGE_BYTES: Final = 32 * 1024
RESERVE_PART: Final = 5  # the reserve is this part of the memory
# One emoji makes each other character of its string four bytes long.
TEXT_FACTOR: Final = 4
ELEMENT_BYTES: Final = 150  # of an array, without its texts: an object with some numbers
# The connection of a client that sends nothing for this long is closed if others wait for memory.
STALLED_MS: Final = 2000
# After a request that has needed so much, free memory goes back to the operating system.
TRIMMED_BYTES: Final = 32 * 1024 * 1024


class Memory:
    """Decides which requests may arrive and be served. bytes_max bounds the memory of all of them together.

    unsent: the responses that clients have not read. They count, too
    responses: the long ones that are being built. They count, and wait
    kept: what connections hold besides: parked small requests, bytes behind them, responses that wait
    """

    __slots__ = ("_arriving", "_bytes_max", "_clock", "_elements_max", "_held", "_reserve", "_responses",
                 "_serving", "_timer", "_turns", "_unsent", "_wait_for_reserve", "_wait_to_arrive",
                 "_wait_to_be_served", "kept")  # fmt: skip

    def __init__(
        self,
        bytes_max: int,
        elements_max: int,
        clock: Clock,
        unsent: Unsent,
        responses: LongResponses,
        turns: Turns,
    ) -> None:
        self._bytes_max = bytes_max
        self._reserve = bytes_max // RESERVE_PART
        self._elements_max = elements_max
        self._clock = clock
        self._unsent = unsent
        unsent.when_less = self._admit_waiting
        self._responses = responses
        responses.has_room = self._may_be_built
        self._turns = turns
        self.kept = 0
        self._held = 0  # the sum of the next two
        self._arriving: dict[Connection, int] = {}
        self._serving: dict[Connection, int] = {}
        self._wait_to_arrive: dict[Connection, int] = {}
        self._wait_to_be_served: dict[Connection, int] = {}
        self._wait_for_reserve: dict[Connection, int] = {}
        self._timer: Timer | None = None

    @property
    def total(self) -> int:
        return self._held + self.kept + self._unsent.total + self._responses.total

    def arrive(self, sender: Connection, size: int) -> bool:
        """Reserve memory for the bytes of a request. Return False if it must wait, until `admitted`."""
        if not (self._wait_to_arrive or self._wait_to_be_served) and self._may_arrive(size):
            self._begin_arriving(sender, size)
            return True
        self._wait_to_arrive[sender] = size
        self._watch()
        return False

    def serve(self, sender: Connection, size: int) -> bool:
        """Reserve memory to decode and serve a request that has arrived. Return False if it must wait."""
        self._wait_to_arrive.pop(sender, None)
        if size <= SERVED_BYTES_MIN or sender in self._serving:
            return True
        if size <= LARGE_BYTES:
            if self.total + size <= self._bytes_max + self._reserve:
                return True
            self._wait_for_reserve[sender] = size
        else:
            cost = size * (1 + TEXT_FACTOR) + min(size // 2, self._elements_max) * ELEMENT_BYTES
            if not self._wait_to_be_served and self._may_be_served(sender, cost):
                self._begin_serving(sender, cost)
                return True
            self._wait_to_be_served[sender] = cost
        self._watch()
        return False

    def has_bytes_of(self, sender: Connection) -> bool:
        """Return whether memory is reserved for the bytes of a request, which may wait to be served."""
        return sender in self._arriving

    def shrink_reservation(self, sender: Connection, cost: int) -> None:
        """Reserve only what a large request needs now that it is decoded."""
        reserved = self._serving.get(sender, 0)
        if cost < reserved:
            self._serving[sender] = cost
            self._held -= reserved - cost
            self._admit_waiting()

    def keep(self, change: int) -> None:
        """Count what a connection holds besides. change: positive or negative."""
        self.kept += change
        if change < 0:
            self._admit_waiting()

    def end(self, sender: Connection) -> None:
        """Release the memory: the response has been sent to the connection, or that is closed."""
        served = self._serving.pop(sender, 0)
        if served >= TRIMMED_BYTES:
            with suppress(RuntimeError):  # the worker has ended before the connections: the broker stops
                self._turns.in_worker(trim_heap, asyncio.Future.result)
        self._held -= self._arriving.pop(sender, 0) + served
        for waiting in (self._wait_to_arrive, self._wait_to_be_served, self._wait_for_reserve):
            waiting.pop(sender, None)
        self._admit_waiting()

    def _may_arrive(self, size: int) -> bool:
        """True if there is memory. A request of any size is admitted if no other large one holds memory."""
        return not (self._arriving or self._serving) or self.total + size <= self._bytes_max

    def _may_be_served(self, sender: Connection, cost: int) -> bool:
        """True if there is memory. A request of any size is served if no other large one is."""
        return not self._serving or self.total + cost - self._arriving.get(sender, 0) <= self._bytes_max

    def _may_be_built(self, size: int, *, is_alone: bool) -> bool:
        """True if there is memory for more of a long response. One is built if no other releases memory."""
        if self.total + size <= self._bytes_max or (is_alone and self._unsent.room()):
            return True
        self._watch()
        return False

    def _begin_arriving(self, sender: Connection, size: int) -> None:
        self._arriving[sender] = size
        self._held += size

    def _begin_serving(self, sender: Connection, cost: int) -> None:
        self._serving[sender] = cost
        self._held += cost - self._arriving.pop(sender, 0)

    def _admit_waiting(self) -> None:
        """Admit requests as far as there is memory: first those that have arrived, which then release it."""
        if self._responses.waiting:
            self._responses.admit()
        waiting = self._wait_for_reserve
        while waiting and self.total + waiting[_first(waiting)] <= self._bytes_max + self._reserve:
            sender = _first(waiting)
            del waiting[sender]
            sender.admitted()
        waiting = self._wait_to_be_served
        while waiting and self._may_be_served(_first(waiting), waiting[_first(waiting)]):
            sender = _first(waiting)
            self._begin_serving(sender, waiting.pop(sender))
            sender.admitted()
        if waiting:
            return
        waiting = self._wait_to_arrive
        while waiting and self._may_arrive(waiting[_first(waiting)]):
            sender = _first(waiting)
            self._begin_arriving(sender, waiting.pop(sender))
            sender.admitted()

    def _watch(self) -> None:
        if self._timer is None:
            self._timer = self._clock.call_at(self._clock.steady_ms() + STALLED_MS, self._close_stalled)

    def _close_stalled(self) -> None:
        """Close the connections of clients that have stopped sending, or reading, if others wait."""
        self._timer = None
        if self._responses.waiting:
            self._unsent.room()
            self._watch()
        if not (self._wait_to_arrive or self._wait_to_be_served or self._wait_for_reserve):
            return
        oldest_ms = self._clock.steady_ms() - STALLED_MS
        stalled = [each for each in self._arriving if each.reading and each.last_active_ms <= oldest_ms]
        for sender in stalled:
            sender.abort(CloseConnection("half a frame and silence while others wait", BadInput.IDLE))
        self._watch()


def memory_of(data: bytes, pos: int, end: int, elements: int) -> int:
    """Return the memory of a decoded request. data[pos:end] are its bytes."""
    size = end - pos
    # A look at more than a megabyte would take too long. Compressed records end it soon.
    has_wide = size > 1 << 20 or any(data.find(lead, pos, end) >= 0 for lead in b"\xf0\xf1\xf2\xf3\xf4")
    return size * (TEXT_FACTOR if has_wide else 2) + elements * ELEMENT_BYTES


def elements_of(message: Any) -> int:
    """Return the number of array elements in a message."""
    found = 0
    for attribute, nested in _ARRAYS[type(message)]:
        values = getattr(message, attribute)
        if values:
            found += len(values)
            if nested:
                found += sum(map(elements_of, values))
    return found


def has_more_elements(message: Any, limit: int) -> bool:
    """Return whether a message has more array elements than this. Looks at few more."""
    return _left_of(message, limit) < 0


def _left_of(message: Any, left: int) -> int:
    for attribute, nested in _ARRAYS[type(message)]:
        values = getattr(message, attribute)
        if values:
            left -= len(values)
            if nested:
                for value in values:
                    if left < 0:
                        break
                    left = _left_of(value, left)
    return left


class _Arrays(dict[type[Any], tuple[tuple[str, bool], ...]]):
    """The attributes of each type of message that are arrays, and whether their elements have arrays, too."""

    def __missing__(self, kind: type[Any]) -> tuple[tuple[str, bool], ...]:
        found = self[kind] = tuple(
            (attribute, inner is not None and bool(self[inner]))
            for _, attribute, wire_type, inner in getattr(kind, "FIELDS", ())
            if wire_type.startswith("[]")
        )
        return found


_ARRAYS: Final = _Arrays()


def _first(waiting: dict[Connection, int]) -> Connection:
    return next(iter(waiting))


__all__ = [
    "ARRIVING_BYTES_MIN",
    "LARGE_BYTES",
    "SERVED_BYTES_MIN",
    "Memory",
    "elements_of",
    "has_more_elements",
    "memory_of",
]
