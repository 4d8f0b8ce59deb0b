"""Invalid requests on a real socket get Kafka's responses, and the next client is served."""

from __future__ import annotations

import re
import socket
import time
import urllib.request
from pathlib import Path
from struct import pack

import pytest

from tests.broker_process import BrokerProcess, RunningBroker, start_broker
from tests.wire import Connection, header, request, response, sized
from tidemark_protocol.by_name import to_dict
from tidemark_protocol.messages.alter_configs import AlterableConfig as OldAlterableConfig
from tidemark_protocol.messages.alter_configs import AlterConfigsRequest
from tidemark_protocol.messages.alter_configs import AlterConfigsResource as OldAlterConfigsResource
from tidemark_protocol.messages.api_versions import ApiVersionsRequest
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

pytestmark = pytest.mark.slow

FETCH, METADATA, OFFSET_COMMIT, FIND_COORDINATOR, JOIN_GROUP = 1, 3, 8, 10, 11
API_VERSIONS, CREATE_TOPICS = 18, 19
MEGABYTE = 1 << 20


def uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


# Requests, and the kind under which our broker counts each. Kafka closes the connection without a response.
HUNG_UP_ON = {
    "a negative size": (pack(">i", -1), "frame_size"),
    "the smallest size there is": (pack(">i", -(1 << 31)), "frame_size"),
    "a size of zero": (pack(">i", 0), "header"),
    "a size above socket.request.max.bytes": (pack(">i", 104857600 + 1), "frame_size"),
    "the largest size there is": (pack(">i", (1 << 31) - 1), "frame_size"),
    "HTTP": (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "frame_size"),
    "TLS": (bytes.fromhex("16030101fd010001f90303"), "frame_size"),
    "a frame too short for a header": (sized(b"\0\x03"), "header"),
    "a client id longer than the frame": (sized(pack(">hhih", METADATA, 1, 7, 500) + b"raw"), "header"),
    "an unknown API key": (sized(header(9999, 0)), "api_key"),
    "a negative API key": (sized(header(-1, 0)), "api_key"),
    "a version too high": (sized(header(METADATA, 99) + pack(">i", -1)), "version"),
    "a version too low": (sized(header(FETCH, 3) + bytes(30)), "version"),
    "a negative version": (sized(header(METADATA, -1) + pack(">i", -1)), "version"),
    "a body that ends early": (sized(header(METADATA, 1) + b"\0\0"), "body"),
    "an array longer than the frame": (sized(header(METADATA, 1) + pack(">i", (1 << 31) - 1)), "body"),
    "a string longer than the frame": (sized(header(FIND_COORDINATOR, 0) + pack(">h", 100) + b"g"), "body"),
    "a compact string longer than the frame": (
        sized(header(FIND_COORDINATOR, 3, flexible=True) + uvarint(1 << 30) + b"g\0\0"),
        "body",
    ),
    "a varint without an end": (sized(header(FIND_COORDINATOR, 3, flexible=True) + b"\xff" * 12), "body"),
    "a null group id": (sized(header(FIND_COORDINATOR, 0) + pack(">h", -1)), "body"),
    "a null compact group id": (sized(header(FIND_COORDINATOR, 3, flexible=True) + b"\0\0\0"), "body"),
    "a group id of one megabyte": (
        sized(header(FIND_COORDINATOR, 3, flexible=True) + uvarint(MEGABYTE + 1) + b"g" * MEGABYTE + b"\0\0"),
        "body",
    ),
    "tags that are cut off": (sized(header(METADATA, 12)[:-1] + b"w\x05\x01"), "body"),
}

