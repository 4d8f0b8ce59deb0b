"""OffsetFetch: the committed offsets of a group. An unknown group, topic or partition has the offset -1.

v1  from the log (v0 read from ZooKeeper; Kafka 4 does not serve it)
v2  null topics: all offsets of the group; a group-level error
v5  leader epoch (KIP-320)
v7  require_stable (KIP-447)
v8  several groups
v9  member of a KIP-848 group, with its current epoch. Classic groups ignore it
v10 topics by id
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Steps
from tidemark.groups.offsets import TopicPartition
from tidemark.groups.state import Groups
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import topic_visible
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)
from tidemark_protocol.records.offset_commit import OffsetCommitValue
from tidemark_protocol.wire import ZERO_UUID

NO_OFFSET: Final = -1
NO_EPOCH: Final = -1
STEP_OFFSETS: Final = 100  # of one group, in one step: 0.1 ms


@query(OffsetFetchRequest, state=Groups, versions=range(1, 11))
def offset_fetch(groups: Groups, ctx: Context, request: OffsetFetchRequest) -> Steps[OffsetFetchResponse]:
    if ctx.version >= 8:
        return OffsetFetchResponse(groups=(yield from _fetch_each(groups, ctx, request)))
    topics = request.topics
    if topics is not None:
        requested = [
            OffsetFetchRequestTopics(topic.name, ZERO_UUID, topic.partition_indexes) for topic in topics
        ]
    group = OffsetFetchRequestGroup(request.group_id, None, NO_EPOCH, None if topics is None else requested)
    response = yield from _fetch(groups, ctx, group, require_stable=request.require_stable)
    return _before_many_groups(ctx, group, response)


def _fetch_each(
    groups: Groups, ctx: Context, request: OffsetFetchRequest
) -> Steps[list[OffsetFetchResponseGroup]]:
    """Return a response for each group. All offsets of a group that is named twice are read once."""
    whole: dict[tuple[str, str | None, int], OffsetFetchResponseGroup] = {}
    responses: list[OffsetFetchResponseGroup] = []
    for group in request.groups:
        key = (group.group_id, group.member_id, group.member_epoch)
        response = whole.get(key) if group.topics is None else None
        if response is None:
            response = yield from _fetch(groups, ctx, group, require_stable=request.require_stable)
            if group.topics is None:
                whole[key] = response
        responses.append(response)
        yield 1
    return responses


def _fetch(
    groups: Groups, ctx: Context, group: OffsetFetchRequestGroup, *, require_stable: bool
) -> Steps[OffsetFetchResponseGroup]:
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.GROUP, group.group_id):
        return OffsetFetchResponseGroup(group.group_id, [], ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if group.topics is None:
        yield len(groups.offsets.of(group.group_id))  # they are decided once there is memory for all of them
    error = groups.service_error(group.group_id, ctx.caller.node_id)
    if error is ErrorCode.NONE:
        error = _member_error(groups, group)
    if error is not ErrorCode.NONE:
        return OffsetFetchResponseGroup(group.group_id, [], error)
    while groups.offsets.is_ending(group.group_id):  # all offsets of a transaction become visible at once
        yield 0
    if group.topics is None:
        topics = yield from _all(groups, ctx, group.group_id)
    else:
        topics = yield from _requested(groups, ctx, group)
    if require_stable:
        _hold_back(topics, groups.offsets.pending_keys(group.group_id))
    return OffsetFetchResponseGroup(group.group_id, topics, ErrorCode.NONE)


def _member_error(groups: Groups, group: OffsetFetchRequestGroup) -> ErrorCode:
    """Return the error for the member that the request names, if it names one."""
    known = groups.get(group.group_id)
    return ErrorCode.NONE if known is None else known.check_fetch(group.member_id, group.member_epoch)


def _hold_back(topics: list[OffsetFetchResponseTopics], pending: Collection[TopicPartition]) -> None:
    """Leave out offsets that an open transaction may replace (require_stable)."""
    for topic in topics if pending else ():
        for at, partition in enumerate(topic.partitions):
            index = partition.partition_index
            if partition.error_code == ErrorCode.NONE and (topic.name, index) in pending:
                topic.partitions[at] = _no_offset(index, ErrorCode.UNSTABLE_OFFSET_COMMIT)


def _all(groups: Groups, ctx: Context, group_id: str) -> Steps[list[OffsetFetchResponseTopics]]:
    """Return every offset of the group, except of topics that the client may not describe.

    From v10 on, topics without an id are left out too.
    """
    topics: dict[str, OffsetFetchResponseTopics] = {}
    offsets = groups.offsets.of(group_id)
    copied = zip(list(offsets), list(offsets.values()), strict=True)
    for number, ((name, partition), value) in enumerate(copied, 1):
        topic = topics.get(name)
        if topic is None:
            topic = topics[name] = OffsetFetchResponseTopics(name, _topic_id(ctx, name), [])
        topic.partitions.append(_committed(partition, value))
        if number % STEP_OFFSETS == 0:
            yield 0
    return [topic for topic in topics.values() if _may_be_shown(ctx, topic)]


def _topic_id(ctx: Context, name: str) -> bytes:
    topic = ctx.cluster.topics.get(name)
    return ZERO_UUID if topic is None else topic.topic_id


def _may_be_shown(ctx: Context, topic: OffsetFetchResponseTopics) -> bool:
    if ctx.version >= 10 and topic.topic_id == ZERO_UUID:
        return False
    return topic_visible(ctx, topic.name)


def _requested(
    groups: Groups, ctx: Context, group: OffsetFetchRequestGroup
) -> Steps[list[OffsetFetchResponseTopics]]:
    """Return each topic and partition as often as requested, in order. Refused topics are last."""
    found, refused = [], []
    for topic in group.topics or ():
        name = topic.name
        if ctx.version >= 10:
            known = ctx.cluster.topics_by_id.get(topic.topic_id)
            if known is None:
                refused.append(_refused(topic, ErrorCode.UNKNOWN_TOPIC_ID))
                yield 1 + len(topic.partition_indexes)
                continue
            name = known.name
        if not ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, name):
            refused.append(_refused(topic, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
            yield 1 + len(topic.partition_indexes)
            continue
        partitions = []
        for index in topic.partition_indexes:
            value = _of_this_topic(groups.offsets.get(group.group_id, name, index), topic.topic_id)
            partitions.append(_committed(index, value))
            yield 1
        found.append(OffsetFetchResponseTopics(name, topic.topic_id, partitions))
        yield 1
    return found + refused


def _of_this_topic(value: OffsetCommitValue | None, topic_id: bytes) -> OffsetCommitValue | None:
    """Return the offset, unless its topic id is another: then it belongs to an earlier topic of that name."""
    if value is None or ZERO_UUID in (topic_id, value.topic_id) or value.topic_id == topic_id:
        return value
    return None


def _committed(index: int, value: OffsetCommitValue | None) -> OffsetFetchResponsePartitions:
    if value is None:
        return _no_offset(index, ErrorCode.NONE)
    return OffsetFetchResponsePartitions(
        index, value.offset, value.leader_epoch, value.metadata, ErrorCode.NONE
    )


def _no_offset(index: int, error: ErrorCode) -> OffsetFetchResponsePartitions:
    return OffsetFetchResponsePartitions(index, NO_OFFSET, NO_EPOCH, "", error)


def _refused(topic: OffsetFetchRequestTopics, error: ErrorCode) -> OffsetFetchResponseTopics:
    partitions = [_no_offset(index, error) for index in topic.partition_indexes]
    return OffsetFetchResponseTopics(topic.name, topic.topic_id, partitions)


def _before_many_groups(
    ctx: Context, requested: OffsetFetchRequestGroup, response: OffsetFetchResponseGroup
) -> OffsetFetchResponse:
    """Return the response before v8. v1 has no group error code, so every partition has the error."""
    topics = response.topics
    if ctx.version < 2 and response.error_code != ErrorCode.NONE:
        topics = [_refused(topic, ErrorCode(response.error_code)) for topic in requested.topics or ()]
    return OffsetFetchResponse(
        topics=[
            OffsetFetchResponseTopic(
                topic.name,
                [
                    OffsetFetchResponsePartition(
                        each.partition_index,
                        each.committed_offset,
                        each.committed_leader_epoch,
                        each.metadata,
                        each.error_code,
                    )
                    for each in topic.partitions
                ],
            )
            for topic in topics
        ],
        error_code=response.error_code,
    )
