"""What a command reads: the directories, as of one moment, and what the driver knows of them beforehand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.files import SegmentGone
from tidemark_pipeline.logs import Found, find_logs
from tidemark_pipeline.model import PipelineError, Survey
from tidemark_pipeline.options import EPOCH, Options
from tidemark_pipeline.survey import survey_all

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WILDCARDS: Final = "*?["
LAST_MS: Final = 253_402_300_799_999  # of the year 9999: behind it nothing tells the time


@dataclass(slots=True, frozen=True)
class Reading:
    """The log directories of one call, surveyed once.

    as_of_ms: what was written up to then counts, and it is then.
    """

    options: Options
    found: Found
    surveys: dict[int, Survey]
    as_of_ms: int


@dataclass(slots=True, frozen=True)
class Scan:
    """The source's tables of what is read."""

    spark: SparkSession
    reading: Reading

    def offsets(self, **given: Any) -> DataFrame:
        return self._table("offsets", **given)

    def groups(self) -> DataFrame:
        return self._table("groups")

    def segments(self) -> DataFrame:
        """Of all that was read, whatever is shown of it. CRCs were verified when the table was made."""
        from tidemark_pipeline.source import read_table

        options = self.reading.options
        return read_table(
            self.spark, options.log_dirs, "segments", verify_crc=False, group=exact_name(options.group)
        )

    def _table(self, name: str, **given: Any) -> DataFrame:
        from tidemark_pipeline.source import read_table

        options = self.reading.options
        given |= {"as_of": self.reading.as_of_ms, "group": exact_name(options.group)}
        return of_groups(read_table(self.spark, options.log_dirs, name, **given), options.group)


def begin(options: Options, now_ms: int) -> Reading:
    """PipelineError: there is nothing to read, it cannot be read, or its newest record tells no time."""
    found, surveys = _surveyed(options.log_dirs)
    as_of = options.as_of
    as_of_ms = newest_ms(surveys) if as_of == "log" else now_ms if as_of == "now" else as_of
    return Reading(options, found, surveys, as_of_ms)


def _surveyed(paths: Sequence[str]) -> tuple[Found, dict[int, Survey]]:
    try:
        found = find_logs(paths)
        return found, survey_all(found.logs.values())
    except SegmentGone:  # a cleaner was faster
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
