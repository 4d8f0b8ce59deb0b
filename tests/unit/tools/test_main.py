"""The command itself: wrong commands, and output pipes that are closed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.broker_process import environment
from tidemark import __version__
from tidemark_tools.logs import Log
from tidemark_tools.main import COMMANDS, GROUPED, NOT_OF_KAFKA, main


def test_an_unknown_command_is_named_with_the_closest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quotas"]) == 2
    assert main(["get-offset"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("tidemark: there is no command 'quotas'")
    assert said[1] == f"Commands: serve, {', '.join(COMMANDS)}"
    assert said[2] == "tidemark: there is no command 'get-offset'; did you mean 'get-offsets'?"


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["--help"], ["--version"], ["serve", "--help"], ["topics"],
        *([command, "--help"] for command in COMMANDS),
        ["groups", "--version"], ["install-shims", "{folder}"],
        ["consumer-groups", "--validate-regex", "a"], ["dump-log", "--files", "{folder}/none.log"],
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("streams", ["stdout", "both"])
@pytest.mark.slow
def test_a_closed_output_pipe_leaves_no_traceback(arguments: list[str], streams: str, tmp_path: Path) -> None:
    """If only stdout has no reader, stderr has only the lines that were written before."""
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run(
        [sys.executable, "-m", "tidemark", *(each.format(folder=tmp_path) for each in arguments)],
        stdout=writing,
        stderr=subprocess.PIPE if streams == "stdout" else writing,
        env=environment(),
        check=False,
    )
    os.close(writing)
    said = (run.stderr or b"").decode()
    assert "BrokenPipe" not in said and "Broken pipe" not in said and "Traceback" not in said, said
    assert run.returncode in (0, 1, 2)


class Unwritable:
    """A stderr whose reader has closed it."""

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        raise BrokenPipeError

    def flush(self) -> None:
        raise BrokenPipeError


def test_a_log_that_cannot_be_written_does_not_stop_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Unwritable())
    log = Log("info", "json")
    log.info("topic created", topic="orders")
    log.lifecycle("stopped")


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - set(NOT_OF_KAFKA)))
def test_a_tool_prints_the_release_of_kafka_that_it_imitates(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([command, "--version"]) == 0
    out, err = capsys.readouterr()
    assert (re.sub(r" \(Commit:\w+\)$", "", out.rstrip("\n")), err) == ("4.3.1", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main([command, "--version"]) == 0
    assert capsys.readouterr() == (out, f"This is tidemark {__version__}, with the tools of that release.\n")


@pytest.mark.parametrize("command", ["", "serve", *NOT_OF_KAFKA])
def test_a_command_of_our_own_prints_the_version_of_tidemark(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main([*filter(None, [command]), "--version"])
    except SystemExit as ended:  # argparse
        code = int(ended.code or 0)
    assert code == 0
    assert capsys.readouterr() == (f"tidemark {__version__}\n", "")


def test_help_groups_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Broker:", *(f"{title}:" for title in GROUPED)]
    for name, tool in COMMANDS.items():
        assert any(line.split(maxsplit=1) == [name, tool.help] for line in lines)
