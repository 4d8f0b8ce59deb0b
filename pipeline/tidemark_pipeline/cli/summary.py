"""The summary of a run on stderr: the input, the skipped records, and the assumptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli.options import Options
from tidemark_pipeline.cli.reading import Reading, time_text
from tidemark_pipeline.cli.server_properties import RETENTION
from tidemark_pipeline.model import ASSUMED, GIVEN, INFERRED, UNKNOWN

if TYPE_CHECKING:
    from tidemark_pipeline.tables.retention import Inferred

MINUTE_MS: Final = 60_000
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


def facts(reading: Reading, inferred: Inferred | None) -> dict[str, object]:
    """Return the inputs and assumptions of the output, for its marker file."""
    options = reading.options
    return {
        "command": options.command,
        "log_dirs": list(options.log_dirs),
        "as_of_ms": reading.as_of_ms,
        "as_of": time_text(reading.as_of_ms),
        **_retention_facts(options, inferred),
        "group": options.group,
        "transactions": options.transactions,
        "format": options.format,
    }


def _retention_facts(options: Options, inferred: Inferred | None) -> dict[str, object]:
    """Return the retentions for the marker file. An inferred one is written as its bounds."""
    if not options.retention_assumed:
        return {"retention_ms": list(options.retention_ms), "retention_origin": GIVEN}
    if options.command != "removals":
        return {"retention_ms": list(options.retention_ms), "retention_origin": ASSUMED}
    if inferred is None:
        return {"retention_ms": [], "retention_origin": UNKNOWN}
    bounds = dict.fromkeys((inferred.shortest_ms, inferred.longest_ms))
    return {"retention_ms": list(bounds), "retention_origin": INFERRED}


def lines(
    reading: Reading, counts: Counts, seconds: float, now_ms: int, inferred: Inferred | None
) -> Iterator[str]:
    yield f"{_number(counts.records, 'record')} in {_number(counts.segments, 'segment')}, {seconds:.1f} s"
    yield from skipped(counts)
    yield from remarks(reading)
    yield assumed(reading, inferred)
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


def assumed(reading: Reading, inferred: Inferred | None) -> str:
    """Return the time of the table, and its retention if the table depends on one."""
    options = reading.options
    how = {"log": " (the newest record)", "now": " (now)"}.get(str(options.as_of), "")
    said = [f"as of {time_text(reading.as_of_ms)}{how}"]
    known = not options.retention_assumed
    if options.command in ("forecast", "report") or (options.command == "removals" and known):
        named = f"{RETENTION}={minutes(options.retention_ms)}"
        said.append(named if known else f"{named} {ASSUMED}")
    if options.command in ("removals", "report") and not known:
        said.append(f"removals: {removals_retention(inferred)}")
    return ", ".join(said)


def removals_retention(inferred: Inferred | None) -> str:
    """Return the retention that the removals assume if none was given."""
    if inferred is None:
        return f"no {RETENTION} was given, and none can be inferred"
    ages = f"{inferred.youngest_ms / MINUTE_MS:.1f} to {inferred.oldest_ms / MINUTE_MS:.1f} min"
    return f"{RETENTION}={inferred.text}, inferred from ages of {ages} at {inferred.moments} moments"


def minutes(retention_ms: Sequence[int]) -> str:
    return ",".join(str(ms // MINUTE_MS) for ms in retention_ms)


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}".replace(",", " ")
