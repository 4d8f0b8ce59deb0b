"""Listeners and their connections: limits, idle connections, draining.

By default a listener advertises to each client the local address of its own connection. So no address has to
be configured on a host, in a pod or in a compose network. An advertised address overrides it.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from tidemark import descriptors, platform
from tidemark.clock import Clock, Timer
from tidemark.core.context import EVERY_NODE, Authorizers, Caller, everyone_is_allowed, super_user
from tidemark.core.decision import CloseConnection
from tidemark.late_dataclass import dataclass
from tidemark.metrics.catalogue import BadInput
from tidemark.metrics.rates import LineLimit
from tidemark.metrics.registry import Metrics
from tidemark.server.connection import Connection
from tidemark.server.memory import Memory
from tidemark.server.network import Address, Port, Transport
from tidemark.server.router import Interceptors, Router
from tidemark.server.unsent import Unsent
from tidemark.settings.broker import BrokerSettings
from tidemark.turns import Turns

if TYPE_CHECKING:
    from tidemark.engine.request import LongResponses
    from tidemark.security.sasl import Authentication
    from tidemark.server.certificates import Certificates
    from tidemark.server.interceptors import Interception
    from tidemark.server.request_journal import RequestTap
    from tidemark.server.tls import Handshakes


RESET_CHECK_MS: Final = 500
IDLE_CHECKS: Final = 4  # per connections.max.idle.ms
IDLE_CHECK_MS_MIN: Final = 100
IDLE_CHECK_MS_MAX: Final = 30_000


@dataclass(slots=True, frozen=True)
class Shared:
    """The parts that all connections share: time on the loop, memory for unsent responses, interceptors.

    responses                             the long ones that are being built
    disconnected(node_id, connection)     is called with the number of each connection that is closed
    tap                                   records requests, or logs slow ones
    authorizers(principal, client_host)   returns the authorizer of a caller
    """

    turns: Turns
    unsent: Unsent
    responses: LongResponses
    interceptors: Interceptors
    disconnected: Callable[[int, int], None]
    tap: RequestTap | None = None
    authorizers: Authorizers = everyone_is_allowed


class Server:
    """All listeners of the broker and their connections."""

    def __init__(
        self,
        router: Router,
        clock: Clock,
        shared: Shared,
        settings: BrokerSettings,
        metrics: Metrics,
        logger: Any,
    ) -> None:
        self._turns = shared.turns
        self.unsent = shared.unsent
        self._interceptors = shared.interceptors
        self._disconnected = shared.disconnected
        self.tap = shared.tap
        self.authorizers = shared.authorizers
        self._router = router
        self._interception: Interception | None = None
        self.memory = Memory(
            settings.tidemark_incoming_max_bytes,
            settings.tidemark_request_elements_max,
            clock,
            shared.unsent,
            shared.responses,
            shared.turns,
        )
        self.resets = Resets(clock)
        self._clock = clock
        self._settings = settings
        self.has_brokers = settings.tidemark_brokers > 1
        self._connections_max = descriptors.connections_max(settings)  # of the process
        self._per_node: Counter[int] = Counter()
        self.metrics = metrics
        if self.has_brokers:
            metrics.watch("broker_connections", self._connections_of_running)
        self._logger = logger
        self._refused_lines = LineLimit()
        self._invalid_lines = LineLimit()
        self._listeners: list[Listener] = []
        self._timer: Timer | None = None
        self._handshakes: Handshakes | None = None
        self._connections: dict[Connection, tuple[Listener, str]] = {}
        self._per_ip: Counter[tuple[int, str]] = Counter()  # by node and address
        self.connection_numbers = count(1)
        self.attempts = 0  # of clients to connect, refused ones included
        self.refuses_connection: Callable[[int], bool] = _never  # faults replace it
        self._intercept()
        self._interceptors.watch(self._intercept)

    def _intercept(self) -> None:
        """Let the interceptors see requests from now on, and the responses to those that wait.

        While there is none, requests pay nothing for the list, and the module is not imported.
        """
        router = self._router
        if not self._interceptors:
            router.submit = router.decide
            return
        if self._interception is None:
            from tidemark.server.interceptors import Interception

            self._interception = Interception(
                router, self._interceptors, self._clock, self._turns, self._logger
            )
        router.submit = self._interception.submit
        for connection in self._connections:
            self._interception.adopt(connection.session)

    async def listen(self, address: Address, port: Port) -> None:
        """Accept connections from now on."""
        listener = Listener(self, address, port.number)
        new_protocol = listener.accept if address.tls is None else self._tls_protocol(listener, address.tls)
        listener.accepting = await port.accept(new_protocol)
        self._listeners.append(listener)
        self._check_idle_later()

    def _tls_protocol(self, listener: Listener, certificates: Certificates) -> Callable[[], asyncio.Protocol]:
        """Return what serves a new connection of a listener with TLS."""
        from tidemark.server.tls import Handshakes, TlsTransport  # other listeners do not need it

        if self._handshakes is None:
            settings = self._settings
            self._handshakes = Handshakes(
                self._clock, settings.tidemark_tls_handshakes_max, settings.tidemark_tls_handshake_timeout_ms
            )
        handshakes = self._handshakes
        uses_certificate = listener.address.sasl is None

        def accept() -> TlsTransport:
            return TlsTransport(
                listener.accept(), certificates, handshakes, self._turns, uses_certificate=uses_certificate
            )

        return accept

    def connection(self, listener: Listener) -> Connection:
        return Connection(
            self._router, listener, self._turns, self._settings, steady_ms=self._clock.steady_ms
        )

    def local_connection(self) -> Connection:
        """Return a connection of the first listener for a client in the process, which may do everything."""
        first = self._listeners[0]
        return _LocalListener(self, first.address, first.port).accept()

    def versions(self, api_key: int) -> range:
        """Return the versions of an API that are served."""
        return self._router.versions(api_key)

    def opened(self, listener: Listener, connection: Connection) -> bool:
        """Count a new connection. Return False if there are too many, or a fault refuses it."""
        self.attempts += 1
        if self.refuses_connection(listener.address.node_id):
            return False
        peer = connection.peer()
        ip = _plain_address(peer[0]) if peer else ""
        node_id = listener.address.node_id
        of_this_ip = self._per_ip[node_id, ip]
        if (
            len(self._connections) >= self._connections_max
            or self._per_node[node_id] >= self._settings.max_connections
            or of_this_ip >= self._settings.connections_per_ip_max(ip)
        ):
            self.metrics.bad_input[BadInput.CONNECTIONS] += 1
            more = self._refused_lines.take(self._clock.host_ms())
            if more is not None:
                self._logger.warning(
                    "connection refused",
                    ip=ip,
                    connections=self._per_node[node_id],
                    of_this_ip=of_this_ip,
                    connections_max=min(self._connections_max, self._settings.max_connections),
                    **more,
                )
            return False
        self.metrics.connections_opened[listener.address.name] += 1
        self.metrics.connections[listener.address.name] += 1
        self._connections[connection] = (listener, ip)
        self._per_node[node_id] += 1
        self._per_ip[node_id, ip] += 1
        return True

    def closed(self, connection: Connection) -> None:
        self.unsent.forget(connection)
        self.memory.end(connection)
        self.resets.forget(connection)
        found = self._connections.pop(connection, None)
        if found is None:
            return
        listener, ip = found
        self.metrics.connections[listener.address.name] -= 1
        node_id = listener.address.node_id
        self._per_node[node_id] -= 1
        self._per_ip[node_id, ip] -= 1
        if not self._per_ip[node_id, ip]:
            del self._per_ip[node_id, ip]
        self._disconnected(node_id, connection.session.caller.connection)

    def bad_input(self, connection: Connection, reason: CloseConnection) -> None:
        self.metrics.bad_input[reason.kind] += 1
        more = self._invalid_lines.take(self._clock.host_ms())
        if more is not None:
            self._logger.warning(
                "connection closed after invalid input", ip=self._ip(connection), reason=str(reason), **more
            )

    def failed(self, connection: Connection, error: BaseException) -> None:
        self._logger.error("a request failed", ip=self._ip(connection), exc_info=error)

    def _ip(self, connection: Connection) -> str | None:
        found = self._connections.get(connection)
        return None if found is None else found[1]

    def _check_idle_later(self) -> None:
        if self._timer is None and self._settings.connections_max_idle_ms >= 0:
            every = min(
                max(self._settings.connections_max_idle_ms // IDLE_CHECKS, IDLE_CHECK_MS_MIN),
                IDLE_CHECK_MS_MAX,
            )
            self._timer = self._clock.call_at(self._clock.steady_ms() + every, self._check_idle)

    def _check_idle(self) -> None:
        oldest_ms = self._clock.steady_ms() - self._settings.connections_max_idle_ms
        self._timer = self._clock.after_reading(partial(self._close_idle, oldest_ms))

    def _close_idle(self, oldest_ms: int) -> None:
        self._timer = None
        for connection in list(self._connections):
            if connection.last_active_ms <= oldest_ms:
                connection.close_idle()
        self._check_idle_later()

    @property
    def is_connected(self) -> bool:
        """Whether any client is connected."""
        return bool(self._connections)

    def stop_node(self, node_id: int) -> None:
        """Stop accepting connections to a node, and close those that it has. Requests get no response."""
        stopped = [each for each in self._listeners if each.address.node_id == node_id]
        self._listeners = [each for each in self._listeners if each not in stopped]
        for listener in stopped:
            if listener.accepting is not None:
                listener.accepting.close()
        for connection, (listener, _) in list(self._connections.items()):
            if listener in stopped:
                connection.abort()

    def connections_by_node(self) -> Counter[int]:
        """Return how many connections each node has."""
        return self._per_node

    def _connections_of_running(self) -> dict[int, int]:
        return {each.address.node_id: self._per_node[each.address.node_id] for each in self._listeners}

    def drain(self) -> None:
        """Accept no further connection or request. Accepted requests get their responses."""
        for listener in self._listeners:
            if listener.accepting is not None:
                listener.accepting.close()
        for connection in self._connections:
            connection.drain()

    def close(self) -> None:
        """Close every connection, after the responses that are ready."""
        self.drain()
        if self._timer is not None:
            self._timer.cancel()
        self.resets.stop()
        if self._handshakes is not None:
            self._handshakes.stop()
        self._interceptors.unwatch(self._intercept)
        for connection in list(self._connections):
            connection.hang_up()
        self._router.submit = self._router.decide  # so that they do not refer to each other

    def abort(self) -> None:
        """Drop what clients have not read. Called after `close`."""
        for connection in list(self._connections):
            connection.abort()


class Listener:
    """One listener: the observer of its connections."""

    def __init__(self, server: Server, address: Address, port: int) -> None:
        self._server = server
        self.address = address
        self.port = port
        self.accepting: asyncio.AbstractServer | None = None
        self.closed = server.closed
        self.backlog = server.unsent.update
        self.memory = server.memory
        self.tap = server.tap
        self.watch_unread = server.resets.watch
        self.is_read = server.resets.forget
        self.bad_input = server.bad_input
        self.failed = server.failed
        self._metrics = server.metrics
        self._numbers = server.connection_numbers
        self._authorizers = server.authorizers

    def opened(self, connection: Connection) -> bool:
        return self._server.opened(self, connection)

    def received(self, size: int) -> None:
        self._metrics.received_bytes[self.address.name] += size

    def sent(self, size: int) -> None:
        self._metrics.sent_bytes[self.address.name] += size

    def accept(self) -> Connection:
        return self._server.connection(self)

    def new_authentication(self) -> Authentication | None:
        """Return the authentication of a new connection. None: the listener has no SASL."""
        if self.address.sasl is None:
            return None
        from tidemark.security.sasl import Authentication  # other listeners do not need it

        return Authentication(self.address.sasl)

    def caller(self, transport: Transport) -> Caller:
        local = transport.get_extra_info("sockname")
        peer = transport.get_extra_info("peername")
        return Caller(
            client_host=_java_address(peer[0] if peer else "127.0.0.1"),
            node_id=self.address.node_id,
            host=self.address.advertised_host or (_plain_address(local[0]) if local else "127.0.0.1"),
            port=self.address.advertised_port or self.port,
            listener=self.address.name,
            connection=next(self._numbers),
            authorizers=self._authorizers,
            protocol=self.address.protocol,
        )


class _LocalListener(Listener):
    """The observer of the connections of clients within the process: they need no login, and no ACL."""

    def new_authentication(self) -> None:
        return None

    def caller(self, transport: Transport) -> Caller:
        node_id = EVERY_NODE if self._server.has_brokers else self.address.node_id
        return replace(super().caller(transport), node_id=node_id, authorizers=super_user)


def _never(node_id: int) -> bool:
    return False


def _plain_address(host: str) -> str:
    """Return an address without the prefix that a dual-stack socket adds to IPv4."""
    return host.removeprefix("::ffff:")


def _java_address(host: str) -> str:
    """Format an address like Java's InetAddress.toString: a slash, and IPv6 without abbreviation."""
    host = _plain_address(host)
    if ":" not in host:
        return f"/{host}"
    words = socket.inet_pton(socket.AF_INET6, host.split("%")[0])
    return "/" + ":".join(f"{int.from_bytes(words[i : i + 2], 'big'):x}" for i in range(0, 16, 2))


class Resets:
    """Notices that clients reset connections from which the broker does not read.

    Neither asyncio nor uvloop reports the end of a connection that is not read: one whose request waits with
    more than a few bytes behind it, or whose client has closed its sending half. So the kernel is asked about
    all of them, in one call for each RESET_CHECK_MS.
    """

    __slots__ = ("_clock", "_timer", "_unread")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._unread: dict[Connection, None] = {}
        self._timer: Timer | None = None

    def watch(self, connection: Connection) -> None:
        if connection.fileno() >= 0:
            self._unread[connection] = None
            self._check_later()

    def forget(self, connection: Connection) -> None:
        self._unread.pop(connection, None)

    def stop(self) -> None:
        self._unread.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_later(self) -> None:
        if self._timer is None:
            self._timer = self._clock.call_at(self._clock.steady_ms() + RESET_CHECK_MS, self._check)

    def _check(self) -> None:
        self._timer = None
        by_descriptor = {connection.fileno(): connection for connection in self._unread}
        by_descriptor.pop(-1, None)
        for descriptor in platform.were_reset(by_descriptor):
            by_descriptor[descriptor].abort()
        if self._unread:
            self._check_later()
