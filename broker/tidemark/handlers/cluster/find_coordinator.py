"""FindCoordinator: the node that coordinates a group or a transactional id.

The first authorized request for a group creates `__consumer_offsets`, the first for a transactional id
`__transaction_state`, and the first for a share partition `__share_group_state`. It gets its response at
once. Kafka returns COORDINATOR_NOT_AVAILABLE, and the client retries.

v1  key type: transactions; v4  several keys (KIP-699); v6  share partitions (KIP-932), for brokers only
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import CLUSTER_NAME, Context, Operation, ResourceType
from tidemark.core.decision import (
    Decision,
    Effect,
    OffsetsTopicCreated,
    Record,
    ShareStateTopicCreated,
    Steps,
    TransactionsTopicCreated,
)
from tidemark.handlers.routes import command
from tidemark.metadata.model import OFFSETS_TOPIC, SHARE_STATE_TOPIC, TRANSACTIONS_TOPIC
from tidemark.metadata.state import Cluster, Node
from tidemark.metadata.topics import (
    offsets_topic_records,
    share_state_topic_records,
    transactions_topic_records,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import partition_of_group
from tidemark_protocol.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from tidemark_protocol.records.partition_record import PartitionRecord

GROUP: Final = 0
TRANSACTION: Final = 1
SHARE: Final = 2
SHARE_FROM: Final = 6  # the first version with share partitions
TOPICS: Final = {GROUP: OFFSETS_TOPIC, TRANSACTION: TRANSACTIONS_TOPIC, SHARE: SHARE_STATE_TOPIC}

NO_NODE: Final = -1
NO_PORT: Final = -1


@command(FindCoordinatorRequest, state=Cluster, versions=range(0, 7))
def find_coordinator(
    cluster: Cluster, ctx: Context, request: FindCoordinatorRequest
) -> Steps[Decision[FindCoordinatorResponse]]:
    coordinators = _Coordinators(cluster, ctx, request.key_type)
    if ctx.version < 4:
        response = _single(coordinators.find(request.key))
    else:
        response = FindCoordinatorResponse(coordinators=[])
        for key in request.coordinator_keys:
            response.coordinators.append(coordinators.find(key))
            if coordinators.records:  # now: another request may create the topic during a pause
                yield coordinators.creation()
            yield 1
    created = coordinators.creation()
    return Decision(response, created.records, effects=created.effects)


class _Coordinators:
    """Finds coordinators of one type.

    records, effects   create the internal topic, if it does not exist and a client may use a coordinator
    """

    def __init__(self, cluster: Cluster, ctx: Context, key_type: int) -> None:
        self._cluster = cluster
        self._ctx = ctx
        self._key_type = key_type
        self._leaders: list[int] = []  # of the internal topic's partitions
        self.records: tuple[Record, ...] = ()
        self.effects: tuple[Effect, ...] = ()

    def creation(self) -> Decision[FindCoordinatorResponse]:
        """Return what creates the topic, once."""
        created: Decision[FindCoordinatorResponse] = Decision(records=self.records, effects=self.effects)
        self.records, self.effects = (), ()
        return created

    def find(self, key: str) -> Coordinator:
        ctx, node, coordinated = self._ctx, None, key
        error = _refusal(ctx, self._key_type, key)
        if error is ErrorCode.NONE and self._key_type == SHARE:
            try:
                coordinated = _share_partition(key)
            except ValueError:
                error = ErrorCode.INVALID_REQUEST
        if error is ErrorCode.NONE:
            node = self._node_of(coordinated)
            if node is None:
                error = ErrorCode.COORDINATOR_NOT_AVAILABLE
        message = _message(ctx, self._key_type, error)
        if node is None:
            return Coordinator(key, NO_NODE, "", NO_PORT, error, message)
        return Coordinator(key, node.node_id, node.host, node.port, error, message)

    def _node_of(self, key: str) -> Node | None:
        """Return the node that leads the partition of this key. None: it has no leader now."""
        cluster = self._cluster
        if cluster.all_fenced:
            return None
        if not self._leaders:
            self._leaders = self._leaders_of_topic()
        if len(cluster.node_ids) == 1:
            return cluster.node(self._ctx, cluster.identity.node_id)
        return cluster.node(self._ctx, self._leaders[partition_of_group(key, len(self._leaders))])

    def _leaders_of_topic(self) -> list[int]:
        topic = self._cluster.topics.get(TOPICS[self._key_type])
        if topic is not None:
            return [partition.leader for partition in topic.partitions]
        settings = self._cluster.settings
        if self._key_type == GROUP:
            self.records = offsets_topic_records(self._cluster, self._ctx)
            self.effects = (OffsetsTopicCreated(settings.offsets_topic_num_partitions),)
        elif self._key_type == TRANSACTION:
            self.records = transactions_topic_records(self._cluster, self._ctx)
            self.effects = (TransactionsTopicCreated(settings.transaction_state_log_num_partitions),)
        else:
            self.records = share_state_topic_records(self._cluster, self._ctx)
            self.effects = (ShareStateTopicCreated(settings.share_coordinator_state_topic_num_partitions),)
        values = [record.value for record in self.records]
        return [each.leader for each in values if isinstance(each, PartitionRecord)]


def _refusal(ctx: Context, key_type: int, key: str) -> ErrorCode:
    if key_type == GROUP:
        allowed = ctx.allowed(Operation.DESCRIBE, ResourceType.GROUP, key)
        return ErrorCode.NONE if allowed else ErrorCode.GROUP_AUTHORIZATION_FAILED
    if key_type == TRANSACTION:
        allowed = ctx.allowed(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, key)
        return ErrorCode.NONE if allowed else ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    if key_type == SHARE and ctx.version >= SHARE_FROM:
        if not ctx.allowed(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME):
            raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)  # of the whole request
        return ErrorCode.NONE
    return ErrorCode.INVALID_REQUEST


def _share_partition(key: str) -> str:
    """Return the key of a share partition as its coordinator writes it. Raises ValueError."""
    from tidemark.share_coordinator.state import SharePartition  # most brokers never need it

    return SharePartition.of_coordinator_key(key).coordinator_key


def _message(ctx: Context, key_type: int, error: ErrorCode) -> str:
    """Return Kafka's text: up to v3 it is in every response, since v4 only for an unknown key type."""
    if ctx.version < 4:
        return error.name if error is ErrorCode.NONE else error.text
    return "" if key_type in (GROUP, TRANSACTION, SHARE) else error.text


def _single(found: Coordinator) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=found.error_message,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )
