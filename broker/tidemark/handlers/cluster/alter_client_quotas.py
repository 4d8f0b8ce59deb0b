"""AlterClientQuotas: sets and removes quotas of users, client ids and addresses (KIP-546).

v1  the first flexible version
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.result import Record, Result, Steps
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.quotas import Entity, EntityKey, duplicate, entity_key, quota_records
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntryData,
    AlterClientQuotasResponse,
    AlterClientQuotasResponseEntityData,
    AlterClientQuotasResponseEntryData,
)

PART_RECORDS_MAX = 500


@command(AlterClientQuotasRequest, state=Cluster, versions=range(0, 2))
def alter_client_quotas(
    cluster: Cluster, ctx: Context, request: AlterClientQuotasRequest
) -> Steps[Result[AlterClientQuotasResponse]]:
    if not cluster_allowed(ctx, Operation.ALTER_CONFIGS):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    # By entity: as in Kafka, an entity that is named twice has one result.
    entries: dict[EntityKey, AlterClientQuotasResponseEntryData] = {}
    part: list[Record] = []
    for entry in request.entries:
        entity: Entity = {each.entity_type: each.entity_name for each in entry.entity}
        key = entity_key(entity)
        response = AlterClientQuotasResponseEntryData(
            error_message=None, entity=[AlterClientQuotasResponseEntityData(*each) for each in entity.items()]
        )
        try:
            if key in entries:
                raise duplicate(entity)
            part += quota_records(cluster, entity, _changes(entity, entry))
        except KafkaError as refused:
            response.error_code, response.error_message = refused.code, refused.message
        entries[key] = response
        if len(part) >= PART_RECORDS_MAX and not request.validate_only:
            yield Result(records=tuple(part))
            part.clear()
        yield 1 + len(entity)
    records = () if request.validate_only else tuple(part)
    return Result(AlterClientQuotasResponse(entries=list(entries.values())), records)


def error_response(request: AlterClientQuotasRequest, code: int) -> AlterClientQuotasResponse:
    text = ErrorCode(code).text
    return AlterClientQuotasResponse(
        entries=[
            AlterClientQuotasResponseEntryData(
                code,
                text,
                [
                    AlterClientQuotasResponseEntityData(each.entity_type, each.entity_name)
                    for each in entry.entity
                ],
            )
            for entry in request.entries
        ]
    )


def _changes(entity: Entity, entry: AlterClientQuotasRequestEntryData) -> dict[str, float | None]:
    """Return the new values by key. Raises KafkaError if a key is named twice."""
    changes: dict[str, float | None] = {each.key: None if each.remove else each.value for each in entry.ops}
    if len(changes) < len(entry.ops):
        raise duplicate(entity)
    return changes
