"""The election of a protocol by the members."""

from __future__ import annotations

import pytest

from tidemark.groups.classic.protocols import vote
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol


def ballot(*names: str) -> list[JoinGroupRequestProtocol]:
    return [JoinGroupRequestProtocol(name) for name in names]


def test_the_protocol_with_most_votes_is_elected() -> None:
    assert vote([ballot("a", "b"), ballot("b", "a"), ballot("b", "a")]) == "b"


def test_only_a_protocol_that_all_members_support_is_elected() -> None:
    assert vote([ballot("a", "b"), ballot("a", "b"), ballot("b")]) == "b"


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        ("range", "roundrobin"),
        ("range", "cooperative-sticky"),
        ("roundrobin", "cooperative-sticky"),
        ("sticky", "range"),
        ("zeta", "alpha"),
        ("p1", "p2"),
    ],
)
def test_a_tie_is_decided_by_the_names_not_by_the_order_of_joins(winner: str, loser: str) -> None:
    assert vote([ballot(winner, loser), ballot(loser, winner)]) == winner
    assert vote([ballot(loser, winner), ballot(winner, loser)]) == winner
