"""DescribeQuorum: the nodes that write the metadata log (KIP-595), and which of them leads it.

Brokers that were added at run time observe it, as those of Kafka that are no controllers.

v1  the times at which a replica fetched and was caught up (KIP-836)
v2  error messages, directory ids, and the addresses of the nodes (KIP-853)
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import CLUSTER_NAME, Context, Operation, ResourceType
from tidemark.handlers.cluster.add_raft_voter import CONTROLLER_LISTENER
from tidemark.handlers.data.partitions import each, find_log
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.turns import Turns
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumResponsePartitionData,
    DescribeQuorumResponseTopicData,
    Listener,
    Node,
    ReplicaState,
)

METADATA: Final = "__cluster_metadata"
NOT_FETCHED: Final = -1  # the log end offset of a voter that has not fetched from this leader


@log_api(DescribeQuorumRequest, versions=range(0, 3))
async def describe_quorum(
    logs: LogManager, ctx: Context, request: DescribeQuorumRequest
) -> DescribeQuorumResponse:
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    named = [(topic.topic_name, len(topic.partitions)) for topic in request.topics[:2]]
    if named == [(METADATA, 1)] and request.topics[0].partitions[0].partition_index == 0:
        return _quorum(logs, ctx)
    # As in Kafka, any other list of partitions makes each of them unknown.
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    turns: Turns = ctx.turns
    topics = [
        DescribeQuorumResponseTopicData(
            topic.topic_name,
            [
                DescribeQuorumResponsePartitionData(part.partition_index, unknown, unknown.text)
                async for part in each(topic.partitions, turns)
            ],
        )
        async for topic in each(request.topics, turns)
    ]
    return DescribeQuorumResponse(topics=topics)


def _quorum(logs: LogManager, ctx: Context) -> DescribeQuorumResponse:
    cluster = ctx.cluster
    log = find_log(logs, METADATA, 0)
    voters, leader = cluster.voters, cluster.quorum_leader
    replicas = {
        each: ReplicaState(
            each,
            log_end_offset=log.log_end_offset,
            last_fetch_timestamp=ctx.wall_ms,
            last_caught_up_timestamp=ctx.wall_ms,
        )
        if each in cluster.living or each == leader
        else ReplicaState(each, log_end_offset=NOT_FETCHED)
        for each in {*voters, *cluster.node_ids}
    }
    partition = DescribeQuorumResponsePartitionData(
        leader_id=leader,
        leader_epoch=log.leader_epoch + cluster.quorum_elections,
        high_watermark=log.high_watermark,
        current_voters=[replicas[each] for each in voters],
        observers=[replicas[each] for each in cluster.node_ids if each not in voters],
    )
    return DescribeQuorumResponse(
        topics=[DescribeQuorumResponseTopicData(METADATA, [partition])],
        # Every listener reaches the controller, so the address of the client's own one is returned.
        nodes=[
            Node(each.node_id, [Listener(CONTROLLER_LISTENER, each.host, each.port)])
            for each in cluster.nodes(ctx, stopped=True)
            if each.node_id in voters
        ],
    )
