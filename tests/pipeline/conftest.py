"""One Spark session for all tests that use it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests import needs
from tidemark_pipeline.cli.session import BRIEF_JAVA, SHORTLY

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARK_JAVA = 17
# For sessions of a few small queries. They change no row. Connect's server keeps Spark's defaults.
BRIEF: Final = {
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": BRIEF_JAVA,
    "spark.sql.shuffle.partitions": "2",
    # Planning anew after each stage takes a third of the time of these queries.
    "spark.sql.adaptive.enabled": "false",
    # Compiling takes a fifth of the time of these queries.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Otherwise each method of a Column records its caller in the JVM, by some calls of py4j.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}
OF_ALL_TESTS: Final = {
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # With 1 GB, the plans and tables of all tests fill the heap, and each query waits for the collector.
    "spark.driver.memory": "2g",
    "spark.log.level": "ERROR",
    "spark.ui.showConsoleProgress": "false",
    # As tidemark-pipeline does for small logs. Each sort would clear a page of many megabytes.
    "spark.buffer.pageSize": SHORTLY["spark.buffer.pageSize"],
}


def submit_arguments(settings: Mapping[str, str] = BRIEF) -> str:
    """Return spark-submit's options for these settings, for a shell or PYSPARK_SUBMIT_ARGS."""
    return " ".join(f"--conf {shlex.quote(f'{name}={value}')}" for name, value in settings.items())


def missing() -> str | None:
    """Return what Spark needs and is not installed."""
    if find_spec("pyspark") is None:
        return "pyspark (pip install '.[spark]')"
    java = shutil.which("java")
    if java is None:
        return "Java 17"
    said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    release = int(said.split('"')[1].split(".")[0])
    return None if release >= SPARK_JAVA else f"Java 17 (this is {release})"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    lacking = missing()
    if lacking is not None:
        needs.missing(f"Spark is not tested: {lacking} is missing")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    place: Path = tmp_path_factory.mktemp("spark")
    os.environ.setdefault("SPARK_HOME", str(home_without_zip(place / "home")))
    builder: Any = SparkSession.builder.master("local[2]").appName("tidemark tests")
    for name, value in (BRIEF | OF_ALL_TESTS).items():
        builder = builder.config(name, value)
    session = builder.config("spark.sql.warehouse.dir", str(place / "warehouse")).getOrCreate()
    yield session
    session.stop()


def home_without_zip(home: Path) -> Path:
    """Make a SPARK_HOME whose Python workers import the installed pyspark.

    Spark prefers its pyspark.zip, which holds no bytecode: compiling takes most of a worker's time.
    """
    import pyspark

    installed = Path(pyspark.__file__).parent
    lib = installed / "python" / "lib"
    (home / "python" / "lib").mkdir(parents=True)
    for path in (*installed.iterdir(), *lib.glob("py4j-*.zip")):
        if path.name != "python":
            (home / path.relative_to(installed)).symlink_to(path)
    return home
