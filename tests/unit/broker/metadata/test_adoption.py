"""One node adopts the partitions of a cluster whose other nodes no longer exist."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import DIRECTORY_ID, a_start, new_cluster
from tidemark.core.decision import Record
from tidemark.metadata.bootstrap import adoption_records, start_records
from tidemark.metadata.model import DIRECTORY_LOST, Partition
from tidemark.metadata.state import Cluster
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.register_broker_record import RegisterBrokerRecord
from tidemark_protocol.records.topic_record import TopicRecord

TOPIC_ID = bytes(range(16))
ELSEWHERE = bytes(15) + b"\x09"


def a_cluster(*partitions: PartitionRecord, others: int = 2) -> Cluster:
    """Return a cluster of node 1 and of others from 2 on."""
    cluster = new_cluster()
    for node_id in range(2, 2 + others):
        registered = RegisterBrokerRecord(broker_id=node_id, broker_epoch=10 * node_id)
        cluster.replay(Record(None, registered))
    cluster.replay(Record(None, TopicRecord("orders", TOPIC_ID)))
    for index, partition in enumerate(partitions):
        partition.partition_id, partition.topic_id = index, TOPIC_ID
        cluster.replay(Record(None, partition))
    return cluster


def led(leader: int, *replicas: int, directories: tuple[bytes, ...] = (), epoch: int = 4) -> PartitionRecord:
    return PartitionRecord(
        replicas=list(replicas), isr=list(replicas), leader=leader, leader_epoch=epoch,
        directories=list(directories),
    )  # fmt: skip


def adopt(cluster: Cluster, *here: int) -> list[Partition]:
    """Return the partitions after a start of this node. It has the partitions with these numbers."""
    for record in adoption_records(cluster, lambda topic, index, topic_id: index in here):
        cluster.replay(record)
    for record in start_records(cluster, a_start()):
        cluster.replay(record)
    return cluster.topics["orders"].partitions


def told(partition: Partition) -> tuple[int, list[int], list[int], list[bytes]]:
    return partition.leader, partition.replicas, partition.isr, partition.directories


def test_this_node_leads_partitions_that_are_here() -> None:
    for record in (led(2, 2, 3), led(3, 1, 2, 3), led(-1, 2, directories=(ELSEWHERE,))):
        (partition,) = adopt(a_cluster(record), 0)
        assert told(partition) == (1, [1], [1], [DIRECTORY_ID])
        assert partition.leader_epoch == 5


def test_absent_partition_has_no_leader() -> None:
    (partition,) = adopt(a_cluster(led(2, 2, 3)))
    assert told(partition) == (-1, [2, 3], [2, 3], [DIRECTORY_LOST] * 2)
    assert partition.offline_replicas({1}) == [2, 3]


def test_missing_partition_of_this_node_is_not_recreated() -> None:
    cluster = a_cluster(led(1, 1))
    (partition,) = adopt(cluster)
    assert partition.leader == -1
    assert partition.offline_replicas({1}) == [1]
    again = start_records(cluster, a_start())
    assert not [record for record in again if type(record.value).__name__ == "PartitionChangeRecord"]


def test_partition_of_this_node_alone_is_unchanged() -> None:
    (partition,) = adopt(a_cluster(led(1, 1, directories=(DIRECTORY_ID,))), 0)
    assert partition.leader_epoch == 4


def test_partition_moves_to_this_directory() -> None:
    (partition,) = adopt(a_cluster(led(1, 1, directories=(ELSEWHERE,))), 0)
    assert partition.directories == [DIRECTORY_ID]


def test_other_brokers_are_unregistered() -> None:
    cluster = a_cluster(led(2, 2, 3))
    adopt(cluster, 0)
    assert [*cluster.brokers] == [1]


def test_adoption_is_idempotent() -> None:
    cluster = a_cluster(led(2, 2, 3), led(3, 3))
    adopt(cluster, 0)
    assert adoption_records(cluster, lambda topic, index, topic_id: index == 0) == ()


@pytest.mark.parametrize(("level", "cordoned"), [(21, None), (29, None), (30, [])])
def test_registration_fits_the_metadata_version_of_the_directory(
    level: int, cordoned: list[bytes] | None
) -> None:
    """Kafka 4.3.1 does not start on cordoned log directories below 4.3-IV0, which is level 30."""
    cluster = a_cluster()
    cluster.replay(Record(None, FeatureLevelRecord("metadata.version", level)))
    for record in start_records(cluster, a_start()):
        cluster.replay(record)
    assert cluster.brokers[1].cordoned_log_dirs == cordoned