# Slightly invalid requests to which Kafka responds.
ANSWERED = {
    "trailing bytes": sized(header(METADATA, 1) + pack(">i", 0) + b"extra"),
    "trailing bytes in a flexible version": sized(
        header(FIND_COORDINATOR, 3, flexible=True) + b"\x02g\0\0" + b"extra"
    ),
    "a null client id": sized(header(METADATA, 1, client_id=None) + pack(">i", 0)),
    "a client id of length -2": sized(pack(">hhih", METADATA, 1, 7, -2) + pack(">i", 0)),
    "a topic list of length -2": sized(header(METADATA, 1) + pack(">i", -2)),
    "a group id that is no UTF-8": sized(header(FIND_COORDINATOR, 0) + pack(">h", 4) + b"g\xff\xfe\x80"),
    "a topic that is no UTF-8": sized(header(METADATA, 4) + pack(">ih", 1, 3) + b"t\xc3\x28" + b"\0"),
    "an unknown tag in the header": sized(header(METADATA, 9) + b"\x01\x63\x02ab" + b"\x01\0\0\0\0"),
    "a group id as long as a string may be": sized(
        header(FIND_COORDINATOR, 0) + pack(">h", 32767) + b"g" * 32767
    ),
    "an empty group id": sized(header(FIND_COORDINATOR, 0) + pack(">h", 0)),
}


@pytest.mark.parametrize("kind", HUNG_UP_ON)
def test_the_connection_is_closed_as_in_kafka(kind: str, shared_broker: RunningBroker) -> None:
    data, counted_as = HUNG_UP_ON[kind]
    before, complained = bad_input(shared_broker), complaints(shared_broker)
    with Connection(shared_broker.bootstrap) as connection:
        connection.send(data)
        assert connection.is_hung_up_on()
    assert_served(shared_broker)
    assert what_was_counted(shared_broker, before) in ({counted_as: 1}, None)
    assert_complained(shared_broker, complained, data)


@pytest.mark.parametrize("kind", ANSWERED)
def test_the_request_gets_a_response_as_in_kafka(kind: str, shared_broker: RunningBroker) -> None:
    with Connection(shared_broker.bootstrap) as connection:
        connection.send(ANSWERED[kind])
        assert connection.answer()[:4] == pack(">i", 7)
        assert connection.ask("Metadata", 1, MetadataRequest(topics=[])).brokers
    assert_served(shared_broker)


def test_an_unknown_version_of_api_versions_gets_a_response_in_version_0(
    shared_broker: RunningBroker,
) -> None:
    with Connection(shared_broker.bootstrap) as connection:
        connection.send(sized(header(API_VERSIONS, 99, flexible=True) + b"\x02x\x021\0"))
        assert connection.answer().hex() == "00000007" + "0023" + "00000001" + "0012" + "0000" + "0005"
        assert connection.ask("ApiVersions", 4, ApiVersionsRequest("tests", "1")).api_keys


@pytest.mark.parametrize("name", ["", "-tests", "tests!", "te sts"])
def test_an_invalid_software_name_is_an_invalid_request(name: str, shared_broker: RunningBroker) -> None:
    with Connection(shared_broker.bootstrap) as connection:
        answer = connection.ask("ApiVersions", 3, ApiVersionsRequest(name, "1"))
        assert (answer.error_code, answer.api_keys) == (42, [])


LONG = "x" * 32_767
TOO_LONG_TO_QUOTE = {
    "CreateTopics": (7, CreateTopicsRequest([CreatableTopic(LONG, 1, 1)])),
    "CreateTopics, old": (4, CreateTopicsRequest([CreatableTopic(LONG, 1, 1)])),
    "DescribeGroups": (6, DescribeGroupsRequest([LONG])),
    "DescribeConfigs": (4, DescribeConfigsRequest([DescribeConfigsResource(2, LONG, None)])),
    "IncrementalAlterConfigs": (
        1,
        IncrementalAlterConfigsRequest(
            [AlterConfigsResource(2, LONG, [AlterableConfig(name="retention.ms", value="1")])]
        ),
    ),
    "AlterConfigs": (
        1,
        AlterConfigsRequest([OldAlterConfigsResource(2, LONG, [OldAlterableConfig("retention.ms", "1")])]),
    ),
}


