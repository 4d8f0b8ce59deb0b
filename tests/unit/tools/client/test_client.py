"""The wire client: common versions, coordinators that are not ready, and servers that are no brokers."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.client.scripted import HANG_UP, SILENCE, ScriptedBroker
from tests.wire import sized
from tidemark_protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)
from tidemark_protocol.messages.find_coordinator import FindCoordinatorResponse
from tidemark_protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from tidemark_protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from tidemark_tools.client.client import Client, TopicPartition, client_settings
from tidemark_tools.client.connection import BrokerEndpoint, addresses
from tidemark_tools.client.errors import BadAddress, CannotConnect, ErrorResponse, Unreachable

ONE_GROUP = ListGroupsResponse(groups=[ListedGroup("g", "consumer")])
LOADING, NOT_COORDINATOR, NOT_AUTHORIZED = 14, 16, 30


def in_turn(*responses: Any) -> Any:
    """Return each response once, and the last one again and again."""
    left = list(responses)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


def deleted(code: int) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(results=[DeletableGroupResult("g", code)])


def delete(client: Client) -> int:
    request = DeleteGroupsRequest(groups_names=["g"])
    response = client.call_coordinator("g", request, lambda result: int(result.results[0].error_code))
    return int(response.results[0].error_code)


@pytest.mark.parametrize(("served", "spoken"), [((0, 5), 5), ((0, 99), 5), ((1, 3), 3), ((2, 2), 2)], ids=str)
def test_the_highest_common_version_is_used(served: tuple[int, int], spoken: int) -> None:
    with ScriptedBroker({"ListGroups": in_turn(ONE_GROUP)}, {"ListGroups": served}) as broker:
        with Client(broker.bootstrap) as client:
            assert client.call(ListGroupsRequest()).groups[0].group_id == "g"
        assert [(name, version) for name, version, _ in broker.requests[1:]] == [("ListGroups", spoken)]


def test_a_caller_may_request_an_older_version() -> None:
    with ScriptedBroker({"ListGroups": in_turn(ONE_GROUP)}) as broker:
        with Client(broker.bootstrap) as client:
            client.call(ListGroupsRequest(), max_version=2)
        assert broker.requests[-1][1] == 2


@pytest.mark.parametrize(
    "served", [(0, -1), (6, 9)], ids=["not at all", "in versions that are newer than ours"]
)
def test_an_api_that_the_broker_does_not_serve_is_an_error(served: tuple[int, int]) -> None:
    with (
        ScriptedBroker({}, {"ListGroups": served}) as broker,
        Client(broker.bootstrap) as client,
        pytest.raises(CannotConnect, match=f"ListGroups: the broker at {broker.bootstrap} .*serve"),
    ):
        client.call(ListGroupsRequest())


def test_apiversions_falls_back_to_version_0() -> None:
    with ScriptedBroker({"ListGroups": in_turn(ONE_GROUP)}, {"ApiVersions": (0, 2)}) as broker:
        with Client(broker.bootstrap) as client:
            client.call(ListGroupsRequest())
        assert [(name, version) for name, version, _ in broker.requests[:2]] == [
            ("ApiVersions", 3),
            ("ApiVersions", 0),
        ]


def test_a_request_to_a_loading_coordinator_is_repeated() -> None:
    with ScriptedBroker({"DeleteGroups": in_turn(deleted(LOADING), deleted(LOADING), deleted(0))}) as broker:
        with Client(broker.bootstrap) as client:
            assert delete(client) == 0
        assert broker.names().count("DeleteGroups") == 3


def test_a_coordinator_that_has_moved_is_looked_up_again() -> None:
    with ScriptedBroker({"DeleteGroups": in_turn(deleted(NOT_COORDINATOR), deleted(0))}) as broker:
        with Client(broker.bootstrap) as client:
            assert delete(client) == 0
        assert broker.names() == ["FindCoordinator", "DeleteGroups"] * 2


def test_a_coordinator_that_is_not_found_in_time_is_an_error() -> None:
    responses = {"DeleteGroups": in_turn(deleted(LOADING))}
    with (
        ScriptedBroker(responses) as broker,
        Client(broker.bootstrap, timeout_ms=250) as client,
        pytest.raises(Unreachable),
    ):
        delete(client)


def test_an_error_of_findcoordinator_is_raised() -> None:
    refused = FindCoordinatorResponse(error_code=NOT_AUTHORIZED, error_message="Not yours.")
    responses = {"FindCoordinator": in_turn(refused)}
    with (
        ScriptedBroker(responses, {"FindCoordinator": (0, 3)}) as broker,
        Client(broker.bootstrap) as client,
        pytest.raises(ErrorResponse, match=r"^Not yours\.$"),
    ):
        client.coordinator("g")


def test_a_broken_connection_is_replaced() -> None:
    with (
        ScriptedBroker({"ListGroups": in_turn(HANG_UP, ONE_GROUP)}) as broker,
        Client(broker.bootstrap) as client,
    ):
        assert client.call(ListGroupsRequest()).groups


def test_a_request_that_must_not_be_repeated_is_sent_once() -> None:
    with ScriptedBroker({"ListGroups": in_turn(HANG_UP, ONE_GROUP)}) as broker:
        with Client(broker.bootstrap) as client, pytest.raises(ConnectionError):
            client.call(ListGroupsRequest(), once=True)
        assert broker.names() == ["ListGroups"]


def test_a_broker_that_does_not_respond_is_an_error() -> None:
    with (
        ScriptedBroker({"ListGroups": in_turn(SILENCE)}) as broker,
        Client(broker.bootstrap, timeout_ms=200) as client,
        pytest.raises(Unreachable, match="did not respond to ListGroups in time"),
    ):
        client.call(ListGroupsRequest())


def test_the_first_address_that_responds_is_used() -> None:
    with (
        ScriptedBroker({"ListGroups": in_turn(ONE_GROUP)}) as broker,
        Client(f"127.0.0.1:1,{broker.bootstrap}") as client,
    ):
        assert client.call(ListGroupsRequest()).groups


def test_an_unknown_host_fails_at_once() -> None:
    with (
        Client("nobody.invalid:9092") as client,
        pytest.raises(BadAddress, match="^cannot resolve nobody.invalid$"),
    ):
        client.nodes()


def test_no_server_at_the_address_is_an_error() -> None:
    sentence = r"^no broker responds at 127\.0\.0\.1:1 \(Connection refused\)$"
    with Client("127.0.0.1:1", timeout_ms=150) as client, pytest.raises(Unreachable, match=sentence):
        client.nodes()


NO_KAFKA = "does not speak Kafka's protocol|requires TLS: set security.protocol to SSL or SASL_SSL"


@pytest.fixture(
    params=[
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\x15\x03\x03\x00\x02\x02\x46",
        sized(b"\0\0\0\1"),
        sized(b"\xff" * 9),
    ],
    ids=["HTTP", "TLS", "too short", "another correlation id"],
)
def no_kafka(request: pytest.FixtureRequest) -> Iterator[str]:
    """Send these bytes in response to anything."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with contextlib.suppress(OSError), connection:
                connection.recv(1000)
                connection.sendall(request.param)
                connection.recv(1000)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def test_a_server_of_another_protocol_is_an_error(no_kafka: str) -> None:
    with Client(no_kafka) as client, pytest.raises(CannotConnect, match=NO_KAFKA):
        client.nodes()


