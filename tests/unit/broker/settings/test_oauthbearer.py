from __future__ import annotations

from typing import Any

import pytest

from tidemark.config import Config, ConfigError
from tidemark.settings.oauthbearer import KeySource, SignedTokens, UnsecuredTokens

PACKAGE = "org.apache.kafka.common.security.oauthbearer"
OWN = "listener.name.internal.oauthbearer."
JAAS = f"{OWN}sasl.jaas.config"
HANDLER = f"{OWN}sasl.server.callback.handler.class"
URL = "sasl.oauthbearer.jwks.endpoint.url"
AUDIENCE, ANY_AUDIENCE = "sasl.oauthbearer.expected.audience", "sasl.oauthbearer.allow.unverified.audience"
ISSUER, ANY_ISSUER = "sasl.oauthbearer.expected.issuer", "sasl.oauthbearer.allow.unverified.issuer"
WITH_KEYS = {HANDLER: f"{PACKAGE}.OAuthBearerValidatorCallbackHandler", URL: "file:///etc/keys%201.json"}
SIGNED = {**WITH_KEYS, ANY_AUDIENCE: "true", ANY_ISSUER: "true"}
BASE = {
    "listeners": "INTERNAL://:9093",
    "listener.security.protocol.map": "INTERNAL:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "OAUTHBEARER",
}


def tokens(values: dict[str, str]) -> Any:
    (internal,) = Config(BASE | values).listeners_served
    assert internal.sasl is not None
    return internal.sasl.tokens


def module(options: str) -> str:
    return f"{PACKAGE}.OAuthBearerLoginModule required {options};"


def test_tokens_are_unsecured_by_default() -> None:
    assert tokens({}) == tokens({JAAS: module("")}) == UnsecuredTokens()


def test_listener_with_unsecured_tokens_is_known_as_such() -> None:
    for values, any_token in (
        ({}, True),
        (SIGNED, False),
        ({"sasl.enabled.mechanisms": "SCRAM-SHA-256"}, False),
    ):
        (internal,) = Config({**BASE, **values}).listeners_served
        assert internal.sasl is not None
        assert internal.sasl.accepts_any_token is any_token


def test_options_of_the_login_module_decide_about_unsecured_tokens() -> None:
    options = (
        'unsecuredValidatorPrincipalClaimName=user unsecuredValidatorScopeClaimName=" rights " '
        'unsecuredValidatorRequiredScope="read  write" unsecuredValidatorAllowableClockSkewMs=5'
    )
    assert tokens({JAAS: module(options)}) == UnsecuredTokens("user", "rights", ("read", "write"), 5)


def test_signed_tokens_need_the_handler_and_the_url_of_the_keys() -> None:
    assert tokens(SIGNED) == SignedTokens(KeySource(path="/etc/keys 1.json"), any_audience=True)
    own = {f"listener.name.internal.{URL}": "https://a.example/keys", URL: "http://b.example"}
    assert tokens({**SIGNED, **own}).keys == KeySource(
        url="https://a.example/keys", refresh_ms=3_600_000, retry_ms=100, retry_max_ms=10_000
    )


def test_claims_of_signed_tokens_are_set_for_the_mechanism() -> None:
    prefix = f"{OWN}sasl.oauthbearer."
    read = tokens(
        {
            **SIGNED,
            f"{prefix}expected.audience": "a, b",
            f"{prefix}expected.issuer": "me",
            f"{prefix}scope.claim.name": "rights",
            f"{prefix}sub.claim.name": "user",
            f"{prefix}clock.skew.seconds": "7",
        }
    )
    source = KeySource(path="/etc/keys 1.json")
    assert read == SignedTokens(source, ("a", "b"), False, "me", "rights", "user", 7)


def test_audience_and_issuer_are_required_unless_any_is_allowed() -> None:
    """The texts are those of Kafka 4.4.0."""
    both = {**WITH_KEYS, AUDIENCE: "a", ISSUER: "me"}
    assert tokens(both).audiences == ("a",)
    assert not tokens({**both, ANY_AUDIENCE: "true"}).any_audience
    for missing, values in (
        (AUDIENCE, {ISSUER: "me"}),
        (ISSUER, {AUDIENCE: "a"}),
        (AUDIENCE, {AUDIENCE: " , "}),
    ):
        with pytest.raises(ConfigError) as refused:
            tokens({**WITH_KEYS, **values})
        assert str(refused.value).startswith(
            f'The OAuth validator for the broker requires "{missing}" to be configured so that the token\'s '
        )
    with pytest.raises(ConfigError) as refused:
        tokens({**WITH_KEYS, ANY_AUDIENCE: "yes"})
    assert "Expected value to be either true or false" in str(refused.value)


def test_audience_and_issuer_are_not_required_as_4_3() -> None:
    assert tokens({**WITH_KEYS, "tidemark.as": "4.3"}) == SignedTokens(KeySource(path="/etc/keys 1.json"))
    assert not tokens({**SIGNED, "tidemark.as": "4.3"}).any_audience


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (
            {URL: "file:///keys"},
            "but does not check signatures. Set listener.name.internal.oauthbearer.sasl.server",
        ),
        ({HANDLER: SIGNED[HANDLER]}, "Set sasl.oauthbearer.jwks.endpoint.url to the URL of the keys"),
        ({HANDLER: "com.example.Own"}, "must name OAuthBearerValidatorCallbackHandler or"),
        ({**SIGNED, URL: "ftp://a/b"}, "must be a URL with file, http or https, got ftp://a/b"),
        ({**SIGNED, URL: "https:///b"}, "must be a URL with file, http or https"),
        ({**SIGNED, URL: "file://host/b"}, "must be like file:///etc/keys.json"),
        (
            {**SIGNED, URL: "http://a", "sasl.oauthbearer.jwks.endpoint.refresh.ms": "0"},
            "sasl.oauthbearer.jwks.endpoint.refresh.ms must be positive, got 0",
        ),
        ({JAAS: "a.ScramLoginModule required;"}, "must name the module OAuthBearerLoginModule"),
        (
            {JAAS: module("unsecuredValidatorAllowableClockSkewMs=-1")},
            "must be a number of milliseconds, got -1",
        ),
        ({JAAS: module("unsecuredValidatorRequiredScope='a\"'")}, 'Invalid scope value: a"'),
    ],
)
def test_invalid_setting_is_refused(values: dict[str, str], text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        tokens(values)
    assert text in str(refused.value)
