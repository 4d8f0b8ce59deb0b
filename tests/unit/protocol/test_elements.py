"""Decoders of requests count the elements before they build them."""

from __future__ import annotations

import pytest

from tidemark_protocol.by_name import message_class
from tidemark_protocol.wire import TooManyElements

CASES = [
    ("DescribeGroups", 0, (1000).to_bytes(4, "big") + b"\0\1g" * 1000, 1000),
    ("OffsetFetch", 1, b"\0\1g" + b"\0\0\0\1" + b"\0\1t" + (1000).to_bytes(4, "big") + bytes(4000), 1001),
    # One topic with two partitions.
    ("DeleteRecords", 0, b"\0\0\0\1" + b"\0\1t" + b"\0\0\0\2" + bytes(28), 3),
    # 200 unknown tagged fields of no bytes, each with the tag 9
    ("Heartbeat", 4, b"\2g" + bytes(4) + b"\2m" + b"\0" + b"\xc8\x01" + b"\x09\0" * 200, 200),
    # 3 tagged fields, of which the decoder knows one
    ("Fetch", 12, bytes(25) + b"\1\1\1" + b"\3" + b"\0\1\0" + b"\x09\0" * 2, 3),
]


@pytest.mark.parametrize(
    ("api", "version", "body", "elements"),
    CASES,
    ids=["strings", "numbers", "structs", "unknown tags", "known tags"],
)
def test_a_request_with_more_elements_than_allowed_is_refused(
    api: str, version: int, body: bytes, elements: int
) -> None:
    decode = message_class(f"{api}Request").DECODERS[version]
    body += bytes(12)
    _, pos = decode(body, 0, len(body), elements)
    assert (_, pos) == decode(body, 0, len(body))
    with pytest.raises(TooManyElements):
        decode(body, 0, len(body), elements - 1)


def test_elements_are_counted_before_they_are_built() -> None:
    decode = message_class("DescribeGroupsRequest").DECODERS[0]
    with pytest.raises(TooManyElements):
        decode((1000).to_bytes(4, "big") + b"\xff" * 1000, 0, 1004, 999)
