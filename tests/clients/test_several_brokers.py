"""A cluster of three brokers in one process: clients see leaders, coordinators and failures as of three."""

from __future__ import annotations

import gc
import json
import socket
import subprocess
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from select import select
from typing import Any, Final
from uuid import UUID

import pytest

from tests.clientenv import client_python
from tests.wire import Connection, correlation_id, request
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import partition_of_group
from tidemark_testing import ApiError, Tidemark

pytestmark = [pytest.mark.contract, pytest.mark.slow]

PARTITIONS: Final = 6
SETTINGS: Final = {
    "tidemark.brokers": "3",
    "offsets.topic.num.partitions": str(PARTITIONS),
    "group.initial.rebalance.delay.ms": "0",
}
RECORDS: Final = 3_000
ROUNDS: Final = 12
PROGRESS_S: Final = 90
STOPS: Final = 4
CONNECT_S: Final = 0.2
# Produces numbers to each partition with idempotence, and consumes them in a group, until all have arrived.
PROGRAM: Final = """
import json, sys, time
from confluent_kafka import Consumer, Producer
servers, partitions, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
common = {"bootstrap.servers": servers, "reconnect.backoff.max.ms": 200, "retry.backoff.ms": 20,
          "socket.timeout.ms": 10000}  # librdkafka 2 may wait so long for a coordinator that has stopped
producer = Producer(common | {"enable.idempotence": True, "message.timeout.ms": 60000, "linger.ms": 1})
# librdkafka 2 may lose its coordinator until its session ends, if commits fail while it connects.
session = {"session.timeout.ms": 6000} if sys.argv[4] == "classic" else {}
consumer = Consumer(common | session | {
    "group.id": "readers", "group.protocol": sys.argv[4], "auto.offset.reset": "earliest",
    "enable.auto.commit": False, "topic.metadata.refresh.interval.ms": 1000,
})
consumer.subscribe(["orders"])
seen, sent, failed, committed = {p: [] for p in range(partitions)}, 0, [], 0
deadline = time.monotonic() + 90
print("running", flush=True)
while sum(map(len, seen.values())) < count and time.monotonic() < deadline:
    while sent < count and len(producer) < 50:
        producer.produce("orders", str(sent), partition=sent % partitions,
                         on_delivery=lambda error, _: error and failed.append(str(error)))
        sent += 1
    producer.poll(0)
    for message in consumer.consume(100, 0.05):
        if message.error() is None:
            seen[message.partition()].append((message.offset(), int(message.value())))
    try:
        if sum(map(len, seen.values())) > committed:
            committed = sum(map(len, seen.values()))
            consumer.commit(asynchronous=False)
    except Exception:
        pass  # the next commit includes it
producer.flush(30)
print(json.dumps({"seen": seen, "failed": failed}), flush=True)
"""


@pytest.fixture
def cluster() -> Iterator[Tidemark]:
    with Tidemark.start(SETTINGS) as started:
        yield started


def ask(cluster: Tidemark, node_id: int, api: str, version: int, fields: dict[str, Any]) -> dict[str, Any]:
    connection = Connection(cluster.bootstrap_servers.split(",")[node_id - 1])
    with connection.socket:
        answered: dict[str, Any] = connection.ask(api, version, fields)
        return answered


def produce(cluster: Tidemark, node_id: int, topic: str, partition: int) -> dict[str, Any]:
    records = build_batch([LogRecord(0, 1_700_000_000_000, None, b"v", [])])
    data = {"Name": topic, "PartitionData": [{"Index": partition, "Records": records.hex()}]}
    fields = {"TransactionalId": None, "Acks": -1, "TimeoutMs": 1000, "TopicData": [data]}
    response = ask(cluster, node_id, "Produce", 11, fields)
    found: dict[str, Any] = response["Responses"][0]["PartitionResponses"][0]
    return found | {"NodeEndpoints": response.get("NodeEndpoints", [])}


def coordinator(cluster: Tidemark, node_id: int, group: str) -> int:
    """Return the coordinator that a broker names, which is -1 without one."""
    fields = {"KeyType": 0, "CoordinatorKeys": [group]}
    found: int = ask(cluster, node_id, "FindCoordinator", 4, fields)["Coordinators"][0]["NodeId"]
    return found


def offset_fetch(cluster: Tidemark, node_id: int, group: str) -> dict[str, Any]:
    fields = {"Groups": [{"GroupId": group, "Topics": None}], "RequireStable": False}
    found: dict[str, Any] = ask(cluster, node_id, "OffsetFetch", 8, fields)["Groups"][0]
    return found


def commit(cluster: Tidemark, node_id: int, group: str, offset: int) -> int:
    partition = {"PartitionIndex": 0, "CommittedOffset": offset, "CommittedMetadata": ""}
    topic = {"Name": "orders", "Partitions": [partition]}
    fields = {"GroupId": group, "GenerationIdOrMemberEpoch": -1, "MemberId": "", "Topics": [topic]}
    answered = ask(cluster, node_id, "OffsetCommit", 8, fields)
    code: int = answered["Topics"][0]["Partitions"][0]["ErrorCode"]
    return code


