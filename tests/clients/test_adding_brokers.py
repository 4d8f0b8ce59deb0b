"""Brokers that tests add to a cluster that runs, and remove from it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.test_several_brokers import SETTINGS, create, metadata, produce
from tests.wire import Connection
from tidemark_protocol.errors import ErrorCode
from tidemark_testing import ApiError, Tidemark

pytestmark = [pytest.mark.contract, pytest.mark.slow]


@pytest.fixture
def cluster() -> Iterator[Tidemark]:
    with Tidemark.start(SETTINGS) as started:
        yield started


def asked(address: str, api: str, version: int, fields: dict[str, Any]) -> dict[str, Any]:
    connection = Connection(address)
    with connection.socket:
        answered: dict[str, Any] = connection.ask(api, version, fields)
        return answered


def reassign(cluster: Tidemark, topic: str, replicas: list[int]) -> None:
    wanted = {"Name": topic, "Partitions": [{"PartitionIndex": 0, "Replicas": replicas}]}
    first = cluster.bootstrap_servers.split(",")[0]
    answered = asked(first, "AlterPartitionReassignments", 0, {"TimeoutMs": 1000, "Topics": [wanted]})
    assert answered["ErrorCode"] == 0
    assert answered["Responses"][0]["Partitions"][0]["ErrorCode"] == 0


def test_added_broker_serves_what_is_placed_on_it(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 1)
    added = cluster.brokers.add(rack="d")
    assert (added.node_id, added.running, added.leads) == (4, True, 0)
    brokers = metadata(cluster, 2)["Brokers"]
    assert [(each["NodeId"], each["Rack"]) for each in brokers] == [(1, None), (2, None), (3, None), (4, "d")]
    assert f"{brokers[3]['Host']}:{brokers[3]['Port']}" == added.address
    topic = {"Name": "wide", "NumPartitions": 1, "ReplicationFactor": 4}
    answered = asked(added.address, "CreateTopics", 7, {"Topics": [topic], "timeoutMs": 1000})
    assert answered["Topics"][0]["ErrorCode"] == 0
    leader = cluster.brokers.leader("orders")
    assert produce(cluster, leader, "orders", 0)["ErrorCode"] == 0
    reassign(cluster, "orders", [4])
    assert produce(cluster, leader, "orders", 0)["ErrorCode"] == ErrorCode.NOT_LEADER_OR_FOLLOWER
    records = asked(added.address, "Metadata", 12, {"Topics": None})["Topics"]
    assert {each["Name"]: each["Partitions"][0]["LeaderId"] for each in records}["orders"] == 4
    cluster.brokers.assert_leader("orders", 0, 4)


def test_added_broker_is_an_observer_of_the_quorum(cluster: Tidemark) -> None:
    # In Kafka, a broker that is no controller fetches the metadata log, and votes for no leader of it.
    cluster.brokers.add()
    fields = {"Topics": [{"TopicName": "__cluster_metadata", "Partitions": [{"PartitionIndex": 0}]}]}
    first = cluster.bootstrap_servers.split(",")[0]
    (partition,) = asked(first, "DescribeQuorum", 2, fields)["Topics"][0]["Partitions"]
    assert [each["ReplicaId"] for each in partition["CurrentVoters"]] == [1, 2, 3]
    assert [each["ReplicaId"] for each in partition["Observers"]] == [4]


def test_removed_broker_leaves_replicas_that_are_reassigned(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 3)
    address = cluster.bootstrap_servers.split(",")[1]
    opened = Connection(address)
    with opened.socket:
        left = cluster.brokers.remove(2)
        assert opened.is_hung_up_on()
    assert [each.node_id for each in left] == [1, 3]
    with pytest.raises(ConnectionRefusedError):
        Connection(address)
    (partition,) = metadata(cluster, 1)["Topics"][0]["Partitions"]
    assert (sorted(partition["ReplicaNodes"]), partition["OfflineReplicas"]) == ([1, 2, 3], [2])
    reassign(cluster, "orders", [1, 3])
    (partition,) = metadata(cluster, 3)["Topics"][0]["Partitions"]
    assert (partition["ReplicaNodes"], partition["OfflineReplicas"]) == ([1, 3], [])
    returned = cluster.brokers.add(node_id=2)
    assert (returned.address, returned.running) == (address, True)
    assert [each["NodeId"] for each in metadata(cluster, 2)["Brokers"]] == [1, 2, 3]


def test_killed_broker_is_removed_before_its_session_ends(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 3)
    cluster.brokers.move_leader("orders", 0, to=3)
    cluster.brokers.kill(3)
    cluster.brokers.assert_leader("orders", 0, 3)
    cluster.brokers.remove(3)
    assert cluster.brokers.leader("orders") in (1, 2)
    cluster.clock.advance(seconds=60, sessions=True)
    assert [each["NodeId"] for each in metadata(cluster, 1)["Brokers"]] == [1, 2]


def test_restore_has_the_brokers_of_the_snapshot(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 1)
    three = cluster.snapshot()
    added = cluster.brokers.add(rack="d")
    reassign(cluster, "orders", [4])
    four = cluster.snapshot()
    cluster.restore(three)
    assert [each.node_id for each in cluster.brokers.all()] == [1, 2, 3]
    with pytest.raises(ConnectionRefusedError):
        Connection(added.address)
    cluster.restore(four)
    cluster.brokers.assert_leader("orders", 0, 4)
    (_, _, _, found) = metadata(cluster, 1)["Brokers"]
    again = cluster.brokers.all()[3]
    assert (f"{found['Host']}:{found['Port']}", found["Rack"]) == (again.address, "d")
    cluster.brokers.remove(4)
    with socket.create_server(("127.0.0.1", int(again.address.rpartition(":")[2]))):
        cluster.restore(four)  # another port is free, because the setting names none
        (_, _, _, elsewhere) = cluster.brokers.all()
        assert elsewhere.address != again.address


def test_restart_has_the_brokers_of_the_settings_and_loses_nothing(tmp_path: Path) -> None:
    with Tidemark.start(SETTINGS, folder=tmp_path) as cluster:
        create(cluster, "orders", 1, 1)
        leader = cluster.brokers.leader("orders")
        assert produce(cluster, leader, "orders", 0)["BaseOffset"] == 0
        cluster.brokers.add()
        reassign(cluster, "orders", [4])
        cluster.kill()
        cluster.restart()
        assert [each.node_id for each in cluster.brokers.all()] == [1, 2, 3]
        leader = cluster.brokers.leader("orders")
        assert produce(cluster, leader, "orders", 0)["BaseOffset"] == 1


def test_what_cannot_be_added_or_removed_is_refused_in_a_sentence(cluster: Tidemark) -> None:
    brokers = cluster.brokers
    for wanted, sentence in (
        (lambda: brokers.add(node_id=2), "there is a broker 2 already"),
        (lambda: brokers.add(node_id=0), "the id of a broker is from 2 to 1000"),
        (lambda: brokers.add(node_id=1001), "the id of a broker is from 2 to 1000"),
        (lambda: brokers.remove(1), "broker 1 is the first one: it cannot be removed"),
        (lambda: brokers.remove(9), "there is no broker 9: the brokers are 1, 2, 3"),
    ):
        with pytest.raises(ApiError) as refused:
            wanted()
        assert sentence in str(refused.value)
    assert [brokers.add().node_id for _ in range(13)] == [*range(4, 17)]
    with pytest.raises(ApiError, match="the cluster has 16 brokers: it can have no more"):
        brokers.add()
    assert len(metadata(cluster, 1)["Brokers"]) == 16


def test_cluster_of_one_broker_gets_no_second_one() -> None:
    with Tidemark.start() as alone:
        with pytest.raises(ApiError, match="start it with tidemark.brokers=2 or more"):
            alone.brokers.add()
        with pytest.raises(ApiError, match="broker 1 is the first one"):
            alone.brokers.remove(1)


def quorum(cluster: Tidemark, node_id: int) -> tuple[int, int]:
    """Return the leader of the quorum, and its epoch."""
    fields = {"Topics": [{"TopicName": "__cluster_metadata", "Partitions": [{"PartitionIndex": 0}]}]}
    address = cluster.bootstrap_servers.split(",")[node_id - 1]
    (partition,) = asked(address, "DescribeQuorum", 2, fields)["Topics"][0]["Partitions"]
    return partition["LeaderId"], partition["LeaderEpoch"]


def test_controller_moves(cluster: Tidemark) -> None:
    leader, epoch = quorum(cluster, 2)
    assert (leader, cluster.brokers.controller()) == (1, 1)
    cluster.brokers.move_controller(to=3)
    assert quorum(cluster, 1) == (3, epoch + 1)
    assert cluster.brokers.controller() == 3
    assert (
        asked(
            cluster.bootstrap_servers.split(",")[0],
            "DescribeCluster",
            1,
            {"IncludeClusterAuthorizedOperations": False},
        )["ControllerId"]
        == 3
    )
    cluster.brokers.move_controller(to=3)
    assert quorum(cluster, 1) == (3, epoch + 1)
    cluster.brokers.stop(3)
    assert quorum(cluster, 2) == (1, epoch + 2)
    cluster.brokers.start(3)
    assert quorum(cluster, 3) == (1, epoch + 2)
    cluster.brokers.kill(1)
    assert quorum(cluster, 3) == (1, epoch + 2)
    cluster.clock.advance(seconds=9, sessions=True)
    assert quorum(cluster, 3) == (2, epoch + 3)
    with pytest.raises(ApiError, match="broker 1 is stopped: start it first"):
        cluster.brokers.move_controller(to=1)
    cluster.brokers.add()
    with pytest.raises(ApiError, match="broker 4 was added at run time: it is no controller"):
        cluster.brokers.move_controller(to=4)


def test_follower_that_is_cut_off_from_the_leaders_leaves_each_isr(cluster: Tidemark) -> None:
    # replica.lag.time.max.ms is 30 s by default, as in Kafka.
    create(cluster, "orders", 3, 3)
    led = [each["LeaderId"] for each in metadata(cluster, 1)["Topics"][0]["Partitions"]].index(2)
    cluster.brokers.cut_off(2, from_="leaders")
    cluster.clock.advance(seconds=29, sessions=True)
    partitions = metadata(cluster, 2)["Topics"][0]["Partitions"]
    assert [sorted(each["IsrNodes"]) for each in partitions] == [[1, 2, 3]] * 3
    cluster.clock.advance(seconds=1, sessions=True)
    partitions = metadata(cluster, 2)["Topics"][0]["Partitions"]
    expected = [[1, 2, 3] if number == led else [1, 3] for number in range(3)]
    assert [sorted(each["IsrNodes"]) for each in partitions] == expected
    assert produce(cluster, 2, "orders", led)["ErrorCode"] == 0
    create(cluster, "orders2", 3, 3)
    cluster.clock.advance(seconds=30, sessions=True)
    assert under_replicated(cluster) == 4
    cluster.brokers.reconnect(2)
    assert under_replicated(cluster) == 0


def under_replicated(cluster: Tidemark) -> int:
    topics = asked(cluster.bootstrap_servers.split(",")[0], "Metadata", 12, {"Topics": None})["Topics"]
    partitions = [each for topic in topics for each in topic["Partitions"]]
    return sum(len(each["IsrNodes"]) < len(each["ReplicaNodes"]) for each in partitions)


def test_rolling_restart_is_refused_as_a_whole_while_a_broker_is_cut_off(cluster: Tidemark) -> None:
    connection = Connection(cluster.bootstrap_servers.split(",")[0])
    with connection.socket:
        cluster.brokers.cut_off(3)
        with pytest.raises(ApiError, match="broker 3 is cut off: reconnect it first"):
            cluster.brokers.restart()
        described = connection.ask("DescribeCluster", 1, {"IncludeClusterAuthorizedOperations": False})
        assert described["ErrorCode"] == 0, "no broker was stopped"
    cluster.brokers.reconnect(3)
    cluster.brokers.restart()


def test_each_broker_advertises_its_host() -> None:
    hosts = "kafka-1.example,kafka-2.example,kafka-3.example"
    with Tidemark.start(
        SETTINGS | {"tidemark.advertised.hosts": hosts, "tidemark.test.api": "true"}
    ) as started:
        port = int(started.bootstrap_servers.split(",")[0].rpartition(":")[2])
        found = asked(f"127.0.0.1:{port}", "Metadata", 12, {"Topics": []})["Brokers"]
    assert [(each["Host"], each["Port"]) for each in found] == [
        (host, port + number) for number, host in enumerate(hosts.split(","))
    ]
