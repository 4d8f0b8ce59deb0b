"""DescribeCluster, DescribeLogDirs, ListPartitionReassignments, and the offsets topic as clients see it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tests.conformance.build import commit
from tests.conformance.build_admin import TOPIC, describe
from tests.conformance.build_data import batch, list_offsets, produce
from tests.conformance.case import Fields, Talk, case

OF_ITS_OWN: Final = {"offsets.topic.num.partitions": "50", "offsets.topic.segment.bytes": "2097152"}
of_disk: Final = partial(case, in_process=False)


def _versions_are_gone(k: Talk, api: str, fields: Fields, *versions: int, known: int) -> None:
    for version in versions:
        peer = k.connect()
        frame = bytearray(peer.frame(api, known, fields))
        frame[6:8] = version.to_bytes(2, "big", signed=True)
        peer.send_raw(bytes(frame))
        peer.closed()


@case
def describe_cluster_in_every_version(k: Talk) -> None:
    for version in range(3):
        for operations in (False, True):
            k.ask("DescribeCluster", version, {"IncludeClusterAuthorizedOperations": operations})


@case
def describe_cluster_with_fenced_brokers(k: Talk) -> None:
    k.ask("DescribeCluster", 2, {"IncludeFencedBrokers": True})


@case
def describe_cluster_of_endpoint_types(k: Talk) -> None:
    for version in (1, 2):
        for kind in (0, 1, 2, 3, -1, 127):
            k.ask("DescribeCluster", version, {"EndpointType": kind})
    k.ask("DescribeCluster", 2, {"EndpointType": 2, "IncludeClusterAuthorizedOperations": True})


@case
def describe_cluster_in_unknown_versions_closes_the_connection(k: Talk) -> None:
    _versions_are_gone(k, "DescribeCluster", {}, 3, -1, known=0)


def _directories(*names: str) -> Callable[[Fields], Any]:
    """keep=: the contents of each log directory for these topics, without its path and free space."""

    def keep(response: Fields) -> Any:
        told = [
            {
                **found,
                "LogDir": "<directory>",
                "Topics": [topic for topic in found["Topics"] if topic["Name"] in names],
                "TotalBytes": found["TotalBytes"] > 0,
                "UsableBytes": found["UsableBytes"] > 0,
            }
            for found in response["Results"]
        ]
        return {**response, "Results": told}

    return keep


def _log_dirs(*topics: tuple[str, list[int]], version: int = 5) -> tuple[str, int, Fields]:
    asked = [{"Topic": topic, "Partitions": partitions} for topic, partitions in topics]
    return "DescribeLogDirs", version, {"Topics": asked}


@of_disk()
def log_dirs_in_every_version(k: Talk) -> None:
    topic = k.topic(2)
    k.do(*produce({topic: {0: batch()}}))
    for version in range(1, 6):
        k.ask(*_log_dirs((topic, [0, 1]), version=version), keep=_directories(topic))


@case
def log_dirs_in_removed_versions_closes_the_connection(k: Talk) -> None:
    _versions_are_gone(k, "DescribeLogDirs", {"Topics": []}, 0, 6, known=1)


@of_disk()
def log_dirs_of_all_topics(k: Talk) -> None:
    first, second = k.topic(2), k.topic()
    for version in (1, 5):
        k.ask("DescribeLogDirs", version, {"Topics": None}, keep=_directories(first, second))


@of_disk()
def log_dirs_of_no_topics(k: Talk) -> None:
    topic = k.topic()
    for version in (1, 5):
        k.ask(*_log_dirs(version=version), keep=_directories())
        k.ask(*_log_dirs((topic, []), version=version), keep=_directories(topic))


@of_disk()
def log_dirs_of_what_is_not_there(k: Talk) -> None:
    topic, unknown = k.topic(), k.name()
    k.ask(*_log_dirs((topic, [0, 1, -1]), (unknown, [0]), ("", [0])), keep=_directories(topic, unknown, ""))
    k.ask(*_log_dirs((unknown, [0])), keep=_directories(unknown))
    k.ask(*_log_dirs(("__cluster_metadata", [0])), keep=_directories("__cluster_metadata"))


@of_disk()
def log_dirs_of_one_named_twice(k: Talk) -> None:
    topic = k.topic(2)
    k.ask(*_log_dirs((topic, [0, 0]), (topic, [1])), keep=_directories(topic))


@of_disk()
def log_dirs_tell_how_large_a_log_is(k: Talk) -> None:
    topic = k.topic()
    for _ in range(3):
        k.do(*produce({topic: {0: batch()}}))
        k.ask(*_log_dirs((topic, [0])), keep=_directories(topic))


@case
def reassignments_are_none(k: Talk) -> None:
    topic = k.topic()
    asked = [
        None,
        [],
        [{"Name": topic, "PartitionIndexes": [0]}],
        [{"Name": topic, "PartitionIndexes": []}],
        [{"Name": topic, "PartitionIndexes": [5, -1]}],
        [{"Name": k.name(), "PartitionIndexes": [0]}],
        [{"Name": "", "PartitionIndexes": [0]}],
    ]
    for topics in asked:
        k.ask("ListPartitionReassignments", 0, {"TimeoutMs": 30000, "Topics": topics})


@case
def reassignments_with_no_time_left(k: Talk) -> None:
    for timeout_ms in (0, -1):
        k.ask("ListPartitionReassignments", 0, {"TimeoutMs": timeout_ms, "Topics": None})


# The offsets topic


@case
def offsets_topic_has_settings_of_its_own(k: Talk) -> None:
    k.group()
    k.ask(
        *describe((TOPIC, "__consumer_offsets")),
        keep=lambda a: sorted(
            (c["Name"], c["Value"]) for c in a["Results"][0]["Configs"] if c["ConfigSource"] == 1
        ),
    )


@case
def offsets_topic_is_internal_and_has_as_many_partitions_as_set(k: Talk) -> None:
    k.group()
    k.ask(
        "Metadata",
        12,
        {"Topics": [{"Name": "__consumer_offsets"}]},
        keep=lambda a: [(t["IsInternal"], len(t["Partitions"])) for t in a["Topics"]],
    )


@case(settings=OF_ITS_OWN)
def offsets_topic_is_not_there_until_it_is_asked_for(k: Talk) -> None:
    """Runs on a broker of its own with 50 partitions, without the groups of other cases."""
    for group in ("", "g", "my-group", "test-group", "connect-cluster", "polygenelubricants", "groupé"):
        before = _ends(k)
        if group == "":
            k.keep("at first", before)
            k.group()
            before = _ends(k)
        topic = k.topic()
        k.ask(*commit(group, {topic: {0: 1}}))
        after = _ends(k)
        k.keep(f"{group} is in", [index for index, end in enumerate(after) if end != before[index]])


def _ends(k: Talk) -> list[int]:
    response = k.do(*list_offsets({"__consumer_offsets": dict.fromkeys(range(50), -1)}))
    partitions = sorted(response["Topics"][0]["Partitions"], key=lambda p: int(p["PartitionIndex"]))
    return [partition["Offset"] for partition in partitions]


@case(settings={"offsets.topic.num.partitions": "7"})
def offsets_topic_is_created_by_metadata(k: Talk) -> None:
    asked = {"Topics": [{"Name": "__consumer_offsets"}], "AllowAutoTopicCreation": True}
    k.ask("Metadata", 12, asked)
    k.until_there("__consumer_offsets", 7)
    k.ask(
        "Metadata",
        12,
        asked,
        keep=lambda a: [(t["ErrorCode"], t["IsInternal"], len(t["Partitions"])) for t in a["Topics"]],
    )
    k.ask(
        *describe((TOPIC, "__consumer_offsets")),
        keep=lambda a: sorted(
            (c["Name"], c["Value"]) for c in a["Results"][0]["Configs"] if c["ConfigSource"] == 1
        ),
    )


@case(settings={"offsets.topic.num.partitions": "6"})
def offsets_topic_is_created_by_hand(k: Talk) -> None:
    """The topic has the partitions and settings of the request."""
    made = {"Name": "__consumer_offsets", "NumPartitions": 3, "ReplicationFactor": 1}
    k.ask(
        "CreateTopics",
        7,
        {"Topics": [made], "timeoutMs": 30000},
        keep=lambda a: [(t["ErrorCode"], t["NumPartitions"]) for t in a["Topics"]],
    )
    k.until_there("__consumer_offsets", 3)
    k.ask(
        *describe((TOPIC, "__consumer_offsets", ["cleanup.policy", "segment.bytes"])),
        keep=lambda a: sorted((c["Name"], c["Value"]) for c in a["Results"][0]["Configs"]),
    )
    k.ask(
        "Metadata",
        12,
        {"Topics": [{"Name": "__consumer_offsets"}]},
        keep=lambda a: a["Topics"][0]["IsInternal"],
    )
