"""Deletes the records of partitions before an offset, as Kafka's admin client does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.addresses import BrokerEndpoint, TopicPartition
from tidemark_tools.client.client import Client, pause
from tidemark_tools.client.errors import LEADER_NOT_THERE, ErrorResponse, Unreachable, error_code

TIMEOUT_MS: Final = 30_000  # within which the broker must have deleted the records

Outcome = int | ErrorResponse  # the new start of the log, or why nothing was deleted


def delete_records(client: Client, offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, Outcome]:
    """Delete the records of each partition before this offset; -1 deletes all.

    Waits for a partition that does not exist or has no leader, until the timeout of the client.
    """
    deadline = client.deadline(None)
    found: dict[TopicPartition, Outcome] = {}
    while True:
        left = {partition: offset for partition, offset in offsets.items() if partition not in found}
        results = _delete(client, left)
        again = [
            at for at, outcome in results.items() if isinstance(outcome, ErrorResponse) and _waits(outcome)
        ]
        found |= {at: outcome for at, outcome in results.items() if at not in again}
        if not again:
            return found
        try:
            pause(deadline, "")
        except Unreachable:
            return found | {at: results[at] for at in again}


def _waits(error: ErrorResponse) -> bool:
    return error.code in LEADER_NOT_THERE or error.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _delete(client: Client, offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, Outcome]:
    leaders = client.leaders(sorted({partition.topic for partition in offsets}))
    by_node: dict[BrokerEndpoint, dict[TopicPartition, int]] = {}
    found: dict[TopicPartition, Outcome] = {}
    for partition, offset in offsets.items():
        leader = leaders.get(partition)
        if leader is not None:
            by_node.setdefault(leader, {})[partition] = offset
        else:
            missing = partition not in leaders
            found[partition] = ErrorResponse(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if missing else ErrorCode.LEADER_NOT_AVAILABLE
            )
    for node, wanted in by_node.items():
        for topic in client.call(_request(wanted), node).topics:
            for result in topic.partitions:
                code = error_code(result.error_code)
                outcome = result.low_watermark if code == ErrorCode.NONE else ErrorResponse(code)
                found[TopicPartition(topic.name, result.partition_index)] = outcome
    return found


def _request(offsets: Mapping[TopicPartition, int]) -> Any:
    from tidemark_protocol.messages.delete_records import (
        DeleteRecordsPartition,
        DeleteRecordsRequest,
        DeleteRecordsTopic,
    )

    topics: dict[str, list[Any]] = {}
    for partition, offset in offsets.items():
        topics.setdefault(partition.topic, []).append(DeleteRecordsPartition(partition.partition, offset))
    return DeleteRecordsRequest(
        topics=[DeleteRecordsTopic(name, partitions) for name, partitions in topics.items()],
        timeout_ms=TIMEOUT_MS,
    )
