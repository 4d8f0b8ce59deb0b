"""tests/conformance/cases/acls.py compares filters with Kafka's."""

from __future__ import annotations

import pytest

from tidemark.authorization.acls import PatternType, filter_error, matches
from tidemark_protocol.messages.describe_acls import DescribeAclsRequest
from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord

ANY = 1


def wanted(name: str | None = None, pattern: int = PatternType.ANY, **more: int | str) -> DescribeAclsRequest:
    request = DescribeAclsRequest(ANY, name, pattern, None, None, ANY, ANY)
    for field, value in more.items():
        setattr(request, field, value)
    return request


def acl(name: str, pattern: int) -> AccessControlEntryRecord:
    return AccessControlEntryRecord(bytes(16), 2, name, pattern, "User:alice", "*", 3, 3)


@pytest.mark.parametrize(
    ("request_", "name", "pattern", "passes"),
    [
        (wanted(), "orders", PatternType.LITERAL, True),
        (wanted("orders"), "orders", PatternType.PREFIXED, True),
        (wanted("orders"), "ord", PatternType.PREFIXED, False),
        (wanted("orders", PatternType.MATCH), "ord", PatternType.PREFIXED, True),
        (wanted("orders", PatternType.MATCH), "ord", PatternType.LITERAL, False),
        (wanted("orders", PatternType.MATCH), "*", PatternType.LITERAL, True),
        (wanted("orders", PatternType.LITERAL), "*", PatternType.LITERAL, False),
        (wanted("orders", PatternType.PREFIXED), "orders", PatternType.LITERAL, False),
        (wanted(principal_filter="User:bob"), "orders", PatternType.LITERAL, False),
        (wanted(host_filter="10.0.0.1"), "orders", PatternType.LITERAL, False),
        (wanted(operation=4), "orders", PatternType.LITERAL, False),
        (wanted(permission_type=2), "orders", PatternType.LITERAL, False),
        (wanted(resource_type_filter=3), "orders", PatternType.LITERAL, False),
    ],
)
def test_a_filter_finds_its_acls(
    request_: DescribeAclsRequest, name: str, pattern: int, passes: bool
) -> None:
    assert matches(request_, acl(name, pattern)) is passes


def test_codes_that_do_not_exist_are_errors() -> None:
    assert filter_error(wanted()) is None
    assert filter_error(wanted(resource_type_filter=8)) == "Unknown patternFilter."
    assert filter_error(wanted(pattern=5)) == "Unknown patternFilter."
    assert filter_error(wanted(operation=16)) == "Unknown entryFilter."
    assert filter_error(wanted(permission_type=4)) == "Unknown entryFilter."
