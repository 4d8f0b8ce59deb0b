"""HTTP over TLS: puts the TLS of Kafka's listeners between a connection of uvicorn and its socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, cast

from tidemark.core.decision import CloseConnection
from tidemark.node.node import Node
from tidemark.server.certificates import Certificates
from tidemark.server.network import Transport
from tidemark.server.tls import Handshakes, TlsTransport
from tidemark.turns import Turns

# The bounds of the HTTP connections themselves are lower: how many there are, and how long they wait.
HANDSHAKES_MAX: Final = 10_000
HANDSHAKE_MS: Final = 60_000


class HttpOverTls:
    """Creates the connections of an HTTP server with TLS: call it in place of a class of uvicorn's."""

    def __init__(self, connection: Callable[..., Any], node: Node, certificates: Certificates) -> None:
        clock = node.env.host.clock
        self._connection = connection
        self._node = node
        self._certificates = certificates
        self._handshakes = Handshakes(clock, HANDSHAKES_MAX, HANDSHAKE_MS)
        self._turns = Turns(clock.host_ms)

    def __call__(self, **given: Any) -> asyncio.Protocol:
        made = _Secured(self._connection(**given), self._node)
        return TlsTransport(made, self._certificates, self._handshakes, self._turns, uses_certificate=False)


class _Secured:
    """A connection of uvicorn's, with what `TlsTransport` needs besides."""

    def __init__(self, connection: Any, node: Node) -> None:
        self._connection = connection
        self._node = node
        self._transport: Transport | None = None
        self.data_received = connection.data_received
        self.pause_writing = connection.pause_writing
        self.resume_writing = connection.resume_writing

    def connection_made(self, made: asyncio.BaseTransport) -> None:
        self._transport = cast(Transport, made)
        self._connection.connection_made(made)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.connection_lost(exc)
        # uvicorn's connection keeps its transport, which keeps this object. Its counts free them at once.
        self._connection = self._transport = None
        self.data_received = self.pause_writing = self.resume_writing = _nothing

    def eof_received(self) -> bool:
        return bool(self._connection.eof_received())

    def identified(self, principal: str) -> None:
        """HTTP knows no principals."""

    def hang_up(self, reason: CloseConnection | None = None) -> None:
        if self._transport is None:  # it is lost
            return
        if reason is not None:
            peer = self._transport.get_extra_info("peername")
            self._node.current.engine.metrics.bad_input[reason.kind] += 1
            self._node.env.logger.warning(
                "connection closed after invalid input", ip=peer[0] if peer else "", reason=str(reason)
            )
        self._transport.close()

    def abort(self, reason: CloseConnection | None = None) -> None:
        self.hang_up(reason)
        if self._transport is not None:
            self._transport.abort()


def _nothing(*_: object) -> None:
    pass
