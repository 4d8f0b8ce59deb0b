"""The bound sockets of a node. They outlive its incarnations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from tidemark.clock import turn
from tidemark.metadata.bootstrap import Endpoint
from tidemark.metadata.state import racks_of
from tidemark.node.environment import Environment
from tidemark.server.network import Address, CannotListen, Port
from tidemark.settings.listeners import PORT_MAX, PROTOCOLS, Listener

if TYPE_CHECKING:
    from tidemark.node.jwks import FileKeys, ServerKeys
    from tidemark.security.oauthbearer import Validate
    from tidemark.security.sasl import SaslListener
    from tidemark.server.certificates import Certificates
    from tidemark.settings.oauthbearer import SignedTokens
    from tidemark.settings.tls import TlsSettings


ATTEMPTS: Final = 20  # to find free ports that follow each other
PAUSE_TURNS: Final = 4
ANY_HOST: Final = ("", "0.0.0.0", "::")


class Listeners:
    """The bound ports of all brokers, one broker after the other. Call `bind` once, and `close` at the end.

    A broker's ports are one higher than those of the broker before it.

    racks  of the brokers, by their ids
    keys   of listeners that accept signed tokens: `load` them before the first client
    """

    def __init__(self, env: Environment) -> None:
        self._listeners = env.config.listeners_served
        self._first_node = env.config.node_id
        self.racks = racks_of(self._first_node, env.config, env.config.broker_rack)
        self._hosts = env.config.tidemark_advertised_hosts
        self._host = env.host
        self._logger = env.logger
        self._given = env.config.given
        self.keys: list[FileKeys | ServerKeys] = []
        self._bound: list[tuple[Address, Port]] = []

    def __iter__(self) -> Iterator[tuple[Address, Port]]:
        return iter(self._bound)

    def bind(self) -> None:
        """Raises CannotListen, and ConfigError for certificates that cannot be used."""
        of_listeners = [self._bind(each) for each in self._listeners]
        self._bound = [of_one[number] for number in range(len(self.racks)) for of_one in of_listeners]

    def _bind(self, listener: Listener) -> list[tuple[Address, Port]]:
        """Return the address and port of a listener on each broker."""
        host, advertised_port = listener.advertised or (_name_in_certificate(listener), None)
        host = self._hosts[0] if self._hosts else host
        first = Address(
            listener.name,
            listener.host,
            listener.port,
            host,
            advertised_port,
            listener.protocol,
            self._sasl(listener),
            self._tls(listener),
            self._first_node,
        )
        for attempt in range(ATTEMPTS):
            bound = [(first, self._host.network.bind(first))]
            try:
                for node_id in [*self.racks][1:]:
                    bound.append(self._bind_next(*bound[0], node_id))  # an error closes those before
            except CannotListen:
                for _, port in bound:
                    port.close()
                if listener.port or attempt == ATTEMPTS - 1:
                    raise
            else:
                break
        return bound

    def _bind_next(self, first: Address, of_first: Port, node_id: int) -> tuple[Address, Port]:
        """Bind the port of a listener on a broker after the first one. Raises CannotListen."""
        number = node_id - self._first_node
        advertised_port = first.advertised_port and first.advertised_port + number
        port = of_first.number + number
        if max(port, advertised_port or 0) > PORT_MAX:
            raise CannotListen(f"broker {node_id} would have port {port}: the highest one is {PORT_MAX}")
        address = replace(
            first,
            node_id=node_id,
            port=port,
            advertised_host=self._hosts[number] if number < len(self._hosts) else first.advertised_host,
            advertised_port=advertised_port,
        )
        return address, self._host.network.bind(address)

    def add(self, node_id: int, rack: str | None) -> None:
        """Bind the ports of one more broker, which refuse connections at first. Raises CannotListen.

        A listener whose port was any free one takes any, if the next one is in use.
        """
        bound: list[tuple[Address, Port]] = []
        try:
            for listener, (first, of_first) in zip(self._listeners, self._bound, strict=False):
                try:
                    bound.append(self._bind_next(first, of_first, node_id))
                except CannotListen:
                    if listener.port:
                        raise
                    address = replace(first, node_id=node_id)
                    bound.append((address, self._host.network.bind(address)))
        except CannotListen:
            for _, port in bound:
                port.close()
            raise
        for _, port in bound:
            port.refuses = True
        self._bound += bound
        self.racks = dict(sorted({**self.racks, node_id: rack}.items()))

    def remove(self, node_id: int) -> None:
        """Free the ports of a broker that is stopped."""
        for address, bound in self._bound:
            if address.node_id == node_id:
                bound.close()
        self._bound = [each for each in self._bound if each[0].node_id != node_id]
        self.racks = {each: rack for each, rack in self.racks.items() if each != node_id}

    def _tls(self, listener: Listener) -> Certificates | None:
        if listener.tls is None:
            return None
        from tidemark.server.certificates import Certificates  # other listeners do not need it

        return Certificates(listener.tls, self._host.clock.steady_ms, self._logger)

    def _sasl(self, listener: Listener) -> SaslListener | None:
        if listener.sasl is None:
            return None
        from tidemark.security.mechanisms import sasl_listener  # other listeners do not need these
        from tidemark.settings.oauthbearer import SignedTokens

        if listener.sasl.accepts_any_token:
            self._logger.warning("tokens without a signature are accepted", listener=listener.name)
        tokens = listener.sasl.tokens
        # Kafka warns of both, too.
        if isinstance(tokens, SignedTokens):
            if tokens.any_audience:
                self._logger.warning("tokens for any audience are accepted", listener=listener.name)
            if not tokens.issuer:
                self._logger.warning("tokens from any issuer are accepted", listener=listener.name)
        return sasl_listener(listener.sasl, self._signed_tokens)

    def _signed_tokens(self, accepts: SignedTokens) -> Validate:
        """Return the validator of a listener's tokens."""
        from tidemark.node.jwks import keys_of  # other listeners need no keys
        from tidemark.security.signed_tokens import SignedTokenValidator

        keys = keys_of(accepts.keys, self._host.clock.host_ms, self._logger)
        self.keys.append(keys)
        return SignedTokenValidator(accepts, keys.current, keys.missed)

    def follow(self, dynamic: Callable[[], Mapping[str, str]]) -> None:
        """Let listeners with TLS follow the settings that were changed for this broker.

        dynamic: returns them by name. As in Kafka, those of a listener need its prefix.
        """
        # All brokers share them.
        for listener, (address, _) in zip(self._listeners, self._bound, strict=False):
            if address.tls is not None:
                address.tls.follow(partial(_current, listener, self._given, dynamic))

    def check(self, before: Mapping[str, str], after: Mapping[str, str]) -> asyncio.Future[str | None] | None:
        """Check the TLS settings that change for this broker: `Context.check_tls`."""
        changed = [
            (listener, address.tls)
            for listener, (address, _) in zip(self._listeners, self._bound, strict=False)
            if address.tls is not None and _of(listener, before) != _of(listener, after)
        ]
        return asyncio.ensure_future(self._refusal(changed, after)) if changed else None

    async def _refusal(
        self, changed: list[tuple[Listener, Certificates]], after: Mapping[str, str]
    ) -> str | None:
        for listener, certificates in changed:
            current = partial(_current, listener, self._given, lambda: after)
            if (refused := await certificates.refusal(current)) is not None:
                return refused
        return None

    async def pause(self, node_id: int | None = None) -> None:
        """Accept no further connection to a broker, until its port closes. None: to all brokers.

        When this returns, the connections that were being accepted have their protocols.
        """
        for address, bound in self._bound:
            if node_id in (None, address.node_id):
                bound.pause()
        for _ in range(PAUSE_TURNS):
            await turn()

    def duplicate(self, node_id: int | None = None) -> None:
        """Keep the ports of a broker bound when their sockets are closed. None: those of all brokers.

        Clients that connect meanwhile wait to be accepted.
        """
        self._bound = [
            (address, bound if bound.refuses or node_id not in (None, address.node_id) else bound.duplicate())
            for address, bound in self._bound
        ]

    def refuse(self, node_id: int) -> None:
        """Refuse connections to a broker that is stopped. Its ports stay bound."""
        for address, bound in self._bound:
            if address.node_id == node_id:
                bound.refuse()

    def close(self) -> None:
        for _, bound in self._bound:
            bound.close()
        self.end()

    def end(self) -> None:
        """Close what the server has not closed: ports of brokers that are stopped, connections for keys."""
        for _, bound in self._bound:
            if bound.refuses:
                bound.close()
        for keys in self.keys:
            keys.close()

    def endpoints(self) -> dict[int, tuple[Endpoint, ...]]:
        """Return the addresses that the metadata log advertises, by broker."""
        found: dict[int, tuple[Endpoint, ...]] = {}
        for address, bound in self._bound:
            endpoint = Endpoint(
                address.name,
                address.advertised_host or ("localhost" if address.host in ANY_HOST else address.host),
                address.advertised_port or bound.number,
                PROTOCOLS.index(address.protocol),
            )
            found[address.node_id] = (*found.get(address.node_id, ()), endpoint)
        return found


def _name_in_certificate(listener: Listener) -> str | None:
    """Return the host of a listener with TLS, if it has one: clients check it, and its address may differ."""
    return listener.host if listener.tls is not None and listener.host not in ANY_HOST else None


def _current(
    listener: Listener, given: Mapping[str, str], dynamic: Callable[[], Mapping[str, str]]
) -> TlsSettings:
    """Return the current TLS settings of a listener. Raises ConfigError."""
    from tidemark.settings.tls import read_tls  # other listeners do not need it

    return read_tls(listener.name, {**given, **_of(listener, dynamic())}, sasl=listener.sasl is not None)


def _of(listener: Listener, dynamic: Mapping[str, str]) -> dict[str, str]:
    """Return the TLS settings of one listener among those that were changed for this broker."""
    own = f"listener.name.{listener.name.lower()}.ssl."
    return {name: text for name, text in dynamic.items() if name.startswith(own)}
