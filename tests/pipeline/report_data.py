"""Data of a report, made by hand, for tests of the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidemark_pipeline.report.coverage import Coverage
from tidemark_pipeline.report.data import (
    LOST_MAX,
    PARTITIONS_MAX,
    ROWS_MAX,
    Behind,
    Cause,
    Coming,
    Count,
    Expiring,
    Lag,
    Lagging,
    Losing,
    LostGroup,
    LostOffset,
    Rebalanced,
    Removed,
    ReportData,
    Rewind,
    Rewound,
    Subject,
    Totals,
)
from tidemark_pipeline.report.words import DAY_MS
from tidemark_pipeline.retention import Retention

NOW_MS: Final = 1_795_262_400_000  # 2026-11-21 12:00:00 UTC
HOUR_MS: Final = 3_600_000
HOSTILE: Final = '</script><script>alert("x")</script>\''
TOPIC: Final = "orders & <b>more</b>"


def lost_offset(partition: int = 0, at_ms: int = NOW_MS - HOUR_MS, **given: object) -> LostOffset:
    values = {
        "offset": 82,
        "cause": "expired",
        "possible": ("expired",),
        "rule": "group_empty",
        "evidence": f"rule group_empty: due {partition}.5 s before <then>",
        **given,
    }
    return LostOffset(TOPIC, partition, removed_at_ms=at_ms, **values)  # type: ignore[arg-type]


DATA: Final = ReportData(
    subject=Subject(
        directories=("/disk1",),
        as_of_ms=NOW_MS,
        as_of="the newest record",
        retention=Retention.assumed(),
        log_partitions=4,
        records=1234,
        first_ms=NOW_MS - DAY_MS,
        coverage=Coverage(NOW_MS, None, NOW_MS - DAY_MS),
        remarks=("A remark.",),
    ),
    removed=Removed(
        [Cause("expired", "group_empty", ("expired",), 2)], NOW_MS - 2 * HOUR_MS, NOW_MS - HOUR_MS
    ),
    coming=Coming(groups=3, losing=1, offsets=40, next_day=3, next_day_groups=1, never=37),
    lag=Lag(groups=1, records=99, known=40),
    totals=Totals(rewound=1, rewound_groups=1, rebalanced=1, rebalances=5),
    lost=[LostGroup(HOSTILE, [lost_offset(0), lost_offset(1)], "a,orders,0,82\na,orders,1,82\n")],
    lost_is_cut=False,
    forecast=(Count(NOW_MS, "10080 (7 d), assumed", 3),),
    losing=(
        Losing(
            HOSTILE,
            "Empty",
            4,
            3,
            0,
            3,
            [Expiring(TOPIC, each, NOW_MS + 5_400_000, False, "group_empty") for each in range(3)],
            f"Group {HOSTILE} expires at 2026-11-21T13:30:00.250Z.",
        ),
    ),
    removals=(Count(NOW_MS, "expired", 2),),
    removals_bin_ms=DAY_MS,
    lagging=(
        Lagging("slow\u202e", 99, 2, [Behind("orders", 1, 60, "within"), Behind("orders", 0, 39, "within")]),
    ),
    activity=(Count(NOW_MS, "commits", 3), Count(NOW_MS, "rebalances", 1)),
    activity_bin_ms=60_000,
    rewinds=(Rewound(NOW_MS, "", 1, 60, [Rewind("orders", 0, 100, 40)]),),
    rebalanced=(Rebalanced("busy", 5, NOW_MS),),
)


PARTS: Final = range(PARTITIONS_MAX)


def _losing(name: str, first_ms: int) -> Losing:
    first = [Expiring("orders", at, first_ms + at * HOUR_MS, False, "standalone") for at in PARTS]
    sentence = f"Group {name} has no members, so the age of orders-0 counts from its commit. " * 3
    return Losing(name, "Empty", 20, 20, 0, 1, first, sentence)


def _rewound(name: str, at_ms: int) -> Rewound:
    return Rewound(at_ms, name, len(PARTS), 60, [Rewind("orders", at, 10_000, 40) for at in PARTS])


def at_the_bounds(groups: int = ROWS_MAX) -> ReportData:
    """Return data with so many groups in each table, and at most as many offsets as the page has."""
    names = [f"search-indexer-prod-{each:04}" for each in range(groups)]
    each_lost = LOST_MAX // groups
    lost = [
        LostGroup(
            name,
            [lost_offset(at, NOW_MS - each * 60_000) for at in range(each_lost)],
            "".join(f"{name},orders,{at},82\n" for at in range(each_lost)),
        )
        for each, name in enumerate(names)
    ]
    return replace(
        DATA,
        removed=Removed([Cause("expired", "group_empty", ("expired",), LOST_MAX)], NOW_MS, NOW_MS),
        coming=Coming(groups, groups, groups * 20, next_day=groups, next_day_groups=groups),
        lost=lost,
        losing=[_losing(name, NOW_MS + each * 60_000) for each, name in enumerate(names)],
        lag=Lag(groups, groups * 60, groups),
        lagging=[
            Lagging(name, groups - each, len(PARTS), [Behind("orders", at, 60, "within") for at in PARTS])
            for each, name in enumerate(names)
        ],
        totals=Totals(groups, groups, groups, groups),
        rewinds=[_rewound(name, NOW_MS - each * 1000) for each, name in enumerate(names)],
        rebalanced=[Rebalanced(name, 5, NOW_MS) for name in names],
    )  # fmt: skip
