"""AlterUserScramCredentials: set and delete credentials of users (KIP-554). Kafka: ScramControlManager.

The client salts the password. The broker stores keys that it derives from the salted password.
"""

from __future__ import annotations

from typing import Any, Final

from tidemark.core.context import Context, Operation
from tidemark.core.java import put_order
from tidemark.core.result import Record, Result
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


@command(AlterUserScramCredentialsRequest, state=Cluster, versions=range(0, 1))
def alter_user_scram_credentials(
    cluster: Cluster, ctx: Context, request: AlterUserScramCredentialsRequest
) -> Result[AlterUserScramCredentialsResponse]:
    if not cluster_allowed(ctx, Operation.ALTER):
        return Result(error_response(request, ErrorCode.CLUSTER_AUTHORIZATION_FAILED))
    errors: dict[str, KafkaError] = {}
    deletions: dict[str, Any] = {}
    upsertions: dict[str, Any] = {}
    for deletion in request.deletions:
        if deletion.name not in errors:
            _take(cluster, deletion, deletions, (deletions,), errors)
    for upsertion in request.upsertions:
        if upsertion.name not in errors:
            _take(cluster, upsertion, upsertions, (deletions, upsertions), errors)
    records = [_removal(deletions[name]) for name in put_order(deletions)]
    records += [_credential(upsertions[name]) for name in put_order(upsertions)]
    done = [
        AlterUserScramCredentialsResult(name, error_message=None)
        for accepted in (deletions, upsertions)
        for name in put_order(accepted)
    ]
    failed = [
        AlterUserScramCredentialsResult(name, errors[name].code, errors[name].message)
        for name in put_order(errors)
    ]
    return Result(AlterUserScramCredentialsResponse(results=done + failed), tuple(records))


def error_response(
    request: AlterUserScramCredentialsRequest, code: ErrorCode
) -> AlterUserScramCredentialsResponse:
    names = [deletion.name for deletion in request.deletions]
    names += [upsertion.name for upsertion in request.upsertions]
    users = dict.fromkeys(names)
    text = None if code == ErrorCode.UNKNOWN_SERVER_ERROR else ErrorCode(code).text
    return AlterUserScramCredentialsResponse(
        results=[AlterUserScramCredentialsResult(user, code, text) for user in put_order(users)]
    )


def _take(
    cluster: Cluster,
    change: ScramCredentialDeletion | ScramCredentialUpsertion,
    accepted: dict[str, Any],
    earlier: tuple[dict[str, Any], ...],
    errors: dict[str, KafkaError],
) -> None:
    """Accept a change, or keep the reason to refuse all changes of its user."""
    try:
        for changes in earlier:
            if changes.pop(change.name, None) is not None:
                raise KafkaError(ErrorCode.DUPLICATE_RESOURCE, TWICE)
        _check(cluster, change)
    except KafkaError as error:
        errors[change.name] = error
    else:
        accepted[change.name] = change


def _check(cluster: Cluster, change: ScramCredentialDeletion | ScramCredentialUpsertion) -> None:
    if not change.name:
        raise KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty")
    if change.mechanism not in HASHES:
        raise KafkaError(ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
    if isinstance(change, ScramCredentialUpsertion):
        if change.iterations < ITERATIONS_MIN:
            raise KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
        if change.iterations > ITERATIONS_MAX:
            raise KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations")
    elif (change.name, change.mechanism) not in cluster.scram_credentials:
        raise KafkaError(
            ErrorCode.RESOURCE_NOT_FOUND, "Attempt to delete a user credential that does not exist"
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
