"""`tidemark transactions find-hanging`: transactions that are open in a log, but not with a coordinator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.addresses import TopicPartition
from tidemark_tools.client.client import Client
from tidemark_tools.client.connection import wall_ms
from tidemark_tools.client.errors import ErrorResponse
from tidemark_tools.client.topics import describe_topics
from tidemark_tools.client.transactions import (
    Filter,
    describe_producers,
    describe_transaction,
    list_transactions,
)
from tidemark_tools.java import hash_map_order_by, partitions_in_order
from tidemark_tools.options import Failed
from tidemark_tools.subcommands import Given
from tidemark_tools.transactions.tables import failing, print_table

AT_ONCE: Final = 500  # topics or partitions in one request
MINUTE_MS: Final = 60_000
UNLIMITED: Final = (
    "The `find-hanging` command requires either --topic or --broker-id to limit the scope of the search"
)
HEADERS: Final = (
    "Topic", "Partition", "ProducerId", "ProducerEpoch", "CoordinatorEpoch", "StartOffset", "LastTimestamp",
    "Duration(min)",
)  # fmt: skip

T = TypeVar("T")


class Open(NamedTuple):
    """An open transaction in a partition. producer: as DescribeProducers returns it."""

    partition: TopicPartition
    producer: Any


def find_hanging(client: Client, given: Given) -> None:
    """Print the hanging transactions. Raises Failed."""
    broker = given.number("broker_id")
    partitions = _partitions(client, given, broker)
    longer_than_ms = (given.number("max_transaction_timeout") or 0) * MINUTE_MS
    candidates = [
        each
        for some in _parts(partitions)
        for each in _open(client, some, broker)
        if wall_ms() - each.producer.last_timestamp > longer_than_ms
    ]
    _print(_hanging(client, candidates))


def _print(hanging: Sequence[Open]) -> None:
    now = wall_ms()
    rows = [
        (
            *each.partition, each.producer.producer_id, each.producer.producer_epoch,
            max(each.producer.coordinator_epoch, -1), each.producer.current_txn_start_offset,
            each.producer.last_timestamp, int((now - each.producer.last_timestamp) / MINUTE_MS),
        )
        for each in hanging
    ]  # fmt: skip
    print_table(HEADERS, rows)


def _partitions(client: Client, given: Given, broker: int | None) -> list[TopicPartition]:
    """Return the partitions to search. Raises Failed."""
    topic, partition = given.text_or_none("topic"), given.number("partition")
    if topic is None and broker is None:
        raise Failed(UNLIMITED)
    if topic is None and partition is not None:
        raise Failed("The --partition argument requires --topic to be provided")
    if topic is not None and partition is not None:
        return [TopicPartition(topic, partition)]
    topics = [topic] if topic is not None else _topics(client)
    return [each for some in _parts(topics) for each in _partitions_of(client, some, broker)]


def _topics(client: Client) -> list[str]:
    with failing(client, "Failed to list topics"):
        return [topic.name for topic in client.metadata().topics]


def _partitions_of(client: Client, topics: Sequence[str], broker: int | None) -> list[TopicPartition]:
    with failing(client, f"Failed to describe {len(topics)} topics"):
        described = describe_topics(client, topics)
    return [
        TopicPartition(name, each.partition)
        for name, topic in described.items()
        for each in topic.partitions
        if broker is None or broker in each.replicas
    ]


def _open(client: Client, partitions: Sequence[TopicPartition], broker: int | None) -> list[Open]:
    """Return the open transactions in these partitions, in the order of Kafka's hash map."""
    where = "Optional.empty" if broker is None else f"Optional[{broker}]"
    failed = f"Failed to describe producers for {len(partitions)} partitions on broker {where}"
    with failing(client, failed):
        found = describe_producers(client, partitions, broker)
    return [
        Open(partition, producer)
        for partition in partitions_in_order(sorted(found), len(found))
        for producer in found[partition]
        if producer.current_txn_start_offset >= 0
    ]


def _hanging(client: Client, candidates: Sequence[Open]) -> list[Open]:
    """Return the candidates whose partition is in no transaction of a coordinator."""
    by_producer: dict[int, list[Open]] = {}
    for each in candidates:
        by_producer.setdefault(each.producer.producer_id, []).append(each)
    ids = _transactional_ids(client, by_producer) if by_producer else {}
    known = _known_partitions(client, ids)
    return [
        each
        for producer_id in hash_map_order_by(lambda number: number ^ number >> 32, by_producer)
        for each in by_producer[producer_id]
        if each.partition not in known.get(producer_id, ())
    ]


def _transactional_ids(client: Client, producer_ids: dict[int, list[Open]]) -> dict[int, str]:
    with failing(client, f"Failed to list transactions for {len(producer_ids)} producers"):
        listed = list_transactions(client, Filter(producer_ids=tuple(producer_ids)))
    return {each.producer_id: each.transactional_id for some in listed.values() for each in some}


def _known_partitions(client: Client, ids: dict[int, str]) -> dict[int, set[TopicPartition]]:
    """Return the partitions of the transaction of each producer."""
    found: dict[int, set[TopicPartition]] = {}
    with failing(client, f"Failed to describe {len(ids)} transactions"):
        for producer_id, transactional_id in ids.items():
            try:
                _, described = describe_transaction(client, transactional_id)
            except ErrorResponse as error:
                if error.code != ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
                    raise
                continue
            found[producer_id] = {
                TopicPartition(topic.topic, index) for topic in described.topics for index in topic.partitions
            }
    return found


def _parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), AT_ONCE):
        yield items[start : start + AT_ONCE]
