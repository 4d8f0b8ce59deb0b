"""Load DataFrames whose filters prune what is read.

Spark 4.3 passes the filters of a scan to a Python source, but keeps the resulting plan with the DataFrame,
and every other scan of that DataFrame uses the same plan: after `df.where("group = 'a'").count()`,
`df.count()` counts the rows of a only, and in a union of two filters both sides read what the second one
selects. So a scan may skip only data that no other scan of its DataFrame needs. Two things make that known.
Each scan has a filter, if need be one that is always true, so that Spark asks the source for every scan. And
the source records what each scan needs under a name of the DataFrame, so that a plan is enough for all of
them.
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

from tidemark_pipeline.source.pruning import EVERYTHING, Pruning

FORMAT: Final = "tidemark"
SETTING: Final = "spark.sql.python.filterPushdown.enabled"
REGISTERED: Final = "spark.tidemark.registered"  # Spark warns of a second registration
RELATION: Final = "relation"

# Always true, but Spark does not know that. If it is folded away, another filter on the column caused that,
# and Spark asks the source because of that one.
ALWAYS_COLUMN: Final = "log_partition"
ALWAYS: Final = f"{ALWAYS_COLUMN} >= 0"


def prune_by_filters(reader: Any) -> None:
    """Make DataFrames that this class, Spark's DataFrameReader, loads from the source prune by their
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
    reader.option(RELATION, "")  # the schema of the user lacks the column
    return load()


def note(relation: str, asked: Pruning) -> None:
    """Record that plans for this relation must also be enough for this scan."""
    with _notes(relation) as file:
        wanted = asked.widened(_read(file) or asked)
        file.seek(0)
        file.truncate()
        json.dump(_plain(wanted), file)


@contextmanager
def noted(relation: str) -> Iterator[Pruning]:
    """Yield what the scans of the relation need, and hold a lock until the block ends.

    Of two scans that are planned at the same time, the later plan, which Spark keeps, has seen both records.
    """
    with _notes(relation) as file:
        yield _read(file) or EVERYTHING


@contextmanager
def _notes(relation: str) -> Iterator[IO[str]]:
    """Open the file of the relation, in the folder that Spark removes at the end of the session."""
    from pyspark import SparkFiles  # in a worker: the client of Spark Connect does not have it

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
