"""The client of the HTTP API with servers that misbehave."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from tidemark_tools.http_api import Api, ApiError, NoResponse
from tidemark_tools.main import main

Serve = Callable[[bytes], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Respond to one request with these bytes. Return the address."""
    servers: list[tuple[socket.socket, threading.Thread]] = []

    def answer(bound: socket.socket, data: bytes) -> None:
        connection, _ = bound.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(data)

    def start(data: bytes) -> str:
        bound = socket.create_server(("127.0.0.1", 0))
        thread = threading.Thread(target=answer, args=(bound, data))
        thread.start()
        servers.append((bound, thread))
        return f"127.0.0.1:{bound.getsockname()[1]}"

    yield start
    for bound, thread in servers:
        thread.join()
        bound.close()


def response(status: str, body: bytes) -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), len(body), body)


def test_an_api_error_has_the_brokers_message(serve: Serve) -> None:
    body = b'{"error": {"code": "unknown_group", "field": "group", "message": "there is no group x"}}'
    with pytest.raises(ApiError, match="^there is no group x$") as refused:
        Api(serve(response("404 Not Found", body))).get("/v1/groups", group="x")
    assert (refused.value.status, refused.value.code, refused.value.field) == (404, "unknown_group", "group")


@pytest.mark.parametrize("body", [b"Not Found", b"[]", b'{"error": "no"}', b"\xff\xfe", b""])
def test_an_error_of_another_server_names_the_request(serve: Serve, body: bytes) -> None:
    with pytest.raises(ApiError, match="POST /v1/cleanup was answered with HTTP 500"):
        Api(serve(response("500 Oh", body))).post("/v1/cleanup")


def test_a_server_without_http_is_an_error_with_its_address(serve: Serve) -> None:
    address = serve(b"\0\0\0\4what")
    with pytest.raises(NoResponse, match=f"no HTTP response from {address}"):
        Api(address).get("/v1/clock")


def test_no_server_at_the_address_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        address = f"127.0.0.1:{bound.getsockname()[1]}"
    with pytest.raises(NoResponse, match=f"no HTTP response from {address}.*refused"):
        Api(address).get("/v1/clock")


def test_a_server_that_does_not_respond_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(NoResponse, match="timed out"):
            Api(address, timeout_s=0.05).get("/v1/clock")


def test_a_response_that_is_not_json_is_an_error_with_the_address(serve: Serve) -> None:
    address = serve(response("200 OK", b"<html>"))
    with pytest.raises(NoResponse, match=f"no HTTP response from {address}: the response is not JSON"):
        Api(address).get("/v1/clock")


@pytest.mark.parametrize(("status", "body"), [("302 Found", b""), ("200 OK", b"[]")])
def test_a_response_that_is_not_an_object_is_an_error(serve: Serve, status: str, body: bytes) -> None:
    with pytest.raises(NoResponse, match="the response is not a JSON object"):
        Api(serve(response(status, body))).get("/v1/clock")


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        ("404 Not Found", b"<html>\nno</html>", "HTTP status 404"),
        ("302 Found", b"", "the response is not a JSON object"),
    ],
)
def test_explain_says_that_another_server_is_no_tidemark(
    serve: Serve, capsys: pytest.CaptureFixture[str], status: str, body: bytes, reason: str
) -> None:
    address = serve(response(status, body))
    command = ["consumer-groups", "--bootstrap-server", "127.0.0.1:1", "--describe", "--group", "g"]
    assert main([*command, "--explain", "--http", address]) == 1
    expected = f"Error: no tidemark HTTP API at {address} ({reason}). --explain needs one"
    assert capsys.readouterr().err.startswith(expected)


@pytest.mark.parametrize("address", ["", "nonsense", "host:port", "host:65536"])
def test_an_address_that_is_wrong_is_an_error(address: str) -> None:
    with pytest.raises(NoResponse, match=f"from {address}: the address must be HOST:PORT"):
        Api(address).get("/v1/clock")
