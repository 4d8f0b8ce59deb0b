"""The servers of the plugin. They do not change the process of the tests."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.testing.committing import commit, topics
from tidemark_testing.server import CannotServe, ExternalServer, ProcessServer, Server, ThreadServer
from tidemark_testing.wire import create_topic
from tidemark_tools.http_api import Api, NoResponse

KINDS = {"thread": ThreadServer, "subprocess": ProcessServer}
GONE_S = 20


@pytest.fixture(params=list(KINDS))
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    made: Server = KINDS[request.param](tmp_path, {"num.partitions": "3"})
    made.start()
    yield made
    made.close()


def test_it_serves_kafka_and_http_on_ports_that_are_free(server: Server) -> None:
    create_topic(server.bootstrap_servers, "orders", -1, {})
    assert topics(server.bootstrap_servers) == ["orders"]
    assert server.http is not None
    assert Api(server.http).get("/v1/clock")["test_api"] is True


def test_a_stopped_server_does_not_respond(server: Server) -> None:
    host, _, port = server.bootstrap_servers.rpartition(":")
    server.stop()
    assert server.http is not None
    with pytest.raises(NoResponse):
        Api(server.http).get("/v1/clock")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, a bound port cannot be listened on")
def test_no_other_process_gets_the_ports_of_a_stopped_server(server: Server) -> None:
    before = server.bootstrap_servers, server.http
    server.stop()
    for address in before:
        assert address is not None
        host, _, port = address.rpartition(":")
        with socket.socket() as other, pytest.raises(OSError, match="Address already in use"):
            other.bind((host, int(port)))
    server.start()
    assert (server.bootstrap_servers, server.http) == before
    assert topics(server.bootstrap_servers) == []


@pytest.mark.parametrize("kind", list(KINDS))
def test_an_invalid_setting_has_the_brokers_message(kind: str, tmp_path: Path) -> None:
    server: Server = KINDS[kind](tmp_path, {"offsets.retention.minutes": "0"})
    with pytest.raises(CannotServe, match=r"Invalid value 0 for configuration offsets\.retention\.minutes"):
        server.start()
    server.stop()


def test_a_thread_whose_start_failed_can_be_stopped_before_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, may_end = threading.Event(), threading.Event()

    class SlowRunner(asyncio.Runner):
        def close(self) -> None:
            super().close()
            closed.set()
            may_end.wait(GONE_S)

    monkeypatch.setattr("tidemark_testing.server.asyncio.Runner", SlowRunner)
    server = ThreadServer(tmp_path, {"offsets.retention.minutes": "0"})
    with pytest.raises(CannotServe):
        server.start()
    assert closed.wait(GONE_S)
    threading.Timer(0.1, may_end.set).start()
    server.close()
    assert may_end.is_set()


@pytest.mark.parametrize("kind", list(KINDS))
def test_kafka_variables_in_the_tests_environment_are_ignored(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_OFFSETS_RETENTION_MINUTES", "7")
    monkeypatch.setenv("KAFKA_LISTENERS", "PLAINTEXT://10.255.255.1:9092")
    server: Server = KINDS[kind](tmp_path, {})
    server.start()
    try:
        assert server.http is not None
        assert Api(server.http).get("/v1/clock")["retention_ms"] == 10_080 * 60_000
    finally:
        server.close()


def test_two_brokers_in_one_process_are_independent(tmp_path: Path) -> None:
    servers = [ThreadServer(tmp_path / name, {}) for name in ("a", "b")]
    for server in servers:
        server.start()
    create_topic(servers[0].bootstrap_servers, "orders", 1, {})
    assert [topics(server.bootstrap_servers) for server in servers] == [["orders"], []]
    for server in servers:
        server.close()


def test_in_a_thread_it_does_not_change_the_process(tmp_path: Path) -> None:
    def state() -> list[object]:
        return [
            [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)],
            gc.get_threshold(),
            gc.isenabled(),
            gc.get_freeze_count(),
            sys.getswitchinterval(),
            resource.getrlimit(resource.RLIMIT_NOFILE),
            logging.getLogger().level,
        ]

    before, threads = state(), set(threading.enumerate())
    server = ThreadServer(tmp_path, {})
    server.start()
    while_it_runs = state()
    assert while_it_runs[:-1] == before[:-1]
    create_topic(server.bootstrap_servers, "orders", 1, {})
    commit(server.bootstrap_servers, "g", "orders", 1)
    server.close()
    assert state() == before
    assert set(threading.enumerate()) <= threads  # threads of another test may end in the meantime


def test_in_a_thread_its_log_lines_reach_pytest(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tidemark")
    server = ThreadServer(tmp_path, {})
    server.start()
    create_topic(server.bootstrap_servers, "orders", 1, {})
    commit(server.bootstrap_servers, "g", "orders", 1)
    assert server.http is not None
    Api(server.http).post("/v1/clock/advance", {"days": 8})
    server.close()
    (line,) = [record for record in caplog.records if record.message.startswith("offset removed")]
    assert "group='g'" in line.message
    assert line.levelno == logging.INFO


def test_a_broker_process_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    code = """if True:
        import os, pathlib, signal, sys
        from tidemark_testing.server import ProcessServer
        server = ProcessServer(pathlib.Path(sys.argv[1]), {})
        server.start()
        print(server.bootstrap_servers, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    killed = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=environment, capture_output=True, text=True
    )
    assert killed.returncode == -signal.SIGKILL
    host, _, port = killed.stdout.strip().rpartition(":")
    with socket.socket() as connection:
        connection.settimeout(GONE_S)
        try:
            connection.connect((host, int(port)))
            gone = connection.recv(1) == b""  # it hangs up when it stops
        except (ConnectionRefusedError, ConnectionResetError):
            gone = True
    assert gone


def test_an_external_broker_must_be_reachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
    for bootstrap in (f"127.0.0.1:{port}", "nonsense"):
        with pytest.raises(CannotServe, match=f"cannot connect to --tidemark-bootstrap {bootstrap}"):
            ExternalServer(bootstrap, None).start()


def test_an_external_http_address_must_be_a_tidemarks(server: Server) -> None:
    with pytest.raises(CannotServe, match="no tidemark at --tidemark-http"):
        ExternalServer(server.bootstrap_servers, server.bootstrap_servers).start()
    good = ExternalServer(server.bootstrap_servers, server.http)
    good.start()
    assert good.ours
    good.close()
    create_topic(server.bootstrap_servers, "still", 1, {})


def test_an_external_broker_that_refuses_the_host_name_is_an_error(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server.http is not None
    http = f"tidemark.test:{server.http.rpartition(':')[2]}"

    def here(name: str, port: int, *more: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", here)
    with pytest.raises(
        CannotServe, match=r"returned an error: 'tidemark\.test:.* add the name to tidemark\.http\.hosts$"
    ):
        ExternalServer(server.bootstrap_servers, http).start()


def test_an_external_tidemark_without_the_test_api_is_not_reset(tmp_path: Path) -> None:
    plain = ThreadServer(tmp_path, {"tidemark.test.api": "false"})
    plain.start()
    try:
        external = ExternalServer(plain.bootstrap_servers, plain.http)
        external.start()
        assert not external.ours
    finally:
        plain.close()
