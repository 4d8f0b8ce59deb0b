"""The pipeline on Spark Connect: a client without Java, and a server that does not have tidemark."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import ROOT
from tests.clientenv import client_python
from tests.ecosystem.spark_connect import CODE, client_environment, serving
from tests.kafkas_directory import unpacked
from tests.pipeline.conftest import submit_arguments
from tests.pipeline.kafka_fixture import dump
from tests.pipeline.test_docs import blocks, commands, page_section

pytestmark = [pytest.mark.ecosystem, pytest.mark.java, pytest.mark.timeout(900)]

EVERY_TABLE: Final = ROOT / "tests" / "ecosystem" / "every_table.py"
SECONDS: Final = 600
COUNT: Final = re.compile(r"^\|\s*(\S+)\|\s*(\d+)\|$", re.MULTILINE)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("connect")
    unpacked(made)
    return made


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[str]:
    pytest.importorskip("pyspark")
    with serving(place) as address:
        yield address


@pytest.fixture(scope="module")
def client(place: Path) -> dict[str, str]:
    return client_environment(place)


def rows(out: Path) -> dict[str, list[str]]:
    """Return the rows of each table as text, sorted."""
    return {
        table.name: sorted(line for part in table.glob("part-*") for line in part.read_text().splitlines())
        for table in out.iterdir()
        if table.is_dir()
    }


def run(command: list[str], environment: dict[str, str], place: Path) -> str:
    done = subprocess.run(
        command, env=environment, cwd=place, capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def test_every_table_and_the_report_are_the_same_as_without_connect(
    server: str, client: dict[str, str], place: Path
) -> None:
    remote, local = place / "remote", place / "local"
    python = str(client_python("spark-connect"))
    run([python, str(EVERY_TABLE), str(place / "data"), str(remote), server], client, place)
    here = {
        **os.environ,
        "PYTHONPATH": CODE,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": f"{submit_arguments()} pyspark-shell",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    run([sys.executable, str(EVERY_TABLE), str(place / "data"), str(local)], here, place)
    found = rows(remote)
    assert len(found) == 9 and all(found.values())
    assert found == rows(local)
    assert (remote / "report.html").read_text() == (local / "report.html").read_text()


def test_the_command_and_the_python_of_the_page_run(server: str, client: dict[str, str], place: Path) -> None:
    section = page_section("On Spark Connect")
    install, command = (command for command, _ in commands(section))
    assert shlex.split(install)[:3] == ["pip", "install", "."]  # tests/clientenv.py installs the others
    said = run(shlex.split(here(command, server, place)), client, place)
    assert re.search(r"^next-gone +inventory +0 ", said, re.MULTILINE)
    (code,) = blocks(section, "python")
    script = place / "page.py"
    script.write_text(here(code, server, place))
    shown = run(["python", str(script)], client, place)
    assert re.search(r"\|next-gone\|inventory\| +0\|", shown)
    counted = {topic: int(count) for topic, count in COUNT.findall(shown)}
    commits = [line for line in dump() if line.get("keyVersion") in (0, 1) and "offset" in line]
    every = Counter(line["key"]["topic"] for line in commits)
    plain = Counter(line["key"]["topic"] for line in commits if not line["isTransactional"])
    assert counted.keys() == every.keys()  # without the records of aborted and open transactions
    assert all(plain[topic] <= count <= every[topic] for topic, count in counted.items())


def here(text: str, server: str, place: Path) -> str:
    return text.replace("sc://host:15002", server).replace("s3://backup/kafka", str(place / "data"))
