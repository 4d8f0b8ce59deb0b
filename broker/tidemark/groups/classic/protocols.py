"""What a classic group makes of its members' protocols: the vote."""

from __future__ import annotations

from collections.abc import Sequence

from tidemark.groups.java import map_order
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol

Protocols = Sequence[JoinGroupRequestProtocol]


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
