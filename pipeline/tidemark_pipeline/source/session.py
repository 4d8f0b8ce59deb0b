"""The source in a Spark session: register it, and load its tables."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.schemas import TABLES, spark_schema
from tidemark_pipeline.source.data_source import TidemarkDataSource
from tidemark_pipeline.source.loading import FORMAT, REGISTERED, SETTING, prune_by_filters
from tidemark_pipeline.source.options import option_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DEFAULT_PYTHON: Final = "python3"  # Spark runs it if PYSPARK_PYTHON is not set
# Not pyspark, which Spark gives to its workers.
PROBE: Final = (
    "import sys; print('%d.%d' % sys.version_info[:2]); import pyarrow, tidemark_pipeline.decode.segment"
)


def register(spark: SparkSession) -> None:
    """Register `format("tidemark")`, and let filters on its DataFrames prune what is read.

    Raises PipelineError if the session runs on this machine, and the Python of its workers cannot read logs.
    """
    if spark.conf.get(REGISTERED, None) is None:
        _check_workers(spark)
        spark.dataSource.register(TidemarkDataSource)
        spark.conf.set(REGISTERED, "true")
    spark.conf.set(SETTING, "true")
    prune_by_filters(type(spark.read))


def _check_workers(spark: SparkSession) -> None:
    """Let workers on this machine run this Python, unless PYSPARK_PYTHON names another one that can."""
    from pyspark.sql.utils import is_remote

    if is_remote() or not re.match(r"local(\[|$)", spark.sparkContext.master):
        return
    context = spark.sparkContext
    if context.pythonExec == DEFAULT_PYTHON:
        context.pythonExec = sys.executable
    elif shutil.which(context.pythonExec) != sys.executable and not context._python_includes:
        wrong = why_not(context.pythonExec)
        if wrong is not None:
            raise PipelineError(
                f"PYSPARK_PYTHON is {context.pythonExec}, which {wrong}: set it to {sys.executable} before "
                "the session starts"
            )


def why_not(python: str) -> str | None:
    """Return why Spark's workers cannot run this Python for us; None: they can."""
    try:
        ran = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, check=False)  # noqa: S603 - Spark runs it, too
    except OSError as error:
        return f"cannot be run: {error.strerror}"
    version, ours = ran.stdout.strip(), ".".join(map(str, sys.version_info[:2]))
    if version and version != ours:
        return f"is Python {version}, but this is Python {ours}"
    missing = re.search(r"No module named '([\w.]+)'", ran.stderr)
    if missing:
        return f"has no module {missing[1]}"
    return (
        f"does not run: {(ran.stderr.splitlines() or [f'exit code {ran.returncode}'])[-1]}"
        if ran.returncode
        else None
    )


def read_table(
    spark: SparkSession,
    paths: str | Sequence[str],
    table: str,
    *,
    columns: Sequence[str] | None = None,
    **options: object,
) -> DataFrame:
    """Return a table of schemas.TABLES, read from the directories at paths.

    columns    only these. Cheaper than a select: Spark does not tell a Python source which columns it needs
    options    those of `format("tidemark")`, as values: group="g", offsets={3: [0, 9]}; None: not given
    """
    register(spark)
    given = {name: option_text(name, value) for name, value in options.items() if value is not None}
    reader = spark.read.format(FORMAT).options(table=table, **given)
    if columns is not None:
        schema = spark_schema(TABLES[table])
        reader = reader.schema(type(schema)([schema[name] for name in columns]))
    return reader.load([paths] if isinstance(paths, str) else list(paths))
