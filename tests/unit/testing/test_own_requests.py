"""Faults and the fixture's own requests."""

from __future__ import annotations

import time

import pytest

from tests.unit.testing.committing import ask
from tidemark.seeding import FIXTURE_CLIENT_ID
from tidemark_testing import Refused, Tidemark
from tidemark_tools.client.errors import ClientError

FAST_S = 5.0  # far below the 30 s for which the fixture waits by default


@pytest.mark.parametrize(
    "fault",
    [
        {"drop": True},
        {"error": "NOT_LEADER_OR_FOLLOWER"},
        {"api": "Produce", "error": "NOT_LEADER_OR_FOLLOWER", "once": True},
        {"api": "Fetch", "topic": "orders", "close": True},
        {"block": True},
        {"pause": True},
        {"delay_ms": 60_000},
        {"coordinator_away": True},
    ],
    ids=str,
)
def test_faults_do_not_apply_to_own_requests(tidemark: Tidemark, fault: dict[str, object]) -> None:
    tidemark.topic("orders")
    made = tidemark.faults.add(**fault)  # type: ignore[arg-type]
    tidemark.topic("returns")
    tidemark.produce("orders", "one order")
    assert [each.text for each in tidemark.records("orders", count=1)] == ["one order"]
    tidemark.create_topics({"topics": {"bills": {}}, "groups": {"billing": {"orders": 1}}})
    assert tidemark.api("").post("/v1/records", {"topic": "orders", "records": ["two"]})
    assert made.matched == made.seen == 0
    assert made.active


def test_a_fault_that_names_their_client_applies(tidemark: Tidemark) -> None:
    tidemark.topic("orders")
    fault = tidemark.faults.add(
        client_id=FIXTURE_CLIENT_ID, api="Produce", error="TOPIC_AUTHORIZATION_FAILED", once=True
    )
    with pytest.raises(Refused, match="TOPIC_AUTHORIZATION_FAILED") as refused:
        tidemark.produce("orders", "one order")
    (note,) = refused.value.__notes__
    assert note.startswith(f"fault {fault.id} applies to the fixture's own requests: {{'api': 'Produce'")
    assert fault.matched == 1
    tidemark.produce("orders", "one order")
    assert not tidemark.requests(api="Produce")
    assert len(tidemark.requests(api="Produce", client_id=FIXTURE_CLIENT_ID)) == 2


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"api": "Fetch", "drop": True}, "did not respond to Fetch in time"),
        ({"api": "Fetch", "error": "NOT_LEADER_OR_FOLLOWER"}, "Fetch still gets NOT_LEADER_OR_FOLLOWER"),
    ],
    ids=["drop", "error"],
)
def test_timeout_bounds_own_requests(tidemark: Tidemark, fault: dict[str, object], message: str) -> None:
    tidemark.topic("orders")
    tidemark.produce("orders", "one order")
    made = tidemark.faults.add(client_id=FIXTURE_CLIENT_ID, **fault)  # type: ignore[arg-type]
    began = time.monotonic()
    with pytest.raises(ClientError, match=message) as failed:
        tidemark.records("orders", count=1, timeout=0.2)
    assert time.monotonic() - began < FAST_S
    assert f"fault {made.id} " in failed.value.__notes__[0]


def test_refused_connections_are_named(tidemark: Tidemark) -> None:
    tidemark.topic("orders")
    with tidemark.faults.add(refuse_connections=True) as fault:
        with pytest.raises(ClientError) as failed:
            tidemark.produce("orders", "one order", timeout=0.2)
        assert f"fault {fault.id} " in failed.value.__notes__[0]
    assert ask(tidemark.bootstrap_servers, "ListGroups", 4, {}).groups == []
