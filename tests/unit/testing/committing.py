"""Client requests to a broker under test, without a client library."""

from __future__ import annotations

from typing import Any

from tidemark_protocol import from_dict
from tidemark_tools.client.client import Client


def ask(bootstrap: str, api: str, version: int, message: dict[str, Any]) -> Any:
    with Client(bootstrap) as client:
        return client.call(from_dict(f"{api}Request", message), max_version=version)


def commit(bootstrap: str, group: str, topic: str, offset: int, partition: int = 0) -> None:
    """Commit like a consumer that assigns its own partitions: the group is Empty at once."""
    where = {"PartitionIndex": partition, "CommittedOffset": offset, "CommittedMetadata": ""}
    message = {"GroupId": group, "Topics": [{"Name": topic, "Partitions": [where]}]}
    with Client(bootstrap) as client:
        request = from_dict("OffsetCommitRequest", message)
        completed = client.call_coordinator(
            group, request, lambda response: response.topics[0].partitions[0].error_code, max_version=8
        )
    assert completed.topics[0].partitions[0].error_code == 0


def topics(bootstrap: str) -> list[str]:
    with Client(bootstrap) as client:
        return sorted(topic.name for topic in client.metadata().topics if not topic.is_internal)
