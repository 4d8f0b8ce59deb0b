"""The commands of docs/transactions.md, run in order, print what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import ROOT, BrokerProcess, environment, start_broker
from tests.clientenv import client_python

pytestmark = [pytest.mark.contract, pytest.mark.slow]

PAGE: Final = (ROOT / "docs" / "transactions.md").read_text("utf-8")
BLOCK: Final = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND: Final = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
SHOP: Final = "shop.py"
KAFKA, HTTP = "localhost:9092", "localhost:9464"
TIMES: Final = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+Z|\b1[6-9]\d{11}\b|(?<=<time>)\s+\d+(?=\s+__)")


def comparable(text: str) -> list[str]:
    """Remove times and padding. Tools print on two streams, so the order of lines is not compared."""
    text = TIMES.sub("<time>", text.replace("\t", " "))
    text = re.sub(r"(?<=<time> )\d+(?= __)", "<ms>", re.sub(" +", " ", text))
    lines = [line.strip() for line in text.splitlines()]
    return sorted(filter(None, lines))


def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    broker = start_broker(tmp_path, {})
    assert isinstance(broker, BrokerProcess)
    binaries = tmp_path / "bin"
    binaries.mkdir()
    pythons = {"tidemark": f"{sys.executable} -m tidemark", "python": client_python("confluent-kafka")}
    for name, command in pythons.items():
        (binaries / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (binaries / name).chmod(0o755)
    path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    addresses = {KAFKA: broker.bootstrap, HTTP: broker.http}

    def here(text: str) -> str:
        for shown, address in addresses.items():
            text = text.replace(shown, address)
        return text

    commands = 0
    try:
        for language, text in BLOCK.findall(PAGE):
            if language == "python":
                (tmp_path / SHOP).write_text(here(text))
                continue
            for command, shown in COMMAND.findall(text):
                ended = subprocess.run(
                    here(command), shell=True, cwd=tmp_path, env={**environment(), "PATH": path},
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
                )  # fmt: skip
                assert comparable(ended.stdout) == comparable(shown), command
                commands += 1
    finally:
        broker.stop()
    assert commands > 12
