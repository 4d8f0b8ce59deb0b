"""The summary of a run on stderr: the input, the skipped records, and the assumptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli.reading import Reading, damage_text
from tidemark_pipeline.cli.words import count_text, time_text
from tidemark_pipeline.retention import SETTING

if TYPE_CHECKING:
    from tidemark_pipeline.cli.reading import Scan
    from tidemark_pipeline.retention import Retention

USERS: Final = frozenset({"forecast", "removals"})  # the tables that depend on the retention
UNUSED: Final[Mapping[str, object]] = {"retention_ms": [], "retention_origin": "not used"}
OF_THE_PAST: Final = frozenset({"removals", "timeline", "rewinds", "check"})  # what the cleaner removed lacks
MISSING_MAX: Final = 8  # parts of logs that are named
AHEAD_MS: Final = 3_600_000  # more than the clocks of hosts differ


@dataclass(slots=True, frozen=True)
class Counts:
    """Counts of the table `segments`. skipped: records by key version, of unknown versions."""

    segments: int = 0
    records: int = 0
    skipped: Mapping[str, int] | None = None


def counted(rows: Iterable[Mapping[str, Any]]) -> Counts:
    """Return the sums of rows of the table `segments`."""
    segments = records = 0
    skipped: Counter[str] = Counter()
    for row in rows:
        segments += 1
        records += row["records"]
        skipped.update(_by_type(row["skipped_types"]))
    return Counts(segments, records, skipped)


def _by_type(text: str) -> dict[str, int]:
    parts = (part.partition(": ") for part in text.split(", ") if part)
    return {version: int(count) for version, _, count in parts}


def used(scan: Scan) -> Retention | None:
    """Return the retention that the output depends on; None: it depends on none."""
    return scan.retention if USERS & scan.reading.options.tables else None


def facts(reading: Reading, retention: Retention | None) -> dict[str, object]:
    """Return the inputs and assumptions of the output, for its marker file."""
    options = reading.options
    return {
        "command": options.command,
        "log_dirs": list(options.log_dirs),
        **({} if options.cluster is None else {"bootstrap_server": options.cluster.bootstrap}),
        "as_of_ms": reading.as_of_ms,
        "as_of": time_text(reading.as_of_ms),
        **(retention.facts() if retention else UNUSED),
        "group": options.group,
        "transactions": options.transactions,
        "format": options.format,
    }


@dataclass(slots=True, frozen=True)
class Run:
    """A run of the command that has ended.

    now_ms   when it began, by this computer's clock
    remarks  sentences about its output
    """

    reading: Reading
    counts: Counts
    seconds: float
    now_ms: int
    retention: Retention | None = None
    remarks: Sequence[str] = ()
    exit_code: int = 0


def lines(run: Run) -> Iterator[str]:
    """Yield the summary for people. The limits of the log come first."""
    if run.reading.options.command in OF_THE_PAST:
        for limit in run.reading.asked_coverage.limits():
            yield f"the log cannot say everything: {limit}"
            break
    yield from run.remarks
    counts = run.counts
    part = "segment" if run.reading.options.cluster is None else "log partition"
    records, parts = count_text(counts.records, "record"), count_text(counts.segments, part)
    yield f"{records} in {parts}, {run.seconds:.1f} s"
    yield from _noted(run)
    yield assumed(run.reading, run.retention)
    yield from _warnings(run)


def document(run: Run) -> dict[str, object]:
    """Return the summary for machines."""
    return {
        **facts(run.reading, run.retention),
        "coverage": [*run.reading.asked_coverage.limits()],
        "records": run.counts.records,
        "segments": run.counts.segments,
        "skipped": dict(run.counts.skipped or {}),
        "seconds": round(run.seconds, 3),
        "remarks": [*run.remarks, *_noted(run), *_warnings(run)],
        "exit_code": run.exit_code,
    }


def _noted(run: Run) -> Iterator[str]:
    yield from skipped(run.counts)
    yield from remarks(run.reading)


def _warnings(run: Run) -> Iterator[str]:
    if run.retention is not None and run.retention.contradiction is not None:
        yield f"warning: {run.retention.contradiction}"
    if run.reading.as_of_ms > run.now_ms + AHEAD_MS:
        yield (
            "warning: that is ahead of this computer's clock; if a client set the timestamp of a record, set "
            "--as-of"
        )


def skipped(counts: Counts) -> Iterator[str]:
    for version, count in sorted((counts.skipped or {}).items()):
        yield f"skipped: {count_text(count, 'record')} of unknown key version {version}"


def remarks(reading: Reading) -> Iterator[str]:
    """Yield a sentence for each part of the logs that is missing, or not read: other copies, torn tails."""
    yield from (f"warning: {sentence}" for sentence in reading.missing[:MISSING_MAX])
    if len(reading.missing) > MISSING_MAX:
        further = len(reading.missing) - MISSING_MAX
        are = "is" if further == 1 else "are"
        yield f"warning: {count_text(further, 'further part')} of the logs {are} missing"
    yield from (f"not read: {sentence}" for sentence in reading.found.passed_over)
    for number, survey in sorted(reading.surveys.items()):
        yield from (f"warning: {damage_text(number, each)}" for each in survey.damaged)
        if survey.torn is not None:
            path, byte, reason = survey.torn
            yield f"torn tail ignored: {path}, from byte {byte}: {reason}"


def assumed(reading: Reading, retention: Retention | None) -> str:
    """Return the time of the table, and its retention."""
    options = reading.options
    how = {"log": " (the newest record)", "now": " (now)"}.get(str(options.as_of), "")
    used = retention.text if retention else f"{SETTING} is not used"
    return f"as of {time_text(reading.as_of_ms)}{how}, {used}"
