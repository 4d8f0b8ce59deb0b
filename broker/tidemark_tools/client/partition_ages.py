"""The age of partitions, by Metadata v14 (KIP-1327)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import Client

WITH_AGES: Final = 14  # the first version of Metadata that has the age of a partition


def check_ages(client: Client) -> None:
    """Raise UnsupportedVersion if the broker has no ages."""
    from tidemark_protocol.messages.metadata import MetadataRequest

    client.check_version(MetadataRequest(), WITH_AGES)


def partition_ages(client: Client, topics: Iterable[str]) -> dict[TopicPartition, int]:
    """Return the age in ms of each partition of these topics, AGE_UNKNOWN if the broker does not know it.

    Each call queries the cluster. A partition that the broker does not list yet is left out: ask again.
    Raises UnsupportedVersion if the broker has no ages.
    """
    from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

    requested = [MetadataRequestTopic(name=name) for name in sorted(set(topics))]
    request = MetadataRequest(topics=requested, allow_auto_topic_creation=False)
    response = client.call(request, min_version=WITH_AGES)
    return {
        TopicPartition(topic.name or "", partition.partition_index): partition.partition_age_ms
        for topic in response.topics
        if topic.error_code == ErrorCode.NONE
        for partition in topic.partitions
    }
