"""Random topologies of streams groups are checked, stored, configured and described as by Kafka's classes.

Most topologies are configured for several states of the cluster, which has more of their topics each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.assignments.played import topic_id
from tests.conformance.assignments.record import recorded
from tests.conformance.assignments.test_hashes import partition
from tests.kafka_oracle import NEWEST, USUAL, short_name
from tests.unit.broker.story import finished
from tidemark.config import Config
from tidemark.core.decision import Record
from tidemark.core.java import put_order
from tidemark.groups.streams.internal_topics import ConfiguredTopology, configure, endpoint_partitions
from tidemark.groups.streams.member import MemberTasks, StreamsMember
from tidemark.groups.streams.topology import (
    check_supported,
    check_topology,
    describe,
    is_same_topology,
    metadata_hash,
    required_topics,
    source_topics,
    topology_record,
)
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark_protocol import from_dict, to_dict
from tidemark_protocol.errors import KafkaError
from tidemark_protocol.messages.create_topics import CreatableTopic
from tidemark_protocol.messages.streams_group_heartbeat import StreamsGroupHeartbeatRequest, Topology
from tidemark_protocol.records.streams_group_topology import StreamsGroupTopologyValue
from tidemark_protocol.records.topic_record import TopicRecord

TOPOLOGIES = recorded("topologies", USUAL)
ACCEPTED = [number for number, line in enumerate(TOPOLOGIES) if line["refused"] is None]
STATES = {
    version: [line.get("states", ()) for line in recorded("topologies", version)]
    for version in (USUAL, NEWEST)
}


def renamed(value: Any, change: Callable[[str], str]) -> Any:
    """Return JSON with another case of the first letters: Kafka prints `sourceTopics` for `SourceTopics`."""
    if isinstance(value, dict):
        return {change(name[0]) + name[1:]: renamed(each, change) for name, each in value.items()}
    return [renamed(each, change) for each in value] if isinstance(value, list) else value


def sent(value: Any) -> Topology:
    request: StreamsGroupHeartbeatRequest = from_dict(
        "StreamsGroupHeartbeatRequest", {"Topology": renamed(value, str.upper)}
    )
    assert request.topology is not None
    return request.topology


def as_kafka_prints(message: Any) -> Any:
    return renamed(to_dict(message), str.lower)


def error_of(steps: Any) -> dict[str, Any] | None:
    try:
        finished(steps)
    except KafkaError as error:
        return {"code": error.code, "message": error.message}
    return None


def kept(line: dict[str, Any]) -> StreamsGroupTopologyValue:
    record: StreamsGroupTopologyValue = finished(topology_record(sent(line["sent"])))
    return record


def cluster_of(topics: dict[str, tuple[str, int]], version: str) -> Cluster:
    cluster = Cluster(Identity("topologies"), Config({"tidemark.as": short_name(version)}))
    for name, (text, partitions) in topics.items():
        cluster.replay(Record(None, TopicRecord(name=name, topic_id=topic_id(text))))
        for number in range(partitions):
            cluster.replay(Record(None, partition(topic_id(text), number, [1])))
    return cluster


@pytest.mark.parametrize("number", range(len(TOPOLOGIES)))
def test_checks_of_a_topology_equal_kafkas(number: int) -> None:
    line = TOPOLOGIES[number]
    topology = sent(line["sent"])
    assert error_of(check_supported(topology)) == line["supported"]
    # The second check of Kafka begins with others, which these requests pass.
    assert error_of(check_topology(topology)) == line["valid"]
    assert error_of(topology_record(topology)) == line["refused"]


@pytest.mark.parametrize("number", ACCEPTED)
def test_record_and_topics_of_a_topology_equal_kafkas(number: int) -> None:
    line = TOPOLOGIES[number]
    record = kept(line)
    assert as_kafka_prints(record) == line["record"]
    assert put_order(finished(required_topics(record))) == line["required"]
    assert finished(source_topics(record)) == line["readers"]
    other = finished(topology_record(sent(line["other"])))
    assert finished(is_same_topology(record, other)) == line["same"]


@pytest.mark.parametrize("version", [USUAL, NEWEST])
@pytest.mark.parametrize("number", ACCEPTED)
def test_topology_is_configured_as_by_kafka(number: int, version: str) -> None:
    record = kept(TOPOLOGIES[number])
    for state in STATES[version][number]:
        cluster = cluster_of(state["topics"], version)
        value = finished(metadata_hash(record, cluster))
        assert value == state["hash"]
        if state["refused"] is not None:
            assert error_of(configure(record, cluster, value)) == state["refused"]
            continue
        configured: ConfiguredTopology = finished(configure(record, cluster, value))
        assert (configured.epoch, configured.metadata_hash) == (record.epoch, value)
        assert configured.is_ready == state["ready"]
        assert (configured.error and [*configured.error]) == state["status"]
        assert tasks_of(configured) == state["tasks"]
        assert [*configured.missing] == [each[0] for each in state["missing"]]
        assert [creatable(each) for each in configured.missing.values()] == state["missing"]
        if "described" in state:
            assert as_kafka_prints(finished(describe(record, configured))) == state["described"]
        if configured.is_ready:
            own = state["endpoint"]
            found = finished(endpoint_partitions(member(own), configured, cluster))
            assert as_kafka_prints(found) == own["partitions"]


def tasks_of(configured: ConfiguredTopology) -> dict[str, int] | None:
    if configured.subtopologies is None:
        return None
    return {name: each.tasks for name, each in configured.subtopologies.items()}


def creatable(topic: CreatableTopic) -> list[Any]:
    configs = [[each.name, each.value] for each in topic.configs]
    return [topic.name, topic.num_partitions, topic.replication_factor, configs]


def member(own: dict[str, Any]) -> StreamsMember:
    active = {
        name: {int(task): epoch for task, epoch in each.items()} for name, each in own["active"].items()
    }
    return StreamsMember("member", endpoint=("host", 9), assigned=MemberTasks(active, own["standby"]))
