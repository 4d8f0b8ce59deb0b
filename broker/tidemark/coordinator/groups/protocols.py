"""What a classic group makes of its members' protocols: the vote, and the topics of a consumer group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tidemark.coordinator.groups.java import map_order
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol
from tidemark_protocol.records.consumer_protocol_subscription import ConsumerProtocolSubscription
from tidemark_protocol.wire import WireError

CONSUMER: Final = "consumer"

Protocols = Sequence[JoinGroupRequestProtocol]

_parse_subscription: Final = ConsumerProtocolSubscription.DECODERS[0]


def names(protocols: Protocols) -> set[str]:
    return {protocol.name for protocol in protocols}


def metadata_of(protocols: Protocols, name: str | None) -> bytes:
    """b"" where the protocol is not among them."""
    return next((protocol.metadata for protocol in protocols if protocol.name == name), b"")


def vote(ballots: Sequence[Protocols]) -> str:
    """The protocol that most put first among those that all support; a tie is decided by name (1.5)."""
    candidates = set.intersection(*map(names, ballots))
    assert candidates, "members without a common protocol were let in"
    votes: dict[str, int] = {}
    for ballot in ballots:
        choice = next(protocol.name for protocol in ballot if protocol.name in candidates)
        votes[choice] = votes.get(choice, 0) + 1
    return max(map_order(votes, java_hash), key=votes.__getitem__)


def subscribed_topics(protocol_type: str | None, subscriptions: Iterable[bytes]) -> frozenset[str] | None:
    """None: not known, because the group is no consumer group or a member's metadata does not parse."""
    if protocol_type != CONSUMER:
        return None
    topics: set[str] = set()
    for subscription in subscriptions:
        parsed = _topics(subscription)
        if parsed is None:
            return None
        topics.update(parsed)
    return frozenset(topics)


def _topics(subscription: bytes) -> list[str] | None:
    """Read as version 0, which all versions begin with; what follows is ignored. None: it cannot be read.

    At an array length beyond the end Kafka throws, and cannot load the group's partition after a restart.
    """
    if len(subscription) < 2:
        return None
    try:
        parsed, _ = _parse_subscription(bytes(subscription), 2, len(subscription))
    except WireError:
        return None
    topics: list[str] = parsed.topics
    return topics
