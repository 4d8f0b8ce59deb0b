"""TLS and SASL of a client, by Kafka's properties. `security.protocol` decides which of their modules
are imported.

Kafka: `SslConfigs`, `SaslConfigs`, `SaslClientAuthenticator`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:  # a client without TLS does not load it
    import ssl

    from tidemark_tools.client.sasl import Login

PLAINTEXT: Final = "PLAINTEXT"
# Whether a protocol has TLS, and whether it has SASL.
PROTOCOLS: Final = {
    PLAINTEXT: (False, False),
    "SASL_PLAINTEXT": (False, True),
    "SASL_SSL": (True, True),
    "SSL": (True, False),
}


class Security(NamedTuple):
    """How a client connects and who it is. None: without TLS, without SASL."""

    tls: ssl.SSLContext | None = None
    login: Login | None = None


def read_security(settings: Mapping[str, str]) -> Security:
    """Return the security of a client with these settings, by Kafka's names. Raises ConfigError."""
    from tidemark_tools.client.errors import ConfigError

    given = settings.get("security.protocol", PLAINTEXT).strip()
    protocol = given.upper()
    if protocol not in PROTOCOLS:
        raise ConfigError(
            f"Invalid value {given} for configuration security.protocol: String must be one of (case "
            f"insensitive): {', '.join(PROTOCOLS)}"
        )
    has_tls, has_sasl = PROTOCOLS[protocol]
    tls = login = None
    if has_tls:
        from tidemark_tools.client.tls import tls_context

        tls = tls_context(settings)
    if has_sasl:
        from tidemark_tools.client.sasl import read_login

        login = read_login(settings)
    return Security(tls, login)
