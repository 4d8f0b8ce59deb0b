"""Limits for clients that keep an HTTP connection without using it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from tests.unit.http.asking import asked
from tests.unit.http.test_server import Port, get, port
from tidemark_http.server import HttpServer

__all__ = ["port"]

GET = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
GET_WITH_BODY = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
SLOW_S = 20
LIMIT_MS = 15_000


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        for _ in range(20):  # turns in which the server reads it
            await asyncio.sleep(0.001)

    async def ok(self) -> None:
        """Read one response of /livez."""
        async with asyncio.timeout(SLOW_S):
            assert (await self.reader.readuntil(b"\r\n\r\nok\n")).startswith(b"HTTP/1.1 200 OK")

    async def is_closed(self) -> bool:
        """Return True if the server closes the connection without waiting for anything else."""
        try:
            async with asyncio.timeout(SLOW_S):
                while await self.reader.read(1 << 16):
                    pass
        except ConnectionError:
            return True
        except TimeoutError:
            return False
        return True


@asynccontextmanager
async def client_of(server: HttpServer, *, limit: int = 1 << 16) -> AsyncIterator[Client]:
    host, _, number = server.address.rpartition(":")
    client = Client(*await asyncio.open_connection(host, int(number), limit=limit))
    try:
        yield client
    finally:
        client.writer.close()
        with suppress(OSError):
            await client.writer.wait_closed()


def serve(port: Port, story: Callable[[HttpServer], Awaitable[None]], **settings: str) -> None:
    """Run the story once HTTP is loaded."""

    async def loaded(server: HttpServer) -> None:
        assert (await get(server, "/livez"))[0] == 200
        await story(server)

    port.serve(loaded, **settings)


async def half_a_request(client: Client) -> None:
    await client.send(GET[:10])


async def half_of_the_second_request(client: Client) -> None:
    await client.send(GET)
    await client.ok()
    await client.send(GET[:10])


async def half_a_request_behind_another(client: Client) -> None:
    await client.send(GET + GET[:10])
    await client.ok()


async def no_body(client: Client) -> None:
    await client.send(GET_WITH_BODY + b"x")
    await client.ok()
    await client.send(b"x")


KEEPS = pytest.mark.parametrize(
    "keep", [half_a_request, half_of_the_second_request, half_a_request_behind_another, no_body]
)
Keep = Callable[[Client], Awaitable[None]]


@KEEPS
def test_a_client_has_limited_time_for_each_request(port: Port, keep: Keep) -> None:
    async def story(server: HttpServer) -> None:
        async with client_of(server) as client:
            await keep(client)
            port.clock.advance(LIMIT_MS)
            assert await client.is_closed()

    serve(port, story)


@KEEPS
def test_sending_single_bytes_does_not_extend_the_time(port: Port, keep: Keep) -> None:
    async def story(server: HttpServer) -> None:
        async with client_of(server) as client:
            await keep(client)
            for byte in (b"a", b"b"):
                port.clock.advance(LIMIT_MS // 3)
                await client.send(byte)
            port.clock.advance(LIMIT_MS // 3)
            assert await client.is_closed()

    serve(port, story)


@pytest.mark.parametrize("hangs_up", [False, True])
def test_a_client_has_limited_time_to_read_a_response(port: Port, hangs_up: bool) -> None:
    async def story(server: HttpServer) -> None:
        for number in range(1000):
            port.whole.metrics.bad_input[f"kind {number}"] += 1  # a long page
        async with client_of(server, limit=1) as client:
            client.writer.write(GET.replace(b"/livez", b"/metrics") * 1_000)
            assert server._serving is not None
            connections = server._serving._server.server_state.connections
            async with asyncio.timeout(SLOW_S):
                while not any(each.flow.write_paused for each in connections):
                    await asyncio.sleep(0.01)
            if hangs_up:
                client.writer.write_eof()
            async with asyncio.timeout(SLOW_S):
                while connections:  # the system's buffers are filled first, as if the client were reading
                    port.clock.advance(LIMIT_MS)
                    await asyncio.sleep(0.05)

    serve(port, story)


def test_a_client_that_uses_its_connection_keeps_it(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        async with client_of(server) as client:
            for _ in range(5):
                await client.send(GET)
                await client.ok()
                port.clock.advance(LIMIT_MS - 1)

    serve(port, story)


@KEEPS
def test_connections_that_wait_for_their_clients_make_room_for_a_new_one(port: Port, keep: Keep) -> None:
    async def story(server: HttpServer) -> None:
        async with client_of(server) as first:
            await keep(first)
            port.clock.advance(1)
            async with client_of(server) as second:
                await keep(second)
                assert (await get(server, "/livez"))[0] == 200
                assert await first.is_closed()
                assert not second.reader.at_eof()

    serve(port, story, tidemark_http_connections_max="2")


def test_a_burst_of_connections_leaves_the_newest(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        async with client_of(server) as a, client_of(server) as b, client_of(server) as c:
            for client in (a, b, c):
                await client.send(GET)
            assert await a.is_closed()
            assert await b.is_closed()
            await c.ok()

    serve(port, story, tidemark_http_connections_max="1")


def test_a_request_that_is_worked_on_is_not_cut_off() -> None:
    freeze = b"POST /v1/clock/freeze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"

    async def story() -> None:
        http = broker.whole.http
        async with client_of(http) as working:
            async with broker.whole.node.lock:  # the request waits for that
                await working.send(freeze)
                await asyncio.sleep(1)  # HTTP is loaded
                async with client_of(http) as late:
                    assert await late.is_closed()
                broker.whole.clock.advance(10 * LIMIT_MS)
            assert (await working.reader.read(1 << 16)).startswith(b"HTTP/1.1 200 OK")
            assert await working.is_closed()  # others want the connection
            assert (await get(http, "/livez"))[0] == 200

    with asked(tidemark_test_api="true", tidemark_http_connections_max="1") as broker:
        broker.run(story())


def test_a_client_that_hangs_up_within_a_body_logs_no_error(caplog: pytest.LogCaptureFixture) -> None:
    begun = b"POST /v1/clock/freeze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"

    async def story() -> None:
        http = broker.whole.http
        async with client_of(http) as client:
            await client.send(begun)
        assert (await get(http, "/livez"))[0] == 200

    with asked(tidemark_test_api="true") as broker:
        assert broker.get("/clock").status == 200  # HTTP is loaded
        broker.run(story())
    assert not caplog.records
