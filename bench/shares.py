"""Share groups: the broker's CPU for requests of 500 records, and how long locks that end delay others.

`python -m bench.shares` prints both, and what Kafka's kafka-share-consumer-perf-test measures on ours and on
Kafka.
"""

from __future__ import annotations

import argparse
import base64
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Final

from bench.perf_tools import _java, _produce
from bench.servers import Kafka, Ours, Server, create_topic
from tests.broker_process import BrokerProcess
from tests.clients.load import batch_of
from tests.kafka_oracle import missing
from tests.wire import Connection
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

RECORDS: Final = 500
SIZE: Final = 200
TOPIC: Final = "shared"
GROUP: Final = "sharers"
MEMBER: Final = base64.urlsafe_b64encode(bytes(range(16))).decode().rstrip("=")
GROUP_RESOURCE: Final = 32
ACCEPT, REJECT = 1, 3
LOCKS: Final = 10_000
SETTINGS: Final = {
    "group.share.assignment.interval.ms": "0",
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.partition.max.record.locks": "10000",
    "group.share.max.partition.max.record.locks": "10000",
}


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process's threads, in nanoseconds precisely (`bench.host` counts in ticks)."""
    return (
        sum(int(each.read_text().split()[0]) for each in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9
    )


class Sharer:
    """A member of a share group with one partition, on a connection of its own."""

    def __init__(self, bootstrap: str, **configs: str) -> None:
        self.connection = Connection(bootstrap)
        self.epoch = 0
        ask = self.connection.ask
        topic = {"Name": TOPIC, "NumPartitions": 1, "ReplicationFactor": 1}
        ask("CreateTopics", 7, {"Topics": [topic], "timeoutMs": 10_000})
        wanted = {"share.auto.offset.reset": "earliest", **configs}
        changes = [{"Name": name, "ConfigOperation": 0, "Value": value} for name, value in wanted.items()]
        resource = {"ResourceType": GROUP_RESOURCE, "ResourceName": GROUP, "Configs": changes}
        altered = ask("IncrementalAlterConfigs", 1, {"Resources": [resource]})
        assert altered["Responses"][0]["ErrorCode"] == 0, altered
        described = ask("Metadata", 12, {"Topics": [{"Name": TOPIC}]})
        self.topic_id = described["Topics"][0]["TopicId"]
        ask("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": [GROUP]})
        member_epoch, assigned = 0, False
        while not assigned:
            beat = {"GroupId": GROUP, "MemberId": MEMBER, "MemberEpoch": member_epoch}
            subscribed = [TOPIC] if member_epoch == 0 else None
            answer = ask("ShareGroupHeartbeat", 1, {**beat, "SubscribedTopicNames": subscribed})
            assert answer["ErrorCode"] in (0, 14, 15, 16), answer
            if answer["ErrorCode"] == 0:
                member_epoch = answer["MemberEpoch"]
            assigned = bool(answer["Assignment"] and answer["Assignment"]["TopicPartitions"])
            time.sleep(0.05)

    def produce(self, batches: int, records: int = RECORDS) -> None:
        for _ in range(batches):
            data = TopicProduceData(
                name=TOPIC, partition_data=[PartitionProduceData(0, batch_of([b"v" * 100] * records))]
            )
            self.connection.ask("Produce", 9, ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[data]))

    def fetch(self, records: int = RECORDS, batch_size: int = RECORDS) -> list[dict[str, Any]]:
        """Return what was acquired."""
        partitions = [{"PartitionIndex": 0, "AcknowledgementBatches": []}] if self.epoch == 0 else []
        response = self.connection.ask(
            "ShareFetch", 2,
            {
                "GroupId": GROUP, "MemberId": MEMBER, "ShareSessionEpoch": self.epoch, "MaxWaitMs": 500,
                "MinBytes": 1, "MaxBytes": 50_000_000, "MaxRecords": records, "BatchSize": batch_size,
                "Topics": [{"TopicId": self.topic_id, "Partitions": partitions}] if partitions else [],
                "ForgottenTopicsData": [],
            },
        )  # fmt: skip
        assert response["ErrorCode"] == 0, response
        self.epoch += 1
        return [
            each for topic in response["Responses"] for place in topic["Partitions"]
            for each in place["AcquiredRecords"]
        ]  # fmt: skip

    def acknowledge(self, acquired: list[dict[str, Any]], types: list[int], *, one_by_one: bool) -> None:
        """types: for all records of a range, or for each. one_by_one: with a range for each record"""
        batches = [
            {
                "FirstOffset": each["FirstOffset"], "LastOffset": each["LastOffset"],
                "AcknowledgeTypes": types
            }
            for each in acquired
        ]  # fmt: skip
        if one_by_one:
            (each,) = batches
            offsets = range(each["FirstOffset"], each["LastOffset"] + 1)
            batches = [
                {"FirstOffset": at, "LastOffset": at, "AcknowledgeTypes": [kind]}
                for at, kind in zip(offsets, types, strict=True)
            ]
        partition = {"PartitionIndex": 0, "AcknowledgementBatches": batches}
        response = self.connection.ask(
            "ShareAcknowledge", 2,
            {
                "GroupId": GROUP, "MemberId": MEMBER, "ShareSessionEpoch": self.epoch,
                "Topics": [{"TopicId": self.topic_id, "Partitions": [partition]}],
            },
        )  # fmt: skip
        self.epoch += 1
        (place,) = response["Responses"][0]["Partitions"]
        assert response["ErrorCode"] == place["ErrorCode"] == 0, response


