"""Transactional ids at their coordinator and at other brokers; the third broker stops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.build_data import batch, fetch, fetched, produce
from tests.conformance.build_transactions import (
    add,
    add_all,
    add_offsets,
    commit_offsets,
    describe_producers,
    describe_transactions,
    end,
    init,
    list_transactions,
    transaction,
)
from tests.conformance.case import Fields, Talk, case
from tests.conformance.clusters import NODES, RUNNING, coordinated, each_on, group_of, replicated
from tidemark_protocol.batch import TRANSACTIONAL

OTHERS = (1, 2)  # not the coordinator
READ_COMMITTED = 1


def at_other_brokers(k: Talk, *requests: tuple[str, int, Fields]) -> Iterator[None]:
    """Send requests for an id that broker 3 coordinates to the others, and later to the second broker."""
    for given in requests:
        each_on(k, lambda peer, given=given: peer.ask(*given), OTHERS)
    yield
    for given in requests:
        k.on(2).ask(*given)
    yield
    for given in requests:
        each_on(k, lambda peer, given=given: peer.ask(*given), (2, 3))


@case(brokers=3)
def producers_initialized_at_other_brokers(k: Talk) -> Iterator[None]:
    name = coordinated(k, 3, "id")
    yield from at_other_brokers(k, *(init(name, version=version) for version in range(6)))


@case(brokers=3)
def partitions_added_at_other_brokers(k: Talk) -> Iterator[None]:
    topic, name = replicated(k), coordinated(k, 3, "id")
    yield from at_other_brokers(k, *(add(name, 1, 0, {topic: [0]}, version=version) for version in range(4)))


@case(brokers=3)
def partitions_verified_at_other_brokers(k: Talk) -> Iterator[None]:
    topic, names = replicated(k), [coordinated(k, node_id, "id") for node_id in NODES]
    many = [transaction(each, 1, 0, {topic: [0]}, verify=True) for each in names]
    yield from at_other_brokers(k, add_all(*many, version=4), add_all(*many, version=5))


@case(brokers=3)
def offsets_added_at_other_brokers(k: Talk) -> Iterator[None]:
    name, group = coordinated(k, 3, "id"), coordinated(k, 1)
    yield from at_other_brokers(k, *(add_offsets(name, 1, 0, group, version=version) for version in range(5)))


@case(brokers=3)
def transactions_ended_at_other_brokers(k: Talk) -> Iterator[None]:
    name = coordinated(k, 3, "id")
    yield from at_other_brokers(k, *(end(name, 1, 0, commit=True, version=version) for version in range(6)))


@case(brokers=3)
def transactional_commits_at_other_brokers(k: Talk) -> Iterator[None]:
    topic, group = replicated(k), group_of(k, 3)
    requests = (commit_offsets("id", group, 1, 0, {topic: {0: 5}}, version=version) for version in range(6))
    yield from at_other_brokers(k, *requests)


@case(brokers=3)
def transactions_described_at_other_brokers(k: Talk) -> Iterator[None]:
    names = [coordinated(k, node_id, "id") for node_id in NODES]
    yield from at_other_brokers(k, describe_transactions(*names))


def ready(k: Talk, name: str, node_id: int) -> tuple[int, int]:
    """Return the producer id and epoch of a transactional id, which a broker coordinates."""
    made = k.until(lambda: k.on(node_id).do(*init(name)), lambda told: told["ErrorCode"] == 0)
    return made["ProducerId"], made["ProducerEpoch"]


def until_loaded(k: Talk, name: str, node_id: int) -> None:
    """Wait until a broker coordinates a transactional id."""
    k.until(
        lambda: k.on(node_id).do(*describe_transactions(name))["TransactionStates"][0],
        lambda told: told["ErrorCode"] == 0,
    )


@case(brokers=3, versions=range(3))
def transactions_listed_by_each_broker(k: Talk, version: int) -> Iterator[None]:
    names = [coordinated(k, node_id, "id") for node_id in NODES]
    for node_id, name in zip(NODES, names, strict=True):
        ready(k, name, node_id)

    def of_the_case(response: Fields) -> Any:
        found = [each for each in response["TransactionStates"] if each["TransactionalId"] in names]
        found.sort(key=lambda each: each["TransactionalId"])
        return {**response, "TransactionStates": found}

    each_on(k, lambda peer: peer.ask(*list_transactions(version=version), keep=of_the_case))
    yield
    until_loaded(k, names[2], 1)
    each_on(k, lambda peer: peer.ask(*list_transactions(version=version), keep=of_the_case), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*list_transactions(version=version), keep=of_the_case))


def begun(k: Talk, topic: str, name: str, node_id: int) -> tuple[int, int]:
    """Begin a transaction with a record in partition 0, whose leader and coordinator is this broker."""
    producer, epoch = ready(k, name, node_id)
    peer = k.on(node_id)
    k.until(
        lambda: peer.do(*add(name, producer, epoch, {topic: [0]})),
        lambda told: told["ResultsByTopicV3AndBelow"][0]["ResultsByPartition"][0]["PartitionErrorCode"] == 0,
    )
    data = batch(producer_id=producer, producer_epoch=epoch, base_sequence=0, attributes=TRANSACTIONAL)
    peer.ask(*produce({topic: {0: data}}, transactional_id=name, version=11))
    return producer, epoch


def committed_records(k: Talk, topic: str, node_id: int) -> None:
    """Keep what a consumer with read_committed reads, once the marker is there."""
    wanted = fetch({topic: {0: 0}}, isolation=READ_COMMITTED, version=12)
    k.until(
        lambda: k.on(node_id).do(*wanted)["Responses"][0]["Partitions"][0],
        lambda told: told["LastStableOffset"] == told["HighWatermark"] > 1,
    )
    k.on(node_id).ask(*wanted, keep=without_producers)


def without_producers(response: Fields) -> Any:
    """keep=: the partitions with decoded records, without the producer id that was drawn."""
    partitions = fetched(response)
    for partition in partitions:
        for found in partition["Records"]:
            found["producer"][0] = "<producer>"
    return partitions


@case(brokers=3, versions=(4, 5))
def transaction_whose_coordinator_stops(k: Talk, version: int) -> Iterator[None]:
    topic, name = replicated(k, [3, 1, 2]), coordinated(k, 3, "id")
    producer, epoch = begun(k, topic, name, 3)
    k.on(3).ask(*describe_transactions(name))
    yield
    until_loaded(k, name, 1)
    each_on(k, lambda peer: peer.ask(*describe_transactions(name)), RUNNING)
    k.on(2).ask(*end(name, producer, epoch, commit=True, version=version))
    k.ask(*end(name, producer, epoch, commit=True, version=version))
    committed_records(k, topic, 1)
    yield
    each_on(k, lambda peer: peer.ask(*describe_transactions(name)))
    each_on(k, lambda peer: peer.ask(*describe_producers({topic: [0]})))


@case(brokers=3)
def transaction_that_begins_again_at_the_next_coordinator(k: Talk) -> Iterator[None]:
    topic, name = replicated(k, [3, 1, 2]), coordinated(k, 3, "id")
    producer, epoch = begun(k, topic, name, 3)
    yield
    until_loaded(k, name, 1)
    k.until(lambda: k.do(*init(name)), lambda told: told["ErrorCode"] == 0)
    k.ask(*describe_transactions(name))
    k.ask(*end(name, producer, epoch, commit=True))
    committed_records(k, topic, 1)
