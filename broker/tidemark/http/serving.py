"""uvicorn on a socket that is bound already, inside the broker's loop. Imported at the first connection only.

uvicorn would take the signals and has no bound on idle connections; both are changed here.
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

from tidemark.http.app import build

if TYPE_CHECKING:
    from tidemark.http.server import HttpServer

STOP_S: Final = 1.0
KEEP_ALIVE_S: Final = 5  # uvicorn's own default
REQUEST_S: Final = 10.0  # how long a connection may take to send its first request
HEADER_BYTES_MAX: Final = 16 * 1024


class Serving:
    """A running HTTP server."""

    def __init__(self, http: HttpServer) -> None:
        config = uvicorn.Config(
            build(http),
            http=_bounded(http.connections_max),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=HEADER_BYTES_MAX,
        )
        logging.getLogger("uvicorn.error").addFilter(_is_ours_to_know)
        self._server = _Server(config)
        self._task: asyncio.Task[None] | None = None

    async def start(self, bound: socket.socket) -> None:
        self._task = asyncio.get_running_loop().create_task(self._server.serve(sockets=[bound]))

    async def stop(self) -> None:
        if self._task is None:
            return
        self._server.should_exit = True
        _, late = await asyncio.wait({self._task}, timeout=STOP_S)
        if late:
            self._task.cancel()


def _is_ours_to_know(record: logging.LogRecord) -> bool:
    """Not what a client sent that is no HTTP, nor that it could not be answered then."""
    error = record.exc_info[1] if record.exc_info else None
    return record.levelno >= logging.ERROR and not isinstance(error, h11.ProtocolError)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The broker has its own way to stop."""
        yield


def _bounded(connections_max: int) -> type[H11Protocol]:
    class Bounded(H11Protocol):
        """Closes a connection that is one too many, or that says nothing."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > connections_max:
                transport.close()
            else:
                self._silence = self.loop.call_later(REQUEST_S, self._close_if_silent)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            if (silence := getattr(self, "_silence", None)) is not None:
                silence.cancel()

        def _close_if_silent(self) -> None:
            if getattr(self, "cycle", None) is None:
                self.transport.close()

    return Bounded