def test_listing_is_repeated_for_a_moved_leader_but_not_for_an_unknown_partition() -> None:
    def listed(code: int, offset: int) -> ListOffsetsResponse:
        result = ListOffsetsPartitionResponse(partition_index=0, error_code=code, offset=offset)
        return ListOffsetsResponse(topics=[ListOffsetsTopicResponse("t", [result])])

    def metadata(_: Any) -> MetadataResponse:
        host, _, port = broker.bootstrap.partition(":")
        led = MetadataResponsePartition(partition_index=0, leader_id=1)
        return MetadataResponse(
            brokers=[MetadataResponseBroker(1, host, int(port))],
            topics=[MetadataResponseTopic(name="t", partitions=[led]), MetadataResponseTopic(3, "gone")],
        )

    responses = {"Metadata": metadata, "ListOffsets": in_turn(listed(6, -1), listed(0, 42))}
    with ScriptedBroker(responses) as broker, Client(broker.bootstrap) as client:
        found = client.list_offsets(
            {TopicPartition("t", 0): -1, TopicPartition("t", 7): -1, TopicPartition("gone", 0): -1}
        )
    assert {partition: (result.error_code, result.offset) for partition, result in found.items()} == {
        TopicPartition("t", 0): (0, 42),
        TopicPartition("t", 7): (3, -1),
        TopicPartition("gone", 0): (3, -1),
    }


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("a:1", [BrokerEndpoint(-1, "a", 1)]),
        ("a:1, b:2,", [BrokerEndpoint(-1, "a", 1), BrokerEndpoint(-1, "b", 2)]),
        ("[::1]:9092", [BrokerEndpoint(-1, "::1", 9092)]),
    ],
)
def test_addresses(text: str, nodes: list[BrokerEndpoint]) -> None:
    assert addresses(text) == nodes


@pytest.mark.parametrize("text", ["nonsense", "host:", ":9092", "host:x", "host:70000"])
def test_malformed_addresses_are_refused(text: str) -> None:
    with pytest.raises(BadAddress, match=f"^Invalid url in bootstrap.servers: {text}$"):
        Client(text)


def test_settings_are_read_from_a_properties_file(tmp_path: Path) -> None:
    path = tmp_path / "client.properties"
    path.write_text("client.id = me\nsecurity.protocol: PLAINTEXT")
    assert client_settings(str(path)) == {"client.id": "me", "security.protocol": "PLAINTEXT"}


def test_the_client_id_of_the_settings_is_sent() -> None:
    with ScriptedBroker({"ListGroups": in_turn(ONE_GROUP)}) as broker:
        with Client(broker.bootstrap, settings={"client.id": "me"}) as client:
            client.call(ListGroupsRequest())
        assert broker.client_ids == {"me"}
