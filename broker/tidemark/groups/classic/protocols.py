"""The protocols of a classic group's members, and how they elect one."""

from __future__ import annotations

from collections.abc import Sequence

from tidemark.core.java import map_order
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol

Protocols = Sequence[JoinGroupRequestProtocol]


def names(protocols: Protocols) -> set[str]:
    return {protocol.name for protocol in protocols}


def metadata_of(protocols: Protocols, name: str | None) -> bytes:
    """Return the metadata of the protocol, or b"" if it is not among them."""
    return next((protocol.metadata for protocol in protocols if protocol.name == name), b"")


def vote(ballots: Sequence[Protocols]) -> str:
    """Return the protocol that most members prefer among those that all support.

    The order of Java's HashMap decides a tie. Kafka: ClassicGroup.selectProtocol.
    """
    candidates = set.intersection(*map(names, ballots))
    assert candidates, "members without a common protocol joined"
    votes: dict[str, int] = {}
    for ballot in ballots:
        choice = next(protocol.name for protocol in ballot if protocol.name in candidates)
        votes[choice] = votes.get(choice, 0) + 1
    return max(map_order(votes, java_hash), key=votes.__getitem__)
