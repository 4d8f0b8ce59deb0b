"""The README's first consumer does what the README says, with the client that it names."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.broker_process import RunningBroker
from tests.clientenv import client_python

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")


def first_consumer(bootstrap: str) -> str:
    """The block as it stands, but for the port: 9092 may be somebody else's here."""
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert block.count("localhost:9092") == 2
    return str(block.replace("localhost:9092", bootstrap))


def printed(python: Path, code: str) -> list[str]:
    run = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.mark.contract
def test_the_first_consumer_goes_on_where_it_stopped(broker: RunningBroker) -> None:
    python = client_python("kafka-python")
    code = first_consumer(broker.bootstrap)
    assert printed(python, code) == [f"0 {number} order {number}" for number in range(10)]
    broker.kill9()
    broker.restart()
    assert printed(python, code) == [f"0 {10 + number} order {number}" for number in range(10)]
