"""Delegation tokens: who may ask for them, and the secrets that belong to their ids (KIP-48).

The metadata log has a token without its secret. The secret is an HMAC of the id with the key of all brokers.
It is the password of a login by SCRAM. Kafka: `DelegationTokenControlManager`, `DelegationTokenManager`.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import ANONYMOUS_PRINCIPAL, Context, Now
from tidemark.core.decision import PART_RECORDS_MAX, Decision, Record, Steps
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.delegation_token_record import DelegationTokenRecord
from tidemark_protocol.records.remove_delegation_token_record import RemoveDelegationTokenRecord

if TYPE_CHECKING:
    from tidemark.settings.broker import BrokerSettings

USER: Final = "User"
LONG_MAX: Final = 2**63 - 1
ERROR_TIME_MS: Final = -1
_HASH: Final = "sha512"
_KEYS: Final = "delegation token keys"
_SPARE: Final = 1000  # secrets of tokens that do not exist any more, before they are forgotten


class TokenKeys:
    """The secrets of tokens, computed when they are needed. credentials: a cache of those who log in."""

    def __init__(self, secret_key: str) -> None:
        self._secret_key = secret_key.encode()
        self._hmacs: dict[str, bytes] = {}
        self._ids: dict[bytes, str] = {}
        self.credentials: dict[tuple[str, int], Any] = {}

    def hmac(self, token_id: str) -> bytes:
        """Return the secret of a token."""
        found = self._hmacs.get(token_id)
        if found is None:
            found = self._hmacs[token_id] = hmac.digest(self._secret_key, token_id.encode(), _HASH)
            self._ids[found] = token_id
        return found

    def find(self, cluster: Cluster, secret: bytes) -> Steps[DelegationTokenRecord | None]:
        """Return the token with this secret."""
        tokens = cluster.delegation_tokens
        if self._ids.get(secret) not in tokens:
            for token_id in [*tokens]:
                self.hmac(token_id)
                yield 0
        found = self._ids.get(secret)
        return None if found is None else tokens.get(found)

    def forget(self, cluster: Cluster) -> None:
        """Forget the secrets of tokens that do not exist any more, if there are many."""
        tokens = cluster.delegation_tokens
        if len(self._hmacs) > 2 * len(tokens) + _SPARE:
            self._hmacs = {token_id: secret for token_id, secret in self._hmacs.items() if token_id in tokens}
            self._ids = {secret: token_id for token_id, secret in self._hmacs.items()}
        if len(self.credentials) > 2 * len(tokens) + _SPARE:
            self.credentials = {key: each for key, each in self.credentials.items() if key[0] in tokens}


def token_keys(cluster: Cluster) -> TokenKeys | None:
    """Return the secrets of tokens. None: delegation.token.secret.key is not set."""
    if not cluster.settings.delegation_token_secret_key:
        return None
    if cluster.token_keys is None:
        cluster.token_keys = TokenKeys(cluster.settings.delegation_token_secret_key)
    cluster.token_keys.forget(cluster)
    found: TokenKeys = cluster.token_keys
    return found


def requests_allowed(ctx: Context) -> bool:
    """Return whether a client may manage tokens. Kafka: `KafkaApis.allowTokenRequests`."""
    caller = ctx.caller
    return not (
        caller.by_token
        or caller.protocol == "PLAINTEXT"
        or (caller.protocol == "SSL" and caller.principal == ANONYMOUS_PRINCIPAL)
    )


def may_renew(ctx: Context, token: DelegationTokenRecord) -> bool:
    return ctx.caller.principal == token.owner or ctx.caller.principal in token.renewers


def has_expired(token: DelegationTokenRecord, wall_ms: int) -> bool:
    return token.max_timestamp < wall_ms or token.expiration_timestamp < wall_ms


def later(now_ms: int, span_ms: int) -> int:
    """Return a moment after now, or the last one that Kafka can express."""
    return min(now_ms + span_ms, LONG_MAX)


def new_token(
    ctx: Context, settings: BrokerSettings, owner: str, max_lifetime_ms: int, token_id: str
) -> DelegationTokenRecord:
    """Return a token without renewers. max_lifetime_ms: of the request; not positive: the broker's."""
    lifetime_ms = settings.delegation_token_max_lifetime_ms
    if max_lifetime_ms > 0:
        lifetime_ms = min(lifetime_ms, max_lifetime_ms)
    last_ms = later(ctx.wall_ms, lifetime_ms)
    expires_ms = min(last_ms, later(ctx.wall_ms, settings.delegation_token_expiry_time_ms))
    return DelegationTokenRecord(owner, ctx.caller.principal, [], ctx.wall_ms, last_ms, expires_ms, token_id)


def expiring(token: DelegationTokenRecord, expires_ms: int) -> Record:
    """Return the record of a token that expires at another time."""
    changed = copy(token)
    changed.expiration_timestamp = expires_ms
    return Record(None, changed)


def removal(token_id: str) -> Record:
    return Record(None, RemoveDelegationTokenRecord(token_id))


def principal_of(text: str) -> tuple[str, str]:
    """Return type and name of a principal."""
    kind, _, name = text.partition(":")
    return kind, name


def expired_tokens(cluster: Cluster, now: Now) -> Iterator[Decision[None] | None]:
    """Yield decisions that remove expired tokens, and None between them. Apply each before the next."""
    records: list[Record] = []
    for token in [*cluster.delegation_tokens.values()]:
        if has_expired(token, now.wall_ms):
            records.append(removal(token.token_id))
        if len(records) == PART_RECORDS_MAX:
            yield Decision(records=tuple(records))
            records = []
        else:
            yield None
    if records:
        yield Decision(records=tuple(records))


def token_of(
    cluster: Cluster, ctx: Context, secret: bytes
) -> Steps[tuple[ErrorCode, DelegationTokenRecord | None]]:
    """Return the token that a client wants to change, and why it may not be found."""
    if not requests_allowed(ctx):
        return ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, None
    keys = token_keys(cluster)
    if keys is None:
        return ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED, None
    token = yield from keys.find(cluster, secret)
    return (ErrorCode.NONE if token else ErrorCode.DELEGATION_TOKEN_NOT_FOUND), token
