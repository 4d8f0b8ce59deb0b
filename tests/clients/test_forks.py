"""A forked process (tests/forks.py) does what a new one does."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests import forks
from tests.broker_process import BrokerProcess, environment
from tests.wire import Connection
from tidemark_protocol.messages.api_versions import ApiVersionsRequest
from tidemark_protocol.messages.metadata import MetadataRequest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has descriptors of processes"),
]

CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAQ"


def responses(folder: Path, *, forked: bool) -> list[str]:
    """Return what a new broker responds, without its port and folder, and the names in its log lines."""
    broker = BrokerProcess(folder, {"tidemark.cluster.id": CLUSTER_ID}, forked=forked)
    broker.start()
    try:
        with Connection(broker.bootstrap) as connection:
            told = [
                str(connection.ask("ApiVersions", 3, ApiVersionsRequest("tests", "1"))),
                str(connection.ask("Metadata", 12, MetadataRequest(topics=None))),
            ]
        with urllib.request.urlopen(f"http://{broker.http}/metrics", timeout=10) as page:
            told += sorted({line.split()[0] for line in page.read().decode().splitlines() if line[0] != "#"})
        command = Path(f"/proc/{broker.pid}/cmdline").read_text()
    finally:
        broker.stop()
    assert ("tests.forks" in command) == forked
    differs = re.compile(f"{broker.bootstrap.rpartition(':')[2]}|{re.escape(str(folder))}")
    events = re.findall(r"\[\w+ *\] (\w+)", broker.said())
    return [*(differs.sub("", text) for text in told), *events]


def test_a_forked_broker_and_a_new_one_respond_alike(tmp_path: Path) -> None:
    forked = responses(tmp_path / "forked", forked=True)
    assert forked == responses(tmp_path / "new", forked=False)
    assert forked[-2:] == ["serving", "stopped"]


def test_a_forked_broker_has_no_descriptor_of_the_fork_server(tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path)
    broker.start()
    server = int(re.findall(r"PPid:\t(\d+)", Path(f"/proc/{broker.pid}/status").read_text())[0])
    assert opened(server)
    assert not opened(server) & opened(broker.pid)
    broker.kill9()


def opened(pid: int) -> set[Path]:
    """Return what the descriptors of a process refer to, except for the null device."""
    return {each.readlink() for each in Path(f"/proc/{pid}/fd").iterdir()} - {Path("/dev/null")}


def test_signals_and_exit_codes_are_those_of_a_process(tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path)
    broker.start()
    broker.terminate()
    assert broker.wait(10) == 0
    broker.start()
    broker.kill9()
    assert broker.wait(0) == -signal.SIGKILL
    assert not broker.started


@pytest.mark.parametrize("arguments", [["--version"], [], ["serve", "--port", "x"], ["topics", "--nonsense"]])
def test_a_forked_command_prints_what_a_new_one_prints(arguments: list[str]) -> None:
    command = [*forks.OURS, *arguments]
    forked = forks.run(command, environment(), b"", 30)
    new = subprocess.run(command, capture_output=True, env=environment())
    assert (forked.returncode, forked.stdout, forked.stderr) == (new.returncode, new.stdout, new.stderr)


def test_a_fork_has_the_environment_and_the_directory_of_the_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KAFKA_OFFSETS_RETENTION_MINUTES", "0")
    command = [*forks.OURS, "serve", "--data-dir", "data", "--config", "missing.properties"]
    forked = forks.run(command, environment(), b"", 30)
    new = subprocess.run(command, capture_output=True, env=environment())
    assert (forked.returncode, forked.stderr) == (new.returncode, new.stderr)
    assert new.stderr


def test_a_variable_of_the_interpreter_needs_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert forks.can_fork([*forks.OURS, "serve"])
    assert not forks.can_fork(["taskset", "-c", "0", *forks.OURS, "serve"])
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    assert not forks.can_fork([*forks.OURS, "serve"])


def test_the_end_of_the_fork_server_is_reported_with_its_output() -> None:
    server = forks.Server({})
    with pytest.raises(
        RuntimeError, match=r"(?s)the fork server .* ended \(exit code 1\).*ChildProcessError"
    ):
        server.ask({"ended": 1})  # which is no child of the server
    server.end()
