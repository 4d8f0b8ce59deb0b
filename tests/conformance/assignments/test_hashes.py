"""Hashes of subscribed topics equal those that Kafka computes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.assignments.played import topic_id
from tests.conformance.assignments.record import recorded
from tests.unit.broker.story import finished
from tidemark.core.decision import Record
from tidemark.groups.consumer.subscriptions import metadata_hash
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.register_broker_record import RegisterBrokerRecord
from tidemark_protocol.records.topic_record import TopicRecord

CLUSTERS = recorded("hashes")


def cluster_of(line: dict[str, Any]) -> Cluster:
    cluster = Cluster(Identity("hashes"))
    for broker, rack in line["racks"].items():
        _replay(cluster, RegisterBrokerRecord(broker_id=int(broker), rack=rack))
    for name, (text, partitions) in line["topics"].items():
        _replay(cluster, TopicRecord(name=name, topic_id=topic_id(text)))
        for number, replicas in enumerate(partitions):
            _replay(cluster, partition(topic_id(text), number, replicas))
    return cluster


def partition(topic: bytes, number: int, replicas: list[int]) -> PartitionRecord:
    return PartitionRecord(
        topic_id=topic, partition_id=number, replicas=replicas, isr=replicas, leader=replicas[0]
    )


def _replay(cluster: Cluster, value: Any) -> None:
    cluster.replay(Record(None, value))


@pytest.mark.parametrize("number", range(len(CLUSTERS)))
def test_hashes_of_a_group_equal_kafkas(number: int) -> None:
    line = CLUSTERS[number]
    names = [*line["topics"], "no such topic"]
    assert finished(metadata_hash(cluster_of(line), names)) == line["group"]


def test_a_new_partition_changes_the_hash() -> None:
    line = next(line for line in CLUSTERS if line["topics"])
    cluster = cluster_of(line)
    (name, (text, partitions)), *_ = line["topics"].items()
    before = finished(metadata_hash(cluster, [name]))
    _replay(cluster, partition(topic_id(text), len(partitions), [0]))
    assert finished(metadata_hash(cluster, [name])) != before
