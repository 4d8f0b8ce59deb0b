"""The mechanisms of a listener, from its settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tidemark.core.context import Context
from tidemark.core.java import put_order
from tidemark.security.oauthbearer import OAuthBearer, Validate
from tidemark.security.plain import Plain
from tidemark.security.sasl import NewMechanism, SaslListener
from tidemark.security.scram import HASHES, NUMBERS, Account, Credential, Scram
from tidemark.security.unsecured_tokens import validate_unsecured
from tidemark.settings.oauthbearer import OAUTHBEARER, SignedTokens, UnsecuredTokens
from tidemark.settings.sasl import PLAIN, SaslSettings

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
        from tidemark.security.token_login import token_account  # most clients have a password

        return token_account(cluster, ctx, number, name)
    record = cluster.scram_credentials.get((name, number))
    if record is None:
        return None
    return Account(name, Credential(record.salt, record.stored_key, record.server_key, record.iterations))
