"""Read and write the recorded output of Kafka's tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from tests.broker_process import BrokerProcess, two_free_ports
from tests.conformance import case as cases
from tests.conformance.build_acls import STANDARD_AUTHORIZER
from tests.conformance.clusters import Cluster, OurCluster, make_internal_topics
from tests.conformance.tools.terminal import Printed, ToolCase
from tests.kafka_oracle import KafkaCluster, KafkaNode

FILE: Final = Path(__file__).with_name("recorded.json")

# Settings of all brokers. kafka_oracle.NODE_SETTINGS contains some of them already.
SETTINGS: Final = {
    "node.id": "1",
    "offsets.topic.num.partitions": "4",
    "offsets.topic.replication.factor": "1",
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
}
CLUSTER_SETTINGS: Final = {"offsets.topic.num.partitions": "6", "group.initial.rebalance.delay.ms": "0"}
AUTHORIZED: Final = {"authorizer.class.name": STANDARD_AUTHORIZER, "super.users": "User:ANONYMOUS"}
OURS: Final = {"tidemark.as": "4.3"}


def settings_of(*, authorized: bool) -> dict[str, str]:
    """Return the settings of both brokers for cases with and without an authorizer."""
    return {**SETTINGS, **AUTHORIZED} if authorized else SETTINGS


class Broker(Protocol):
    """A broker, ours or Kafka."""

    @property
    def bootstrap(self) -> str: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...


class Brokers:
    """The brokers of the cases: one without an authorizer, one with it, and a cluster.

    Each starts when a case needs it. make(settings) returns a broker that is not started yet, and
    make_cluster(settings) returns a cluster.
    """

    def __init__(
        self, make: Callable[[dict[str, str]], Broker], make_cluster: Callable[[dict[str, str]], Cluster]
    ) -> None:
        self._make = make
        self._make_cluster = make_cluster
        self._running: dict[tuple[int, bool], Broker] = {}

    def of(self, case: ToolCase) -> Broker:
        """Return the broker, or the cluster, of a case."""
        key = case.brokers, case.authorized
        if key not in self._running:
            if case.brokers > 1:
                broker: Broker = self._make_cluster(CLUSTER_SETTINGS)
            else:
                broker = self._make(settings_of(authorized=case.authorized))
            self._running[key] = broker
            broker.start()
            if case.brokers > 1:
                make_internal_topics(cases.Broker(broker.bootstrap))
        return self._running[key]

    def __enter__(self) -> Brokers:
        return self

    def __exit__(self, *_: object) -> None:
        for broker in self._running.values():
            broker.stop()


def our_brokers(folder: Path) -> Brokers:
    return Brokers(
        lambda settings: BrokerProcess(folder / str(len(settings)), {**settings, **OURS}),
        lambda settings: OurCluster(folder / "cluster", {**settings, **OURS}),
    )


def kafka_brokers(folder: Path, port: int | None = None) -> Brokers:
    return Brokers(
        lambda settings: KafkaNode(folder / str(len(settings)), port or two_free_ports(), settings),
        lambda settings: KafkaCluster(folder / "cluster", settings),
    )


def read() -> dict[str, list[Printed]]:
    """Return every recorded case."""
    found: dict[str, list[Printed]] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found


def write(cases: dict[str, list[Printed]]) -> None:
    """Write a line for each printed line, so that diffs are readable."""
    FILE.write_text(json.dumps(dict(sorted(cases.items())), indent=1, ensure_ascii=False) + "\n")
