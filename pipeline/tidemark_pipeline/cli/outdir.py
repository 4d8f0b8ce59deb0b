"""The directory of --out: ours to replace, or somebody else's to leave alone. Local directories; no Spark.

Ours has a marker, which also names what its table was made of. Readers of Parquet, CSV and JSON pass over it,
as over all names that begin with an underscore.
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
OF_ALL_ROWS: Final = ("group", "transactions", "format")  # options that hold for all that --follow writes
WRITTEN_BY: Final = "tidemark-pipeline"


def told(out: Path) -> dict[str, Any] | None:
    """What the marker says; None: there is none, or it is no marker of ours."""
    try:
        said = json.loads((out / MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) and said.get("written_by") == WRITTEN_BY else None


def mark(place: Path, facts: Mapping[str, object]) -> None:
    """Make place ours."""
    (place / MARKER).write_text(marker_text(facts), "utf-8")


def marker_text(facts: Mapping[str, object]) -> str:
    return json.dumps({"written_by": WRITTEN_BY, **facts}, indent=2, ensure_ascii=False) + "\n"


def check_replaceable(out: Path, *, follow: bool = False) -> None:
    """PipelineError: something is there that is not ours, or that another kind of run has written."""
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
            f"{out} is not empty, and this command has not written it (no {MARKER}): it is left alone"
        )
    if bool(said.get("follow")) != follow:
        kind = ("no --follow", "--follow")[bool(said.get("follow"))]
        raise PipelineError(f"{out} holds what {kind} has written: name another directory, or remove it")


def check_goes_on(out: Path, facts: Mapping[str, object]) -> None:
    """PipelineError where --follow would mix rows in out, leave some out or write some twice: what is asked
    for now is not what out was begun with, or its checkpoint and the log of its files do not belong together.
    """
    from tidemark_pipeline.source.settle import SINK_LOG

    said = told(out) or {}
    for name in OF_ALL_ROWS:
        if name in said and said[name] != facts[name]:
            raise PipelineError(
                f"{out} was begun {_with(name, said[name])} and cannot go on {_with(name, facts[name])}: "
                "name another directory"
            )
    planned, finished, written = (_newest(out / place) for place in (PLANNED, FINISHED, SINK_LOG))
    if written > planned:  # Spark writes no micro-batch of a number that it has written
        raise PipelineError(
            f"{out / CHECKPOINT} is gone, or older than {SINK_LOG}: rows would be left out; "
            "name another directory, or remove this one"
        )
    if written < finished:
        raise PipelineError(
            f"{out / SINK_LOG} is gone, or older than {CHECKPOINT}: it would not name all files; "
            "name another directory, or remove this one"
        )


def _with(name: str, value: object) -> str:
    return f"without --{name}" if value is None else f"with --{name} {value}"


def _newest(place: Path) -> int:
    """The number of the last micro-batch that Spark has a file of there; -1: there is none."""
    names = (path.name.removesuffix(".compact") for path in place.glob("[0-9]*"))
    return max((int(name) for name in names if name.isdecimal()), default=-1)


def _is_empty(place: Path) -> bool:
    try:
        return next(place.iterdir(), None) is None
    except OSError as error:
        raise PipelineError(f"{place} cannot be read: {error.strerror}") from None


@contextmanager
def replaced(out: Path, facts: Mapping[str, object]) -> Iterator[Path]:
    """A directory beside out, to be made and filled in the block. Then it takes out's place; where the block
    fails, out stays what it was. PipelineError: out is not ours, or cannot be written.
    """
    check_replaceable(out)
    new = _beside(out, "new")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _drop(new)
        new.mkdir()  # says at once what would be in the way
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
    """What a run left that was killed between the two renames."""
    old = _beside(out, "old")
    if old.exists() and not out.exists():
        old.rename(out)


def _drop(place: Path) -> None:
    if place.exists():
        shutil.rmtree(place)
