"""Pending requests: the coordinator decides their responses, and the connection keeps their order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, Protocol

from msgspec import Struct

from tidemark.core.decision import CloseConnection
from tidemark.metrics.catalogue import Mark
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
    """The API and version of a request: `Served` in server/session.py."""

    route: Any
    version: int
    mark: Mark | None
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
    def version(self) -> int:
        return self.served.version
