"""The commands: the inputs, the order and the printed columns of each table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tidemark_pipeline.cli.options import Options
from tidemark_pipeline.cli.reading import RECONSTRUCTING, Scan
from tidemark_pipeline.cli.show import RETENTION_MS
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.tables.columns import TABLES, names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


OF_WHOM: Final = ("group", "topic", "partition")
BY_LOG: Final = ("log_partition", "log_offset")
PENDING: Final = "log_partition int, `group` string, topic string, partition int"


@dataclass(slots=True, frozen=True)
class Command:
    """A command.

    order        the columns that the output is sorted by
    shown        the columns that are printed by default
    as_it_comes  --out keeps the order of the log, for tables as long as the log
    """

    table: Callable[[Scan], DataFrame]
    name: str
    order: Sequence[str]
    shown: Sequence[str]
    as_it_comes: bool = False


def shown_columns(options: Options) -> Sequence[str]:
    """Return the columns to print. Raises PipelineError for a column that the table does not have."""
    command = COMMANDS[options.command]
    every = names(TABLES[command.name])
    if options.columns is None:
        several = options.command == "forecast" and len(options.retention.forecast_ms) > 1
        return (*command.shown[:1], RETENTION_MS, *command.shown[1:]) if several else command.shown
    unknown = [name for name in options.columns if name not in every]
    if options.columns == ("all",):
        return every
    if unknown:
        raise PipelineError(
            f"{options.command} has no column {unknown[0]}; its columns are {', '.join(every)}"
        )
    return options.columns


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

    groups = scan.kept_groups
    scan.progress.step(RECONSTRUCTING)
    return group_timeline(groups)


def _forecast(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.forecast import expiry_forecast
    from tidemark_pipeline.tables.groups import current_groups

    known = scan.retention
    current, groups_now, pending_now = _current(scan), current_groups(scan.kept_groups), pending(scan)
    scan.progress.step(RECONSTRUCTING)
    return expiry_forecast(current, groups_now, pending_now, retention=known, as_of_ms=scan.reading.as_of_ms)


def pending(scan: Scan) -> DataFrame:
    """Return the offsets that open transactions may replace. Reads from the first batches of these."""
    from tidemark_pipeline.tables.current import pending_offsets
    from tidemark_pipeline.tables.small import table_of

    begun = scan.reading.open_from()
    if not begun:
        return table_of(scan.spark, [], PENDING)
    behind: dict[str, Any] = {
        "log_partitions": ",".join(map(str, begun)),
        "offsets": {str(number): [first, None] for number, first in begun.items()},
    }
    return pending_offsets(scan.offsets(transactions="open", **behind), scan.offsets(**behind))


def _lag(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.lag import lag

    return lag(_current(scan), log_ends_frame(scan))


def _rates(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.rates import commit_rates

    return commit_rates(scan.offsets())


def _rewinds(scan: Scan) -> DataFrame:
    from tidemark_pipeline.tables.rewinds import rewinds

    return rewinds(scan.changes())


def log_ends_frame(scan: Scan) -> DataFrame:
    """Return start and end of every partition of user topics that is known."""
    from tidemark_pipeline.tables.small import table_of

    rows = [(end.topic, end.partition, end.log_start_offset, end.log_end_offset) for end in scan.log_ends()]
    columns = "topic string, partition int, log_start_offset bigint, log_end_offset bigint"
    return table_of(scan.spark, rows, columns)


COMMANDS: Final = {
    "history": Command(
        _history,
        "offset_history",
        order=BY_LOG,
        shown=(*BY_LOG, "record_timestamp_ms", *OF_WHOM, "committed_offset", "transactional", "metadata"),
        as_it_comes=True,
    ),
    "groups": Command(
        _groups,
        "group_history",
        order=BY_LOG,
        shown=(*BY_LOG, "record_timestamp_ms", "group", "record_type", "member_id", "tombstone"),
        as_it_comes=True,
    ),
    "current": Command(
        _current,
        "current_offsets",
        order=OF_WHOM,
        shown=(*OF_WHOM, "committed_offset", "commit_timestamp_ms", "leader_epoch", "metadata"),
    ),
    "timeline": Command(
        _timeline,
        "group_timeline",
        order=("group", *BY_LOG),
        shown=(
            "at",
            "group",
            "group_type",
            "what",
            "state",
            "previous_state",
            "epoch",
            "members",
            "protocol",
        ),
    ),
    "forecast": Command(
        _forecast,
        "expiry_forecast",
        order=("expires_at_ms", *OF_WHOM, "retention_ms"),
        shown=("expires_at", *OF_WHOM, "rule", "due", "sentence"),
    ),
    "removals": Command(
        lambda scan: scan.removals.table,
        "removals",
        order=("removed_at_ms", *BY_LOG),
        shown=("removed_at", *OF_WHOM, "committed_offset", "inferred_cause", "certainty", "evidence"),
    ),
    "lag": Command(
        _lag,
        "lag",
        order=OF_WHOM,
        shown=(*OF_WHOM, "committed_offset", "log_start_offset", "log_end_offset", "lag", "position"),
    ),
    "rates": Command(
        _rates,
        "commit_rates",
        order=("minute_ms", "group"),
        shown=("minute", "group", "commits", "partitions", "tombstones"),
    ),
    "rewinds": Command(
        _rewinds,
        "rewinds",
        order=BY_LOG,
        shown=("at", *OF_WHOM, "from_offset", "to_offset", "by"),
    ),
}
