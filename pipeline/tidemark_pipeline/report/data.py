"""The data of the report: collected by `collect`, drawn by `page`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidemark_pipeline.retention import Retention

ROWS_MAX: Final = 25  # rows that the page shows of each table


@dataclass(slots=True, frozen=True)
class Subject:
    """The input of the report and its assumptions.

    as_of_ms            the time of the report; as_of says how it was chosen
    complete_from_ms    from then on no record was compacted away; None: not known
    remarks             directories that were not read, ignored tails, unknown record types
    """

    directories: Sequence[str]
    as_of_ms: int
    as_of: str
    retention: Retention
    log_partitions: int
    records: int
    first_ms: int | None
    complete_from_ms: int | None
    remarks: Sequence[str]


@dataclass(slots=True, frozen=True)
class Totals:
    """never: offsets that do not expire. due, next_day: under the first of the retentions."""

    groups: int
    offsets: int
    due: int
    next_day: int
    never: int
    removed: int
    lag: int | None


@dataclass(slots=True, frozen=True)
class Count:
    """A count of one series in the bin that begins at start_ms."""

    start_ms: int
    series: str
    count: int


@dataclass(slots=True, frozen=True)
class Losing:
    """A group that loses offsets. rule and sentence are those of its first offset that expires."""

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
    """Offsets of a group that were removed at the same time for the same cause."""

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
    """The data of the page.

    forecast has a bin per day and a series per retention; removals a series per cause; activity the series
    "commits" and "rebalances". Bins are removals_bin_ms and activity_bin_ms wide. losing, removed, lagging
    and rewinds may have ROWS_MAX + 1 rows: the last one is not shown, but says that there are more.
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
