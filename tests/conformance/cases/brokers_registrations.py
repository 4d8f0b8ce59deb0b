"""UnregisterBroker of a broker that is stopped."""

from __future__ import annotations

from collections.abc import Iterator

from tests.conformance.case import Talk, case
from tests.conformance.cases.brokers_metadata import by_id, metadata
from tests.conformance.clusters import RUNNING, STOPPED, each_on, replicated

OF_ITS_OWN = {"num.partitions": "2"}  # no other case shares this cluster
FENCED = {"IncludeFencedBrokers": True}


@case(brokers=3, settings=OF_ITS_OWN)
def unregistration_of_a_stopped_broker(k: Talk) -> Iterator[None]:
    topic = replicated(k, [3, 1], [1, 2])
    yield
    k.on(2).ask("UnregisterBroker", 0, {"BrokerId": STOPPED})
    for node_id in RUNNING:
        k.until(
            lambda node_id=node_id: k.on(node_id).do("DescribeCluster", 2, FENCED)["Brokers"],
            lambda brokers: STOPPED not in [each["BrokerId"] for each in brokers],
        )
    each_on(k, lambda peer: peer.ask("DescribeCluster", 2, FENCED, keep=by_id), RUNNING)
    each_on(k, lambda peer: peer.ask(*metadata(topic), keep=by_id), RUNNING)
    k.ask("UnregisterBroker", 0, {"BrokerId": STOPPED})
    yield
    each_on(k, lambda peer: peer.ask("DescribeCluster", 2, FENCED, keep=by_id))
