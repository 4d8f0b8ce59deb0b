"""Failures in one sentence. Spark wraps a worker's error in its own trace and the JVM's."""

from __future__ import annotations

import errno
import os
import re
from typing import Final

# Our own error, at the end of a trace that Spark quotes.
OURS: Final = re.compile(r"^(?:[\w.]+\.)?(?:PipelineError|SegmentGone|NotThere): (.+)$", re.MULTILINE)
# The last line of a Python trace, and Java's `Caused by`.
RAISED: Final = re.compile(r"^(?:[\w.]+\.)?\w+(?:Error|Exception): .+$", re.MULTILINE)
CAUSED: Final = re.compile(r"^\s*Caused by: (?:[\w$]+\.)*([\w$]+(?:Error|Exception).*)$", re.MULTILINE)

FULL: Final = os.strerror(errno.ENOSPC)
TEMPORARY: Final = (
    f"Spark's temporary directory is full ({FULL}): set another with --conf spark.local.dir=DIR"
)
SPILLED: Final = re.compile(r"\bat org\.apache\.spark\.(?:storage|shuffle|util\.collection)\.")


def of_spark(error: BaseException) -> bool:
    """Return whether Spark raised it, without importing Spark, which may be missing."""
    return type(error).__module__.partition(".")[0] in {"pyspark", "py4j", "grpc"}


def is_of_full_disk(error: BaseException, *, spilled: bool | None = None) -> bool:
    """Return whether Spark raised it because a disk is full.

    spilled: only if that is the disk of Spark's temporary directory, or only if it is not.
    """
    if isinstance(error, OSError):  # PySpark passes data to its JVM in a temporary file
        return error.errno == errno.ENOSPC and spilled is not False
    trace = getattr(error, "_stackTrace", None) or ""  # the message of a query's error has no reason
    text = f"{error}{trace}"
    return of_spark(error) and FULL in text and spilled in (None, SPILLED.search(text) is not None)


def sentence(error: BaseException) -> str:
    """Return the reason in one line: our own message, or the innermost one of Spark or Java."""
    if is_of_full_disk(error):
        return TEMPORARY
    said = str(error)
    ours = OURS.findall(said)
    if ours:
        return str(ours[-1]).strip()
    inner = RAISED.findall(said) if "Traceback (most recent call last)" in said else CAUSED.findall(said)
    return f"Spark failed: {(inner or _lines(said))[-1 if inner else 0].strip()}"


def _lines(said: str) -> list[str]:
    lines = [line for line in said.splitlines() if line.strip() and not _only_frames(line)]
    return lines or ["no message"]


def _only_frames(line: str) -> bool:
    return line.startswith(("\tat ", "An error occurred while calling"))
