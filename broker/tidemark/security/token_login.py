"""Login with a delegation token: SCRAM with its id as the user, and its secret as the password."""

from __future__ import annotations

from base64 import b64encode

from tidemark.core.context import Context
from tidemark.metadata.delegation_tokens import principal_of, token_keys
from tidemark.metadata.state import Cluster
from tidemark.security.scram import HASHES, ITERATIONS_MIN, Account, credential, salted


def token_account(cluster: Cluster, ctx: Context, number: int, token_id: str) -> Account | None:
    """Return the token as an account of its owner. number: of the mechanism.

    The first login with a token computes its keys, which takes a few milliseconds. So it counts at once in
    the time that all requests share: many clients may log in together.
    """
    token, keys = cluster.delegation_tokens.get(token_id), token_keys(cluster)
    if token is None or keys is None:
        return None
    known = keys.credentials.get((token_id, number))
    if known is None:
        password = b64encode(keys.hmac(token_id)).decode()
        salt = ctx.new_id().encode()
        key = salted(HASHES[number], password, salt, ITERATIONS_MIN)
        known = credential(HASHES[number], key, salt, ITERATIONS_MIN)
        keys.credentials[token_id, number] = known
        ctx.turns.spend()
    return Account(principal_of(token.owner)[1], known, token.expiration_timestamp)
