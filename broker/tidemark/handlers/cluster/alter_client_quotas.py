"""AlterClientQuotas: sets and removes quotas of users, client ids and addresses (KIP-546).

v1  the first flexible version
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Decision, Record, Steps, items_of
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.quotas import Entity, check_quotas, duplicate, quota_records
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntryData,
    AlterClientQuotasResponse,
    AlterClientQuotasResponseEntityData,
    AlterClientQuotasResponseEntryData,
)

PART_ENTITIES = 100  # each has at most four quotas

Quotas = tuple[dict[str, str | None], dict[str, float | None]]


@command(AlterClientQuotasRequest, state=Cluster, versions=range(0, 2))
def alter_client_quotas(
    cluster: Cluster, ctx: Context, request: AlterClientQuotasRequest
) -> Steps[Decision[AlterClientQuotasResponse]]:
    if not cluster_allowed(ctx, Operation.ALTER_CONFIGS):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    # By entity: as in Kafka, an entity that is named twice has one result.
    entries: dict[frozenset[tuple[str, str | None]], AlterClientQuotasResponseEntryData] = {}
    checked: list[Quotas] = []
    for entry in request.entries:
        entity: dict[str, str | None] = {}
        for each in entry.entity:
            entity[each.entity_type] = each.entity_name
            yield 1
        response = AlterClientQuotasResponseEntryData(error_message=None)
        for kind, name in entity.items():
            response.entity.append(AlterClientQuotasResponseEntityData(kind, name))
            yield 0
        key = frozenset(entity.items())
        try:
            if key in entries:
                raise (yield from duplicate(entity))
            changes = yield from _changes(entity, entry)
            checked.append((entity, (yield from check_quotas(cluster, entity, changes))))
        except KafkaError as refused:
            response.error_code, response.error_message = refused.code, refused.message
        entries[key] = response
        yield 1 + items_of(response.error_message)
    part: list[Record] = []
    # No pause divides an entity: requests at the same time must not mix its quotas.
    for number, (entity, changes) in enumerate(() if request.validate_only else checked, 1):
        part += quota_records(cluster, entity, changes)
        if number % PART_ENTITIES == 0:
            yield Decision(records=tuple(part))
            part.clear()
    return Decision(AlterClientQuotasResponse(entries=list(entries.values())), tuple(part))


def _changes(entity: Entity, entry: AlterClientQuotasRequestEntryData) -> Steps[dict[str, float | None]]:
    """Return the new values by key. Raises KafkaError if a key is named twice."""
    changes: dict[str, float | None] = {}
    for each in entry.ops:
        changes[each.key] = None if each.remove else each.value
        yield 0
    if len(changes) < len(entry.ops):
        raise (yield from duplicate(entity))
    return changes