def test_each_broker_names_all_and_the_same_leaders(cluster: Tidemark) -> None:
    create(cluster, "orders", PARTITIONS, 3)
    known = [metadata(cluster, node_id) for node_id in (1, 2, 3)]
    assert known[0]["Brokers"] == known[1]["Brokers"] == known[2]["Brokers"]
    addresses = [f"{each['Host']}:{each['Port']}" for each in known[0]["Brokers"]]
    assert addresses == cluster.bootstrap_servers.split(",")
    leaders = [[each["LeaderId"] for each in found["Topics"][0]["Partitions"]] for found in known]
    assert leaders[0] == leaders[1] == leaders[2]
    assert sorted(leaders[0]) == [1, 1, 2, 2, 3, 3]


def create(cluster: Tidemark, topic: str, partitions: int, replicas: int) -> None:
    fields = {
        "Topics": [{"Name": topic, "NumPartitions": partitions, "ReplicationFactor": replicas}],
        "timeoutMs": 1000,
    }
    assert ask(cluster, 1, "CreateTopics", 7, fields)["Topics"][0]["ErrorCode"] == 0


def metadata(cluster: Tidemark, node_id: int) -> dict[str, Any]:
    return ask(
        cluster, node_id, "Metadata", 12, {"Topics": [{"TopicId": str(UUID(int=0)), "Name": "orders"}]}
    )


def test_only_the_leader_appends_and_the_others_name_it(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 3)
    leader = cluster.brokers.leader("orders")
    other = next(each for each in (1, 2, 3) if each != leader)
    refused = produce(cluster, other, "orders", 0)
    assert refused["ErrorCode"] == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert refused["CurrentLeader"] == {"LeaderId": leader, "LeaderEpoch": 0}
    (endpoint,) = refused["NodeEndpoints"]
    assert f"{endpoint['Host']}:{endpoint['Port']}" == cluster.bootstrap_servers.split(",")[leader - 1]
    assert produce(cluster, leader, "orders", 0)["ErrorCode"] == 0
    cluster.brokers.move_leader("orders", 0, to=other)
    moved = produce(cluster, leader, "orders", 0)
    assert (moved["ErrorCode"], moved["CurrentLeader"]["LeaderEpoch"]) == (
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        1,
    )
    assert produce(cluster, other, "orders", 0)["BaseOffset"] == 1


def test_only_the_coordinator_serves_a_group_and_its_offsets_move_with_it(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 3)
    assert coordinator(cluster, 1, "billing") == coordinator(cluster, 3, "billing")
    first = coordinator(cluster, 2, "billing")
    partition = partition_of_group("billing", PARTITIONS)
    assert first == cluster.brokers.leader("__consumer_offsets", partition)
    other = next(each for each in (1, 2, 3) if each != first)
    assert commit(cluster, other, "billing", 5) == ErrorCode.NOT_COORDINATOR
    assert commit(cluster, first, "billing", 5) == 0
    cluster.brokers.move_coordinator("billing", to=other)
    assert coordinator(cluster, first, "billing") == other
    assert offset_fetch(cluster, first, "billing")["ErrorCode"] == ErrorCode.NOT_COORDINATOR
    (topic,) = offset_fetch(cluster, other, "billing")["Topics"]
    assert topic["Partitions"][0]["CommittedOffset"] == 5


def test_a_stopped_broker_refuses_connections_and_leads_nothing(cluster: Tidemark) -> None:
    create(cluster, "orders", PARTITIONS, 3)
    to = cluster.bootstrap_servers.split(",")[1]
    opened = Connection(to)
    with opened.socket:
        stopped = cluster.brokers.stop(2)[1]
        assert opened.is_hung_up_on()
    assert (stopped.running, stopped.leads, stopped.connections) == (False, 0, 0)
    with pytest.raises(ConnectionRefusedError):
        Connection(to)
    assert [each["NodeId"] for each in metadata(cluster, 1)["Brokers"]] == [1, 3]
    offline = [each["OfflineReplicas"] for each in metadata(cluster, 1)["Topics"][0]["Partitions"]]
    assert offline == [[2]] * PARTITIONS
    started = cluster.brokers.start(2)[1]
    assert (started.running, started.address) == (True, to)
    assert [each["NodeId"] for each in metadata(cluster, 2)["Brokers"]] == [1, 2, 3]


