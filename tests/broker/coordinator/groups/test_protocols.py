"""The vote, and subscriptions."""

from __future__ import annotations

import pytest

from tests.broker.coordinator.groups.driver import subscription
from tidemark.coordinator.groups.protocols import vote
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol
from tidemark_protocol.subscriptions import subscribed_topics


def ballot(*names: str) -> list[JoinGroupRequestProtocol]:
    return [JoinGroupRequestProtocol(name) for name in names]


def test_most_votes_win() -> None:
    assert vote([ballot("a", "b"), ballot("b", "a"), ballot("b", "a")]) == "b"


def test_only_what_all_support_can_win() -> None:
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
def test_a_tie_is_decided_by_the_names_and_not_by_who_came_first(winner: str, loser: str) -> None:
    assert vote([ballot(winner, loser), ballot(loser, winner)]) == winner
    assert vote([ballot(loser, winner), ballot(winner, loser)]) == winner


def test_the_topics_are_those_of_all_members() -> None:
    assert subscribed_topics("consumer", [subscription("a"), subscription("b")]) == frozenset({"a", "b"})


def test_the_version_is_ignored_and_so_is_what_follows_version_0() -> None:
    metadata = b"\x00\x03" + subscription("a")[2:] + b"\x00\x00\x00\x00trailing"
    assert subscribed_topics("consumer", [metadata]) == frozenset({"a"})


def test_one_member_that_cannot_be_read_makes_the_topics_unknown() -> None:
    assert subscribed_topics("consumer", [subscription("a"), b"\x00"]) is None


def test_no_members_subscribe_to_nothing() -> None:
    assert subscribed_topics("consumer", []) == frozenset()


def test_only_consumer_groups_subscribe() -> None:
    assert subscribed_topics("connect", [subscription("a")]) is None
    assert subscribed_topics(None, []) is None
