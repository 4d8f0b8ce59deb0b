"""DescribeLogDirs, DescribeConfigs and IncrementalAlterConfigs at each of three brokers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.build_admin import BROKER, DELETE, SET, change, describe
from tests.conformance.case import Fields, Peer, Talk, case
from tests.conformance.clusters import NODES, RUNNING, each_on, fill, replicated

UNKNOWN_BROKER = 9


@case(brokers=3, versions=range(1, 5))
def directories_of_each_broker(k: Talk, version: int) -> Iterator[None]:
    """A broker lists the replicas that it has."""
    topics = replicated(k, [1, 2], [3, 1]), replicated(k, [3])
    for topic in topics:
        fill(k, topic)
    wanted = {"Topics": [{"Topic": each, "Partitions": [0, 1, 7]} for each in topics]}

    def replicas(response: Fields) -> Any:
        (found,) = response["Results"]
        names = ("PartitionIndex", "PartitionSize", "OffsetLag", "IsFutureKey")
        rows = [
            (topic["Name"], *(each[name] for name in names))
            for topic in found["Topics"]
            for each in topic["Partitions"]
        ]
        return [response.get("ErrorCode"), found["ErrorCode"], sorted(rows)]

    each_on(k, lambda peer: peer.ask("DescribeLogDirs", version, wanted, keep=replicas))
    yield
    each_on(k, lambda peer: peer.ask("DescribeLogDirs", version, wanted, keep=replicas), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask("DescribeLogDirs", version, wanted, keep=replicas))


@case(brokers=3, versions=(1, 4))
def configs_of_brokers_at_each_broker(k: Talk, version: int) -> None:
    """A broker describes its own settings only."""
    for key in ("node.id", "message.max.bytes"):
        for name in ("1", "2", "3", "", str(UNKNOWN_BROKER), "x"):
            given = describe((BROKER, name, [key]), version=version)
            each_on(k, lambda peer, given=given: peer.ask(*given))


@case(brokers=3)
def configs_of_brokers_that_change(k: Talk) -> Iterator[None]:
    key = "message.max.bytes"

    def ask(peer: Peer, name: str) -> None:
        peer.ask(*describe((BROKER, name, [key]), synonyms=True))

    def until(node_id: int, value: str) -> None:
        wanted = {"ResourceType": BROKER, "ResourceName": str(node_id), "ConfigurationKeys": [key]}
        k.until(
            lambda: k.on(node_id).do("DescribeConfigs", 4, {"Resources": [wanted]})["Results"][0],
            lambda told: [config["Value"] for config in told["Configs"]] == [value],
        )

    for at, name in ((1, "2"), (2, "3"), (3, "1"), (1, "1"), (2, "2"), (3, "3")):
        k.on(at).ask(*change((BROKER, name, [(key, SET, f"{2_000_000 + int(name)}")])))
    for node_id in NODES:
        until(node_id, f"{2_000_000 + node_id}")
        ask(k.on(node_id), str(node_id))
    yield
    k.ask(*change((BROKER, "3", [(key, SET, "3000000")])))
    k.ask(*change((BROKER, str(UNKNOWN_BROKER), [(key, SET, "3000000")])))
    yield
    until(3, "2000003")
    ask(k.on(3), "3")
    for node_id in NODES:
        k.on(node_id).ask(*change((BROKER, str(node_id), [(key, DELETE, None)])))
