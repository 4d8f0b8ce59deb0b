"""TLS and SASL properties that are wrong, and brokers that do not prove what they should."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests import certificates
from tests.unit.tools.client.scripted import ScriptedBroker
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from tidemark_protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from tidemark_protocol.messages.sasl_handshake import SaslHandshakeResponse
from tidemark_tools.client.client import Client
from tidemark_tools.client.connection import read_security
from tidemark_tools.client.errors import AuthenticationFailed, ConfigError
from tidemark_tools.client.librdkafka import kafkas_security
from tidemark_tools.client.sasl import read_login
from tidemark_tools.client.tls import tls_context

PLAIN: Final = {
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "PLAIN",
    "sasl.jaas.config": 'PlainLoginModule required username="alice" password="alice-secret";',
}
SCRAM: Final = {**PLAIN, "sasl.mechanism": "SCRAM-SHA-256"}
PEM: Final = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(certificates.CA)}


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (
            {"security.protocol": "FOO"},
            "Invalid value FOO for configuration security.protocol: String must be one of (case "
            "insensitive): PLAINTEXT, SASL_PLAINTEXT, SASL_SSL, SSL",
        ),
        (
            {"security.protocol": "sasl_plaintext"},
            "sasl.mechanism=GSSAPI, Kafka's default, is not supported. Set sasl.mechanism to one of PLAIN, "
            "SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER.",
        ),
        (
            {**PLAIN, "sasl.jaas.config": ""},
            "sasl.jaas.config is not set. Set it to: org.apache.kafka.common.security.plain.PlainLoginModule "
            'required username="NAME" password="PASSWORD";',
        ),
        (
            {**SCRAM, "sasl.jaas.config": "ScramLoginModule required username=alice;"},
            "sasl.jaas.config has no username or no password. Set it to: "
            "org.apache.kafka.common.security.scram.ScramLoginModule required "
            'username="NAME" password="PASSWORD";',
        ),
        (
            {**PLAIN, "sasl.jaas.config": "PlainLoginModule required username=alice password=alice-secret"},
            "sasl.jaas.config must end with a semicolon",
        ),
        (
            {"security.protocol": "SSL", **PEM, "ssl.truststore.certificates": "x"},
            "Both SSL trust store location and separate trust certificates are specified.",
        ),
        (
            {"security.protocol": "SSL", "ssl.truststore.certificates": "x"},
            "SSL trust store certs can be specified only for PEM, but trust store type is JKS.",
        ),
        (
            {"security.protocol": "SSL", "ssl.truststore.type": "PEM", "ssl.truststore.certificates": "x"},
            "Failed to load ssl.truststore of type PEM: No matching CERTIFICATE entries in PEM file",
        ),
        (
            {"security.protocol": "SSL", **PEM, "ssl.truststore.location": "/nowhere"},
            "Failed to load ssl.truststore /nowhere of type PEM: No such file or directory",
        ),
        (
            {"security.protocol": "SSL", **PEM, "ssl.truststore.type": "JKS"},
            f"Failed to load ssl.truststore {certificates.CA} of type JKS: it is a PEM file. "
            "Set ssl.truststore.type=PEM",
        ),
        (
            {"security.protocol": "SSL", **PEM, "ssl.endpoint.identification.algorithm": "ldap"},
            "ssl.endpoint.identification.algorithm must be https, or empty to accept every host name, got "
            "'ldap'",
        ),
    ],
)
def test_wrong_setting_is_refused(settings: dict[str, str], text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_security(settings)
    assert str(refused.value) == text


def test_java_keystore_is_refused_with_the_command_that_converts_it(tmp_path: Path) -> None:
    store = tmp_path / "trust.jks"
    store.write_bytes(b"\xfe\xed\xfe\xed\0\0\0\2")
    with pytest.raises(ConfigError) as refused:
        tls_context({"ssl.truststore.location": str(store)})
    assert (
        f"keytool -importkeystore -srckeystore {store} -destkeystore {store}.p12 -deststoretype PKCS12"
        in str(refused.value)
    )


@pytest.mark.parametrize("password", ["", "wrong-secret"])
def test_locked_key_needs_its_password(password: str) -> None:
    settings = {
        **PEM,
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(certificates.CLIENT_LOCKED),
        "ssl.key.password": password,
    }
    with pytest.raises(ConfigError, match=r"^Failed to load ssl.keystore .* ssl.key.password$") as refused:
        tls_context(settings)
    assert "secret" not in str(refused.value)


def test_login_shows_no_password() -> None:
    assert "alice-secret" not in repr(read_login(PLAIN)) + repr(read_security(PLAIN))


def test_unsecured_token_has_the_claims_of_the_jaas_configuration() -> None:
    options = (
        'unsecuredLoginStringClaim_sub="alice" unsecuredLoginNumberClaim_level="2" '
        'unsecuredLoginListClaim_scope="|a|b" unsecuredLoginLifetimeSeconds="60"'
    )
    login = read_login(
        {"sasl.mechanism": "OAUTHBEARER", "sasl.jaas.config": f"OAuthBearerLoginModule required {options};"}
    )
    first = next(login.exchange(1_000)).decode()
    found = re.fullmatch("n,,\x01auth=Bearer ([^.]+)[.]([^.]+)[.]\x01\x01", first)
    assert found is not None
    header, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in found.groups())
    assert header == {"alg": "none"}
    assert claims == {"iat": 1000, "exp": 1060, "sub": "alice", "level": 2.0, "scope": ["a", "b"]}


def answering(token: Callable[[str], str]) -> dict[str, Any]:
    """Return a broker's responses. token: from the text of the client's token to that of the broker's."""
    return {
        "SaslHandshake": lambda _: SaslHandshakeResponse(0, ["SCRAM-SHA-256"]),
        "SaslAuthenticate": lambda request: SaslAuthenticateResponse(
            auth_bytes=token(request.auth_bytes.decode()).encode()
        ),
    }


