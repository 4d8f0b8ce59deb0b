"""The settings of OAUTHBEARER on one listener. Kafka: KIP-255 (unsecured tokens), KIP-768 (signed tokens).

As in Kafka, tokens are unsecured unless `sasl.server.callback.handler.class` names the validator of signed
ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from tidemark.settings.broker import BrokerSettings
from tidemark.settings.jaas import read_jaas
from tidemark.settings.release import Change, Release
from tidemark.settings.setting import INT, ConfigError, Setting

OAUTHBEARER: Final = "OAUTHBEARER"
LOGIN_MODULE: Final = "OAuthBearerLoginModule"
UNSECURED_HANDLER: Final = "OAuthBearerUnsecuredValidatorCallbackHandler"
SIGNED_HANDLER: Final = "OAuthBearerValidatorCallbackHandler"
SIGNED_HANDLER_CLASS: Final = f"org.apache.kafka.common.security.oauthbearer.{SIGNED_HANDLER}"
JAVA_BLANKS: Final = "".join(map(chr, range(0x21)))  # which Java's String.trim removes
URL: Final = BrokerSettings.sasl_oauthbearer_jwks_endpoint_url
AUDIENCE: Final = BrokerSettings.sasl_oauthbearer_expected_audience
ANY_AUDIENCE: Final = BrokerSettings.sasl_oauthbearer_allow_unverified_audience
ISSUER: Final = BrokerSettings.sasl_oauthbearer_expected_issuer
ANY_ISSUER: Final = BrokerSettings.sasl_oauthbearer_allow_unverified_issuer
_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
_OPTION: Final = "unsecuredValidator"


@dataclass(slots=True, frozen=True)
class UnsecuredTokens:
    """Accept tokens without a signature: anyone can make them. For tests only.

    required_scope   every token must have these scopes
    """

    principal_claim: str = "sub"
    scope_claim: str = "scope"
    required_scope: tuple[str, ...] = ()
    clock_skew_ms: int = 0


@dataclass(slots=True, frozen=True)
class KeySource:
    """The place of the JSON web keys.

    path, url            of a file, or of a server; the other is ""
    refresh_ms           time between two requests to the server
    retry_ms             time after the first request that failed; it doubles up to retry_max_ms
    """

    path: str = ""
    url: str = ""
    refresh_ms: int = 0
    retry_ms: int = 0
    retry_max_ms: int = 0


@dataclass(slots=True, frozen=True)
class SignedTokens:
    """Accept tokens that one of the keys has signed.

    audiences      a token is for one of them. Without any, it must have no audience, unless any_audience
    issuer         that of the tokens; "": any
    """

    keys: KeySource
    audiences: tuple[str, ...] = ()
    any_audience: bool = False
    issuer: str = ""
    scope_claim: str = "scope"
    subject_claim: str = "sub"
    clock_skew_s: int = 30


Tokens = UnsecuredTokens | SignedTokens
Read = Callable[[Setting[Any]], Any]


def read_oauthbearer(
    listener: str, own: str, given: Mapping[str, str], read: Read, release: Release
) -> Tokens:
    """Return which tokens a listener accepts. Raises ConfigError.

    own    the prefix of the listener's settings
    given  texts by dotted name
    read   returns the value of a setting, for this listener and mechanism
    """
    own += f"{OAUTHBEARER.lower()}."
    jaas = f"{own}sasl.jaas.config"
    options: dict[str, str] = {}
    if jaas in given:
        module, options = read_jaas(jaas, given[jaas])
        if module.rpartition(".")[2] != LOGIN_MODULE:
            raise ConfigError(f"{jaas} must name the module {LOGIN_MODULE}, got {module}")
    handler = f"{own}{BrokerSettings.sasl_server_callback_handler_class.name}"
    chosen = given.get(handler, UNSECURED_HANDLER).strip().rpartition(".")[2]
    url = read(URL)
    if chosen == SIGNED_HANDLER:
        return _signed(listener, url, read, release)
    if chosen != UNSECURED_HANDLER:
        raise ConfigError(
            f"{handler} must name {SIGNED_HANDLER} or {UNSECURED_HANDLER}, got {given[handler]}"
        )
    if url:
        # Kafka would accept unsigned tokens.
        raise ConfigError(
            f"Listener {listener} has {URL.name}, but does not check signatures. Set {handler} to "
            f"{SIGNED_HANDLER_CLASS}."
        )
    return _unsecured(jaas, options)


def _signed(listener: str, url: str, read: Read, release: Release) -> SignedTokens:
    if not url:
        raise ConfigError(
            f"Listener {listener} checks the signatures of tokens. Set {URL.name} to the URL of the keys."
        )
    audiences = tuple(filter(None, read(AUDIENCE)))
    issuer = read(ISSUER) or ""
    is_strict = release.has(Change.SIGNED_TOKENS_ARE_FOR_ONE_AUDIENCE)
    any_audience = is_strict and not audiences
    if any_audience and not read(ANY_AUDIENCE):
        raise ConfigError(
            f'The OAuth validator for the broker requires "{AUDIENCE.name}" to be configured so that the '
            f'token\'s audience ("aud") claim can be verified, but it was not set. Set "{AUDIENCE.name}" '
            f'to the audience(s) that identify this cluster, or set "{ANY_AUDIENCE.name}" to true to accept '
            "tokens regardless of their audience."
        )
    if is_strict and not issuer and not read(ANY_ISSUER):
        raise ConfigError(
            f'The OAuth validator for the broker requires "{ISSUER.name}" to be configured so that the '
            f'token\'s issuer ("iss") claim can be verified, but it was not set. Set "{ISSUER.name}" to '
            "the issuer URL of the OAuth/OIDC provider that signs the tokens, or set "
            f'"{ANY_ISSUER.name}" to true to accept tokens regardless of their issuer.'
        )
    return SignedTokens(
        _source(url, read),
        audiences,
        any_audience,
        issuer,
        read(BrokerSettings.sasl_oauthbearer_scope_claim_name),
        read(BrokerSettings.sasl_oauthbearer_sub_claim_name),
        read(BrokerSettings.sasl_oauthbearer_clock_skew_seconds),
    )


def _source(url: str, read: Read) -> KeySource:
    name = URL.name
    parts = urlsplit(url)
    if parts.scheme.lower() == "file":
        if parts.netloc not in ("", "localhost") or not parts.path:
            raise ConfigError(f"{name} must be like file:///etc/keys.json, got {url}")
        return KeySource(path=unquote(parts.path))
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{name} must be a URL with file, http or https, got {url}")
    refresh = BrokerSettings.sasl_oauthbearer_jwks_endpoint_refresh_ms
    refresh_ms = read(refresh)
    if refresh_ms <= 0:
        raise ConfigError(f"{refresh.name} must be positive, got {refresh_ms}")
    return KeySource(
        url=url,
        refresh_ms=refresh_ms,
        retry_ms=max(1, read(BrokerSettings.sasl_oauthbearer_jwks_endpoint_retry_backoff_ms)),
        retry_max_ms=max(1, read(BrokerSettings.sasl_oauthbearer_jwks_endpoint_retry_backoff_max_ms)),
    )


def _unsecured(jaas: str, options: Mapping[str, str]) -> UnsecuredTokens:
    def option(name: str) -> str:
        return options.get(f"{_OPTION}{name}", "").strip(JAVA_BLANKS)

    scopes = tuple(filter(None, option("RequiredScope").split(" ")))
    for scope in scopes:
        if not _SCOPE.fullmatch(scope):
            raise ConfigError(f"{jaas}: Invalid scope value: {scope}")
    skew = option("AllowableClockSkewMs") or "0"
    if not skew.isdecimal() or int(skew) > INT[1]:
        raise ConfigError(
            f"{jaas}: {_OPTION}AllowableClockSkewMs must be a number of milliseconds, got {skew}"
        )
    return UnsecuredTokens(
        option("PrincipalClaimName") or "sub", option("ScopeClaimName") or "scope", scopes, int(skew)
    )
