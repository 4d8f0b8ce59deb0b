"""The local directory of --out: replace our own, refuse any other. Needs no Spark.

Ours has a marker file, which also lists the inputs of the table. Readers of Parquet, CSV and JSON ignore it,
as they ignore every name that begins with an underscore.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from tidemark_pipeline.model import PipelineError

MARKER: Final = "_tidemark.json"
CHECKPOINT: Final = "_checkpoint"  # of --follow
WRITTEN_BY: Final = "tidemark-pipeline"
# The formats whose tables have versions, and the directory of their commits.
TABLES: Final = {"delta": "_delta_log", "iceberg": "metadata"}
COMMITS: Final = {"delta": "[0-9]*.json", "iceberg": "v*.metadata.json"}


def told(out: Path) -> dict[str, Any] | None:
    """Return the content of the marker. None: there is none, or it is not ours."""
    try:
        said = json.loads((out / MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) and said.get("written_by") == WRITTEN_BY else None


def mark(directory: Path, facts: Mapping[str, object]) -> None:
    """Write our marker into the directory, or replace it. A full disk leaves the old one."""
    new = directory / f".{MARKER}.new"
    try:
        new.write_text(marker_text(facts), "utf-8")
        new.replace(directory / MARKER)
    finally:
        new.unlink(missing_ok=True)


def marker_text(facts: Mapping[str, object]) -> str:
    return json.dumps({"written_by": WRITTEN_BY, **facts}, indent=2, ensure_ascii=False) + "\n"


def commits(out: Path, form: str) -> frozenset[str]:
    """Return the names of the commits of a table in a format that has versions."""
    return frozenset(path.name for path in (out / TABLES[form]).glob(COMMITS[form]))


def check_replaceable(out: Path, form: str = "parquet", *, follow: bool = False) -> None:
    """Raise PipelineError if the directory is not ours, or another kind of run wrote it."""
    _put_back(out)
    if not out.exists():
        return
    if not out.is_dir():
        raise PipelineError(f"{out} is a file; --out names a directory")
    said = told(out)
    if said is None:
        if _is_empty(out):
            return
        raise PipelineError(
            f"{out} is not empty and has no {MARKER}, so another program wrote it: name another directory"
        )
    if bool(said.get("follow")) != follow:
        kind = ("no --follow", "--follow")[bool(said.get("follow"))]
        raise PipelineError(f"{out} was written with {kind}: name another directory, or remove it")
    check_format(str(out), said, form)


def check_format(out: str, said: Mapping[str, Any], form: str) -> None:
    """Raise PipelineError if one of the two formats has versions, and the other is a different one.

    said: the content of the marker.
    """
    was = str(said.get("format") or "parquet")
    if was != form and (was in TABLES or form in TABLES):
        raise PipelineError(
            f"{out} was written with --format {was}, and --format {form} cannot replace it: "
            "name another directory, or remove it"
        )


def _is_empty(directory: Path) -> bool:
    try:
        return next(directory.iterdir(), None) is None
    except OSError as error:
        raise PipelineError(f"{directory} cannot be read: {error.strerror}") from None


@contextmanager
def replaced(out: Path, facts: Mapping[str, object]) -> Iterator[Path]:
    """Yield a temporary directory beside out, which replaces out when the block succeeds.

    If the block fails, out is unchanged. Raises PipelineError: out is not ours, or cannot be written.
    """
    check_replaceable(out, str(facts.get("format") or "parquet"))
    new = _beside(out, "new")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _drop(new)
        new.mkdir()  # fails at once rather than after the work
        yield new
        mark(new, facts)
        _swap(new, out)
    except OSError as error:
        raise PipelineError(f"{out} cannot be written: {error.strerror or error}") from error
    finally:
        _drop(new)


@contextmanager
def committed(out: Path, form: str, facts: Mapping[str, object]) -> Iterator[None]:
    """Run a block that commits a version of the table in out, which is created.

    If the block fails before its commit, the files that it added are deleted. Raises PipelineError: out is
    not ours, or cannot be written.
    """
    check_replaceable(out, form)
    created = not out.exists()
    before, versions = _files(out), commits(out, form)
    try:
        out.mkdir(parents=True, exist_ok=True)
        if told(out) is None:
            mark(out, facts)  # so that the next run may replace what a killed one leaves
        yield
        mark(out, facts)
    except OSError as error:
        raise PipelineError(f"{out} cannot be written: {error.strerror or error}") from error
    finally:
        if commits(out, form) == versions:
            _delete_since(out, before, created=created)


def _files(out: Path) -> frozenset[Path]:
    return frozenset(path for path in out.rglob("*") if not path.is_dir())


def _delete_since(out: Path, before: frozenset[Path], *, created: bool) -> None:
    """Delete the files that are not in before, and empty directories."""
    for path in sorted(out.rglob("*"), reverse=True):
        if path.is_dir():
            with suppress(OSError):  # it is not empty
                path.rmdir()
        elif path not in before:
            path.unlink(missing_ok=True)
    if created:
        with suppress(OSError):
            out.rmdir()


def _beside(out: Path, what: str) -> Path:
    return out.parent / f".{out.name}.tidemark-{what}"


def _swap(new: Path, out: Path) -> None:
    old = _beside(out, "old")
    _drop(old)
    if out.exists():
        out.rename(old)
    new.rename(out)
    _drop(old)


def _put_back(out: Path) -> None:
    """Finish a replacement that was killed between its two renames."""
    old = _beside(out, "old")
    if old.exists() and not out.exists():
        old.rename(out)


def _drop(directory: Path) -> None:
    if directory.exists():
        shutil.rmtree(directory)
