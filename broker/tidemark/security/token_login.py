"""Login with a delegation token: SCRAM with its id as the user, and its secret as the password."""

from __future__ import annotations

from base64 import b64encode
from functools import partial

from tidemark.core.context import Context
from tidemark.metadata.delegation_tokens import principal_of, token_keys
from tidemark.metadata.state import Cluster
from tidemark.security.sasl import KeysNeeded
from tidemark.security.scram import HASHES, ITERATIONS_MIN, Account, Credential, credential, salted


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
