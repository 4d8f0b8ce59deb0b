"""The input of a command: the directories as of one time, and their survey."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli.options import Options
from tidemark_pipeline.cli.progress import Progress
from tidemark_pipeline.cli.words import EPOCH, LAST_MS, count_text, printable
from tidemark_pipeline.logs.directories import OFFSETS_TOPIC, Found, find_logs
from tidemark_pipeline.logs.files import looked_again
from tidemark_pipeline.logs.missing import committed_ends, missing
from tidemark_pipeline.logs.replicas import log_dirs
from tidemark_pipeline.logs.survey import as_of, survey_all, tasks
from tidemark_pipeline.model import Damage, NoSuchGroup, OffsetsLog, PipelineError, ScanOptions, Survey, Task
from tidemark_pipeline.report.coverage import Coverage
from tidemark_pipeline.report.words import moment
from tidemark_pipeline.schemas import TABLES, spark_schema
from tidemark_pipeline.source.options import SourceOptions
from tidemark_pipeline.source.scan import logs_of, read_task
from tidemark_protocol.java import partition_of_group

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from tidemark_pipeline.cli.explain_log import Told
    from tidemark_pipeline.logs.log_ends import LogEnd
    from tidemark_pipeline.logs.metadata_log import TopicEvent
    from tidemark_pipeline.retention import Retention
    from tidemark_pipeline.tables.removals import JudgedRemovals, Removals

EMPTY: Final = "the log is empty: no group has a record in it"
SUGGESTIONS: Final = 3
DEFAULT_PARTITIONS: Final = 50  # Kafka's default of offsets.topic.num.partitions
SMALL_BYTES: Final = 32 * 2**20  # decoded in about 0.2 s
MEDIUM_BYTES: Final = 2**30  # decoded in about 5 s, by one core
WILDCARDS: Final = "*?["
RECONSTRUCTING: Final = "reconstructing groups"  # a step, for the progress


@dataclass(frozen=True)
class Reading:
    """The log directories of one call, surveyed once.

    as_of_ms  later records are ignored, and it is the current time
    missing   a sentence for each missing part of the logs
    since_ms  the logs begin with the records of this time, by request; None: with their first ones
    """

    options: Options
    found: Found
    surveys: dict[int, Survey]
    as_of_ms: int
    missing: Sequence[str] = ()
    since_ms: int | None = None

    def open_from(self) -> dict[int, int]:
        """Return the log partitions with an open transaction, and the first offset of the earliest."""
        then = {number: as_of(survey, self.as_of_ms) for number, survey in self.surveys.items()}
        return {
            number: min(survey.open_transactions.values())
            for number, survey in then.items()
            if survey.open_transactions
        }

    @property
    def newest_ms(self) -> int:
        """Return the time of the newest record, in any year; -1: there is none."""
        return _newest(self.surveys)

    @property
    def cleaned_before_ms(self) -> int | None:
        """Return the time before which the cleaner removed records; None: it removed none, or the time is not
        known.
        """
        times = [each.complete_from_ms for each in self.surveys.values() if each.complete_from]
        return None if not times or min(times) < 0 else max(times)

    @property
    def log_partitions(self) -> int:
        """Return the number of log partitions, or how many there are at least."""
        return self.found.group_partition_count or max(self.surveys, default=-1) + 1

    @cached_property
    def absent(self) -> frozenset[int]:
        """Return the log partitions without a directory. tidemark makes one with the first record."""
        there: set[int] = set()
        for each in log_dirs(self.options.log_dirs):
            if each.is_of_tidemark:
                return frozenset()
            there |= {number for topic, number in each.partitions if topic == OFFSETS_TOPIC}
        return frozenset(range(self.log_partitions)) - there

    def coverage(self, log_partition: int | None = None) -> Coverage:
        """Return the part of a log partition, or of all, that the directories have."""
        surveys = {
            number: survey
            for number, survey in self.surveys.items()
            if log_partition in (None, number) and survey.first_offset is not None
        }
        cleaned = [
            survey
            for survey in surveys.values()
            if survey.complete_from
            and not (self.since_ms is not None and survey.complete_from == survey.first_offset)
        ]
        complete = [survey.complete_from_ms for survey in cleaned or surveys.values()]
        first = [survey.first_timestamp_ms for survey in surveys.values() if survey.first_timestamp_ms >= 0]
        return Coverage(
            self.as_of_ms,
            None if not complete or min(complete) < 0 else max(complete),
            min(first, default=None),
            bool(cleaned),
            [*self._gaps(log_partition)],
        )

    @property
    def asked_coverage(self) -> Coverage:
        """Return the coverage of the log partitions that are read: of one, if one group was requested."""
        return self.coverage(min(self.read_logs) if len(self.read_logs) == 1 else None)

    def _gaps(self, log_partition: int | None) -> Iterator[str]:
        if self.since_ms is not None:
            yield f"only {self._since} were read"
        if log_partition is None and self.absent:
            number = count_text(self.log_partitions, "log partition")
            is_, their = ("is", "its") if len(self.absent) == 1 else ("are", "their")
            yield (
                f"{len(self.absent)} of {number} of {OFFSETS_TOPIC} {is_} not in the directories: nothing is "
                f"known of {their} groups"
            )
        ending = f"{OFFSETS_TOPIC}-{'' if log_partition is None else f'{log_partition}: '}"
        for sentence in self.missing:
            if ending in sentence:
                yield f"a part is missing: {sentence}"
        for at, survey in self.surveys.items():
            if log_partition not in (None, at):
                continue
            for damage in survey.damaged:
                yield f"it is damaged: {damage_text(at, damage)}"
            if survey.torn is not None:
                path, byte, reason = survey.torn
                yield f"it is damaged: {path} cannot be read from byte {byte} on ({reason})"

    @property
    def _since(self) -> str:
        assert self.since_ms is not None
        return f"records since {moment(self.since_ms)}"

    def unknown_group(self, name: str, names: Collection[str]) -> NoSuchGroup:
        """Return the error for a group that the log does not have. names: of its groups."""
        shown = printable(name)
        known = self.found.group_partition_count
        own = partition_of_group(name, known or DEFAULT_PARTITIONS)
        if known and own in self.absent:
            there = known - len(self.absent)
            return NoSuchGroup(
                f"The records of group {shown} would be in {OFFSETS_TOPIC}-{own}, which is not in the "
                f"directories ({there} of {count_text(known, 'log partition')} are): copy it from a "
                "broker that has a replica"
            )
        close = get_close_matches(name, names, SUGGESTIONS)
        meant = f"; did you mean {', '.join(map(printable, close))}?" if close else ""
        if not known and own not in self.surveys:
            return NoSuchGroup(
                f"No group {shown} in this log{meant or '.'} If {OFFSETS_TOPIC} has {DEFAULT_PARTITIONS} "
                f"partitions, as by default, its records are in {OFFSETS_TOPIC}-{own}, which is not in the "
                "directories"
            )
        if not names:
            return NoSuchGroup(f"The log is empty: no group has a record in it, nor has {shown}")
        where = "this log" if self.since_ms is None else f"the {self._since}"
        return NoSuchGroup(f"No group {shown} in {where}{meant or f'; it has {_some(names)}'}")

    @cached_property
    def read_logs(self) -> dict[int, OffsetsLog]:
        """Return the logs to read. A log partition that cannot contain the one requested group is skipped."""
        exact = exact_name(self.options.group)
        groups = frozenset() if exact is None else frozenset({exact})
        return logs_of(self.found, SourceOptions(tuple(self.options.log_dirs), ScanOptions(groups=groups)))

    def check_group(self) -> None:
        """Raise NoSuchGroup if --group matches no group. Reads the log until one is found."""
        from tidemark_pipeline.source.arrow_tables import group_names

        glob = self.options.group
        if glob is None:
            return
        exact = exact_name(glob)
        known = self.found.group_partition_count
        if exact is not None and known and partition_of_group(exact, known) in self.absent:
            raise self.unknown_group(exact, ())
        given = {"as_of": self.as_of_ms, "transactions": "all", "on_error": self.options.on_error}
        # A group is in one log partition, but a group with a similar name may be in another one.
        if exact is not None and any(group_names(self.options.log_dirs, group=exact, **given)):
            return
        pattern = re.compile(python_pattern(glob), re.DOTALL)
        names: set[str] = set()
        for some in group_names(self.options.log_dirs, **given):
            if exact is None and any(map(pattern.fullmatch, some)):
                return
            names |= some
        if exact is not None:
            raise self.unknown_group(exact, names)
        raise NoSuchGroup(f"No group in this log matches {printable(glob)}; it has {_some(names)}")

    @cached_property
    def bytes(self) -> int:
        """Return the size of the segments to read."""
        return sum(segment.bytes for log in self.read_logs.values() for segment in log.segments)

    @property
    def is_small(self) -> bool:
        """Return whether reading is faster than starting Spark."""
        return self.bytes <= SMALL_BYTES

    @property
    def is_medium(self) -> bool:
        """Return whether decoding in this process is faster than several scans by Spark's Python workers."""
        return SMALL_BYTES < self.bytes <= MEDIUM_BYTES


