"""Build requests about streams groups (KIP-1071), like build.py.

    topology(subtopology("0", [topic], changelogs=[internal(store)]))

A topology is that of StreamsGroupHeartbeat. Tasks are subtopology id to partitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.conformance.build import Request

Fields = dict[str, Any]
Tasks = Mapping[str, Sequence[int]]
NO_TASKS: Final[Tasks] = {}


def internal(name: str, partitions: int = 0, replicas: int = 0, **configs: str) -> Fields:
    """Return a changelog or repartition topic. partitions: 0 means that the coordinator decides.

    configs: Kafka's names with _ for the dots.
    """
    return {
        "Name": name,
        "Partitions": partitions,
        "ReplicationFactor": replicas,
        "TopicConfigs": pairs({key.replace("_", "."): value for key, value in configs.items()}),
    }


def subtopology(
    name: str = "0",
    sources: Sequence[str] = (),
    *,
    regexes: Sequence[str] = (),
    changelogs: Sequence[Fields] = (),
    sinks: Sequence[str] = (),
    repartitions: Sequence[Fields] = (),
    copartitioned: Sequence[tuple[Sequence[int], Sequence[int]]] = (),
) -> Fields:
    """Return a subtopology. copartitioned: indexes of sources, and of repartitions, for each group."""
    return {
        "SubtopologyId": name,
        "SourceTopics": list(sources),
        "SourceTopicRegex": list(regexes),
        "StateChangelogTopics": list(changelogs),
        "RepartitionSinkTopics": list(sinks),
        "RepartitionSourceTopics": list(repartitions),
        "CopartitionGroups": [
            {"SourceTopics": list(first), "SourceTopicRegex": [], "RepartitionSourceTopics": list(second)}
            for first, second in copartitioned
        ],
    }


def topology(*subtopologies: Fields, epoch: int = 0) -> Fields:
    return {"Epoch": epoch, "Subtopologies": list(subtopologies)}


def pairs(given: Mapping[str, str]) -> list[Fields]:
    return [{"Key": key, "Value": value} for key, value in given.items()]


def streams_heartbeat(
    group: str,
    member: str,
    epoch: int,
    *,
    topology: Fields | None = None,
    active: Tasks | None = None,
    standby: Tasks | None = None,
    warmup: Tasks | None = None,
    process: str | None = None,
    endpoint: tuple[str, int] | None = None,
    endpoint_epoch: int = 0,
    tags: Mapping[str, str] | None = None,
    rebalance_ms: int = -1,
    instance: str | None = None,
    rack: str | None = None,
    shutdown: bool = False,
    offsets: Sequence[tuple[str, int, int]] | None = None,
    end_offsets: Sequence[tuple[str, int, int]] | None = None,
    version: int = 0,
) -> Request:
    """Build a StreamsGroupHeartbeat. offsets, end_offsets: subtopology id, partition and offset."""
    fields = {
        "GroupId": group,
        "MemberId": member,
        "MemberEpoch": epoch,
        "EndpointInformationEpoch": endpoint_epoch,
        "InstanceId": instance,
        "RackId": rack,
        "RebalanceTimeoutMs": rebalance_ms,
        "Topology": topology,
        "ActiveTasks": _tasks(active),
        "StandbyTasks": _tasks(standby),
        "WarmupTasks": _tasks(warmup),
        "ProcessId": process,
        "UserEndpoint": None if endpoint is None else {"Host": endpoint[0], "Port": endpoint[1]},
        "ClientTags": None if tags is None else pairs(tags),
        "TaskOffsets": _offsets(offsets),
        "TaskEndOffsets": _offsets(end_offsets),
        "ShutdownApplication": shutdown,
    }
    return "StreamsGroupHeartbeat", version, fields


def describe_streams(
    *groups: str, operations: bool = False, description: bool = False, version: int = 0
) -> Request:
    """Build a StreamsGroupDescribe. description: also request that of the topology, from version 1 on."""
    fields = {"GroupIds": list(groups), "IncludeAuthorizedOperations": operations}
    return "StreamsGroupDescribe", version, fields | {"IncludeTopologyDescription": description}


SOURCE, PROCESSOR, SINK = 1, 2, 3  # types of nodes


def node(
    name: str,
    kind: int,
    *,
    sources: Sequence[str] = (),
    sink: str | None = None,
    stores: Sequence[str] = (),
    successors: Sequence[str] = (),
) -> Fields:
    """Return a node of a topology description (KIP-1331)."""
    return {
        "Name": name,
        "NodeType": kind,
        "SourceTopics": list(sources),
        "SinkTopic": sink,
        "Stores": list(stores),
        "Successors": list(successors),
    }


def description(subtopologies: Mapping[str, Sequence[Fields]], *stores: tuple[Fields, Fields]) -> Fields:
    """Return a topology description. subtopologies: id to nodes; stores: source and processor of each."""
    return {
        "Subtopologies": [
            {"SubtopologyId": name, "Nodes": list(nodes)} for name, nodes in subtopologies.items()
        ],
        "GlobalStores": [{"Source": source, "Processor": processor} for source, processor in stores],
    }


def describe_topology(group: str, member: str, epoch: int, described: Fields) -> Request:
    """Build a StreamsGroupTopologyDescriptionUpdate."""
    fields = {"GroupId": group, "MemberId": member, "TopologyEpoch": epoch, "TopologyDescription": described}
    return "StreamsGroupTopologyDescriptionUpdate", 0, fields


def _tasks(given: Tasks | None) -> list[Fields] | None:
    if given is None:
        return None
    return [{"SubtopologyId": name, "Partitions": list(partitions)} for name, partitions in given.items()]


def _offsets(given: Sequence[tuple[str, int, int]] | None) -> list[Fields] | None:
    if given is None:
        return None
    return [{"SubtopologyId": name, "Partition": at, "Offset": offset} for name, at, offset in given]
