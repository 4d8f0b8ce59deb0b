from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.broker.story import finished
from tidemark.core.context import Caller
from tidemark.core.decision import CloseConnection
from tidemark.engine.request import PendingRequest
from tidemark.handlers import routes
from tidemark.server.router import Router
from tidemark.server.session import SAMPLE, ConnectionState, Session
from tidemark.settings.broker import BrokerSettings
from tidemark.settings.release import RELEASES
from tidemark.turns import Turns
from tidemark_protocol import decode, encode, from_dict
from tidemark_protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from tidemark_protocol.messages.metadata import MetadataResponse, MetadataResponseTopic
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_protocol.wire import Bytes, TagCountError, skip_tags

PRODUCE, FETCH, METADATA, HEARTBEAT, API_VERSIONS = 0, 1, 3, 12, 18


NEGATIVE_COUNT = bytes.fromhex("ffffffff0f")
MANY_TAGS = bytes.fromhex("914e") + bytes(2 * 10_001)


class EndlessTurns(Turns):
    def spend(self, cost: int = 1) -> bool:
        return False


class NothingSubmitted:
    """These tests fill in the responses themselves."""

    def machine(self, name: str) -> None:
        pass

    def enter(self, caller: Caller) -> None:
        raise AssertionError

    def respond(self, pending: PendingRequest, response: Any) -> None:
        raise AssertionError

    def submit(self, pending: PendingRequest) -> None:
        raise AssertionError


def a_router(table: dict[int, routes.Route], release: str = "") -> Router:
    versions = {key: route.versions for key, route in table.items()}
    return Router(table, versions, NothingSubmitted(), RELEASES[release])  # type: ignore[arg-type]  # the part that it needs


def received(session: Session, data: bytes) -> list[PendingRequest]:
    """Return the requests that data completes. None of them is parked."""
    requests: list[PendingRequest] = []

    def submit(pending: PendingRequest) -> None:
        requests.append(pending)
        pending.answered = True

    session.receive(data, submit)
    return requests


def a_session(
    *,
    in_flight_max: int = 10,
    frame_bytes_max: int = 1000,
    state: ConnectionState = ConnectionState.READY,
    steady_ms: Callable[[], int] = lambda: 0,
    release: str = "",
) -> Session:
    router = a_router(routes.load(), release)
    return Session(
        router.served,
        router.resolve,
        SimpleNamespace(  # type: ignore[arg-type]  # the part of a connection that it needs
            ready=lambda: None,
            hang_up=lambda reason: None,
            end=lambda reason: None,
            finish=lambda: None,
            may_serve=lambda size: True,
            decode=lambda pending: None,
            shrink_reservation=lambda memory: None,
            turns=EndlessTurns(lambda: 0),
            steady_ms=steady_ms,
        ),
        BrokerSettings(
            socket_request_max_bytes=frame_bytes_max,
            tidemark_connection_requests_max=in_flight_max,
            tidemark_connection_unsent_max_bytes=4_000_000,
            tidemark_request_elements_max=1000,
        ),
        state=state,
    )


def a_frame(
    api_key: int,
    version: int,
    correlation_id: int,
    body: bytes,
    *,
    client_id: bytes | None = b"me",
    tags: bytes = b"",
) -> bytes:
    name = struct.pack(">h", -1) if client_id is None else struct.pack(">h", len(client_id)) + client_id
    request = struct.pack(">hhi", api_key, version, correlation_id) + name + tags + body
    return struct.pack(">i", len(request)) + request


def a_heartbeat(correlation_id: int, group: str = "g") -> bytes:
    body = encode("HeartbeatRequest", 4, from_dict("HeartbeatRequest", {"GroupId": group, "MemberId": "m"}))
    return a_frame(HEARTBEAT, 4, correlation_id, body, tags=b"\x00")


def answer(session: Session, pending: PendingRequest, error_code: int = 0) -> None:
    response: Any = from_dict("HeartbeatResponse", {"ErrorCode": error_code})
    session.fill(pending, pending.served.frame(pending.correlation_id, response))


def correlation_ids(frames: list[Bytes]) -> list[int]:
    return [struct.unpack_from(">ii", frame)[1] for frame in frames]


