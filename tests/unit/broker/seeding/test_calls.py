"""Exchanges with a Kafka cluster, whose nodes learn of changes after the response."""

from __future__ import annotations

import pytest

from tidemark.seeding.calls import PAUSE, Refused, create_topic, partition_count
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from tidemark_protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

UNKNOWN = MetadataResponse(
    topics=[MetadataResponseTopic(name="t", error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
)


def known(*leaders: int) -> MetadataResponse:
    partitions = [
        MetadataResponsePartition(partition_index=number, leader_id=leader)
        for number, leader in enumerate(leaders)
    ]
    return MetadataResponse(topics=[MetadataResponseTopic(name="t", partitions=partitions)])


def test_a_topic_that_was_created_is_awaited_until_all_nodes_know_its_partitions_and_leaders() -> None:
    exchange = create_topic("t", 2, {})
    next(exchange)
    exchange.send(CreateTopicsResponse(topics=[CreatableTopicResult(name="t", num_partitions=2)]))
    for incomplete in (UNKNOWN, known(1), known(1, -1)):
        assert exchange.send(incomplete) is PAUSE
        next(exchange)
    with pytest.raises(StopIteration):
        exchange.send(known(1, 1))


def test_a_topic_that_nobody_created_is_refused_at_once() -> None:
    exchange = partition_count("t")
    next(exchange)
    with pytest.raises(Refused, match="UNKNOWN_TOPIC_OR_PARTITION"):
        exchange.send(UNKNOWN)
