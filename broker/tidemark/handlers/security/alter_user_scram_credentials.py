"""AlterUserScramCredentials: set and delete credentials of users (KIP-554). Kafka: ScramControlManager.

The client salts the password. The broker stores keys that it derives from the salted password.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Decision, Record, Steps, in_parts
from tidemark.core.java import put_order_in_steps
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark.security.scram import HASHES, ITERATIONS_MAX, ITERATIONS_MIN, credential
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from tidemark_protocol.records.remove_user_scram_credential_record import RemoveUserScramCredentialRecord
from tidemark_protocol.records.user_scram_credential_record import UserScramCredentialRecord

TWICE: Final = "A user credential cannot be altered twice in the same request"

Refusal = tuple[ErrorCode, str]
_UNAUTHORIZED: Final = (
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.CLUSTER_AUTHORIZATION_FAILED.text
)  # fmt: skip


@command(AlterUserScramCredentialsRequest, state=Cluster, versions=range(0, 1))
def alter_user_scram_credentials(
    cluster: Cluster, ctx: Context, request: AlterUserScramCredentialsRequest
) -> Steps[Decision[AlterUserScramCredentialsResponse]]:
    errors: dict[str, Refusal] = {}
    deletions: dict[str, Any] = {}
    upsertions: dict[str, Any] = {}
    allowed = cluster_allowed(ctx, Operation.ALTER)
    for changes, accepted, earlier in (
        (request.deletions, deletions, (deletions,)),
        (request.upsertions, upsertions, (deletions, upsertions)),
    ):
        for change in changes:
            if not allowed:
                errors[change.name] = _UNAUTHORIZED
            elif change.name not in errors:
                _take(cluster, change, accepted, earlier, errors)
            yield 0
    # All records are made before the first one is written: one that cannot be made refuses the request.
    results: list[AlterUserScramCredentialsResult] = []
    records: list[Record] = []
    for accepted, record in ((deletions, _removal), (upsertions, _credential)):
        for name in (yield from put_order_in_steps(accepted)):
            records.append(record(accepted[name]))
            results.append(AlterUserScramCredentialsResult(name, error_message=None))
            yield 0
    for name in (yield from put_order_in_steps(errors)):
        results.append(AlterUserScramCredentialsResult(name, *errors[name]))
        yield 0
    part = yield from in_parts(records, partial(_still_valid, cluster))
    return Decision(AlterUserScramCredentialsResponse(results=results), part)


def _take(
    cluster: Cluster,
    change: ScramCredentialDeletion | ScramCredentialUpsertion,
    accepted: dict[str, Any],
    earlier: tuple[dict[str, Any], ...],
    errors: dict[str, Refusal],
) -> None:
    """Accept a change, or keep the reason to refuse all changes of its user."""
    refusal = _refusal(cluster, change)
    for changes in earlier:
        if changes.pop(change.name, None) is not None:
            refusal = ErrorCode.DUPLICATE_RESOURCE, TWICE
            break
    if refusal is None:
        accepted[change.name] = change
    else:
        errors[change.name] = refusal


def _refusal(cluster: Cluster, change: ScramCredentialDeletion | ScramCredentialUpsertion) -> Refusal | None:
    if not change.name:
        return ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"
    if change.mechanism not in HASHES:
        return ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"
    if isinstance(change, ScramCredentialUpsertion):
        if change.iterations < ITERATIONS_MIN:
            return ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations"
        if change.iterations > ITERATIONS_MAX:
            return ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations"
    elif (change.name, change.mechanism) not in cluster.scram_credentials:
        return ErrorCode.RESOURCE_NOT_FOUND, "Attempt to delete a user credential that does not exist"
    return None


def _still_valid(cluster: Cluster, records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records without removals of credentials that another request has removed.

    A controller of Kafka cannot replay such a removal. Kafka: ScramControlManager.replay.
    """
    return tuple(
        each
        for each in records
        if not isinstance(each.value, RemoveUserScramCredentialRecord)
        or (each.value.name, each.value.mechanism) in cluster.scram_credentials
    )


def _removal(change: ScramCredentialDeletion) -> Record:
    return Record(None, RemoveUserScramCredentialRecord(change.name, change.mechanism))


def _credential(change: ScramCredentialUpsertion) -> Record:
    if not change.salted_password:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)  # Kafka: Java has no empty key
    made = credential(HASHES[change.mechanism], change.salted_password, change.salt, change.iterations)
    return Record(
        None,
        UserScramCredentialRecord(
            change.name, change.mechanism, made.salt, made.stored_key, made.server_key, made.iterations
        ),
    )
