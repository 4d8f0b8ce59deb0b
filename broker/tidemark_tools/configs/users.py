"""Settings of users and clients: SCRAM credentials, or quotas."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Final

from tidemark.security.scram import HASHES, ITERATIONS_MIN, NUMBERS, salted
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from tidemark_protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import ErrorResponse, error_code
from tidemark_tools.configs.arguments import CLIENTS, DEFAULT, HIDDEN, USERS, Entities
from tidemark_tools.configs.quotas import alter_quotas
from tidemark_tools.java import error_class
from tidemark_tools.options import Failed

QUOTAS: Final = ("producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate")
ITERATIONS: Final = 4096
SALT_BYTES: Final = 24
CREDENTIAL: Final = re.compile("(?:iterations=(-?[0-9]*),)?password=(.*)")


def describe_users(client: Client, names: Sequence[str]) -> None:
    """Print the mechanisms of these users, or of all."""
    users = [UserName(name) for name in names] or None
    response = client.call(DescribeUserScramCredentialsRequest(users))
    if response.error_code:
        raise ErrorResponse(response.error_code, response.error_message)
    mechanisms = {number: name for name, number in NUMBERS.items()}
    for result in response.results:
        code = error_code(result.error_code)
        if code == ErrorCode.RESOURCE_NOT_FOUND:
            continue
        if code != ErrorCode.NONE:
            shown = f"{error_class(code).rpartition('.')[2]}: {result.error_message or code.text}"
            print(f"Error retrieving SCRAM credential configs for user-principal '{result.user}': {shown}")
            continue
        infos = ", ".join(
            f"{mechanisms.get(info.mechanism, 'UNKNOWN')}=iterations={info.iterations}"
            for info in result.credential_infos
        )
        print(f"SCRAM credential configs for user-principal '{result.user}' are {infos}")


def alter_users_and_clients(
    client: Client, found: Entities, adding: Mapping[str, str], deleting: Sequence[str]
) -> None:
    """Change quotas, or the credentials of one user. Raises Failed, ErrorResponse."""
    scram = {key: text for key, text in adding.items() if key in NUMBERS}
    scram_deleted = [key for key in deleting if key in NUMBERS]
    unknown = [key for key in adding if key not in (*NUMBERS, *QUOTAS)]
    unknown_deleted = [key for key in deleting if key not in (*NUMBERS, *QUOTAS)]
    has_quotas = any(key in QUOTAS for key in (*adding, *deleting))
    if found.types[0] == CLIENTS or len(found.types) == 2:
        _only("quota", CLIENTS, [*unknown, *scram], [*unknown_deleted, *scram_deleted])
    else:
        _only("quota and SCRAM credential", USERS, unknown, unknown_deleted)
        if scram or scram_deleted:
            if DEFAULT in found.names:
                raise Failed(
                    "The use of --entity-default or --user-defaults is not allowed with User SCRAM "
                    "Credentials using --bootstrap-server."
                )
            if has_quotas:
                raise Failed(
                    f"Cannot alter both quota and SCRAM credential configs simultaneously for '{USERS}' "
                    "using --bootstrap-server."
                )
    if has_quotas:
        alter_quotas(client, found, adding, deleting)
    else:
        _alter_credentials(client, found.names[0], scram, scram_deleted)


def _only(allowed: str, kind: str, unknown: Sequence[str], unknown_deleted: Sequence[str]) -> None:
    """Raise Failed for settings of another kind. The message shows collections of Scala."""
    for names, verb, collection in ((unknown, "added", "Set"), (unknown_deleted, "deleted", "ArrayBuffer")):
        if names:
            raise Failed(
                f"Only {allowed} configs can be {verb} for '{kind}' using --bootstrap-server. Unexpected "
                f"config names: {collection}({', '.join(names)})"
            )


def _alter_credentials(client: Client, user: str, adding: Mapping[str, str], deleting: Sequence[str]) -> None:
    deletions = [ScramCredentialDeletion(user, NUMBERS[mechanism]) for mechanism in deleting]
    upsertions = [_upsertion(user, mechanism, text) for mechanism, text in adding.items()]
    response = client.call(AlterUserScramCredentialsRequest(deletions, upsertions), once=True)
    for result in response.results:
        if result.error_code:
            raise ErrorResponse(result.error_code, result.error_message)


def _upsertion(user: str, mechanism: str, text: str) -> ScramCredentialUpsertion:
    """Return a credential. The broker receives the salted password, never the password itself."""
    found = CREDENTIAL.fullmatch(text)
    if found is None:
        raise Failed(f"Invalid credential property {mechanism}={HIDDEN}")
    iterations = int(found[1]) if found[1] not in (None, "-1") else ITERATIONS
    if iterations < ITERATIONS_MIN:
        raise Failed(
            f"Iterations {iterations} is less than the minimum {ITERATIONS_MIN} required for {mechanism}"
        )
    salt = os.urandom(SALT_BYTES)
    number = NUMBERS[mechanism]
    key = salted(HASHES[number], found[2], salt, iterations)
    return ScramCredentialUpsertion(user, number, iterations, salt, key)
