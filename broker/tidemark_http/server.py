"""The HTTP port: bound at start, served from the first connection on.

uvicorn, starlette and prometheus-client need more time to import than the rest of the broker needs to start,
and most brokers of a test run never get an HTTP request. So the socket only listens until the first
connection. Then a worker thread imports the server, while the loop continues to serve Kafka clients.
"""

from __future__ import annotations

import asyncio
import socket
from importlib import import_module
from typing import TYPE_CHECKING, Final

from tidemark.platform import REUSES_ADDRESSES

if TYPE_CHECKING:
    from tidemark.node.node import Node
    from tidemark.server.certificates import Certificates
    from tidemark_http.serving import Serving  # which imports uvicorn

BACKLOG: Final = 64  # connections that wait to be accepted


class CannotServeHttp(Exception):
    """The port is in use, or the address is not local. The text is for the administrator."""


def http_server(node: Node) -> HttpServer | None:
    """Return the HTTP port of a node, None if tidemark.http.listener is empty. Raises ConfigError."""
    return None if node.env.config.http_address is None else HttpServer(node)


class HttpServer:
    """Call bind, then start on a running loop, then stop.

    token         requests must have it; None: they need none. `bind` makes one if none is set and other
                  machines can reach the address, unless tidemark.http.public is true
    certificates  of HTTP over TLS; None: HTTP without TLS
    """

    def __init__(self, node: Node) -> None:
        """Raises ConfigError for certificates that cannot be used."""
        config = node.env.config
        self.node = node
        self.token: str | None = config.tidemark_http_token
        self.certificates: Certificates | None = None
        if config.http_tls is not None:
            from tidemark.server.certificates import Certificates

            self.certificates = Certificates(config.http_tls, node.env.host.clock.steady_ms, node.env.logger)
        self._socket: socket.socket | None = None
        self._loading: asyncio.Task[None] | None = None
        self._serving: Serving | None = None

    @property
    def address(self) -> str:
        """host:port, with the port that was chosen if 0 was requested."""
        assert self._socket is not None, "not bound"
        host, port = self._socket.getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def bind(self) -> None:
        """Raises CannotServeHttp."""
        config = self.node.env.config
        assert config.http_address is not None
        host, port = config.http_address
        try:
            family, kind, _, _, address = socket.getaddrinfo(
                host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            bound = socket.socket(family, kind)
            try:
                if REUSES_ADDRESSES:
                    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                bound.bind(address)
                bound.listen(BACKLOG)
            except OSError:
                bound.close()
                raise
        except OSError as error:
            raise CannotServeHttp(
                f"cannot serve HTTP on {host}:{port} (tidemark.http.listener): {error.strerror or error}"
            ) from None
        bound.setblocking(False)
        self._socket = bound
        ip = str(address[0])
        if self.token is None and not config.tidemark_http_public and ip != "::1" and ip[:4] != "127.":
            self.token = self.node.env.host.ids.secret()
            self.node.env.logger.warning("HTTP needs a token", generated=self.token)

    def start(self) -> None:
        """Wait for the first connection, on the running loop."""
        assert self._socket is not None, "not bound"
        asyncio.get_running_loop().add_reader(self._socket, self._first_connection)

    def _first_connection(self) -> None:
        assert self._socket is not None
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._socket)
        self._loading = loop.create_task(self._load(self._socket))

    async def _load(self, bound: socket.socket) -> None:
        serving = await asyncio.to_thread(import_module, "tidemark_http.serving")
        self._serving = serving.Serving(self.node, self.token, self.certificates, BACKLOG)
        self._serving.start(bound)

    async def stop(self) -> None:
        """Finish short requests, then close the port."""
        if self._socket is None:
            return
        asyncio.get_running_loop().remove_reader(self._socket)
        if self._loading is not None:
            await asyncio.wait({self._loading})
        if self._serving is not None:
            await self._serving.stop()
        self._socket.close()
