"""The TLS settings of one listener.

Kafka reads a setting under `listener.name.<listener>.`, then without a prefix. The messages are those of
Kafka's DefaultSslEngineFactory. Only a listener with TLS imports this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark.settings.broker import BrokerSettings
from tidemark.settings.key_stores import Store, key_store, trust_store
from tidemark.settings.principal_rules import PrincipalRule, read_rules
from tidemark.settings.setting import ConfigError, Setting, under_name

PROTOCOLS: Final = ("TLSv1.2", "TLSv1.3")
# Names that Java knows. Java 17 offers none of these protocols, even if they are enabled.
OLD_PROTOCOLS: Final = ("TLSv1.1", "TLSv1", "SSLv3", "SSLv2Hello")
NO_AUTH: Final = "none"


@dataclass(slots=True, frozen=True)
class TlsSettings:
    """The settings of a listener with TLS.

    trusts        None: client certificates are not checked, because none are requested
    client_auth   none, requested or required
    protocols     some of PROTOCOLS
    ciphers       names of cipher suites. Empty: the defaults of OpenSSL
    rules         turn the name in a client's certificate into the name of its principal
    """

    listener: str
    keys: Store
    trusts: Store | None
    client_auth: str
    protocols: tuple[str, ...]
    ciphers: tuple[str, ...]
    rules: tuple[PrincipalRule, ...]


def read_tls(listener: str, given: Mapping[str, str], *, sasl: bool) -> TlsSettings:
    """Return the settings of the listener of this name. given: texts by dotted name. Raises ConfigError.

    sasl: its clients authenticate by SASL. Then ssl.client.auth without a prefix does not apply (KIP-684).
    """
    own = f"listener.name.{listener.lower()}."

    def read(setting: Setting[Any]) -> Any:
        for prefix in (own, ""):
            text = given.get(prefix + setting.name)
            if text is not None:
                return under_name(prefix + setting.name, setting).read(text.strip())
        return setting.default

    def read_text(name: str) -> str | None:
        text: str | None = read(getattr(BrokerSettings, name.replace(".", "_")))
        return text

    auth = BrokerSettings.ssl_client_auth
    client_auth = NO_AUTH if sasl and own + auth.name not in given else read(auth)
    rules = BrokerSettings.ssl_principal_mapping_rules
    try:
        keys, trusts = key_store(read_text), trust_store(read_text)
        if keys is None:
            raise ConfigError(
                "no key store is set. Set ssl.keystore.type=PEM and ssl.keystore.location to a file with the "
                "private key and the certificate chain."
            )
        if client_auth != NO_AUTH and trusts is None:
            raise ConfigError(
                f"ssl.client.auth={client_auth} needs the certificates that clients are checked by. "
                "Set ssl.truststore.type=PEM and ssl.truststore.location."
            )
        protocols = _protocols(read(BrokerSettings.ssl_enabled_protocols))
    except ConfigError as error:
        raise ConfigError(f"Listener {listener}: {error}") from None
    return TlsSettings(
        listener=listener,
        keys=keys,
        trusts=trusts if client_auth != NO_AUTH else None,
        client_auth=client_auth,
        protocols=protocols,
        ciphers=tuple(filter(None, read(BrokerSettings.ssl_cipher_suites))),
        rules=read_rules(rules.name, read(rules)),
    )


def _protocols(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in (*PROTOCOLS, *OLD_PROTOCOLS):
            raise ConfigError(
                f"ssl.enabled.protocols: unknown protocol {name}. Use {' or '.join(PROTOCOLS)}."
            )
    enabled = tuple(protocol for protocol in PROTOCOLS if protocol in names or not names)
    if not enabled:
        raise ConfigError(
            f"ssl.enabled.protocols={','.join(names)} has no protocol that is served. "
            f"Use {' or '.join(PROTOCOLS)}."
        )
    return enabled
