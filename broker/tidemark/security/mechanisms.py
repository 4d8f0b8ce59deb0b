"""The mechanisms of a listener, from its settings."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from functools import partial

from tidemark.core.context import Context
from tidemark.core.java import put_order
from tidemark.metadata.delegation_tokens import principal_of, token_keys
from tidemark.metadata.state import Cluster
from tidemark.security.oauthbearer import OAuthBearer, Validate, validate_unsecured
from tidemark.security.sasl import KeysNeeded, NewMechanism, Plain, SaslListener
from tidemark.security.scram import (
    HASHES,
    ITERATIONS_MIN,
    NUMBERS,
    Account,
    Credential,
    Scram,
    credential,
    salted,
)
from tidemark.settings.oauthbearer import OAUTHBEARER, SignedTokens, UnsecuredTokens
from tidemark.settings.sasl import PLAIN, SaslSettings


def token_account(cluster: Cluster, ctx: Context, number: int, token_id: str) -> Account | None:
    """Return the token as an account of its owner. number: of the mechanism.

    Raises KeysNeeded at the first login with a token.
    """
    token, keys = cluster.delegation_tokens.get(token_id), token_keys(cluster)
    if token is None or keys is None:
        return None
    known = keys.credentials.get((token_id, number))
    if known is None:
        password = b64encode(keys.hmac(token_id)).decode()
        raise KeysNeeded(
            partial(_derived, HASHES[number], password, ctx.new_id().encode()),
            partial(keys.credentials.__setitem__, (token_id, number)),
        )
    return Account(principal_of(token.owner)[1], known, token.expiration_timestamp)


def _derived(hash_name: str, password: str, salt: bytes) -> Credential:
    key = salted(hash_name, password, salt, ITERATIONS_MIN)
    return credential(hash_name, key, salt, ITERATIONS_MIN)


NewSignedTokenValidator = Callable[[SignedTokens], Validate]


def sasl_listener(
    settings: SaslSettings, signed_tokens: NewSignedTokenValidator | None = None
) -> SaslListener:
    """Return what the connections of a listener share. Clients learn of its mechanisms in Kafka's order.

    signed_tokens(settings)  returns the validator of signed tokens, with its keys
    """
    return SaslListener(
        mechanisms={name: _new(name, settings, signed_tokens) for name in put_order(settings.mechanisms)},
        max_reauth_ms=settings.max_reauth_ms,
        failure_delay_ms=settings.failure_delay_ms,
        receive_bytes_max=settings.receive_bytes_max,
    )


def _new(name: str, settings: SaslSettings, signed_tokens: NewSignedTokenValidator | None) -> NewMechanism:
    if name == PLAIN:
        return lambda _: Plain(settings.plain_users)
    if name == OAUTHBEARER:
        validate = _validate(settings.tokens, signed_tokens)
        return lambda _: OAuthBearer(validate)
    return partial(_scram, NUMBERS[name])


def _validate(
    accepts: UnsecuredTokens | SignedTokens, signed_tokens: NewSignedTokenValidator | None
) -> Validate:
    if isinstance(accepts, UnsecuredTokens):
        return partial(validate_unsecured, accepts)
    assert signed_tokens is not None, "no source of keys"
    return signed_tokens(accepts)


def _scram(number: int, ctx: Context) -> Scram:
    return Scram(HASHES[number], partial(_account, ctx, number), ctx.new_id)


def _account(ctx: Context, number: int, name: str, by_token: bool) -> Account | None:  # noqa: FBT001 a fact
    cluster = ctx.cluster
    if by_token:
        return token_account(cluster, ctx, number, name)
    record = cluster.scram_credentials.get((name, number))
    if record is None:
        return None
    return Account(name, Credential(record.salt, record.stored_key, record.server_key, record.iterations))
