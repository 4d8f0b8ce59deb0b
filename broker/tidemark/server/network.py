"""The network: ports, and the transports of their connections.

The simulation has a network of its own, in memory.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol

from tidemark import descriptors
from tidemark.late_dataclass import dataclass
from tidemark.platform import REUSES_ADDRESSES
from tidemark_protocol.wire import Bytes

if TYPE_CHECKING:
    from tidemark.security.sasl import SaslListener
    from tidemark.server.certificates import Certificates

BACKLOG: Final = 1024


class CannotListen(Exception):
    """A port is in use, or an address is not one of this host. The text is for the user."""


@dataclass(slots=True, frozen=True)
class Address:
    """The addresses that a listener binds and advertises.

    node_id          the node that it reaches
    host             "" binds every address
    advertised_host  None advertises the local address of each connection
    protocol         the security protocol
    sasl             None: clients need not authenticate
    tls              None: without TLS
    """

    name: str
    host: str
    port: int
    advertised_host: str | None = None
    advertised_port: int | None = None
    protocol: str = "PLAINTEXT"
    sasl: SaslListener | None = None
    tls: Certificates | None = None
    node_id: int = 1


class Transport(Protocol):
    """The part of asyncio.Transport that a connection needs."""

    def get_extra_info(self, name: str, default: Any = None) -> Any: ...
    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...
    def get_write_buffer_size(self) -> int: ...
    def write(self, data: Bytes) -> None: ...
    def writelines(self, list_of_data: Iterable[Bytes]) -> None: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def is_closing(self) -> bool: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...


class Port(ABC):
    """A port that is bound. Clients that connect to it wait until it accepts."""

    number: int
    refuses: bool = False

    @abstractmethod
    async def accept(self, new_protocol: Callable[[], asyncio.Protocol]) -> asyncio.AbstractServer:
        """Accept connections from now on, each with a new protocol."""

    def pause(self) -> None:  # noqa: B027  # most have nothing to do
        """Accept no further connection. Those that are being accepted get their protocols."""

    @abstractmethod
    def duplicate(self) -> Port:
        """Return the same port, which stays bound when this one closes."""

    @abstractmethod
    def refuse(self) -> None:
        """Refuse connections until the port accepts them again. It stays bound, and must be closed."""

    @abstractmethod
    def close(self) -> None: ...


class Network(ABC):
    """The ports of a host."""

    @abstractmethod
    def bind(self, address: Address) -> Port:
        """Raises CannotListen."""


class SystemNetwork(Network):
    """Sockets of the operating system."""

    def bind(self, address: Address) -> Port:
        return SystemPort(bind(address))


class SystemPort(Port):
    def __init__(self, bound: socket.socket) -> None:
        self._socket = bound
        self.number = bound.getsockname()[1]

    async def accept(self, new_protocol: Callable[[], asyncio.Protocol]) -> asyncio.AbstractServer:
        # asyncio accepts as many connections as its backlog before it calls their protocols. More may wait
        # in the kernel.
        self.refuses = False
        accepting = await asyncio.get_running_loop().create_server(
            new_protocol, sock=self._socket, backlog=descriptors.burst_max()
        )
        self._socket.listen(BACKLOG)
        return accepting

    def pause(self) -> None:
        # asyncio accepts a connection in one turn, and makes its transport in the next one. If the server
        # closes in between, this fails, and nobody closes the connection.
        loop = asyncio.get_running_loop()
        if isinstance(loop, asyncio.SelectorEventLoop) and self._socket.fileno() >= 0:
            loop.remove_reader(self._socket)

    def duplicate(self) -> Port:
        return SystemPort(self._socket.dup())

    def refuse(self) -> None:
        old = self._socket
        with suppress(OSError):  # the listening socket may have been closed already
            old.shutdown(socket.SHUT_RDWR)
        # Linux forgets the number of a port that was any free one.
        address = old.getsockname()[0], self.number
        old.close()
        self._socket = _bound(old.family, address, dual=address[0] == "::")
        self.refuses = True

    def close(self) -> None:
        self._socket.close()


def bind(address: Address) -> socket.socket:
    """Return a socket that is bound to an address. Port 0 is any free one. It does not listen yet.

    Raises CannotListen.
    """
    if address.host in ("", "0.0.0.0"):  # in Java, both are the wildcard address of IPv6
        candidates: list[tuple[int, Any]] = [
            (socket.AF_INET6, ("::", address.port)),
            (socket.AF_INET, ("0.0.0.0", address.port)),
        ]
        if not socket.has_dualstack_ipv6():
            del candidates[0]
    else:
        try:
            found = socket.getaddrinfo(
                address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
        except OSError as error:
            raise CannotListen(
                f"listener {address.name}: {address.host} is not an address of this host: {error}"
            ) from None
        candidates = [(found[0][0], found[0][4])]
    for number, (family, socket_address) in enumerate(candidates):
        try:
            # As in Java, the wildcard address of IPv6 accepts IPv4 clients, too.
            return _bound(family, socket_address, dual=socket_address[0] == "::")
        except OSError as error:
            # A host may know IPv6 and have it switched off.
            if number + 1 == len(candidates) or error.errno == errno.EADDRINUSE:
                place = f"{address.host or '0.0.0.0'}:{address.port}"
                raise CannotListen(
                    f"cannot listen on {place} ({address.name}): {error.strerror or error}"
                ) from None
    raise AssertionError("no address to listen on")


def _bound(family: int, socket_address: Any, *, dual: bool) -> socket.socket:
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        if REUSES_ADDRESSES:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if dual else 1)
        bound.bind(socket_address)
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound
