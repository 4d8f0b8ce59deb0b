"""Metadata, DescribeCluster, DescribeTopicPartitions and FindCoordinator of three brokers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.case import Fields, Peer, Talk, case, in_order
from tests.conformance.clusters import NODES, RUNNING, coordinated, each_on, fill, replicated

METADATA: range = range(14)


def by_id(response: Fields) -> Any:
    """keep=: Kafka's order of brokers is that of a hash map, and it names any broker as the controller."""
    told = in_order(response)
    key = "NodeId" if "Topics" in told else "BrokerId"
    told["Brokers"].sort(key=lambda each: each[key])
    if told.get("ControllerId") in [each[key] for each in told["Brokers"]]:
        told["ControllerId"] = "<one of them>"
    return told


def metadata(*topics: str, version: int = 12) -> tuple[str, int, Fields]:
    fields: Fields = {"Topics": [{"Name": each} for each in topics]}
    if version >= 4:
        fields["AllowAutoTopicCreation"] = False
    return "Metadata", version, fields


@case(brokers=3, versions=METADATA)
def metadata_of_three_replicas(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k)
    each_on(k, lambda peer: peer.ask(*metadata(topic, version=version), keep=by_id))
    yield
    each_on(k, lambda peer: peer.ask(*metadata(topic, version=version), keep=by_id), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*metadata(topic, version=version), keep=by_id))


@case(brokers=3, versions=METADATA)
def metadata_of_a_partition_whose_brokers_stop(k: Talk, version: int) -> Iterator[None]:
    topics = replicated(k, [3], [2]), replicated(k, [3, 2], [1, 3])
    k.on(3).ask(*metadata(*topics, version=version), keep=by_id)
    yield
    each_on(k, lambda peer: peer.ask(*metadata(*topics, version=version), keep=by_id), RUNNING)
    yield
    k.on(3).ask(*metadata(*topics, version=version), keep=by_id)


@case(brokers=3)
def metadata_of_a_topic_that_one_broker_has(k: Talk) -> None:
    topic, unknown = replicated(k, [2]), k.name("unknown")
    each_on(k, lambda peer: peer.ask(*metadata(topic, unknown), keep=by_id))


@case(brokers=3, versions=(10, 12, 13))
def metadata_by_topic_id(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, [3, 1], [2, 3])
    wanted = {"Topics": [{"TopicId": k.topic_id(topic), "Name": None}]}
    each_on(k, lambda peer: peer.ask("Metadata", version, wanted, keep=by_id))
    yield
    each_on(k, lambda peer: peer.ask("Metadata", version, wanted, keep=by_id), RUNNING)


@case(brokers=3)
def metadata_of_no_topic(k: Talk) -> Iterator[None]:
    each_on(k, lambda peer: peer.ask(*metadata(version=9), keep=by_id))
    yield
    each_on(k, lambda peer: peer.ask(*metadata(version=9), keep=by_id), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*metadata(version=9), keep=by_id))


@case(brokers=3)
def metadata_of_the_internal_topics(k: Talk) -> Iterator[None]:
    wanted = metadata("__consumer_offsets", "__transaction_state")
    k.on(2).ask(*wanted, keep=by_id)
    yield
    k.on(2).ask(*wanted, keep=by_id)


@case(brokers=3, versions=range(3))
def describe_cluster_of_three_brokers(k: Talk, version: int) -> Iterator[None]:
    wanted: list[Fields] = [{}]
    if version > 0:
        wanted.append({"EndpointType": 1})
    if version > 1:
        wanted.append({"IncludeFencedBrokers": True})

    def ask(peer: Peer) -> None:
        for fields in wanted:
            peer.ask("DescribeCluster", version, fields, keep=by_id)

    each_on(k, ask)
    yield
    each_on(k, ask, RUNNING)
    yield
    each_on(k, ask)


