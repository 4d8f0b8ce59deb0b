"""uvicorn on a socket that is already bound, in the broker's loop. Imported at the first connection only.

uvicorn limits neither the time that a client may take to send a request or to read a response, nor the number
of connections. A client that keeps a connection without using it could keep all of them, and `/livez` would
be unreachable. So a connection here never waits for its client without a limit.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tidemark import descriptors
from tidemark.clock import Clock, Timer
from tidemark.descriptors import http_connections_max
from tidemark.node.node import Node
from tidemark_http.app import build

if TYPE_CHECKING:
    from tidemark.server.certificates import Certificates  # which imports ssl

HEADER_BYTES_MAX: Final = 16 * 1024
CLIENT_MS: Final = 15_000  # longer than BODY_S_MAX, so that a slow body gets its 408
STOP_S: Final = 1.0
KEEP_ALIVE_S: Final = 5  # uvicorn's own default


class Serving:
    """A running HTTP server."""

    def __init__(
        self, node: Node, token: str | None, certificates: Certificates | None, backlog: int
    ) -> None:
        """backlog: the number of connections that may wait to be accepted."""
        limits = {"clock": node.env.host.clock, "connections_max": http_connections_max(node.env.config)}
        connection: Any = type("BoundedConnection", (Connection,), limits)
        if certificates is not None:
            from tidemark_http.tls import HttpOverTls

            connection = HttpOverTls(connection, node, certificates)
        config = uvicorn.Config(
            build(node, token),
            http=connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            backlog=min(backlog, descriptors.burst_max()),
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=1,
        )
        logging.getLogger("uvicorn.error").addFilter(_is_our_error)
        self._server = _Server(config)
        self._task: asyncio.Task[None] | None = None

    def start(self, bound: socket.socket) -> None:
        self._task = asyncio.get_running_loop().create_task(self._server.serve(sockets=[bound]))

    async def stop(self) -> None:
        if self._task is None:
            return
        self._server.should_exit = True
        _, late = await asyncio.wait({self._task}, timeout=STOP_S)
        if late:
            self._task.cancel()


def _is_our_error(record: logging.LogRecord) -> bool:
    """False for clients that do not send HTTP, and for a failure to respond to those."""
    error = record.exc_info[1] if record.exc_info else None
    return record.levelno >= logging.ERROR and not isinstance(error, h11.ProtocolError)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: tidemark_tools/serve.py handles them."""
        yield


Wait = tuple[str, object]


class _Parser(h11.Connection):
    """h11's parser, whose errors leave no reference cycle.

    h11 raises some of them from a method of the error itself: its traceback refers to a frame that refers to
    it, and the frames below keep the connection.
    """

    def next_event(self) -> Any:
        try:
            return super().next_event()
        except h11.RemoteProtocolError as error:
            error.__traceback__ = None
            text, status = str(error), error.error_status_hint
        raise h11.RemoteProtocolError(text, status)


class Connection(H11Protocol):
    """Closes itself if its client makes no progress for CLIENT_MS: with a request, its body, or reading a
    response.

    One connection more than connections_max closes the one that has waited longest for its client. If none
    waits, the new one is closed, and the oldest ends with the response that it is working on.
    """

    clock: Clock
    connections_max: int
    _opened_ms = 0
    _waits_for: Wait | None = None
    _waits_since_ms = 0
    _unsent_bytes = 0
    _limit: Timer | None = None
    _aborted = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn = _Parser(h11.SERVER, HEADER_BYTES_MAX)

    # uvicorn and the transport call these methods.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._opened_ms = self.clock.steady_ms()
        self._look()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_limit()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def eof_received(self) -> None:
        super().eof_received()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    # Limits.

    def _look(self) -> None:
        """Start the limit anew if the connection now waits for something else."""
        waits_for = self._what_it_waits_for()
        if waits_for == self._waits_for:
            return
        self._stop_limit()
        self._waits_for = waits_for
        if waits_for is not None:
            self._waits_since_ms = self.clock.steady_ms()
            self._start_limit()

    def _what_it_waits_for(self) -> Wait | None:
        """Return the next action that the client must take, and the request. None if the broker must act."""
        cycle: Any = self.cycle
        if self._aborted or self not in self.connections:
            return None
        if self.transport.is_closing():
            return "read the rest", None
        if self.flow.write_paused:
            return "read", cycle
        if cycle is None or cycle.response_complete:
            return "send a request", cycle
        return ("send the body", cycle) if cycle.more_body else None

    def _start_limit(self) -> None:
        self._unsent_bytes = self.transport.get_write_buffer_size()
        self._limit = self.clock.call_at(self.clock.steady_ms() + CLIENT_MS, self._limit_reached)

    def _stop_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _limit_reached(self) -> None:
        if self.transport.get_write_buffer_size() < self._unsent_bytes:
            self._start_limit()  # it reads, slowly
        else:
            self._abort()

    def _make_room(self) -> None:
        others = [each for each in self.connections if isinstance(each, Connection) and each is not self]
        others = [each for each in others if not each._aborted]
        if len(others) < self.connections_max:
            return
        for each in others:
            each._look()
        waiting = [each for each in others if each._waits_for is not None]
        if waiting:
            min(waiting, key=lambda each: each._waits_since_ms)._abort()
            return
        min(others, key=lambda each: each._opened_ms).cycle.keep_alive = False
        self._abort()

    def _abort(self) -> None:
        """`close` would wait until the client has read everything."""
        self._aborted = True
        self._look()
        self.transport.abort()
