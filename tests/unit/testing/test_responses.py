"""Responses of /v1 become objects."""

from __future__ import annotations

from typing import get_args

from tidemark.core.decision import Cause as BrokersCause
from tidemark_testing import Cause, EndedSession, Member, Moved, Transaction
from tidemark_testing.responses import read


def test_causes_are_those_of_the_broker() -> None:
    assert get_args(Cause) == tuple(BrokersCause)


def test_objects_in_lists_are_read_and_fields_of_a_later_version_are_ignored() -> None:
    content = {
        "now_ms": 2,
        "moved_ms": 1,
        "later": 3,
        "sessions": [{"group": "g", "member_id": "m", "later": 1}],
    }
    assert read(Moved, content) == Moved(2, 1, sessions=[EndedSession("g", "m")])


def test_dicts_and_missing_lists_stay() -> None:
    member = read(Member, {"member_id": "m", "subscription": ["orders"], "assigned": {"orders": [0]}})
    assert (member.subscription, member.assigned, member.target) == (["orders"], {"orders": [0]}, None)
    found = read(
        Transaction, {"transactional_id": "t", "state": "Empty", "producer_id": 1, "producer_epoch": 0}
    )
    assert found.partitions == []
