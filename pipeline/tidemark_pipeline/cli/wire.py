"""The input of a command: a running cluster.

A consumer sees less than a directory holds: no batches, no producers, no markers, and no record after the
beginning of an open transaction. Each of these is said where it matters; docs/pipeline.md lists them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli import reading, session
from tidemark_pipeline.cli.options import WITH_RETENTION, Options
from tidemark_pipeline.cli.words import count_text, printable
from tidemark_pipeline.logs.cluster import Cluster
from tidemark_pipeline.logs.directories import OFFSETS_TOPIC, Found
from tidemark_pipeline.model import NoSuchGroup, OffsetsLog, PipelineError, Survey
from tidemark_protocol.java import partition_of_group

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidemark_pipeline.cli.progress import Progress
    from tidemark_pipeline.logs.log_ends import LogEnd
    from tidemark_pipeline.logs.metadata_log import TopicEvent
    from tidemark_pipeline.report.coverage import Coverage
    from tidemark_pipeline.source.kafka import Admin, PartitionEnds

SMALL_RECORDS: Final = 200_000  # some 30 MB
KEY_VERSIONS: Final = range(24)  # of offset commits and groups


@dataclass(frozen=True)
class ClusterReading(reading.Reading):
    """A cluster, read up to its end. has_transactions: it may have had some."""

    has_transactions: bool = False

    @property
    def absent(self) -> frozenset[int]:
        return frozenset()

    @property
    def is_small(self) -> bool:
        return False  # Spark has read it

    @property
    def read_logs(self) -> dict[int, OffsetsLog]:
        return {
            number: OffsetsLog(number, f"{OFFSETS_TOPIC}-{number}", (), -1, survey.next_offset)
            for number, survey in self.surveys.items()
        }

    def unknown_group(self, name: str, names: Collection[str]) -> NoSuchGroup:
        own = partition_of_group(name, self.log_partitions)
        said = f"No group {printable(name)} in {OFFSETS_TOPIC}-{own}, where its records would be"
        close = get_close_matches(name, names, reading.SUGGESTIONS)
        return NoSuchGroup(f"{said}; did you mean {', '.join(map(printable, close))}?" if close else said)

    def coverage(self, log_partition: int | None = None) -> Coverage:
        return replace(super().coverage(log_partition), perhaps_cleaned=self.has_transactions)


@dataclass(frozen=True)
class ClusterScan(reading.Scan):
    """The tables of a cluster. records: of all log partitions that are read, once.

    counts: of each log partition, named as in the table `segments`.
    """

    records: DataFrame | None = None
    counts: Sequence[Mapping[str, Any]] = ()
    has_transactions: bool = True

    @property
    def segments(self) -> list[Mapping[str, Any]]:
        return list(self.counts)

    @property
    def told(self) -> None:
        """Return nothing: Spark has the records. `tidemark explain-log` explains a group of a cluster."""

    def topic_events(self) -> tuple[Sequence[TopicEvent], int | None]:
        """Return nothing: the log of the controller, which has them, is no topic that clients read."""
        return [], None

    def log_ends(self) -> Sequence[LogEnd]:
        from tidemark_pipeline.source.kafka import Admin

        topics = self.offsets().select("topic").distinct().collect()
        with Admin(self.spark, _cluster(self.reading.options)) as admin:
            return admin.log_ends([row.topic for row in topics])

    def transactional_groups(self) -> DataFrame:
        """Return all groups of log partitions that lack offsets, which may be of transactions."""
        from tidemark_pipeline.tables.small import table_of

        lacking = [
            (number,)
            for number, survey in self.reading.surveys.items()
            if self.has_transactions and survey.complete_from != survey.first_offset
        ]
        found = table_of(self.spark, lacking, "log_partition int")
        return self.offsets().join(found, "log_partition").select("log_partition", "group").distinct()

    def _table(self, name: str, **_: Any) -> DataFrame:
        """Return a table. Its transactions were chosen when the records were read."""
        from pyspark.sql.functions import col

        from tidemark_pipeline.source.decoded import decode_groups, decode_offsets

        assert self.records is not None
        group = self.reading.options.group
        rows = (decode_offsets if name == "offsets" else decode_groups)(self.records)
        rows = rows.where(col("record_timestamp_ms") <= self.reading.as_of_ms)
        exact = reading.exact_name(group)
        return reading.of_groups(rows, group) if exact is None else rows.where(col("group") == exact)


def begin(spark: SparkSession, options: Options, now_ms: int, progress: Progress) -> ClusterScan:
    """Read the cluster up to its current end, once.

    Raises PipelineError: no permission, no leader, no records; NoSuchGroup. Kafka's exceptions are not
    explained: see `Cluster.explained`.
    """
    from tidemark_pipeline.source.kafka import Admin, records
    from tidemark_pipeline.tables.small import is_small, kept

    cluster = _cluster(options)
    committed = options.transactions == "committed"
    progress.step("asking the cluster")
    with Admin(spark, cluster) as admin:
        partitions = offsets_partitions(admin, options.group)
        ends = admin.ends(OFFSETS_TOPIC, partitions.read)
        has_transactions = admin.has_transactions()
        if options.command in WITH_RETENTION and not options.retention.is_known:
            options = replace(options, retention=admin.retention() or options.retention)
        names = admin.group_names() if options.group else []
    wanted = sum(each.end - each.start for each in ends.values())
    progress.step(f"reading at most {count_text(wanted, 'record')}")
    found = records(spark, cluster, ends, committed=committed)
    if wanted > SMALL_RECORDS and is_small(spark):
        for name, value in session.AT_LENGTH.items():
            spark.conf.set(name, value)
    found = kept(found)
    surveys, counts = _surveyed(found, ends, committed=committed)
    is_empty = not any(survey.newest_timestamp_ms >= 0 for survey in surveys.values())
    if is_empty and options.as_of == "log" and options.group is None:
        raise PipelineError(reading.EMPTY)
    as_of = "now" if is_empty else options.as_of
    as_of_ms = reading.newest_ms(surveys) if as_of == "log" else now_ms if as_of == "now" else as_of
    read = ClusterReading(
        options,
        Found({}, group_partition_count=partitions.count),
        surveys,
        as_of_ms,
        [*_unread(ends, committed=committed)],
        has_transactions=has_transactions,
    )
    scan = ClusterScan(spark, read, progress, records=found, counts=counts, has_transactions=has_transactions)
    _check_group(scan, names)
    return scan


def _cluster(options: Options) -> Cluster:
    assert options.cluster is not None
    return options.cluster


@dataclass(slots=True, frozen=True)
class OffsetsPartitions:
    """The number of log partitions, and those to read."""

    count: int
    read: Collection[int]


def offsets_partitions(admin: Admin, group: str | None) -> OffsetsPartitions:
    """Return the log partitions to read: one, if one group was requested.

    Raises PipelineError if one of them has no leader.
    """
    leaders = admin.topic_partitions([OFFSETS_TOPIC])[OFFSETS_TOPIC]
    exact = reading.exact_name(group)
    read = sorted(leaders) if exact is None else [partition_of_group(exact, len(leaders))]
    without = [number for number in read if not leaders[number]]
    if without:
        shown = ", ".join(f"{OFFSETS_TOPIC}-{number}" for number in without[: reading.SUGGESTIONS])
        more = len(without) - reading.SUGGESTIONS
        raise PipelineError(
            f"{shown}{f' and {more} more' if more > 0 else ''} cannot be read: no broker leads "
            f"{'it' if len(without) == 1 else 'them'} now. Wait until its brokers run, or read another group "
            "with --group"
        )
    return OffsetsPartitions(len(leaders), read)


def _surveyed(
    records: DataFrame, ends: Mapping[int, PartitionEnds], *, committed: bool
) -> tuple[dict[int, Survey], list[Mapping[str, Any]]]:
    """Return the survey and the counts of each log partition.

    Offsets that are missing before a record are of compaction or of transactions. Those after the last record
    are of transactions: the cleaner leaves the active segment as it is.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F
    from pyspark.sql.functions import col

    before = F.lag("offset").over(Window.partitionBy("partition").orderBy("offset"))
    place = F.struct("offset", "timestamp")
    version = F.conv(F.hex(F.substring("key", 1, 2)), 16, 10).cast("int")
    known = F.coalesce(version < KEY_VERSIONS.stop, F.lit(True))
    rows = (
        records.withColumn("before", before)
        .withColumn("unknown", F.when(~known, version))
        .groupBy("partition", "unknown")
        .agg(
            F.count("*").alias("records"),
            F.min(place).alias("first"),
            F.max("timestamp").alias("newest_ms"),
            F.max(F.when(col("before") + 1 != col("offset"), place)).alias("complete_from"),
        )
        .collect()
    )
    surveys: dict[int, Survey] = {}
    counts: list[Mapping[str, Any]] = []
    for number, each in ends.items():
        own = [row for row in rows if row.partition == number]
        first = min((row.first for row in own), default=None)
        gaps = [row.complete_from for row in own if row.complete_from is not None]
        complete_from = max(gaps, default=first)
        end = each.stable if committed else each.end
        surveys[number] = Survey(
            number,
            {},
            end,
            end,
            max((row.newest_ms for row in own), default=-1),
            first_offset=None if first is None else first.offset,
            first_timestamp_ms=-1 if first is None else first.timestamp,
            complete_from=None if complete_from is None else complete_from.offset,
            complete_from_ms=-1 if complete_from is None else complete_from.timestamp,
        )
        unknown = ", ".join(f"{row.unknown}: {row.records}" for row in own if row.unknown is not None)
        counts.append({"records": sum(row.records for row in own), "skipped_types": unknown})
    return surveys, counts


def _unread(ends: Mapping[int, PartitionEnds], *, committed: bool) -> Sequence[str]:
    """Return a sentence for each part of a log partition that is not read."""
    said = []
    for number, each in ends.items():
        place = f"{OFFSETS_TOPIC}-{number}"
        if each.start > 0:
            said.append(f"{place}: the log begins at offset {each.start}: earlier records were deleted")
        if committed and each.stable < each.end:
            said.append(
                f"{place}: a transaction is open since offset {each.stable}, and brokers send no committed "
                f"record after it: {count_text(each.end - each.stable, 'offset')} from there on are not read"
            )
    return said


def _check_group(scan: ClusterScan, names: Collection[str]) -> None:
    """Raise NoSuchGroup if --group matches no group. names: of the groups that the cluster has now."""
    glob = scan.reading.options.group
    if glob is None:
        return
    if any(table.select("group").limit(1).collect() for table in (scan.offsets(), scan.groups())):
        return
    if reading.exact_name(glob) is not None:
        raise scan.reading.unknown_group(glob, names)
    raise NoSuchGroup(f"No group in this log matches {printable(glob)}")
