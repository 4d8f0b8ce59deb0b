"""The `--topic` of `--reset-offsets` and `--delete-offsets`: `t` for all partitions, `t:0,1` for some."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import error_code
from tidemark_tools.options import UsageError

_JAVA_INT: Final = re.compile(r"[+-]?\d+", re.ASCII)


def read(arguments: Iterable[str]) -> tuple[list[TopicPartition], list[str]]:
    """Return the partitions that are named, and the topics that are named as a whole. Raises UsageError."""
    partitions: list[TopicPartition] = []
    whole: list[str] = []
    for argument in arguments:
        topic, colon, indexes = argument.partition(":")
        if not colon:
            whole.append(topic)
        elif not indexes or ":" in indexes:
            raise UsageError(f"Invalid topic arg '{argument}', expected topic name and partitions")
        else:
            partitions += [TopicPartition(topic, _index(index, argument)) for index in indexes.split(",")]
    return partitions, list(dict.fromkeys(whole))


def _index(text: str, argument: str) -> int:
    if not _JAVA_INT.fullmatch(text):
        raise UsageError(f"Invalid partition '{text}' specified in topic arg '{argument}''")
    return int(text)


def partitions_of(client: Client, topics: Iterable[str]) -> tuple[list[TopicPartition], dict[str, ErrorCode]]:
    """Return all partitions of these topics, and the error of each topic that has one."""
    names = list(topics)
    if not names:
        return [], {}
    response = client.metadata(names)
    partitions = [
        TopicPartition(topic.name, partition.partition_index)
        for topic in response.topics
        for partition in topic.partitions
    ]
    return sorted(partitions), {t.name: error_code(t.error_code) for t in response.topics if t.error_code}
