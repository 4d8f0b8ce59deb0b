"""What members of a consumer group of the classic protocol tell each other: the topics that they read, and
the partitions that each is to own. To a broker it is bytes, but for the topics, whose offsets do not expire.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tidemark_protocol.records.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from tidemark_protocol.records.consumer_protocol_subscription import ConsumerProtocolSubscription
from tidemark_protocol.wire import Decoder, WireError

CONSUMER: Final = "consumer"  # the protocol type of which these bytes are

_VERSION_BYTES: Final = 2


def subscribed_topics(protocol_type: str | None, subscriptions: Iterable[bytes]) -> frozenset[str] | None:
    """None: not known, because the group is no consumer group or a member's metadata does not parse."""
    if protocol_type != CONSUMER:
        return None
    topics: set[str] = set()
    for subscription in subscriptions:
        parsed = topics_of(subscription)
        if parsed is None:
            return None
        topics.update(parsed)
    return frozenset(topics)


def topics_of(subscription: bytes) -> list[str] | None:
    """As the member named them. None: it cannot be read.

    At an array length beyond the end Kafka throws, and cannot load the group's partition after a restart.
    """
    parsed = _parsed(ConsumerProtocolSubscription.DECODERS[0], subscription)
    return None if parsed is None else parsed.topics


def assigned_to(assignment: bytes) -> list[TopicPartition] | None:
    """None: it cannot be read."""
    parsed = _parsed(ConsumerProtocolAssignment.DECODERS[0], assignment)
    return None if parsed is None else parsed.assigned_partitions


def _parsed(decode: Decoder, data: bytes) -> Any:
    """Read as version 0, which all versions begin with; what follows is ignored."""
    if len(data) < _VERSION_BYTES:
        return None
    try:
        return decode(bytes(data), _VERSION_BYTES, len(data))[0]
    except WireError:
        return None