def test_request_is_decoded_with_its_header() -> None:
    (pending,) = received(a_session(), a_heartbeat(7, "readers"))
    assert (pending.served.route.name, pending.api_version, pending.correlation_id, pending.client_id) == (
        "Heartbeat",
        4,
        7,
        "me",
    )
    assert pending.body.group_id == "readers"


def test_long_client_id_is_not_kept_with_its_connection() -> None:
    session = a_session(frame_bytes_max=40_000)
    body = encode("HeartbeatRequest", 4, from_dict("HeartbeatRequest", {"GroupId": "g", "MemberId": "m"}))
    long = 32_000 * b"a"
    frames = [
        a_frame(HEARTBEAT, 4, n, body, client_id=who, tags=b"\0") for n, who in enumerate((b"me", long))
    ]
    requests = list(received(session, b"".join(frames)))
    assert [each.client_id for each in requests] == ["me", long.decode()]
    assert session._client_id == "me"
    (third,) = received(session, frames[0])
    assert third.client_id == "me"


def test_response_counts_as_unsent_while_it_waits_until_it_is_durable() -> None:
    session = a_session()
    (pending,) = received(session, a_heartbeat(1))
    frame = b"a response"
    session.unsent += len(frame)  # as `Runtime._respond` does
    assert session.unsent == len(frame)
    assert session.data_to_send() == []
    session.fill(pending, frame, was_held=True)
    assert session.data_to_send() == [frame]
    assert session.unsent == 0


def test_null_client_id_is_decoded_as_empty() -> None:
    session = a_session()
    (first,) = received(session, a_heartbeat(1))
    body = encode("HeartbeatRequest", 4, from_dict("HeartbeatRequest", {"GroupId": "g", "MemberId": "m"}))
    (second,) = received(session, a_frame(HEARTBEAT, 4, 2, body, client_id=None, tags=b"\x00"))
    assert (first.client_id, second.client_id) == ("me", "")


@given(st.lists(st.integers(1, 9), max_size=40))
def test_requests_do_not_depend_on_how_their_bytes_are_split(cuts: list[int]) -> None:
    stream = b"".join(a_heartbeat(number, "g" * number) for number in range(1, 6))
    session, seen, pos = a_session(), [], 0
    for size in [*cuts, len(stream)]:
        seen += [
            (pending.correlation_id, pending.body.group_id)
            for pending in received(session, stream[pos : pos + size])
        ]
        pos += size
    assert seen == [(number, "g" * number) for number in range(1, 6)]


def test_responses_leave_in_the_order_of_their_requests() -> None:
    session = a_session()
    first, second, third = received(session, a_heartbeat(1) + a_heartbeat(2) + a_heartbeat(3))
    answer(session, third)
    answer(session, second)
    assert session.data_to_send() == []
    answer(session, first)
    assert correlation_ids(session.data_to_send()) == [1, 2, 3]


def test_parked_request_holds_back_those_behind_it() -> None:
    session = a_session()
    seen: list[PendingRequest] = []
    session.receive(a_heartbeat(1) + a_heartbeat(2), seen.append)
    assert [pending.correlation_id for pending in seen] == [1]
    assert received(session, a_heartbeat(3)) == []
    answer(session, seen[0])
    assert [pending.correlation_id for pending in received(session, b"")] == [2, 3]


def test_requests_in_flight_are_bounded() -> None:
    session = a_session(in_flight_max=2)
    first, _ = received(session, b"".join(a_heartbeat(number) for number in range(5)))
    answer(session, first)
    session.data_to_send()
    (third,) = received(session, b"")
    assert third.correlation_id == 2


