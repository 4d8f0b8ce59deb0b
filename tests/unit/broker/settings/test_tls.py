"""The settings of listeners with TLS. The messages are those of Kafka 4.3.1, after the listener's name."""

from __future__ import annotations

import pytest

from tidemark.config import Config, ConfigError
from tidemark.settings.tls import TlsSettings

KEYS = {"ssl.keystore.type": "PEM", "ssl.keystore.location": "/keys.pem"}
TRUSTS = {"ssl.truststore.type": "PEM", "ssl.truststore.location": "/trusts.pem"}
INLINE = {
    "ssl.keystore.type": "PEM",
    "ssl.keystore.key": "a-key",
    "ssl.keystore.certificate.chain": "a-chain",
}


def tls(values: dict[str, str], protocol: str = "SSL") -> TlsSettings:
    config = Config(
        {
            "listeners": "PLAINTEXT://:9092,CLIENTS://:9093",
            "listener.security.protocol.map": f"PLAINTEXT:PLAINTEXT,CLIENTS:{protocol}",
            "sasl.enabled.mechanisms": "SCRAM-SHA-256",
            **values,
        }
    )
    plain, clients = config.listeners_served
    assert plain.tls is None
    assert clients.tls is not None
    return clients.tls


def test_defaults_are_those_of_kafka() -> None:
    read = tls(KEYS)
    assert (read.keys.type, read.keys.location) == ("PEM", "/keys.pem")
    assert (read.client_auth, read.protocols, read.ciphers) == ("none", ("TLSv1.2", "TLSv1.3"), ())
    assert read.trusts is None


def test_setting_of_the_listener_precedes_that_of_the_broker() -> None:
    own = {
        "listener.name.clients.ssl.keystore.location": "/own.pem",
        "listener.name.clients.ssl.enabled.protocols": "TLSv1.3",
    }
    read = tls(KEYS | own)
    assert read.keys.location == "/own.pem"
    assert read.protocols == ("TLSv1.3",)


def test_client_auth_of_a_sasl_listener_needs_its_prefix() -> None:
    auth = {"ssl.client.auth": "required"}
    own = {f"listener.name.clients.{name}": value for name, value in auth.items()}
    assert tls(KEYS | TRUSTS | auth).client_auth == "required"
    assert tls(KEYS | TRUSTS | auth, "SASL_SSL").client_auth == "none"
    assert tls(KEYS | TRUSTS | own, "SASL_SSL").client_auth == "required"


def test_protocols_that_java_no_longer_offers_are_ignored() -> None:
    assert tls(KEYS | {"ssl.enabled.protocols": "TLSv1.1,TLSv1.2"}).protocols == ("TLSv1.2",)


def test_secrets_are_not_in_the_text_of_the_settings() -> None:
    read = tls(INLINE | {"ssl.key.password": "key-secret"})
    assert read.keys.key == "a-key"
    for secret in ("a-key", "a-chain", "key-secret"):
        assert secret not in repr(read)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (INLINE | {"ssl.keystore.type": "JKS"},
         "SSL private key can be specified only for PEM, but key store type is JKS."),
        ({"ssl.keystore.type": "PEM", "ssl.keystore.key": "k"},
         "SSL private key is specified, but certificate chain is not specified."),
        (INLINE | {"ssl.keystore.location": "/k"},
         "Both SSL key store location and separate private key are specified."),
        (INLINE | {"ssl.keystore.password": "p"},
         "SSL key store password cannot be specified with PEM format, only key password may be specified."),
        ({"ssl.keystore.type": "PEM", "ssl.keystore.certificate.chain": "c"},
         "SSL certificate chain is specified, but private key is not specified"),
        (KEYS | {"ssl.keystore.password": "p"},
         "SSL key store password cannot be specified with PEM format, only key password may be specified."),
        ({"ssl.keystore.password": "p"},
         "SSL key store is not specified, but key store password is specified."),
        ({"ssl.keystore.location": "/k"},
         "SSL key store is specified, but key store password is not specified."),
        (KEYS | {"ssl.truststore.certificates": "c"},
         "SSL trust store certs can be specified only for PEM, but trust store type is JKS."),
        (KEYS | TRUSTS | {"ssl.truststore.certificates": "c"},
         "Both SSL trust store location and separate trust certificates are specified."),
        (KEYS | TRUSTS | {"ssl.truststore.password": "p"},
         "SSL trust store password cannot be specified for PEM format."),
        (KEYS | {"ssl.truststore.password": "p"},
         "SSL trust store is not specified, but trust store password is specified."),
    ],
)  # fmt: skip
def test_stores_that_contradict_each_other_are_refused_in_kafkas_words(
    values: dict[str, str], text: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        tls(values)
    assert str(refused.value) == f"Listener CLIENTS: {text}"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, "Listener CLIENTS: no key store is set."),
        (KEYS | {"ssl.client.auth": "required"},
         "Listener CLIENTS: ssl.client.auth=required needs the certificates"),
        (KEYS | {"ssl.client.auth": "REQUIRED"},
         "Invalid value REQUIRED for configuration ssl.client.auth: String must be one of: required, "
         "requested, none"),
        (KEYS | {"ssl.enabled.protocols": "TLSv9"},
         "Listener CLIENTS: ssl.enabled.protocols: unknown protocol TLSv9."),
        (KEYS | {"ssl.enabled.protocols": "TLSv1"}, "Listener CLIENTS: ssl.enabled.protocols=TLSv1 has no"),
        (KEYS | {"ssl.keystore.type": "BKS"},
         "Listener CLIENTS: ssl.keystore.type must be one of PEM, PKCS12, JKS, got BKS"),
    ],
)  # fmt: skip
def test_setting_that_cannot_be_used_is_refused(values: dict[str, str], text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        tls(values)
    assert str(refused.value).startswith(text)
