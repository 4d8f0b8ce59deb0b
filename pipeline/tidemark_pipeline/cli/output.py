"""Write a table in the requested format, completely or not at all.

Parquet keeps every type. JSON lines have every column in every line. CSV follows RFC 4180, with a header,
nested columns as JSON text, and an apostrophe before text that a spreadsheet would take for a formula.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from tidemark_pipeline.cli import delta, failures, hadoop, iceberg, outdir
from tidemark_pipeline.model import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType

    from tidemark_pipeline.cli.options import Format

FORMULA: Final = "^[=+\\-@\t\r]"
OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "parquet": {},
    "delta": {},
    "json": {"ignoreNullFields": "false"},
    "csv": {
        "header": "true",
        "escape": '"',
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
    },
}


def write(table: DataFrame, out: str, form: Format, facts: Mapping[str, object]) -> None:
    """Replace out by exactly this table. Raises PipelineError: out is not ours, or cannot be written."""
    with full_disk_reported(out):
        _write(table, out, form, facts)


@contextmanager
def full_disk_reported(out: str) -> Iterator[None]:
    """Raise PipelineError instead of Spark's error if a disk is full."""
    try:
        yield
    except Exception as error:
        if failures.is_of_full_disk(error, spilled=False):
            raise PipelineError(f"{out} cannot be written: {failures.FULL}") from error
        raise


def _write(table: DataFrame, out: str, form: Format, facts: Mapping[str, object]) -> None:
    shaped = as_csv(table) if form == "csv" else table
    local = local_path(out)
    if local is None:
        _write_elsewhere(shaped, out, form, facts)
        return
    if form in outdir.TABLES:
        with outdir.committed(local, form, facts):
            _commit(table, f"file://{local.absolute()}", form, facts)
        return
    with outdir.replaced(local, facts) as new:
        _save(shaped, f"file://{new.absolute()}", form, "overwrite")
        for checksum in new.glob(".*.crc"):  # Hadoop's checksums, which no other reader uses
            checksum.unlink()


def write_file(path: str, text: str) -> None:
    """Replace the file by this text. If that fails, it is unchanged. Raises PipelineError: it cannot be
    written.
    """
    with replaced_file(path) as file:
        file.write(text)


@contextmanager
def replaced_file(path: str) -> Iterator[TextIO]:
    """Yield a new file that replaces path when the block succeeds. Raises PipelineError: it cannot be
    written.
    """
    place = Path(os.path.realpath(_local_file(path)))  # a symlink stays, and its target is replaced
    new = place.with_name(f"{place.name}.{os.getpid()}.new")  # another run may write the same file
    try:
        with new.open("w", encoding="utf-8", newline="") as file:
            yield file
        new.replace(place)
    except OSError as error:
        raise PipelineError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def check_file(path: str | None) -> None:
    """Raise PipelineError if path cannot be a file. Called before anything is read, like check_local."""
    if path is None:
        return
    place = _local_file(path)
    if place.is_dir():
        raise PipelineError(f"{path} is a directory; name a file")
    if place.exists() and not place.is_file():  # root could replace /dev/null
        raise PipelineError(f"{path} is not a regular file; name a file")
    if not place.parent.is_dir():
        raise PipelineError(f"{path} cannot be written: there is no directory {place.parent}")
    if not os.access(place.parent, os.W_OK):
        raise PipelineError(f"{path} cannot be written: {os.strerror(errno.EACCES)}")


def _local_file(path: str) -> Path:
    place = local_path(path)
    if place is None:
        raise PipelineError(f"{path} cannot be written: a single file can be written to a local path only")
    return place


def check_local(out: str | None, form: Format, *, follow: bool = False) -> None:
    """Raise PipelineError if out is a local directory that is not ours, or of another format. Called before
    anything is read, to fail early.
    """
    local = None if out is None else local_path(out)
    if local is not None:
        outdir.check_replaceable(local, form, follow=follow)


def version(out: str) -> tuple[int, int] | str | None:
    """Return what changes when an output is replaced. None: it does not exist. "": it is not local."""
    local = local_path(out)
    if local is None:
        return ""
    try:
        found = (local / outdir.MARKER if local.is_dir() else local).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def local_path(out: str) -> Path | None:
    """Return the path of a directory of this machine; None for any other URL."""
    if out.startswith("file:"):
        return Path("/" + out.removeprefix("file:").lstrip("/"))
    return None if "://" in out else Path(out)


def as_csv(table: DataFrame) -> DataFrame:
    """Return the columns in the form of CSV cells."""
    return table.select([_cell(field.name, field.dataType) for field in table.schema.fields])


def _cell(name: str, kind: DataType) -> Column:
    from pyspark.sql import functions as f
    from pyspark.sql.types import ArrayType, BinaryType, MapType, StringType, StructType

    column = f.col(f"`{name}`")
    if isinstance(kind, StringType):
        quoted = f.when(column.rlike(FORMULA), f.concat(f.lit("'"), column)).otherwise(column)
        return quoted.alias(name)
    if isinstance(kind, BinaryType):
        return f.base64(column).alias(name)
    if isinstance(kind, ArrayType | MapType | StructType):
        return f.to_json(column, {"ignoreNullFields": "false"}).alias(name)
    return column


def _save(table: DataFrame, where: str, form: Format, mode: str) -> None:
    writer: Any = table.write.mode(mode).format(form)
    writer.options(**OPTIONS[form]).save(where)


def _commit(table: DataFrame, url: str, form: Format, facts: Mapping[str, object]) -> None:
    (delta if form == "delta" else iceberg).replace(table, url, facts)


def _write_elsewhere(table: DataFrame, out: str, form: Format, facts: Mapping[str, object]) -> None:
    """Write where directories cannot be renamed.

    The marker is written last, also after a failure, so that the next run may replace the output. `_SUCCESS`
    marks a complete table.
    """
    if not _has_jvm(table.sparkSession):
        _save(table, out, form, "error")  # Connect: the driver cannot check whose directory it is
        return
    place = hadoop.Directory(table.sparkSession, out)
    place.check_replaceable(form)
    try:
        if form in outdir.TABLES:
            _commit(table, out, form, facts)
        else:
            _save(table, out, form, "overwrite")
    finally:
        place.mark(facts)


def _has_jvm(spark: SparkSession) -> bool:
    from pyspark.sql.utils import is_remote

    return not is_remote()
