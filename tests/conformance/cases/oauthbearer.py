"""Authentication by OAUTHBEARER, with unsecured tokens and with tokens that a key has signed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tests.conformance.build_sasl import authenticate, handshake
from tests.conformance.case import Fields, Peer, Talk, case
from tests.oauth.tokens import JWKS, claims, encoded, first_message, signed, unsecured
from tests.wire import sized

MECHANISM: Final = "OAUTHBEARER"
MODULE: Final = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
HANDLER: Final = "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
PREFIX: Final = "listener.name.plaintext.oauthbearer."
LISTENER: Final = {
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": f"{MECHANISM},PLAIN",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "listener.name.plaintext.plain.sasl.jaas.config": (
        "org.apache.kafka.common.security.plain.PlainLoginModule required "
        'username="admin" password="admin-secret" user_admin="admin-secret";'
    ),
}
UNSECURED: Final = {**LISTENER, f"{PREFIX}sasl.jaas.config": f"{MODULE} required;"}
OPTIONS: Final = {
    **LISTENER,
    f"{PREFIX}sasl.jaas.config": (
        f'{MODULE} required unsecuredValidatorPrincipalClaimName="user" '
        'unsecuredValidatorScopeClaimName="rights" unsecuredValidatorRequiredScope="read write" '
        'unsecuredValidatorAllowableClockSkewMs="60000" unsecuredLoginStringClaim_sub="admin";'
    ),
    f"{PREFIX}connections.max.reauth.ms": "600000",
}
WITH_KEYS: Final = {
    **UNSECURED,
    f"{PREFIX}sasl.server.callback.handler.class": HANDLER,
    "sasl.oauthbearer.jwks.endpoint.url": JWKS.as_uri(),
}
# 4.3 does not know the last two, which 4.4 needs.
SIGNED: Final = {
    **WITH_KEYS,
    "sasl.oauthbearer.allow.unverified.audience": "true",
    "sasl.oauthbearer.allow.unverified.issuer": "true",
}
CHECKED: Final = {
    **WITH_KEYS,
    "sasl.oauthbearer.expected.audience": "kafka,other",
    "sasl.oauthbearer.expected.issuer": "https://issuer.example",
    "sasl.oauthbearer.scope.claim.name": "rights",
    "sasl.oauthbearer.sub.claim.name": "user",
    "sasl.oauthbearer.clock.skew.seconds": "60",
}
LIFETIME_ERROR_MS: Final = 600_000
# The tokens have the time of this machine.
of_logins: Final = partial(case, in_process=False)


def _coarse(told: Fields) -> Any:
    """Return a response with a rounded lifetime of the session: a slow machine must not change it."""
    return {
        **told,
        "SessionLifetimeMs": round(told["SessionLifetimeMs"] / LIFETIME_ERROR_MS) * LIFETIME_ERROR_MS,
    }


def _served(k: Talk, peer: Peer) -> None:
    try:
        peer.ask("DescribeCluster", 0, {}, keep=lambda response: response["ErrorCode"])
    except ConnectionError:
        k.keep("session has ended", True)


def _login(k: Talk, name: str, message: bytes) -> None:
    """Keep what a login leads to, with the client's response to an error."""
    peer = k.connect()
    k.keep("login", name)
    peer.do(*handshake(MECHANISM))
    peer.send(*authenticate(message))
    try:
        told = peer.receive(_coarse)
    except ConnectionError:
        k.keep("closed", True)
        return
    if told["ErrorCode"]:
        peer.closed()
    elif told["AuthBytes"]:
        peer.ask(*authenticate(b"\x01"))
        peer.closed()
    else:
        _served(k, peer)


def _headed(header: dict[str, str], token: str) -> str:
    """Return a token with another header."""
    return ".".join([encoded(json.dumps(header).encode()), *token.split(".")[1:]])


def _tokens(k: Talk, tokens: dict[str, str | Callable[[int], str]]) -> None:
    """Keep what a login with each token leads to. A function makes one from the current time, in seconds."""
    for name, token in tokens.items():
        _login(k, name, first_message(token if isinstance(token, str) else token(int(time.time()))))


@of_logins(settings=UNSECURED, versions=range(3))
def oauthbearer_login(k: Talk, version: int) -> None:
    k.ask(*handshake(MECHANISM))
    k.ask(
        *authenticate(first_message(unsecured(claims())), version),
        keep=lambda told: {**told, "SessionLifetimeMs": 0},
    )
    _served(k, k)


