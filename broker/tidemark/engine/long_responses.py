"""The memory of long responses that are being built: it counts as memory for requests.

Three hundred clients that describe a large group at the same moment would otherwise have three hundred
responses in memory before the first one is sent. While memory is used up, only the oldest response is built.
One is encoded at a time. The next one follows once the connection has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from tidemark.engine.request import PendingResponse

ITEM_BYTES: Final = 200  # of an object in a response: a partition, a member
# Shorter responses are not counted: each is built in one turn, or two.
ITEMS_MIN: Final = 1000


class HasRoom(Protocol):
    def __call__(self, *, is_alone: bool) -> bool: ...


class LongResponses:
    """Decides which long responses may be built and encoded now.

    total               bytes of all of them
    kept                sizes of those that are encoded and wait until they are durable
    has_room(is_alone)  returns whether there is memory. is_alone: no other response would release any.
                        `Memory` in server/memory.py replaces it, and calls `admit` when there is more
    """

    __slots__ = ("_encoding", "_sizes", "_to_build", "_to_encode", "has_room", "kept", "total")

    def __init__(self) -> None:
        self.has_room: HasRoom = _always
        self.total = 0
        self._sizes: dict[PendingResponse, int] = {}  # oldest first
        self._to_build: dict[PendingResponse, Callable[[], None]] = {}
        self._to_encode: dict[PendingResponse, Callable[[], None]] = {}
        self._encoding: PendingResponse | None = None
        self.kept: dict[PendingResponse, int] = {}

    @property
    def waiting(self) -> int:
        return len(self._to_build) + len(self._to_encode)

    def grow(self, pending: PendingResponse, items: int) -> None:
        """Count the items of a response that is being built."""
        size = items * ITEM_BYTES
        self.total += size - self._sizes.get(pending, 0)
        self._sizes[pending] = size

    def build(self, pending: PendingResponse, go_on: Callable[[], None]) -> None:
        """Call go_on, now or when there is memory to continue with a response."""
        if pending not in self._sizes or self.has_room(is_alone=self._is_alone(pending)):
            go_on()
        else:
            self._to_build[pending] = go_on

    def encode(self, pending: PendingResponse, begin: Callable[[], None]) -> None:
        """Call begin, now or when this response may be encoded.

        It is encoded again, as an error, if the first one has a name that is too long.
        """
        if self._encoding is pending:
            begin()
            return
        self._sizes.setdefault(pending, 0)
        self._to_encode[pending] = begin
        self.admit()

    def keep(self, pending: PendingResponse, size: int) -> None:
        """Count a response that is encoded and not durable, until `sent`."""
        if pending in self._sizes:
            self.kept[pending] = size
            self.total += size

    def sent(self, pending: PendingResponse) -> None:
        if pending in self.kept:
            self.total -= self.kept.pop(pending)
            self.admit()

    def end(self, pending: PendingResponse) -> None:
        """Forget a response that its connection has, or whose connection is closed."""
        if pending in self._sizes:
            self.total -= self._sizes.pop(pending)
            self._to_build.pop(pending, None)
            self._to_encode.pop(pending, None)
            if self._encoding is pending:
                self._encoding = None
            self.admit()

    def admit(self) -> None:
        """Continue with the responses for which there is memory, and with those of closed connections."""
        while self._to_encode and self._encoding is None:
            pending = next(iter(self._to_encode))
            if not (self.has_room(is_alone=not self.kept) or pending.session.closed):
                break
            self._encoding = pending
            self._to_encode.pop(pending)()
        if not self._to_build:
            return
        oldest = next(iter(self._sizes))
        has_room = self.has_room(is_alone=False)
        for pending in [*self._to_build] if has_room else [oldest]:
            if pending in self._to_build and (
                has_room or pending.session.closed or self.has_room(is_alone=self._is_alone(pending))
            ):
                self._to_build.pop(pending)()

    def clear(self) -> None:
        """Forget all of them: the state on which they were decided is dropped."""
        self._sizes.clear()
        self._to_build.clear()
        self._to_encode.clear()
        self._encoding = None
        self.kept.clear()
        self.total = 0

    def _is_alone(self, pending: PendingResponse) -> bool:
        """Return whether no older response will be sent, and release memory, before this one is."""
        encoded = self._to_encode or self._encoding is not None or self.kept
        return not encoded and next(iter(self._sizes)) is pending


def _always(*, is_alone: bool) -> bool:
    return True


__all__ = ["LongResponses"]
