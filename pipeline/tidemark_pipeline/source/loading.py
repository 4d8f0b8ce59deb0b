"""DataFrames whose filters may prune what is read.

Spark 4.3 tells a Python source the filters of a scan, but keeps what was planned for it with the DataFrame
that was loaded, and every other scan of that DataFrame gets the same plan: after `df.where("group =
'a'").count()`, `df.count()` counts a's rows only, and in a union of two filters both sides read what is
there for the second. So a scan may prune only what no other scan of its DataFrame needs. Two things make
that known. Each scan has a filter, if need be one that is always true, so that the source is asked every
time. And what was asked for is noted under a name that the DataFrame has, so that what is planned is enough
for all who asked.
"""

from __future__ import annotations

import fcntl
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, Any, Final

from pyspark import SparkFiles

from tidemark_pipeline.source.pruning import EVERYTHING, Pruning

FORMAT: Final = "tidemark"
SETTING: Final = "spark.sql.python.filterPushdown.enabled"
REGISTERED: Final = "spark.tidemark.registered"  # of a session: Spark warns of what is registered again
RELATION: Final = "relation"

# Always true, which Spark does not know. Where it is folded away, that was because of another filter on the
# column, and the source is asked because of that one.
ALWAYS_COLUMN: Final = "log_partition"
ALWAYS: Final = f"{ALWAYS_COLUMN} >= 0"


def prune_by_filters(reader: Any) -> None:
    """From now on a DataFrame that this class, Spark's DataFrameReader, loads from the source prunes by its
    filters.
    """
    if hasattr(reader.load, "prunes"):
        return
    plain_format, plain_load = reader.format, reader.load

    @wraps(plain_format)
    def format_noted(self: Any, source: str) -> Any:
        self.reads_tidemark = source.lower() == FORMAT
        return plain_format(self, source)

    @wraps(plain_load)
    def load(self: Any, path: Any = None, format: str | None = None, *rest: Any, **options: Any) -> Any:  # noqa: A002
        if format is not None:
            self.format(format)
        if not getattr(self, "reads_tidemark", False):
            return plain_load(self, path, None, *rest, **options)
        return _loaded(self, lambda: plain_load(self, path, None, *rest, **options))

    load.prunes = True  # type: ignore[attr-defined]
    reader.format, reader.load = format_noted, load


def _loaded(reader: Any, load: Callable[[], Any]) -> Any:
    reader.option(RELATION, secrets.token_hex(8))
    loaded = load()
    if ALWAYS_COLUMN in loaded.columns:
        return loaded.where(ALWAYS)
    reader.option(RELATION, "")  # the user gave a schema without it
    return load()


def note(relation: str, asked: Pruning) -> None:
    """From now on, what is planned for this relation is enough for this scan too."""
    with _notes(relation) as file:
        wanted = asked.widened(_read(file) or asked)
        file.seek(0)
        file.truncate()
        json.dump(_plain(wanted), file)


@contextmanager
def noted(relation: str) -> Iterator[Pruning]:
    """What the scans of the relation need. Locked until the block ends: of two that are planned at the same
    time, the one whose plan comes last, and stays, has seen the notes of both.
    """
    with _notes(relation) as file:
        yield _read(file) or EVERYTHING


@contextmanager
def _notes(relation: str) -> Iterator[IO[str]]:
    """The file of notes, in the folder that Spark removes when the session ends."""
    with Path(SparkFiles.getRootDirectory(), f"tidemark-{relation}").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        yield file
        file.flush()


def _read(file: IO[str]) -> Pruning | None:
    text = file.read()
    if not text:
        return None
    groups, log_partitions, first_offset, end_offset = json.loads(text)
    return Pruning(_some(groups), _some(log_partitions), first_offset, end_offset)


def _some(values: list[Any] | None) -> frozenset[Any] | None:
    return None if values is None else frozenset(values)


def _plain(asked: Pruning) -> list[object]:
    groups, log_partitions = asked.groups, asked.log_partitions
    return [
        None if groups is None else sorted(groups),
        None if log_partitions is None else sorted(log_partitions),
        asked.first_offset,
        asked.end_offset,
    ]
