"""AlterPartitionReassignments and ListPartitionReassignments on three brokers.

A reassignment to a broker that is stopped is in progress until the broker starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.conformance.build_data import batch, fetch, produce
from tests.conformance.case import Fields, Talk, case, in_order
from tests.conformance.cases.brokers_data import records_of
from tests.conformance.cases.brokers_metadata import by_id, metadata, topic_partitions
from tests.conformance.cases.elections import (
    CANCEL,
    elect,
    list_reassignments,
    log_directory,
    move,
    reassign,
    results_by_name,
)
from tests.conformance.clusters import (
    NODES,
    RUNNING,
    each_on,
    fill,
    move_leader,
    replicated,
    until_led,
    until_partitions,
)

UNKNOWN_BROKER = 9


def until_replicas(k: Talk, topic: str, *replicas: Sequence[int], among: Sequence[int] = NODES) -> None:
    """Wait until the topic has exactly these replicas, and all of them are in sync."""
    wanted = [list(each) for each in replicas]
    until_partitions(
        k,
        topic,
        lambda found: (
            [p["ReplicaNodes"] for p in found] == wanted
            and all(set(p["IsrNodes"]) == set(p["ReplicaNodes"]) & set(among) for p in found)
        ),
        among,
    )


def described(k: Talk, topic: str, node_id: int = 2) -> None:
    k.on(node_id).ask(*topic_partitions(topic))


def moved(k: Talk, topic: str, index: int, replicas: list[int] | None, **how: Any) -> Fields:
    return k.ask(*reassign({topic: {index: replicas}}, **how))


@case(brokers=3, versions=range(2))
def replicas_that_move(k: Talk, version: int) -> None:
    topic = replicated(k, [1], [2])
    fill(k, topic)
    k.ask(*reassign({topic: {0: [2], 1: [3]}}, version=version))
    until_replicas(k, topic, [2], [3])
    described(k, topic)
    k.ask(*list_reassignments({topic: [0, 1]}))
    each_on(k, lambda peer: peer.ask(*fetch({topic: {0: 0}}, version=12), keep=records_of))
    each_on(k, lambda peer: peer.ask(*produce({topic: {1: batch()}}, version=11)))


@case(brokers=3)
def replicas_in_another_order(k: Talk) -> None:
    topic = replicated(k, [1, 2, 3])
    moved(k, topic, 0, [3, 1, 2])
    until_replicas(k, topic, [3, 1, 2])
    described(k, topic)
    k.ask(*elect({topic: [0]}))
    until_led(k, topic, 3)
    described(k, topic)


@case(brokers=3)
def replicas_that_are_added_and_removed(k: Talk) -> None:
    topic = replicated(k, [1])
    for replicas in ([1, 2], [2, 1, 3], [3, 2], [2], [2, 3, 1]):
        moved(k, topic, 0, replicas)
        until_replicas(k, topic, replicas)
        described(k, topic)
        k.ask(*list_reassignments({topic: [0]}))


@case(brokers=3)
def replicas_that_stay(k: Talk) -> None:
    topic = replicated(k, [1, 2, 3])
    moved(k, topic, 0, [1, 2, 3])
    k.ask(*list_reassignments({topic: [0]}))
    described(k, topic)


@case(brokers=3)
def replicas_that_move_at_another_broker(k: Talk) -> None:
    topic = replicated(k, [1])
    k.on(3).ask(*reassign({topic: {0: [3]}}))
    until_replicas(k, topic, [3])
    each_on(k, lambda peer: peer.ask(*metadata(topic), keep=by_id))


@case(brokers=3, versions=range(2))
def replicas_that_cannot_be(k: Talk, version: int) -> None:
    topic = replicated(k, [1, 2])
    for replicas in (
        [],
        [1, 1],
        [UNKNOWN_BROKER],
        [1, UNKNOWN_BROKER],
        [-1],
        [3, -1],
        [2, 1, 2],
        [1, 2, 3, 4],
        CANCEL,
    ):
        k.ask(*reassign({topic: {0: replicas}}, version=version))
    k.ask(*reassign({topic: {5: [1], -1: [2]}, k.name("unknown"): {0: [1], 1: CANCEL}}, version=version))
    described(k, topic)


@case(brokers=3)
def replicas_whose_number_may_not_change(k: Talk) -> None:
    topic = replicated(k, [1, 2])
    for replicas in ([1], [3], [1, 2, 3], [3, 1], [], CANCEL, [1, UNKNOWN_BROKER], [1, 2, UNKNOWN_BROKER]):
        moved(k, topic, 0, replicas, factor_may_change=False)
        if replicas == [3, 1]:
            until_replicas(k, topic, [3, 1])
    described(k, topic)


@case(brokers=3)
def replicas_of_one_partition_named_twice(k: Talk) -> None:
    topic = replicated(k, [1])
    name, version, fields = reassign({topic: {0: [1]}})
    fields["Topics"][0]["Partitions"] *= 2
    k.ask(name, version, fields)
    fields["Topics"] *= 2
    k.ask(name, version, fields)


@case(brokers=3)
def reassignment_to_a_stopped_broker(k: Talk) -> Iterator[None]:
    topic = replicated(k, [1, 2], [2, 1])
    fill(k, topic)
    yield
    moved(k, topic, 0, [3, 1])
    moved(k, topic, 1, [2, 1, 3])
    until_partitions(k, topic, lambda found: all(3 in p["ReplicaNodes"] for p in found), RUNNING)
    each_on(k, lambda peer: peer.ask(*list_reassignments({topic: [0, 1]})), RUNNING)
    each_on(k, lambda peer: peer.ask(*metadata(topic), keep=by_id), RUNNING)
    described(k, topic)
    k.ask(*produce({topic: {0: batch()}}, version=11))
    yield
    until_replicas(k, topic, [3, 1], [2, 1, 3])
    described(k, topic)
    k.ask(*list_reassignments({topic: [0, 1]}))
    each_on(k, lambda peer: peer.ask(*fetch({topic: {0: 0}}, version=12), keep=records_of))


@case(brokers=3)
def reassignment_that_is_cancelled(k: Talk) -> Iterator[None]:
    topic = replicated(k, [1, 2], [2, 1], [1, 2])
    yield
    k.ask(*reassign({topic: {0: [3, 1], 1: [3], 2: [2, 1]}}))
    until_partitions(k, topic, lambda found: 3 in found[1]["ReplicaNodes"], RUNNING)
    k.ask(*list_reassignments({topic: [0, 1, 2]}))
    k.ask(*reassign({topic: {0: CANCEL, 1: CANCEL, 2: CANCEL}}))
    until_partitions(k, topic, lambda found: 3 not in found[1]["ReplicaNodes"], RUNNING)
    k.ask(*list_reassignments({topic: [0, 1, 2]}))
    described(k, topic)
    k.ask(*reassign({topic: {0: CANCEL}}))


@case(brokers=3)
def reassignment_that_is_replaced(k: Talk) -> Iterator[None]:
    """The last replica is in sync then, and the others stay."""
    topic = replicated(k, [1], [1])
    yield
    k.ask(*reassign({topic: {0: [3], 1: [3, 2]}}))
    k.ask(*list_reassignments({topic: [0, 1]}))
    k.ask(*reassign({topic: {0: [2], 1: [3]}}))
    until_partitions(k, topic, lambda found: found[0]["ReplicaNodes"] == [2], RUNNING)
    k.ask(*list_reassignments({topic: [0, 1]}))
    described(k, topic)
    yield
    until_partitions(k, topic, lambda found: 3 in found[1]["IsrNodes"])
    described(k, topic)
    k.ask(*list_reassignments({topic: [0, 1]}))
    k.ask(*reassign({topic: {1: [3]}}))
    until_partitions(k, topic, lambda found: found[1]["ReplicaNodes"][0] == 3)
    described(k, topic)


@case(brokers=3)
def reassignment_away_from_a_stopped_broker(k: Talk) -> Iterator[None]:
    topic, alone = replicated(k, [3, 1], [1, 3]), replicated(k, [3])
    yield
    k.ask(*reassign({topic: {0: [1, 2], 1: [2]}}))
    until_replicas(k, topic, [1, 2], [2], among=RUNNING)
    described(k, topic)
    k.ask(*reassign({alone: {0: [1]}}))
    k.ask(*list_reassignments({alone: [0]}))
    described(k, alone)
    yield
    until_replicas(k, alone, [1])
    described(k, alone)
    described(k, topic)


@case(brokers=3)
def reassignment_of_all_partitions_is_listed(k: Talk) -> Iterator[None]:
    topics = replicated(k, [1], [2]), replicated(k, [2])

    def of_the_case(response: Fields) -> Any:
        found = [each for each in response["Topics"] if each["Name"] in topics]
        return in_order({**response, "Topics": found})

    k.ask(*list_reassignments(None), keep=of_the_case)
    yield
    k.ask(*reassign({topics[0]: {0: [1, 3], 1: [3]}, topics[1]: {0: [3, 2]}}))
    each_on(k, lambda peer: peer.ask(*list_reassignments(None), keep=of_the_case), RUNNING)
    k.ask(*list_reassignments({topics[0]: [0, 5], k.name("unknown"): [0]}))
    yield
    until_replicas(k, topics[0], [1, 3], [3])
    until_replicas(k, topics[1], [3, 2])
    each_on(k, lambda peer: peer.ask(*list_reassignments(None), keep=of_the_case))


@case(brokers=3)
def partitions_added_during_a_reassignment(k: Talk) -> Iterator[None]:
    topic = replicated(k, [1, 2])
    yield
    moved(k, topic, 0, [3, 1])
    grown = {
        "Topics": [{"Name": topic, "Count": 2, "Assignments": [{"BrokerIds": [1, 2]}]}],
        "TimeoutMs": 30000,
    }
    k.ask("CreatePartitions", 3, grown)
    grown["Topics"][0]["Assignments"] = [{"BrokerIds": [1, 2, 3]}]
    k.ask("CreatePartitions", 3, grown)


# Leaders that move


@case(brokers=3, versions=(3, 9, 10, 11, 12))
def produce_before_and_after_a_leader_moves(k: Talk, version: int) -> None:
    topic = replicated(k, [1, 2, 3])
    each_on(k, lambda peer: peer.ask(*produce({topic: {0: batch()}}, version=version)))
    move_leader(k, topic, 0, 2)
    each_on(k, lambda peer: peer.ask(*produce({topic: {0: batch()}}, version=version)))


@case(brokers=3, versions=(10, 12))
def fetch_before_and_after_a_leader_moves(k: Talk, version: int) -> None:
    topic = replicated(k, [1, 2, 3])
    fill(k, topic)
    wanted = {topic: {0: {"FetchOffset": 0, "CurrentLeaderEpoch": 0}}}
    each_on(k, lambda peer: peer.ask(*fetch(wanted, version=version), keep=records_of))
    move_leader(k, topic, 0, 3)
    each_on(k, lambda peer: peer.ask(*fetch(wanted, version=version), keep=records_of))


@case(brokers=3)
def metadata_after_leaders_move(k: Talk) -> None:
    topic = replicated(k)
    for index, to in ((0, 2), (1, 3), (2, 3)):
        move_leader(k, topic, index, to)
    each_on(k, lambda peer: peer.ask(*metadata(topic), keep=by_id))
    described(k, topic)


# Directories


@case(brokers=3, versions=(1, 2))
def directories_of_replicas_on_other_brokers(k: Talk, version: int) -> None:
    topic = replicated(k, [1])
    fill(k, topic)
    here = log_directory(k, topic)
    k.ask(*move({here: {topic: [0]}}, version=version), keep=results_by_name)
    each_on(
        k, lambda peer: peer.ask(*move({"/nowhere": {topic: [0]}}, version=version), keep=results_by_name)
    )


@case(brokers=3)
def unregistration_of_brokers_that_do_not_exist(k: Talk) -> None:
    for broker in (UNKNOWN_BROKER, -1):
        each_on(k, lambda peer, broker=broker: peer.ask("UnregisterBroker", 0, {"BrokerId": broker}))
