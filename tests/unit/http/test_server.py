from __future__ import annotations

import asyncio
import errno
import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.unit.broker.whole import Lines, Whole, start
from tidemark.config import Config
from tidemark.ids import RandomIds
from tidemark.node.environment import Environment, Host
from tidemark.node.node import Node
from tidemark_http import CannotServeHttp, HttpServer
from tidemark_testing.clock import LoopClock, VirtualClock
from tidemark_testing.storage import MemoryStorage

LOOPS: list[Callable[[], asyncio.AbstractEventLoop]] = [asyncio.new_event_loop]
try:
    import uvloop

    LOOPS.append(uvloop.new_event_loop)
except ImportError:
    pass

CLIENTS = ThreadPoolExecutor(16, "client")
Story = Callable[[HttpServer], Coroutine[Any, Any, None]]


def server(host: str = "127.0.0.1", port: int = 0, **settings: str) -> HttpServer:
    """Return the HTTP port of a node that has not started. settings: with underscores for dots."""
    values = {name.replace("_", "."): value for name, value in settings.items()}
    config = Config({"tidemark.http.listener": f"{host}:{port}", **values})
    return HttpServer(Node(Environment(config, Lines(), Host(VirtualClock(), RandomIds(), MemoryStorage()))))


class Port:
    """Serves HTTP for a story, on each kind of loop. whole: the node, while the story runs."""

    def __init__(self, loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self._loop = loop
        self.clock = LoopClock()
        self.open: socket.socket | None = None
        self.whole: Whole

    def serve(self, story: Story, storage: MemoryStorage | None = None, **settings: str) -> None:
        async def run() -> None:
            settings.setdefault("tidemark_http_listener", "127.0.0.1:0")
            self.whole = await start(storage or MemoryStorage(), self.clock, **settings)
            try:
                await story(self.whole.http)
            finally:
                await asyncio.wait_for(self.whole.node.stop(), 5)

        # A story runs on each kind of loop; pytest-asyncio has only one.
        with asyncio.Runner(loop_factory=self._loop) as runner:
            runner.run(run())


@pytest.fixture(params=LOOPS, ids=lambda loop: loop.__module__.split(".")[0])
def port(request: pytest.FixtureRequest) -> Port:
    return Port(request.param)


async def get(server: HttpServer, path: str, body: bytes | None = None) -> tuple[int, str, str]:
    # Threads of the clients' own: those of the loop are the server's.
    return await asyncio.get_running_loop().run_in_executor(CLIENTS, get_now, server.address, path, body)


def get_now(address: str, path: str, body: bytes | None = None) -> tuple[int, str, str]:
    """body: makes it a POST."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}", body, timeout=20) as answer:
            return answer.status, answer.headers["content-type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["content-type"], error.read().decode()


def test_metrics_have_the_format_of_prometheus(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        port.whole.metrics.bad_input["tls"] += 3
        status, content_type, text = await get(server, "/metrics")
        assert status == 200
        assert content_type.startswith("text/plain; version=0.0.4")
        assert 'tidemark_bad_input_total{kind="tls"} 3.0' in text.splitlines()

    port.serve(story)


def test_readiness_reports_the_reason(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        assert (await get(server, "/livez"))[::2] == (200, "ok\n")
        assert (await get(server, "/readyz"))[::2] == (200, "ok\n")
        port.whole.node.fail(OSError("the log cannot be written"))
        assert (await get(server, "/readyz"))[::2] == (503, "the log cannot be written\n")

    port.serve(story)


def test_clients_that_connect_while_the_server_loads_get_responses(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        answers = await asyncio.gather(*(get(server, "/livez") for _ in range(8)))
        assert [status for status, _, _ in answers] == [200] * 8

    port.serve(story)


def test_a_port_without_requests_is_closed_at_once(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        pass

    port.serve(story)


def test_it_stops_while_it_is_still_loading(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        host, _, number = server.address.rpartition(":")
        with socket.create_connection((host, int(number)), timeout=20):
            await asyncio.sleep(0)

    port.serve(story)


def test_half_a_request_does_not_keep_it_from_stopping(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        assert (await get(server, "/livez"))[0] == 200
        host, _, number = server.address.rpartition(":")
        half = socket.create_connection((host, int(number)), timeout=20)
        half.sendall(b"GET /metrics HTTP/1.1\r\nHost:")
        await asyncio.sleep(0.05)
        port.open = half

    port.serve(story)
    assert port.open is not None
    with port.open:
        assert port.open.recv(1) == b""


def test_a_port_in_use_is_named_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        with pytest.raises(CannotServeHttp, match=rf"^cannot serve HTTP on 127\.0\.0\.1:{number} .*in use$"):
            server(port=number).bind()


async def token_of(host: str, **settings: str) -> str | None:
    """Return the token that a port needs once it is bound."""
    bound = server(host, **settings)
    bound.bind()
    await bound.stop()
    return bound.token


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::"])
async def test_an_address_that_other_machines_reach_gets_a_token(host: str) -> None:
    assert len(await token_of(host) or "") >= 20


async def test_no_token_is_drawn_if_one_is_set_or_none_is_wanted() -> None:
    assert await token_of("0.0.0.0", tidemark_http_public="true") is None
    assert await token_of("0.0.0.0", tidemark_http_token="chosen-token") == "chosen-token"


def test_a_generated_token_is_required_and_logged(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        here = f"127.0.0.1:{server.address.rpartition(':')[2]}"
        for path, status in (("/livez", 200), ("/metrics", 401)):
            answer = await asyncio.get_running_loop().run_in_executor(CLIENTS, get_now, here, path)
            assert answer[0] == status
        assert port.whole.lines.of("HTTP needs a token") == [{"generated": server.token}]

    port.serve(story, tidemark_http_listener="0.0.0.0:0")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.2"])
async def test_loopback_addresses_get_no_token(host: str) -> None:
    assert await token_of(host) is None


def test_a_bug_gets_status_500_and_the_next_request_is_served(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        node, current = port.whole.node, port.whole.node.current
        node._current = None  # a bug
        status, content_type, text = await get(server, "/v1/clock")
        node._current = current
        assert (status, content_type) == (500, "application/json")
        assert json.loads(text)["error"]["code"] == "internal"
        assert (await get(server, "/livez"))[0] == 200

    port.serve(story)


class FullDisk(MemoryStorage):
    """A disk that refuses to write, once it is full."""

    full: type[OSError] | None = None

    def about_to(self, operation: str) -> None:
        if self.full is not None:
            raise self.full(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("kind", [OSError, PermissionError])
def test_a_disk_that_cannot_be_written_gets_status_503(port: Port, kind: type[OSError]) -> None:
    disk = FullDisk()

    async def story(server: HttpServer) -> None:
        disk.full = kind
        status, _, text = await get(server, "/v1/clock/freeze", b"{}")
        error = json.loads(text)["error"]
        assert (status, error["code"]) == (503, "cannot_write")
        assert "No space left on device" in error["message"]

    port.serve(story, disk, tidemark_test_api="true")


def test_http_libraries_are_not_imported_before_the_first_request() -> None:
    code = (
        "import sys, tidemark_http\n"
        "heavy = {'uvicorn', 'starlette', 'prometheus_client'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})
