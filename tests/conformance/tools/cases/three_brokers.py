"""Kafka's tools on three brokers, before, while and after the third one is stopped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.conformance.build import commit
from tests.conformance.build_admin import BROKER, describe
from tests.conformance.cases.elections import reassign
from tests.conformance.clusters import (
    RUNNING,
    elect_preferred,
    fill,
    group_of,
    ready_group,
    replicated,
    until_in_sync,
    until_partitions,
)
from tests.conformance.tools.cases.cluster import without_folders
from tests.conformance.tools.terminal import Terminal, cluster_case

OFFSETS = "__consumer_offsets"
LEADERS = ("", "--under-replicated-partitions", "--unavailable-partitions", "--under-min-isr-partitions",
           "--at-min-isr-partitions")  # fmt: skip


@contextmanager
def stopped(t: Terminal) -> Iterator[None]:
    """Stop the third broker, and start it again."""
    t.cluster.stop_broker(3)
    t.hang_up()
    t.reconnect()
    try:
        yield
    finally:
        t.cluster.start_broker(3)
        t.hang_up()
        t.reconnect()
        elect_preferred(t, OFFSETS, 2, 5)


def before_stopped_after(
    t: Terminal, run: Callable[[], None], ready: Callable[[], None] = lambda: None
) -> None:
    """Run tools before the third broker stops, while it is stopped, and once it runs again.

    ready: waits until the first two brokers have what the third one had.
    """
    run()
    with stopped(t):
        ready()
        run()
    run()


@cluster_case
def topics_of_three_brokers(t: Terminal) -> None:
    topics = [
        replicated(t),
        replicated(t, [3], [1]),
        replicated(t, [3, 2], [2, 1], min_insync_replicas="2"),
    ]

    def run() -> None:
        for topic in topics:
            for option in LEADERS if topic == topics[2] else LEADERS[:3:2]:
                t.run(f"kafka-topics --describe --topic {topic} {option}")

    before_stopped_after(t, run)


@cluster_case
def topics_created_on_three_brokers(t: Terminal) -> None:
    for options in (
        "--partitions 3 --replication-factor 3",
        "--replication-factor 4",
        "--replica-assignment 3:1:2,1:2:3",
        "--replica-assignment 3:1,1",
        "--replica-assignment 1:1",
        "--replica-assignment 1:9",
    ):
        name = t.name()
        t.run(f"kafka-topics --create --topic {name} {options}")
        if options.startswith("--replica-assignment 3:1:2"):
            t.run(f"kafka-topics --describe --topic {name}")
            t.run(
                f"kafka-topics --alter --topic {name} --partitions 3 --replica-assignment 3:1:2,1:2:3,2:1:3"
            )
            t.run(f"kafka-topics --describe --topic {name}")


@cluster_case
def leaders_elected_on_three_brokers(t: Terminal) -> None:
    topic = replicated(t)
    named = [{"topic": topic, "partition": index} for index in (2, 1)]
    file = t.file("partitions.json", json.dumps({"partitions": named}))

    def run() -> None:
        for kind in ("preferred", "unclean"):
            t.run(f"kafka-leader-election --election-type {kind} --topic {topic} --partition 2")
            t.run(f"kafka-leader-election --election-type {kind} --path-to-json-file {file}")
        t.run(f"kafka-topics --describe --topic {topic}")

    before_stopped_after(t, run)


@cluster_case
def metadata_quorum_of_three(t: Terminal) -> None:
    t.run("kafka-metadata-quorum {at} describe --status", cut=without_numbers)
    t.run("kafka-metadata-quorum {at} describe --replication", cut=in_any_order)


def without_numbers(lines: list[str]) -> list[str]:
    """Remove numbers, and the addresses of the controllers, which are those of the brokers in tidemark."""
    lines = [re.sub(r"127\.0\.0\.1:\d+|<address( \d)?>", "<controller>", line) for line in lines]
    return [
        line if line.startswith("CurrentVoters") else re.sub(" +", " ", re.sub(r"\d+|<time>", "<n>", line))
        for line in lines
    ]


def in_any_order(lines: list[str]) -> list[str]:
    """Sort the nodes by id: Kafka's tool lists the leader first. Remove numbers, and which node leads."""
    rows = [re.split(r"\t| {2,}", line) for line in lines if line]
    return sorted(f"{row[0].strip()} {len(row)} columns" for row in rows)


@cluster_case
def endpoints_of_three_brokers(t: Terminal) -> None:
    def run() -> None:
        t.run("kafka-cluster list-endpoints {at}")
        t.run("kafka-cluster list-endpoints {at} --include-fenced-brokers")
        t.run("kafka-cluster cluster-id {at}")

    before_stopped_after(t, run)
    t.run("kafka-cluster unregister {at} --id 9")


