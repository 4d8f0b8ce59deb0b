"""The tables by the names of their commands: what each is made of, and in which order a person reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tidemark_pipeline.reading import Scan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BY_OFFSET: Final = ("topic", "partition")
BY_LOG: Final = ("log_partition", "log_offset")
PENDING: Final = "log_partition int, `group` string, topic string, partition int"


@dataclass(slots=True, frozen=True)
class Command:
    """table: what --out gets. order: columns by which it is sorted, a minus in front for the largest first.
    as_it_comes: --out keeps the order of the scan, which is that of the log, for what is as long as the log.
    """

    table: Callable[[Scan], DataFrame]
    order: Sequence[str]
    as_it_comes: bool = False


def _history(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.history import offset_history

    return offset_history(scan.offsets(transactions=scan.reading.options.transactions))


def _groups(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.history import group_history

    return group_history(scan.groups())


def _current(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.current import current_offsets

    return current_offsets(scan.offsets(latest_only=True))


def _timeline(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.timeline import group_timeline

    return group_timeline(scan.groups())


def _forecast(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.forecast import expiry_forecast
    from tidemark_pipeline.tables.groups import current_groups

    return expiry_forecast(
        _current(scan),
        current_groups(scan.groups()),
        pending(scan),
        retention_ms=scan.reading.options.retention_ms,
        as_of_ms=scan.reading.as_of_ms,
    )


def _removals(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.removals import removals

    return removals(
        scan.offsets(),
        scan.groups(),
        topic_events=topic_events_frame(scan),
        complete_from=complete_from_frame(scan),
        retention_ms=scan.reading.options.retention_ms,
    )


def pending(scan: Scan) -> DataFrame:
    """What open transactions are about to replace. Only what lies behind their first batches is read."""
    from tidemark_pipeline.tables.current import pending_offsets

    begun = scan.reading.open_from()
    if not begun:
        return scan.spark.createDataFrame([], PENDING)
    behind = {
        "log_partitions": ",".join(map(str, begun)),
        "offsets": {str(number): [first, None] for number, first in begun.items()},
    }
    return pending_offsets(scan.offsets(transactions="open", **behind), scan.offsets(**behind))


def topic_events_frame(scan: Scan) -> DataFrame:
    """What the metadata log in the directories tells of topics."""
    from tidemark_pipeline.metadata_log import topic_events
    from tidemark_pipeline.tables.removals import TOPIC_EVENTS

    rows = [
        (event.topic, event.topic_id, event.event, event.timestamp_ms, event.log_offset)
        for event in topic_events(scan.reading.options.log_dirs)
    ]
    return scan.spark.createDataFrame(rows, TOPIC_EVENTS)


def complete_from_frame(scan: Scan) -> DataFrame:
    """From which offset on each log partition is whole."""
    from tidemark_pipeline.tables.removals import COMPLETE_FROM

    rows = [
        (number, survey.complete_from, survey.complete_from_ms)
        for number, survey in scan.reading.surveys.items()
        if survey.complete_from is not None
    ]
    return scan.spark.createDataFrame(rows, COMPLETE_FROM)


def _lag(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.lag import lag

    return lag(_current(scan), log_ends_frame(scan))


def _rates(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.rates import commit_rates

    return commit_rates(scan.offsets())


def _rewinds(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.rewinds import rewinds

    return rewinds(scan.offsets())


def log_ends_frame(scan: Scan) -> DataFrame:
    """Start and end of every partition of user topics in the directories."""
    from tidemark_pipeline.log_ends import log_ends

    rows = [
        (end.topic, end.partition, end.log_start_offset, end.log_end_offset)
        for end in log_ends(scan.reading.options.log_dirs)
    ]
    columns = "topic string, partition int, log_start_offset bigint, log_end_offset bigint"
    return scan.spark.createDataFrame(rows, columns)


COMMANDS: Final = {
    "history": Command(_history, BY_LOG, as_it_comes=True),
    "groups": Command(_groups, BY_LOG, as_it_comes=True),
    "current": Command(_current, ("group", *BY_OFFSET)),
    "timeline": Command(_timeline, ("group", *BY_LOG)),
    "forecast": Command(_forecast, ("expires_at_ms", "group", *BY_OFFSET, "retention_ms")),
    "removals": Command(_removals, ("removed_at_ms", *BY_LOG)),
    "lag": Command(_lag, ("group", *BY_OFFSET)),
    "rates": Command(_rates, ("group", "minute_ms")),
    "rewinds": Command(_rewinds, BY_LOG),
}
