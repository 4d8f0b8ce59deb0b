"""A request on its way: what the runtime decides and answers, and the connection knows the order of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, Protocol

from tidemark.core.result import CloseConnection
from tidemark.metrics.catalogue import Mark
from tidemark_protocol.wire import Bytes

Frame = bytes | list[Bytes]  # of a large one the pieces are sent as they are


class Api(Protocol):
    """What serves the request: server/session.py, `Served`."""

    route: Any
    version: int
    mark: Mark | None
    has_error_code: bool

    def frame(self, correlation_id: int, response: Any, bodies: dict[int, bytes] | None = None) -> Frame: ...
    def frame_in_steps(
        self, correlation_id: int, response: Any, bytes_max: int
    ) -> Generator[int, None, Frame]: ...


class Asker(Protocol):
    """Where the answer goes: server/session.py, `Session`."""

    closed: bool
    waiting_task: asyncio.Future[Any] | None
    ready: Callable[[], None]
    abort: Callable[[CloseConnection | None], None]
    refuse: Callable[[CloseConnection], None]

    def fill(self, pending: PendingResponse, frame: Frame) -> None: ...


class PendingResponse:
    """A request and the place of its answer. frame is None until it is answered; b"" is no answer.

    decoding: the body of a large request, which is still to be decoded, in steps. body is None until then.
    """

    __slots__ = ("answered", "body", "client_id", "correlation_id", "decoding", "frame", "served", "session")

    def __init__(
        self,
        session: Asker,
        served: Api,
        correlation_id: int,
        client_id: str,
        body: Any,
        decoding: Generator[int, None, Any] | None = None,
    ) -> None:
        self.session = session
        self.served = served
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.body = body
        self.decoding = decoding
        self.frame: Frame | None = None
        self.answered = False  # decided, though its frame may still wait for a sync

    @property
    def version(self) -> int:
        return self.served.version
