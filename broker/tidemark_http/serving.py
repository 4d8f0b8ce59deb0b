"""uvicorn on a socket that is already bound, in the broker's loop. Imported at the first connection only."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

import h11
import uvicorn

from tidemark import descriptors
from tidemark_http.app import build
from tidemark_http.connection import bounded
from tidemark_http.site import BACKLOG, Secure, Site

STOP_S: Final = 1.0
KEEP_ALIVE_S: Final = 5  # uvicorn's own default


class Serving:
    """A running HTTP server."""

    def __init__(self, site: Site, secure: Secure | None = None) -> None:
        """secure: puts TLS between the connections and their sockets."""
        connection = bounded(site.connections_max, site.clock)
        config = uvicorn.Config(
            build(site),
            http=cast(Any, connection if secure is None else secure(connection)),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            backlog=min(BACKLOG, descriptors.burst_max()),
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=1,
        )
        logging.getLogger("uvicorn.error").addFilter(_is_our_error)
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


def _is_our_error(record: logging.LogRecord) -> bool:
    """False for clients that do not send HTTP, and for a failure to respond to those."""
    error = record.exc_info[1] if record.exc_info else None
    return record.levelno >= logging.ERROR and not isinstance(error, h11.ProtocolError)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: cli/serve.py handles them."""
        yield
