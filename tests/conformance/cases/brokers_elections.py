"""ElectLeaders on three brokers, before and after the third one stops."""

from __future__ import annotations

from collections.abc import Iterator

from tests.conformance.build_data import batch, fetch, list_offsets, produce
from tests.conformance.case import Fields, Peer, Talk, case
from tests.conformance.cases.brokers_data import LATEST, records_of
from tests.conformance.cases.brokers_metadata import by_id, metadata, topic_partitions
from tests.conformance.cases.elections import PREFERRED, UNCLEAN, by_name, elect
from tests.conformance.clusters import (
    NODES,
    RUNNING,
    each_on,
    fill,
    replicated,
    until_led,
    until_partitions,
    until_readable,
)


def elected(k: Talk, topic: str, kind: int, *indexes: int, version: int = 2) -> None:
    k.ask(*elect({topic: indexes}, kind, version=version), keep=by_name)


@case(brokers=3, versions=range(3))
def preferred_leaders_before_and_after_a_stop(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k)
    elected(k, topic, PREFERRED, 0, 1, 2, version=version)
    yield
    elected(k, topic, PREFERRED, 0, 1, 2, version=version)
    yield
    elected(k, topic, PREFERRED, 0, 1, version=version)
    elected(k, topic, PREFERRED, 0, 1, 2, version=version)
    until_led(k, topic, 1, 2, 3)
    elected(k, topic, PREFERRED, 2, version=version)
    each_on(k, lambda peer: peer.ask(*metadata(topic), keep=by_id))


@case(brokers=3, versions=(1, 2))
def unclean_leaders_before_and_after_a_stop(k: Talk, version: int) -> Iterator[None]:
    """A replica that is not in the ISR cannot exist here: the last one in the ISR stops."""
    topics = replicated(k), replicated(k, [3], [1])
    for topic in topics:
        elected(k, topic, UNCLEAN, 0, 1, version=version)
    yield
    for topic in topics:
        elected(k, topic, UNCLEAN, 0, 1, version=version)
    yield
    for topic in topics:
        elected(k, topic, UNCLEAN, 0, 1, version=version)


@case(brokers=3)
def leaders_of_partitions_that_do_not_exist_on_three_brokers(k: Talk) -> None:
    topic, unknown = replicated(k), k.name("unknown")
    for kind in (PREFERRED, UNCLEAN, 2):
        k.ask(*elect({topic: [0, 7, -1], unknown: [0]}, kind), keep=by_name)


@case(brokers=3)
def leaders_elected_at_each_broker(k: Talk) -> Iterator[None]:
    topic = replicated(k, [3, 1], [3, 2], [3, 1])
    each_on(k, lambda peer: peer.ask(*elect({topic: [0]}), keep=by_name))
    yield
    each_on(k, lambda peer: peer.ask(*elect({topic: [0]}), keep=by_name), RUNNING)
    yield
    for node_id, index in zip(NODES, range(3), strict=True):
        k.on(node_id).ask(*elect({topic: [index]}), keep=by_name)


def ends(k: Talk, topic: str, epoch: int) -> tuple[str, int, Fields]:
    partitions = [{"Partition": 0, "CurrentLeaderEpoch": -1, "LeaderEpoch": epoch}]
    return (
        "OffsetForLeaderEpoch",
        4,
        {"ReplicaId": -1, "Topics": [{"Topic": topic, "Partitions": partitions}]},
    )


@case(brokers=3)
def records_across_two_elections(k: Talk) -> Iterator[None]:
    """Produce, Fetch and ListOffsets know the epoch of each record."""
    topic = replicated(k, [3, 1, 2])
    fill(k, topic)

    def ask(peer: Peer) -> None:
        for epoch in range(-1, 4):
            wanted = {"FetchOffset": 0, "CurrentLeaderEpoch": epoch}
            peer.ask(*fetch({topic: {0: wanted}}, version=12), keep=records_of)
            peer.ask(*list_offsets({topic: {0: {"Timestamp": LATEST, "CurrentLeaderEpoch": epoch}}}))
            peer.ask(*ends(k, topic, epoch))

    each_on(k, ask)
    yield
    fill(k, topic, 2)
    each_on(k, ask, RUNNING)
    yield
    elected(k, topic, PREFERRED, 0)
    until_led(k, topic, 3)
    fill(k, topic, 3)
    each_on(k, ask)


@case(brokers=3)
def produce_at_an_earlier_leader(k: Talk) -> Iterator[None]:
    topic = replicated(k, [3, 2, 1])
    k.on(3).ask(*produce({topic: {0: batch()}}, version=11))
    yield
    each_on(k, lambda peer: peer.ask(*produce({topic: {0: batch()}}, version=11)), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask(*produce({topic: {0: batch()}}, version=11)))
    elected(k, topic, PREFERRED, 0)
    until_led(k, topic, 3)
    until_readable(k, topic)
    each_on(k, lambda peer: peer.ask(*produce({topic: {0: batch()}}, version=11)))
    k.on(2).ask(*topic_partitions(topic))


@case(brokers=3, kills=True)
def leaders_after_a_broker_is_killed(k: Talk) -> Iterator[None]:
    topics = replicated(k), replicated(k, [3], [3])
    yield
    for topic in topics:
        elected(k, topic, PREFERRED, 0, 1, 2)
        elected(k, topic, UNCLEAN, 0, 1, 2)
    yield
    until_partitions(k, topics[1], lambda found: all(p["LeaderId"] == 3 for p in found))
    for topic in topics:
        elected(k, topic, PREFERRED, 0, 1, 2)
