"""DescribeShareGroupOffsets (KIP-932): where share groups begin to read each partition, and their lag.

v1  lag
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from tidemark.core.context import Context, Operation, ResourceType, quietly
from tidemark.groups.share.group import ShareGroup
from tidemark.handlers.data.partitions import each, find_log
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.metadata.model import SHARE_VERSION
from tidemark.share_coordinator.state import SharePartition, ShareStates
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
)

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

UNKNOWN: Final = -1  # a start offset, a count or a lag

Topic = DescribeShareGroupOffsetsResponseTopic
Partition = DescribeShareGroupOffsetsResponsePartition


@log_api(DescribeShareGroupOffsetsRequest, versions=range(0, 2))
async def describe_share_group_offsets(
    logs: LogManager, ctx: Context, request: DescribeShareGroupOffsetsRequest
) -> DescribeShareGroupOffsetsResponse:
    groups: list[DescribeShareGroupOffsetsResponseGroup] = []
    async for group in each(request.groups, ctx.turns):
        try:
            topics = await _Described(logs, ctx, group).topics()
        except KafkaError as refused:
            described = DescribeShareGroupOffsetsResponseGroup(
                group.group_id, [], refused.code, refused.message
            )
        else:
            described = DescribeShareGroupOffsetsResponseGroup(group.group_id, topics)
        groups.append(described)
    await ctx.decisions.durable()
    return DescribeShareGroupOffsetsResponse(groups=groups)


class _Described:
    """One group of the request."""

    def __init__(
        self, logs: LogManager, ctx: Context, request: DescribeShareGroupOffsetsRequestGroup
    ) -> None:
        self._logs = logs
        self._ctx = ctx
        self._request = request
        self._states: ShareStates = ctx.decisions.state("ShareStates")

    async def topics(self) -> list[Topic]:
        """Return the topics of the response. Raises KafkaError."""
        ctx, request = self._ctx, self._request
        if ctx.cluster.features.get(SHARE_VERSION, 0) < 1:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
        if not ctx.allowed(Operation.DESCRIBE, ResourceType.GROUP, request.group_id):
            raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
        if request.topics is None:
            return await self._initialized()
        found: list[Topic] = []
        refused: list[Topic] = []
        async for topic in each(request.topics, ctx.turns):
            known = ctx.cluster.topics.get(topic.topic_name)
            if not ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, topic.topic_name):
                code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
                refused.append(_without_offsets(topic.topic_name, topic.partitions, code))
            elif known is None:
                found.append(_without_offsets(topic.topic_name, topic.partitions, ErrorCode.NONE))
            else:
                count = len(known.partitions)
                if (
                    not request.group_id
                    or not topic.partitions
                    or not all(0 <= index < count for index in topic.partitions)
                ):  # Kafka cannot read the state of the group
                    code = ErrorCode.UNKNOWN_SERVER_ERROR
                    raise KafkaError(code, code.text)
                found.append(await self._topic(topic.topic_name, known.topic_id, topic.partitions))
        return found + refused

    async def _initialized(self) -> list[Topic]:
        """Return the topics whose state exists, as far as the caller may describe them."""
        ctx, request = self._ctx, self._request
        groups: Groups = ctx.decisions.state("Groups")
        error = groups.service_error(request.group_id, ctx.caller.node_id)
        if error is not ErrorCode.NONE and request.group_id:
            raise KafkaError(error)
        group = groups.of_type(ShareGroup, request.group_id)
        initialized: Mapping[bytes, tuple[str, Collection[int]]] = {} if group is None else group.initialized
        allowed, topics = quietly(ctx.allowed), ctx.cluster.topics_by_id
        return [
            await self._topic(topics[topic_id].name, topic_id, sorted(partitions))
            async for topic_id, (_, partitions) in each(dict(initialized).items(), ctx.turns)
            if topic_id in topics and allowed(Operation.DESCRIBE, ResourceType.TOPIC, topics[topic_id].name)
        ]

    async def _topic(self, name: str, topic_id: bytes, partitions: Collection[int]) -> Topic:
        indexes = dict.fromkeys(partitions)
        return Topic(
            name,
            topic_id,
            [self._partition(name, topic_id, index) async for index in each(indexes, self._ctx.turns)],
        )

    def _partition(self, name: str, topic_id: bytes, index: int) -> Partition:
        state = self._states.summary(SharePartition(self._request.group_id, topic_id, index))
        start, complete = state.start_offset, state.delivery_complete_count
        if UNKNOWN in (start, complete):
            return Partition(index, start, state.leader_epoch)
        try:
            end = find_log(self._logs, name, index).log_end_offset
        except KafkaError as error:
            return Partition(index, error_code=error.code, error_message=error.code.text)
        return Partition(index, start, state.leader_epoch, end - start - complete)


def _without_offsets(name: str, partitions: Collection[int], code: ErrorCode) -> Topic:
    text = None if code is ErrorCode.NONE else code.text
    return Topic(name, partitions=[Partition(index, UNKNOWN, 0, UNKNOWN, code, text) for index in partitions])
