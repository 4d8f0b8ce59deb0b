"""The pipeline reads log directories in S3 and writes tables there, as docs/pipeline.md shows it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from pyarrow import fs, parquet

from tests.kafkas_directory import unpacked
from tests.pipeline import s3_server
from tests.pipeline.conftest import submit_arguments
from tests.pipeline.kafka_fixture import dump, truth
from tests.pipeline.test_docs import blocks, environment, page_section

pytestmark = [pytest.mark.ecosystem, pytest.mark.java, pytest.mark.timeout(900)]

SECTION: Final = page_section("On object stores")
RECORDS: Final = re.compile(r"^(\d+) records in \d+ segments$", re.MULTILINE)
COUNT: Final = re.compile(r"^\|\s*(\S+)\|\s*(\d+)\|$", re.MULTILINE)
COLUMNS: Final = ("group", "topic", "partition", "committed_offset")


def run(command: str, variables: dict[str, str], place: Path) -> str:
    done = subprocess.run(
        command, shell=True, env=variables, cwd=place, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def test_a_log_in_s3_is_read_and_a_table_is_written_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark")
    for name, value in s3_server.KEYS.items():
        monkeypatch.setenv(name, value)
    with s3_server.serving(tmp_path) as endpoint:
        system = s3_server.bucket(endpoint, "backup")
        fs.copy_files(str(unpacked(tmp_path)), "backup/kafka", destination_filesystem=system)
        variables = {**environment(), "AWS_ENDPOINT_URL": endpoint, "SPARK_LOCAL_IP": "127.0.0.1"}
        (command,) = blocks(SECTION, "console")
        s3a = "--conf spark.hadoop.fs.s3a"
        moto = f"{s3a}.endpoint={endpoint} {s3a}.path.style.access=true"
        program = f"{sys.executable} -m tidemark_pipeline"
        command = command.removeprefix("$ ").replace("tidemark-pipeline", program).rstrip()
        run(f"{command} {moto}", variables, tmp_path)
        written = parquet.read_table("backup/current", filesystem=system)
        assert {tuple(row[name] for name in COLUMNS) for row in written.to_pylist()} == current()
        (code,) = blocks(SECTION, "python")
        (tmp_path / "page.py").write_text(code)
        variables["PYSPARK_SUBMIT_ARGS"] = f"{submit_arguments()} pyspark-shell"
        shown = run(f"{sys.executable} page.py", variables, tmp_path)
    commits = [line for line in dump() if line["log"] == "__consumer_offsets"]
    assert RECORDS.findall(shown) == [str(sum("offset" in line for line in commits))]
    assert {"orders", "payments"} <= dict(COUNT.findall(shown)).keys()


def current() -> set[tuple[object, ...]]:
    """Return the responses of Kafka to OffsetFetch."""
    return {
        (group, row["topic"], row["partition"], row["offset"])
        for group, answer in truth()["afterRestartOnCopy"]["offsetFetch"].items()
        for row in answer["offsets"]
    }
