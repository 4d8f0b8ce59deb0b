"""The HTTP port: bound at start, served from the first connection on.

uvicorn, starlette and prometheus-client need more time to import than the rest of the broker needs to start,
and most brokers of a test run never get an HTTP request. So the socket only listens until the first
connection. Then a worker thread imports the server, while the loop continues to serve Kafka clients.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tidemark_http.site import BACKLOG, Secure, Site

if TYPE_CHECKING:  # `serving` imports uvicorn
    from tidemark_http.serving import Serving


class CannotServeHttp(Exception):
    """The port is in use, or the address is not local. The text is for the administrator."""


class HttpServer:
    """Call bind, then start on a running loop, then stop.

    new_token(): makes a token if the site has none and other machines can reach the address. None: such an
        address needs no token.
    secure(connection class): returns what creates connections with TLS. None: HTTP without TLS.
    generated_token (after bind): that token.
    """

    def __init__(
        self,
        address: tuple[str, int],
        site: Site,
        new_token: Callable[[], str] | None = None,
        secure: Secure | None = None,
    ) -> None:
        self._secure = secure
        self._requested = address
        self._site = site
        self._new_token = new_token
        self.generated_token: str | None = None
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
        host, port = self._requested
        try:
            family, kind, _, _, address = socket.getaddrinfo(
                host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            self._socket = _bound(family, kind, address)
        except OSError as error:
            raise CannotServeHttp(
                f"cannot serve HTTP on {host}:{port} (tidemark.http.listener): {error.strerror or error}"
            ) from None
        if self._new_token and self._site.token is None and not _is_loopback(str(address[0])):
            self.generated_token = self._new_token()
            self._site = replace(self._site, token=self.generated_token)

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
        make_serving = await asyncio.to_thread(_import_serving)
        self._serving = make_serving(self._site, self._secure)
        await self._serving.start(bound)

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


def _import_serving() -> Callable[[Site, Secure | None], Serving]:
    from tidemark_http.serving import Serving

    return Serving


def _is_loopback(ip: str) -> bool:
    return ip == "::1" or ip.startswith("127.")


def _bound(family: int, kind: int, address: object) -> socket.socket:
    bound = socket.socket(family, kind)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)  # type: ignore[arg-type]
        bound.listen(BACKLOG)
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound
