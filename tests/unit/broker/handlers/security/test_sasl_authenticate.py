"""Tokens on connections are tested in tests/unit/broker/server/test_states.py, and with Kafka's responses in
tests/conformance/cases/sasl.py."""

from __future__ import annotations

import pytest

from tidemark.security.mechanisms import sasl_listener
from tidemark.security.sasl import Authentication, Plain
from tidemark.settings.sasl import SaslSettings


@pytest.mark.parametrize(
    ("max_reauth_ms", "credentials_ms", "lifetime_ms", "expires_ms"),
    [
        (0, None, 0, None),
        (5_000, None, 5_000, 6_000),
        (0, 3_000, 3_000, 4_000),
        (5_000, 3_000, 3_000, 4_000),
        (5_000, 9_000, 5_000, 6_000),
        (0, -1, 0, 1_000),
    ],
)
def test_session_lasts_as_long_as_setting_and_credentials_allow(
    max_reauth_ms: int, credentials_ms: int | None, lifetime_ms: int, expires_ms: int | None
) -> None:
    settings = SaslSettings(("PLAIN",), {}, {"PLAIN": max_reauth_ms})
    authentication = Authentication(sasl_listener(settings))
    authentication.begin("PLAIN", Plain({}), 1_000)
    assert authentication.end(credentials_ms, 1_000) == lifetime_ms
    assert authentication.expires_ms == expires_ms