def test_a_member_waits_for_no_answer_of_a_coordinator_that_moves(cluster: Tidemark) -> None:
    first = coordinator(cluster, 1, "crew")
    connection = Connection(cluster.bootstrap_servers.split(",")[first - 1])
    join = {
        "GroupId": "crew", "SessionTimeoutMs": 30_000, "RebalanceTimeoutMs": 30_000, "MemberId": "",
        "ProtocolType": "consumer", "Protocols": [{"Name": "range", "Metadata": ""}],
    }  # fmt: skip
    member = connection.ask("JoinGroup", 3, join)["MemberId"]
    waiting = Connection(cluster.bootstrap_servers.split(",")[first - 1])
    with connection.socket, waiting.socket:
        sync = {"GroupId": "crew", "GenerationId": 1, "MemberId": member}
        leader = {"Assignments": [{"MemberId": member, "Assignment": "61"}]}
        assert connection.ask("SyncGroup", 3, sync | leader)["ErrorCode"] == 0
        other = next(each for each in (1, 2, 3) if each != first)
        cluster.brokers.move_coordinator("crew", to=other)
        beat = {"GroupId": "crew", "GenerationId": 1, "MemberId": member}
        assert connection.ask("Heartbeat", 3, beat)["ErrorCode"] == ErrorCode.NOT_COORDINATOR
    assert ask(cluster, other, "Heartbeat", 3, beat)["ErrorCode"] == 0, "its generation was recorded"


def test_clients_that_connect_while_a_broker_stops_leave_nothing_open(cluster: Tidemark) -> None:
    host, _, port = cluster.bootstrap_servers.split(",")[1].rpartition(":")
    over = threading.Event()

    def connect() -> None:
        while not over.is_set():
            with suppress(OSError):
                socket.create_connection((host, int(port)), CONNECT_S).close()

    clients = [threading.Thread(target=connect) for _ in range(3)]
    for each in clients:
        each.start()
    try:
        for _ in range(STOPS):
            cluster.brokers.stop(2)
            cluster.brokers.start(2)
    finally:
        over.set()
        for each in clients:
            each.join()
    cluster.stop()
    with warnings.catch_warnings(record=True) as leaks:
        warnings.simplefilter("always", ResourceWarning)
        gc.collect()
    assert [str(each.message) for each in leaks] == []


def test_too_few_replicas_in_sync(cluster: Tidemark) -> None:
    fields = {
        "Topics": [
            {
                "Name": "safe", "NumPartitions": 1, "ReplicationFactor": 3,
                "Configs": [{"Name": "min.insync.replicas", "Value": "3"}],
            }
        ],
        "timeoutMs": 1000,
    }  # fmt: skip
    assert ask(cluster, 1, "CreateTopics", 7, fields)["Topics"][0]["ErrorCode"] == 0
    leader = cluster.brokers.leader("safe")
    assert produce(cluster, leader, "safe", 0)["ErrorCode"] == 0
    cluster.brokers.stop(next(each for each in (1, 2, 3) if each != leader))
    assert produce(cluster, leader, "safe", 0)["ErrorCode"] == ErrorCode.NOT_ENOUGH_REPLICAS


def test_more_replicas_than_brokers(cluster: Tidemark) -> None:
    topic = {"Name": "wide", "NumPartitions": 1, "ReplicationFactor": 4}
    answered = ask(cluster, 1, "CreateTopics", 7, {"Topics": [topic], "timeoutMs": 1000})["Topics"][0]
    assert answered["ErrorCode"] == ErrorCode.INVALID_REPLICATION_FACTOR
    assert "because only 3 broker(s) are registered" in answered["ErrorMessage"]


def test_what_cannot_be_done_is_refused_in_a_sentence(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 1)
    leader = cluster.brokers.leader("orders")
    other = next(each for each in (1, 2, 3) if each != leader)
    for wanted, sentence in (
        (lambda: cluster.brokers.stop(9), "there is no broker 9: the brokers are 1, 2, 3"),
        (lambda: cluster.brokers.start(2), "broker 2 runs already"),
        (lambda: cluster.brokers.move_leader("order", 0, to=2), "there is no topic order"),
        (lambda: cluster.brokers.move_leader("orders", 1, to=2), "orders has no partition 1: it has 1"),
        (
            lambda: cluster.brokers.move_leader("orders", 0, to=other),
            f"orders-0 has no replica on broker {other}: its replicas are on [{leader}]",
        ),
        (lambda: cluster.brokers.move_coordinator("g", to=1), "no group has a coordinator yet"),
    ):
        with pytest.raises(ApiError) as refused:
            wanted()
        assert sentence in str(refused.value)
    cluster.brokers.stop(1)
    cluster.brokers.stop(2)
    with pytest.raises(ApiError, match="broker 3 is the last one that runs"):
        cluster.brokers.stop(3)


def isrs(cluster: Tidemark, topic: str) -> list[list[int]]:
    asked = {"Topics": [{"TopicId": str(UUID(int=0)), "Name": topic}]}
    (found,) = ask(cluster, cluster.brokers.leader(topic), "Metadata", 12, asked)["Topics"]
    return [each["IsrNodes"] for each in sorted(found["Partitions"], key=lambda p: p["PartitionIndex"])]


