"""`tidemark serve` as a process: its output, its ready file, and how it stops."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.broker_process import environment
from tidemark import __version__
from tidemark_tools.ready_file import ReadyFile, ReadyFileInUse
from tidemark_tools.serve import ready_lines

pytestmark = pytest.mark.slow  # each starts processes

WAIT_S = 20
ANY_PORTS = ("--port", "0", "--http-port", "0")


class Processes:
    """The processes that a test has started. All of them end with the test."""

    def __init__(self) -> None:
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tidemark", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment() | variables,
        )  # fmt: skip
        self.started.append(process)
        return process

    def run(self, *arguments: str, **variables: str) -> tuple[int, str, str]:
        process = self.start(*arguments, **variables)
        out, err = process.communicate(timeout=WAIT_S)
        return process.returncode, out, err

    def end(self) -> None:
        for process in self.started:
            process.kill()
            process.communicate()


@pytest.fixture
def processes() -> Iterator[Processes]:
    everything = Processes()
    yield everything
    everything.end()


def serving(
    processes: Processes, data_dir: Path, *arguments: str
) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """A running broker, and the addresses that it has printed."""
    local = ["--set", "listeners=PLAINTEXT://127.0.0.1:0"]
    process = processes.start("serve", "--data-dir", str(data_dir), *ANY_PORTS, *local, *arguments)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr.read() if process.stderr else ""
    ready: dict[str, Any] = json.loads(line)
    return process, ready


def ended(process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> tuple[int, float]:
    """Stop the process. Return the exit code, and the seconds that it needed."""
    requested = time.monotonic()
    process.send_signal(number)
    process.communicate(timeout=WAIT_S)
    return process.returncode, time.monotonic() - requested


def test_one_line_on_stdout_and_the_ready_file_have_the_addresses(
    processes: Processes, tmp_path: Path
) -> None:
    ready_file = tmp_path / "new" / "ready.json"
    process, ready = serving(processes, tmp_path / "data", "--ready-file", str(ready_file))
    assert json.loads(ready_file.read_text()) == ready
    assert list(ready) == ["bootstrap_servers", "http", "pid", "cluster_id", "data_dir", "event_loop"]
    assert (ready["pid"], ready["data_dir"]) == (process.pid, str(tmp_path / "data"))
    host, _, port = ready["bootstrap_servers"].rpartition(":")
    socket.create_connection((host, int(port)), timeout=WAIT_S).close()
    with urllib.request.urlopen(f"http://{ready['http']}/readyz", timeout=WAIT_S) as response:
        assert response.status == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_when_asked_within_two_seconds(
    processes: Processes, tmp_path: Path, number: signal.Signals
) -> None:
    process, ready = serving(processes, tmp_path)
    host, _, port = ready["bootstrap_servers"].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=WAIT_S):
        code, seconds = ended(process, number)
    assert code == 0
    assert seconds < 2


def test_it_is_the_same_cluster_after_a_restart(processes: Processes, tmp_path: Path) -> None:
    first, before = serving(processes, tmp_path)
    ended(first)
    _, after = serving(processes, tmp_path)
    assert after["cluster_id"] == before["cluster_id"]


def test_it_serves_on_asyncios_own_loop_too(processes: Processes, tmp_path: Path) -> None:
    process, ready = serving(processes, tmp_path, "--set", "tidemark.event.loop=asyncio")
    with urllib.request.urlopen(f"http://{ready['http']}/metrics", timeout=WAIT_S) as response:
        assert f'tidemark_build_info{{version="{__version__}"}} 1.0' in response.read().decode()
    assert ended(process)[0] == 0


def test_a_port_in_use_is_one_clear_line(processes: Processes, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        where = f"listeners=PLAINTEXT://127.0.0.1:{port}"
        code, out, err = processes.run(
            "serve", "--data-dir", str(tmp_path), "--set", where, "--http-port", "0"
        )
    assert (code, out) == (1, "")
    assert err.startswith(f"tidemark: cannot listen on 127.0.0.1:{port}")
    assert err.count("\n") == 1


def test_an_http_port_in_use_is_one_clear_line(processes: Processes, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, out, err = processes.run(
            "serve", "--data-dir", str(tmp_path), "--port", "0", "--http-port", str(port)
        )
    assert (code, out) == (1, "")
    assert err.startswith(f"tidemark: cannot serve HTTP on 127.0.0.1:{port}")
    assert err.count("\n") == 1


def test_a_directory_that_cannot_be_made_is_one_clear_line(processes: Processes, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, out, err = processes.run("serve", "--data-dir", str(tmp_path / "file" / "data"), *ANY_PORTS)
    assert (code, out) == (1, "")
    assert str(tmp_path / "file") in err
    assert err.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_one_clear_line(processes: Processes, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    code, out, err = processes.run("serve", "--data-dir", str(tmp_path), *ANY_PORTS)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1


def test_a_directory_in_use_is_one_clear_line(processes: Processes, tmp_path: Path) -> None:
    serving(processes, tmp_path)
    code, out, err = processes.run("serve", "--data-dir", str(tmp_path), *ANY_PORTS)
    assert (code, out) == (1, "")
    assert str(tmp_path) in err
    assert err.count("\n") == 1


def test_a_wrong_setting_is_one_line_in_kafkas_words(processes: Processes) -> None:
    code, out, err = processes.run("serve", KAFKA_OFFSETS_RETENTION_MINUTES="0")
    assert (code, out) == (1, "")
    assert err == (
        "tidemark: Invalid value 0 for configuration offsets.retention.minutes: Value must be at least 1"
        " (from the variable KAFKA_OFFSETS_RETENTION_MINUTES)\n"
    )


def test_lines_of_kafkas_images_follow_the_addresses(processes: Processes, tmp_path: Path) -> None:
    flags = ["--set", "tidemark.ready.lines=true", "--set", "node.id=7"]
    process, _ = serving(processes, tmp_path, *flags)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(3)] == [
        "[KafkaServer id=7] started\n",
        "Kafka Server started\n",
        "Transitioning from RECOVERY to RUNNING\n",
    ]


def test_each_of_these_lines_is_an_object_in_a_json_log() -> None:
    lines = [json.loads(line) for line in ready_lines(1, "json")]
    assert lines[0] == {"event": "[KafkaServer id=1] started", "level": "info"}
    assert all("\n" not in line for line in ready_lines(1, "json"))


def test_unknown_keys_are_named_in_one_warning(processes: Processes, tmp_path: Path) -> None:
    flags = ["--set", "log.retenton.ms=5", "--set", "a.b=1", "--set", "tidemark.log.format=json"]
    process, _ = serving(processes, tmp_path, *flags)
    process.terminate()
    _, err = process.communicate(timeout=WAIT_S)
    lines = [json.loads(line) for line in err.splitlines()]
    warnings = [line for line in lines if line["level"] == "warning"]
    assert [line["names"] for line in warnings] == [["a.b", "log.retenton.ms"]]
    assert [line["event"] for line in lines if line["level"] == "info"] == ["serving", "stopped"]


def test_a_wrong_command_line_is_exit_code_two(processes: Processes) -> None:
    assert processes.run("serve", "--port", "70000")[0] == 2
    assert processes.run("serve", "--nonsense")[0] == 2
    assert processes.run()[0] == 2


def test_the_version_is_printed(processes: Processes) -> None:
    assert processes.run("--version") == (0, f"tidemark {__version__}\n", "")


def test_sighup_stops_the_broker_cleanly_and_says_so(processes: Processes, tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests themselves may run under nohup
    try:
        process, _ = serving(processes, tmp_path / "data")
    finally:
        signal.signal(signal.SIGHUP, before)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0
    assert "stopped" in err


def test_sighup_is_ignored_under_nohup(processes: Processes, tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the child process inherits it
    try:
        process, ready = serving(processes, tmp_path / "data")
    finally:
        signal.signal(signal.SIGHUP, before)
    process.send_signal(signal.SIGHUP)
    with urllib.request.urlopen(f"http://{ready['http']}/readyz", timeout=WAIT_S) as response:
        assert response.status == 200
    assert ended(process)[0] == 0


def test_a_configuration_error_leaves_no_ready_file(tmp_path: Path) -> None:
    ready_file = tmp_path / "ready.json"
    ready_file.write_text("of a broker that was killed")
    command = [sys.executable, "-m", "tidemark", "serve", "--data-dir", str(tmp_path / "data")]
    wrong = ["--ready-file", str(ready_file), "--set", "offsets.retention.minutes=0"]
    ended = subprocess.run(
        [*command, *wrong], env=environment(), capture_output=True, timeout=WAIT_S, check=False
    )
    assert ended.returncode == 1
    assert not ready_file.exists()


def test_a_second_broker_does_not_start_with_the_ready_file_of_a_running_one(
    processes: Processes, tmp_path: Path
) -> None:
    ready_file = tmp_path / "ready.json"
    options = ("--ready-file", str(ready_file))
    first, ready = serving(processes, tmp_path / "first", *options)
    code, out, err = processes.run("serve", "--data-dir", str(tmp_path / "second"), *ANY_PORTS, *options)
    assert (code, out) == (1, "")
    reason = f"{ready_file} is the ready file of a broker that runs. Use another --ready-file."
    assert err == f"tidemark: {reason}\n"
    assert json.loads(ready_file.read_text()) == ready
    first.terminate()
    assert first.wait(WAIT_S) == 0
    assert not ready_file.exists()


def test_the_ready_file_of_a_killed_broker_is_replaced(processes: Processes, tmp_path: Path) -> None:
    ready_file = tmp_path / "ready.json"
    options = ("--ready-file", str(ready_file))
    first, _ = serving(processes, tmp_path / "data", *options)
    first.kill()
    first.wait(WAIT_S)
    assert ready_file.exists()
    _, ready = serving(processes, tmp_path / "data", *options)
    assert json.loads(ready_file.read_text()) == ready


def test_of_two_brokers_that_start_at_the_same_time_one_gets_the_ready_file(tmp_path: Path) -> None:
    first, second = (ReadyFile(tmp_path / "ready.json") for _ in range(2))
    for each in (first, second):
        each.clear()
    first.write("first")
    with pytest.raises(ReadyFileInUse):
        second.write("second")
    second.remove()
    assert [path.read_text() for path in tmp_path.iterdir()] == ["first"]
    first.remove()
    assert not list(tmp_path.iterdir())


def test_a_broker_does_not_remove_a_ready_file_that_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    ready_file = ReadyFile(path)
    ready_file.write("ours")
    path.unlink()
    path.write_text("of somebody else")
    ready_file.remove()
    assert path.read_text() == "of somebody else"


def test_ready_file_exists_only_while_the_broker_is_ready(processes: Processes, tmp_path: Path) -> None:
    ready_file = tmp_path / "ready.json"
    options = ("--ready-file", str(ready_file))
    process, _ = serving(processes, tmp_path / "data", *options)
    assert ready_file.exists()
    assert ended(process)[0] == 0
    assert not ready_file.exists()
    ready_file.write_text("of a broker that was killed")
    (tmp_path / "file").write_text("")
    refused = processes.run("serve", "--data-dir", str(tmp_path / "file"), *ANY_PORTS, *options)
    assert refused[0] == 1
    assert not ready_file.exists()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this host has no IPv6")
@pytest.mark.parametrize("host", ["[::]", "0.0.0.0", ""])
def test_wildcard_address_accepts_clients_of_ipv4_and_ipv6(
    processes: Processes, tmp_path: Path, host: str
) -> None:
    listeners = ("--set", f"listeners=PLAINTEXT://{host}:0")
    process = processes.start("serve", "--data-dir", str(tmp_path), *ANY_PORTS, *listeners)
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    port = int(ready["bootstrap_servers"].rpartition(":")[2])
    for address in ("127.0.0.1", "::1"):
        socket.create_connection((address, port), timeout=WAIT_S).close()


# Starts the command in a thread that then ends, with the stdin that is named, and waits for a line.
PARENT = """
import subprocess, sys, threading
stdin = {"pipe": subprocess.PIPE, "null": subprocess.DEVNULL}[sys.argv[1]]
started = []
starting = threading.Thread(target=lambda: started.append(subprocess.Popen(sys.argv[2:], stdin=stdin)))
starting.start()
starting.join()
if sys.stdin.readline() == "close stdin\\n":
    started[0].stdin.close()
    sys.stdin.readline()
