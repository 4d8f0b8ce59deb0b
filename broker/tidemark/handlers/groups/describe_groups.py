"""DescribeGroups: state and members of classic groups. An unknown group is described as Dead.

v3  include_authorized_operations (KIP-430)
v4  group_instance_id (KIP-345)
v6  GROUP_ID_NOT_FOUND (KIP-1043)
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Steps
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.member import ClassicGroupState
from tidemark.groups.state import Groups
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import group_operations
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)

DEAD: Final = "Dead"
NOT_FOUND_FROM: Final = 6


@query(DescribeGroupsRequest, state=Groups, versions=range(0, 7))
def describe_groups(
    groups: Groups, ctx: Context, request: DescribeGroupsRequest
) -> Steps[DescribeGroupsResponse]:
    described: list[DescribedGroup] = []
    refused: list[DescribedGroup] = []
    known: dict[str, DescribedGroup] = {}  # a group that is named twice is described once and listed twice
    allowed: list[str] = []
    for group_id in request.groups:
        if ctx.allowed(Operation.DESCRIBE, ResourceType.GROUP, group_id):
            allowed.append(group_id)
        else:
            refused.append(DescribedGroup(ErrorCode.GROUP_AUTHORIZATION_FAILED, group_id=group_id))
        yield 1
    by_partition = yield from groups.by_partition(allowed)
    for group_id in chain.from_iterable(by_partition):
        response = known.get(group_id)
        if response is None:
            response = known[group_id] = _describe(groups, ctx, group_id)
            if request.include_authorized_operations and response.error_code == ErrorCode.NONE:
                response.authorized_operations = group_operations(ctx, group_id)
            yield len(response.members)
        described.append(response)
        yield 1
    return DescribeGroupsResponse(groups=refused + described)


def _describe(groups: Groups, ctx: Context, group_id: str) -> DescribedGroup:
    error = groups.service_error(group_id, ctx.caller.node_id)
    if error is not ErrorCode.NONE:
        return DescribedGroup(error, group_id=group_id)
    group = groups.of_type(ClassicGroup, group_id)
    if group is None:
        reason = "not found" if groups.get(group_id) is None else "is not a classic group"
        return _unknown(ctx, group_id, f"Group {group_id} {reason}.")
    stable = group.state is ClassicGroupState.STABLE
    return DescribedGroup(
        ErrorCode.NONE,
        None,
        group_id,
        group.state.value,
        group.protocol_type or "",
        (group.protocol or "") if stable else "",
        [
            DescribedGroupMember(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                member.metadata(group.protocol if stable else None),
                member.assignment,
            )
            for member in group.members.values()
        ],
    )


def _unknown(ctx: Context, group_id: str, message: str) -> DescribedGroup:
    if ctx.version < NOT_FOUND_FROM:
        return DescribedGroup(ErrorCode.NONE, None, group_id, DEAD)
    return DescribedGroup(ErrorCode.GROUP_ID_NOT_FOUND, message, group_id, DEAD)