def test_a_killed_broker_leads_until_its_session_ends(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [2, 3])
    to = cluster.bootstrap_servers.split(",")[1]
    opened = Connection(to)
    with opened.socket:
        killed = cluster.brokers.kill(2)[1]
        assert opened.is_hung_up_on()
    assert (killed.running, killed.leads) == (False, 1)
    with pytest.raises(ConnectionRefusedError):
        Connection(to)
    with pytest.raises(ApiError, match="broker 2 is stopped already"):
        cluster.brokers.stop(2)
    cluster.clock.advance(seconds=8, sessions=True)
    assert [each["NodeId"] for each in metadata(cluster, 1)["Brokers"]] == [1, 2, 3]
    assert cluster.brokers.leader("orders") == 2
    cluster.clock.advance(seconds=2, sessions=True)
    assert [each["NodeId"] for each in metadata(cluster, 1)["Brokers"]] == [1, 3]
    assert (cluster.brokers.leader("orders"), isrs(cluster, "orders")) == (3, [[3]])
    assert cluster.brokers.start(2)[1].running
    assert isrs(cluster, "orders") == [[2, 3]]


def test_a_killed_broker_starts_before_its_session_ends(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [2, 3])
    cluster.brokers.kill(2)
    assert cluster.brokers.start(2)[1].running
    cluster.clock.advance(seconds=10, sessions=True)
    assert cluster.brokers.all()[1].running
    assert (cluster.brokers.leader("orders"), isrs(cluster, "orders")) == (3, [[2, 3]])
    cluster.brokers.kill(1)
    cluster.brokers.kill(2)
    with pytest.raises(ApiError, match="broker 3 is the last one that runs"):
        cluster.brokers.kill(3)


def test_a_broker_that_is_cut_off_from_clients_leads(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [2, 3])
    cluster.brokers.cut_off(2)
    to = cluster.bootstrap_servers.split(",")[1]
    with pytest.raises(ConnectionRefusedError):
        Connection(to)
    cluster.clock.advance(seconds=10, sessions=True)
    assert cluster.brokers.leader("orders") == 2
    assert [each["NodeId"] for each in metadata(cluster, 1)["Brokers"]] == [1, 2, 3]
    for refused in (cluster.brokers.stop, cluster.brokers.kill, cluster.brokers.start):
        with pytest.raises(ApiError, match="broker 2 is cut off: reconnect it first"):
            refused(2)
    cluster.brokers.reconnect(2)
    assert produce(cluster, 2, "orders", 0)["ErrorCode"] == 0
    with pytest.raises(ApiError, match="broker 2 is not cut off"):
        cluster.brokers.reconnect(2)


def test_a_broker_that_is_cut_off_from_the_controller_is_fenced(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [2, 3])
    cluster.brokers.cut_off(2, from_="controller")
    assert produce(cluster, 2, "orders", 0)["ErrorCode"] == 0
    cluster.clock.advance(seconds=10, sessions=True)
    assert cluster.brokers.leader("orders") == 3
    assert produce(cluster, 2, "orders", 0)["ErrorCode"] == ErrorCode.NOT_LEADER_OR_FOLLOWER
    cluster.brokers.reconnect(2)
    assert (cluster.brokers.leader("orders"), isrs(cluster, "orders")) == (3, [[2, 3]])
    with pytest.raises(ApiError, match="from"):
        cluster.brokers.cut_off(2, from_="afar")


def test_a_follower_leaves_the_isr_by_a_call(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [1, 2, 3])
    cluster.brokers.shrink_isr("orders", 0, 2)
    assert isrs(cluster, "orders") == [[1, 3]]
    with pytest.raises(ApiError, match=r"broker 2 is not in the ISR \[1, 3\] of orders-0"):
        cluster.brokers.move_leader("orders", 0, to=2)
    with pytest.raises(ApiError, match="broker 1 leads orders-0: let another one lead first"):
        cluster.brokers.shrink_isr("orders", 0, 1)
    cluster.brokers.grow_isr("orders", 0, 2)
    assert isrs(cluster, "orders") == [[1, 2, 3]]
    with pytest.raises(ApiError, match=r"broker 2 is in the ISR \[1, 2, 3\] of orders-0"):
        cluster.brokers.grow_isr("orders", 0, 2)


def test_the_first_replicas_lead_again_after_a_check(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [2, 3])
    cluster.brokers.stop(2)
    cluster.brokers.start(2)
    assert cluster.brokers.leader("orders") == 3
    cluster.clock.advance(seconds=301, sessions=True)
    assert cluster.brokers.leader("orders") == 2
    cluster.brokers.move_leader("orders", 0, to=3)
    cluster.clock.advance(seconds=301, sessions=True)
    assert cluster.brokers.leader("orders") == 2


