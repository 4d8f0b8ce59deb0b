"""DescribeClientQuotas: the quotas of the entities that match a filter (KIP-546).

v1  the first flexible version
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Steps
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.quotas import EntityKey, Filter
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)


@query(DescribeClientQuotasRequest, state=Cluster, versions=range(0, 2))
def describe_client_quotas(
    cluster: Cluster, ctx: Context, request: DescribeClientQuotasRequest
) -> Steps[DescribeClientQuotasResponse]:
    if not cluster_allowed(ctx, Operation.DESCRIBE_CONFIGS):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    components = ((each.entity_type, each.match_type, each.match) for each in request.components)
    try:
        wanted = Filter(components, strict=request.strict)
    except KafkaError as refused:
        return DescribeClientQuotasResponse(0, refused.code, refused.message, None)
    yield len(cluster.quotas)  # they are copied once there is memory for all of them
    entries: dict[EntityKey, EntryData] = {}
    for (entity, key), record in list(cluster.quotas.items()):
        if wanted.selects(entity):
            entry = entries.get(entity)
            if entry is None:
                entry = entries[entity] = EntryData([EntityData(*part) for part in entity], [])
            entry.values.append(ValueData(key, record.value))
        yield 0
    return DescribeClientQuotasResponse(entries=list(entries.values()))
