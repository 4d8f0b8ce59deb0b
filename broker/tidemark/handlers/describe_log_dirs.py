"""DescribeLogDirs: which partitions lie in the data directory, and how large they are.

v1    the first that is served
v3    error_code at the top
v4    total_bytes and usable_bytes (KIP-827)
v5    is_cordoned (KIP-1066)
"""

from __future__ import annotations

from collections.abc import Iterable

from tidemark.coordinator.result import CLUSTER_NAME, Context, Operation, ResourceType
from tidemark.handlers.routes import transfer
from tidemark.log.manager import LogManager
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)


@transfer(DescribeLogDirsRequest, versions=range(1, 6))
async def describe_log_dirs(
    logs: LogManager, ctx: Context, request: DescribeLogDirsRequest
) -> DescribeLogDirsResponse:
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return DescribeLogDirsResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    topics: dict[str, DescribeLogDirsTopic] = {}
    for name, index in sorted(_asked(logs, ctx, request)):
        topic = topics.setdefault(name, DescribeLogDirsTopic(name))
        topic.partitions.append(DescribeLogDirsPartition(index, logs.size_bytes(name, index)))
    total_bytes, usable_bytes = logs.disk_space()
    directory = DescribeLogDirsResult(
        ErrorCode.NONE, logs.directory, list(topics.values()), total_bytes, usable_bytes
    )
    return DescribeLogDirsResponse(results=[directory])


def _asked(logs: LogManager, ctx: Context, request: DescribeLogDirsRequest) -> Iterable[tuple[str, int]]:
    """Partitions that are here; the cluster's own metadata log is nobody's topic. What is not here is left
    out.
    """
    here = {(name, index) for name, index in logs.partitions() if name in ctx.cluster.topics}
    if request.topics is None:
        return here
    return here & {(topic.topic, index) for topic in request.topics for index in topic.partitions}
