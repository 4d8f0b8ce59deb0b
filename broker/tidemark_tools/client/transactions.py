"""Transactions and producers, as Kafka's admin client lists, describes and aborts them.

The messages of errors are those of Kafka's admin client.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.client import Client, TopicPartition, by_topic, nodes_of, pause
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import LEADER_NOT_THERE, ErrorResponse, error_code

NO_FILTER_MS: Final = -1
WITH_DURATION: Final = 1  # the first versions of ListTransactions with these filters
WITH_PATTERN: Final = 2
NO_LEADER: Final = frozenset((
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.BROKER_NOT_AVAILABLE, ErrorCode.REPLICA_NOT_AVAILABLE,
    *LEADER_NOT_THERE,
))  # fmt: skip


class Filter(NamedTuple):
    """The transactions to list. duration_ms: only those that have been open for longer; negative: all."""

    producer_ids: tuple[int, ...] = ()
    duration_ms: int = NO_FILTER_MS
    pattern: str | None = None


class Marker(NamedTuple):
    """The abort of a producer's transaction in one partition. Kafka: AbortTransactionSpec."""

    partition: TopicPartition
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int

    def __str__(self) -> str:
        return (
            f"AbortTransactionSpec(topicPartition={self.partition}, producerId={self.producer_id}, "
            f"producerEpoch={self.producer_epoch}, coordinatorEpoch={self.coordinator_epoch})"
        )


def list_transactions(client: Client, wanted: Filter) -> dict[int, list[Any]]:
    """Return the transactions of each broker, by its id. Raises ErrorResponse."""
    from tidemark_protocol.messages.list_transactions import ListTransactionsRequest

    request = ListTransactionsRequest(
        producer_id_filters=list(wanted.producer_ids),
        duration_filter=wanted.duration_ms,
        transactional_id_pattern=wanted.pattern or None,
    )
    needed = WITH_PATTERN if wanted.pattern else WITH_DURATION if wanted.duration_ms >= 0 else 0
    found: dict[int, list[Any]] = {}
    for node in client.nodes():
        response = client.call_until(
            request,
            node,
            lambda response: response.error_code != ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
            min_version=needed,
        )
        sent = f"ListTransactions request sent to broker {node.node_id} failed"
        if response.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE:
            raise ErrorResponse(response.error_code, f"{sent} because the coordinator is shutting down")
        if response.error_code:
            raise ErrorResponse(response.error_code, f"{sent} with an unexpected exception")
        found[node.node_id] = response.transaction_states
    return found


def describe_transaction(client: Client, transactional_id: str) -> tuple[int, Any]:
    """Return the id of the coordinator and the state of the transaction. Raises ErrorResponse."""
    from tidemark_protocol.messages.describe_transactions import DescribeTransactionsRequest

    request = DescribeTransactionsRequest(transactional_ids=[transactional_id])
    response = client.call_coordinator(
        transactional_id, request, lambda response: response.transaction_states[0].error_code
    )
    described = response.transaction_states[0]
    if described.error_code:
        reason = {
            ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "due to authorization failure",
            ErrorCode.TRANSACTIONAL_ID_NOT_FOUND: "because the ID could not be found",
        }.get(described.error_code, "due to unexpected error")
        raise ErrorResponse(
            described.error_code,
            f"DescribeTransactions request for transactionalId `{transactional_id}` failed {reason}",
        )
    return client.coordinator(transactional_id).node_id, described


def fence_producer(client: Client, transactional_id: str, timeout_ms: int) -> None:
    """Abort the open transaction of this id, if there is one, and fence its producer. Raises ErrorResponse.

    timeout_ms: the transaction timeout that the id will have. An id that does not exist is created.
    """
    from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest

    request = InitProducerIdRequest(
        transactional_id=transactional_id,
        transaction_timeout_ms=timeout_ms,
        producer_id=-1,
        producer_epoch=-1,
    )
    deadline = client.deadline(None)
    while True:
        response = client.call_coordinator(transactional_id, request, lambda response: response.error_code)
        code = error_code(response.error_code)
        if code == ErrorCode.NONE:
            return
        if code != ErrorCode.CONCURRENT_TRANSACTIONS:  # the transaction is being aborted
            break
        pause(deadline, f"the transaction of {transactional_id!r} does not end")
    reason = {
        ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "cluster authorization failure",
        ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "transactional ID authorization failure",
    }.get(code, "unexpected error")
    raise ErrorResponse(
        code, f"InitProducerId request for transactionalId `{transactional_id}` failed due to {reason}"
    )


