"""The TLS settings of one listener.

Kafka reads a setting under `listener.name.<listener>.`, then without a prefix. The messages are those of
Kafka's DefaultSslEngineFactory. Only a listener with TLS imports this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.settings.broker import BrokerSettings
from tidemark.settings.principal_rules import PrincipalRule, read_rules
from tidemark.settings.setting import ConfigError, Setting, under_name

PEM: Final = "PEM"
STORE_TYPES: Final = (PEM, "PKCS12", "JKS")
PROTOCOLS: Final = ("TLSv1.2", "TLSv1.3")
# Names that Java knows. Java 17 offers none of these protocols, even if they are enabled.
OLD_PROTOCOLS: Final = ("TLSv1.1", "TLSv1", "SSLv3", "SSLv2Hello")
NO_AUTH: Final = "none"


@dataclass(slots=True, frozen=True)
class Store:
    """A key store or trust store: a file, or texts in the settings.

    kind          the setting's prefix, for messages: ssl.keystore or ssl.truststore
    password      of a PKCS12 file
    key           the private key as PEM text
    certificates  as PEM text
    key_password  of an encrypted private key
    """

    kind: str
    type: str
    location: str | None = None
    password: str | None = field(default=None, repr=False)
    key: str | None = field(default=None, repr=False)
    certificates: str | None = field(default=None, repr=False)
    key_password: str | None = field(default=None, repr=False)


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

    auth = BrokerSettings.ssl_client_auth
    client_auth = NO_AUTH if sasl and own + auth.name not in given else read(auth)
    rules = BrokerSettings.ssl_principal_mapping_rules
    try:
        keys = _keys(read)
        trusts = _trusts(read)
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


def _keys(read: Any) -> Store | None:
    store = Store(
        "ssl.keystore",
        _type(BrokerSettings.ssl_keystore_type.name, read(BrokerSettings.ssl_keystore_type)),
        location=read(BrokerSettings.ssl_keystore_location) or None,
        password=read(BrokerSettings.ssl_keystore_password),
        key=read(BrokerSettings.ssl_keystore_key),
        certificates=read(BrokerSettings.ssl_keystore_certificate_chain),
        key_password=read(BrokerSettings.ssl_key_password),
    )
    inline, file = store.key is not None, store.location is not None
    _check(
        (
            inline and store.type != PEM,
            f"SSL private key can be specified only for PEM, but key store type is {store.type}.",
        ),
        (
            inline and store.certificates is None,
            "SSL private key is specified, but certificate chain is not specified.",
        ),
        (inline and file, "Both SSL key store location and separate private key are specified."),
        (
            not inline and store.certificates is not None,
            "SSL certificate chain is specified, but private key is not specified",
        ),
        (
            (inline or (file and store.type == PEM)) and store.password is not None,
            "SSL key store password cannot be specified with PEM format, only key password may be specified.",
        ),
        (
            not inline and not file and store.password is not None,
            "SSL key store is not specified, but key store password is specified.",
        ),
        (
            file and store.type != PEM and store.password is None,
            "SSL key store is specified, but key store password is not specified.",
        ),
    )
    return store if inline or file else None


def _trusts(read: Any) -> Store | None:
    store = Store(
        "ssl.truststore",
        _type(BrokerSettings.ssl_truststore_type.name, read(BrokerSettings.ssl_truststore_type)),
        location=read(BrokerSettings.ssl_truststore_location) or None,
        password=read(BrokerSettings.ssl_truststore_password),
        certificates=read(BrokerSettings.ssl_truststore_certificates),
    )
    inline, file = store.certificates is not None, store.location is not None
    _check(
        (
            inline and store.type != PEM,
            f"SSL trust store certs can be specified only for PEM, but trust store type is {store.type}.",
        ),
        (inline and file, "Both SSL trust store location and separate trust certificates are specified."),
        (
            (inline or (file and store.type == PEM)) and store.password is not None,
            "SSL trust store password cannot be specified for PEM format.",
        ),
        (
            not inline and not file and store.password is not None,
            "SSL trust store is not specified, but trust store password is specified.",
        ),
    )
    return store if inline or file else None


def _check(*checks: tuple[bool, str]) -> None:
    """Raise ConfigError with the text of the first check that fails."""
    for wrong, text in checks:
        if wrong:
            raise ConfigError(text)


def _type(name: str, text: str) -> str:
    if text.upper() not in STORE_TYPES:
        raise ConfigError(f"{name} must be one of {', '.join(STORE_TYPES)}, got {text}")
    return text.upper()


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
