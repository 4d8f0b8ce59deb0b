"""Tokens in detail are compared with Kafka's responses in tests/conformance/cases/oauthbearer.py."""

from __future__ import annotations

import pytest

from tests.oauth.tokens import JWKS, claims, first_message, signed, unsecured
from tidemark.security.oauthbearer import InvalidToken, OAuthBearer, validate_unsecured
from tidemark.security.sasl import AuthenticationRefused
from tidemark.security.signed_tokens import SignedTokenValidator, read_keys
from tidemark.settings.oauthbearer import KeySource, SignedTokens, UnsecuredTokens

NOW_MS = 1_800_000_000_000
NOW_S = NOW_MS // 1000
VALID = claims(iat=NOW_S - 10, exp=NOW_S + 100)
SIGNED = SignedTokens(KeySource(path="unused"), clock_skew_s=5)


def unsecured_exchange() -> OAuthBearer:
    return OAuthBearer(lambda token, now_ms: validate_unsecured(UnsecuredTokens(), token, now_ms))


def validator(missed: list[str] | None = None) -> SignedTokenValidator:
    keys = read_keys(JWKS.read_bytes())
    return SignedTokenValidator(SIGNED, lambda: keys, (missed if missed is not None else []).append)


def test_token_names_the_user_and_limits_the_session() -> None:
    exchange = unsecured_exchange()
    assert exchange.evaluate(first_message(unsecured(VALID)), NOW_MS) == b""
    assert (exchange.user, exchange.expires_ms) == ("alice", NOW_MS + 100_000)


def test_time_of_the_broker_decides_whether_a_token_has_expired() -> None:
    for validate, token, skew_ms in (
        (unsecured_exchange()._validate, unsecured(VALID), 0),
        (validator(), signed(VALID), 5_000),
    ):
        end_ms = NOW_MS + 100_000 + skew_ms
        assert validate(token, end_ms - 1000).expires_ms == NOW_MS + 100_000
        with pytest.raises(InvalidToken, match="expired"):
            validate(token, end_ms)


def test_refused_token_is_reported_once_the_client_has_acknowledged_it() -> None:
    exchange = unsecured_exchange()
    assert exchange.evaluate(first_message("abc"), NOW_MS) == b'{"status":"invalid_token"}'
    assert exchange.rejected == "the token has 1 parts, not 3"
    with pytest.raises(AuthenticationRefused) as refused:
        exchange.evaluate(b"\x01", NOW_MS)
    assert str(refused.value) == '{"status":"invalid_token"}'
    assert refused.value.counted


def test_reason_of_a_refusal_shows_no_part_of_the_token() -> None:
    secret = "verysecretclaim"
    for token in (
        unsecured({**VALID, "sub": [secret]}),
        unsecured({**VALID, "exp": secret}),
        signed({**VALID, "iss": secret, "exp": 1}),
        signed({**VALID, "aud": secret}, "other"),
        secret,
    ):
        for validate in (unsecured_exchange()._validate, validator()):
            with pytest.raises(InvalidToken) as refused:
                validate(token, NOW_MS)
            assert secret not in str(refused.value)
            assert token[:8] not in str(refused.value)


def test_unknown_key_is_requested() -> None:
    missed: list[str] = []
    validate = validator(missed)
    for token in (signed(VALID, "other"), signed(VALID, kid="x" * 2000), signed(VALID)):
        try:
            validate(token, NOW_MS)
        except InvalidToken:
            continue
    assert missed == ["other"]


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b'{"keys":5}', b"\xff", b'{"keys":' + b"[" * 5000])
def test_text_without_a_list_of_keys_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError):
        read_keys(text)


def test_keys_that_cannot_check_a_signature_are_left_out() -> None:
    assert [key.key_id for key in read_keys(JWKS.read_bytes())] == ["rsa", "ec", "ed", "hmac", "weak"]
    assert (
        read_keys(b'{"keys":[null,{},{"kty":"RSA","kid":"a"},{"kty":"XX"},{"kty":5},{"kty":"EC","crv":[]}]}')
        == ()
    )