def describe_producers(
    client: Client, partitions: Collection[TopicPartition], broker_id: int | None = None
) -> dict[TopicPartition, list[Any]]:
    """Return the producers of each partition, as its leader or this broker knows them.

    Partitions that do not exist are waited for. Raises ErrorResponse.
    """
    from tidemark_protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest

    found: dict[TopicPartition, list[Any]] = {}
    deadline = client.deadline(None)
    while True:
        missing = [partition for partition in partitions if partition not in found]
        if not missing:
            return found
        for node, some in _by_broker(client, missing, broker_id).items():
            topics = [
                TopicRequest(name=name, partition_indexes=[each.partition for each in those])
                for name, those in by_topic(some).items()
            ]
            response = client.call(DescribeProducersRequest(topics=topics), node)
            found |= _producers(response, broker_id)
        missing = [partition for partition in partitions if partition not in found]
        if missing:
            pause(deadline, f"partition {missing[0]} has no leader that is ready")


def _by_broker(
    client: Client, partitions: list[TopicPartition], broker_id: int | None
) -> dict[BrokerEndpoint, list[TopicPartition]]:
    """Return the partitions that each broker leads, without those that have no leader."""
    if broker_id is not None:
        return {node: partitions for node in client.nodes() if node.node_id == broker_id}
    found: dict[BrokerEndpoint, list[TopicPartition]] = {}
    leaders = _leaders(client, partitions)
    for partition in partitions:
        if partition in leaders:
            found.setdefault(leaders[partition], []).append(partition)
    return found


def _leaders(client: Client, partitions: list[TopicPartition]) -> dict[TopicPartition, BrokerEndpoint]:
    """Return the leaders of these topics' partitions. Raises ErrorResponse if a topic cannot have any."""
    of_topic = {partition.topic: partition for partition in partitions}
    response = client.metadata(sorted(of_topic))
    nodes = nodes_of(response)
    for topic in response.topics:
        if topic.error_code and topic.error_code not in NO_LEADER:
            reason = {
                ErrorCode.TOPIC_AUTHORIZATION_FAILED: "topic authorization failure",
                ErrorCode.INVALID_TOPIC_EXCEPTION: f"invalid topic `{topic.name}`",
            }.get(topic.error_code, f"unexpected error for topic `{topic.name}`")
            failed = f"Failed to fetch metadata for partition {of_topic[topic.name]}"
            raise ErrorResponse(topic.error_code, f"{failed} due to {reason}")
    return {
        TopicPartition(topic.name, partition.partition_index): nodes[partition.leader_id]
        for topic in response.topics
        for partition in topic.partitions
        if partition.leader_id in nodes
    }


def _producers(response: Any, broker_id: int | None) -> dict[TopicPartition, list[Any]]:
    """Return the producers of the partitions that have no error which passes. Raises ErrorResponse."""
    found: dict[TopicPartition, list[Any]] = {}
    for topic in response.topics:
        for each in topic.partitions:
            partition = TopicPartition(topic.name, each.partition_index)
            if each.error_code == ErrorCode.NONE:
                found[partition] = each.active_producers
            elif each.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER and broker_id is not None:
                raise ErrorResponse(each.error_code, f"{_FAILED} {partition} on brokerId {broker_id}")
            elif each.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED:
                reason = f"due to authorization failure on topic `{topic.name}`"
                raise ErrorResponse(each.error_code, f"{_FAILED} {partition} {reason}")
            elif each.error_code not in NO_LEADER:
                raise ErrorResponse(each.error_code, f"{_FAILED} {partition} due to unexpected error")
    return found


_FAILED: Final = "Failed to describe active producers for partition"


def write_abort_marker(client: Client, marker: Marker) -> None:
    """Write an abort marker to the partition, without the coordinator. Raises ErrorResponse.

    Waits for a partition that does not exist.
    """
    from tidemark_protocol.messages import write_txn_markers as api

    topic, partition = marker.partition
    written = api.WritableTxnMarker(
        producer_id=marker.producer_id,
        producer_epoch=marker.producer_epoch,
        transaction_result=False,
        topics=[api.WritableTxnMarkerTopic(name=topic, partition_indexes=[partition])],
        coordinator_epoch=marker.coordinator_epoch,
    )
    deadline = client.deadline(None)
    while True:
        for node in _by_broker(client, [marker.partition], None):
            response = client.call(api.WriteTxnMarkersRequest(markers=[written]), node)
            code = error_code(response.markers[0].topics[0].partitions[0].error_code)
            if code == ErrorCode.NONE:
                return
            if code not in NO_LEADER:
                reason = {
                    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "due to cluster authorization error",
                    ErrorCode.INVALID_PRODUCER_EPOCH: "due an invalid producer epoch",
                    ErrorCode.TRANSACTION_COORDINATOR_FENCED: (
                        f"since the provided coordinator epoch {marker.coordinator_epoch} has been fenced by "
                        "the active coordinator"
                    ),
                }.get(code, f"due to unexpected error: {code.text}")
                raise ErrorResponse(code, f"WriteTxnMarkers request with {marker} failed {reason}")
        pause(deadline, f"partition {marker.partition} has no leader that is ready")
