"""docs/languages.md shows the examples as they are, and its tables are complete and true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import environment

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "languages.md").read_text("utf-8")
PROGRAM: Final = re.compile(r"^\[(examples/.*)\]\(\.\./\1\):\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHIPPED: Final = ("broker", "pipeline", "protocol", "docker", "hatch_build.py")


def test_every_program_is_a_file_of_the_examples() -> None:
    shown = PROGRAM.findall(PAGE)
    for path, text in shown:
        assert text == (ROOT / path).read_text("utf-8"), path
    others = PROGRAM.sub("", PAGE)
    assert set(re.findall(r"^ *```(\w+)", others, re.MULTILINE)) == {"console", "csharp"}
    folders = ("java", "node-kafkajs", "go-franz-go", "rust-rskafka")
    sources = {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for pattern in ("src/**/*.java", "*.js", "*.go", "tests/**/*.rs")
        for path in (ROOT / "examples" / folder).glob(pattern)
    }
    assert sources <= {path for path, _ in shown}


def test_every_variable_is_in_the_table() -> None:
    files = subprocess.run(
        ["git", "ls-files", *SHIPPED], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    read: set[str] = set()
    for file in files:
        if file.endswith(".py"):
            read.update(re.findall(r"\"(TIDEMARK_[A-Z_]+)\"", (ROOT / file).read_text("utf-8")))
    assert set(re.findall(r"^\| `(TIDEMARK_[A-Z_]+)` \|", PAGE, re.MULTILINE)) == read


# The command lines that the rows of the table describe.
MISTAKES: Final = {
    "a wrong value": ("--set=offsets.retention.minutes=0",),
    "a directory that cannot be made": ("--data-dir=/dev/null/data", "--port=0", "--http-port=0"),
    "an unknown option": ("--prt=0",),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_start_error_is_as_in_the_table(mistake: str) -> None:
    row = re.search(rf"^\| {mistake} \| `(.*)` \| (\d) \|$", PAGE, re.MULTILINE)
    assert row is not None
    command = [sys.executable, "-m", "tidemark", "serve", *MISTAKES[mistake]]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60)
    assert (ended.returncode, ended.stderr.splitlines()[-1]) == (int(row[2]), row[1])
    assert ended.stdout == ""