@pytest.mark.parametrize("asked", TOO_LONG_TO_QUOTE)
def test_a_name_too_long_for_the_error_message_is_an_unknown_server_error(
    asked: str, shared_broker: RunningBroker
) -> None:
    """The name fits in a string, but the message "Topic name is invalid: ..." with the name does not."""
    version, message = TOO_LONG_TO_QUOTE[asked]
    with Connection(shared_broker.bootstrap) as connection:
        answer = to_dict(connection.ask(asked.partition(",")[0], version, message))
    items = answer.get("Topics") or answer.get("Groups") or answer.get("Results") or answer.get("Responses")
    assert items is not None
    assert [item["ErrorCode"] for item in items] == [-1]


def test_a_name_too_long_for_a_response_closes_the_connection(shared_broker: RunningBroker) -> None:
    """Each invalid UTF-8 byte needs three bytes in a response. Kafka stays connected without a response."""
    if not isinstance(shared_broker, BrokerProcess):
        pytest.skip("Kafka never answers")
    before, complained = bad_input(shared_broker), complaints(shared_broker)
    topic = pack(">h", 20_000) + b"\xff" * 20_000 + pack(">ihii", 1, 1, 0, 0)
    data = sized(header(CREATE_TOPICS, 4) + pack(">i", 1) + topic + pack(">i?", 1000, False))
    with Connection(shared_broker.bootstrap) as connection:
        connection.send(data)
        assert connection.is_hung_up_on()
    assert what_was_counted(shared_broker, before) == {"body": 1}
    assert_complained(shared_broker, complained, data)


def test_a_group_id_too_long_for_a_record_is_an_unknown_server_error(shared_broker: RunningBroker) -> None:
    """Its 20,000 bytes are invalid UTF-8, and need three times as many bytes in a record."""
    group = pack(">h", 20_000) + b"\xff" * 20_000
    offset = pack(">iqh", 0, 7, -1)
    asked = group + pack(">ihqih", -1, 0, -1, 1, 6) + b"orders" + pack(">i", 1) + offset
    with Connection(shared_broker.bootstrap) as connection:
        connection.ask("CreateTopics", 7, CreateTopicsRequest([CreatableTopic("orders", 1, 1)]))
        connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key="any"))
        connection.send(sized(header(OFFSET_COMMIT, 2) + asked))
        answer = response("OffsetCommit", 2, connection.answer())
        assert answer.topics[0].partitions[0].error_code == -1
    assert_served(shared_broker)


def test_an_incomplete_frame_at_the_end_of_a_connection_is_ignored(shared_broker: RunningBroker) -> None:
    with Connection(shared_broker.bootstrap) as connection:
        connection.send(pack(">i", 100) + header(METADATA, 1))
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.is_hung_up_on()
    assert_served(shared_broker)


def test_half_a_frame_delays_no_other_client(shared_broker: RunningBroker) -> None:
    with Connection(shared_broker.bootstrap) as silent:
        frame = request("Metadata", 1, MetadataRequest(topics=[]))
        silent.send(frame[:9])
        for _ in range(20):
            assert_served(shared_broker)
        silent.send(frame[9:])
        assert silent.answer()[:4] == pack(">i", 7)


def test_an_idle_connection_is_closed_after_the_idle_time(tmp_path: Path) -> None:
    broker = start_broker(tmp_path, {"connections.max.idle.ms": "1000"})
    try:
        with Connection(broker.bootstrap) as half_a_frame, Connection(broker.bootstrap) as nothing:
            half_a_frame.send(pack(">i", 100) + b"\0")
            assert half_a_frame.is_hung_up_on()
            assert nothing.is_hung_up_on()
        assert_served(broker)
    finally:
        broker.stop()


def test_frames_that_arrive_in_pieces_are_reassembled(shared_broker: RunningBroker) -> None:
    frame = request(
        "OffsetFetch", 8, OffsetFetchRequest(groups=[OffsetFetchRequestGroup("nobody", topics=None)])
    )
    two = frame + frame
    with Connection(shared_broker.bootstrap) as connection:
        connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for cut in range(1, len(two)):
            connection.send(two[:cut])
            connection.send(two[cut:])
            assert connection.answer() == connection.answer()


