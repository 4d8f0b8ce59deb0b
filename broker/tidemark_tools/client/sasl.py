"""SASL on the side of the client: the tokens of each mechanism.

Kafka: `SaslClientAuthenticator`, `PlainSaslClient`, `ScramSaslClient`, `OAuthBearerSaslClient`. Messages
name no password and no token.
"""

from __future__ import annotations

import hmac
import json
import os
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Final

from tidemark.security.scram import HASHES, ITERATIONS_MIN, NUMBERS, credential, salted
from tidemark.settings.jaas import read_jaas
from tidemark.settings.setting import ConfigError as JaasError
from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.errors import AuthenticationFailed, ConfigError

PLAIN: Final = "PLAIN"
OAUTHBEARER: Final = "OAUTHBEARER"
JAAS: Final = "sasl.jaas.config"
# A server decides how long the client computes. Kafka allows 16384; this many need half a second.
ITERATIONS_MAX: Final = 1_000_000
NONCE_BYTES: Final = 18
TOKEN_S: Final = 3600  # Kafka: unsecuredLoginLifetimeSeconds
CLAIM: Final = re.compile("unsecuredLogin(String|Number|List)Claim_(.+)")

# Yields the tokens of the client, and is sent those of the server.
Exchange = Generator[bytes, bytes, None]


@dataclass(slots=True, frozen=True)
class Login:
    """The mechanism and the credentials of a client. exchange(): starts an exchange; wall_s: the time."""

    mechanism: str
    exchange: Callable[[int], Exchange] = field(repr=False)


def read_login(settings: Mapping[str, str]) -> Login:
    """Return the login of `sasl.mechanism` and `sasl.jaas.config`. Raises ConfigError."""
    mechanism = settings.get("sasl.mechanism", "GSSAPI").strip()
    if mechanism not in (PLAIN, OAUTHBEARER, *NUMBERS):
        default = "" if "sasl.mechanism" in settings else ", Kafka's default,"
        raise ConfigError(
            f"sasl.mechanism={mechanism}{default} is not supported. Set sasl.mechanism to one of "
            f"{', '.join((PLAIN, *NUMBERS, OAUTHBEARER))}."
        )
    text = settings.get(JAAS, "").strip()
    if not text:
        raise ConfigError(f"{JAAS} is not set. {_example(mechanism)}")
    try:
        _, options = read_jaas(JAAS, text)
    except JaasError as error:
        raise ConfigError(str(error)) from None
    if mechanism == OAUTHBEARER:
        claims = _claims(options)
        return Login(mechanism, lambda wall_s: _bearer(_unsecured(claims, options, wall_s)))
    user, password = options.get("username", ""), options.get("password", "")
    if not (user and password):
        raise ConfigError(f"{JAAS} has no username or no password. {_example(mechanism)}")
    if mechanism == PLAIN:
        return Login(mechanism, lambda _: _plain(user, password))
    extension = ",tokenauth=true" if options.get("tokenauth", "").lower() == "true" else ""
    return Login(mechanism, lambda _: _scram(mechanism, user, password, extension))


def _example(mechanism: str) -> str:
    if mechanism == OAUTHBEARER:
        module, options = "oauthbearer.OAuthBearer", 'unsecuredLoginStringClaim_sub="NAME"'
    else:
        module = "plain.Plain" if mechanism == PLAIN else "scram.Scram"
        options = 'username="NAME" password="PASSWORD"'
    return f"Set it to: org.apache.kafka.common.security.{module}LoginModule required {options};"


def refusal(mechanism: str, code: int, enabled: list[str]) -> AuthenticationFailed:
    """Return the error of a broker that does not accept the mechanism, in Kafka's words."""
    listed = f"enabled mechanisms are [{', '.join(enabled)}]"
    if code == ErrorCode.ILLEGAL_SASL_STATE:
        text = f"Unexpected handshake request with client mechanism {mechanism}, {listed}"
    elif code == ErrorCode.UNSUPPORTED_SASL_MECHANISM:
        text = f"Client SASL mechanism '{mechanism}' not enabled in the server, {listed}"
    else:
        return AuthenticationFailed(code)
    return AuthenticationFailed(code, text)


