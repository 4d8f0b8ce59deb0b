"""Build requests about topics and configurations, like build.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tests.conformance.build import Request

TOPIC: Final = 2
BROKER: Final = 4
BROKER_LOGGER: Final = 8
CLIENT_METRICS: Final = 16
GROUP: Final = 32
SET, DELETE, APPEND, SUBTRACT = range(4)
FIRST_VERSION_WITH_IDS: Final = 6

Fields = dict[str, Any]
Configs = Mapping[str, str | None] | Iterable[tuple[str, str | None]]


def _pairs(configs: Configs) -> list[tuple[str, str | None]]:
    return list(configs.items() if isinstance(configs, Mapping) else configs)


def new(
    name: str,
    partitions: int = 1,
    replicas: int = 1,
    *,
    assignments: Iterable[tuple[int, list[int]]] = (),
    configs: Configs = (),
) -> Fields:
    """Return a topic for CreateTopics."""
    return {
        "Name": name,
        "NumPartitions": partitions,
        "ReplicationFactor": replicas,
        "Assignments": [{"PartitionIndex": index, "BrokerIds": brokers} for index, brokers in assignments],
        "Configs": [{"Name": key, "Value": value} for key, value in _pairs(configs)],
    }


def create(*topics: Fields, version: int = 7, validate_only: bool = False) -> Request:
    return (
        "CreateTopics",
        version,
        {
            "Topics": list(topics),
            "timeoutMs": 30000,
            "validateOnly": validate_only,
        },
    )


def delete(*topics: str | Fields, version: int = 6) -> Request:
    """Build a DeleteTopics. topics: names, or the fields of a topic in versions with ids."""
    if version < FIRST_VERSION_WITH_IDS:
        return "DeleteTopics", version, {"TopicNames": list(topics), "TimeoutMs": 30000}
    asked = [topic if isinstance(topic, dict) else {"Name": topic} for topic in topics]
    return "DeleteTopics", version, {"Topics": asked, "TimeoutMs": 30000}


def grow(
    *topics: tuple[str, int] | tuple[str, int, list[list[int]]],
    version: int = 3,
    validate_only: bool = False,
) -> Request:
    """Build a CreatePartitions. topics: (name, count), or (name, count, brokers of each new partition)."""
    asked = [
        {
            "Name": topic[0],
            "Count": topic[1],
            "Assignments": [{"BrokerIds": ids} for ids in topic[2]] if len(topic) > 2 else None,
        }
        for topic in topics
    ]
    fields = {"Topics": asked, "TimeoutMs": 30000, "ValidateOnly": validate_only}
    return "CreatePartitions", version, fields


def delete_records(offsets: Mapping[str, Mapping[int, int]], *, version: int = 2) -> Request:
    """Build a DeleteRecords. offsets: topic to partition to the first offset that is kept; -1 deletes all."""
    topics = [
        {
            "Name": topic,
            "Partitions": [
                {"PartitionIndex": index, "Offset": offset} for index, offset in partitions.items()
            ],
        }
        for topic, partitions in offsets.items()
    ]
    return "DeleteRecords", version, {"Topics": topics, "TimeoutMs": 30000}


def describe(
    *resources: tuple[int, str] | tuple[int, str, list[str] | None],
    synonyms: bool = False,
    documentation: bool = False,
    version: int = 4,
) -> Request:
    """Build a DescribeConfigs. resources: (type, name), or (type, name, names of the settings)."""
    asked = [
        {
            "ResourceType": resource[0],
            "ResourceName": resource[1],
            "ConfigurationKeys": resource[2] if len(resource) > 2 else None,
        }
        for resource in resources
    ]
    fields = {"Resources": asked, "IncludeSynonyms": synonyms, "IncludeDocumentation": documentation}
    return "DescribeConfigs", version, fields


def alter(*resources: tuple[int, str, Configs], version: int = 2, validate_only: bool = False) -> Request:
    """Build an AlterConfigs, which resets every unnamed setting. resources: (type, name, settings)."""
    asked = [
        {
            "ResourceType": kind,
            "ResourceName": name,
            "Configs": [{"Name": key, "Value": value} for key, value in _pairs(configs)],
        }
        for kind, name, configs in resources
    ]
    return "AlterConfigs", version, {"Resources": asked, "ValidateOnly": validate_only}


Change = tuple[str, int, str | None]


def change(
    *resources: tuple[int, str, Iterable[Change]], version: int = 1, validate_only: bool = False
) -> Request:
    """Build an IncrementalAlterConfigs. resources: (type, name, [(setting, operation, value)])."""
    asked = [
        {
            "ResourceType": kind,
            "ResourceName": name,
            "Configs": [
                {"Name": key, "ConfigOperation": operation, "Value": value}
                for key, operation, value in changes
            ],
        }
        for kind, name, changes in resources
    ]
    return "IncrementalAlterConfigs", version, {"Resources": asked, "ValidateOnly": validate_only}
