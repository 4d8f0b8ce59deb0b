"""AlterReplicaLogDirs: moves replicas to another directory of their broker (KIP-113). There is one directory.

v1  the first version that is served
"""

from __future__ import annotations

from tidemark.core.context import CLUSTER_NAME, Context, Operation, ResourceType
from tidemark.handlers.data.partitions import each, find_partition
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.turns import Turns
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)


@log_api(AlterReplicaLogDirsRequest, versions=range(1, 3))
async def alter_replica_log_dirs(
    logs: LogManager, ctx: Context, request: AlterReplicaLogDirsRequest
) -> AlterReplicaLogDirsResponse:
    turns: Turns = ctx.turns
    if not ctx.allowed(Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    codes: dict[str, dict[int, int]] = {}  # the last directory that names a partition counts
    async for directory in each(request.dirs, turns):
        async for topic in each(directory.topics, turns):
            async for index in each(topic.partitions, turns):
                code = ErrorCode.LOG_DIR_NOT_FOUND
                if directory.path == logs.directory:
                    code = _existence(ctx, topic.name, index)
                codes.setdefault(topic.name, {})[index] = code
    response = AlterReplicaLogDirsResponse()
    async for name, found in each(codes.items(), turns):
        results = [
            AlterReplicaLogDirPartitionResult(index, code) async for index, code in each(found.items(), turns)
        ]
        response.results.append(AlterReplicaLogDirTopicResult(name, results))
    return response


def _existence(ctx: Context, topic: str, index: int) -> ErrorCode:
    try:
        replicas = find_partition(ctx.cluster, topic, index).replicas
    except KafkaError as unknown:
        return unknown.code
    return ErrorCode.NONE if ctx.node_id in replicas else ErrorCode.REPLICA_NOT_AVAILABLE
