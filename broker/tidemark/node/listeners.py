"""The bound sockets of a node. They outlive its incarnations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from tidemark.metadata.bootstrap import Endpoint
from tidemark.node.environment import Environment
from tidemark.server.network import Address, Port
from tidemark.settings.listeners import PROTOCOLS, Listener

if TYPE_CHECKING:
    from tidemark.node.jwks import FileKeys, ServerKeys
    from tidemark.security.oauthbearer import Validate
    from tidemark.security.sasl import SaslListener
    from tidemark.server.certificates import Certificates
    from tidemark.settings.oauthbearer import SignedTokens
    from tidemark.settings.tls import TlsSettings


ANY_HOST: Final = ("", "0.0.0.0", "::")


class Listeners:
    """The bound ports. Call `bind` once, and `close` at the end.

    keys   of listeners that accept signed tokens: `load` them before the first client
    """

    def __init__(self, env: Environment) -> None:
        self._listeners = env.config.listeners_served
        self._host = env.host
        self._logger = env.logger
        self._given = env.config.given
        self.keys: list[FileKeys | ServerKeys] = []
        self._bound: list[tuple[Address, Port]] = []

    def __iter__(self) -> Iterator[tuple[Address, Port]]:
        return iter(self._bound)

    def bind(self) -> None:
        """Raises CannotListen, and ConfigError for certificates that cannot be used."""
        for each in self._listeners:
            host, port = each.advertised or (_name_in_certificate(each), None)
            address = Address(
                each.name, each.host, each.port, host, port, each.protocol, self._sasl(each), self._tls(each)
            )
            self._bound.append((address, self._host.network.bind(address)))

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
        for listener, (address, _) in zip(self._listeners, self._bound, strict=True):
            if address.tls is not None:
                address.tls.follow(partial(_current, listener, self._given, dynamic))

    def check(self, before: Mapping[str, str], after: Mapping[str, str]) -> asyncio.Future[str | None] | None:
        """Check the TLS settings that change for this broker: `Context.check_tls`."""
        changed = [
            (listener, address.tls)
            for listener, (address, _) in zip(self._listeners, self._bound, strict=True)
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

    def duplicate(self) -> None:
        """Keep the ports bound when the incarnation that listens on them closes its sockets.

        Clients that connect meanwhile wait to be accepted.
        """
        self._bound = [(address, bound.duplicate()) for address, bound in self._bound]

    def close(self) -> None:
        for _, bound in self._bound:
            bound.close()
        self.close_keys()

    def close_keys(self) -> None:
        """Ask no server for keys any more."""
        for keys in self.keys:
            keys.close()

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return the addresses that the metadata log advertises."""
        return tuple(
            Endpoint(
                address.name,
                address.advertised_host or ("localhost" if address.host in ANY_HOST else address.host),
                address.advertised_port or bound.number,
                PROTOCOLS.index(address.protocol),
            )
            for address, bound in self._bound
        )


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