@case(brokers=3, versions=range(7))
def coordinators_of_groups_and_transactions(k: Talk, version: int) -> Iterator[None]:
    kinds = [(0, "group")] if version == 0 else [(0, "group"), (1, "id")]
    keys = {kind: [coordinated(k, node_id, of) for node_id in NODES] for kind, of in kinds}

    def ask(peer: Peer) -> None:
        for kind, names in keys.items():
            if version >= 4:
                peer.ask("FindCoordinator", version, {"KeyType": kind, "CoordinatorKeys": names})
                continue
            for name in names:
                peer.ask(
                    "FindCoordinator", version, {"KeyType": kind, "Key": name} if version else {"Key": name}
                )

    each_on(k, ask)
    yield
    each_on(k, ask, RUNNING)
    yield
    each_on(k, ask)


def topic_partitions(
    *topics: str, limit: int = 2000, cursor: Fields | None = None
) -> tuple[str, int, Fields]:
    fields = {
        "Topics": [{"Name": each} for each in topics],
        "ResponsePartitionLimit": limit,
        "Cursor": cursor,
    }
    return "DescribeTopicPartitions", 0, fields


@case(brokers=3)
def topic_partitions_of_three_replicas(k: Talk) -> Iterator[None]:
    topic = replicated(k)
    each_on(k, lambda peer: peer.ask(*topic_partitions(topic)))
    yield
    each_on(k, lambda peer: peer.ask(*topic_partitions(topic)), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*topic_partitions(topic)))


@case(brokers=3)
def topic_partitions_with_eligible_leader_replicas(k: Talk) -> Iterator[None]:
    """A replica may lead again if it left an ISR that became smaller than min.insync.replicas (KIP-966)."""
    topics = [
        replicated(k, *replicas, min_insync_replicas=least)
        for least in ("1", "2", "3")
        for replicas in ([[3, 1, 2]], [[1, 3], [2, 1]], [[3]])
    ]
    k.on(2).ask(*topic_partitions(*topics))
    yield
    each_on(k, lambda peer: peer.ask(*topic_partitions(*topics)), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*topic_partitions(*topics)))


@case(brokers=3)
def topic_partitions_in_pages(k: Talk) -> Iterator[None]:
    topic, other = replicated(k, [1, 2], [2, 3], [3, 1]), replicated(k, [3])

    def ask(peer: Peer) -> None:
        peer.ask(*topic_partitions(topic, other, limit=2))
        peer.ask(*topic_partitions(topic, other, limit=2, cursor={"TopicName": topic, "PartitionIndex": 2}))

    each_on(k, ask)
    yield
    each_on(k, ask, RUNNING)


@case(brokers=3)
def metadata_after_records_are_written(k: Talk) -> Iterator[None]:
    topic = replicated(k)
    fill(k, topic)
    yield
    fill(k, topic)
    k.ask(*metadata(topic), keep=by_id)
    yield
    k.ask(*metadata(topic), keep=by_id)


@case(brokers=3, kills=True, versions=(1, 7, 12))
def metadata_after_a_broker_is_killed(k: Talk, version: int) -> Iterator[None]:
    topics = replicated(k), replicated(k, [3, 2], min_insync_replicas="2"), replicated(k, [3])
    yield
    each_on(k, lambda peer: peer.ask(*metadata(*topics, version=version), keep=by_id), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*metadata(*topics, version=version), keep=by_id))


@case(brokers=3, kills=True)
def topic_partitions_after_a_broker_is_killed(k: Talk) -> Iterator[None]:
    topics = replicated(k), replicated(k, [3, 2], min_insync_replicas="2"), replicated(k, [3])
    yield
    k.on(2).ask(*topic_partitions(*topics))
    yield
    k.on(3).ask(*topic_partitions(*topics))


@case(brokers=3, kills=True)
def coordinators_after_a_broker_is_killed(k: Talk) -> Iterator[None]:
    names = [coordinated(k, node_id) for node_id in NODES]
    yield
    each_on(k, lambda peer: peer.ask("FindCoordinator", 6, {"KeyType": 0, "CoordinatorKeys": names}), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask("FindCoordinator", 6, {"KeyType": 0, "CoordinatorKeys": names}))
