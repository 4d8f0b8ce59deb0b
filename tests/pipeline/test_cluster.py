"""A cluster has no tidemark installed: `--py-files` brings it, as the zip of `tidemark_pipeline.package`."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.conftest import submit_arguments
from tests.pipeline.small_log import small_log
from tidemark_pipeline.cli.session import BRIEF_JAVA
from tidemark_pipeline.package import main as package

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOB = Path(__file__).with_name("cluster_job.py")
MASTER = "local-cluster[2,1,1024]"
DEADLINE_SECONDS = 400


def without_tidemark(place: Path) -> Path:
    """Return a folder for PYTHONPATH with all installed packages except tidemark."""
    import pyspark

    home = Path(pyspark.__file__).parent
    (place / "pyspark").mkdir(parents=True)  # the working folders of executors are in it
    for entry in [*home.parent.iterdir(), *home.iterdir()]:
        if entry != home and entry.suffix != ".pth" and "tidemark" not in entry.name:
            (place / entry.relative_to(home.parent)).symlink_to(entry)
    return place


def test_the_zip_holds_the_packages_and_nothing_else_and_is_the_same_each_time(tmp_path: Path) -> None:
    one, other = tmp_path / "one.zip", tmp_path / "other.zip"
    package([str(one)])
    package([str(other)])
    with ZipFile(one) as made:
        names = made.namelist()
    assert {name.partition("/")[0] for name in names} == {
        "pyspark_tidemark",
        "tidemark_pipeline",
        "tidemark_expiry",
        "tidemark_protocol",
    }
    assert not [name for name in names if "__pycache__" in name]
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(("out", "code"), [("missing/tidemark.zip", 1), ("tidemark.whl", 2)])
def test_a_zip_that_cannot_be_written_or_used_is_an_error_of_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], out: str, code: int
) -> None:
    with pytest.raises(SystemExit) as ended:
        package([str(tmp_path / out)])
    assert ended.value.code == code
    assert str(tmp_path / out) in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.ecosystem
@pytest.mark.slow
@pytest.mark.java
@pytest.mark.timeout(500)
def test_the_tables_are_the_same_on_a_cluster_that_has_nothing_but_the_zip(
    spark: SparkSession, tmp_path: Path
) -> None:
    from tests.pipeline.cluster_job import tables  # imports pyspark, which make unit does without

    data = small_log(unpacked(tmp_path), tmp_path / "small")
    zipped, out = tmp_path / "tidemark.zip", tmp_path / "cluster.json"
    package([str(zipped)])
    bare = without_tidemark(tmp_path / "installed")
    submit = [
        str(bare / "pyspark" / "bin" / "spark-submit"),
        *("--master", MASTER, "--py-files", str(zipped)),
        *shlex.split(submit_arguments()),
        *("--conf", f"spark.executor.extraJavaOptions={BRIEF_JAVA}"),
        *(str(JOB), str(data), str(out)),
    ]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK"))},
        "PYTHONPATH": str(bare),
        "SPARK_HOME": str(bare / "pyspark"),
        "PYSPARK_PYTHON": sys._base_executable,  # type: ignore[attr-defined]
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        submit, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE_SECONDS
    )
    assert done.returncode == 0, done.stderr[-4000:]
    made = json.loads(out.read_text())
    assert ".zip/" in made["driver"]
    assert made["workers"] and all(".zip/" in worker for worker in made["workers"])
    assert len(made["tables"]["current"]) > 0
    assert made["tables"] == tables(spark, str(data))
