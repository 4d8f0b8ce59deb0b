"""A Spark Connect server whose Python has every package of ours except tidemark, and clients without Java."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import ROOT
from tests.clientenv import client_python
from tests.pipeline.test_cluster import without_tidemark
from tidemark_pipeline.cli.session import BRIEF_JAVA

CODE: Final = os.pathsep.join(str(ROOT / name) for name in ("pipeline", "protocol"))
STARTED: Final = re.compile(r"Spark Connect server started at: \S+:(\d+)")
START_SECONDS: Final = 120
CLASS: Final = "org.apache.spark.sql.connect.service.SparkConnectServer"
SETTINGS: Final = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.driver.extraJavaOptions": BRIEF_JAVA,
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}


@contextmanager
def serving(place: Path) -> Iterator[str]:
    """Yield the `sc://` address of a server that runs until the block ends."""
    bare = without_tidemark(place / "installed")
    command = [str(bare / "pyspark" / "bin" / "spark-submit"), "--master", "local[2]", "--class", CLASS]
    for name, value in SETTINGS.items():
        command += ["--conf", f"{name}={value}"]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK"))},
        "PYTHONPATH": str(bare),
        "SPARK_HOME": str(bare / "pyspark"),
        "PYSPARK_PYTHON": sys._base_executable,  # type: ignore[attr-defined]
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    said = place / "server.log"
    with (
        said.open("w") as log,
        subprocess.Popen(command, env=environment, cwd=place, stdout=log, stderr=log) as server,
    ):
        try:
            yield f"sc://127.0.0.1:{_port(said, server)}"
        finally:
            server.kill()


def _port(said: Path, server: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        if found := STARTED.search(said.read_text()):
            return found[1]
        time.sleep(0.1)
    pytest.fail(f"the Spark Connect server did not start:\n{said.read_text()[-4000:]}")


def client_environment(place: Path) -> dict[str, str]:
    """Return the environment of a client: no Java, only the command and `python` on the PATH."""
    python = client_python("spark-connect")
    tools = place / "tools"
    tools.mkdir()
    for name, runs in (("tidemark-pipeline", "-m tidemark_pipeline"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec {python} {runs} "$@"\n')
        (tools / name).chmod(0o755)
    return {"PATH": str(tools), "PYTHONPATH": CODE, "TMPDIR": str(place)}
