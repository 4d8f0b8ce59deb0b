"""The HTTP port: bound at start, served from the first connection on.

uvicorn, starlette and prometheus-client take longer to import than the rest of the broker to start, and most
brokers of a test run never see an HTTP request. So the socket only listens until somebody comes; then a
worker thread imports what serves it, and the loop goes on with its Kafka clients meanwhile.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final

from tidemark.clock import Clock
from tidemark.metrics import Metrics

if TYPE_CHECKING:
    from tidemark.http.ports import Ports
    from tidemark.http.serving import Serving

BACKLOG: Final = 64


class CannotServeHttp(Exception):
    """The port is in use, or the address is not ours, or everyone's. The text is for the person who started
    the broker.
    """


class HttpServer:
    """bind, then start on a running loop, then stop.

    clock limits how long a client may take. why_not_alive and why_not_ready say what is wrong, or None where
    nothing is. public: other machines may reach it. hosts: the names that it has besides localhost, in lower
    case. ports(), asked at the first request, is what /v1 works on; None: there is no /v1.
    """

    def __init__(
        self,
        address: tuple[str, int],
        metrics: Metrics,
        *,
        clock: Clock,
        connections_max: int,
        why_not_alive: Callable[[], str | None],
        why_not_ready: Callable[[], str | None],
        public: bool = False,
        hosts: Collection[str] = (),
        ports: Callable[[], Ports] | None = None,
    ) -> None:
        self._asked = address
        self.metrics = metrics
        self.clock = clock
        self.connections_max = connections_max
        self.why_not_alive = why_not_alive
        self.why_not_ready = why_not_ready
        self.hosts = hosts
        self.ports = ports
        self._public = public
        self._socket: socket.socket | None = None
        self._loading: asyncio.Task[None] | None = None
        self._serving: Serving | None = None

    @property
    def address(self) -> str:
        """host:port, with the port that was free where 0 was asked for."""
        assert self._socket is not None, "not bound"
        host, port = self._socket.getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def bind(self) -> None:
        """Raises CannotServeHttp."""
        host, port = self._asked
        try:
            family, kind, _, _, where = socket.getaddrinfo(
                host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            if not self._public and not _is_loopback(str(where[0])):
                raise CannotServeHttp(
                    f"other machines can reach HTTP on {host}:{port} (tidemark.http.listener), which has no "
                    "password: set tidemark.http.public=true if that is meant"
                )
            self._socket = _bound(family, kind, where)
        except OSError as error:
            raise CannotServeHttp(
                f"cannot serve HTTP on {host}:{port} (tidemark.http.listener): {error.strerror or error}"
            ) from None

    def start(self) -> None:
        """Waits for the first connection, on the running loop."""
        assert self._socket is not None, "not bound"
        asyncio.get_running_loop().add_reader(self._socket, self._first_connection)

    def _first_connection(self) -> None:
        assert self._socket is not None
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._socket)
        self._loading = loop.create_task(self._load(self._socket))

    async def _load(self, bound: socket.socket) -> None:
        make_serving = await asyncio.to_thread(_import_serving)
        self._serving = make_serving(self)
        await self._serving.start(bound)

    async def stop(self) -> None:
        """Answers what was asked, if that is quick, and closes the port."""
        if self._socket is None:
            return
        asyncio.get_running_loop().remove_reader(self._socket)
        if self._loading is not None:
            await asyncio.wait({self._loading})
        if self._serving is not None:
            await self._serving.stop()
        self._socket.close()


def _import_serving() -> Callable[[HttpServer], Serving]:
    from tidemark.http.serving import Serving

    return Serving


def _is_loopback(ip: str) -> bool:
    return ip == "::1" or ip.startswith("127.")


def _bound(family: int, kind: int, where: object) -> socket.socket:
    bound = socket.socket(family, kind)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(where)  # type: ignore[arg-type]
        bound.listen(BACKLOG)
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound
