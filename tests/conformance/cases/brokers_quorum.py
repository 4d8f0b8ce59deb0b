"""DescribeQuorum of three brokers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.case import Fields, Talk, case
from tests.conformance.clusters import RUNNING, each_on

QUORUM = {"Topics": [{"TopicName": "__cluster_metadata", "Partitions": [{"PartitionIndex": 0}]}]}


def voters(response: Fields) -> Any:
    """keep=: who votes. Any of them leads, and all offsets and times depend on the run."""
    (topic,) = response["Topics"]
    (partition,) = topic["Partitions"]
    ids = sorted(each["ReplicaId"] for each in partition["CurrentVoters"])
    leader = next(each for each in partition["CurrentVoters"] if each["ReplicaId"] == partition["LeaderId"])
    return {
        "errors": [response["ErrorCode"], partition["ErrorCode"]],
        "voters": ids,
        "observers": partition["Observers"],
        "leader is at the end": leader["LogEndOffset"] >= partition["HighWatermark"] > 0,
        "nodes": sorted(each["NodeId"] for each in response.get("Nodes", [])),
        "names": sorted(one["Name"] for each in response.get("Nodes", []) for one in each["Listeners"]),
    }


@case(brokers=3, versions=range(3))
def quorum_of_three_brokers(k: Talk, version: int) -> Iterator[None]:
    each_on(k, lambda peer: peer.ask("DescribeQuorum", version, QUORUM, keep=voters))
    yield
    each_on(k, lambda peer: peer.ask("DescribeQuorum", version, QUORUM, keep=voters), RUNNING)
    yield
    each_on(k, lambda peer: peer.ask("DescribeQuorum", version, QUORUM, keep=voters))
