"""A cluster whose clients manage delegation tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.conformance.build_tokens import create_token, describe_tokens, expire_token, renew_token
from tests.unit.broker.cluster_story import ClusterStory
from tidemark.core.context import Context
from tidemark.handlers.security.create_delegation_token import create_delegation_token
from tidemark.handlers.security.describe_delegation_token import describe_delegation_token
from tidemark.handlers.security.expire_delegation_token import expire_delegation_token
from tidemark.handlers.security.renew_delegation_token import renew_delegation_token
from tidemark.settings.broker import BrokerSettings
from tidemark.turns import Slice
from tidemark_protocol import from_dict

HOUR_MS = 3_600_000
SETTINGS = BrokerSettings(
    delegation_token_secret_key="token-secret",
    delegation_token_max_lifetime_ms=4 * HOUR_MS,
    delegation_token_expiry_time_ms=HOUR_MS,
)


class TokenStory(ClusterStory):
    """principal, protocol, by_token: of the caller."""

    def __init__(self, settings: BrokerSettings = SETTINGS) -> None:
        super().__init__(settings)
        self.principal = "User:alice"
        self.protocol = "SASL_PLAINTEXT"
        self.by_token = False

    def context(self, version: int, **more: Any) -> Context:
        ctx = super().context(version, **more)
        caller = replace(ctx.caller, principal=self.principal, protocol=self.protocol, by_token=self.by_token)
        ctx.enter(caller)
        ctx.turns = Slice(1)
        return ctx

    def new(self, max_ms: int = -1, *renewers: str, owner: str = "alice") -> Any:
        """Return the response to CreateDelegationToken."""
        users = [("User", renewer) for renewer in renewers]
        return self._send(create_delegation_token, create_token(max_ms, users, owner=("User", owner)))

    def renew(self, hmac: bytes, ms: int = -1) -> Any:
        return self._send(renew_delegation_token, renew_token(hmac, ms))

    def expire(self, hmac: bytes, ms: int = -1) -> Any:
        return self._send(expire_delegation_token, expire_token(hmac, ms))

    def known(self, *owners: str) -> list[str]:
        """Return the ids of the tokens that the caller may know. owners: none: of anyone."""
        asked = [("User", owner) for owner in owners] or None
        response = self._send(describe_delegation_token, describe_tokens(asked))
        assert response.error_code == 0
        return [token.token_id for token in response.tokens]

    def _send(self, decide: Any, request: tuple[str, int, dict[str, Any]]) -> Any:
        name, version, fields = request
        return self.ask(decide, from_dict(f"{name}Request", fields), version)
