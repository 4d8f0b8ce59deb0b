"""DescribeLogDirs: the partitions in the data directory, and their sizes.

A node lists the partitions of which it has a replica. All nodes share one directory.

v1    the first version that is served
v3    error_code at the top level
v4    total_bytes and usable_bytes (KIP-827)
v5    is_cordoned (KIP-1066)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidemark.core.context import CLUSTER_NAME, EVERY_NODE, Context, Operation, ResourceType
from tidemark.handlers.data.partitions import each
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.turns import Turns
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

if TYPE_CHECKING:
    from tidemark.metadata.model import Topic


@log_api(DescribeLogDirsRequest, versions=range(1, 6))
async def describe_log_dirs(
    logs: LogManager, ctx: Context, request: DescribeLogDirsRequest
) -> DescribeLogDirsResponse:
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return DescribeLogDirsResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    turns: Turns = ctx.turns
    wanted = await _wanted(ctx, request, turns)
    topics: list[DescribeLogDirsTopic] = []
    async for name in each(sorted(wanted), turns):
        partitions = [
            DescribeLogDirsPartition(index, logs.size_bytes(name, index))
            async for index in each(sorted(wanted[name]), turns)
            if logs.is_here(name, index) and _has_replica(ctx, name, index)
        ]
        if partitions:
            topics.append(DescribeLogDirsTopic(name, partitions))
    total_bytes, usable_bytes = logs.storage.space()
    directory = DescribeLogDirsResult(ErrorCode.NONE, logs.directory, topics, total_bytes, usable_bytes)
    return DescribeLogDirsResponse(results=[directory])


def _has_replica(ctx: Context, topic: str, index: int) -> bool:
    """Return whether the client's node has a replica of a partition that exists."""
    node_id, known = ctx.caller.node_id, ctx.cluster.topics.get(topic)
    if node_id == EVERY_NODE:
        return True
    # The topic may have been deleted meanwhile, with its partitions still here.
    return known is None or index >= len(known.partitions) or node_id in known.partitions[index].replicas


async def _wanted(ctx: Context, request: DescribeLogDirsRequest, turns: Turns) -> dict[str, set[int]]:
    """Return the requested partitions by topic. The metadata log belongs to no topic and is not listed."""
    topics: dict[str, Topic] = ctx.cluster.topics
    if request.topics is None:
        return {name: set(range(len(topic.partitions))) for name, topic in topics.items()}
    wanted: dict[str, set[int]] = {}
    async for topic in each(request.topics, turns):
        if topic.topic in topics:
            wanted.setdefault(topic.topic, set()).update(topic.partitions)
    return wanted
