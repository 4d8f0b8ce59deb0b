"""The completion scripts have every command and option of the tables that the tools parse with."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tidemark_tools.main import COMMANDS
from tidemark_tools.set_up import completion, words


def printed(capsys: pytest.CaptureFixture[str], shell: str) -> str:
    assert completion([shell]) == 0
    return capsys.readouterr().out


def completed(script: str, *typed: str) -> list[str]:
    """Return what bash offers for the last of the typed words."""
    line = " ".join(f"'{word}'" for word in ("tidemark", *typed))
    ask = f"COMP_WORDS=({line}); COMP_CWORD={len(typed)}; _tidemark; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    ran = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_bash_completes_commands_and_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    script = printed(capsys, "bash")
    assert completed(script, "console-p") == ["console-producer"]
    assert set(completed(script, "")) == {"serve", *COMMANDS, "--help", "--version"}
    assert completed(script, "consumer-groups", "--reset") == ["--reset-offsets"]
    assert completed(script, "serve", "--data") == ["--data-dir"]
    assert completed(script, "transactions", "find") == ["find-hanging"]
    assert completed(script, "completion", "z") == ["zsh"]
    assert completed(script, "nosuch", "--x") == []


def test_every_command_has_words() -> None:
    assert set(words()) == {"serve", *COMMANDS}
    assert all(words().values())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_valid_and_complete(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    script = printed(capsys, shell)
    for options in words().values():
        for word in options:
            assert word.removeprefix("--") in script
    if shutil.which(shell):
        subprocess.run([shell, "-n", "-c", script], check=True)


def test_an_unknown_shell_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert completion(["tcsh"]) == 2
    assert capsys.readouterr().err.startswith("usage: tidemark completion bash|zsh|fish")
