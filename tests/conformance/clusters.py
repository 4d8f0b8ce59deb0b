"""Clusters of three brokers for cases: topics with fixed leaders, and groups with fixed coordinators."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from tests.broker_process import BrokerProcess
from tests.conformance.build_admin import create, new
from tests.conformance.build_data import batch, fetch, produce
from tests.conformance.build_transactions import init
from tests.conformance.case import BROKERS, Broker, Case, Fields, Peer, Talk
from tests.conformance.recorded_responses import AT_ONCE, Kept, outcomes
from tests.kafka_oracle import KafkaCluster
from tidemark_protocol.java import partition_of_group

NODES: Final = (1, 2, 3)
STOPPED: Final = 3  # where a case yields
RUNNING: Final = (1, 2)  # meanwhile
PARTITIONS: Final = 6  # of each internal topic
# Partition 0 has its leader on the first broker, partition 1 on the second one, and so on.
REPLICAS: Final = ([1, 2, 3], [2, 3, 1], [3, 1, 2])
INTERNAL: Final = ("__consumer_offsets", "__transaction_state")
OUR_SETTINGS: Final = {
    "node.id": "1",
    "tidemark.brokers": str(BROKERS),
    "tidemark.test.api": "true",
    "broker.session.timeout.ms": "500",
    "auto.leader.rebalance.enable": "false",
}


class Cluster(Protocol):
    """Three brokers, ours or Kafka. Each call returns once all brokers know of the change."""

    @property
    def bootstrap(self) -> str: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def stop_broker(self, node_id: int) -> None: ...
    def kill_broker(self, node_id: int) -> None: ...
    def start_broker(self, node_id: int) -> None: ...


class OurCluster(BrokerProcess):
    """Our broker as a cluster, in a process of its own."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        super().__init__(folder, {**OUR_SETTINGS, **settings})

    def stop_broker(self, node_id: int) -> None:
        self._post(f"/v1/brokers/{node_id}/stop")

    def kill_broker(self, node_id: int) -> None:
        self._post(f"/v1/brokers/{node_id}/kill")
        k = Talk(Broker(self.bootstrap), "killed")  # it leads until its session ends
        k.until(lambda: running(k), lambda found: node_id not in found)
        k.hang_up()

    def start_broker(self, node_id: int) -> None:
        self._post(f"/v1/brokers/{node_id}/start")

    def _post(self, path: str) -> None:
        connection = http.client.HTTPConnection(self.http, timeout=30)
        try:
            connection.request("POST", path)
            response = connection.getresponse()
            assert response.status == http.HTTPStatus.OK, response.read()
        finally:
            connection.close()


def kafka_cluster(folder: Path, settings: dict[str, str]) -> KafkaCluster:
    """Return a cluster of Kafka with these settings. Each broker has its rack from `tidemark.racks`."""
    racks = settings.get("tidemark.racks", "")
    common = {key: value for key, value in settings.items() if key != "tidemark.racks"}
    return KafkaCluster(folder, common, racks=racks.split(",") if racks else ())


def of_cluster(cluster: Cluster, cases: list[Case], at_once: int = AT_ONCE) -> dict[str, Kept | str]:
    """Start a cluster, run these cases on it, and stop it. Return what each case kept, or its traceback."""
    end = cluster.kill_broker if cases[0].kills else cluster.stop_broker
    try:
        cluster.start()
        broker = Broker(cluster.bootstrap)
        make_internal_topics(broker)
        events = (lambda: end(STOPPED), lambda: cluster.start_broker(STOPPED))
        return outcomes(cases, broker, at_once, events)
    finally:
        cluster.stop()


def make_internal_topics(broker: Broker) -> None:
    """Create both internal topics, so that each partition has the same leader in every run.

    The first producer id, which is 0, is used here: no case sees that it is 0.
    """
    k = Talk(broker, "internal")
    for name in INTERNAL:
        assignments = [(at, REPLICAS[at % len(REPLICAS)]) for at in range(PARTITIONS)]
        topic = new(name, -1, -1, assignments=assignments, configs={"cleanup.policy": "compact"})
        made = k.do(*create(topic))["Topics"][0]
        assert made["ErrorCode"] == 0, made
        until_led(k, name, *(replicas[0] for _, replicas in assignments))
    for node_id in NODES:
        group_of(k, node_id)
        producer_id(k, node_id)
    k.hang_up()


def replicated(k: Talk, *replicas: Sequence[int], **configs: str) -> str:
    """Create a topic whose partitions have these replicas. Wait until each replica can be read.

    configs: Kafka's names with _ for the dots
    """
    name = k.name("topic")
    given = {key.replace("_", "."): value for key, value in configs.items()}
    placed = [(at, list(ids)) for at, ids in enumerate(replicas or REPLICAS)]
    made = k.do(*create(new(name, -1, -1, assignments=placed, configs=given)))["Topics"][0]
    assert made["ErrorCode"] == 0, made
    until_led(k, name, *(ids[0] for _, ids in placed))
    until_readable(k, name)
    return name


def until_led(k: Talk, topic: str, *leaders: int, among: Sequence[int] = NODES) -> None:
    """Wait until each of these brokers knows the leaders of the topic's partitions: a leader for each."""
    until_partitions(k, topic, lambda found: [p["LeaderId"] for p in found] == list(leaders), among)


