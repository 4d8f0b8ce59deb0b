"""The tools without a broker: an early warning, then one sentence and exit code 1."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import environment
from tidemark_tools.client.client import WARN_AFTER_S

pytestmark = pytest.mark.slow  # each starts a process

REFUSED: Final = "127.0.0.1:1"
REFUSED_SENTENCE: Final = f"no broker responds at {REFUSED} (Connection refused)"
RUN_S_MAX: Final = 30
OFFSET_ACTIONS: Final = (
    "--describe --group g",
    "--describe --all-groups",
    "--delete --group g",
    "--delete-offsets --group g --topic t:0",
    "--delete-offsets --group g --topic t",
    "--reset-offsets --group g --topic t --to-latest --dry-run",
)
# Each command with the beginning of its last line.
LINES: Final = {
    "consumer-groups --list --timeout 300": "Error: ",
    **{f"consumer-groups {action} --timeout 300": "Error: " for action in OFFSET_ACTIONS},
    "consumer-groups --list --json --timeout 300": "Error: ",
    "share-groups --list --timeout 300": "Error: ",
    "share-groups --describe --group g --timeout 300": "Error: ",
    "share-groups --delete-offsets --group g --topic t --timeout 300": "Error: ",
    "groups --list --command-config {settings}": "Error: ",
    "topics --list --command-config {settings}": "Error: ",
    "topics --create --topic t --command-config {settings}": "Error: ",
    "get-offsets --command-config {settings}": "Error occurred: ",
    "log-dirs --describe --command-config {settings}": "",
    "transactions --command-config {settings} list": "Error: ",
    "transactions --command-config {settings} find-hanging --topic t": "Error: ",
    "transactions --command-config {settings} abort --topic t --partition 0 --start-offset 1": "Error: ",
    "transactions --command-config {settings} forceTerminateTransaction --transactionalId t": "Error: ",
    "console-producer --topic t --max-block-ms 300": "",
    "console-producer --topic t --max-block-ms 300 --sync": "",
    "console-consumer --topic t --timeout-ms 300": "Error: ",
    "console-consumer --topic t --partition 0 --timeout-ms 300": "Error: ",
    "console-share-consumer --topic t --timeout-ms 300": "Error: ",
}


def command(line: str, address: str = REFUSED) -> list[str]:
    tool, *arguments = line.split()
    return [sys.executable, "-m", "tidemark", tool, "--bootstrap-server", address, *arguments]


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "client.properties"
    path.write_text("default.api.timeout.ms=300")
    return path


@pytest.fixture
def silent() -> Iterator[str]:
    """An address that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def ended(line: str, address: str = REFUSED) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(line, address), input="line\n", capture_output=True, text=True, timeout=RUN_S_MAX,
        env=environment(), check=False,
    )  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_tool_without_a_broker_fails_with_one_sentence(line: str, settings: Path) -> None:
    run = ended(line.format(settings=settings))
    told = [each for each in run.stderr.splitlines() if not each.startswith(("Processed a total", "ERROR "))]
    assert (run.returncode, run.stdout, told) == (1, "", [LINES[line] + REFUSED_SENTENCE])
    assert "Exception" not in run.stderr


@pytest.mark.parametrize(
    "line",
    ["consumer-groups --list", "groups --list", "get-offsets", "console-producer --topic t",
     "console-consumer --topic t"],
)  # fmt: skip
@pytest.mark.parametrize("refused", [True, False], ids=["refused", "silent"])
def test_a_tool_that_waits_for_a_broker_warns_soon(line: str, refused: bool, silent: str) -> None:
    address = REFUSED if refused else silent
    began = time.monotonic()
    with subprocess.Popen(
        command(line, address), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(),
    ) as waiting:  # fmt: skip
        assert waiting.stdin is not None and waiting.stderr is not None
        waiting.stdin.write(b"line\n")
        waiting.stdin.flush()
        reason = "Connection refused" if refused else "timed out"
        warning = f"WARN no broker responds at {address} ({reason}); trying again\n"
        assert waiting.stderr.readline().decode() == warning
        assert time.monotonic() - began < WARN_AFTER_S + 10  # the start of Python on a busy machine
        assert waiting.poll() is None
        waiting.kill()


def test_an_unknown_host_is_named(settings: Path) -> None:
    for line in ("consumer-groups --list", "groups --list", "console-consumer --topic t"):
        run = ended(line, "nobody.invalid:9092")
        assert (run.returncode, run.stdout) == (1, "")
        assert "Error: cannot resolve nobody.invalid\n" in run.stderr


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("consumer-groups --reset-offsets --group g --from-file {}/latin --dry-run", "it is not UTF-8"),
        ("consumer-groups --list --command-config {}", "Is a directory"),
        ("groups --list --command-config {}/none", "No such file or directory"),
        ("get-offsets --command-config {}/none", "No such file or directory"),
        ("console-producer --topic t --command-config {}/none", "No such file or directory"),
        ("console-producer --topic t --reader-config {}/none", "No such file or directory"),
        ("console-consumer --topic t --command-config {}/none", "No such file or directory"),
        ("console-consumer --topic t --command-config {}/latin", "it is not UTF-8"),
        ("console-consumer --topic t --formatter-config {}", "Is a directory"),
    ],
)
def test_an_unreadable_file_is_named_before_a_broker_is_called(line: str, told: str, tmp_path: Path) -> None:
    tmp_path.joinpath("latin").write_bytes(b"client.id=\xff")
    run = ended(line.format(tmp_path))
    assert run.returncode == 1
    assert f"cannot read {tmp_path}" in run.stderr.splitlines()[0]
    assert told in run.stderr
    assert "Exception" not in run.stderr


def test_a_timeout_that_is_no_number_is_refused(settings: Path) -> None:
    settings.write_text("default.api.timeout.ms=soon")
    run = ended(f"get-offsets --command-config {settings}")
    sentence = "default.api.timeout.ms must be a number of milliseconds, got 'soon'"
    assert (run.returncode, run.stderr) == (1, f"Error occurred: {sentence}\n")


def test_a_health_check_prints_kafkas_line(settings: Path) -> None:
    line = command(f"broker-api-versions --command-config {settings}")
    ran = subprocess.run(
        line, capture_output=True, text=True, timeout=RUN_S_MAX, env=environment(), check=False
    )
    kafkas = f"Request METADATA failed on brokers [{REFUSED} (id: -1 rack: null isFenced: false)]"
    assert (ran.returncode, ran.stdout, ran.stderr.splitlines()[-1]) == (1, "", kafkas)
