"""Three brokers in racks: consumers read from the nearest replica (KIP-392)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.conformance.build_data import fetch
from tests.conformance.case import Peer, Talk, case
from tests.conformance.cases.brokers_data import named, records_of
from tests.conformance.cases.brokers_metadata import by_id, metadata
from tests.conformance.clusters import RUNNING, each_on, fill, replicated, until_readable

RACKS: Final = {
    "tidemark.racks": "a,b,c",
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
}


@case(brokers=3, settings=RACKS, versions=(0, 1, 9, 12))
def metadata_of_racks(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k)
    each_on(k, lambda peer: peer.ask(*metadata(topic, version=version), keep=by_id))
    yield
    each_on(k, lambda peer: peer.ask(*metadata(topic, version=version), keep=by_id), RUNNING)


@case(brokers=3, settings=RACKS, versions=range(3))
def describe_cluster_of_racks(k: Talk, version: int) -> Iterator[None]:
    each_on(k, lambda peer: peer.ask("DescribeCluster", version, {}, keep=by_id))
    yield
    wanted = {"IncludeFencedBrokers": True} if version > 1 else {}
    each_on(k, lambda peer: peer.ask("DescribeCluster", version, wanted, keep=by_id), RUNNING)


@case(brokers=3, settings=RACKS, versions=(10, 11, 12, 13, 15, 17))
def fetch_from_the_nearest_replica(k: Talk, version: int) -> Iterator[None]:
    topic = replicated(k, [1, 2, 3])
    name = named(k, topic, version)
    fill(k, topic, 2)

    def ask(peer: Peer) -> None:
        for rack in ("a", "b", "c", "d", "") if version >= 11 else ("",):
            for offset in (0, 2):
                given = fetch(
                    {name: {0: offset}}, version=version, **({"RackId": rack} if version >= 11 else {})
                )
                peer.ask(*given, keep=records_of)

    each_on(k, ask)
    yield
    each_on(k, ask, RUNNING)
    yield
    until_readable(k, topic)
    each_on(k, ask)


@case(brokers=3, settings=RACKS)
def fetch_from_a_rack_without_a_replica(k: Talk) -> None:
    topic = replicated(k, [1, 2])
    fill(k, topic)
    for rack in ("a", "b", "c"):
        for node_id in (1, 2, 3):
            k.on(node_id).ask(*fetch({topic: {0: 0}}, version=12, RackId=rack), keep=records_of)
