"""The facts about another cluster that are not in `__consumer_offsets`: topics, ends of logs, retention."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.core.decision import Record
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.register_broker_record import BrokerEndpoint, RegisterBrokerRecord
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord
from tidemark_protocol.records.topic_record import TopicRecord
from tidemark_protocol.records.unregister_broker_record import UnregisterBrokerRecord
from tidemark_protocol.wire import ZERO_UUID
from tidemark_tools.client.client import EARLIEST, LATEST, Client, TopicPartition, by_topic, nodes_of
from tidemark_tools.client.connection import BrokerEndpoint as Address
from tidemark_tools.client.errors import CannotConnect, ErrorResponse, Unreachable, check_results

BROKER_RESOURCE: Final = 4
RESPONSE_MS: Final = 5_000
RETENTION: Final = "offsets.retention.minutes"
# The settings of the cluster's brokers that decide when an offset expires, and when its tombstone is removed.
SETTINGS: Final = (RETENTION, "offsets.retention.check.interval.ms", "log.cleaner.delete.retention.ms")

Ends = dict[TopicPartition, tuple[int, int]]


@dataclass(slots=True)
class Facts:
    """The result of one look at a cluster.

    topics      partitions by name; the ids of topics are made from their names if the cluster has none (2.7)
    ends        log start offset and high watermark of each partition whose leader responded
    """

    cluster_id: str
    brokers: dict[int, RegisterBrokerRecord] = field(default_factory=dict)
    topics: dict[str, tuple[bytes, list[PartitionRecord]]] = field(default_factory=dict)
    ends: Ends = field(default_factory=dict)


def look(client: Client) -> Facts:
    """Return the current facts. Raises Unreachable, CannotConnect, ErrorResponse."""
    response = client.metadata()
    facts = Facts(response.cluster_id or "")
    for broker in response.brokers:
        facts.brokers[broker.node_id] = RegisterBrokerRecord(
            broker.node_id,
            end_points=[BrokerEndpoint("PLAINTEXT", broker.host, broker.port)],
            rack=broker.rack,
            fenced=False,
        )
    nodes = nodes_of(response)
    led: dict[Address, list[TopicPartition]] = {}
    for topic in response.topics:
        if topic.error_code:
            continue  # it is being deleted
        topic_id = topic.topic_id
        if topic_id == ZERO_UUID:
            topic_id = hashlib.sha256(topic.name.encode("utf-8", "java")).digest()[:16]
        facts.topics[topic.name] = topic_id, [
            PartitionRecord(
                each.partition_index, topic_id, each.replica_nodes, each.isr_nodes,
                leader=each.leader_id, leader_epoch=each.leader_epoch,
            )
            for each in topic.partitions
        ]  # fmt: skip
        for each in topic.partitions:
            if each.leader_id in nodes:
                place = TopicPartition(topic.name, each.partition_index)
                led.setdefault(nodes[each.leader_id], []).append(place)
    for leader, places in led.items():
        try:
            starts, ends = (_offsets(client, leader, places, time) for time in (EARLIEST, LATEST))
        except Unreachable:
            continue  # the lag of its partitions is unknown until it responds
        facts.ends |= {place: (starts[place], ends[place]) for place in starts if place in ends}
    return facts


def _offsets(
    client: Client, leader: Address, places: Iterable[TopicPartition], time: int
) -> dict[TopicPartition, int]:
    from tidemark_protocol.messages import list_offsets as api

    topics = [
        api.ListOffsetsTopic(
            name=name,
            partitions=[
                api.ListOffsetsPartition(partition_index=at.partition, timestamp=time) for at in some
            ],
        )
        for name, some in by_topic(places).items()
    ]
    request = api.ListOffsetsRequest(replica_id=-1, isolation_level=0, topics=topics)
    response = client.call(request, leader, timeout_ms=RESPONSE_MS)
    return {
        TopicPartition(topic.name, result.partition_index): result.offset
        for topic in response.topics
        for result in topic.partitions
        if result.error_code == ErrorCode.NONE
    }


def broker_settings(client: Client) -> dict[str, str]:
    """Return those of SETTINGS that the brokers have.

    Raises ErrorResponse without DescribeConfigs, and Unreachable if no broker is registered: one that stops
    leaves itself out of its last responses.
    """
    from tidemark_protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource

    nodes = client.nodes()
    if not nodes:
        raise Unreachable("the cluster has no broker at the moment")
    resource = DescribeConfigsResource(BROKER_RESOURCE, str(nodes[0].node_id), list(SETTINGS))
    response = client.call(DescribeConfigsRequest(resources=[resource]), nodes[0])
    check_results(response.results)
    return {each.name: each.value for result in response.results for each in result.configs if each.value}


def size_of(client: Client, topic: str) -> int | None:
    """Return the bytes of one replica of each partition of a topic; None if they may not be described."""
    from tidemark_protocol.messages.describe_log_dirs import DescribeLogDirsRequest

    sizes: dict[int, int] = {}
    for node in client.nodes():
        try:
            response = client.call(DescribeLogDirsRequest(topics=None), node, timeout_ms=RESPONSE_MS)
        except (CannotConnect, ErrorResponse, Unreachable):
            return None
        if response.error_code:
            return None
        for found in (each for result in response.results for each in result.topics if each.name == topic):
            for partition in found.partitions:
                at = partition.partition_index
                sizes[at] = max(sizes.get(at, 0), partition.partition_size)
    return sum(sizes.values()) if sizes else None


def follow(cluster: Cluster, facts: Facts) -> set[str]:
    """Replay what has changed since the last look. Return the names of topics that are gone.

    Without any topic, nothing changes: a broker that starts may not know them yet.
    """
    if not facts.topics:
        return set()
    gone = {
        name
        for name, topic in cluster.topics.items()
        if name not in facts.topics or facts.topics[name][0] != topic.topic_id
    }
    for value in _changes(cluster, facts, gone):
        cluster.replay(Record(None, value))
    return gone


def _changes(cluster: Cluster, facts: Facts, gone: Iterable[str]) -> Iterator[Any]:
    for broker_id, registered in facts.brokers.items():
        if cluster.brokers.get(broker_id) != registered:
            yield registered
    for broker_id in [*cluster.brokers.keys() - facts.brokers.keys()]:
        yield UnregisterBrokerRecord(broker_id, 0)
    for name in gone:
        yield RemoveTopicRecord(cluster.topics[name].topic_id)
    for name, (topic_id, partitions) in facts.topics.items():
        known = cluster.topics.get(name)
        if known is None:
            yield TopicRecord(name, topic_id)
        have = {} if known is None else {each.index: each for each in known.partitions}
        for record in partitions:
            before = have.get(record.partition_id)
            if before is None or (before.leader, before.leader_epoch, before.replicas, before.isr) != (
                record.leader, record.leader_epoch, record.replicas, record.isr
            ):  # fmt: skip
                yield record


class RemoteLogs(LogManager):
    """The logs of another cluster, of which only the ends are known."""

    are_here = False
    known: Mapping[TopicPartition, tuple[int, int]]

    def ends(self, topic: str, partition: int) -> tuple[int, int] | None:
        return self.known.get(TopicPartition(topic, partition))

    def logs(self) -> list[PartitionLog]:
        return []

    def written(self, topic: str, partition: int) -> PartitionLog | None:
        return None
