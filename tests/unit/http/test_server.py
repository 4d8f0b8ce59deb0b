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

from tidemark.metrics import Metrics
from tidemark_http import CannotServeHttp, HttpServer, Site
from tidemark_testing.clock import VirtualClock

LOOPS: list[Callable[[], asyncio.AbstractEventLoop]] = [asyncio.new_event_loop]
try:
    import uvloop

    LOOPS.append(uvloop.new_event_loop)
except ImportError:
    pass

CLIENTS = ThreadPoolExecutor(16, "client")
Story = Callable[[HttpServer], Coroutine[Any, Any, None]]


class Port:
    """An HttpServer on a free port, on each kind of loop."""

    def __init__(self, loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self._loop = loop
        self.metrics = Metrics()
        self.clock = VirtualClock()
        self.wrong: str | None = None
        self.open: socket.socket | None = None

    def server(
        self, *, host: str = "127.0.0.1", port: int = 0, connections_max: int = 64, **options: Any
    ) -> HttpServer:
        new_token = options.pop("new_token", None)
        site = Site(
            metrics=lambda: self.metrics,
            clock=self.clock,
            connections_max=connections_max,
            **options,
            why_not_ready=lambda: self.wrong,
        )
        return HttpServer((host, port), site, new_token)

    def serve(self, story: Story, **options: Any) -> None:
        async def run() -> None:
            server = self.server(**options)
            server.bind()
            server.start()
            try:
                await story(server)
            finally:
                await asyncio.wait_for(server.stop(), 5)

        # A story runs on each kind of loop; pytest-asyncio has only one.
        with asyncio.Runner(loop_factory=self._loop) as runner:
            runner.run(run())


@pytest.fixture(params=LOOPS, ids=lambda loop: loop.__module__.split(".")[0])
def port(request: pytest.FixtureRequest) -> Port:
    return Port(request.param)


async def get(server: HttpServer, path: str) -> tuple[int, str, str]:
    # Threads of the clients' own: those of the loop are the server's.
    return await asyncio.get_running_loop().run_in_executor(CLIENTS, get_now, server.address, path)


def get_now(address: str, path: str) -> tuple[int, str, str]:
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=20) as answer:
            return answer.status, answer.headers["content-type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["content-type"], error.read().decode()


def test_metrics_have_the_format_of_prometheus(port: Port) -> None:
    port.metrics.requests["OffsetCommit", 8] += 3

    async def story(server: HttpServer) -> None:
        status, content_type, text = await get(server, "/metrics")
        assert status == 200
        assert content_type.startswith("text/plain; version=0.0.4")
        assert 'tidemark_requests_total{api="OffsetCommit",version="8"} 3.0' in text.splitlines()

    port.serve(story)


def test_readiness_reports_the_reason(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        assert (await get(server, "/livez"))[::2] == (200, "ok\n")
        assert (await get(server, "/readyz"))[::2] == (200, "ok\n")
        port.wrong = "the log cannot be written"
        assert (await get(server, "/readyz"))[::2] == (503, "the log cannot be written\n")

    port.serve(story)


def test_an_unknown_path_is_not_found(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        assert (await get(server, "/v1"))[0] == 404
        assert (await get(server, "/"))[0] == 200

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


def test_a_port_in_use_is_named_in_one_line(port: Port) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        with pytest.raises(CannotServeHttp, match=rf"^cannot serve HTTP on 127\.0\.0\.1:{number} .*in use$"):
            port.server(port=number).bind()


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::"])
@pytest.mark.asyncio
async def test_an_address_that_other_machines_reach_gets_a_token(port: Port, host: str) -> None:
    server = port.server(host=host, new_token=lambda: "drawn-at-random")
    server.bind()
    assert server.generated_token == "drawn-at-random"
    await server.stop()


@pytest.mark.parametrize("given", [{}, {"new_token": lambda: "drawn-at-random", "token": "chosen-token"}])
@pytest.mark.asyncio
async def test_no_token_is_drawn_if_one_is_set_or_none_is_wanted(port: Port, given: dict[str, Any]) -> None:
    server = port.server(host="0.0.0.0", **given)
    server.bind()
    assert server.generated_token is None
    await server.stop()


def test_a_generated_token_is_required(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        here = f"127.0.0.1:{server.address.rpartition(':')[2]}"
        for path, status in (("/livez", 200), ("/metrics", 401)):
            answer = await asyncio.get_running_loop().run_in_executor(CLIENTS, get_now, here, path)
            assert answer[0] == status

    port.serve(story, host="0.0.0.0", new_token=lambda: "drawn-at-random")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.2"])
@pytest.mark.asyncio
async def test_loopback_addresses_get_no_token(port: Port, host: str) -> None:
    server = port.server(host=host, new_token=lambda: "drawn-at-random")
    server.bind()
    assert server.generated_token is None
    await server.stop()


def test_a_bug_gets_status_500_and_the_next_request_is_served(port: Port) -> None:
    async def story(server: HttpServer) -> None:
        status, content_type, text = await get(server, "/v1/clock")
        assert (status, content_type) == (500, "application/json")
        assert json.loads(text)["error"]["code"] == "internal"
        assert (await get(server, "/livez"))[0] == 200

    def ports() -> Any:
        raise AssertionError("a bug")

    port.serve(story, ports=ports)


@pytest.mark.parametrize("kind", [OSError, PermissionError])
def test_a_disk_that_cannot_be_written_gets_status_503(port: Port, kind: type[OSError]) -> None:
    async def story(server: HttpServer) -> None:
        status, _, text = await get(server, "/v1/clock")
        error = json.loads(text)["error"]
        assert (status, error["code"]) == (503, "cannot_write")
        assert "No space left on device" in error["message"]

    def ports() -> Any:
        raise kind(errno.ENOSPC, "No space left on device")

    port.serve(story, ports=ports)


def test_http_libraries_are_not_imported_before_the_first_request() -> None:
    code = (
        "import sys, tidemark_http\n"
        "heavy = {'uvicorn', 'starlette', 'prometheus_client'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})
