"""What the report shows, as plain data: collected by `collect`, drawn by `page`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

ROWS_MAX: Final = 25  # of each table that the page shows


@dataclass(slots=True, frozen=True)
class Subject:
    """What was read, and on which assumptions.

    retention_assumed  nobody gave a retention: retentions_ms has Kafka's default
    removals_retention  then a sentence about the retention that the removals were judged by
    as_of_ms       the moment that the report is about; as_of says how it was chosen
    complete_from_ms  from then on no record has been compacted away, as far as can be told; None: unknown
    remarks        directories that were passed over, tails that were left out, record types that were skipped
    """

    directories: Sequence[str]
    as_of_ms: int
    as_of: str
    retentions_ms: Sequence[int]
    log_partitions: int
    records: int
    first_ms: int | None
    complete_from_ms: int | None
    remarks: Sequence[str]
    retention_assumed: bool = False
    removals_retention: str | None = None


@dataclass(slots=True, frozen=True)
class Totals:
    """never: offsets that do not go as things stand; due, next_day: by the first of the retentions."""

    groups: int
    offsets: int
    due: int
    next_day: int
    never: int
    removed: int
    lag: int | None


@dataclass(slots=True, frozen=True)
class Count:
    """How many in the time that begins at start_ms, of one series."""

    start_ms: int
    series: str
    count: int


@dataclass(slots=True, frozen=True)
class Losing:
    """A group that loses offsets, those that go first in front. rule, sentence: of the first that goes."""

    group: str
    state: str
    offsets: int
    going: int
    expires_at_ms: int
    due: bool
    rule: str
    sentence: str


@dataclass(slots=True, frozen=True)
class Removed:
    """Offsets of a group that went at the same moment for the same cause."""

    at_ms: int
    group: str
    offsets: int
    topics: str
    cause: str
    evidence: str


@dataclass(slots=True, frozen=True)
class Lagging:
    group: str
    lag: int
    partitions: int
    worst: str
    worst_lag: int


@dataclass(slots=True, frozen=True)
class Rewound:
    at_ms: int
    group: str
    topic: str
    partition: int
    from_offset: int
    to_offset: int


@dataclass(slots=True, frozen=True)
class ReportData:
    """forecast is by the day, one series for each retention; removals by the bin, one for each cause;
    activity by the bin: "commits", "rebalances". Bins are removals_bin_ms and activity_bin_ms wide.

    Of losing, removed, lagging and rewinds there may be ROWS_MAX + 1: the last one is not shown, but says
    that there are more.
    """

    subject: Subject
    totals: Totals
    forecast: Sequence[Count]
    losing: Sequence[Losing]
    removals: Sequence[Count]
    removals_bin_ms: int
    removed: Sequence[Removed]
    lagging: Sequence[Lagging]
    activity: Sequence[Count]
    activity_bin_ms: int
    rewinds: Sequence[Rewound]