def test_unsent_responses_hold_back_further_requests() -> None:
    session = a_session()
    (first,) = received(session, a_heartbeat(1))
    session.fill(first, bytes(5 * 1024 * 1024))
    assert received(session, a_heartbeat(2)) == []
    session.data_to_send()
    assert [pending.correlation_id for pending in received(session, b"")] == [2]


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">i", -1),
        struct.pack(">i", 1001),
        struct.pack(">i", 2**31 - 1),
        struct.pack(">i", 0),
        struct.pack(">ihh", 4, METADATA, 1),
        a_frame(999, 0, 1, b""),
        a_frame(-1, 0, 1, b""),
        a_frame(HEARTBEAT, 5, 1, b""),
        a_frame(HEARTBEAT, -1, 1, b""),
        a_frame(HEARTBEAT, 0, 1, b"\x00\x05ab"),
        a_frame(HEARTBEAT, 0, 1, struct.pack(">h", -1)),
        a_frame(METADATA, 1, 1, struct.pack(">i", 2**31 - 1)),
    ],
)
def test_malformed_request_raises_close_connection(data: bytes) -> None:
    with pytest.raises(CloseConnection):
        received(a_session(), data)


def test_wrong_length_never_reads_into_the_next_frame() -> None:
    lying = a_frame(HEARTBEAT, 0, 1, struct.pack(">h", 20) + b"ab")
    with pytest.raises(CloseConnection):
        list(received(a_session(), lying + a_heartbeat(2)))


def test_trailing_bytes_after_a_body_are_tolerated() -> None:
    frame = a_heartbeat(1)[4:] + b"trailing"
    (pending,) = received(a_session(), struct.pack(">i", len(frame)) + frame)
    assert pending.body.group_id == "g"


def test_unknown_tags_in_a_header_are_tolerated() -> None:
    body = encode("HeartbeatRequest", 4, from_dict("HeartbeatRequest", {"GroupId": "g"}))
    (pending,) = received(a_session(), a_frame(HEARTBEAT, 4, 1, body, tags=b"\x02\x09\x01a\x03\x00"))
    assert pending.body.group_id == "g"


@pytest.mark.parametrize("tags", [NEGATIVE_COUNT, MANY_TAGS], ids=["negative", "many"])
def test_any_number_of_tagged_fields_is_read_as_4_3_only(tags: bytes) -> None:
    body = encode("HeartbeatRequest", 4, from_dict("HeartbeatRequest", {"GroupId": "g"}))
    for data in (
        a_frame(HEARTBEAT, 4, 1, body, tags=tags),
        a_frame(HEARTBEAT, 4, 1, body.removesuffix(b"\0") + tags, tags=b"\0"),
    ):
        (pending,) = received(a_session(release="4.3", frame_bytes_max=30_000), data)
        assert pending.body.group_id == "g"
        # The next reading is strict again.
        with pytest.raises(TagCountError):
            skip_tags(tags, 0, len(tags))
        for release in ("4.4", ""):
            with pytest.raises(CloseConnection, match="0 to 10000 are allowed"):
                received(a_session(release=release, frame_bytes_max=30_000), data)


def test_invalid_utf_8_is_tolerated() -> None:
    body = struct.pack(">h", 2) + b"\xff\xfe" + struct.pack(">ih", 0, 0)
    (pending,) = received(a_session(), a_frame(HEARTBEAT, 0, 1, body))
    assert pending.body.group_id == "��"


def test_unknown_version_of_api_versions_gets_a_v0_response() -> None:
    (pending,) = received(a_session(), a_frame(API_VERSIONS, 99, 5, b"whatever", tags=b"\x00"))
    assert pending.api_version == -1
    response: Any = from_dict(
        "ApiVersionsResponse", {"ErrorCode": 35, "ApiKeys": [{"ApiKey": 18, "MaxVersion": 4}]}
    )
    frame = pending.served.frame(5, response)
    # Recorded from Kafka 4.3.1.
    assert frame[8:] == bytes.fromhex("0023 00000001 0012 0000 0004".replace(" ", ""))


def test_api_versions_response_has_the_old_header_in_every_version() -> None:
    body = encode("ApiVersionsRequest", 3, from_dict("ApiVersionsRequest", {}))
    (pending,) = received(a_session(), a_frame(API_VERSIONS, 3, 5, body, tags=b"\x00"))
    frame = pending.served.frame(5, from_dict("ApiVersionsResponse", {"ErrorCode": 42}))
    assert isinstance(frame, bytes)
    assert decode("ApiVersionsResponse", 3, frame[8:]).error_code == 42


def test_closed_session_drops_its_pending_responses() -> None:
    session = a_session()
    (pending,) = received(session, a_heartbeat(1))
    session.close()
    answer(session, pending)
    assert session.data_to_send() == []