@dataclass(frozen=True)
class Scan:
    """The tables of the source.

    decoded_in: a folder for files that this process decodes once, in place of a scan by Spark for each query.
    None: Spark scans.
    """

    spark: SparkSession
    reading: Reading
    progress: Progress = field(default_factory=Progress, compare=False)
    decoded_in: Path | None = None
    _decoded: dict[tuple[str, str], pa.Table | None] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )
    _files: dict[tuple[str, str], DataFrame] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )
    _decoding: Lock = field(init=False, default_factory=Lock, compare=False, repr=False)

    def offsets(self, *, latest_only: bool = False, **given: Any) -> DataFrame:
        """Return the rows of committed offsets.

        latest_only: the last record of each key in each segment is enough.
        """
        return self._table("offsets", latest_only=latest_only or None, **given)

    def changes(self) -> DataFrame:
        """Return `offsets` for a search for rewinds. Of a log that this process decodes, commits that only
        continue the ones before them are left out.
        """
        from pyarrow import parquet

        from tidemark_pipeline.source.arrow_tables import changes

        log_dirs = self.reading.options.log_dirs
        rows = None if self.decoded_in is None else changes(log_dirs, "offsets", **self._given({}))
        if self.decoded_in is None or rows is None:
            return self.offsets()
        file = self.decoded_in / "changes.parquet"
        parquet.write_table(rows, file)
        table = self.spark.read.schema(spark_schema(TABLES["offsets"])).parquet(str(file))
        return of_groups(table, self.reading.options.group)

    def groups(self) -> DataFrame:
        return self._table("groups")

    @cached_property
    def kept_groups(self) -> DataFrame:
        """Return `groups`, decoded once for tables that read it several times."""
        groups = self.groups()
        is_decoded = self.decoded_in is not None or self._rows("groups") is not None
        return groups if is_decoded else groups.persist()

    def topic_events(self) -> tuple[Sequence[TopicEvent], int | None]:
        """Return the creations and removals of topics, and since when the cluster runs Kafka 4.0 or later."""
        from tidemark_pipeline.logs.metadata_log import topics_told

        return topics_told(self.reading.options.log_dirs)

    def log_ends(self) -> Sequence[LogEnd]:
        """Return start and end of the partitions of user topics."""
        from tidemark_pipeline.logs.log_ends import log_ends

        return log_ends(self.reading.options.log_dirs)

    def transactional_groups(self) -> DataFrame:
        """Return log_partition and group of those with offsets in transactions, also aborted and open ones.

        Reads only logs that have transactions.
        """
        from tidemark_pipeline.tables.small import table_of

        with_some = [
            number
            for number, survey in self.reading.surveys.items()
            if survey.markers or survey.open_transactions
        ]
        if not with_some:
            return table_of(self.spark, [], "log_partition int, `group` string")
        every = self.offsets(transactions="all", log_partitions=",".join(map(str, with_some)))
        return every.where("transactional").select("log_partition", "group").distinct()

    @cached_property
    def told(self) -> Told | None:
        """Return the whole log, judged in this process; None: it has no room for that."""
        from tidemark_pipeline.cli.explain_log import TooLarge, told

        try:
            return told(self.reading)
        except TooLarge:
            return None

    @cached_property
    def removals(self) -> Removals | JudgedRemovals:
        """Return the removals and the retention, also to compare a given one with the log.

        This process judges a log that it decodes, by all groups. For another log, this runs jobs.
        """
        told = self.told if self._is_decoded_here else None
        return _removals(self) if told is None else _judged(self, told)

    @property
    def retention(self) -> Retention:
        """Return the retention that the tables use. If none was given, this infers one from the removals."""
        given = self.reading.options.retention
        if given.is_known and "removals" not in self.__dict__:
            return given
        told = self.told if self._is_decoded_here else None
        return self.removals.retention if told is None else told.retention

    @property
    def _is_decoded_here(self) -> bool:
        return self.reading.is_small or self.decoded_in is not None

    @cached_property
    def segments(self) -> list[Mapping[str, Any]]:
        """Return the rows of the table `segments` of all logs. The scan for the output verified the CRCs.

        A Spark job costs a second, so a small log is counted here.
        """
        if self._is_decoded_here:
            counted = [(log, self.reading.surveys[number]) for number, log in self.reading.read_logs.items()]
            return [row for log, survey in counted for task in tasks(log, survey) for row in _counted(task)]
        from tidemark_pipeline.source.session import read_table

        options = self.reading.options
        exact = exact_name(options.group)
        table = read_table(
            self.spark,
            options.log_dirs,
            "segments",
            verify_crc=False,
            group=exact,
            on_error=options.on_error,
        )
        return [row.asDict() for row in table.collect()]

    def _table(self, name: str, **given: Any) -> DataFrame:
        from tidemark_pipeline.source.session import read_table

        self.progress.step("reading")
        options = self.reading.options
        rows = self._rows(name, **given)
        if rows is not None:
            # In one partition, nothing is exchanged: a query of a small log is one task.
            table = self.spark.createDataFrame(rows).coalesce(1)
        elif self.decoded_in is not None:
            table = self._read_files(name, given)
        else:
            table = read_table(self.spark, options.log_dirs, name, **self._given(given))
        return of_groups(table, options.group)

    def _read_files(self, name: str, given: Mapping[str, Any]) -> DataFrame:
        """Return a table from Parquet files, which are written at its first use."""
        from tidemark_pipeline.source.arrow_tables import write_parquet

        assert self.decoded_in is not None
        key = _variant(name, given)
        with self._decoding:
            if key not in self._files:
                folder = self.decoded_in / str(len(self._files))
                write_parquet(folder, self.reading.options.log_dirs, name, **self._given(given))
                schema = spark_schema(TABLES[name])
                self._files[key] = self.spark.read.schema(schema).parquet(str(folder))
            return self._files[key]

    def _rows(self, name: str, **given: Any) -> pa.Table | None:
        """Return the rows of a table of a small log. None: Spark reads it."""
        from tidemark_pipeline.source.arrow_tables import arrow_table

        if not self.reading.is_small:
            return None
        key = _variant(name, given)
        with self._decoding:
            if key not in self._decoded:
                self._decoded[key] = arrow_table(self.reading.options.log_dirs, name, **self._given(given))
            return self._decoded[key]

    def _given(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options of the source."""
        options = self.reading.options
        given = {**given, "as_of": self.reading.as_of_ms, "group": exact_name(options.group)}
        return {**given, "on_error": options.on_error}


def _variant(table: str, given: Mapping[str, Any]) -> tuple[str, str]:
    """Return a key for a table with these options."""
    return table, repr({option: value for option, value in given.items() if value is not None})


def _counted(task: Task) -> Iterator[Mapping[str, Any]]:
    for batch in read_task(task, ScanOptions(table="segments", verify_crc=False)):
        yield from batch.to_pylist()


def begin(options: Options, now_ms: int) -> Reading:
    """Survey the logs. Raises PipelineError: no log, it cannot be read, or its newest record has no usable
    time.
    """
    found, surveys, lacking = looked_again(lambda: _surveyed(options))
    asked = options.as_of
    if asked == "log" and _newest(surveys) < 0:
        raise PipelineError(EMPTY)
    as_of_ms = newest_ms(surveys) if asked == "log" else now_ms if asked == "now" else asked
    return Reading(options, found, surveys, as_of_ms, lacking)


def _surveyed(options: Options) -> tuple[Found, dict[int, Survey], list[str]]:
    found = find_logs(options.log_dirs)
    ends = committed_ends(found)
    surveys = survey_all(found.logs.values(), on_error=options.on_error)
    return found, surveys, list(missing(found, surveys, ends))


def newest_ms(surveys: dict[int, Survey]) -> int:
    """Return the time of the newest record. Raises PipelineError if there is none within the years of a
    date.
    """
    newest = _newest(surveys)
    if newest > LAST_MS:
        raise PipelineError(
            f"the newest record has the timestamp {newest}, which is beyond the year 9999: set --as-of"
        )
    return newest


def _newest(surveys: dict[int, Survey]) -> int:
    return max((survey.newest_timestamp_ms for survey in surveys.values()), default=-1)


def exact_name(glob: str | None) -> str | None:
    """Return the only name that matches a pattern without wildcards."""
    return None if glob is None or any(char in glob for char in WILDCARDS) else glob


def of_groups(table: DataFrame, glob: str | None) -> DataFrame:
    """Return the rows of the groups that match a pattern; None: all."""
    if glob is None or exact_name(glob) is not None:
        return table  # the source has filtered by the name
    from pyspark.sql.functions import col

    return table.where(col("group").rlike(java_pattern(glob)))


def damage_text(log_partition: int, damage: Damage) -> str:
    """Return where bytes are damaged, and what is not known because of that."""
    first, last = damage.first_offset, damage.end_offset - 1
    offsets = f"{'offset' if first == last else 'offsets'} {first}{'' if first == last else f' to {last}'}"
    said = f"{damage.path}, bytes {damage.byte} to {damage.end - 1} are damaged: {damage.reason}"
    if last < first:
        return f"{said}; no offset is missing there"
    said += (
        f"; the records of {offsets} are missing: later rows about groups of log partition {log_partition} "
        "may be wrong until each is written again"
    )
    if damage.undecided:
        open_there = count_text(damage.undecided, "transaction")
        said += f"; commits in {open_there} that may have ended there are left out"
    return said


def _some(names: Collection[str]) -> str:
    shown = ", ".join(map(printable, sorted(names)[:SUGGESTIONS]))
    more = len(names) - SUGGESTIONS
    return shown + (f" and {count_text(more, 'other group')}" if more > 0 else "") if names else "no group"


def java_pattern(glob: str) -> str:
    """Return the pattern as a regular expression of Java that matches a whole name."""
    return rf"(?s)\A{python_pattern(glob)}\z"


def python_pattern(glob: str) -> str:
    """Return the pattern as a regular expression of Python and Java, for a whole name."""
    return "".join(map(_part, re.findall(r"\[!?(?:\][^\]]*|[^\]]+)\]|.", glob, re.DOTALL)))


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
    """Return the time of this computer's clock."""
    since: Any = datetime.now(UTC) - EPOCH
    return int(since // timedelta(milliseconds=1))


def _removals(scan: Scan) -> Removals:
    """Return the removals, with the retention that was given, inferred or assumed."""
    from tidemark_pipeline.tables.removals import removals

    events, kafka_4_from_ms = scan.topic_events()
    history, groups, transactional = scan.offsets(), scan.kept_groups, scan.transactional_groups()
    known = scan.reading.options.retention
    scan.progress.step(RECONSTRUCTING if known.is_known else "inferring the retention")
    return removals(
        history,
        groups,
        topic_events=events,
        complete_from=_complete_from_frame(scan),
        retention=known,
        kafka_4_from_ms=kafka_4_from_ms,
        transactional=transactional,
    )


def _judged(scan: Scan, told: Told) -> JudgedRemovals:
    """Return the removals of the requested groups."""
    from tidemark_pipeline.tables.removals import JudgedRemovals

    glob = scan.reading.options.group
    wanted = re.compile(python_pattern("*" if glob is None else glob), re.DOTALL)
    rows = [each.row() for each in told.removed if wanted.fullmatch(each.group)]
    return JudgedRemovals(told.retention, rows, _complete_from_frame(scan))


def _complete_from_frame(scan: Scan) -> DataFrame:
    """Return the offset from which on each log partition is complete."""
    from tidemark_pipeline.tables.removals import COMPLETE_FROM
    from tidemark_pipeline.tables.small import table_of

    rows = [
        (number, survey.complete_from, survey.complete_from_ms)
        for number, survey in scan.reading.surveys.items()
        if survey.complete_from is not None
    ]
    return table_of(scan.spark, rows, COMPLETE_FROM)
