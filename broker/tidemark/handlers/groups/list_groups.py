"""ListGroups: the groups of this broker. As in Kafka, an unknown state or type in a filter matches nothing.

v4  states_filter and states (KIP-518); v5  types (KIP-848)
"""

from __future__ import annotations

from tidemark.core.apply import PartitionStatus
from tidemark.core.context import CLUSTER_NAME, Context, Operation, ResourceType, quietly
from tidemark.core.decision import Steps, counted
from tidemark.groups.state import Groups
from tidemark.handlers.routes import query
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse

FILTERS = {"NotReady": "not_ready"}  # states that a filter does not name by their name in lower case


@query(ListGroupsRequest, state=Groups, versions=range(0, 6))
def list_groups(groups: Groups, ctx: Context, request: ListGroupsRequest) -> Steps[ListGroupsResponse]:
    if PartitionStatus.LOADING in groups.status:
        return ListGroupsResponse(0, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    states = yield from counted(state.strip().lower() for state in request.states_filter)
    types = yield from counted(each.lower() for each in request.types_filter)
    allowed = quietly(ctx.allowed)
    sees_all = allowed(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME)
    listed: list[ListedGroup] = []
    for group in list(groups.groups.values()):
        if (
            groups.status[group.partition] is PartitionStatus.ACTIVE
            and groups.coordinates(group.partition, ctx.caller.node_id)
            and (not states or FILTERS.get(group.state_name, group.state_name.lower()) in states)
            and (not types or group.type_name in types)
            and (sees_all or allowed(Operation.DESCRIBE, ResourceType.GROUP, group.group_id))
        ):
            listed.append(
                ListedGroup(group.group_id, group.protocol_type or "", group.state_name, group.type_name)
            )
        yield 1
    return ListGroupsResponse(0, ErrorCode.NONE, listed)
