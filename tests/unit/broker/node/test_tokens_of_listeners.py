"""The warnings of a start about the tokens that a listener accepts."""

from __future__ import annotations

import pytest

from tests.oauth.tokens import JWKS
from tests.unit.broker.whole import running
from tidemark_testing.storage import MemoryStorage

UNSECURED = {
    "listeners": "INTERNAL://127.0.0.1:0",
    "listener.security.protocol.map": "INTERNAL:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "OAUTHBEARER",
}
SIGNED = {
    **UNSECURED,
    "listener.name.internal.oauthbearer.sasl.server.callback.handler.class": (
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
    ),
    "sasl.oauthbearer.jwks.endpoint.url": JWKS.as_uri(),
}
AUDIENCE = {"sasl.oauthbearer.expected.audience": "kafka"}
ISSUER = {"sasl.oauthbearer.expected.issuer": "https://issuer.example"}
ANY_AUDIENCE = {"sasl.oauthbearer.allow.unverified.audience": "true"}
ANY_ISSUER = {"sasl.oauthbearer.allow.unverified.issuer": "true"}


@pytest.mark.parametrize(
    ("settings", "warnings"),
    [
        (UNSECURED, ["tokens without a signature are accepted"]),
        ({**SIGNED, **AUDIENCE, **ISSUER}, []),
        ({**SIGNED, **ANY_AUDIENCE, **ISSUER}, ["tokens for any audience are accepted"]),
        ({**SIGNED, **AUDIENCE, **ANY_ISSUER}, ["tokens from any issuer are accepted"]),
    ],
)
async def test_a_start_warns_of_tokens_that_are_not_checked(
    settings: dict[str, str], warnings: list[str]
) -> None:
    async with running(MemoryStorage(), **settings) as whole:
        found = [line for line in whole.lines.lines if line[0].startswith("tokens ")]
    assert found == [(warning, {"listener": "INTERNAL"}) for warning in warnings]
