"""Malformed frames: cut short, with wrong lengths, or with unknown tags.

Kafka closes the connection if it cannot parse a request, but it parses more than one would expect.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import pack
from typing import Any, Final

from tests.conformance.case import Talk, case
from tests.conformance.cases.versions import SERVED, words
from tests.conformance.pieces import Piece, frame, joined, length, pieces
from tests.wire import header, sized

INT16_MAX: Final = 2**15 - 1
INT32_MAX: Final = 2**31 - 1
REQUEST_BYTES_MAX: Final = 104857600  # socket.request.max.bytes
METADATA: Final = 3
HEARTBEAT: Final = 12
API_VERSIONS: Final = 18
TAG_COUNTS: Final = (10_000, 10_001, 20_000)


def sends(k: Talk, data: bytes) -> str:
    """Return the fate of these bytes on a connection of their own."""
    peer = k.connect()
    peer.send_raw(data)
    became = peer.fate()
    peer.close()
    return became


def fates(k: Talk, tries: dict[str, bytes]) -> None:
    for name, data in tries.items():
        k.keep(name, sends(k, data))


def ends(api: str) -> tuple[int, ...]:
    """The lowest and the highest version: one with fixed lengths, one with compact lengths."""
    low, high = SERVED[api]
    return (low, high) if low < high else (low,)


def bent_in_every_way(piece: Piece) -> dict[str, bytes]:
    """Return other bytes in place of a length."""
    one = length(1, compact=piece.compact, wide=piece.wide)
    tries = {"null": -1, "minus two": -2, "a hundred thousand": 100000, "most": INT32_MAX}
    if not (piece.compact or piece.wide):
        tries = {"null": -1, "minus two": -2, "most": INT16_MAX, "least": -INT16_MAX - 1}
    found = {name: length(count, compact=piece.compact, wide=piece.wide) for name, count in tries.items()}
    if piece.compact:
        found["one, in more bytes than it needs"] = bytes((one[0] | 0x80, 0x80, 0))
        found["in six bytes"] = b"\x82\x80\x80\x80\x80\x00"
    return found


def bent_tags() -> dict[str, bytes]:
    """Return other bytes in place of a section of tagged fields."""
    return {
        "an unknown one": b"\x01\x4d\x02ab",
        "an empty one": b"\x01\x4d\x00",
        "two": b"\x02\x4d\x01a\x4e\x01b",
        "the same twice": b"\x02\x4d\x01a\x4d\x01b",
        "descending": b"\x02\x4e\x01a\x4d\x01b",
        "the highest": b"\x01\xff\xff\xff\xff\x0f\x01a",
        "a longer one than there are bytes": b"\x01\x4d\xff\x7fab",
        "of a negative size": b"\x01\x4d\xff\xff\xff\xff\x0f",
        "more than there are bytes": b"\xff\x7f",
        "a negative number of them": b"\xff\xff\xff\xff\x0f",
        "the number in six bytes": b"\x80\x80\x80\x80\x80\x00",
    }


def _of_every_api(name: str, of_one: Callable[[Talk, str], None]) -> None:
    """Register a case for each served API, with the API's name as suffix."""

    def add(api: str) -> None:
        def run(k: Talk) -> None:
            of_one(k, api)

        run.__name__ = name.format(words(api))
        run.__module__ = __name__
        case(run)

    for api in SERVED:
        add(api)


def _cut(k: Talk, api: str) -> None:
    """Cut the request after each byte, with a correct size.

    Keep the lengths that are still a valid request.
    """
    for version in ends(api):
        whole = frame(api, version, joined(pieces(api, version, k.name("x"))))[4:]
        became = {cut: sends(k, sized(whole[:cut])) for cut in range(len(whole))}
        k.keep(f"v{version}", {cut: fate for cut, fate in became.items() if fate != "closed"})


def _lengths(k: Talk, api: str) -> None:
    for version in ends(api):
        found = pieces(api, version, k.name("x"))
        for at, piece in enumerate(found):
            if piece.kind == "length":
                tries = bent_in_every_way(piece)
                became = {
                    name: sends(k, frame(api, version, joined(found, at, data)))
                    for name, data in tries.items()
                }
                k.keep(f"v{version} {piece.field}", became)


def _tags(k: Talk, api: str) -> None:
    _, version = SERVED[api]
    found = pieces(api, version, k.name("x"))
    for at, piece in enumerate(found):
        if piece.kind == "tags":
            became = {
                name: sends(k, frame(api, version, joined(found, at, data)))
                for name, data in bent_tags().items()
            }
            k.keep(piece.field, became)


_of_every_api("{}_cut_after_any_byte", _cut)
_of_every_api("{}_with_wrong_lengths", _lengths)
_of_every_api("{}_with_unknown_tags", _tags)


