"""The records of the first SCRAM users of a new cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tidemark.security.scram import HASHES, NUMBERS, credential, salted
from tidemark.settings.scram_users import ScramUser
from tidemark_protocol.records.user_scram_credential_record import UserScramCredentialRecord


def first_users(
    users: Sequence[ScramUser], new_salt: Callable[[], bytes]
) -> Iterator[UserScramCredentialRecord]:
    """Yield the record of each user. new_salt() returns random bytes."""
    for user in users:
        number = NUMBERS[user.mechanism]
        salt = new_salt() if user.salt is None else user.salt
        key = user.salted_password
        if key is None:
            key = salted(HASHES[number], user.password or "", salt, user.iterations)
        made = credential(HASHES[number], key, salt, user.iterations)
        yield UserScramCredentialRecord(
            user.name, number, salt, made.stored_key, made.server_key, user.iterations
        )
