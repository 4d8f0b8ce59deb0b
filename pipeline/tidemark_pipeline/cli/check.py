"""The command `check`: say which conditions match, for cron and CI.

All conditions are one Spark job, because each job costs about a second on a cold JVM.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli import output, reading, show, summary, textfile
from tidemark_pipeline.cli.conditions import CONDITIONS, Asked, Outcome
from tidemark_pipeline.cli.words import count_text, time_text
from tidemark_pipeline.model import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidemark_pipeline.cli.reading import Reading, Scan

MATCHED: Final = 3  # the exit code if a condition matches
OLD_MS: Final = 3_600_000  # the newest record is older than that: the cluster is idle, or this is a backup


@dataclass(slots=True, frozen=True)
class Result:
    """The result of all conditions. remarks: what they could not see."""

    outcomes: Sequence[Outcome]
    remarks: Sequence[str]

    @property
    def matched(self) -> bool:
        return any(each.matched for each in self.outcomes)

    @property
    def code(self) -> int:
        return MATCHED if self.matched else 0


def check(scan: Scan) -> Result:
    """Evaluate the conditions, print the result on stdout, and write the file for Prometheus."""
    options = scan.reading.options
    scan.progress.step(options.command)
    outcomes = _outcomes(scan)
    result = Result(outcomes, list(_remarks(scan.reading, outcomes)))
    if options.prometheus is not None:
        retention = summary.used(scan)
        text = textfile.text(options.prometheus, scan.reading, retention, outcomes, reading.now_ms())
        output.write_file(options.prometheus, text)
    scan.progress.clear()
    if result.matched or not options.quiet:
        sys.stdout.write(f"{json_of(result, scan) if options.json else text_of(result, scan)}\n")
        sys.stdout.flush()
    return result


def _outcomes(scan: Scan) -> list[Outcome]:
    from pyspark.sql.functions import lit

    options = scan.reading.options
    most = max(1, options.rows_shown, textfile.GROUPS_MAX if options.prometheus else 0)
    asked = options.conditions
    found = [_found(scan, each, most).withColumn("at", lit(place)) for place, each in enumerate(asked)]
    rows = reduce(lambda one, other: one.unionByName(other), found).collect()
    return [_outcome(asked[row["at"]], row) for row in sorted(rows, key=lambda row: row["at"])]


def _found(scan: Scan, asked: Asked, most: int) -> DataFrame:
    from tidemark_pipeline.cli.commands import COMMANDS
    from tidemark_pipeline.tables.findings import FINDINGS_MAX

    condition = CONDITIONS[asked.condition]
    table = COMMANDS[condition.command].table(scan)
    if condition.command == "forecast":
        table = table.where(table["retention_ms"] == min(scan.retention.forecast_ms))
    return condition.find(table, asked.limit, scan.reading.as_of_ms, min(most, FINDINGS_MAX))


def _outcome(asked: Asked, row: Any) -> Outcome:
    findings = [json.loads(each) for each in row["findings"] or ()]
    return Outcome(asked, row["count"], row["groups"], json.loads(row["also"]), findings)


def _remarks(read: Reading, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield what the conditions could not see. Raises PipelineError if one of them saw nothing at all."""
    if any(outcome.also.get("checked") == 0 for outcome in outcomes):
        group = read.options.group
        yield f"warning: there are no committed offsets{'' if group is None else f' of {group}'}"
    for outcome in outcomes:
        if outcome.asked.condition == "lag-over":
            yield from _unknown_lag(outcome.also["unknown"], outcome.also["checked"])
        if outcome.asked.condition in ("rewind", "removed-since"):
            yield from _incomplete(read, outcome.asked)
    if read.options.as_of == "now":
        yield from _age(read.newest_ms, read.as_of_ms)


def _unknown_lag(unknown: int, checked: int) -> Iterator[str]:
    if not unknown:
        return
    if unknown == checked:
        raise PipelineError(
            "--lag-over: no lag is known, because no log in the directories has the partitions of the "
            "committed offsets: add the log.dirs of the other brokers to --log-dir"
        )
    offsets = count_text(unknown, "committed offset")
    yield f"lag-over: not known for {offsets}, whose partitions are not in the directories"


def _incomplete(read: Reading, asked: Asked) -> Iterator[str]:
    cleaned_before_ms = read.cleaned_before_ms
    since_ms = None if asked.limit is None else read.as_of_ms - asked.limit
    if cleaned_before_ms is not None and (since_ms is None or since_ms < cleaned_before_ms):
        then = time_text(cleaned_before_ms)
        yield f"{asked.title}: matches may be missing, because the cleaner removed records before {then}"


def _age(newest_ms: int, now_ms: int) -> Iterator[str]:
    newest = f"the newest record is of {time_text(newest_ms)}"
    if newest_ms < 0:
        yield "warning: the log has no records"
    elif newest_ms < now_ms - OLD_MS:
        yield f"{newest}: if this is a backup, use --as-of log"
    if newest_ms > now_ms + OLD_MS:
        yield (
            f"warning: {newest}, ahead of this computer's clock, and records after now are ignored: "
            "use --as-of log"
        )


def text_of(result: Result, scan: Scan) -> str:
    """Return the result for people: the total first, then a line for each group."""
    if not result.matched:
        said = f"nothing matches: {', '.join(each.asked.title for each in result.outcomes)}"
        for limit in scan.reading.asked_coverage.limits():
            return f"{said}; but {limit}"
        return said
    matched = sum(each.matched for each in result.outcomes)
    total = len(result.outcomes)
    lines = [f"{matched} of {count_text(total, 'condition')} {'matches' if total == 1 else 'match'}"]
    for outcome in result.outcomes:
        lines += _lines(outcome, scan.reading.options.rows_shown)
    return "\n".join(lines)


def _lines(outcome: Outcome, most: int) -> Iterator[str]:
    if not outcome.matched:
        yield f"{outcome.asked.title}: nothing matches"
        return
    condition = CONDITIONS[outcome.asked.condition]
    yield f"{outcome.asked.title}: {condition.total(outcome)}"
    shown = outcome.findings[:most]
    names = [show.cell(each["group"]) for each in shown]
    widest = max(map(show.width, names), default=0)
    for name, each in zip(names, shown, strict=True):
        yield f"  {name}{' ' * (widest - show.width(name))}  {condition.line(each)}"
    left_out = outcome.groups - len(shown)
    if left_out:
        yield f"  (and {count_text(left_out, 'group')} more; --show N shows more)"


def json_of(result: Result, scan: Scan) -> str:
    """Return the result for machines."""
    most = scan.reading.options.rows_shown
    document = {
        **summary.facts(scan.reading, summary.used(scan)),
        "newest_record_ms": scan.reading.newest_ms,
        "matched": result.matched,
        "exit_code": result.code,
        "conditions": [_of_condition(each, most) for each in result.outcomes],
        "remarks": [*result.remarks, *summary.remarks(scan.reading)],
    }
    return json.dumps(document, ensure_ascii=False)


def _of_condition(outcome: Outcome, most: int) -> dict[str, object]:
    asked = outcome.asked
    return {
        "condition": asked.condition,
        "option": f"--{asked.title}",
        "limit": asked.limit,
        "matched": outcome.matched,
        "count": outcome.count,
        "groups": outcome.groups,
        **outcome.also,
        "findings": list(outcome.findings[:most]),
    }
