"""Subscriptions and assignments of a classic consumer group, and the range assignor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tidemark_protocol.by_name import decode, encode
from tidemark_protocol.records import consumer_protocol_assignment as assignment
from tidemark_protocol.records.consumer_protocol_subscription import ConsumerProtocolSubscription
from tidemark_protocol.wire import WireError
from tidemark_tools.client.addresses import TopicPartition

SUBSCRIPTION_VERSION = 3
ASSIGNMENT_VERSION = 0
VERSION_BYTES = 2


class Subscriber(NamedTuple):
    """A member, in the order of assignment: static members first, by instance id."""

    is_dynamic: bool
    name: str
    member_id: str


def subscriber(member_id: str, instance_id: str | None) -> Subscriber:
    return Subscriber(instance_id is None, member_id if instance_id is None else instance_id, member_id)


def range_assignment(
    subscriptions: Mapping[Subscriber, Iterable[str]], partitions: Mapping[str, int]
) -> dict[str, list[TopicPartition]]:
    """Assign each subscriber of a topic a contiguous range of its partitions. Return them by member id.

    partitions: the number of partitions of each topic that exists. Kafka: RangeAssignor.
    """
    assigned: dict[str, list[TopicPartition]] = {each.member_id: [] for each in subscriptions}
    for topic in sorted(partitions):
        readers = sorted(each for each, topics in subscriptions.items() if topic in set(topics))
        begin = 0
        for place, reader in enumerate(readers):
            share, rest = divmod(partitions[topic], len(readers))
            end = begin + share + (place < rest)
            assigned[reader.member_id] += [TopicPartition(topic, index) for index in range(begin, end)]
            begin = end
    return assigned


def encode_subscription(topics: Iterable[str]) -> bytes:
    """Encode a subscription as Kafka's consumer does with its default settings."""
    message = ConsumerProtocolSubscription(
        topics=list(topics), user_data=b"", owned_partitions=[], generation_id=-1, rack_id=""
    )
    return _version(SUBSCRIPTION_VERSION) + encode(message.NAME, SUBSCRIPTION_VERSION, message)


def decode_subscription(data: bytes) -> list[str]:
    """Return the topics of a subscription of any version; none if it cannot be decoded."""
    try:
        message = decode("ConsumerProtocolSubscription", 0, data[VERSION_BYTES:])
    except WireError:
        return []
    topics: list[str] = message.topics
    return topics


def encode_assignment(partitions: Iterable[TopicPartition]) -> bytes:
    topics: dict[str, list[int]] = {}
    for partition in partitions:
        topics.setdefault(partition.topic, []).append(partition.partition)
    message = assignment.ConsumerProtocolAssignment(
        assigned_partitions=[
            assignment.TopicPartition(topic=name, partitions=held) for name, held in topics.items()
        ],
        user_data=b"",
    )
    return _version(ASSIGNMENT_VERSION) + encode(message.NAME, ASSIGNMENT_VERSION, message)


def decode_assignment(data: bytes) -> list[TopicPartition]:
    """Decode an assignment. No bytes mean no partitions. Raises WireError."""
    if not data:
        return []
    message = decode("ConsumerProtocolAssignment", 0, data[VERSION_BYTES:])
    return [
        TopicPartition(each.topic, index) for each in message.assigned_partitions for index in each.partitions
    ]


def _version(number: int) -> bytes:
    return number.to_bytes(VERSION_BYTES, "big")