"""


@pytest.fixture
def parent(processes: Processes, tmp_path: Path) -> Any:
    """Returns a function that starts a parent and returns it, and the port of its broker once that serves."""

    def start(stdin: str, *before: str) -> tuple[subprocess.Popen[str], int]:
        broker = [sys.executable, "-m", "tidemark", "serve", "--stop-with-parent", *ANY_PORTS]
        broker += ["--data-dir", str(tmp_path / "data"), "--set", "listeners=PLAINTEXT://127.0.0.1:0"]
        command = [*before, shlex.join(broker) + "; true"] if before else broker
        process = subprocess.Popen(
            [sys.executable, "-c", PARENT, stdin, *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=environment(),
        )  # fmt: skip
        processes.started.append(process)
        assert process.stdout is not None
        return process, int(json.loads(process.stdout.readline())["bootstrap_servers"].rpartition(":")[2])

    return start


def stops(port: int) -> bool:
    """Return whether the broker at this port closes its connections within WAIT_S."""
    with socket.socket() as connection:
        connection.settimeout(WAIT_S)
        try:
            connection.connect(("127.0.0.1", port))
            return connection.recv(1) == b""
        except ConnectionError:
            return True


def test_it_stops_with_a_parent_that_is_killed_but_not_with_the_thread_that_started_it(parent: Any) -> None:
    process, port = parent("null")
    with socket.create_connection(("127.0.0.1", port)) as connection:
        process.kill()
        connection.settimeout(WAIT_S)
        assert connection.recv(1) == b""


def test_it_stops_with_the_program_that_started_it_through_a_shell(parent: Any) -> None:
    process, port = parent("pipe", "sh", "-c")
    process.kill()
    assert stops(port)


def test_it_stops_when_its_parent_closes_stdin(parent: Any) -> None:
    process, port = parent("pipe")
    assert process.stdin is not None
    process.stdin.write("close stdin\n")
    process.stdin.flush()
    assert stops(port)
    assert process.poll() is None
