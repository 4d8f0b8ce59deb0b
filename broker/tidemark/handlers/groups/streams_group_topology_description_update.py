"""StreamsGroupTopologyDescriptionUpdate (KIP-1331): a member describes its topology to the broker's plugin.

tidemark has no plugins. It refuses every description, as a broker of Kafka without a plugin does, and stores
nothing of it.
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.groups.state import Groups
from tidemark.handlers.routes import query
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.streams_group_topology_description_update import (
    StreamsGroupTopologyDescriptionUpdateRequest,
    StreamsGroupTopologyDescriptionUpdateResponse,
)

NO_PLUGIN: Final = "The broker has no streams group topology description plugin configured."


@query(StreamsGroupTopologyDescriptionUpdateRequest, state=Groups, versions=range(0, 1))
def streams_group_topology_description_update(
    groups: Groups, ctx: Context, request: StreamsGroupTopologyDescriptionUpdateRequest
) -> StreamsGroupTopologyDescriptionUpdateResponse:
    if not groups.settings.serves_streams_protocol(ctx.cluster.features):
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    return StreamsGroupTopologyDescriptionUpdateResponse(0, ErrorCode.UNSUPPORTED_VERSION, NO_PLUGIN)
