"""AlterConfigs: replaces all settings of a resource. Clients should use IncrementalAlterConfigs instead."""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.core.decision import Decision, Record, Steps
from tidemark.handlers.routes import command
from tidemark.metadata.altering import (
    alter_each,
    check_kind,
    check_rights,
    check_there,
    check_values,
    config_records,
)
from tidemark.metadata.state import Cluster
from tidemark_protocol.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


@command(AlterConfigsRequest, state=Cluster, versions=range(0, 3))
def alter_configs(
    cluster: Cluster, ctx: Context, request: AlterConfigsRequest
) -> Steps[Decision[AlterConfigsResponse]]:
    responses, records = yield from alter_each(cluster, ctx, request, _decide, AlterConfigsResourceResponse)
    return Decision(AlterConfigsResponse(responses=responses), records)


def _decide(cluster: Cluster, ctx: Context, resource: AlterConfigsResource) -> tuple[Record, ...]:
    kind, name = resource.resource_type, resource.resource_name
    check_kind(cluster, ctx, kind, name)
    check_rights(ctx, kind, name)
    values = {config.name: config.value for config in resource.configs if config.value is not None}
    check_values(cluster, kind, name, values)
    check_there(cluster, kind, name)
    return config_records(cluster, kind, name, values)
