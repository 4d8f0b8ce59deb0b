"""The bound sockets of a node. They outlive its incarnations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tidemark.metadata.bootstrap import Endpoint
from tidemark.server.network import Address, Network, Port
from tidemark.settings.listeners import PROTOCOLS, Listener

if TYPE_CHECKING:
    from tidemark.security.sasl import SaslListener


class Listeners:
    """The bound ports. Call `bind` once, and `close` at the end."""

    def __init__(self, listeners: list[Listener], network: Network) -> None:
        self._listeners = listeners
        self._network = network
        self._bound: list[tuple[Address, Port]] = []

    def __iter__(self) -> Iterator[tuple[Address, Port]]:
        return iter(self._bound)

    def bind(self) -> None:
        """Raises CannotListen."""
        for each in self._listeners:
            host, port = each.advertised or (None, None)
            address = Address(each.name, each.host, each.port, host, port, each.protocol, _sasl(each))
            self._bound.append((address, self._network.bind(address)))

    def duplicate(self) -> None:
        """Keep the ports bound when the incarnation that listens on them closes its sockets.

        Clients that connect meanwhile wait to be accepted.
        """
        self._bound = [(address, bound.duplicate()) for address, bound in self._bound]

    def close(self) -> None:
        for _, bound in self._bound:
            bound.close()

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return the addresses that the metadata log advertises."""
        return tuple(
            Endpoint(
                address.name,
                address.advertised_host or _reachable(address.host),
                address.advertised_port or bound.number,
                PROTOCOLS.index(address.protocol),
            )
            for address, bound in self._bound
        )


def _sasl(listener: Listener) -> SaslListener | None:
    if listener.sasl is None:
        return None
    from tidemark.security.mechanisms import sasl_listener  # other listeners do not need it

    return sasl_listener(listener.sasl)


def _reachable(host: str) -> str:
    return host if host not in ("", "0.0.0.0", "::") else "localhost"
