"""TLS of a client, by Kafka's `ssl.*` properties. Kafka: `SslConfigs`, `DefaultSslEngineFactory`."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tidemark.settings.key_stores import key_store, load_keys, load_trusted, reason_of, trust_store
from tidemark.settings.setting import ConfigError as StoreError
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import CannotConnect, ConfigError, HandshakeCutOff


def tls_context(settings: Mapping[str, str]) -> ssl.SSLContext:
    """Return the context of a client with these settings. Raises ConfigError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    algorithm = settings.get("ssl.endpoint.identification.algorithm", "https").strip()
    if algorithm.lower() not in ("", "https"):
        raise ConfigError(
            "ssl.endpoint.identification.algorithm must be https, or empty to accept every host name, got "
            f"{algorithm!r}"
        )
    context.check_hostname = bool(algorithm)
    try:
        _load_stores(context, settings)
    except StoreError as error:
        raise ConfigError(str(error)) from None
    return context


def _load_stores(context: ssl.SSLContext, settings: Mapping[str, str]) -> None:
    """Load the certificates that the client trusts, by default those of the system, and its own ones."""

    def read(name: str) -> str | None:
        return settings.get(name, "").strip() or None

    trusted, own = trust_store(read), key_store(read)
    if trusted is None:
        context.load_default_certs()
    else:
        load_trusted(context, trusted)
    if own is not None:
        load_keys(context, own)


def secured(raw: socket.socket, context: ssl.SSLContext, node: BrokerEndpoint) -> ssl.SSLSocket:
    """Do the handshake. Raises CannotConnect, or HandshakeCutOff, which may be temporary."""
    with handshake_errors(node):
        try:
            return context.wrap_socket(raw, server_hostname=node.host)
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionError):
            raise HandshakeCutOff(
                f"{node} closed the connection during the TLS handshake; does it serve TLS?"
            ) from None


@contextmanager
def handshake_errors(node: BrokerEndpoint) -> Iterator[None]:
    """Raise CannotConnect for a failed handshake. In TLS 1.3 it may fail with the first response."""
    try:
        yield
    except ssl.SSLError as error:
        raise CannotConnect(f"SSL handshake failed with {node}: {reason_of(error)}") from None
