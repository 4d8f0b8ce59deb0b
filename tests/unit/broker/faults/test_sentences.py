"""The sentence about a fault says which requests it applies to, what happens, and how many there were."""

from __future__ import annotations

from typing import Any

import pytest

from tidemark.faults.model import ACTIONS, Fault, read_fault
from tidemark.faults.sentences import explain_fault


@pytest.mark.parametrize(
    ("fields", "matched", "sentence"),
    [
        ({"api": "OffsetCommit", "group": "billing", "error": "NOT_COORDINATOR", "times": 3}, 1,
         "The next 2 OffsetCommit of group billing get NOT_COORDINATOR; 1 of 3 matched."),
        ({"api": "OffsetCommit", "group": "billing", "error": "NOT_COORDINATOR", "times": 2}, 1,
         "The next OffsetCommit of group billing gets NOT_COORDINATOR; 1 of 2 matched."),
        ({"error": "UNKNOWN_SERVER_ERROR", "level": "top"}, 0,
         "Each request gets UNKNOWN_SERVER_ERROR (level top); none matched."),
        ({"api": "Fetch", "versions": "4-11", "topic": "a b", "partition": 2, "delay_ms": 5, "nth": 22}, 0,
         'The 22nd Fetch v4 to v11 of topic "a b" partition 2 waits 5 ms before the decision; none matched.'),
        ({"client_id": "app", "principal": "User:ANONYMOUS", "drop": True, "times": 2}, 0,
         "The next 2 requests of client app, of principal User:ANONYMOUS are decided, but get no response; "
         "0 of 2 matched."),
        ({"api": "Produce", "versions": 3, "close": True, "when": "after", "every": 11}, 4,
         "Every 11th Produce v3 loses its connection after the decision; 4 matched."),
        ({"api": "Produce", "throttle_ms": 9, "probability": 0.5, "for_ms": 1000}, 2,
         "With a probability of 0.5, each Produce is throttled by 9 ms for 1000 ms; 2 matched."),
        ({"api": "Fetch", "truncate_bytes": 7, "times": 1}, 0,
         "The next Fetch gets 7 bytes of its response, then the connection closes; 0 of 1 matched."),
        ({"api": "EndTxn", "transactional_id": "shop", "duplicate": True}, 0,
         "Each EndTxn of transactional id shop gets its response twice; none matched."),
        ({"connection": 4, "block": True}, 1,
         "Each request of connection 4 waits before the decision until this fault is released; 1 matched."),
        ({"disk": "sync", "delay_ms": 5}, 0, "Each sync of the disk needs 5 ms longer; none matched."),
        ({"disk": "write", "errno": "ENOSPC", "times": 1}, 0,
         "The next write of the disk fails with ENOSPC; 0 of 1 matched."),
        ({"pause": True, "for_ms": 10}, 0,
         "The broker decides no request and sends no response for 10 ms; none matched."),
        ({"pause": True, "node_id": 2}, 0,
         "Broker 2 decides no request and sends no response; none matched."),
        ({"api": "Fetch", "node_id": 2, "topic": "t", "error": "NOT_LEADER_OR_FOLLOWER", "times": 1}, 0,
         "The next Fetch to broker 2 of topic t gets NOT_LEADER_OR_FOLLOWER; 0 of 1 matched."),
        ({"refuse_connections": True, "node_id": 3}, 0,
         "Each new connection to broker 3 is closed at once; none matched."),
        ({"coordinator_away": True, "group": "g", "node_id": 1}, 0,
         "The coordinator of group g on broker 1 is away; none matched."),
        ({"refuse_connections": True, "times": 2}, 0,
         "The next 2 new connections are closed at once; 0 of 2 matched."),
        ({"coordinator_away": True, "group": "<b>", "loading_ms": 5}, 3,
         'The coordinator of group "<b>" is away, and loads for 5 ms when it is back; 3 matched.'),
    ],
)  # fmt: skip
def test_fault_is_a_sentence(fields: dict[str, Any], matched: int, sentence: str) -> None:
    assert explain_fault(read_fault(fields), matched, active=True) == sentence


def test_fault_that_has_ended_says_so() -> None:
    fault = read_fault({"api": "Fetch", "drop": True, "times": 2})
    sentence = "Ended: The next 2 Fetch are decided, but get no response; 2 matched."
    assert explain_fault(fault, 2, active=False) == sentence


def test_every_action_has_a_sentence() -> None:
    values = {"error": "NOT_COORDINATOR", "disk": "write"}
    for action in ACTIONS:
        is_flag = isinstance(getattr(Fault(), action), bool)
        fields = {action: values.get(action, True if is_flag else 5)}
        if action == "disk":
            fields["errno"] = "EIO"
        assert explain_fault(read_fault(fields), 0, active=True).endswith("; none matched.")
