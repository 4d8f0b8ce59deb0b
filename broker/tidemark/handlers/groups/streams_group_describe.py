"""StreamsGroupDescribe (KIP-1071): streams groups with their topology, members and tasks.

v1  the task assignor (KIP-1357), and the topology description, which no group has without a plugin (KIP-1331)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Steps
from tidemark.groups.state import Groups
from tidemark.groups.streams.group import NO_TASKS, STREAMS, StreamsGroup
from tidemark.groups.streams.member import StreamsMember, TaskOffsets, TaskSets
from tidemark.groups.streams.topology import describe
from tidemark.handlers.groups.consumer_group_describe import described_groups
from tidemark.handlers.routes import query
from tidemark.settings.broker import TASK_ASSIGNORS
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.streams_group_describe import (
    Assignment,
    DescribedGroup,
    Endpoint,
    KeyValue,
    Member,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
    TaskIds,
    TaskOffset,
    Topology,
)

NOT_STORED: Final = 1  # a topology description. Kafka: StreamsGroupTopologyDescriptionStatus
HIDDEN_TOPIC: Final = "The described group uses topics that the client is not authorized to describe."


@query(StreamsGroupDescribeRequest, state=Groups, versions=range(0, 2))
def streams_group_describe(
    groups: Groups, ctx: Context, request: StreamsGroupDescribeRequest
) -> Steps[StreamsGroupDescribeResponse]:
    if not groups.settings.serves_streams_protocol(ctx.cluster.features):
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    found = yield from described_groups(
        groups, ctx, request, STREAMS, StreamsGroup, DescribedGroup, _describe
    )
    if request.include_topology_description:
        for each in found:
            if each.error_code == ErrorCode.NONE:
                each.topology_description_status = NOT_STORED
            yield 0
    return StreamsGroupDescribeResponse(groups=found)


def _describe(ctx: Context, group: StreamsGroup) -> Steps[DescribedGroup]:
    if group.topology is None:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    # All members as of one moment. Their tasks and offsets are replaced, and do not change.
    members = [
        (_member(each), replace(each), group.targets.get(each.member_id, NO_TASKS))
        for each in group.members.values()
    ]
    described = DescribedGroup(
        ErrorCode.NONE,
        None,
        group.group_id,
        group.state_name,
        group.group_epoch,
        group.assignment_epoch,
        members=[member for member, _, _ in members],
        assignor_name=TASK_ASSIGNORS[0],
    )
    described.topology = yield from describe(group.topology, group.described)
    for name in _topics(described.topology):
        if not ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, name):
            raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, HIDDEN_TOPIC)
        yield 0
    for member, as_of_then, target in members:
        assigned = as_of_then.assigned
        member.task_offsets = _offsets(as_of_then.task_offsets)
        member.task_end_offsets = _offsets(as_of_then.task_end_offsets)
        member.assignment = Assignment(
            _listed(assigned.active), _listed(assigned.standby), _listed(assigned.warmup)
        )
        member.target_assignment = _assignment(target)
        yield (
            1
            + len(member.task_offsets)
            + len(member.task_end_offsets)
            + sum(
                len(each.partitions)
                for tasks in (member.assignment, member.target_assignment)
                for each in (*tasks.active_tasks, *tasks.standby_tasks, *tasks.warmup_tasks)
            )
        )
    return described


def _member(member: StreamsMember) -> Member:
    return Member(
        member_id=member.member_id,
        member_epoch=member.epoch,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        topology_epoch=member.topology_epoch,
        process_id=member.process_id,
        user_endpoint=None if member.endpoint is None else Endpoint(*member.endpoint),
        client_tags=[KeyValue(key, value) for key, value in member.client_tags.items()],
    )


def _topics(topology: Topology) -> Collection[str]:
    names: dict[str, None] = {}
    for each in topology.subtopologies or ():
        names.update(dict.fromkeys(each.source_topics))
        names.update(dict.fromkeys(each.repartition_sink_topics))
        names.update(dict.fromkeys(topic.name for topic in each.repartition_source_topics))
        names.update(dict.fromkeys(topic.name for topic in each.state_changelog_topics))
    return names


def _assignment(tasks: TaskSets) -> Assignment:
    return Assignment(_listed(tasks.active), _listed(tasks.standby), _listed(tasks.warmup))


def _offsets(offsets: TaskOffsets) -> list[TaskOffset]:
    return [
        TaskOffset(each, partition, offsets[each][partition])
        for each in sorted(offsets)
        for partition in sorted(offsets[each])
    ]


def _listed(tasks: Mapping[str, Collection[int]]) -> list[TaskIds]:
    return [TaskIds(each, sorted(tasks[each])) for each in sorted(tasks)]
