"""ElectLeaders, AlterPartitionReassignments, ListPartitionReassignments, AlterReplicaLogDirs on one node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tests.conformance.case import Fields, Talk, case

PREFERRED: Final = 0
UNCLEAN: Final = 1
NODE: Final = 1
CANCEL: Final = None

Partitions = Mapping[str, Iterable[int]]
Request = tuple[str, int, Fields]


def elect(partitions: Partitions | None, kind: int = PREFERRED, *, version: int = 2) -> Request:
    """Build an ElectLeaders. partitions: None names every partition."""
    named = None if partitions is None else [
        {"Topic": topic, "Partitions": list(indexes)} for topic, indexes in partitions.items()
    ]  # fmt: skip
    return "ElectLeaders", version, {"ElectionType": kind, "TopicPartitions": named, "TimeoutMs": 30000}


def reassign(
    replicas: Mapping[str, Mapping[int, list[int] | None]],
    *,
    version: int = 1,
    factor_may_change: bool = True,
) -> Request:
    """Build an AlterPartitionReassignments. replicas: topic to partition to its brokers, or CANCEL."""
    topics = [
        {"Name": topic, "Partitions": [{"PartitionIndex": p, "Replicas": ids} for p, ids in each.items()]}
        for topic, each in replicas.items()
    ]
    fields: Fields = {"TimeoutMs": 30000, "Topics": topics}
    if version > 0:
        fields["AllowReplicationFactorChange"] = factor_may_change
    return "AlterPartitionReassignments", version, fields


def list_reassignments(partitions: Partitions | None) -> Request:
    named = None if partitions is None else [
        {"Name": topic, "PartitionIndexes": list(indexes)} for topic, indexes in partitions.items()
    ]  # fmt: skip
    return "ListPartitionReassignments", 0, {"TimeoutMs": 30000, "Topics": named}


def move(directories: Mapping[str, Partitions], *, version: int = 2) -> Request:
    """Build an AlterReplicaLogDirs. directories: directory to topic to partitions."""
    dirs = [
        {"Path": path, "Topics": [{"Name": topic, "Partitions": list(ps)} for topic, ps in topics.items()]}
        for path, topics in directories.items()
    ]
    return "AlterReplicaLogDirs", version, {"Dirs": dirs}


def by_name(response: Fields) -> Any:
    """keep=: the results sorted by topic and partition, as Kafka's order is that of a hash map."""
    results = [
        {**topic, "PartitionResult": sorted(topic["PartitionResult"], key=lambda each: each["PartitionId"])}
        for topic in response["ReplicaElectionResults"]
    ]
    return {**response, "ReplicaElectionResults": sorted(results, key=lambda each: each["Topic"])}


# ElectLeaders


@case(versions=range(3))
def elect_leaders_of_partitions_that_their_leader_has(k: Talk, version: int) -> None:
    topic = k.topic(3)
    for kind in (PREFERRED, UNCLEAN):
        k.ask(*elect({topic: [0, 1, 2]}, kind, version=version), keep=by_name)
        k.ask(*elect({topic: [2]}, kind, version=version))


@case(versions=range(3))
def elect_leaders_of_partitions_that_do_not_exist(k: Talk, version: int) -> None:
    topic, unknown = k.topic(), k.name("unknown")
    for kind in (PREFERRED, UNCLEAN):
        k.ask(
            *elect({topic: [0, 1, -1], unknown: [0], "": [0], "a/b": [0]}, kind, version=version),
            keep=by_name,
        )


@case(versions=range(3))
def elect_leaders_of_all_partitions(k: Talk, version: int) -> None:
    topics = k.topic(3), k.topic()

    def of_the_case(response: Fields) -> Any:
        found = [each for each in response["ReplicaElectionResults"] if each["Topic"] in topics]
        return by_name({**response, "ReplicaElectionResults": found})

    for kind in (PREFERRED, UNCLEAN):
        k.ask(*elect(None, kind, version=version), keep=of_the_case)


@case
def elect_leaders_of_nothing(k: Talk) -> None:
    topic = k.topic()
    for version in range(3):
        k.ask(*elect({}, version=version))
        k.ask(*elect({topic: []}, version=version))


@case
def elect_leaders_of_partitions_that_are_named_twice(k: Talk) -> None:
    topic = k.topic(2)
    k.ask(*elect({topic: [0, 0, 1]}), keep=by_name)
    name, version, fields = elect({topic: [0]})
    fields["TopicPartitions"].append({"Topic": topic, "Partitions": [1, 0]})
    k.ask(name, version, fields, keep=by_name)


@case(versions=(1, 2))
def elect_leaders_of_an_unknown_kind(k: Talk, version: int) -> None:
    topic = k.topic()
    for kind in (2, -1, 127):
        k.ask(*elect({topic: [0], k.name("unknown"): [1, 2]}, kind, version=version), keep=by_name)
        k.ask(*elect(None, kind, version=version))
        k.ask(*elect({}, kind, version=version))


# AlterPartitionReassignments


@case(versions=range(2))
def reassignment_to_the_same_broker(k: Talk, version: int) -> None:
    topic = k.topic(2)
    k.ask(*reassign({topic: {0: [NODE], 1: [NODE]}}, version=version))
    k.ask(*list_reassignments(None))
    k.ask(*list_reassignments({topic: [0, 1]}))


