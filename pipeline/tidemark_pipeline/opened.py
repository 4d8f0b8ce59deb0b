"""The tables of a log as DataFrames of an existing session, for notebooks and jobs."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from tidemark_pipeline.cli import options as command_line
from tidemark_pipeline.cli import reading, summary
from tidemark_pipeline.cli.commands import COMMANDS
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.retention import Retention

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidemark_pipeline.cli.options import Options

Minutes = int | Sequence[int]
T = TypeVar("T")


@dataclass(frozen=True)
class OpenedLog:
    """The log directories as of one time. Each method returns the table of the command with its name.

    print(log) shows what was read, skipped and assumed.
    """

    scan: reading.Scan

    @property
    def as_of_ms(self) -> int:
        """The time of the tables, in milliseconds since 1970. Later records are ignored."""
        return self.scan.reading.as_of_ms

    def history(self, transactions: Literal["committed", "all"] = "committed") -> DataFrame:
        return self._table("history", transactions=transactions)

    def groups(self) -> DataFrame:
        return self._table("groups")

    def current(self) -> DataFrame:
        return self._table("current")

    def timeline(self) -> DataFrame:
        return self._table("timeline")

    def lag(self) -> DataFrame:
        return self._table("lag")

    def rates(self) -> DataFrame:
        return self._table("rates")

    def rewinds(self) -> DataFrame:
        return self._table("rewinds")

    def removals(self) -> DataFrame:
        return self._table("removals")

    def forecast(self, retention_minutes: Minutes | None = None) -> DataFrame:
        """Return the forecast, with other retentions than those of the log if some are given."""
        return self._table("forecast", **_retention(retention_minutes))

    def report(self) -> str:
        """Return the page of the command `report`, which notebooks can display."""
        from tidemark_pipeline.cli.reporting import collect
        from tidemark_pipeline.report import page

        return page(collect(self.scan))

    def __str__(self) -> str:
        """Return what was read, skipped and assumed. Without a retention, this infers one."""
        read, retention = self.scan.reading, self.scan.retention
        counts = summary.counted(self.scan.segments)
        said = [f"{counts.records} records in {counts.segments} segments", *summary.skipped(counts)]
        said += [*summary.remarks(read), summary.assumed(read, retention)]
        if retention.contradiction is not None:
            said.append(f"warning: {retention.contradiction}")
        return "\n".join(said)

    def _table(self, command: str, **changed: Any) -> DataFrame:
        return COMMANDS[command].table(self._with(**changed))

    def _with(self, **changed: Any) -> reading.Scan:
        """Return the scan with other options. The same scan keeps what its tables share."""
        options = self.scan.reading.options
        if all(getattr(options, name) == value for name, value in changed.items()):
            return self.scan
        other: Options = replace(options, **changed)
        return replace(self.scan, reading=replace(self.scan.reading, options=other))


def open_log(
    spark: SparkSession,
    *log_dirs: str,
    group: str | None = None,
    as_of: datetime | int | str = "log",
    retention_minutes: Minutes | None = None,
) -> OpenedLog:
    """Open log directories of brokers. Returns an object with a DataFrame for each table.

    group               a name, or a pattern such as billing-*
    as_of               "log": the time of the newest record; "now"; ISO 8601; milliseconds; a datetime
    retention_minutes   offsets.retention.minutes of the broker; several to compare; None: not known

    Raises PipelineError if an argument is wrong, if there is no log, or if it cannot be read.
    """
    if not log_dirs:
        raise PipelineError("open_log needs a log directory")
    from tidemark_pipeline.source import session

    session.register(spark)
    moment = as_of.isoformat() if isinstance(as_of, datetime) else str(as_of)
    options = replace(
        command_line.parse(["current", "--log-dir", *log_dirs]),  # the defaults
        command="report",  # all tables
        group=group,
        as_of=_argument(command_line.as_of, moment),
        **_retention(retention_minutes),
    )
    return OpenedLog(reading.Scan(spark, reading.begin(options, reading.now_ms())))


def _retention(minutes: Minutes | None) -> dict[str, Any]:
    if minutes is None:
        return {}
    text = str(minutes) if isinstance(minutes, int) else ",".join(map(str, minutes))
    return {"retention": Retention.known(_argument(command_line.retention_minutes_ms, text))}


def _argument(parsed: Callable[[str], T], text: str) -> T:
    try:
        return parsed(text)
    except ArgumentTypeError as error:
        raise PipelineError(str(error)) from None
