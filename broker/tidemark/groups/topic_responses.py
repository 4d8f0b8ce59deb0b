"""Responses of OffsetCommit and OffsetDelete, topic by topic. Both check the topics before the group."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar


class TopicResponse(Protocol):
    partitions: list[Any]


class HasIndex(Protocol):
    partition_index: int


Key = TypeVar("Key", bound=Hashable)
Response = TypeVar("Response", bound=TopicResponse)
Requested = TypeVar("Requested", bound=HasIndex)


def split(partitions: list[Requested], count: int) -> tuple[list[Requested], list[Requested]]:
    """Return the partitions that exist, and those that do not, of a topic with this many partitions."""
    existing: list[Requested] = []
    missing: list[Requested] = []
    for partition in partitions:
        (existing if 0 <= partition.partition_index < count else missing).append(partition)
    return existing, missing


def merge(responses: dict[Key, Response], key: Key, response: Response) -> None:
    """Add the response for a topic. Kafka merges topics once one was refused; refused ones are first then."""
    first = responses.setdefault(key, response)
    if first is not response:
        first.partitions += response.partitions
