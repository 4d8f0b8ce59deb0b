"""Requests of the consumer protocol that no client may send."""

from __future__ import annotations

import re
from typing import Final

from tests.conformance.case import Talk, case
from tests.conformance.pieces import Piece, length, pieces
from tests.wire import header, sized

VERSION_AT: Final = 6  # in a frame with its size
APIS: Final = {"ConsumerGroupHeartbeat": 68, "ConsumerGroupDescribe": 69}


def send(k: Talk, api: str, version: int, body: bytes) -> None:
    """Send a request with this body, and keep whether the broker answers or closes the connection."""
    peer = k.connect()
    peer.send_raw(sized(header(APIS[api], version, 1, "raw", flexible=True) + body))
    k.keep(f"{api} v{version}", peer.fate())


def _add_version_case(api: str, version: int, when: str) -> None:
    def run(k: Talk) -> None:
        frame = bytearray(k.frame(api, 0, {}))
        frame[VERSION_AT : VERSION_AT + 2] = version.to_bytes(2, "big", signed=True)
        k.send_raw(bytes(frame))
        k.closed()

    run.__name__ = f"{re.sub('(?<!^)(?=[A-Z])', '_', api).lower()}_{when}"
    case(run)


for _api in APIS:
    _add_version_case(_api, 2, "after_its_last_version")
    _add_version_case(_api, -1, "before_its_first_version")


def changed(found: list[Piece], at: int, instead: bytes) -> bytes:
    return b"".join(instead if index == at else piece.data for index, piece in enumerate(found))


@case(versions=range(2))
def consumer_heartbeat_with_null_in_each_field(k: Talk, version: int) -> None:
    """Null is allowed in nullable fields only."""
    found = pieces("ConsumerGroupHeartbeat", version, "x")
    for index, piece in enumerate(found):
        if piece.kind == "length" and index + 1 < len(found):
            rest = _of_length(found, index)
            body = b"".join(p.data for p in found[:index]) + length(-1, compact=True, wide=piece.wide) + rest
            k.keep("field", piece.field)
            send(k, "ConsumerGroupHeartbeat", version, body)


def _of_length(found: list[Piece], index: int) -> bytes:
    """Return what follows the string or the array whose length this is."""
    field = found[index].field
    after = [p for p in found[index + 1 :] if not (p.field == field or p.field.startswith(f"{field}."))]
    return b"".join(p.data for p in after)


@case(versions=range(2))
def consumer_heartbeat_that_ends_too_early(k: Talk, version: int) -> None:
    found = pieces("ConsumerGroupHeartbeat", version, "x")
    whole = b"".join(piece.data for piece in found)
    for cut in (1, 2, len(whole) // 2, len(whole)):
        send(k, "ConsumerGroupHeartbeat", version, whole[: len(whole) - cut])
    send(k, "ConsumerGroupHeartbeat", version, whole + b"\0")
    send(k, "ConsumerGroupHeartbeat", version, whole + b"more")


@case(versions=range(2))
def consumer_heartbeat_with_a_huge_length(k: Talk, version: int) -> None:
    found = pieces("ConsumerGroupHeartbeat", version, "x")
    for index, piece in enumerate(found):
        if piece.kind == "length":
            for count in (100, 2_000_000_000):
                k.keep("field", piece.field)
                body = changed(found, index, length(count, compact=True, wide=piece.wide))
                send(k, "ConsumerGroupHeartbeat", version, body)


@case(versions=range(2))
def consumer_group_describe_with_null(k: Talk, version: int) -> None:
    send(k, "ConsumerGroupDescribe", version, b"\0\0\0")
    send(k, "ConsumerGroupDescribe", version, b"\2\0\0\0")
    send(k, "ConsumerGroupDescribe", version, b"\1\0\0")


@case
def consumer_heartbeat_with_unknown_tags(k: Talk) -> None:
    """Tagged fields that the broker does not know are ignored."""
    found = pieces("ConsumerGroupHeartbeat", 1, "x")
    assert found[-1].kind == "tags"
    send(k, "ConsumerGroupHeartbeat", 1, changed(found, len(found) - 1, b"\1\x63\3abc"))
    send(k, "ConsumerGroupHeartbeat", 1, changed(found, len(found) - 1, b"\1\x63\4abc"))


@case
def consumer_heartbeat_with_text_that_is_not_utf_8(k: Talk) -> None:
    found = pieces("ConsumerGroupHeartbeat", 1, "x")
    for index, piece in enumerate(found):
        if piece.kind == "string":
            k.keep("field", piece.field)
            send(k, "ConsumerGroupHeartbeat", 1, changed(found, index, b"\xff"))
