"""Produce, Fetch, ListOffsets and other requests to leaders and followers; the third broker stops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.build_admin import delete_records
from tests.conformance.build_data import batch, fetch, fetched, list_offsets, produce, record
from tests.conformance.build_transactions import describe_producers
from tests.conformance.case import Fields, Peer, Talk, case
from tests.conformance.clusters import NODES, RUNNING, each_on, fill, producer_id, replicated, until_readable

EARLIEST, LATEST, WITH_MAX_TIME = -2, -1, -3
UNKNOWN_EPOCH = 7
FIRST_PRODUCE_WITH_IDS = FIRST_FETCH_WITH_IDS = 13
LED_BY_3 = ([3, 1, 2],)


def named(k: Talk, topic: str, version: int) -> str:
    """Return the topic as this version of Produce or Fetch names it."""
    return k.topic_id(topic) if version >= FIRST_PRODUCE_WITH_IDS else topic


# Produce


@case(brokers=3, versions=range(3, 14))
def produce_to_leaders_and_followers(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, *LED_BY_3)
    data = {named(k, topic, version): {0: batch()}}

    def ask(peer: Peer) -> None:
        for acks in (-1, 1):
            peer.ask(*produce(data, acks=acks, version=version))

    each_on(k, ask)
    yield
    each_on(k, ask, RUNNING)
    yield
    each_on(k, ask)


@case(brokers=3)
def produce_without_acks_to_a_follower_closes_the_connection(k: Talk) -> None:
    topic = replicated(k, *LED_BY_3)
    k.send_raw(k.frame(*produce({topic: {0: batch()}}, acks=0)))
    k.closed()
    k.on(3).send_raw(k.on(3).frame(*produce({topic: {0: batch()}}, acks=0)))
    k.on(3).ask(*list_offsets({topic: {0: EARLIEST}}))
    k.until(
        lambda: k.on(3).do(*list_offsets({topic: {0: LATEST}})),
        lambda told: told["Topics"][0]["Partitions"][0]["Offset"] == 1,
    )


@case(brokers=3)
def produce_to_partitions_of_three_leaders(k: Talk) -> Iterator[None]:
    topic = replicated(k)
    data = {topic: {0: batch(), 1: batch(), 2: batch()}}
    each_on(k, lambda peer: peer.ask(*produce(data, version=12)))
    yield
    each_on(k, lambda peer: peer.ask(*produce(data, version=12)), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*produce(data, version=12)))


@case(brokers=3, versions=(3, 9, 11))
def produce_with_too_few_replicas_in_sync(k: Talk, version: int) -> Iterator[None]:
    topics = [replicated(k, [1, 3, 2], min_insync_replicas=least) for least in ("2", "3")]

    def ask() -> None:
        for topic in topics:
            for acks in (-1, 1):
                k.ask(*produce({topic: {0: batch()}}, acks=acks, version=version))

    ask()
    yield
    ask()
    yield
    ask()


@case(brokers=3, versions=(3, 9, 10, 12))
def produce_to_a_partition_without_a_leader(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, [3])
    k.on(3).ask(*produce({topic: {0: batch()}}, version=version))
    yield
    each_on(k, lambda peer: peer.ask(*produce({topic: {0: batch()}}, version=version)), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*produce({topic: {0: batch()}}, version=version)))


@case(brokers=3)
def produce_with_idempotence_across_a_change_of_the_leader(k: Talk) -> Iterator[None]:
    topic = replicated(k, *LED_BY_3)
    producer = producer_id(k)

    def send(node_id: int, sequence: int, epoch: int = 0) -> None:
        data = batch(producer_id=producer, producer_epoch=epoch, base_sequence=sequence)
        k.on(node_id).ask(*produce({topic: {0: data}}, version=11))

    send(3, 0)
    send(3, 1)
    send(3, 1)
    send(3, 4)
    yield
    send(1, 1)
    send(1, 2)
    send(1, 2)
    send(1, 5)
    send(2, 3)
    yield
    send(1, 2)
    send(1, 3)
    send(3, 4)


# Fetch


def records_of(response: Fields) -> Any:
    """keep=: the partitions with decoded records, and the addresses of leaders (KIP-951)."""
    return (
        [*fetched(response), response["NodeEndpoints"]] if "NodeEndpoints" in response else fetched(response)
    )


@case(brokers=3, versions=range(4, 18))
def fetch_from_leaders_and_followers(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, *LED_BY_3)
    name = named(k, topic, version)
    fill(k, topic, 2)
    each_on(k, lambda peer: peer.ask(*fetch({name: {0: 1}}, version=version), keep=records_of))
    yield
    each_on(k, lambda peer: peer.ask(*fetch({name: {0: 1}}, version=version), keep=records_of), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*fetch({name: {0: 1}}, version=version), keep=records_of))


def epochs(name: str, offset: int = 0) -> list[dict[str, dict[int, int | Fields]]]:
    """Return fetches of a partition with several epochs of its leader."""
    return [
        {name: {0: {"FetchOffset": offset, "CurrentLeaderEpoch": epoch}}}
        for epoch in (-1, 0, 1, 2, UNKNOWN_EPOCH)
    ]


@case(brokers=3, versions=(9, 11, 12, 13, 16, 17))
def fetch_with_epochs_of_the_leader(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, *LED_BY_3)
    name = named(k, topic, version)
    fill(k, topic)

    def ask(peer: Peer) -> None:
        for wanted in epochs(name):
            peer.ask(*fetch(wanted, version=version), keep=records_of)

    each_on(k, ask)
    yield
    each_on(k, ask, RUNNING)
    yield
    each_on(k, ask)


@case(brokers=3, versions=(12, 16))
def fetch_with_the_epoch_of_the_last_record(k: Talk, version: int) -> Iterator[None]:
    """A consumer whose log diverged is told where (KIP-595)."""
    topic = replicated(k, *LED_BY_3)
    name = named(k, topic, version)
    fill(k, topic, 2)

    def ask(peer: Peer) -> None:
        for offset, epoch in ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (4, 1), (0, 5)):
            wanted = {"FetchOffset": offset, "LastFetchedEpoch": epoch}
            peer.ask(*fetch({name: {0: wanted}}, version=version), keep=records_of)

    k.on(3).ask(
        *fetch({name: {0: {"FetchOffset": 2, "LastFetchedEpoch": 0}}}, version=version), keep=records_of
    )
    yield
    fill(k, topic, 2)
    each_on(k, ask, RUNNING)


@case(brokers=3, versions=(4, 10, 12, 16))
def fetch_from_a_partition_without_a_leader(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, [3])
    fill(k, topic)
    wanted = fetch({named(k, topic, version): {0: 0}}, version=version)
    each_on(k, lambda peer: peer.ask(*wanted, keep=records_of))
    yield
    each_on(k, lambda peer: peer.ask(*wanted, keep=records_of), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*wanted, keep=records_of))


@case(brokers=3)
def fetch_out_of_range_from_a_follower(k: Talk) -> None:
    topic = replicated(k, [1, 2, 3])
    fill(k, topic)
    for offset in (0, 1, 2, 9):
        each_on(
            k, lambda peer, offset=offset: peer.ask(*fetch({topic: {0: offset}}, version=12), keep=records_of)
        )


# ListOffsets, OffsetForLeaderEpoch


@case(brokers=3, versions=range(1, 11))
def list_offsets_of_leaders_and_followers(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, *LED_BY_3)
    fill(k, topic, 2)
    times = (
        [EARLIEST, LATEST, 0]
        + [WITH_MAX_TIME] * (version >= 7)
        + [-4] * (version >= 8)
        + [-5] * (version >= 9)
    )

    def ask(peer: Peer) -> None:
        for time in times:
            peer.ask(*list_offsets({topic: {0: time}}, version=version))

    each_on(k, ask)
    yield
    each_on(k, ask, RUNNING)
    yield
    each_on(k, ask)


@case(brokers=3, versions=(4, 7))
def list_offsets_with_epochs_of_the_leader(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, *LED_BY_3)
    fill(k, topic)

    def ask(peer: Peer) -> None:
        for epoch in (-1, 0, 1, UNKNOWN_EPOCH):
            wanted = {"Timestamp": LATEST, "CurrentLeaderEpoch": epoch}
            peer.ask(*list_offsets({topic: {0: wanted}}, version=version))

    each_on(k, ask)
    yield
    fill(k, topic)
    each_on(k, ask, RUNNING)


@case(brokers=3)
def list_offsets_of_a_partition_without_a_leader(k: Talk) -> Iterator[None]:
    topic = replicated(k, [3])
    yield
    each_on(k, lambda peer: peer.ask(*list_offsets({topic: {0: LATEST, 1: LATEST}})), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*list_offsets({topic: {0: LATEST}})))


def ends_of_epochs(topic: str, current: int, *wanted: int, version: int) -> tuple[str, int, Fields]:
    partitions = [{"Partition": 0, "CurrentLeaderEpoch": current, "LeaderEpoch": epoch} for epoch in wanted]
    fields: Fields = {"Topics": [{"Topic": topic, "Partitions": partitions}]}
    if version >= 3:
        fields["ReplicaId"] = -1
    return "OffsetForLeaderEpoch", version, fields


@case(brokers=3, versions=range(2, 5))
def ends_of_epochs_across_an_election(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, *LED_BY_3)
    fill(k, topic, 2)

    def ask(peer: Peer) -> None:
        for current in (-1, 0, 1, UNKNOWN_EPOCH):
            for epoch in (0, 1, 2, -1):
                peer.ask(*ends_of_epochs(topic, current, epoch, version=version))

    each_on(k, ask)
    yield
    each_on(k, ask, RUNNING)
    fill(k, topic, 3)
    k.on(1).ask(*ends_of_epochs(topic, -1, 0, version=version))
    k.on(1).ask(*ends_of_epochs(topic, -1, 1, version=version))
    yield
    each_on(k, ask)


# DeleteRecords, DescribeProducers


@case(brokers=3, versions=range(3))
def delete_records_at_leaders_and_followers(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, *LED_BY_3)
    fill(k, topic, 4)

    def ask(peer: Peer, offset: int) -> None:
        peer.ask(*delete_records({topic: {0: offset}}, version=version))

    each_on(k, lambda peer: ask(peer, 1))
    yield
    each_on(k, lambda peer: ask(peer, 2), RUNNING)
    yield
    each_on(k, lambda peer: ask(peer, 3))


@case(brokers=3)
def producers_of_a_partition_at_leaders_and_followers(k: Talk) -> Iterator[None]:
    topic = replicated(k, *LED_BY_3)
    producer = producer_id(k)
    data = batch(
        record(timestamp=k.broker.wall_ms()), producer_id=producer, producer_epoch=0, base_sequence=0
    )
    k.on(3).do(*produce({topic: {0: data}}))
    until_readable(k, topic)
    each_on(k, lambda peer: peer.ask(*describe_producers({topic: [0, 1]})))
    yield
    each_on(k, lambda peer: peer.ask(*describe_producers({topic: [0]})), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*describe_producers({topic: [0]})), NODES)
