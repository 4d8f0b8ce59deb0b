"""Subscriptions and assignments that members of a classic consumer group exchange.

The broker treats them as bytes, except for the subscribed topics, whose offsets do not expire.
Kafka: `ConsumerProtocol`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tidemark_protocol.records.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from tidemark_protocol.records.consumer_protocol_subscription import ConsumerProtocolSubscription
from tidemark_protocol.wire import Decoder, WireError

CONSUMER: Final = "consumer"  # the protocol type whose members send these bytes

_VERSION_BYTES: Final = 2


def subscribed_topics(protocol_type: str | None, subscriptions: Iterable[bytes]) -> frozenset[str] | None:
    """Return the subscribed topics of all members.

    None: unknown, because the group is not a consumer group or a member's metadata is invalid.
    """
    if protocol_type != CONSUMER:
        return None
    topics: set[str] = set()
    for subscription in subscriptions:
        parsed = topics_of(subscription)
        if parsed is None:
            return None
        topics.update(parsed)
    return frozenset(topics)


def source_topics(topology: Any) -> frozenset[str]:
    """Return the topics that members of a streams group read. topology: a StreamsGroupTopologyValue.

    They include the repartition source topics. Kafka: StreamsTopology.sourceTopicMap.
    """
    topics: set[str] = set()
    for each in topology.subtopologies:
        topics.update(each.source_topics, (topic.name for topic in each.repartition_source_topics))
    return frozenset(topics)


def topics_of(subscription: bytes) -> list[str] | None:
    """Return the topics of one member. None: the bytes are invalid.

    At an array length beyond the end, Kafka throws, and cannot load the group's partition after a restart.
    """
    parsed = _parsed(ConsumerProtocolSubscription.DECODERS[0], subscription)
    return None if parsed is None else parsed.topics


def assigned_to(assignment: bytes) -> list[TopicPartition] | None:
    """Return the partitions assigned to a member. None: the bytes are invalid."""
    parsed = _parsed(ConsumerProtocolAssignment.DECODERS[0], assignment)
    return None if parsed is None else parsed.assigned_partitions


def version_of(data: bytes) -> int:
    """Return the version in which a subscription or an assignment is written. Raises WireError."""
    if len(data) < _VERSION_BYTES:
        raise WireError(f"{len(data)} bytes hold no version")
    return int.from_bytes(data[:_VERSION_BYTES], "big", signed=True)


def read_subscription(data: bytes) -> ConsumerProtocolSubscription:
    """Return a subscription in the version that it names. Raises WireError."""
    found: ConsumerProtocolSubscription = _read(ConsumerProtocolSubscription, data)
    return found


def read_assignment(data: bytes) -> ConsumerProtocolAssignment:
    """Return an assignment in the version that it names. Raises WireError."""
    found: ConsumerProtocolAssignment = _read(ConsumerProtocolAssignment, data)
    return found


def write_assignment(partitions: Iterable[tuple[str, list[int]]], version: int) -> bytes:
    """Return the bytes of an assignment. A later version is written as the last one that is known."""
    version = min(version, ConsumerProtocolAssignment.HIGHEST)
    parts = [TopicPartition(topic, indexes) for topic, indexes in partitions]
    out = bytearray(version.to_bytes(_VERSION_BYTES, "big"))
    ConsumerProtocolAssignment.ENCODERS[version](out, ConsumerProtocolAssignment(parts, None))
    return bytes(out)


def _read(of: Any, data: bytes) -> Any:
    """Read a later version as the last one that is known, as Kafka does."""
    version = version_of(data)
    if version < 0:
        raise WireError(f"version {version} does not exist")
    return of.DECODERS[min(version, of.HIGHEST)](bytes(data), _VERSION_BYTES, len(data))[0]


def _parsed(decode: Decoder, data: bytes) -> Any:
    """Read version 0, with which all versions begin. The rest is ignored."""
    if len(data) < _VERSION_BYTES:
        return None
    try:
        return decode(bytes(data), _VERSION_BYTES, len(data))[0]
    except WireError:
        return None
