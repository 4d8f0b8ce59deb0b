"""Directories on file systems that Spark knows and Python does not: hdfs://, s3a://, ..."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tidemark_pipeline.cli import outdir
from tidemark_pipeline.model import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def configuration(spark: SparkSession) -> Any:
    """Return Hadoop's configuration, with the settings of the session."""
    session: Any = spark
    return session._jsparkSession.sessionState().newHadoopConf()


def read_text(spark: SparkSession, url: str) -> str:
    """Return the content of a small file."""
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(url)
    stream = path.getFileSystem(configuration(spark)).open(path)
    try:
        return str(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
    finally:
        stream.close()


class Directory:
    """A directory of --out."""

    def __init__(self, spark: SparkSession, out: str) -> None:
        jvm: Any = spark._jvm
        self._out = out
        self._spark = spark
        self._path = jvm.org.apache.hadoop.fs.Path(out)
        self._marker = jvm.org.apache.hadoop.fs.Path(self._path, outdir.MARKER)
        self._files = self._path.getFileSystem(configuration(spark))

    def check_replaceable(self, form: str) -> None:
        """Raise PipelineError if the directory is not ours, or has a table of another format."""
        if not self._files.exists(self._path):
            return
        if self._files.exists(self._marker):
            outdir.check_format(self._out, self._told(), form)
        elif len(self._files.listStatus(self._path)):
            raise PipelineError(
                f"{self._out} is not empty and has no {outdir.MARKER}, so another program wrote it: "
                "name another directory"
            )

    def mark(self, facts: Mapping[str, object]) -> None:
        stream = self._files.create(self._marker, True)
        stream.write(outdir.marker_text(facts).encode())
        stream.close()

    def _told(self) -> dict[str, Any]:
        try:
            said = json.loads(read_text(self._spark, self._marker.toString()))
        except ValueError:
            return {}
        return said if isinstance(said, dict) else {}