def elected_by_client(cluster: Tidemark) -> list[tuple[str, int, int]]:
    """Elect all preferred leaders by ElectLeaders. Return the partitions of its response."""
    every = {"ElectionType": 0, "TopicPartitions": None, "TimeoutMs": 1000}
    return [
        (topic["Topic"], each["PartitionId"], each["ErrorCode"])
        for topic in ask(cluster, 1, "ElectLeaders", 2, every)["ReplicaElectionResults"]
        for each in topic["PartitionResult"]
    ]


def test_preferred_leaders_are_elected_by_a_call_where_they_are_in_sync(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [2, 3, 1], [3, 1, 2], [1, 2, 3], [2, 1, 3])
    for partition, to in enumerate((3, 1, 2, 1)):
        cluster.brokers.move_leader("orders", partition, to=to)
    cluster.brokers.shrink_isr("orders", 3, 2)
    found = cluster.brokers.elect_preferred_leaders()
    assert [cluster.brokers.leader("orders", partition) for partition in range(4)] == [2, 3, 1, 1]
    assert [each.leads for each in found] == [2, 1, 1]
    assert elected_by_client(cluster) == [("orders", 3, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)]
    assert produce(cluster, 2, "orders", 0)["BaseOffset"] == 0
    assert cluster.brokers.elect_preferred_leaders() == found


def test_brokers_report_that_they_are_cut_off(cluster: Tidemark) -> None:
    for from_ in ("clients", "controller", "leaders"):
        assert [each.cut_off for each in cluster.brokers.cut_off(2, from_=from_)] == [False, True, False]
        assert not any(each.cut_off for each in cluster.brokers.reconnect(2))


def test_a_broker_that_was_unregistered_returns_when_it_starts(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [3, 1])
    unregistered = ask(cluster, 1, "UnregisterBroker", 0, {"BrokerId": 3})
    assert (unregistered["ErrorCode"], unregistered["ErrorMessage"]) == (0, "")
    again = ask(cluster, 1, "UnregisterBroker", 0, {"BrokerId": 3})
    assert again["ErrorCode"] == ErrorCode.BROKER_ID_NOT_REGISTERED
    assert again["ErrorMessage"] == "Broker ID 3 is not currently registered"
    assert [each["NodeId"] for each in metadata(cluster, 1)["Brokers"]] == [1, 2]
    assert (cluster.brokers.leader("orders"), isrs(cluster, "orders")) == (1, [[1]])
    assert reassign(cluster, "orders", 0, [1, 3]) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert not cluster.brokers.all()[2].running
    cluster.brokers.start(3)
    assert [each["NodeId"] for each in metadata(cluster, 3)["Brokers"]] == [1, 2, 3]
    assert isrs(cluster, "orders") == [[1, 3]]
    assert cluster.brokers.stop(3)[2].running is False


