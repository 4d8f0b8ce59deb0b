"""HTTP requests and bytes that are no HTTP: none leaves objects that only the collector could free."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Final

import pytest
import uvloop

from tests.unit.broker.garbage import garbage, no_collector
from tests.unit.broker.server.test_disconnecting import reset
from tests.unit.broker.whole import Client, Whole, running
from tidemark_testing.storage import MemoryStorage

ROUNDS: Final = 10
HEAD: Final = b" HTTP/1.1\r\nHost: localhost\r\n"
END: Final = b"Connection: close\r\n\r\n"
REQUESTS: Final = {
    "health": b"GET /livez" + HEAD + END,
    "kept alive": b"GET /livez" + HEAD + b"\r\n",
    "metrics": b"GET /metrics" + HEAD + END,
    "groups": b"GET /v1/groups" + HEAD + END,
    "unknown": b"GET /v1/nothing" + HEAD + END,
    "invalid body": b"POST /v1/snapshots" + HEAD + b"Content-Length: 5\r\n\r\nhello",
    "half a body": b"POST /v1/snapshots" + HEAD + b"Content-Length: 50\r\n\r\nhello",
    "half a line": b"GET /livez HT",
    "no HTTP": b"\x00\x00\x00\x0d\x00\x12nonsense\r\n\r\n",
    "an invalid chunk": b"POST /v1/groups" + HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
    "an invalid header": b"GET / HTTP/1.1\r\nHost a\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "a long header": b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("resets", [False, True])
@pytest.mark.parametrize("kind", REQUESTS)
def test_http_request_leaves_no_cycle(kind: str, *, resets: bool) -> None:
    async def left() -> Counter[str]:
        settings = {"tidemark_http_listener": "127.0.0.1:0", "tidemark_test_api": "true"}
        async with running(MemoryStorage(), **settings) as whole:
            with no_collector():
                await repeat(whole, REQUESTS[kind], resets=resets)
                garbage()  # the first requests import modules
                await repeat(whole, REQUESTS[kind], resets=resets)
                return garbage()

    with asyncio.Runner(
        loop_factory=uvloop.new_event_loop
    ) as runner:  # transports of asyncio's own are cycles
        assert runner.run(left()) == {}


async def repeat(whole: Whole, request: bytes, *, resets: bool) -> None:
    host, _, port = whole.node.ready()["http"].removeprefix("http://").rpartition(":")
    for _ in range(ROUNDS):
        client = Client(*await asyncio.open_connection(host, int(port)))
        client.writer.write(request)
        if resets:
            await whole.reads()
            reset(client)
        else:
            client.writer.write_eof()
            with suppress(ConnectionError):
                async with asyncio.timeout(20):
                    await client.reader.read()
            client.writer.close()
        await until_all_are_closed(whole)


async def until_all_are_closed(whole: Whole) -> None:
    async with asyncio.timeout(20):
        while whole.http._serving is None or whole.http._serving._server.server_state.connections:
            await asyncio.sleep(0.001)
    await whole.reads()