def test_large_frame_that_arrives_in_parts_is_buffered_once() -> None:
    """Joining 100 MB at the end would hold up other clients and double the memory."""
    data = [PartitionProduceData(0, bytes(20_000_000))]
    body = encode("ProduceRequest", 9, ProduceRequest(None, 1, 1000, [TopicProduceData("orders", b"", data)]))
    frame = a_frame(PRODUCE, 9, 7, body, tags=b"\0")
    session = a_session(frame_bytes_max=len(frame))
    parts = (frame[start : start + 256 * 1024] for start in range(0, len(frame), 256 * 1024))
    tracemalloc.start()
    (pending,) = [pending for part in parts for pending in received(session, part)]
    body = pending.body
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert body.topic_data[0].partition_data[0].records == data[0].records
    assert peak_bytes < 1.5 * len(frame)


@pytest.mark.parametrize("version", [4, 11, 12, 17])
def test_large_records_are_sent_without_a_copy(version: int) -> None:
    """Joining 50 MB of them would hold up other clients."""
    large, small = bytes(100_000), b"small"
    partitions = [
        PartitionData(index, 0, 9, records=records) for index, records in enumerate((large, small, large))
    ]
    response = FetchResponse(responses=[FetchableTopicResponse("orders", bytes(16), partitions)])
    session = a_session()
    body = encode("FetchRequest", version, from_dict("FetchRequest", {}))
    (pending,) = received(session, a_frame(FETCH, version, 7, body, tags=b"\0" if version >= 12 else b""))
    session.fill(pending, pending.served.frame(7, response))
    pieces = session.data_to_send()
    assert not session.unsent
    assert sum(piece is large for piece in pieces) == 2
    encoded = encode("FetchResponse", version, response)
    head = struct.pack(">i", 7) + (b"\0" if version >= 12 else b"")
    assert b"".join(pieces) == struct.pack(">i", len(head + encoded)) + head + encoded


def test_draining_session_accepts_no_request_and_still_responds() -> None:
    session = a_session()
    (pending,) = received(session, a_heartbeat(1))
    session.draining = True
    assert received(session, a_heartbeat(2)) == []
    answer(session, pending)
    assert correlation_ids(session.data_to_send()) == [1]


def test_body_of_a_long_response_is_cached_by_version() -> None:
    table = routes.load()
    response = MetadataResponse(topics=[MetadataResponseTopic(name="orders", topic_id=bytes(16))])
    for version in (5, 12):
        served = a_router(table).resolve(METADATA, version)
        bodies: dict[int, bytes] = {}
        first = bytes(finished(served.long_frame(7, response, 10_000, bodies))[0])
        assert first == served.frame(7, response)
        assert list(bodies) == [version]
        assert finished(served.long_frame(8, None, 10_000, bodies)) == served.frame(8, response)


# Durations.


def test_a_request_is_measured_until_its_response_leaves() -> None:
    now_ms = 0
    session = a_session(steady_ms=lambda: now_ms)
    first, second = received(session, a_heartbeat(1) + a_heartbeat(2))
    now_ms = 20
    answer(session, second)
    session.data_to_send()
    durations = first.served.durations
    assert sum(durations.counts) == 0  # its response waits for the first one
    now_ms = 50
    answer(session, first)
    session.data_to_send()
    assert (sum(durations.counts), durations.total) == (2, 0.1)


def test_of_many_requests_one_in_64_is_measured_and_stands_for_all() -> None:
    now_ms = 0
    session = a_session(steady_ms=lambda: now_ms)
    for number in range(1, 5001):
        (pending,) = received(session, a_heartbeat(number))
        now_ms += 3
        answer(session, pending)
        session.data_to_send()
    durations = pending.served.durations
    assert abs(sum(durations.counts) - 5000) < SAMPLE
    assert durations.total == pytest.approx(0.003 * sum(durations.counts))


def test_a_request_without_a_response_is_not_measured() -> None:
    session = a_session()
    (pending,) = received(session, a_heartbeat(1))
    session.close()
    assert session.data_to_send() == []
    assert sum(pending.served.durations.counts) == 0