@case(versions=range(2))
def reassignment_that_is_cancelled_without_one(k: Talk, version: int) -> None:
    topic = k.topic()
    k.ask(*reassign({topic: {0: CANCEL}}, version=version))


@case(versions=range(2))
def reassignment_to_brokers_that_cannot_have_it(k: Talk, version: int) -> None:
    topic = k.topic()
    pairs = ([NODE, 2], [2, NODE], [3, 2], [NODE, NODE], [2, 2], [-1, -1], [NODE, -1])
    for brokers in ([], [2], [-1], [2**31 - 1], *pairs):
        k.ask(*reassign({topic: {0: brokers}}, version=version))


@case
def reassignment_that_must_keep_the_replication_factor(k: Talk) -> None:
    topic = k.topic()
    for brokers in ([], [2], [NODE], [NODE, 2], [NODE, NODE], CANCEL):
        k.ask(*reassign({topic: {0: brokers}}, factor_may_change=False))


@case(versions=range(2))
def reassignment_of_partitions_that_do_not_exist(k: Talk, version: int) -> None:
    topic, unknown = k.topic(), k.name("unknown")
    wanted = {
        topic: {0: [NODE], 1: [NODE], -1: [NODE], 5: CANCEL},
        unknown: {0: [NODE], 1: CANCEL},
        "": {0: [NODE]},
    }
    k.ask(*reassign(wanted, version=version))
    k.ask(*reassign(wanted, version=version, factor_may_change=False))


@case
def reassignment_of_nothing(k: Talk) -> None:
    topic = k.topic()
    for version in range(2):
        k.ask(*reassign({}, version=version))
        k.ask(*reassign({topic: {}}, version=version))


@case
def reassignment_of_a_partition_that_is_named_twice(k: Talk) -> None:
    topic = k.topic()
    name, version, fields = reassign({topic: {0: [NODE]}})
    fields["Topics"][0]["Partitions"] *= 2
    fields["Topics"].append({"Name": topic, "Partitions": [{"PartitionIndex": 0, "Replicas": [2]}]})
    k.ask(name, version, fields)


# ListPartitionReassignments


@case
def reassignments_of_partitions_that_do_not_exist(k: Talk) -> None:
    topic = k.topic()
    k.ask(*list_reassignments({topic: [0, 7, -1], k.name("unknown"): [0], "": [0]}))
    k.ask(*list_reassignments({}))
    k.ask(*list_reassignments({topic: []}))


# AlterReplicaLogDirs


def results_by_name(response: Fields) -> Any:
    """keep=: the results sorted by topic and partition, as Kafka's order is that of a hash map."""
    results = [
        {**topic, "Partitions": sorted(topic["Partitions"], key=lambda each: each["PartitionIndex"])}
        for topic in response["Results"]
    ]
    return {**response, "Results": sorted(results, key=lambda each: each["TopicName"])}


def log_directory(k: Talk, topic: str) -> str:
    """Return the path of the node's only log directory."""
    asked = {"Topics": [{"Topic": topic, "Partitions": [0]}]}
    (found,) = k.do("DescribeLogDirs", 4, asked)["Results"]
    path: str = found["LogDir"]
    return path


@case(versions=(1, 2))
def replicas_moved_to_their_own_directory(k: Talk, version: int) -> None:
    topic, unknown = k.topic(2), k.name("unknown")
    here = log_directory(k, topic)
    k.ask(*move({here: {topic: [0, 1]}}, version=version), keep=results_by_name)
    k.ask(*move({here: {topic: [0, 2, -1], unknown: [0], "": [0]}}, version=version), keep=results_by_name)
    k.ask(*move({here + "/": {topic: [0]}}, version=version))
    k.ask(*move({here + "/.": {topic: [0]}}, version=version))


@case(versions=(1, 2), in_process=False)
def replicas_moved_to_directories_that_do_not_exist(k: Talk, version: int) -> None:
    topic, unknown = k.topic(), k.name("unknown")
    for path in ("/nowhere", "nowhere", "", "/tmp", "\0", "../x"):
        k.ask(*move({path: {topic: [0, 1], unknown: [0], "": [0]}}, version=version), keep=results_by_name)


@case(versions=(1, 2))
def replicas_moved_nowhere(k: Talk, version: int) -> None:
    topic = k.topic()
    k.ask(*move({}, version=version))
    k.ask(*move({"/nowhere": {}}, version=version))
    k.ask(*move({"/nowhere": {topic: []}}, version=version))


@case
def replicas_moved_to_two_directories(k: Talk) -> None:
    """The last directory that names a partition counts."""
    topic = k.topic(2)
    here = log_directory(k, topic)
    k.ask(*move({here: {topic: [0, 1]}, "/nowhere": {topic: [0]}}), keep=results_by_name)
    k.ask(*move({"/nowhere": {topic: [0]}, here: {topic: [0, 1, 0]}}), keep=results_by_name)


@case
def replicas_moved_of_internal_topics(k: Talk) -> None:
    k.group()
    topic = k.topic()
    here = log_directory(k, topic)
    k.ask(*move({here: {"__consumer_offsets": [0], "__cluster_metadata": [0]}}), keep=results_by_name)
    k.ask(*move({"/nowhere": {"__consumer_offsets": [0], "__cluster_metadata": [0]}}), keep=results_by_name)
