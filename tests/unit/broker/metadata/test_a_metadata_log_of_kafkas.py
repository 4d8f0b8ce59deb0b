"""A metadata log of Apache Kafka 4.3.1 is replayed and compared with Kafka's description of its cluster.

tests/golden/kafka-4.3.1.cluster_metadata.log.gz is the only segment of the log. kafka-4.3.1.cluster.json is
the description by the AdminClient of the same release: topics, settings other than defaults (value, source),
features, ACLs, users, quotas.
"""

from __future__ import annotations

import gzip
import json
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.unit.broker.cluster_story import DEFAULTS, a_start
from tidemark.core.decision import Record
from tidemark.handlers.cluster.describe_configs import describe_topic
from tidemark.metadata.bootstrap import start_records
from tidemark.metadata.configs import Source
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.batch import headers, records
from tidemark_protocol.stored import decode_metadata, encode_metadata

GOLDEN = Path(__file__).parents[3] / "golden"
TRUTH: dict[str, Any] = json.loads((GOLDEN / "kafka-4.3.1.cluster.json").read_text("utf-8"))

# The log sets these on __consumer_offsets, which the description does not contain.
NOT_TOLD = "min.cleanable.dirty.ratio"


def kafkas_records() -> list[Record]:
    data = gzip.decompress((GOLDEN / "kafka-4.3.1.cluster_metadata.log.gz").read_bytes())
    return [
        Record(None, decode_metadata(bytes(found.value or b"")))
        for pos, header in headers(data)
        if not header.is_control
        for found in records(data, pos, header)
    ]


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    static = {
        name: value
        for name, (value, source) in TRUTH["brokerConfigs"].items()
        if source == Source.STATIC_BROKER
    }
    cluster = Cluster(Identity("cluster-id", 1, b"d" * 16), BrokerSettings(given=static), DEFAULTS)
    for record in kafkas_records():
        cluster.replay(record)
    return cluster


def test_topics_have_their_ids_and_partitions(cluster: Cluster) -> None:
    assert {
        name: {
            "id": urlsafe_b64encode(topic.topic_id).decode().rstrip("="),
            "internal": topic.internal,
            "partitions": len(topic.partitions),
        }
        for name, topic in cluster.topics.items()
    } == TRUTH["topics"]


def test_settings_have_kafkas_values_and_sources(cluster: Cluster) -> None:
    for name, topic in cluster.topics.items():
        told = {
            line.setting.name: [line.value, line.source]
            for line in describe_topic(cluster.configs, topic.configs)
            if line.source != Source.DEFAULT and line.setting.name != NOT_TOLD
        }
        assert told == TRUTH["topicConfigs"][name], name


def test_features_and_unused_records_are_kept(cluster: Cluster) -> None:
    assert cluster.features == TRUTH["features"]
    assert len(cluster.acls.by_id) == len(TRUTH["acls"])
    assert {name for name, _ in cluster.scram_credentials} == set(TRUTH["scramUsers"])
    assert len(cluster.quotas) == len(TRUTH["quotas"])


def test_snapshot_keeps_every_record(cluster: Cluster) -> None:
    restored = Cluster(cluster.identity)
    for record in cluster.snapshot_records():
        restored.replay(Record(None, decode_metadata(encode_metadata(record.value))))
    assert restored.hard_state() == cluster.hard_state()


def test_every_partition_has_a_leader_after_a_start(cluster: Cluster) -> None:
    for record in start_records(cluster, a_start(offset=1000)):
        cluster.replay(record)
    partitions = [partition for topic in cluster.topics.values() for partition in topic.partitions]
    assert {(partition.leader, tuple(partition.isr)) for partition in partitions} == {(1, (1,))}
    assert {partition.created_ms for partition in partitions} == {-1}
    assert start_records(cluster, a_start(offset=2000)) == ()
