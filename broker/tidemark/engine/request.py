"""Pending requests: the coordinator decides their responses, and the connection keeps their order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, Final, Protocol

from msgspec import Struct

from tidemark.core.decision import CloseConnection
from tidemark.metrics.catalogue import MeterRule
from tidemark_protocol.wire import Bytes

Frame = bytes | list[Bytes]  # a large response is sent in pieces
Work = Callable[[], Any]  # runs in a worker thread


def size_of(frame: Frame) -> int:
    """Return the size of a frame in bytes."""
    return sum(map(len, frame)) if isinstance(frame, list) else len(frame)


def joined(frame: Frame) -> bytes:
    """Return a frame in one piece."""
    return b"".join(frame) if isinstance(frame, list) else frame


class Api(Protocol):
    """The API and version of a request: `ServedVersion` in server/session.py."""

    route: Any
    version: int
    meter_rule: MeterRule | None
    has_error_code: bool

    def frame(self, correlation_id: int, response: Any, bodies: dict[int, bytes] | None = None) -> Frame: ...
    def long_frame(
        self, correlation_id: int, response: Any, bytes_max: int, bodies: dict[int, bytes] | None = None
    ) -> Generator[Work, Any, Frame]: ...


class Requester(Protocol):
    """The connection that gets the response: `Session` in server/session.py."""

    waiting_task: asyncio.Future[Any] | None
    unsent: int  # bytes of responses that have not left

    @property
    def abort(self) -> Callable[[CloseConnection | None], None]: ...
    @property
    def refuse(self) -> Callable[[CloseConnection | None], None]: ...
    @property
    def closed(self) -> bool: ...

    def ready(self) -> None: ...
    def fill(self, pending: PendingRequest, frame: Frame, *, was_held: bool = False) -> None: ...
    def dropped(self) -> None: ...


class PendingRequest(Struct, eq=False):
    """A request and its response. frame is None until there is one; b"" means that none is sent.

    size: of the request with its header, in bytes
    decoding: decodes the body of a long request, in a worker thread. body is None until then.
    is_long: the request has many elements
    entry: its entry in the journal of requests, if there is one, until the response leaves
    """

    session: Requester
    served: Api
    correlation_id: int
    client_id: str
    body: Any
    size: int
    decoding: Callable[[], tuple[Any, int]] | None = None
    is_long: bool = False
    entry: Any = None
    frame: Frame | None = None
    answered: bool = False  # its frame may still wait for a sync

    @property
    def api_version(self) -> int:
        return self.served.version


ITEM_BYTES: Final = 200  # of an object in a response: a partition, a member
# Shorter responses are not counted: each is built in one turn, or two.
ITEMS_MIN: Final = 1000


class LongResponses:
    """Decides which long responses may be built and encoded now.

    total               bytes of all of them
    kept                sizes of those that are encoded and wait until they are durable
    has_room(size, is_alone)  returns whether there is memory for so many bytes more. is_alone: no other
                        response would release any. `Memory` in server/memory.py replaces this function, and
                        calls `admit` when there is more memory
    """

    __slots__ = ("_encoding", "_sizes", "_to_build", "_to_encode", "has_room", "kept", "total")

    def __init__(self) -> None:
        self.has_room: Callable[..., bool] = lambda size, *, is_alone: True
        self.total = 0
        self._sizes: dict[PendingRequest, int] = {}  # oldest first
        self._to_build: dict[PendingRequest, tuple[int, Callable[[], None]]] = {}  # with their next sizes
        self._to_encode: dict[PendingRequest, Callable[[], None]] = {}
        self._encoding: PendingRequest | None = None
        self.kept: dict[PendingRequest, int] = {}

    @property
    def waiting(self) -> int:
        return len(self._to_build) + len(self._to_encode)

    def grow(self, pending: PendingRequest, items: int, go_on: Callable[[], None] | None) -> bool:
        """Count the items of a response that is being built.

        Return False if there is no memory for them: they are counted later, and go_on is called then.
        None: it cannot wait.
        """
        size = items * ITEM_BYTES
        self._sizes.setdefault(pending, 0)
        if go_on is None or self._has_room(pending, size):
            self._count(pending, size)
            return True
        self._to_build[pending] = size, go_on
        return False

    def encode(self, pending: PendingRequest, begin: Callable[[], None]) -> None:
        """Call begin, now or when this response may be encoded.

        It is encoded again, as an error, if the first one has a name that is too long.
        """
        if self._encoding is pending:
            begin()
            return
        self._sizes.setdefault(pending, 0)
        self._to_encode[pending] = begin
        self.admit()

    def keep(self, pending: PendingRequest, size: int) -> None:
        """Count a response that is encoded and not durable, until `sent`."""
        if pending in self._sizes:
            self.kept[pending] = size
            self.total += size

    def sent(self, pending: PendingRequest) -> None:
        if pending in self.kept:
            self.total -= self.kept.pop(pending)
            self.admit()

    def end(self, pending: PendingRequest) -> None:
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
            if not (self.has_room(0, is_alone=not self.kept) or pending.session.closed):
                break
            self._encoding = pending
            self._to_encode.pop(pending)()
        while self._to_build:
            oldest = next(iter(self._sizes))
            pending = oldest if oldest in self._to_build else next(iter(self._to_build))
            size, go_on = self._to_build[pending]
            if pending.session.closed:  # it ends now
                size = self._sizes[pending]
            elif not self._has_room(pending, size):
                break
            del self._to_build[pending]
            self._count(pending, size)
            go_on()

    def clear(self) -> None:
        """Forget all of them: the state on which they were decided is dropped."""
        self._sizes.clear()
        self._to_build.clear()
        self._to_encode.clear()
        self._encoding = None
        self.kept.clear()
        self.total = 0

    def _count(self, pending: PendingRequest, size: int) -> None:
        self.total += size - self._sizes[pending]
        self._sizes[pending] = size

    def _has_room(self, pending: PendingRequest, size: int) -> bool:
        """Return whether a response may become so large: there is memory, or nothing older releases any."""
        encoded = self._to_encode or self._encoding is not None or self.kept
        is_alone = not encoded and next(iter(self._sizes)) is pending
        return self.has_room(size - self._sizes[pending], is_alone=is_alone)
