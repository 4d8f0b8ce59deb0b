"""The command extracts one sentence from a stack trace of Spark or Java."""

from __future__ import annotations

import errno
import os

import pytest

from tidemark_pipeline.cli.failures import is_of_full_disk, of_spark, sentence

# As Spark 4.3 wraps what a Python data source raises, frames cut out.
IN_A_WORKER = """\
Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times, most recent failure: Lost task 0.0 \
in stage 0.0 (TID 0) (127.0.0.1 executor driver): org.apache.spark.api.python.PythonException: Traceback \
(most recent call last):
  File "/x/worker.py", line 12, in main
    process()
tidemark_pipeline.model.PipelineError: /data/__consumer_offsets-0/0.log: byte 61: the CRC does not fit

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:581)
"""
IN_PLANNING = """\
[PYTHON_DATA_SOURCE_ERROR] Failed to plan Python data source read in Python: Traceback (most recent call \
last):
  File "/x/plan.py", line 1, in main
tidemark_pipeline.logs.files.SegmentGone: /data/0.log was removed while it was being read
. SQLSTATE: 38000"""
NOT_OURS = """\
Traceback (most recent call last):
  File "/x/worker.py", line 12, in main
    process()
MemoryError: out of it
"""
JAVA = """\
An error occurred while calling o1.save.
: org.apache.spark.SparkException: Job aborted.
\tat org.apache.spark.sql.errors.X(Y.scala:1)
Caused by: java.io.IOException: No space left on device
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method)
"""
ANALYSIS = "[UNRESOLVED_COLUMN] There is no column `x`.\n'Project ['x]\n+- Relation"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (IN_A_WORKER, "/data/__consumer_offsets-0/0.log: byte 61: the CRC does not fit"),
        (IN_PLANNING, "/data/0.log was removed while it was being read"),
        (NOT_OURS, "Spark failed: MemoryError: out of it"),
        (JAVA, "Spark failed: IOException: No space left on device"),
        (ANALYSIS, "Spark failed: [UNRESOLVED_COLUMN] There is no column `x`."),
        ("", "Spark failed: no message"),
    ],
)
def test_one_line_is_left(said: str, told: str) -> None:
    assert sentence(RuntimeError(said)) == told


def test_an_error_that_is_not_sparks_is_reported_as_our_bug() -> None:
    assert not of_spark(KeyError("x"))
    made = type("PythonException", (Exception,), {"__module__": "pyspark.errors.exceptions.captured"})
    assert of_spark(made("x"))


class OfSpark(Exception):
    __module__ = "pyspark.errors"


# As Spark 4.3 reports them, most frames cut out.
FULL_OUT = """\
An error occurred while calling o52.save.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times
Caused by: java.io.IOException: No space left on device
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method)
\tat org.apache.hadoop.fs.RawLocalFileSystem$LocalFSFileOutputStream.write(RawLocalFileSystem.java:545)
\tat org.apache.spark.sql.execution.datasources.FileFormatDataWriter.commit(FileFormatDataWriter.scala:112)
"""
FULL_TEMPORARY = """\
An error occurred while calling o52.save.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times
Caused by: java.io.IOException: No space left on device
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method)
\tat org.apache.spark.storage.TimeTrackingOutputStream.write(TimeTrackingOutputStream.java:59)
\tat org.apache.spark.shuffle.sort.BypassMergeSortShuffleWriter.write(BypassMergeSortShuffleWriter.java:176)
"""


def test_full_disk_of_the_output_is_told_from_that_of_the_temporary_directory() -> None:
    out, temporary = OfSpark(FULL_OUT), OfSpark(FULL_TEMPORARY)
    ours = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert [is_of_full_disk(error, spilled=False) for error in (out, temporary, ours)] == [True, False, False]
    assert all(map(is_of_full_disk, (out, temporary, ours)))
    assert (
        sentence(temporary)
        == sentence(ours)
        == (
            "Spark's temporary directory is full (No space left on device): "
            "set another with --conf spark.local.dir=DIR"
        )
    )
    assert not is_of_full_disk(OSError(errno.EACCES, "Permission denied"))
    assert not is_of_full_disk(OfSpark("out of memory"))
