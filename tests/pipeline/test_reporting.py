"""The data of the report, of a log of which is known what expires, lags, rewinds and was removed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.pipeline.known_log import FLEET, HOUR, LEFT, MINUTE, QUOTED, RETENTION, STORY, told
from tests.pipeline.report_data import NOW_MS
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.reporting import bin_ms, coarse
from tidemark_pipeline.report.data import Count

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DAYS: Final = 24 * HOUR


@pytest.fixture(scope="module")
def made(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """Return the data as JSON, and the page."""
    assert spark  # `main` uses the session of the tests
    place: Path = tmp_path_factory.mktemp("report")
    log = told(place / "log", NOW_MS)
    page = place / "page.html"
    with pytest.MonkeyPatch.context() as patch, (place / "out").open("w+", encoding="utf-8") as out:
        patch.setattr("sys.stdout", out)
        command = ["report", "--log-dir", str(log), "--as-of", str(NOW_MS), *RETENTION, "--json"]
        assert main([*command, "--out", str(page)]) == 0
        out.seek(0)
        return json.loads(out.read()), page.read_text("utf-8")


pytestmark = [pytest.mark.slow, pytest.mark.java]


def test_removals_are_counted_and_listed_by_group(made: tuple[dict[str, Any], str]) -> None:
    data, _ = made
    causes = {
        (each["cause"], *sorted(each["possible"])): each["offsets"] for each in data["removed"]["causes"]
    }
    assert causes == {("expired", "expired"): 2, ("unknown", "group_delete", "offset_delete"): 1}
    assert data["removed"]["first_ms"] == NOW_MS - 30 * MINUTE
    assert data["removed"]["last_ms"] == NOW_MS - 10 * MINUTE
    assert sum(each["count"] for each in data["removals"]) == 3
    # Those that were committed again come last, and have no reset file.
    assert {each["group"]: each["reset_csv"] for each in data["lost"]} == {
        "expired": "orders,0,999\n",
        "forgotten": "orders,0,999\n",
        "returned": "",
    }
    assert [each["group"] for each in data["lost"]] == ["expired", "forgotten", "returned"]


def test_offsets_that_expire_are_counted_by_group(made: tuple[dict[str, Any], str]) -> None:
    data, _ = made
    groups = {group for group, _, _ in LEFT}
    assert data["coming"] == {
        "groups": len(groups),
        "losing": len(groups),
        "offsets": len(LEFT),
        "due": 1,
        "due_groups": 1,
        "next_day": len(LEFT) - 1,
        "next_day_groups": len(groups),
        "never": 0,
    }
    first = data["losing"][0]
    assert (first["group"], first["offsets"], first["due"], first["next_day"]) == ("going", 4, 1, 3)
    assert [(each["topic"], each["partition"]) for each in first["first"]] == [
        ("orders", 0),
        ("orders", 1),
        ("payments", 0),
        ("payments", 1),
    ]
    assert [each["expires_at_ms"] for each in first["first"]] == [
        NOW_MS + DAYS + committed for committed, group, *_ in STORY if group == "going"
    ]
    assert sum(each["count"] for each in data["forecast"]) == len(LEFT)


def test_lag_and_rewinds_are_those_of_the_log(made: tuple[dict[str, Any], str]) -> None:
    data, _ = made
    lags = {each["group"]: each["lag"] for each in data["lagging"]}
    assert lags == {"behind": 1400, "going": 20, "rewinder": 15, QUOTED: 2}
    assert list(lags.values()) == sorted(lags.values(), reverse=True)
    orders = sum(topic == "orders" for _, topic, _ in LEFT)
    assert data["lag"] == {"groups": 4, "records": 1437, "known": orders}
    assert [each["lag"] for each in data["lagging"][0]["worst"]] == [900, 500]
    rewinds = [
        (each["at_ms"] - NOW_MS, each["group"], each["records"], each["first"][0]["from_offset"])
        for each in data["rewinds"]
    ]
    assert rewinds == [
        (-80 * MINUTE, "rewinder", 5, 990),
        (-90 * MINUTE, "rewinder", 9, 999),
        (-9 * HOUR, QUOTED, 1, 999),
    ]
    assert data["totals"] == {"rewound": 3, "rewound_groups": 2, "rebalanced": 0, "rebalances": 0}


def test_commits_are_counted_over_time(made: tuple[dict[str, Any], str]) -> None:
    commits = sum(offset is not None for *_, offset in STORY)
    assert sum(each["count"] for each in made[0]["activity"]) == commits


def test_the_page_says_the_same(made: tuple[dict[str, Any], str]) -> None:
    page = made[1]
    for said in (
        "2 committed offsets are lost, 2 groups went back to lower offsets, "
        f"{len(LEFT)} more expire within a day.",
        "3 committed offsets were removed between 2026-11-21 11:30 and 2026-11-21 11:50 UTC: 2 expired 1 day "
        "after the commit in groups that never had members, 1 was deleted by request. 2 offsets "
        "of 2 groups are still missing when the log ends. All of them can be given back.",
        "1 more is overdue, in group going: the next cleanup pass removes it.",
        f"{len(LEFT) - 1} more expire within a day, the first in 1 h, in groups going, fleet-00, "
        "fleet-01 and",
        f" and {FLEET + 2} more.",
        f"{FLEET + 5} groups will lose offsets.",
        "4 groups lag, by 1,437 records",
        "1 h earlier",
    ):
        assert said in page, said


def test_bins_of_a_plot_are_wide_enough_to_be_told_apart() -> None:
    assert bin_ms(0, 0) == MINUTE
    assert bin_ms(0, 71 * MINUTE) == MINUTE and bin_ms(0, 72 * MINUTE) == 5 * MINUTE
    assert bin_ms(0, 2**62) * 72 > 2**62
    fine = [Count(each * MINUTE, "a", 1) for each in range(0, 600, 7)]
    bins, width = coarse(fine)
    assert sum(each.count for each in bins) == len(fine) and len(bins) <= 72
    assert width == 15 * MINUTE and all(each.start_ms % width == 0 for each in bins)
    assert coarse([]) == ([], MINUTE)


def test_rewinds_by_more_records_than_a_long_holds_are_summed(spark: SparkSession) -> None:
    from tidemark_pipeline.cli.reporting import _rewinds

    columns = """
        log_partition int, `group` string, at_ms bigint, topic string, partition int,
        from_offset bigint, to_offset bigint, by bigint"""
    most = 2**63 - 1
    rows = [(0, "g", NOW_MS, "t", partition, most, 0, most) for partition in (0, 1)]
    rewound, offsets, groups = _rewinds(spark.createDataFrame(rows, columns))
    assert ([each.records for each in rewound], offsets, groups) == ([2 * most], 2, 1)