def _plain(user: str, password: str) -> Exchange:
    yield f"\0{user}\0{password}".encode()


def _scram(mechanism: str, user: str, password: str, extension: str) -> Exchange:
    """Prove the password, and check that the broker knows it, too (RFC 5802)."""
    hash_name = HASHES[NUMBERS[mechanism]]
    nonce = b64encode(os.urandom(NONCE_BYTES)).decode()
    name = user.replace("=", "=3D").replace(",", "=2C")
    bare = f"n={name},r={nonce}{extension}"
    server_first = (yield f"n,,{bare}".encode()).decode("utf-8", "replace")
    found = re.fullmatch(r"r=([^,]+),s=([A-Za-z0-9+/=]+),i=([0-9]{1,9})(?:,.*)?", server_first)
    if found is None or not found[1].startswith(nonce):
        raise _bad_server("sent an invalid SCRAM message")
    iterations = int(found[3])
    if not ITERATIONS_MIN <= iterations <= ITERATIONS_MAX:
        raise _bad_server(
            f"requests {iterations} iterations of {mechanism}; {ITERATIONS_MIN} to {ITERATIONS_MAX} are "
            "allowed"
        )
    salt = b64decode(found[2])
    key = salted(hash_name, password, salt, iterations)
    known = credential(hash_name, key, salt, iterations)
    unproved = f"c=biws,r={found[1]}"
    signed = f"{bare},{server_first},{unproved}".encode()
    signature = hmac.digest(known.stored_key, signed, hash_name)
    client_key = hmac.digest(key, b"Client Key", hash_name)
    proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
    server_final = yield f"{unproved},p={b64encode(proof).decode()}".encode()
    expected = b"v=" + b64encode(hmac.digest(known.server_key, signed, hash_name))
    if not hmac.compare_digest(server_final.partition(b",")[0], expected):
        raise _bad_server("cannot prove that it knows the password")


def _bad_server(text: str) -> AuthenticationFailed:
    return AuthenticationFailed(ErrorCode.SASL_AUTHENTICATION_FAILED, f"The broker {text}")


def _bearer(token: str) -> Exchange:
    """Send a token (RFC 7628). A broker that refuses it says so, and closes after our last message."""
    error = yield f"n,,\x01auth=Bearer {token}\x01\x01".encode()
    if error:
        yield b"\x01"


def _claims(options: Mapping[str, str]) -> dict[str, object]:
    """Return the claims of an unsecured token. Raises ConfigError."""
    claims: dict[str, object] = {}
    for name, text in options.items():
        found = CLAIM.fullmatch(name)
        if found is None:
            continue
        kind, claim = found.groups()
        try:
            claims[claim] = _claim(kind, text)
        except ValueError:
            raise ConfigError(f"{JAAS}: {name} must be a number") from None
    if not claims:
        raise ConfigError(
            f"{JAAS}: only unsecured tokens are supported for OAUTHBEARER. {_example(OAUTHBEARER)}"
        )
    return claims


def _claim(kind: str, text: str) -> object:
    if kind == "Number":
        return float(text)
    # The first character of a list, if it is no letter or digit, separates its elements.
    return text[1:].split(text[0]) if kind == "List" and text and not text[0].isalnum() else text


def _unsecured(claims: Mapping[str, object], options: Mapping[str, str], wall_s: int) -> str:
    """Return a token without a signature, as Kafka's OAuthBearerUnsecuredLoginCallbackHandler makes them."""
    lifetime = options.get("unsecuredLoginLifetimeSeconds", str(TOKEN_S))
    if not (lifetime.isascii() and lifetime.isdecimal()):
        raise ConfigError(f"{JAAS}: unsecuredLoginLifetimeSeconds must be a number of seconds")
    payload = {"iat": wall_s, "exp": wall_s + int(lifetime), **claims}
    return f"{_url_base64({'alg': 'none'})}.{_url_base64(payload)}."


def _url_base64(content: Mapping[str, object]) -> str:
    return urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")