@case
def tagged_fields_in_any_number(k: Talk) -> None:
    """In the header and in the body of a Heartbeat. They have the same tag, and no bytes."""
    sections = {
        str(count): length(count - 1, compact=True, wide=True) + bytes(2 * count) for count in TAG_COUNTS
    }
    sections["negative"] = b"\xff\xff\xff\xff\x0f"
    found = pieces("Heartbeat", 4, k.name("x"))
    for name, tags in sections.items():
        k.keep(f"{name} in the body", sends(k, frame("Heartbeat", 4, joined(found, len(found) - 1, tags))))
        head = header(HEARTBEAT, 4, flexible=True, tags=tags)
        k.keep(f"{name} in the header", sends(k, sized(head + joined(found))))


@case
def frame_sizes_that_no_request_has(k: Talk) -> None:
    sizes = (0, 1, 7, 8, 9, -1, -2, -(2**31), REQUEST_BYTES_MAX + 1, 2**31 - 1)
    fates(k, {str(size): pack(">i", size) + bytes(max(0, min(size, 9))) for size in sizes})


@case
def frame_of_the_largest_size_is_waited_for(k: Talk) -> None:
    k.send_raw(pack(">i", REQUEST_BYTES_MAX) + header(API_VERSIONS, 0))
    k.quiet()


@case(settings={"socket.request.max.bytes": "1000"})
def frame_of_a_size_past_the_limit(k: Talk) -> None:
    """The limit applies to the size field. A frame of exactly the limit is accepted."""
    head = header(API_VERSIONS, 0)
    for size in (999, 1000, 1001):
        k.keep(str(size), sends(k, sized(head + bytes(size - len(head)))))


@case
def frame_that_comes_byte_by_byte(k: Talk) -> None:
    whole = k.frame("ApiVersions", 0, {})
    for at in range(len(whole)):
        k.send_raw(whole[at : at + 1])
    k.expect("ApiVersions", 0)
    k.receive(lambda response: response["ErrorCode"])


@case
def frame_whose_size_comes_alone(k: Talk) -> None:
    whole = k.frame("ApiVersions", 0, {})
    for part in (whole[:2], whole[2:4]):
        k.send_raw(part)
        k.quiet(50)
    k.send_raw(whole[4:])
    k.expect("ApiVersions", 0)
    k.receive(lambda response: response["ErrorCode"])


@case
def frame_that_is_never_finished(k: Talk) -> None:
    k.send_raw(k.frame("ApiVersions", 0, {})[:-3])
    k.quiet()


@case
def frame_of_another_protocol(k: Talk) -> None:
    fates(
        k,
        {
            "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "TLS": bytes.fromhex("16030100c8010000c4030300000000000000000000000000000000000000000000"),
            "zeros": bytes(64),
            "ones": b"\xff" * 64,
        },
    )


@case
def api_keys_that_are_none(k: Talk) -> None:
    for key in (-1, -(2**15), 93, 94, 100, 255, 1000, 2**15 - 1):
        k.keep(str(key), sends(k, sized(header(key, 0) + bytes(64))))


@case
def api_keys_of_inter_broker_requests(k: Talk) -> None:
    """Clients may not send LeaderAndIsr to ControlledShutdown, or requests of controllers and Raft."""
    for key in (4, 5, 6, 7, 52, 53, 54, 56, 58, 59, 62, 63, 67, 70, 73, 82):
        k.keep(str(key), sends(k, sized(header(key, 0) + bytes(64))))


@case
def trailing_bytes_after_a_body_are_passed_over(k: Talk) -> None:
    group = k.group()
    for api, version in (("Heartbeat", 0), ("Heartbeat", 4), ("OffsetFetch", 1), ("OffsetFetch", 9)):
        body = joined(pieces(api, version, group))
        for more in (b"\0", b"\xff", bytes(1000)):
            k.keep(f"{api} v{version}, {len(more)} more", sends(k, frame(api, version, body + more)))


@case
def client_ids_of_every_kind(k: Talk) -> None:
    """null, empty, not UTF-8, of the largest length, longer than its frame."""
    body = b"\0\0\0\0"
    lengths: dict[str, bytes] = {
        "null": pack(">h", -1),
        "minus two": pack(">h", -2),
        "least": pack(">h", -(2**15)),
        "nothing": pack(">h", 0),
        "zero bytes": pack(">h", 3) + bytes(3),
        "no UTF-8": pack(">h", 4) + b"\xff\xfe\xc0\x80",
        "half a letter": pack(">h", 2) + b"\xe2\x82",
        "surrogates": pack(">h", 6) + b"\xed\xa0\xbd\xed\xb8\x80",
        "the longest": pack(">h", INT16_MAX) + b"x" * INT16_MAX,
        "one more than there is": pack(">h", 5),
        "far more than there is": pack(">h", INT16_MAX) + b"x" * 100,
    }
    for name, client_id in lengths.items():
        k.keep(name, sends(k, sized(pack(">hhi", METADATA, 1, 7) + client_id + body)))


