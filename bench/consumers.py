"""A large group of the consumer protocol (KIP-848): the cost of its heartbeats, and of a join."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.host import cpu_seconds
from bench.rows import Effort, Row, quantile
from bench.scale import TOPICS_EACH, ask_all
from bench.servers import Kafka, Ours, Server, create_topic, wait_for_coordinator
from tests.kafka_oracle import missing
from tests.wire import Connection, request
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
    ConsumerGroupHeartbeatResponse,
)
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.metadata import MetadataRequest

VERSION: Final = 1
METADATA_VERSION: Final = 13
GROUP: Final = "consumers"
TOPIC: Final = "assigned"
MEMBERS: Final = 1000
PARTITIONS: Final = 1000
TOPICS: Final = 1000  # of the metadata
JOINS: Final = 10
CHANGES: Final = 50  # of topics. CPU time is counted in steps of 10 ms
REBALANCE_TIMEOUT_MS: Final = 600_000
ROUNDS_MAX: Final = 50
INTERVAL_S: Final = 1.05
SETTINGS: Final = {
    "group.consumer.session.timeout.ms": "600000",
    "group.consumer.max.session.timeout.ms": "600000",
}


@dataclass(slots=True)
class Member:
    member_id: str
    epoch: int = 0
    owned: dict[bytes, list[int]] = field(default_factory=dict)
    changed: bool = True

    def next_beat(self) -> ConsumerGroupHeartbeatRequest:
        """Return all fields for a join, owned partitions after a change, or else only the epoch."""
        beat = ConsumerGroupHeartbeatRequest(GROUP, self.member_id, self.epoch)
        if self.epoch == 0:
            beat.rebalance_timeout_ms = REBALANCE_TIMEOUT_MS
            beat.subscribed_topic_names = [TOPIC]
            beat.topic_partitions = []
        elif self.changed:
            beat.topic_partitions = [
                ConsumerGroupHeartbeatRequestTopicPartitions(topic_id, partitions)
                for topic_id, partitions in self.owned.items()
            ]
        return beat

    def beat(self, connection: Connection) -> None:
        response: ConsumerGroupHeartbeatResponse = connection.ask(
            "ConsumerGroupHeartbeat", VERSION, self.next_beat()
        )
        assert response.error_code == 0, response
        self.changed = response.assignment is not None or response.member_epoch != self.epoch
        self.epoch = response.member_epoch
        if response.assignment is not None:
            self.owned = {each.topic_id: each.partitions for each in response.assignment.topic_partitions}


def consumer_group(folder: Path, effort: Effort) -> list[Row]:
    """Measure our broker."""
    server = Ours(folder, SETTINGS)
    try:
        return heartbeats(server, effort)
    finally:
        server.stop()


def consumer_group_of_kafka(folder: Path, effort: Effort) -> list[Row]:
    """Measure Apache Kafka on all cores. No rows without Java."""
    if missing() is not None:
        return []
    server = Kafka(folder / "kafka")
    try:
        return heartbeats(server, effort)
    finally:
        server.stop()


def heartbeats(server: Server, effort: Effort) -> list[Row]:
    """Let a thousand members share a thousand partitions. Then measure heartbeats, and members that join."""
    create_topic(server, TOPIC, PARTITIONS)
    with Connection(server.bootstrap) as connection:
        wait_for_coordinator(connection, GROUP)
        members = [Member(f"member-{n:04}") for n in range(MEMBERS)]
        started = time.monotonic()
        for member in members:
            member.beat(connection)
        settle(connection, members)
        formed_ms = (time.monotonic() - started) * 1000
        forming_stall_ms = server.stall_ms()
        beats = [request("ConsumerGroupHeartbeat", VERSION, member.next_beat()) for member in members]
        ask_all(connection, iter(beats))
        used = cpu_seconds(server.pid)
        for _ in range(effort.joins // 10):
            ask_all(connection, iter(beats))
        count = len(beats) * (effort.joins // 10)
        beat_us = (cpu_seconds(server.pid) - used) / count * 1e6
        joined = []
        for n in range(JOINS):
            time.sleep(INTERVAL_S)  # the shortest time between two targets; in it, a join computes nothing
            newcomer = Member(f"newcomer-{n}")
            started = time.monotonic()
            newcomer.beat(connection)
            joined.append((time.monotonic() - started) * 1000)
            members.append(newcomer)
            settle(connection, members)
    size = f"{MEMBERS:,} members, {PARTITIONS:,} partitions"
    return [
        Row("consumer group: heartbeat, CPU", beat_us, "us", server.name, note=f"of {count:,}; {size}"),
        Row(
            "consumer group: a member joins", quantile(joined, 0.5), "ms", server.name,
            p50_ms=quantile(joined, 0.5), p99_ms=quantile(joined, 0.99), max_ms=max(joined),
            stall_ms=server.stall_ms(),
            note=f"median of {JOINS}; each computes a target",
        ),
        Row(
            "consumer group: formed and at rest", formed_ms, "ms", server.name, note=size,
            stall_ms=forming_stall_ms,
        ),
    ]  # fmt: skip


def settle(connection: Connection, members: list[Member]) -> None:
    """Send heartbeats until every member has its target."""
    partitions = 0
    for _ in range(ROUNDS_MAX):
        for member in members:
            member.beat(connection)
        partitions = sum(len(owned) for member in members for owned in member.owned.values())
        if partitions == PARTITIONS and not any(member.changed for member in members):
            return
    raise AssertionError(f"the group is not at rest: {partitions} partitions are assigned")


def metadata(folder: Path, effort: Effort) -> list[Row]:
    """Measure Metadata of a thousand topics with three partitions each."""
    server = Ours(folder)
    try:
        with Connection(server.bootstrap) as connection:
            for first in range(0, TOPICS, TOPICS_EACH):
                topics = [CreatableTopic(f"topic-{first + n}", 3, 1) for n in range(TOPICS_EACH)]
                made = connection.ask("CreateTopics", 7, CreateTopicsRequest(topics))
                assert all(topic.error_code == 0 for topic in made.topics), made
            frame = request("Metadata", METADATA_VERSION, MetadataRequest(None))
            connection.send(frame)
            connection.answer()
            taken = []
            used = cpu_seconds(server.pid)
            for _ in range(effort.joins):
                started = time.monotonic()
                connection.send(frame)
                connection.answer()
                taken.append((time.monotonic() - started) * 1000)
            cpu_ms = (cpu_seconds(server.pid) - used) / effort.joins * 1000
            changed_ms = _after_changes(server, connection, frame)
        row = Row("metadata of many topics", cpu_ms, "ms", note=f"of CPU, {TOPICS:,} topics x 3 partitions")
        row.p50_ms, row.p99_ms, row.max_ms = quantile(taken, 0.5), quantile(taken, 0.99), max(taken)
        size = f"of CPU; mean of {CHANGES}, each after a topic was created"
        return [row, Row("metadata of many topics, after a change", changed_ms, "ms", note=size)]
    finally:
        server.stop()


def _after_changes(server: Ours, connection: Connection, frame: bytes) -> float:
    """Return the CPU time in ms of a Metadata request that is the first one after a topic was created."""
    used = 0.0
    for n in range(CHANGES):
        create_topic(server, f"change-{n}", 3)
        before = cpu_seconds(server.pid)
        connection.send(frame)
        connection.answer()
        used += cpu_seconds(server.pid) - before
    return used / CHANGES * 1000