def test_responses_for_a_client_that_never_reads_are_bounded(shared_broker: RunningBroker) -> None:
    frames = request("ApiVersions", 0, ApiVersionsRequest()) * 1000
    with Connection(shared_broker.bootstrap) as deaf:
        deaf.socket.settimeout(2)
        with pytest.raises((TimeoutError, ConnectionError)):
            send_forever(deaf, frames)
        for _ in range(20):
            assert_served(shared_broker)
        assert resident_bytes(shared_broker) < 150 * MEGABYTE
    assert_served(shared_broker)


def send_forever(connection: Connection, frames: bytes) -> None:
    """Send until it fails. A broker that accepts all of it has buffered it."""
    sent = 0
    while sent < 200 * MEGABYTE:
        sent += connection.socket.send(frames)


def test_hundreds_of_silent_connections_delay_no_other_client(shared_broker: RunningBroker) -> None:
    host, _, port = shared_broker.bootstrap.rpartition(":")
    idle = [socket.create_connection((host, int(port)), timeout=10) for _ in range(300)]
    assert_served(shared_broker)
    for one in idle:
        one.close()
    assert_served(shared_broker)


def test_responses_keep_the_order_of_requests(shared_broker: RunningBroker) -> None:
    asked = [
        request("FindCoordinator", 1, FindCoordinatorRequest(key=f"group-{i}"), correlation_id=i)
        if i % 2
        else request(
            "Metadata", 4, MetadataRequest([MetadataRequestTopic(name=f"no-{i}")], False), correlation_id=i
        )
        for i in range(200)
    ]
    with Connection(shared_broker.bootstrap) as connection:
        connection.send(b"".join(asked))
        assert [connection.answer()[:4] for _ in asked] == [pack(">i", i) for i in range(200)]


def assert_served(broker: RunningBroker) -> None:
    """Check that the next client gets its response."""
    with Connection(broker.bootstrap) as connection:
        assert connection.ask("ApiVersions", 0, ApiVersionsRequest()).api_keys


def bad_input(broker: RunningBroker) -> dict[str, int] | None:
    """Return our broker's counts of bad input by kind; None for another broker."""
    if not isinstance(broker, BrokerProcess):
        return None
    with urllib.request.urlopen(f"http://{broker.http.removeprefix('http://')}/metrics") as page:
        text = page.read().decode()
    found = re.findall(r'^tidemark_bad_input_total\{kind="(\w+)"\} (\d+)', text, re.MULTILINE)
    return {kind: int(count) for kind, count in found}


def what_was_counted(broker: RunningBroker, before: dict[str, int] | None) -> dict[str, int] | None:
    after = bad_input(broker)
    if before is None or after is None:
        return None
    return {
        kind: count - before.get(kind, 0) for kind, count in after.items() if count != before.get(kind, 0)
    }


def complaints(broker: RunningBroker) -> int:
    """Return the number of our broker's log lines about bad input; 0 for another broker."""
    if not isinstance(broker, BrokerProcess):
        return 0
    return broker.said().count("connection closed after invalid input")


def assert_complained(broker: RunningBroker, before: int, data: bytes) -> None:
    """Check that `data`, which was sent once, causes a line. Lines are limited per second: repeat it then."""
    deadline = time.monotonic() + 5
    while isinstance(broker, BrokerProcess) and complaints(broker) == before:
        assert time.monotonic() < deadline, "no line was logged"
        with Connection(broker.bootstrap) as connection:
            connection.send(data)
            assert connection.is_hung_up_on()


def resident_bytes(broker: RunningBroker) -> int:
    """Return the broker's resident memory; 0 for Kafka, which is not checked."""
    if not isinstance(broker, BrokerProcess):
        return 0
    return int(Path(f"/proc/{broker.pid}/statm").read_text().split()[1]) * 4096