@case
def client_ids_as_a_member_shows_them(k: Talk) -> None:
    for client_id in (b"", b"\xff\xfe", b"a\xc0\x80b", b"\xe2\x82", b"\xed\xa0\xbd\xed\xb8\x80", b" \n\0"):
        group = k.group()
        body = k.frame("JoinGroup", 0, _joining(group))[4 + 8 + 2 + 3 :]
        head = pack(">hhih", 11, 0, 1, len(client_id)) + client_id
        peer = k.connect()
        peer.frame("JoinGroup", 0, _joining(group))
        peer.expect("JoinGroup", 0)
        peer.send_raw(sized(head + body))
        peer.receive()
        described = k.do("DescribeGroups", 0, {"Groups": [group]})["Groups"][0]["Members"]
        k.keep("client ids", [member["ClientId"] for member in described])


def _joining(group: str) -> dict[str, Any]:
    return {
        "GroupId": group,
        "SessionTimeoutMs": 30000,
        "MemberId": "",
        "ProtocolType": "consumer",
        "Protocols": [{"Name": "range", "Metadata": ""}],
    }


@case
def header_tags_that_nobody_knows(k: Talk) -> None:
    """Heartbeat v4 has a flexible header."""
    for name, tags in bent_tags().items():
        head = header(HEARTBEAT, 4, flexible=False)
        body = joined(pieces("Heartbeat", 4, k.name("x")))
        k.keep(name, sends(k, sized(head + tags + body)))


@case
def header_of_the_other_kind(k: Talk) -> None:
    """Sends a flexible version with a header without tags, and the reverse."""
    group = k.name("x")
    for version in (3, 4):
        body = joined(pieces("Heartbeat", version, group))
        head = header(HEARTBEAT, version, flexible=version != 4)
        k.keep(f"v{version}", sends(k, sized(head + body)))


@case
def names_that_are_not_utf8_are_accepted(k: Talk) -> None:
    """Each malformed sequence becomes one replacement character, so that such names denote the same group."""
    topic = k.topic()
    k.group()
    for text in (b"\xff", b"\xc0\x80", b"\xed\xa0\xbd", b"\xe2\x82", b"\xf0\x9f\x98", b"a\x80b", b"\xf5\x80"):
        found = pieces("OffsetFetch", 1, topic)
        at = [index for index, piece in enumerate(found) if piece.field == "GroupId"]
        data = length(len(text), compact=False, wide=False) + text
        body = data + joined(found[at[-1] + 1 :])
        k.keep(text.hex(), sends(k, frame("OffsetFetch", 1, body)))


@case
def booleans_that_are_neither(k: Talk) -> None:
    """Any byte except 0 is true."""
    group, topic = k.group(), k.topic()
    asked = {"GroupId": group, "Topics": [{"Name": topic, "PartitionIndexes": [0]}], "RequireStable": True}
    whole = k.frame("OffsetFetch", 7, asked)
    for value in (b"\x02", b"\xff", b"\x7f"):
        k.keep(value.hex(), sends(k, whole[:-2] + value + whole[-1:]))


@case
def fetch_with_tags_that_are_known(k: Talk) -> None:
    """Tag 0 is the cluster id, tag 1 the replica.

    The size of a known tag is not checked against its value.
    """
    topic = k.topic()
    cluster = k.do("Metadata", 12, {"Topics": []})["ClusterId"].encode()
    nobody = b"\xff\xff\xff\xff" + b"\xff" * 8 + b"\0"
    tags = {
        "its cluster": b"\x01\0" + bytes((len(cluster) + 1, len(cluster) + 1)) + cluster,
        "another cluster": b"\x01\0\x06\x06other",
        "no cluster": b"\x01\0\x01\0",
        "no cluster, of a larger size": b"\x01\0\x40\0",
        "no cluster, of size zero": b"\x01\0\0\0",
        "a cluster longer than its frame": b"\x01\0\x06\x7fother",
        "a consumer": b"\x01\x01\x0d" + nobody,
        "a consumer, of size zero": b"\x01\x01\0" + nobody,
        "half a consumer": b"\x01\x01\x04\xff\xff\xff\xff",
        "both": b"\x02\0\x01\0\x01\x0d" + nobody,
        "both, the other way round": b"\x02\x01\x0d" + nobody + b"\0\x01\0",
        "one twice": b"\x02\0\x01\0\0\x06\x06other",
        "one that is unknown, too": b"\x02\0\x01\0\x4d\x01a",
    }
    found = pieces("Fetch", 15, topic)
    for name, data in tags.items():
        k.keep(name, sends(k, frame("Fetch", 15, joined(found, len(found) - 1, data))))


@case
def varints_of_the_largest_sizes(k: Talk) -> None:
    """A compact array claims 2^31 - 2 elements, or a number that wraps around to none."""
    tries = {
        "ffffffff07": "most",
        "8080808008": "wraps",
        "ffffffff0f": "null",
        "ffffffff1f": "more than 32 bits",
    }
    for data, name in tries.items():
        body = bytes.fromhex(data) + b"\0" * 8
        k.keep(name, sends(k, frame("DeleteGroups", 2, body)))
