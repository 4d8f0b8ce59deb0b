"""The README's first consumer and its command lines work as written."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.broker_process import BrokerProcess, RunningBroker, environment
from tests.clientenv import client_python
from tests.watch_process import WatchProcess
from tidemark_tools.main import main as tidemark

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "kafka-4.3.1" / "data.tar.gz"
README = (ROOT / "README.md").read_text("utf-8")


def first_consumer(bootstrap: str) -> str:
    """Return the code block with another port: another broker may use 9092 on this machine."""
    block = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    assert block.count("localhost:9092") == 2
    return str(block.replace("localhost:9092", bootstrap))


def printed(python: Path, code: str) -> list[str]:
    run = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.mark.contract
def test_first_consumer_continues_where_it_stopped(broker: RunningBroker) -> None:
    python = client_python("kafka-python")
    code = first_consumer(broker.bootstrap)
    assert printed(python, code) == [f"0 {number} order {number}" for number in range(10)]
    broker.kill9()
    broker.restart()
    assert printed(python, code) == [f"0 {10 + number} order {number}" for number in range(10)]


@pytest.mark.contract
def test_group_expires_eight_days_later_and_the_log_explains_it(tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path, {"tidemark.test.api": "true"})
    broker.start()
    try:
        printed(client_python("kafka-python"), first_consumer(broker.bootstrap))
        before, moved, groups, log = (said(line, broker) for line in eight_days())
    finally:
        broker.stop()
    assert "billing" in before and "group_empty" in before
    assert [gone["topic"] for gone in json.loads(moved)["offsets"]] == ["orders"]
    assert json.loads(moved)["groups"] == ["billing"]
    assert groups.split() == []
    assert [gone["rule"] for gone in json.loads(log)["removals"]] == ["group_empty"]


def eight_days() -> list[str]:
    """Return the command lines of the section "Eight days later"."""
    section = README.split("## Eight days later")[1].split("\n## ")[0]
    return re.findall(r"^\$ (.*)$", section, re.MULTILINE)


def said(line: str, broker: BrokerProcess) -> str:
    """Run a command line with the broker's ports, and return its output."""
    line = line.replace("localhost:9092", broker.bootstrap).replace("localhost:9464", broker.http)
    line = re.sub(r"^tidemark\b", f"{sys.executable} -m tidemark", line)
    line = line.replace("--explain", f"--explain --http {broker.http}")
    run = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.contract
def test_commands_for_a_ticket_answer_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    section = README.split("## The ticket")[1].split("\n## ")[0]
    history, report, serve, explain, of_cluster, report_of_cluster, watch, of_watch = re.findall(
        r"`(tidemark[^`]+)`", section
    )
    asked = {"--bootstrap-server", "--out", "--group"}
    assert asked <= {*re.findall(r"--[\w-]+", helped(report_of_cluster))}
    with tarfile.open(GOLDEN) as archive:
        archive.extractall(tmp_path, filter="data")
    assert {"--log-dir", "--out"} <= {*re.findall(r"--[\w-]+", helped(report))}
    command = history.replace("DIR", str(tmp_path / "data")).replace("billing", "next-left").split()
    assert tidemark(command[1:]) == 0
    assert "next-left lost 2 offsets" in capsys.readouterr().out
    copy = Copy(tmp_path, [*serve.replace("DIR", str(tmp_path / "data")).split()[2:]])
    copy.start()
    try:
        assert "topic_not_subscribed" in said(explain.replace("billing", "next-gone"), copy)
        command = of_cluster.replace("HOST:PORT", copy.bootstrap).replace("billing", "next-left").split()
        assert tidemark(command[1:]) == 0
        assert "next-left lost 2 offsets" in capsys.readouterr().out
        with WatchProcess(tmp_path / "watch", copy.bootstrap) as process:
            assert " ".join(process._command()[2:6]) == watch.replace("HOST:PORT", copy.bootstrap)
            line = of_watch.replace("HOST:PORT", copy.bootstrap).replace(" --http localhost:9464", "")
            assert "topic_not_subscribed" in said(line.replace("billing", "next-gone"), process)
            assert "inferred" in str(process.get("/v1/expiry/log", group="next-left"))
    finally:
        copy.stop()


class Copy(BrokerProcess):
    """`tidemark serve` with more options, and a data directory of its own."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        super().__init__(folder)
        self.data_dir = folder / "copy"
        self._options = options

    def _command(self) -> list[str]:
        return [*super()._command(), *self._options]


def helped(line: str) -> str:
    """Return the help of a command of the pipeline."""
    name = line.split()[1]
    run = subprocess.run(
        [sys.executable, "-m", "tidemark_pipeline", name, "--help"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, env=environment(),
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout
