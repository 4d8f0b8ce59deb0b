"""Faults are read strictly: a wrong field is one line that names it."""

from __future__ import annotations

from typing import Any

import pytest

from tidemark.faults.errors import check
from tidemark.faults.model import FIELDS, Fault, FaultFields, InvalidFault, read_fault, to_json
from tidemark_protocol.errors import ErrorCode

EVERY_FILTER: dict[str, Any] = {
    "api": "Produce",
    "versions": "3-9",
    "client_id": "shop",
    "principal": "User:ANONYMOUS",
    "topic": "orders",
    "partition": 1,
    "connection": 2,
    "every": 3,
}


def test_fault_is_shown_as_it_was_read() -> None:
    for action in (
        {"error": "NOT_LEADER_OR_FOLLOWER", "level": "partition"},
        {"delay_ms": 20, "when": "after"},
        {"drop": True},
        {"close": True, "when": "after"},
        {"throttle_ms": 5},
        {"truncate_bytes": 0},
        {"duplicate": True},
        {"block": True},
    ):
        values = {**EVERY_FILTER, **action, "times": 2, "for_ms": 1000}
        assert to_json(read_fault(values)) == values
    assert read_fault({"error": 16}) == Fault(error=ErrorCode.NOT_COORDINATOR)
    assert read_fault({"api": "Fetch", "versions": 4, "drop": True}).versions == (4, 4)
    assert read_fault({"drop": True, "once": True}).times == 1
    assert read_fault({"drop": True, "group": None}) == Fault(drop=True)


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        (3, "", "a fault must be an object with fields, not 3"),
        ({}, "error", "a fault needs one of error, delay_ms, drop"),
        ({"eror": "X"}, "eror", "unknown field 'eror'; did you mean 'error'?"),
        ({"api": "OfsetCommit", "drop": True}, "api", "got 'OfsetCommit'; did you mean 'OffsetCommit'?"),
        ({"error": "NOT_CORDINATOR"}, "error", "got 'NOT_CORDINATOR'; did you mean 'NOT_COORDINATOR'?"),
        ({"error": "NONE"}, "error", "error must be the name or code of an error of Kafka, got 'NONE'"),
        ({"error": True}, "error", "got True"),
        ({"error": 9999}, "error", "got 9999"),
        ({"drop": True, "close": True}, "close", "close cannot be combined with drop: add two faults"),
        ({"drop": 1}, "drop", "drop must be true or false, got 1"),
        ({"drop": True, "nth": 0}, "nth", "nth must be a whole number from 1 to"),
        ({"drop": True, "nth": 1, "every": 2}, "every", "every cannot be combined with nth"),
        ({"drop": True, "probability": 1.1}, "probability", "probability must be a number from 0 to 1"),
        ({"drop": True, "seed": 1}, "seed", "seed is valid with probability only"),
        ({"drop": True, "partition": 1}, "partition", "partition needs topic"),
        ({"drop": True, "versions": "1"}, "versions", "versions needs api"),
        ({"drop": True, "api": "Fetch", "versions": "4-1"}, "versions", "from the lower to the higher"),
        ({"drop": True, "api": "Fetch", "versions": "x"}, "versions", "got 'x'"),
        ({"drop": True, "when": "after"}, "when", "when is valid with delay_ms, close, block only"),
        ({"drop": True, "level": "top"}, "level", "level is valid with error only"),
        ({"drop": True, "times": 0}, "times", "times must be a whole number from 1 to"),
        ({"delay_ms": "20"}, "delay_ms", "delay_ms must be a whole number from 1 to"),
        ({"pause": True, "group": "g"}, "group", "group is not valid with pause"),
        ({"pause": True, "times": 1}, "times", "times is not valid with pause"),
        (
            {"coordinator_away": True, "group": "g", "transactional_id": "x"},
            "transactional_id",
            "coordinator_away accepts either group or transactional_id: add two faults",
        ),
        ({"disk": "sync"}, "errno", "a fault of the disk needs either errno or delay_ms"),
        (
            {"disk": "write", "delay_ms": 2**53},
            "delay_ms",
            f"delay_ms must be a whole number from 1 to 60000 with disk, got {2**53}",
        ),
        ({"disk": "read"}, "disk", "disk must be write or sync, got 'read'"),
        ({"drop": True, "errno": "EIO"}, "errno", "errno is valid with disk only"),
    ],
)
def test_wrong_field_is_named_in_one_line(values: Any, field: str, message: str) -> None:
    with pytest.raises(InvalidFault) as refused:
        read_fault(values)
    assert refused.value.field == field
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"api": "OffsetCommit", "error": 16, "level": "top"},
            "level must be partition for OffsetCommit, got 'top'",
        ),
        ({"api": "WriteTxnMarkers", "throttle_ms": 5}, "throttle_ms: WriteTxnMarkers has no ThrottleTimeMs"),
        ({"api": "Vote", "drop": True}, "api must be an API that tidemark serves, got 'Vote'"),
    ],
)
def test_fault_that_no_request_can_meet_or_no_response_can_carry_is_refused(
    values: Any, message: str
) -> None:
    with pytest.raises(InvalidFault, match=message):
        check(read_fault(values))


def test_json_form_has_every_field() -> None:
    assert {*FaultFields.__annotations__} == {*FIELDS}
