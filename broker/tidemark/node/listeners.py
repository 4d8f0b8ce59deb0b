"""The bound sockets of a node. They outlive its incarnations."""

from __future__ import annotations

from collections.abc import Iterator

from tidemark.metadata.bootstrap import Endpoint
from tidemark.server.network import Address, Network, Port
from tidemark.settings.listeners import Listener


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
            address = Address(each.name, each.host, each.port, *(each.advertised or (None, None)))
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
            )
            for address, bound in self._bound
        )


def _reachable(host: str) -> str:
    return host if host not in ("", "0.0.0.0", "::") else "localhost"
