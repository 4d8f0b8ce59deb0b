"""The data of the report: collected by `collect`, put into sentences by `verdict`, drawn by `page`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidemark_pipeline.report.coverage import Coverage
from tidemark_pipeline.retention import Retention

# The page has less than 10 MB if all of these are reached.
ROWS_MAX: Final = 2_000  # of each table
PARTITIONS_MAX: Final = 10  # in one row
LOST_MAX: Final = 10_000  # removed offsets, which are also rows of reset files


@dataclass(slots=True, frozen=True)
class Told:
    """The verdict about one group: the answer, what happened in order, what is stored when the log ends, and
    what the log cannot say.
    """

    headline: str
    events: Sequence[tuple[int, str]]
    now: Sequence[str]
    limits: Sequence[str] = ()


@dataclass(slots=True, frozen=True)
class Subject:
    """The input of the report and its assumptions.

    as_of_ms          the time of the report; as_of says how it was chosen
    retention         of the causes and of the forecast; if several, `coming` and `losing` have the first
    first_ms          the oldest record; None: no records
    coverage          the part of the history that the directories hold
    told              what happened to the one group, in order, with times; None: not known, or of several
    group             the report is about groups that match this pattern; None: all
    remarks           directories that were not read, ignored tails, unknown record types
    """

    directories: Sequence[str]
    as_of_ms: int
    as_of: str
    retention: Retention
    log_partitions: int
    records: int
    first_ms: int | None
    coverage: Coverage
    remarks: Sequence[str] = ()
    group: str | None = None
    told: Told | None = None


@dataclass(slots=True, frozen=True)
class Cause:
    """The number of removed offsets with the same cause.

    cause: a name of report.verdict.CAUSES. rule: the expiry rule; None: not known. possible: the possible
    causes; several if the cause is unknown or likely.
    """

    cause: str
    rule: str | None
    possible: Sequence[str]
    offsets: int


@dataclass(slots=True, frozen=True)
class Removed:
    """All removals in the log. first_ms, last_ms: 0 if there are none."""

    causes: Sequence[Cause] = ()
    first_ms: int = 0
    last_ms: int = 0

    @property
    def offsets(self) -> int:
        return sum(each.offsets for each in self.causes)


@dataclass(slots=True, frozen=True)
class Coming:
    """All committed offsets, by when they expire.

    groups        groups with committed offsets
    losing        groups with offsets that expire at some time
    due           overdue: the next cleanup pass removes them
    next_day      expire within a day, without those due
    never         offsets that do not expire
    """

    groups: int = 0
    losing: int = 0
    offsets: int = 0
    due: int = 0
    due_groups: int = 0
    next_day: int = 0
    next_day_groups: int = 0
    never: int = 0


@dataclass(slots=True, frozen=True)
class Count:
    """A count of one series in the bin that begins at start_ms."""

    start_ms: int
    series: str
    count: int


@dataclass(slots=True, frozen=True)
class LostOffset:
    """The last removal of a group's offset in one partition.

    offset     None: the log has the commit no more
    times      how often it was removed
    left_out   why the reset file omits it; None: the file has it
    likely     why it has likely expired, though other causes are possible; None: it is certain, or unknown
    """

    topic: str
    partition: int
    offset: int | None
    removed_at_ms: int
    cause: str
    possible: Sequence[str]
    rule: str | None
    evidence: str
    times: int = 1
    committed_again: bool = False
    left_out: str | None = None
    likely: str | None = None


@dataclass(slots=True, frozen=True)
class LostGroup:
    """The removed offsets of a group, and the content of its reset file."""

    group: str
    offsets: Sequence[LostOffset]
    reset_csv: str


@dataclass(slots=True, frozen=True)
class Expiring:
    """An offset that expires."""

    topic: str
    partition: int
    expires_at_ms: int
    due: bool
    rule: str


@dataclass(slots=True, frozen=True)
class Losing:
    """A group that loses offsets, the earliest first, at most PARTITIONS_MAX.

    offsets: all of the group. going, due, next_day: those that expire, as in Coming. sentence: of the first.
    """

    group: str
    state: str
    offsets: int
    going: int
    due: int
    next_day: int
    first: Sequence[Expiring]
    sentence: str


@dataclass(slots=True, frozen=True)
class Behind:
    """position: of the committed offset in the log of its partition, as in the table `lag`."""

    topic: str
    partition: int
    lag: int
    position: str


@dataclass(slots=True, frozen=True)
class Lagging:
    """A group that lags. worst: the partitions with the largest lag, at most PARTITIONS_MAX."""

    group: str
    lag: int
    partitions: int
    worst: Sequence[Behind]


@dataclass(slots=True, frozen=True)
class Lag:
    """groups, records: of all groups that lag. known: offsets whose partition was found."""

    groups: int = 0
    records: int = 0
    known: int = 0


@dataclass(slots=True, frozen=True)
class Rewind:
    topic: str
    partition: int
    from_offset: int
    to_offset: int


@dataclass(slots=True, frozen=True)
class Rewound:
    """Offsets of a group that were rewound at the same time. first: at most PARTITIONS_MAX."""

    at_ms: int
    group: str
    offsets: int
    records: int
    first: Sequence[Rewind]


@dataclass(slots=True, frozen=True)
class Rebalanced:
    group: str
    rebalances: int
    last_ms: int


@dataclass(slots=True, frozen=True)
class Totals:
    """The length of each list, also of the rows that the page does not have."""

    rewound: int = 0
    rewound_groups: int = 0
    rebalanced: int = 0
    rebalances: int = 0


@dataclass(slots=True, frozen=True)
class ReportData:
    """The data of the page.

    lost             groups by their last removal, latest first; offsets that were not committed again first
    lost_is_cut      there are more than LOST_MAX removed offsets: lost has the latest
    forecast         a bin per day, a series per retention
    removals         a series per cause, in bins of removals_bin_ms
    activity         the series "commits" and "rebalances", in bins of activity_bin_ms
    losing, lagging, rewinds, rebalanced    at most ROWS_MAX rows
    """

    subject: Subject
    removed: Removed
    coming: Coming
    lag: Lag
    totals: Totals
    lost: Sequence[LostGroup]
    lost_is_cut: bool
    forecast: Sequence[Count]
    losing: Sequence[Losing]
    removals: Sequence[Count]
    removals_bin_ms: int
    lagging: Sequence[Lagging]
    activity: Sequence[Count]
    activity_bin_ms: int
    rewinds: Sequence[Rewound]
    rebalanced: Sequence[Rebalanced]
