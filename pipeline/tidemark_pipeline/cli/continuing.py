"""Whether `--follow` may continue in a local directory: same options, and a checkpoint that fits. Needs no
Spark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tidemark_pipeline.cli import delta, iceberg, outdir, output
from tidemark_pipeline.cli.outdir import CHECKPOINT
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.source.settle import SINK_LOG

PLANNED: Final = f"{CHECKPOINT}/offsets"
FINISHED: Final = f"{CHECKPOINT}/commits"
OF_ALL_ROWS: Final = ("group", "transactions", "format")  # options that must not change while --follow writes
_SOURCES: Final = ("log-dir", "bootstrap-server")
REMEDY: Final = "name another directory, or remove this one"


def check_goes_on(out: Path, facts: Mapping[str, object]) -> None:
    """Raise PipelineError if --follow would mix rows in out, omit some or write some twice.

    That is so if out was begun with other options, or its checkpoint and its rows do not match.
    """
    said = outdir.told(out) or {}
    for name in OF_ALL_ROWS:
        if name in said and said[name] != facts[name]:
            raise PipelineError(
                f"{out} was begun {_with(name, said[name])} and cannot continue {_with(name, facts[name])}: "
                "name another directory"
            )
    source, before = (each.get("bootstrap_server") is not None for each in (facts, said))
    if said and source != before:
        raise PipelineError(
            f"{out} was begun with --{_SOURCES[before]} and cannot continue with --{_SOURCES[source]}: the "
            "checkpoint is of the other; name another directory"
        )
    if facts["format"] in outdir.TABLES:
        _check_table(out, str(facts["format"]))
    else:
        _check_files(out)


def check_settles(out: str) -> None:
    """Raise PipelineError if out is a table that needs no --settle."""
    local = output.local_path(out)
    form = (outdir.told(local) or {}).get("format") if local is not None else None
    if form in outdir.TABLES:
        raise PipelineError(
            f"{out} was written with --format {form}, so every reader finds each row once: --settle is not "
            "needed"
        )


def _with(name: str, value: object) -> str:
    return f"without --{name}" if value is None else f"with --{name} {value}"


def _check_files(out: Path) -> None:
    planned, finished, written = (_newest(out / name) for name in (PLANNED, FINISHED, SINK_LOG))
    if written > planned:  # Spark does not write a micro-batch number twice
        raise PipelineError(
            f"{out / CHECKPOINT} is missing, or older than {SINK_LOG}: rows would be lost; {REMEDY}"
        )
    if written < finished:
        raise PipelineError(
            f"{out / SINK_LOG} is missing, or older than {CHECKPOINT}: it would not list all files; {REMEDY}"
        )


def _check_table(out: Path, form: str) -> None:
    """Compare the query and the micro-batch that the table has recorded with the checkpoint."""
    planned, finished = _newest(out / PLANNED), _newest(out / FINISHED)
    if not outdir.commits(out, form):
        if finished >= 0:
            raise PipelineError(
                f"{out / outdir.TABLES[form]} is missing, but {CHECKPOINT} is not: rows would be lost; "
                f"{REMEDY}"
            )
        return
    recorded = (delta if form == "delta" else iceberg).newest_batch(out)
    query, written = recorded or (_query(out), finished)
    if planned < 0 or written > planned or query != _query(out):
        raise PipelineError(
            f"{out / CHECKPOINT} is missing, older than the table, or of another one: rows would be lost or "
            f"repeated; {REMEDY}"
        )


def _query(out: Path) -> str:
    """Return the id of the query that the checkpoint belongs to; empty: there is none."""
    try:
        return str(json.loads((out / CHECKPOINT / "metadata").read_bytes())["id"])
    except (OSError, ValueError, KeyError):
        return ""


def _newest(directory: Path) -> int:
    """Return the number of the newest micro-batch that has a file there; -1: none."""
    names = (path.name.removesuffix(".compact") for path in directory.glob("[0-9]*"))
    return max((int(name) for name in names if name.isdecimal()), default=-1)