def test_the_coordinator_of_a_transactional_id_moves(cluster: Tidemark) -> None:
    with pytest.raises(ApiError, match="no transactional id has a coordinator yet"):
        cluster.brokers.move_coordinator(transactional_id="payer", to=2)
    fields = {"KeyType": 1, "CoordinatorKeys": ["payer"]}
    first = ask(cluster, 1, "FindCoordinator", 4, fields)["Coordinators"][0]["NodeId"]
    other = next(each for each in (1, 2, 3) if each != first)
    cluster.brokers.move_coordinator(transactional_id="payer", to=other)
    assert ask(cluster, 1, "FindCoordinator", 4, fields)["Coordinators"][0]["NodeId"] == other


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_client_loses_nothing_while_brokers_stop_and_leaders_move(cluster: Tidemark, protocol: str) -> None:
    create(cluster, "orders", PARTITIONS, 3)
    python = client_python("confluent-kafka")
    command = [str(python), "-c", PROGRAM, cluster.bootstrap_servers, str(PARTITIONS), str(RECORDS), protocol]
    random, moves = Random(29), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "running\n"
        for number in range(ROUNDS):
            wait_for_progress(cluster, RECORDS * (number + 1) // (2 * ROUNDS))
            victim = random.choice((1, 2, 3))
            if number % 3 == 0:
                cluster.brokers.stop(victim)
                cluster.brokers.start(victim)
            elif number % 3 == 1:
                cluster.brokers.move_leader("orders", random.randrange(PARTITIONS), to=victim)
            else:
                cluster.brokers.restart()
            moves += 1
        outcome = json.loads(client.stdout.readline())
    assert moves == ROUNDS
    assert outcome["failed"] == []
    for partition in range(PARTITIONS):
        numbers = [*dict(outcome["seen"][str(partition)]).values()]  # a rebalance may repeat records
        assert numbers == [*range(partition, RECORDS, PARTITIONS)], f"partition {partition}"


def wait_for_progress(cluster: Tidemark, records: int) -> None:
    """Wait until the client has written so many records."""
    deadline = time.monotonic() + PROGRESS_S
    while time.monotonic() < deadline:
        found = cluster.api("brokers").get("/v1/partitions", topic="orders")["partitions"]
        if sum(each["log_end_offset"] or 0 for each in found) >= records:
            return
        time.sleep(0.02)
    raise AssertionError("the client makes no progress")


def reassign(cluster: Tidemark, topic: str, partition: int, replicas: list[int] | None) -> int:
    moved = {"PartitionIndex": partition, "Replicas": replicas}
    fields = {"TimeoutMs": 1000, "Topics": [{"Name": topic, "Partitions": [moved]}]}
    answered = ask(cluster, 1, "AlterPartitionReassignments", 1, fields)
    code: int = answered["Responses"][0]["Partitions"][0]["ErrorCode"]
    return code


def reassignments(cluster: Tidemark) -> list[tuple[str, int, list[int], list[int]]]:
    found = ask(cluster, 1, "ListPartitionReassignments", 0, {"TimeoutMs": 1000, "Topics": None})["Topics"]
    return [
        (topic["Name"], each["PartitionIndex"], each["AddingReplicas"], each["RemovingReplicas"])
        for topic in found
        for each in topic["Partitions"]
    ]


def replicas(cluster: Tidemark, topic: str) -> list[list[int]]:
    asked = {"Topics": [{"TopicId": str(UUID(int=0)), "Name": topic}]}
    (found,) = ask(cluster, 1, "Metadata", 12, asked)["Topics"]
    return [each["ReplicaNodes"] for each in sorted(found["Partitions"], key=lambda p: p["PartitionIndex"])]


def create_on(cluster: Tidemark, topic: str, *assignment: list[int]) -> None:
    placed = [{"PartitionIndex": at, "BrokerIds": ids} for at, ids in enumerate(assignment)]
    new = {"Name": topic, "NumPartitions": -1, "ReplicationFactor": -1, "Assignments": placed}
    answered = ask(cluster, 1, "CreateTopics", 7, {"Topics": [new], "timeoutMs": 1000})
    assert answered["Topics"][0]["ErrorCode"] == 0


def test_a_reassignment_waits_for_a_stopped_broker_and_completes_when_it_starts(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [1, 2], [1, 2])
    assert produce(cluster, 1, "orders", 0)["ErrorCode"] == 0
    assert reassign(cluster, "orders", 1, [2, 3]) == 0
    assert (replicas(cluster, "orders")[1], cluster.brokers.leader("orders", 1)) == ([2, 3], 2)
    cluster.brokers.stop(3)
    assert reassign(cluster, "orders", 0, [3]) == 0
    assert reassignments(cluster) == [("orders", 0, [3], [1, 2])]
    assert replicas(cluster, "orders")[0] == [3, 1, 2]
    assert produce(cluster, 1, "orders", 0)["BaseOffset"] == 1
    cluster.brokers.start(3)
    assert reassignments(cluster) == []
    assert (replicas(cluster, "orders")[0], cluster.brokers.leader("orders", 0)) == ([3], 3)
    assert produce(cluster, 1, "orders", 0)["ErrorCode"] == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert produce(cluster, 3, "orders", 0)["BaseOffset"] == 2
    assert reassign(cluster, "orders", 0, None) == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS


def test_a_topic_is_deleted_during_its_reassignment(cluster: Tidemark) -> None:
    create_on(cluster, "orders", [1, 2])
    cluster.brokers.stop(3)
    assert reassign(cluster, "orders", 0, [1, 3]) == 0
    named = {"Name": "orders", "TopicId": str(UUID(int=0))}
    deleted = ask(cluster, 1, "DeleteTopics", 6, {"Topics": [named], "TimeoutMs": 1000})
    assert deleted["Responses"][0]["ErrorCode"] == 0
    assert reassignments(cluster) == []
    cluster.brokers.start(3)


def test_the_offsets_of_groups_survive_a_reassignment_of_their_partition(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 3)
    first = coordinator(cluster, 1, "billing")
    assert commit(cluster, first, "billing", 5) == 0
    other = next(each for each in (1, 2, 3) if each != first)
    partition = partition_of_group("billing", PARTITIONS)
    assert reassign(cluster, "__consumer_offsets", partition, [other]) == 0
    assert coordinator(cluster, first, "billing") == other
    assert commit(cluster, first, "billing", 6) == ErrorCode.NOT_COORDINATOR
    (topic,) = offset_fetch(cluster, other, "billing")["Topics"]
    assert topic["Partitions"][0]["CommittedOffset"] == 5


def test_kill_of_the_process_during_a_reassignment(tmp_path: Path) -> None:
    with Tidemark.start(SETTINGS, mode="subprocess", folder=tmp_path) as cluster:
        create_on(cluster, "orders", [1, 2], [1, 2])
        assert produce(cluster, 1, "orders", 0)["ErrorCode"] == 0
        cluster.brokers.stop(3)
        assert reassign(cluster, "orders", 0, [3]) == 0
        cluster.kill()
        cluster.restart()
        assert reassignments(cluster) == []
        assert replicas(cluster, "orders") == [[3], [1, 2]]
        assert [cluster.brokers.leader("orders", each) for each in (0, 1)] == [3, 1]
        assert produce(cluster, 3, "orders", 0)["BaseOffset"] == 1


def test_kill_of_the_process_loses_no_move(tmp_path: Path) -> None:
    with Tidemark.start(SETTINGS, mode="subprocess", folder=tmp_path) as cluster:
        create(cluster, "orders", PARTITIONS, 3)
        first = coordinator(cluster, 1, "billing")
        other = next(each for each in (1, 2, 3) if each != first)
        assert commit(cluster, first, "billing", 7) == 0
        for partition in range(PARTITIONS):
            leader = cluster.brokers.leader("orders", partition)
            assert produce(cluster, leader, "orders", partition)["ErrorCode"] == 0
            cluster.brokers.move_leader("orders", partition, to=other)
        cluster.brokers.move_coordinator("billing", to=other)
        cluster.kill()
        cluster.restart()
        assert [cluster.brokers.leader("orders", each) for each in range(PARTITIONS)] == [other] * PARTITIONS
        assert coordinator(cluster, 1, "billing") == other
        (topic,) = offset_fetch(cluster, other, "billing")["Topics"]
        assert topic["Partitions"][0]["CommittedOffset"] == 7
        for partition in range(PARTITIONS):
            assert produce(cluster, other, "orders", partition)["BaseOffset"] == 1


def test_fault_applies_to_the_requests_of_one_broker(cluster: Tidemark) -> None:
    create(cluster, "orders", 3, 3)
    places = {cluster.brokers.leader("orders", index): index for index in range(3)}
    fault = cluster.faults.add(api="Produce", node_id=2, error="CORRUPT_MESSAGE")
    codes = {
        node_id: produce(cluster, node_id, "orders", index)["ErrorCode"] for node_id, index in places.items()
    }
    assert codes == {1: 0, 2: ErrorCode.CORRUPT_MESSAGE, 3: 0}
    assert fault.matched == 1
    recorded = cluster.requests(api="Produce")
    assert sorted(each.node_id or 0 for each in recorded) == [1, 2, 3]
    assert [each.faults for each in cluster.requests(api="Produce", node_id=2)] == [[fault.id]]


def test_connections_to_one_broker_are_refused(cluster: Tidemark) -> None:
    with cluster.faults.add(refuse_connections=True, node_id=2), pytest.raises(OSError):
        metadata(cluster, 2)
    assert metadata(cluster, 2)["Brokers"] == metadata(cluster, 3)["Brokers"]


def test_a_paused_broker_responds_when_the_pause_ends_and_others_lead_meanwhile() -> None:
    with Tidemark.start({**SETTINGS, "broker.session.timeout.ms": "1000"}) as cluster:
        create(cluster, "orders", 1, 3)
        leader = cluster.brokers.leader("orders")
        address = cluster.bootstrap_servers.split(",")[leader - 1]
        connection = Connection(address)
        pause = cluster.faults.add(pause=True, node_id=leader)
        cluster.brokers.cut_off(leader, from_="controller")
        connection.send(request("DescribeCluster", 0, {}, 1))
        cluster.clock.advance(seconds=1, sessions=True)
        other = cluster.brokers.leader("orders")
        assert other != leader
        assert produce(cluster, other, "orders", 0)["ErrorCode"] == 0
        assert select([connection.socket], [], [], 0)[0] == [], "it has responded"
        pause.remove()
        assert correlation_id(connection.answer()) == 1
        connection.socket.close()
        assert produce(cluster, leader, "orders", 0)["ErrorCode"] == ErrorCode.NOT_LEADER_OR_FOLLOWER
        cluster.brokers.reconnect(leader)
        cluster.brokers.move_leader("orders", 0, to=leader)
        assert produce(cluster, leader, "orders", 0)["BaseOffset"] == 1


def test_broker_that_does_not_exist_has_neither_faults_nor_requests(cluster: Tidemark) -> None:
    reason = "there is no broker 9: the brokers are 1, 2, 3"
    with pytest.raises(ApiError, match=reason):
        cluster.faults.add(api="Produce", node_id=9, drop=True)
    with pytest.raises(ApiError, match=reason):
        cluster.requests(node_id=9).refresh()
    with pytest.raises(ApiError, match="node_id must be a whole number"):
        cluster.faults.add(api="Produce", node_id=-1, drop=True)
    with pytest.raises(ApiError, match="node_id is not valid with disk"):
        cluster.faults.add(disk="sync", delay_ms=5, node_id=1)
    assert len(cluster.faults) == 0 and metadata(cluster, 1)["Brokers"]


def test_fault_in_a_file_names_an_existing_broker(tmp_path: Path) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("- {api: Metadata, node_id: 4, drop: true}\n")
    wanted = {**SETTINGS, "tidemark.faults.file": str(file)}
    with (
        pytest.raises(Exception, match="fault 1: there is no broker 4: the brokers are 1, 2, 3"),
        Tidemark.start(wanted),
    ):
        pass


@pytest.mark.parametrize("reached", [1, 2, 3])
@pytest.mark.parametrize("meant", [1, 2, 3])
def test_client_that_reaches_another_broker_must_bootstrap_again(
    cluster: Tidemark, meant: int, reached: int
) -> None:
    """KIP-1242. Kafka's Java client sends it since 4.4."""
    cluster_id = ask(cluster, 1, "DescribeCluster", 2, {})["ClusterId"]
    software = {"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"}
    wanted = {**software, "ClusterId": cluster_id, "NodeId": meant}
    found = ask(cluster, reached, "ApiVersions", 5, wanted)["ErrorCode"]
    assert found == (ErrorCode.NONE if meant == reached else ErrorCode.REBOOTSTRAP_REQUIRED)


def test_controller_that_clients_see_is_a_broker_that_runs(cluster: Tidemark) -> None:
    """kafkajs looks for its coordinator there. Kafka names any living broker."""
    cluster.brokers.stop(1)
    fields = {"Topics": [], "AllowAutoTopicCreation": False}
    assert ask(cluster, 2, "Metadata", 12, fields)["ControllerId"] in (2, 3)
    assert ask(cluster, 3, "DescribeCluster", 1, {})["ControllerId"] in (2, 3)


def fetch(cluster: Tidemark, node_id: int, session_id: int, epoch: int) -> dict[str, Any]:
    topic = {"Topic": "orders", "Partitions": [{"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 1000}]}
    fields = {"ReplicaId": -1, "MaxWaitMs": 0, "MinBytes": 0, "SessionId": session_id, "SessionEpoch": epoch}
    return ask(cluster, node_id, "Fetch", 11, {**fields, "Topics": [topic]})


def test_fetch_session_belongs_to_one_broker_until_it_stops(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 3)
    cluster.brokers.move_leader("orders", 0, to=2)
    session_id = fetch(cluster, 2, 0, 0)["SessionId"]
    assert session_id
    unknown = ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert fetch(cluster, 1, session_id, 1)["ErrorCode"] == unknown
    assert fetch(cluster, 2, session_id, 1)["ErrorCode"] == 0
    cluster.brokers.stop(2)
    cluster.brokers.start(2)
    assert fetch(cluster, 2, session_id, 2)["ErrorCode"] == unknown


def producer_id(cluster: Tidemark, node_id: int) -> int:
    fields = {"TransactionalId": None, "TransactionTimeoutMs": 60_000, "ProducerId": -1, "ProducerEpoch": -1}
    found: int = ask(cluster, node_id, "InitProducerId", 4, fields)["ProducerId"]
    return found


def test_each_broker_takes_producer_ids_from_its_own_block_of_1000(cluster: Tidemark) -> None:
    # KIP-730: a broker takes a block from the controller when it needs one, and a new one after a restart.
    assert [producer_id(cluster, node_id) for node_id in (2, 1, 2, 3, 1)] == [0, 1000, 1, 2000, 1001]
    cluster.brokers.stop(2)
    cluster.brokers.start(2)
    assert [producer_id(cluster, node_id) for node_id in (2, 1)] == [3000, 1002]


def test_quota_applies_to_each_broker(cluster: Tidemark) -> None:
    create(cluster, "orders", 3, 3)
    quota = {
        "Entity": [{"EntityType": "client-id", "EntityName": None}],
        "Ops": [{"Key": "producer_byte_rate", "Value": 20.0, "Remove": False}],
    }
    altered = ask(cluster, 1, "AlterClientQuotas", 1, {"Entries": [quota], "ValidateOnly": False})
    assert altered["Entries"][0]["ErrorCode"] == 0
    places = {cluster.brokers.leader("orders", index): index for index in range(3)}

    def throttled(node_id: int) -> int:
        produce(cluster, node_id, "orders", places[node_id])
        return int(cluster.requests(api="Produce", node_id=node_id)[-1].response["ThrottleTimeMs"])

    waits = [throttled(2), throttled(2), throttled(3)]
    assert waits[1] > waits[2] == waits[0]
    cluster.brokers.stop(2)
    cluster.brokers.start(2)
    cluster.brokers.move_leader("orders", places[2], to=2)
    assert throttled(2) == waits[0]


@pytest.mark.parametrize("setting", ["max.connections", "max.connections.per.ip"])
def test_connections_are_limited_for_each_broker(setting: str) -> None:
    with Tidemark.start({**SETTINGS, setting: "1"}) as cluster:
        with Connection(cluster.bootstrap_servers.split(",")[1]).socket:
            assert metadata(cluster, 1)["Brokers"]
            with pytest.raises(OSError):
                metadata(cluster, 2)
        assert metadata(cluster, 3)["Brokers"]
