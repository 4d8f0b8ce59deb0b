"""The summary of a run on stderr: the input, the skipped records, and the assumptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli.reading import Reading, time_text
from tidemark_pipeline.retention import SETTING

if TYPE_CHECKING:
    from tidemark_pipeline.cli.reading import Scan
    from tidemark_pipeline.retention import Retention

# The commands whose rows depend on the retention.
USERS: Final = ("forecast", "removals", "report")
UNUSED: Final[Mapping[str, object]] = {"retention_ms": [], "retention_origin": "not used"}
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
    return scan.retention if scan.reading.options.command in USERS else None


def facts(reading: Reading, retention: Retention | None) -> dict[str, object]:
    """Return the inputs and assumptions of the output, for its marker file."""
    options = reading.options
    return {
        "command": options.command,
        "log_dirs": list(options.log_dirs),
        "as_of_ms": reading.as_of_ms,
        "as_of": time_text(reading.as_of_ms),
        **(retention.facts() if retention else UNUSED),
        "group": options.group,
        "transactions": options.transactions,
        "format": options.format,
    }


def lines(
    reading: Reading, counts: Counts, seconds: float, now_ms: int, retention: Retention | None
) -> Iterator[str]:
    yield f"{_number(counts.records, 'record')} in {_number(counts.segments, 'segment')}, {seconds:.1f} s"
    yield from skipped(counts)
    yield from remarks(reading)
    yield assumed(reading, retention)
    if retention is not None and retention.contradiction is not None:
        yield f"warning: {retention.contradiction}"
    if reading.as_of_ms > now_ms + AHEAD_MS:
        yield (
            "warning: that is ahead of this computer's clock; if a client set the timestamp of a record, set "
            "--as-of"
        )


def skipped(counts: Counts) -> Iterator[str]:
    for version, count in sorted((counts.skipped or {}).items()):
        yield f"skipped: {_number(count, 'record')} of unknown key version {version}"


def remarks(reading: Reading) -> Iterator[str]:
    """Yield a sentence for each part of the logs that was not read: other copies, torn tails."""
    yield from (f"not read: {sentence}" for sentence in reading.found.passed_over)
    for survey in reading.surveys.values():
        if survey.torn is not None:
            path, byte, reason = survey.torn
            yield f"torn tail ignored: {path}, from byte {byte}: {reason}"


def assumed(reading: Reading, retention: Retention | None) -> str:
    """Return the time of the table, and its retention."""
    options = reading.options
    how = {"log": " (the newest record)", "now": " (now)"}.get(str(options.as_of), "")
    used = retention.text if retention else f"{SETTING} is not used"
    return f"as of {time_text(reading.as_of_ms)}{how}, {used}"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}".replace(",", " ")
