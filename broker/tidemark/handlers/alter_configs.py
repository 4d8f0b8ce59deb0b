"""AlterConfigs, the old form: what is not named is removed. Clients should use IncrementalAlterConfigs."""

from __future__ import annotations

from collections import Counter

from tidemark.coordinator.cluster.altering import (
    check_kind,
    check_rights,
    check_there,
    check_values,
    config_records,
)
from tidemark.coordinator.cluster.state import Cluster
from tidemark.coordinator.result import Context, ErrorCode, Record, Result
from tidemark.handlers.routes import command
from tidemark_protocol.errors import KafkaError
from tidemark_protocol.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


@command(AlterConfigsRequest, state=Cluster, versions=range(0, 3))
def alter_configs(
    cluster: Cluster, ctx: Context, request: AlterConfigsRequest
) -> Result[AlterConfigsResponse]:
    responses: list[AlterConfigsResourceResponse] = []
    records: list[Record] = []
    times = Counter((resource.resource_type, resource.resource_name) for resource in request.resources)
    for resource in request.resources:
        response = AlterConfigsResourceResponse(
            error_message=None, resource_type=resource.resource_type, resource_name=resource.resource_name
        )
        try:
            if times[resource.resource_type, resource.resource_name] > 1:
                raise KafkaError(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")
            records.extend(_decide(cluster, ctx, resource))
        except KafkaError as error:
            response.error_code, response.error_message = error.code, error.message
        responses.append(response)
    return Result(AlterConfigsResponse(responses=responses), () if request.validate_only else tuple(records))


def error_response(request: AlterConfigsRequest, code: int) -> AlterConfigsResponse:
    responses = [
        AlterConfigsResourceResponse(code, None, resource.resource_type, resource.resource_name)
        for resource in request.resources
    ]
    return AlterConfigsResponse(responses=responses)


def _decide(cluster: Cluster, ctx: Context, resource: AlterConfigsResource) -> tuple[Record, ...]:
    kind, name = resource.resource_type, resource.resource_name
    check_rights(ctx, kind, name)
    values = {config.name: config.value for config in resource.configs if config.value is not None}
    if len({config.name for config in resource.configs}) < len(resource.configs):
        raise KafkaError(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys")
    without = [config.name for config in resource.configs if config.value is None]
    if without:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Null value not supported for : {', '.join(without)}")
    check_kind(cluster, kind, name)
    check_values(cluster, kind, name, values)
    check_there(cluster, kind, name)
    return config_records(cluster, kind, name, values)