@of_logins(settings=UNSECURED)
def oauthbearer_unsecured_tokens(k: Talk) -> None:
    now = int(time.time())
    later = now + 600
    _tokens(
        k,
        {
            "valid": unsecured(claims()),
            "expired": unsecured(claims(exp=now - 1)),
            "expires now": unsecured(claims(exp=now)),
            "no exp": unsecured(claims(exp=None)),
            "exp is text": unsecured(claims(exp=str(now + 60))),
            "exp is true": unsecured(claims(exp=True)),
            "exp has a fraction": unsecured(claims(exp=now + 600.5)),
            "exp is a list": unsecured(claims(exp=[now + 60])),
            "exp is large": unsecured(b'{"sub":"alice","exp":1e300}'),
            "exp is larger than a long": unsecured(b'{"sub":"alice","exp":99999999999999999999999999}'),
            "exp in the year 5138": unsecured(claims(exp=99999999999)),
            "exp is no number": unsecured(b'{"sub":"alice","exp":NaN}'),
            "exp before iat": unsecured(claims(iat=now + 20, exp=now + 10)),
            "issued later": unsecured(claims(iat=now + 600)),
            "no iat": unsecured(claims(iat=None)),
            "iat is text": unsecured(claims(iat="0")),
            "no sub": unsecured(claims(sub=None)),
            "sub is empty": unsecured(claims(sub="")),
            "sub is blank": unsecured(claims(sub=" ")),
            "sub with blanks": unsecured(claims(sub=" alice ")),
            "sub is a number": unsecured(claims(sub=5)),
            "sub is true": unsecured(claims(sub=True)),
            "sub is null": unsecured(b'{"sub":null,"exp":%d}' % later),
            "sub is a list": unsecured(claims(sub=["alice"])),
            "sub is an object": unsecured(claims(sub={"a": "b"})),
            "sub twice": unsecured(b'{"sub":"bob","sub":"alice","exp":%d}' % later),
            "nbf is ignored": unsecured(claims(nbf=now + 600)),
            "scope is a number": unsecured(claims(scope=5)),
            "trailing JSON": unsecured(b'{"sub":"alice","exp":%d} {' % later),
            "claims are a list": unsecured(b"[]"),
            "claims are null": unsecured(b"null"),
            "claims are no JSON": unsecured(b"{"),
            "claims are empty": unsecured(b""),
            "claims are deep": unsecured(b'{"a":' + b"[" * 2000 + b"]" * 2000 + b"}"),
            "claims are Latin-1": unsecured(b'{"sub":"\xe4","exp":%d}' % later),
            "claims with a comment": unsecured(b'{"sub":"alice",/* */"exp":%d}' % later),
            "alg is RS256": unsecured(claims(), {"alg": "RS256"}),
            "alg is NONE": unsecured(claims(), {"alg": "NONE"}),
            "alg is null": unsecured(claims(), {"alg": None}),
            "no alg": unsecured(claims(), {}),
            "header is a list": unsecured(claims(), b"[]"),
            "header is no JSON": unsecured(claims(), b"nonsense"),
            "signed": signed(claims()),
            "signature": unsecured(claims()) + "abc",
            "two parts": unsecured(claims()).rstrip("."),
            "two dots": unsecured(claims()) + ".",
            "four parts": unsecured(claims()) + "a.b",
            "one part": "abc",
            "plus": "a+b." + encoded(b"{}") + ".",
            "four times n and one": "abcde." + encoded(b"{}") + ".",
        },
    )


@of_logins(settings=UNSECURED)
def oauthbearer_first_messages_that_fail(k: Talk) -> None:
    token = unsecured(claims())
    _login(k, "empty", b"")
    _login(k, "nonsense", b"nonsense")
    _login(k, "only x01", b"\x01")
    _login(k, "no UTF-8", b"\xff\xfe")
    _login(k, "channel binding", f"y,,\x01auth=Bearer {token}\x01\x01".encode())
    _login(k, "no auth", b"n,,\x01a=b\x01\x01")
    _login(k, "no pairs", b"n,,\x01\x01")
    _login(k, "another scheme", f"n,,\x01auth=Basic {token}\x01\x01".encode())
    _login(k, "no token", b"n,,\x01auth=Bearer \x01\x01")
    _login(k, "no scheme", f"n,,\x01auth={token}\x01\x01".encode())
    _login(k, "signs in the token", b"n,,\x01auth=Bearer a,b\x01\x01")
    _login(k, "lower case", f"n,,\x01auth=bearer {token}\x01\x01".encode())
    _login(k, "blanks", f"n,,\x01auth=Bearer   {token}\x01\x01".encode())
    _login(k, "auth twice", f"n,,\x01auth=Bearer x\x01auth=Bearer {token}\x01\x01".encode())
    _login(k, "one x01 at the end", f"n,,\x01auth=Bearer {token}\x01".encode())
    _login(k, "more at the end", f"n,,\x01auth=Bearer {token}\x01\x01x".encode())
    _login(k, "another user", first_message(token, "bob"))
    _login(k, "the same user", first_message(token, "alice"))
    _login(k, "an escaped user", first_message(token, "a=2Cb"))
    _login(k, "a user with a comma", first_message(token, "a,b"))
    _login(k, "extensions", first_message(token, "", "traceId=123\x01other=a b\x01"))
    _login(k, "an extension with a number", first_message(token, "", "trace1=1\x01"))
    _login(k, "an extension without a value", first_message(token, "", "trace=\x01"))
    _login(k, "the authorization in the extensions", first_message(token, "", "auth=Bearer x\x01"))
    _login(k, "oversized", first_message("a" * 400_000))