def until_partitions(
    k: Talk, topic: str, are_ready: Callable[[list[Fields]], Any], among: Sequence[int] = NODES
) -> None:
    """Wait until each of these brokers knows the partitions of a topic, ordered by index, in this state."""

    def known(node_id: int) -> Any:
        found = k.on(node_id).do("Metadata", 12, {"Topics": [{"Name": topic}]})["Topics"][0]
        return are_ready(sorted(found["Partitions"], key=lambda each: each["PartitionIndex"]))

    for node_id in among:
        k.until(lambda node_id=node_id: known(node_id), bool)  # type: ignore[misc]


def until_in_sync(k: Talk, topic: str, among: Sequence[int] = NODES) -> None:
    """Wait until each replica on these brokers is in the ISR, and can be read."""

    def are_in_sync(found: list[Fields]) -> bool:
        return all(set(p["ReplicaNodes"]).intersection(among) == set(p["IsrNodes"]) for p in found)

    until_partitions(k, topic, are_in_sync, among)
    until_readable(k, topic, among)


def until_readable(k: Talk, topic: str, among: Sequence[int] = NODES) -> None:
    """Wait until all replicas on these brokers are served, and know the leader's high watermark."""
    for p in partitions(k, topic):
        index = p["PartitionIndex"]
        if p["LeaderId"] not in among:
            continue
        end = _high_watermark(k, p["LeaderId"], topic, index, -1)
        for node_id in set(among).intersection(p["ReplicaNodes"]):
            _high_watermark(k, node_id, topic, index, end)


def _high_watermark(k: Talk, node_id: int, topic: str, index: int, least: int) -> int:
    def found() -> Fields:
        given = fetch({topic: {index: max(least, 0)}}, version=12)
        told: Fields = k.on(node_id).do(*given)["Responses"][0]["Partitions"][0]
        return told

    told = k.until(found, lambda each: each["ErrorCode"] == 0 and each["HighWatermark"] >= least)
    high_watermark: int = told["HighWatermark"]
    return high_watermark


def producer_id(k: Talk, node_id: int = 1) -> int:
    """Return a new producer id. A broker of Kafka first gets a block of them from the controller."""
    response = k.until(lambda: k.on(node_id).do(*init(None)), lambda told: told["ErrorCode"] == 0)
    drawn: int = response["ProducerId"]
    return drawn


def partitions(k: Talk, topic: str) -> list[Fields]:
    """Return the partitions of a topic, ordered by index."""
    found = k.do("Metadata", 12, {"Topics": [{"Name": topic}]})["Topics"][0]["Partitions"]
    return sorted(found, key=lambda each: each["PartitionIndex"])


def fill(k: Talk, topic: str, count: int = 1) -> None:
    """Append batches of one record to each partition of a topic, and wait until all replicas have them."""
    for p in partitions(k, topic):
        for _ in range(count):
            given = produce({topic: {p["PartitionIndex"]: batch()}})
            made = k.on(p["LeaderId"]).do(*given)["Responses"][0]["PartitionResponses"][0]
            assert made["ErrorCode"] == 0, made
    until_readable(k, topic, [each for each in NODES if each in running(k)])


def running(k: Talk) -> list[int]:
    """Return the brokers that the first broker knows to run."""
    return [each["NodeId"] for each in k.do("Metadata", 12, {"Topics": []})["Brokers"]]


def coordinated(k: Talk, by: int, of: str = "group") -> str:
    """Return a new group id, or transactional id, whose coordinator is this broker."""
    while partition_of_group(name := k.name(of), PARTITIONS) % len(REPLICAS) != by - 1:
        pass
    return name


def group_of(k: Talk, coordinator: int) -> str:
    """Return a new group id with this coordinator, which has loaded it."""
    return ready_group(k, coordinated(k, coordinator), coordinator)


def ready_group(k: Talk, group: str, node_id: int) -> str:
    """Wait until a broker coordinates a group."""
    k.until(
        lambda: k.on(node_id).do("OffsetFetch", 7, {"GroupId": group, "Topics": None}),
        lambda response: response["ErrorCode"] == 0,
    )
    return group


def transactional_id_of(k: Talk, coordinator: int) -> str:
    """Return a new transactional id with this coordinator."""
    return coordinated(k, coordinator, "id")


def elect_preferred(k: Talk, topic: str, *indexes: int) -> None:
    """Let the first replicas lead, and wait until they do."""
    wanted = {"ElectionType": 0, "TopicPartitions": [{"Topic": topic, "Partitions": list(indexes)}],
              "TimeoutMs": 30000}  # fmt: skip
    k.do("ElectLeaders", 2, wanted)
    until_partitions(
        k, topic, lambda found: all(found[at]["LeaderId"] == found[at]["ReplicaNodes"][0] for at in indexes)
    )


def move_leader(k: Talk, topic: str, index: int, to: int) -> None:
    """Let another replica lead a partition: it becomes the preferred one, and is elected."""
    replicas = partitions(k, topic)[index]["ReplicaNodes"]
    order = [to, *(each for each in replicas if each != to)]
    topics = [{"Name": topic, "Partitions": [{"PartitionIndex": index, "Replicas": order}]}]
    made = k.do("AlterPartitionReassignments", 0, {"TimeoutMs": 30000, "Topics": topics})
    assert made["Responses"][0]["Partitions"][0]["ErrorCode"] == 0, made
    until_partitions(k, topic, lambda found: found[index]["ReplicaNodes"] == order)
    elect_preferred(k, topic, index)
    until_readable(k, topic)


def each_on(k: Talk, ask: Callable[[Peer], Any], nodes: Sequence[int] = NODES) -> None:
    """Send a request to each broker."""
    for node_id in nodes:
        ask(k.on(node_id))
