"""The local directory of --out: replace our own, refuse any other. Needs no Spark.

Ours has a marker file, which also lists the inputs of the table. Readers of Parquet, CSV and JSON ignore it,
as they ignore every name that begins with an underscore.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tidemark_pipeline.model import PipelineError

MARKER: Final = "_tidemark.json"
CHECKPOINT: Final = "_checkpoint"  # of --follow
PLANNED: Final = f"{CHECKPOINT}/offsets"
FINISHED: Final = f"{CHECKPOINT}/commits"
OF_ALL_ROWS: Final = ("group", "transactions", "format")  # options that must not change while --follow writes
WRITTEN_BY: Final = "tidemark-pipeline"


def told(out: Path) -> dict[str, Any] | None:
    """Return the content of the marker. None: there is none, or it is not ours."""
    try:
        said = json.loads((out / MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) and said.get("written_by") == WRITTEN_BY else None


def mark(directory: Path, facts: Mapping[str, object]) -> None:
    """Write our marker into the directory."""
    (directory / MARKER).write_text(marker_text(facts), "utf-8")


def marker_text(facts: Mapping[str, object]) -> str:
    return json.dumps({"written_by": WRITTEN_BY, **facts}, indent=2, ensure_ascii=False) + "\n"


def check_replaceable(out: Path, *, follow: bool = False) -> None:
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


def check_goes_on(out: Path, facts: Mapping[str, object]) -> None:
    """Raise PipelineError if --follow would mix rows in out, omit some or write some twice.

    That is so if out was begun with other options, or its checkpoint and its list of files do not match.
    """
    from tidemark_pipeline.source.settle import SINK_LOG

    said = told(out) or {}
    for name in OF_ALL_ROWS:
        if name in said and said[name] != facts[name]:
            raise PipelineError(
                f"{out} was begun {_with(name, said[name])} and cannot continue {_with(name, facts[name])}: "
                "name another directory"
            )
    planned, finished, written = (_newest(out / name) for name in (PLANNED, FINISHED, SINK_LOG))
    if written > planned:  # Spark does not write a micro-batch number twice
        raise PipelineError(
            f"{out / CHECKPOINT} is missing, or older than {SINK_LOG}: rows would be lost; "
            "name another directory, or remove this one"
        )
    if written < finished:
        raise PipelineError(
            f"{out / SINK_LOG} is missing, or older than {CHECKPOINT}: it would not list all files; "
            "name another directory, or remove this one"
        )


def _with(name: str, value: object) -> str:
    return f"without --{name}" if value is None else f"with --{name} {value}"


def _newest(directory: Path) -> int:
    """Return the number of the newest micro-batch that has a file there; -1: none."""
    names = (path.name.removesuffix(".compact") for path in directory.glob("[0-9]*"))
    return max((int(name) for name in names if name.isdecimal()), default=-1)


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
    check_replaceable(out)
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