@cluster_case
def versions_of_three_brokers(t: Terminal) -> None:
    before_stopped_after(t, lambda: t.run("kafka-broker-api-versions", keep=r"^\S", cut=sorted) and None)


@cluster_case
def offsets_of_three_brokers(t: Terminal) -> None:
    topic = replicated(t)
    fill(t, topic, 2)
    before_stopped_after(t, lambda: t.run(f"kafka-get-offsets --topic {topic}") and None)


@cluster_case
def group_of_three_brokers(t: Terminal) -> None:
    topic, group = replicated(t), group_of(t, 3)
    t.on(3).do(*commit(group, {topic: {0: 1}}))
    before_stopped_after(
        t,
        lambda: t.run(f"kafka-consumer-groups --describe --group {group} --state") and None,
        lambda: ready_group(t, group, 1) and None,
    )


def plan(t: Terminal, topic: str, *replicas: list[int]) -> str:
    """Write a file for kafka-reassign-partitions."""
    wanted = [{"topic": topic, "partition": at, "replicas": ids} for at, ids in enumerate(replicas)]
    return t.file(f"{t.name('plan')}.json", json.dumps({"partitions": wanted, "version": 1}))


@cluster_case
def reassignments_of_three_brokers(t: Terminal) -> None:
    topic = replicated(t, [1, 2], [2, 1])
    fill(t, topic)
    file = t.file("move.json", json.dumps({"topics": [{"topic": topic}], "version": 1}))
    line = "kafka-reassign-partitions"
    t.run(f"{line} --generate --topics-to-move-json-file {file} --broker-list 3", cut=without_folders)
    t.run(f"{line} --generate --topics-to-move-json-file {file} --broker-list 1,9")
    given = f"--reassignment-json-file {plan(t, topic, [3, 1], [2])}"
    t.run(f"{line} --execute {given}", cut=without_folders)
    until_partitions(t, topic, lambda found: [p["ReplicaNodes"] for p in found] == [[3, 1], [2]])
    until_in_sync(t, topic)
    t.run(f"{line} --verify {given} --preserve-throttles")
    t.run(f"kafka-topics --describe --topic {topic}")
    t.run(f"{line} --cancel {given} --preserve-throttles")
    t.run(f"{line} --list")
    wrong = f"--reassignment-json-file {plan(t, topic, [1, 9], [2])}"
    t.run(f"{line} --execute {wrong}")


@cluster_case
def reassignments_to_a_stopped_broker(t: Terminal) -> None:
    topic, line = replicated(t, [1], [2]), "kafka-reassign-partitions"
    given = f"--reassignment-json-file {plan(t, topic, [1, 3], [3])}"
    with stopped(t):
        t.run(f"{line} --execute {given}")
        t.do(*reassign({topic: {0: [1, 3], 1: [3]}}))
        until_partitions(t, topic, lambda found: all(3 in p["ReplicaNodes"] for p in found), RUNNING)
        t.run(f"{line} --list")
        t.run(f"{line} --verify {given} --preserve-throttles")
        t.run(f"{line} --execute --additional {given}")
        t.run(f"kafka-topics --describe --topic {topic}")
        t.run(f"{line} --cancel {given} --preserve-throttles")
        t.run(f"{line} --list")
        t.run(f"kafka-topics --describe --topic {topic}")
    t.run(f"{line} --verify {given} --preserve-throttles")


def until_set(t: Terminal, broker: int, value: str) -> None:
    """Wait until a broker has this `message.max.bytes`: Kafka's learns of it after the response."""
    name, version, fields = describe((BROKER, str(broker), ["message.max.bytes"]))
    t.until(
        lambda: t.on(broker).do(name, version, fields)["Results"][0],
        lambda told: [config["Value"] for config in told["Configs"]] == [value],
    )


@cluster_case
def configs_of_three_brokers(t: Terminal) -> None:
    for broker in (1, 2, 3):
        name = f"--entity-type brokers --entity-name {broker}"
        t.run(f"kafka-configs --describe {name}")
        t.run(f"kafka-configs --alter {name} --add-config message.max.bytes={broker}000000")
        until_set(t, broker, f"{broker}000000")
        t.run(f"kafka-configs --describe {name}")
    t.run("kafka-configs --describe --entity-type brokers")
    t.run(
        "kafka-configs --alter --entity-type brokers --entity-default --add-config message.max.bytes=2000000"
    )
    t.run("kafka-configs --describe --entity-type brokers --entity-default")
    for name in ("--entity-default", *(f"--entity-name {broker}" for broker in (1, 2, 3))):
        t.run(f"kafka-configs --alter --entity-type brokers {name} --delete-config message.max.bytes")


@cluster_case
def directories_of_three_brokers(t: Terminal) -> None:
    topic = replicated(t, [1, 2], [3, 1])
    for broker in (1, 2, 3):
        t.run(f"kafka-log-dirs --describe --topic-list {topic} --broker-list {broker}", cut=without_folders)
