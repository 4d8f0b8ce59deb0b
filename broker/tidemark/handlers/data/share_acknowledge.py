"""ShareAcknowledge: what a member of a share group has done with the records that it acquired (KIP-932).

v1    the first version that Kafka 4 serves
v2    is_renew_ack, acquisition_lock_timeout_ms (KIP-1222)

ShareFetch may carry acknowledgements, too: `Acknowledging` serves both.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.handlers.data.partitions import each
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.share.partition import REJECT, RENEW, Acknowledgement
from tidemark.share.sessions import FINAL_EPOCH, INITIAL_EPOCH
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.share_acknowledge import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareAcknowledgeRequest,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)

if TYPE_CHECKING:
    from tidemark.metadata.state import Cluster
    from tidemark.share.open_partitions import SharePartitions

MEMBER_ID_MAX: Final = 36
FIRST_VERSION_WITH_RENEWALS: Final = 2
NO_BATCH_YET: Final = -1
CHECKED_PER_STEP: Final = 50  # batches of acknowledgements
LEADER_CHANGED: Final = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)

Key = tuple[bytes, int]  # topic id and partition


class _Batch(Protocol):
    first_offset: int
    last_offset: int
    acknowledge_types: list[int]


@log_api(ShareAcknowledgeRequest, versions=range(1, 3))
async def share_acknowledge(
    logs: LogManager, ctx: Context, request: ShareAcknowledgeRequest
) -> ShareAcknowledgeResponse:
    group_id, member_id = check_member(ctx, request.group_id, request.member_id)
    shares: SharePartitions = ctx.shares
    sessions = shares.sessions(ctx.node_id)
    if request.share_session_epoch == INITIAL_EPOCH:
        raise KafkaError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
    session = sessions.next((group_id, member_id), request.share_session_epoch)
    cluster: Cluster = ctx.cluster
    if cluster.settings.authorizer_class_name:
        async for named in each(request.topics, ctx.turns):
            if named.topic_id not in cluster.topics_by_id:  # Kafka asks its authorizer about no name [4.3.1]
                raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    acknowledging = Acknowledging(ctx, group_id, member_id, is_renewal=request.is_renew_ack)
    await acknowledging.begin(request.topics)
    refused = await acknowledging.end()
    response = ShareAcknowledgeResponse(
        acquisition_lock_timeout_ms=cluster.configs.share_group_settings(group_id).record_lock_duration_ms
    )
    topics: dict[bytes, ShareAcknowledgeTopicResponse] = {}
    async for (topic_id, index), error in each(refused.items(), ctx.turns):
        topic = topics.get(topic_id)
        if topic is None:
            topic = topics[topic_id] = ShareAcknowledgeTopicResponse(topic_id, [])
            response.responses.append(topic)
        data = PartitionData(index)
        if error is not None:
            data.error_code, data.error_message = error.code, error.message
            if error.code in LEADER_CHANGED:
                leader = cluster.topics_by_id[topic_id].partitions[index]
                data.current_leader = LeaderIdAndEpoch(leader.leader, leader.leader_epoch)
                if (node := cluster.node(ctx, leader.leader)) is not None:
                    endpoint = NodeEndpoint(*node)
                    if endpoint not in response.node_endpoints:  # there are as many as nodes
                        response.node_endpoints.append(endpoint)
        topic.partitions.append(data)
    if request.share_session_epoch == FINAL_EPOCH:
        shares.release(ctx.node_id, session)
    return response


def check_member(ctx: Context, group_id: str | None, member_id: str | None) -> tuple[str, str]:
    """Check who asks. Raises KafkaError."""
    if not ctx.cluster.serves_share_groups:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if group_id is None:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not member_id or len(member_id.encode("utf-16-le", "surrogatepass")) // 2 > MEMBER_ID_MAX:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    return group_id, member_id


@dataclass(slots=True)
class Acknowledging:
    """The acknowledgements of one request.

    is_renewal   the request may extend locks
    has_begun    some acknowledgements are for a share partition
    outcomes     by partition: what refuses it, None if it was empty, or a future of either
    """

    ctx: Context
    group_id: str
    member_id: str
    is_renewal: bool
    has_begun: bool = False
    outcomes: dict[Key, KafkaError | asyncio.Future[KafkaError | None] | None] = field(default_factory=dict)

    async def begin(self, topics: list[Any]) -> None:
        """Acknowledge. The records change state now; `end` waits until that is stored."""
        ctx = self.ctx
        cluster: Cluster = ctx.cluster
        shares: SharePartitions = ctx.shares
        may_renew = self.is_renewal and ctx.version >= FIRST_VERSION_WITH_RENEWALS
        types_max = RENEW if may_renew else REJECT
        wanted: dict[Key, list[Any]] = {}  # of a partition that is named twice, the last entry counts
        async for named in each(topics, ctx.turns):
            async for partition in each(named.partitions, ctx.turns):
                wanted[named.topic_id, partition.partition_index] = partition.acknowledgement_batches
        async for key, batches in each(wanted.items(), ctx.turns):
            topic, index = cluster.topics_by_id.get(key[0]), key[1]
            try:
                if topic is None:
                    raise KafkaError(ErrorCode.UNKNOWN_TOPIC_ID)
                acknowledgements = await self._check(batches, types_max)
                if not ctx.allowed(Operation.READ, ResourceType.TOPIC, topic.name):
                    raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
                if not 0 <= index < len(topic.partitions):
                    raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
                if not acknowledgements:
                    self.outcomes[key] = None
                    continue
                opened = shares.get((self.group_id, *key))
                if opened is None or opened.partition.leader != ctx.node_id:
                    error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                    raise KafkaError(error, error.text)
                self.outcomes[key] = shares.acknowledge(opened, self.member_id, acknowledgements)
                self.has_begun = True
            except KafkaError as refused:
                # One without a traceback, which would refer to this object.
                self.outcomes[key] = KafkaError(refused.code, refused.message)
                # Kafka gets as far as the share partition itself with these.
                self.has_begun |= refused.message is not None

    async def _check(self, batches: list[_Batch], types_max: int) -> list[Acknowledgement]:
        """Raises KafkaError 42 if these acknowledgements are invalid in themselves."""
        found: list[Acknowledgement] = []
        previous_last = NO_BATCH_YET
        turns = self.ctx.turns
        for number, batch in enumerate(batches, 1):
            if not number % CHECKED_PER_STEP and turns.spend():
                await turns.rest()
            first, last, types = batch.first_offset, batch.last_offset, batch.acknowledge_types
            if (
                first > last
                or first < previous_last
                or not types
                or (len(types) > 1 and len(types) != last - first + 1)
                or min(types) < 0
                or max(types) > types_max
            ):
                raise KafkaError(ErrorCode.INVALID_REQUEST)
            previous_last = last
            found.append(Acknowledgement(first, last, types))
        return found

    async def end(self) -> dict[Key, KafkaError | None]:
        """Return what refuses the acknowledgements of each partition, None if they are stored.

        Partitions without acknowledgements are left out if there are no others. Kafka:
        KafkaApis.handleAcknowledgements.
        """
        refused: dict[Key, KafkaError | None] = {}
        for key, outcome in self.outcomes.items():
            if isinstance(outcome, asyncio.Future):
                refused[key] = await asyncio.shield(outcome)
            elif outcome is not None or self.has_begun:
                refused[key] = outcome
        return refused