def requests(rounds: int, types: list[int], what: str, *, one_by_one: bool = False) -> str:
    """Return the CPU of the broker for each request of 500 records that are one batch."""
    with tempfile.TemporaryDirectory() as folder:
        broker = BrokerProcess(Path(folder), SETTINGS, forked=False)
        broker.start()
        try:
            member = Sharer(broker.bootstrap)
            member.produce(rounds + 20)
            spent = {"fetch": 0.0, "acknowledge": 0.0}
            for number in range(rounds + 20):
                before = cpu_seconds(broker.pid)
                acquired = member.fetch()
                between = cpu_seconds(broker.pid)
                assert sum(each["LastOffset"] - each["FirstOffset"] + 1 for each in acquired) == RECORDS
                member.acknowledge(acquired, types, one_by_one=one_by_one)
                if number >= 20:
                    spent["fetch"] += between - before
                    spent["acknowledge"] += cpu_seconds(broker.pid) - between
        finally:
            broker.stop()
    each = {name: 1e3 * cpu_s / rounds for name, cpu_s in spent.items()}
    parts = ", ".join(f"{name} {ms:.2f} ms" for name, ms in each.items())
    return f"{what}: {parts}, {sum(each.values()):.2f} ms"


def locks_that_end() -> str:
    """Return how long another client waits while 10,000 locks end at once, each of one record."""
    with tempfile.TemporaryDirectory() as folder:
        broker = BrokerProcess(Path(folder), SETTINGS, forked=False)
        broker.start()
        try:
            member = Sharer(
                broker.bootstrap,
                **{"share.record.lock.duration.ms": "3000", "share.partition.max.record.locks": str(LOCKS)},
            )
            member.produce(LOCKS, 1)
            acquired = 0
            begun = time.monotonic()
            while acquired < LOCKS:
                found = member.fetch(1000, 1)
                acquired += sum(each["LastOffset"] - each["FirstOffset"] + 1 for each in found)
            took = time.monotonic() - begun
            waits: list[tuple[float, float]] = []
            stopping = threading.Event()

            def probe() -> None:
                with Connection(broker.bootstrap) as other:
                    while not stopping.is_set():
                        sent, cpu_s = time.monotonic(), cpu_seconds(broker.pid)
                        other.ask("Metadata", 12, {"Topics": []})
                        waits.append((time.monotonic() - sent, cpu_seconds(broker.pid) - cpu_s))
                        time.sleep(0.001)

            thread = threading.Thread(target=probe)
            thread.start()
            time.sleep(5)
            stopping.set()
            thread.join()
            again = member.fetch(1000, 1)
            assert again and again[0]["DeliveryCount"] == 2, again[:1]
        finally:
            broker.stop()
    waited, cpu_s = max(each for each, _ in waits), max(each for _, each in waits)
    return (
        f"{LOCKS} locks acquired in {took:.1f} s, ended: another client waited {1e3 * waited:.0f} ms "
        f"at most, {1e3 * cpu_s:.0f} ms of the broker's CPU"
    )


def perf_tool(server: Server, records: int) -> str:
    """Run Kafka's kafka-share-consumer-perf-test, and return its rate and the CPU of the server."""
    name = "perf"
    create_topic(server, name, 1)
    _produce(server, name, records, SIZE, "records to share")
    with Connection(server.bootstrap) as connection:
        change = {"Name": "share.auto.offset.reset", "ConfigOperation": 0, "Value": "earliest"}
        resource = {"ResourceType": GROUP_RESOURCE, "ResourceName": name, "Configs": [change]}
        connection.ask("IncrementalAlterConfigs", 1, {"Resources": [resource]})
    before = cpu_seconds(server.pid)
    output = _java(
        "org.apache.kafka.tools.ShareConsumerPerformance", "--bootstrap-server", server.bootstrap, "--topic",
        name, "--num-records", str(records), "--group", name, "--hide-header", "--timeout", "60000",
    )  # fmt: skip
    each_us = 1e6 * (cpu_seconds(server.pid) - before) / records
    return f"share-consumer-perf-test on {server.name}: {each_us:.2f} us CPU a record; {output.strip()}"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=500)
    options.add_argument("--records", type=int, default=300_000, help="of kafka-share-consumer-perf-test")
    given = options.parse_args()
    rounds = given.rounds
    if missing() is None and given.records:
        for start in (lambda folder: Ours(folder, pinned=False), Kafka):
            with tempfile.TemporaryDirectory() as folder:
                server = start(Path(folder))
                try:
                    print(perf_tool(server, given.records), flush=True)
                finally:
                    server.stop()
    if not rounds:
        return
    print(requests(rounds, [ACCEPT], "500 records, accepted as a range"))
    print(requests(rounds, [ACCEPT] * RECORDS, "500 records, accepted one by one"))
    rejected = [ACCEPT, REJECT] * (RECORDS // 2)
    print(requests(rounds, rejected, "500 records, every second one rejected"))
    print(requests(rounds, rejected, "the same with 500 ranges", one_by_one=True))
    print(locks_that_end())


if __name__ == "__main__":
    main()
