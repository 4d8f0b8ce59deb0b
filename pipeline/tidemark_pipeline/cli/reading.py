"""What a command reads: the directories, as of one moment, and what the driver knows of them beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli.options import EPOCH, Options
from tidemark_pipeline.logs.directories import Found, find_logs
from tidemark_pipeline.logs.files import looked_again
from tidemark_pipeline.logs.survey import as_of, survey_all, tasks
from tidemark_pipeline.model import OffsetsLog, PipelineError, ScanOptions, Survey, Task
from tidemark_pipeline.source.options import SourceOptions
from tidemark_pipeline.source.scan import logs_of, read_task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidemark_pipeline.tables.removals import Removals
    from tidemark_pipeline.tables.retention import Inferred

SMALL_BYTES: Final = 32 * 2**20  # decoded in about 0.2 s
WILDCARDS: Final = "*?["
LAST_MS: Final = 253_402_300_799_999  # of the year 9999: behind it nothing tells the time


@dataclass(frozen=True)
class Reading:
    """The log directories of one call, surveyed once.

    as_of_ms: what was written up to then counts, and it is then.
    """

    options: Options
    found: Found
    surveys: dict[int, Survey]
    as_of_ms: int

    def open_from(self) -> dict[int, int]:
        """Log partitions with an open transaction, and the offset of the first batch of the earliest."""
        then = {number: as_of(survey, self.as_of_ms) for number, survey in self.surveys.items()}
        return {
            number: min(survey.open_transactions.values())
            for number, survey in then.items()
            if survey.open_transactions
        }

    @cached_property
    def read_logs(self) -> dict[int, OffsetsLog]:
        """Without those in which the one group that is asked for cannot be."""
        exact = exact_name(self.options.group)
        groups = frozenset() if exact is None else frozenset({exact})
        return logs_of(self.found, SourceOptions(tuple(self.options.log_dirs), ScanOptions(groups=groups)))

    @cached_property
    def is_small(self) -> bool:
        """To read it takes no time beside that of Spark's start."""
        return (
            sum(segment.bytes for log in self.read_logs.values() for segment in log.segments) <= SMALL_BYTES
        )


@dataclass(frozen=True)
class Scan:
    """The source's tables of what is read."""

    spark: SparkSession
    reading: Reading

    @property
    def keeps(self) -> bool:
        """Rows of committed offsets stay with Spark, for several tables of them."""
        return self.reading.options.command == "report" and self.reading.is_small

    def offsets(self, *, latest_only: bool = False, **given: Any) -> DataFrame:
        """latest_only: no more is needed than the last record of each key in each segment."""
        if self.keeps and not given:
            return self._kept_offsets
        return self._table("offsets", latest_only=latest_only or None, **given)

    @cached_property
    def _kept_offsets(self) -> DataFrame:
        return self._table("offsets").persist()

    def groups(self) -> DataFrame:
        return self._table("groups")

    @cached_property
    def kept_groups(self) -> DataFrame:
        """`groups`, for tables that read them several times: the log is read once."""
        return self.groups().persist()

    @cached_property
    def removals(self) -> Removals:
        """The table of removals. Unless a retention was given, this runs a job to infer one."""
        from tidemark_pipeline.cli.commands import found_removals

        return found_removals(self)

    @property
    def inferred(self) -> Inferred | None:
        """The retention that removals infer; None: none, or the command has no removals."""
        return self.removals.inferred if self.reading.options.command in ("removals", "report") else None

    @cached_property
    def segments(self) -> list[Mapping[str, Any]]:
        """Rows of the table of that name, of all segments that were read, whatever was shown of them. CRCs
        were verified when that was made. A job of Spark costs a second: what is small is counted here.
        """
        if self.reading.is_small:
            counted = [(log, self.reading.surveys[number]) for number, log in self.reading.read_logs.items()]
            return [row for log, survey in counted for task in tasks(log, survey) for row in _rows(task)]
        from tidemark_pipeline.source.session import read_table

        options = self.reading.options
        exact = exact_name(options.group)
        table = read_table(self.spark, options.log_dirs, "segments", verify_crc=False, group=exact)
        return [row.asDict() for row in table.collect()]

    def _table(self, name: str, **given: Any) -> DataFrame:
        from tidemark_pipeline.source.session import read_table

        options = self.reading.options
        given |= {"as_of": self.reading.as_of_ms, "group": exact_name(options.group)}
        return of_groups(read_table(self.spark, options.log_dirs, name, **given), options.group)


def _rows(task: Task) -> Iterator[Mapping[str, Any]]:
    for batch in read_task(task, ScanOptions(table="segments", verify_crc=False)):
        yield from batch.to_pylist()


def begin(options: Options, now_ms: int) -> Reading:
    """PipelineError: there is nothing to read, it cannot be read, or its newest record tells no time."""
    found, surveys = looked_again(lambda: _surveyed(options.log_dirs))
    asked = options.as_of
    return Reading(
        options, found, surveys, newest_ms(surveys) if asked == "log" else now_ms if asked == "now" else asked
    )


def _surveyed(paths: Sequence[str]) -> tuple[Found, dict[int, Survey]]:
    found = find_logs(paths)
    return found, survey_all(found.logs.values())


def newest_ms(surveys: dict[int, Survey]) -> int:
    """The time of the newest record. PipelineError: there is none, or none that a clock could show."""
    newest = max((survey.newest_timestamp_ms for survey in surveys.values()), default=-1)
    if newest > LAST_MS:
        raise PipelineError(
            f"the newest record has the timestamp {newest}, which is beyond the year 9999: say with --as-of "
            "what time it is"
        )
    return newest


def time_text(ms: int) -> str:
    """As ISO 8601 in UTC; the number where no calendar has it."""
    if not 0 <= ms <= LAST_MS:
        return str(ms)
    moment = (EPOCH + timedelta(milliseconds=ms)).astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def exact_name(glob: str | None) -> str | None:
    """The one name that a pattern without wildcards means."""
    return None if glob is None or any(char in glob for char in WILDCARDS) else glob


def of_groups(table: DataFrame, glob: str | None) -> DataFrame:
    """The rows of the groups that a pattern names; None: all."""
    if glob is None or exact_name(glob) is not None:
        return table  # the source has been told the name
    from pyspark.sql.functions import col

    return table.where(col("group").rlike(java_pattern(glob)))


def java_pattern(glob: str) -> str:
    """The same as a regular expression of Java that a whole name has to match."""
    parts = re.findall(r"\[!?(?:\][^\]]*|[^\]]+)\]|.", glob, re.DOTALL)
    return rf"(?s)\A{''.join(map(_part, parts))}\z"


def _part(part: str) -> str:
    if part == "*":
        return ".*"
    if part == "?":
        return "."
    if len(part) > 1:
        negated = part[1] == "!" and len(part) > 3
        chars = part[2 if negated else 1 : -1]
        inside = "".join(char if char.isalnum() or char == "-" else f"\\{char}" for char in chars)
        return f"[{'^' if negated else ''}{inside}]"
    return re.escape(part)


def now_ms() -> int:
    """Of this computer's clock."""
    since: Any = datetime.now(UTC) - EPOCH
    return int(since // timedelta(milliseconds=1))
