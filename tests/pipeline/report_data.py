"""Data of a report, made by hand, for tests of the page."""

from __future__ import annotations

from typing import Final

from tidemark_pipeline.report.data import (
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
        complete_from_ms=None,
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