def first_message(client: str, iterations: int = 4096) -> str:
    nonce = client.rpartition("r=")[2]
    return f"r={nonce}more,s={base64.b64encode(b'salt').decode()},i={iterations}"


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (lambda _: "r=another,s=c2FsdA==,i=4096", "The broker sent an invalid SCRAM message"),
        (lambda _: "e=other-error", "The broker sent an invalid SCRAM message"),
        (
            lambda client: first_message(client, 4095),
            "The broker requests 4095 iterations of SCRAM-SHA-256; 4096 to 1000000 are allowed",
        ),
        (
            lambda client: first_message(client, 999_999_999),
            "The broker requests 999999999 iterations of SCRAM-SHA-256; 4096 to 1000000 are allowed",
        ),
        (
            lambda client: first_message(client) if client.startswith("n,,") else "v=c2FsdA==",
            "The broker cannot prove that it knows the password",
        ),
    ],
)
def test_broker_that_does_not_know_the_password_is_refused(token: Callable[[str], str], text: str) -> None:
    with ScriptedBroker(answering(token)) as broker, Client(broker.bootstrap, settings=SCRAM) as client:
        with pytest.raises(AuthenticationFailed) as refused:
            client.call(ListGroupsRequest())
        assert str(refused.value) == text
        assert "ListGroups" not in broker.names()


def test_client_logs_in_again_before_its_session_expires() -> None:
    responses = {
        "SaslHandshake": lambda _: SaslHandshakeResponse(0, ["PLAIN"]),
        "SaslAuthenticate": lambda _: SaslAuthenticateResponse(session_lifetime_ms=1),
        "ListGroups": lambda _: ListGroupsResponse(),
    }
    login = ["SaslHandshake", "SaslAuthenticate"]
    with ScriptedBroker(responses) as broker, Client(broker.bootstrap, settings=PLAIN) as client:
        for _ in range(2):
            connection = client.connection(None, client.deadline(None))
            while connection.session_is_fresh():
                pass
            client.call(ListGroupsRequest())
        assert broker.names() == [*login, *login, "ListGroups", *login, "ListGroups"]


def test_login_is_not_repeated_for_a_session_without_an_end() -> None:
    responses = {
        "SaslHandshake": lambda _: SaslHandshakeResponse(0, ["PLAIN"]),
        "SaslAuthenticate": lambda _: SaslAuthenticateResponse(session_lifetime_ms=0),
        "ListGroups": lambda _: ListGroupsResponse(),
    }
    with ScriptedBroker(responses) as broker, Client(broker.bootstrap, settings=PLAIN) as client:
        client.call(ListGroupsRequest())
        client.call(ListGroupsRequest())
        assert broker.names() == ["SaslHandshake", "SaslAuthenticate", "ListGroups", "ListGroups"]
        (token,) = [
            each.auth_bytes for _, _, each in broker.requests if isinstance(each, SaslAuthenticateRequest)
        ]
        assert token == b"\0alice\0alice-secret"


def test_refused_login_is_not_repeated() -> None:
    refused = SaslAuthenticateResponse(error_code=ErrorCode.SASL_AUTHENTICATION_FAILED, error_message="no")
    responses = {
        "SaslHandshake": lambda _: SaslHandshakeResponse(0, ["PLAIN"]),
        "SaslAuthenticate": lambda _: refused,
    }
    with ScriptedBroker(responses) as broker, Client(broker.bootstrap, settings=PLAIN) as client:
        with pytest.raises(AuthenticationFailed, match="^no$"):
            client.call(ListGroupsRequest())
        assert broker.names() == ["SaslHandshake", "SaslAuthenticate"]


def test_librdkafkas_settings_become_kafkas() -> None:
    found = kafkas_security(
        {
            "security.protocol": "sasl_ssl",
            "sasl.mechanisms": "SCRAM-SHA-512",
            "sasl.username": "alice",
            "sasl.password": 'a "secret\\',
            "ssl.ca.location": str(certificates.CA),
            "ssl.certificate.location": str(certificates.CLIENT),
            "ssl.key.pem": "a key",
            "ssl.endpoint.identification.algorithm": "none",
            "group.id": "g",
        }
    )
    assert found == {
        "security.protocol": "sasl_ssl",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.jaas.config": 'LoginModule required username="alice" password="a \\"secret\\\\";',
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": certificates.CA.read_text(),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": certificates.CLIENT.read_text(),
        "ssl.keystore.key": "a key",
        "ssl.endpoint.identification.algorithm": "",
    }
    login = read_login(found)
    assert next(login.exchange(0)).startswith(b"n,,n=alice,r=")
    assert kafkas_security({"security.protocol": "plaintext", "sasl.username": "alice"}) == {}


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (
            {"security.protocol": "ssl", "enable.ssl.certificate.verification": False},
            "enable.ssl.certificate.verification must be true",
        ),
        ({"security.protocol": "sasl_ssl", "sasl.mechanism": "OAUTHBEARER"}, "must be PLAIN or SCRAM"),
        (
            {"security.protocol": "sasl_ssl", "sasl.mechanism": "PLAIN"},
            "sasl.username and sasl.password must",
        ),
    ],
)
def test_settings_that_only_librdkafka_has_are_refused(settings: dict[str, object], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        kafkas_security(settings)
