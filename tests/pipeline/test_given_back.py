"""Kafka's tool and ours both restore lost offsets from the file of `removals --reset-csv`."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import RunningBroker
from tests.conformance.tools.jvm import ToolJvm
from tests.conformance.tools.ours import OurTools
from tidemark_pipeline.cli.reset_csv import Lost, write_rows

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Apache Kafka: {kafka_oracle.missing()}"),
]

GROUPS: Final = {"plain": 3, 'a "quoted", one': 4, " spaces ": 5, "消费者": 6}
TOOL: Final = "kafka-consumer-groups"


def test_kafkas_tool_and_ours_accept_the_file(broker: RunningBroker, tmp_path: Path) -> None:
    """Each tool restores a group alone, then others together. The other tool then reads the result."""
    write = [sys.executable, "-m", "tidemark", "console-producer", "--topic", "orders"]
    lines = "\n".join(map(str, range(10)))
    subprocess.run([*write, "--bootstrap-server", broker.bootstrap], input=lines, text=True, check=True)
    with ToolJvm(tmp_path) as theirs:
        ours = OurTools()
        for name, tool, other in (("theirs", theirs, ours), ("ours", ours, theirs)):
            wanted = {f"{group}{name}": offset for group, offset in GROUPS.items()}
            path = str(tmp_path / f"{name}.csv")
            rows = [
                Lost(group, "orders", 0, at, topic_removed=False, committed_again=False)
                for group, at in wanted.items()
            ]
            where = ["--bootstrap-server", broker.bootstrap, "--reset-offsets"]
            for some in (rows[:1], rows[1:]):
                assert write_rows(some, path).rows == len(some)
                groups = [word for each in some for word in ("--group", each.group)]
                reset = tool.run(TOOL, [*where, *groups, "--from-file", path, "--execute"])
                assert reset.code == 0 and "Error" not in reset.out, reset.out + reset.err
                # Kafka's tool first reads rows as those of one group, and prints what it caught.
                assert ("Exception" in reset.err) == (tool is theirs and len(some) > 1), reset.err
            groups = [word for group in wanted for word in ("--group", group)]
            told = other.run(
                TOOL,
                [*where, *groups, "--all-topics", "--to-current", "--export", "--dry-run"],
            )
            assert exported(told.out) == {(group, "orders", "0", str(at)) for group, at in wanted.items()}


def exported(out: str) -> set[tuple[str, str, str, str]]:
    return {tuple(line) for line in csv.reader(out.splitlines()) if line}  # type: ignore[misc]