@of_logins(settings=OPTIONS)
def oauthbearer_options_of_the_unsecured_validator(k: Talk) -> None:
    now = int(time.time())

    def told(**changes: Any) -> dict[str, Any]:
        return claims(sub=None, **{"user": "bob", "rights": ["read", "write", "more"], **changes})

    _tokens(
        k,
        {
            "valid": unsecured(told()),
            "within the clock skew": lambda s: unsecured(told(iat=s + 20, exp=s + 21)),
            "expired a little": lambda s: unsecured(told(iat=s - 100, exp=s - 20)),
            "expired": unsecured(told(exp=now - 61)),
            "issued later": unsecured(told(iat=now + 600)),
            "no user": unsecured(told(user=None)),
            "no scope": unsecured(told(rights=None)),
            "too few scopes": unsecured(told(rights=["write"])),
            "one scope": unsecured(told(rights="read")),
            "scopes in one text": unsecured(told(rights="read write")),
            "scope is empty": unsecured(told(rights="")),
            "no scopes": unsecured(told(rights=[])),
            "scopes with blanks": unsecured(told(rights=[" read ", "write "])),
            "scope is a number": unsecured(told(rights=5)),
            "scopes are numbers": unsecured(told(rights=[1, 2.5, None, True, {}])),
        },
    )


@of_logins(settings=UNSECURED)
def oauthbearer_exchange_after_an_error(k: Talk) -> None:
    bad, good = first_message("abc"), first_message(unsecured(claims()))
    for then in (good, b"", b"nonsense", b"\x01\x01", bad):
        peer = k.connect()
        peer.do(*handshake(MECHANISM))
        peer.ask(*authenticate(bad))
        peer.ask(*authenticate(then), keep=_coarse)
    peer.ask(*authenticate(b"\x01"))
    peer.closed()
    peer = k.connect()
    peer.do(*handshake(MECHANISM))
    peer.ask(*authenticate(bad))
    peer.ask("ListGroups", 0, {})
    peer.closed()


@of_logins(settings=UNSECURED)
def oauthbearer_login_again(k: Talk) -> None:
    k.do(*handshake(MECHANISM))
    k.do(*authenticate(first_message(unsecured(claims()))))
    k.ask(*handshake(MECHANISM))
    k.ask(*authenticate(first_message(unsecured(claims()))), keep=_coarse)
    _served(k, k)
    for message in (first_message(unsecured(claims(sub="bob"))), first_message("abc")):
        peer = k.connect()
        peer.do(*handshake(MECHANISM))
        peer.do(*authenticate(first_message(unsecured(claims()))))
        peer.ask(*handshake(MECHANISM))
        if peer.ask(*authenticate(message))["AuthBytes"]:
            peer.ask(*authenticate(b"\x01"))
        peer.closed()


@of_logins(settings=UNSECURED)
def oauthbearer_without_headers(k: Talk) -> None:
    k.do(*handshake(MECHANISM, 0))
    k.send_raw(sized(first_message(unsecured(claims()))))
    k.keep("token", k.frame_or_fate())
    _served(k, k)
    peer = k.connect()
    peer.do(*handshake(MECHANISM, 0))
    peer.send_raw(sized(first_message("abc")))
    k.keep("token", peer.frame_or_fate())
    peer.send_raw(sized(b"\x01"))
    peer.closed()


@of_logins(settings=SIGNED)
def oauthbearer_signed_tokens(k: Talk) -> None:
    now = int(time.time())
    valid = signed(claims())
    head, body, signature = valid.split(".")
    _tokens(
        k,
        {
            "RS256": valid,
            "PS256": signed(claims(), algorithm="PS256"),
            "RS512": signed(claims(), algorithm="RS512"),
            "ES256": signed(claims(), "ec"),
            "EdDSA": signed(claims(), "ed"),
            "HS256": signed(claims(), "hmac"),
            "a weak key": signed(claims(), "weak"),
            "a key that is not known": signed(claims(), "other"),
            "the id of another key": signed(claims(), "other", kid="rsa"),
            "a key of another type": signed(claims(), "rsa", kid="ec"),
            "a key for another use": signed(claims(), "rsa", kid="enc"),
            "no key id": signed(claims(), kid=None),
            "no key id of an EC key": signed(claims(), "ec", kid=None),
            "unsecured": unsecured(claims()),
            "unsecured with a key id": unsecured(claims(), {"alg": "none", "kid": "rsa"}),
            "unsecured with a signature": unsecured(claims(), {"alg": "none", "kid": "rsa"}) + signature,
            "another body": f"{head}.{encoded(b'{}')}.{signature}",
            "another signature": f"{head}.{body}.{encoded(b'x' * 256)}",
            "no signature": f"{head}.{body}.",
            "the algorithm of another key": _headed({"alg": "HS256", "kid": "rsa"}, valid),
            "an unknown algorithm": _headed({"alg": "XX", "kid": "rsa"}, valid),
            "no algorithm": _headed({"kid": "rsa"}, valid),
            "header is no JSON": f"abc.{body}.{signature}",
            "two parts": f"{head}.{body}",
            "five parts": f"{head}.{body}.{signature}.{head}.{body}",
            "one part": "abc",
            "critical": signed(claims(), crit=["unknown"], unknown=1),
            "another type": signed(claims(), typ="at+jwt"),
            "expired": signed(claims(iat=now - 100, exp=now - 31)),
            "expired a little": lambda s: signed(claims(iat=s - 100, exp=s - 10)),
            "no exp": signed(claims(exp=None)),
            "exp is text": signed(claims(exp=str(now + 600))),
            "exp has a fraction": signed(claims(exp=now + 600.5)),
            "exp before iat": signed(claims(iat=now + 100, exp=now + 60)),
            "exp before nbf": signed(claims(nbf=now + 20, exp=now + 10)),
            "issued later": signed(claims(iat=now + 600)),
            "no iat": signed(claims(iat=None)),
            "iat is negative": signed(claims(iat=-1)),
            "not before later": signed(claims(nbf=now + 600)),
            "not before soon": signed(claims(nbf=now + 10)),
            "nbf is text": signed(claims(nbf="0")),
            "no sub": signed(claims(sub=None)),
            "sub is empty": signed(claims(sub="")),
            "sub is blank": signed(claims(sub=" ")),
            "sub with blanks": signed(claims(sub=" alice ")),
            "an audience": signed(claims(aud="kafka")),
            "an issuer": signed(claims(iss="anyone")),
            "a scope": signed(claims(scope="read write")),
            "scopes": signed(claims(scope=["read", "write"])),
            "a scope twice": signed(claims(scope=["read", "read"])),
            "an empty scope": signed(claims(scope="")),
            "scope is a number": signed(claims(scope=5)),
        },
    )


@of_logins(settings=SIGNED)
def oauthbearer_signed_tokens_with_odd_claims(k: Talk) -> None:
    now = int(time.time())
    for name, text in {
        "sub is a number": '{"sub":5,"exp":%d,"iat":1}',
        "sub twice": '{"sub":"bob","sub":"alice","exp":%d,"iat":1}',
        "iss is a number": '{"sub":"alice","iss":5,"exp":%d,"iat":1}',
        "aud is a number": '{"sub":"alice","aud":5,"exp":%d,"iat":1}',
        "jti is a number": '{"sub":"alice","jti":5,"exp":%d,"iat":1}',
        "scopes are numbers": '{"sub":"alice","scope":[5],"exp":%d,"iat":1}',
        "scope is null": '{"sub":"alice","scope":null,"exp":%d,"iat":1}',
        "trailing JSON": '{"sub":"alice","exp":%d,"iat":1} {',
        "a list": "[%d]",
    }.items():
        _login(k, name, first_message(signed((text % (now + 600)).encode())))


@of_logins(settings=CHECKED)
def oauthbearer_audience_issuer_and_claim_names(k: Talk) -> None:
    now = int(time.time())

    def token(**changes: Any) -> str:
        told = {"aud": "kafka", "iss": "https://issuer.example", "user": "bob", "rights": ["read"], **changes}
        return signed(claims(**told))

    _tokens(
        k,
        {
            "valid": token(),
            "several audiences": token(aud=["x", "other"]),
            "another audience": token(aud="someone"),
            "no audience": token(aud=None),
            "another issuer": token(iss="https://issuer.example/"),
            "no issuer": token(iss=None),
            "no user": token(user=None),
            "no sub": token(sub=None),
            "no rights": token(rights=None),
            "expired a little": lambda s: token(iat=s - 100, exp=s - 35),
            "expired": token(iat=now - 100, exp=now - 61),
        },
    )
