"""`check` as cron and CI use it, on a log of which is known what expires, lags, rewinds and was removed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests import needs
from tests.pipeline.known_log import DAY, FLEET, HOUR, LEFT, MINUTE, QUOTED, RETENTION, STORY, told
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.words import time_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

ROOT: Final = Path(__file__).resolve().parents[2]
CODE: Final = (ROOT / "pipeline", ROOT / "protocol")


@pytest.fixture(scope="module")
def now_ms() -> int:
    """Return the time at which the tests began: `check` uses this computer's clock."""
    return time.time_ns() // 1_000_000


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory, now_ms: int) -> Path:
    return told(tmp_path_factory.mktemp("log"), now_ms)


@pytest.fixture(autouse=True)
def _session(spark: SparkSession) -> None:
    """Let `main` use the session of the tests."""


Said = pytest.CaptureFixture[str]


def check(log: Path, *options: str) -> int:
    return main(["check", "--log-dir", str(log), *RETENTION, *options])


@pytest.mark.parametrize(
    ("conditions", "total", "lines"),
    [
        (
            ["--expires-within", "5h"],
            "expires-within 5h: 3 offsets of 1 group, 1 overdue, the first from {-60} on",
            ["going  3 offsets, 1 overdue, the first orders-0 from {-60} on: never had members"],
        ),
        (
            ["--lag-over", "1399"],
            "lag-over 1399: 1 group, 1 400 unread records on 2 partitions",
            ["behind  lag 1 400 on 2 partitions, most on orders-0: 900"],
        ),
        (
            ["--rewind"],
            "rewind: 3 rewinds of 2 groups, the last at {-80}",
            [
                "rewinder                2 rewinds, the last at {-80}, orders-0 from 990 to 985",
                r'two\nlines, "quoted" \  1 rewind, the last at {-540}, orders-0 from 999 to 998',
            ],
        ),
        (
            ["--rewind-since", "1h22m", "--rewind"],
            "rewind-since 1h22m: 1 rewind of 1 group, the last at {-80}",
            ["rewinder  1 rewind, the last at {-80}, orders-0 from 990 to 985"],
        ),
        (
            ["--removed-since", "40m"],
            "removed-since 40m: 3 offsets of 3 groups: 2 expired, 1 unknown",
            [
                "returned   1 offset at {-10}: 1 expired; 1 committed again since",
                "expired    1 offset at {-20}: 1 expired",
                "forgotten  1 offset at {-30}: 1 unknown (group_delete or offset_delete)",
            ],
        ),
    ],
    ids=["expires-within", "lag-over", "rewind", "rewind-since", "removed-since"],
)
def test_a_match_is_a_line_for_each_group_below_the_total(
    log: Path, now_ms: int, conditions: list[str], total: str, lines: list[str], capsys: Said
) -> None:
    assert check(log, *conditions) == 3
    wanted = ["1 of 1 condition matches", total, *(f"  {line}" for line in lines)]
    assert capsys.readouterr().out.splitlines() == [dated(line, now_ms) for line in wanted]


def dated(text: str, now_ms: int) -> str:
    """Replace minutes from now, {-80}, by the time."""
    return re.sub(r"\{(-\d+)\}", lambda found: time_text(now_ms + int(found[1]) * MINUTE), text)


NONE: Final = (
    *("--expires-within", "0s", "--lag-over", "1400"),
    *("--rewind-since", "70m", "--removed-since", "4m"),
)


def test_conditions_that_do_not_match_are_named_and_the_exit_code_is_0(
    log: Path, tmp_path: Path, capsys: Said
) -> None:
    """The lag is at its limit and not over it, and everything else is older. Without the overdue group."""
    page = tmp_path / "quiet.prom"
    assert check(log, *NONE, "--group", "[!g]*", "--prometheus", str(page)) == 0
    said = capsys.readouterr()
    titles = "expires-within 0s, lag-over 1400, rewind-since 70m, removed-since 4m"
    assert said.out == f"nothing matches: {titles}\n"
    assert "records in 1 segment" in said.err and "(now), offsets.retention.minutes=1440" in said.err
    assert {line.split(" ")[-1] for line in samples(page) if "matching_groups" in line} == {"0"}


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_group_that_the_log_does_not_have_is_an_error(
    log: Path, quiet: tuple[str, ...], capsys: Said
) -> None:
    """Its name may be misspelt: no condition matches for such a group."""
    assert check(log, "--lag-over", "1", "--group", "behnid", *quiet) == 2
    assert "No group behnid in this log" in capsys.readouterr().err
    assert check(log, "--lag-over", "1", "--group", "behnid*", *quiet) == 2
    assert "No group in this log matches behnid*; it has " in capsys.readouterr().err


def test_quiet_prints_nothing_unless_a_condition_matches(log: Path, capsys: Said) -> None:
    assert check(log, *NONE, "--group", "behind", "--quiet") == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "")
    assert check(log, "--lag-over", "1400", "--group", "behind", "--quiet", "--json") == 0
    assert capsys.readouterr().err == ""
    assert check(log, "--lag-over", "100", "--removed-since", "1h", "--group", "behind", "--quiet") == 3
    said = capsys.readouterr()
    assert said.out.splitlines()[0] == "1 of 2 conditions match"
    assert said.out.splitlines()[-1] == "removed-since 1h: nothing matches"
    assert "offsets.retention.minutes=1440" in said.err


def test_json_has_limits_totals_and_groups_of_all_conditions(log: Path, now_ms: int, capsys: Said) -> None:
    conditions = ["--expires-within", "1d", "--lag-over", "500", "--rewind", "--removed-since", "1h"]
    assert check(log, *conditions, "--json", "--show", "2") == 3
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert said.out.count("\n") == 1
    assert (found["matched"], found["exit_code"], found["newest_record_ms"]) == (True, 3, now_ms - 5 * MINUTE)
    assert (found["retention_ms"], found["retention_origin"]) == ([DAY], "known")
    assert any("lag-over: not known for 2 committed offsets" in remark for remark in found["remarks"])
    expiring, lag, rewind, removed = found["conditions"]
    # every offset that is left expires within a day, because no group has members
    assert (expiring["count"], expiring["groups"]) == (len(LEFT), len({group for group, *_ in LEFT}))
    assert expiring["checked"] == len(LEFT) and expiring["overdue"] == 1
    assert expiring["earliest_expiry_ms"] == now_ms - HOUR
    assert [each["group"] for each in expiring["findings"]] == ["going", "fleet-00"]
    assert expiring["findings"][0]["count"] == 4 and expiring["findings"][0]["rules"] == ["standalone"]
    assert "overdue" in expiring["findings"][0] and "was committed at" in expiring["findings"][0]["sentence"]
    assert (lag["limit"], lag["groups"], lag["lag"], lag["unknown"]) == (500, 1, 1400, 2)
    assert lag["findings"] == [
        {
            "group": "behind",
            "count": 2,
            "lag": 1400,
            "topic": "orders",
            "partition": 0,
            "partition_lag": 900,
            "unknown": 0,
        }
    ]
    assert (rewind["option"], rewind["limit"], rewind["count"], rewind["groups"]) == ("--rewind", None, 3, 2)
    assert [each["group"] for each in rewind["findings"]] == ["rewinder", QUOTED]
    assert (removed["count"], removed["groups"], removed["limit"]) == (3, 3, HOUR)
    assert {cause: count for cause, count in removed["causes"].items() if count} == {
        "expired": 2,
        "unknown": 1,
    }
    assert [each["group"] for each in removed["findings"]] == ["returned", "expired"]
    summary = json.loads(said.err)
    assert summary["exit_code"] == 3 and summary["records"] == len(STORY)


def test_show_bounds_the_lines_and_the_total_counts_all(log: Path, capsys: Said) -> None:
    assert check(log, "--expires-within", "11h", "--group", "fleet-*", "--show", "2") == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith(f"expires-within 11h: {FLEET} offsets of {FLEET} groups, the first from ")
    assert [line.split()[0] for line in lines[2:4]] == ["fleet-00", "fleet-01"]
    assert lines[4:] == [f"  (and {FLEET - 2} groups more; --show N shows more)"]


def samples(page: Path) -> list[str]:
    return [line for line in page.read_text("utf-8").splitlines() if not line.startswith("#")]


def test_the_file_for_prometheus_has_totals_and_groups_and_passes_promtool(
    log: Path, now_ms: int, tmp_path: Path
) -> None:
    page = tmp_path / "offsets.prom"
    conditions = ["--expires-within", "5h", "--lag-over", "500", "--rewind", "--removed-since", "1h"]
    assert check(log, *conditions, "--prometheus", str(page), "--show", "0") == 3
    name = "tidemark_pipeline_check_"
    found = dict(line.removeprefix(name).rsplit(" ", 1) for line in samples(page))
    assert float(found.pop('run_timestamp_seconds{check="offsets"}')) * 1000 >= now_ms
    assert float(found.pop('as_of_timestamp_seconds{check="offsets"}')) * 1000 >= now_ms
    wanted = {
        "newest_record_timestamp_seconds": (now_ms - 5 * MINUTE) / 1000,
        "retention_seconds,origin=known": 86400,
        "matching_groups,condition=expires-within": 1,
        "matching_groups,condition=lag-over": 1,
        "matching_groups,condition=rewind": 2,
        "matching_groups,condition=removed-since": 3,
        "expiring_offsets": 3,
        "group_expiring_offsets,group=going": 3,
        "earliest_expiry_timestamp_seconds": (now_ms - HOUR) / 1000,
        "group_lag_records,group=behind": 1400,
        "lag_unknown_offsets": 2,
        "rewinds": 3,
        "group_rewinds,group=rewinder": 2,
        r"group_rewinds,group=two\nlines, \"quoted\" \\": 1,
        **{f"removed_offsets,cause={kind}_delete": 0 for kind in ("topic", "group", "offset")},
        "removed_offsets,cause=expired": 2,
        "removed_offsets,cause=unknown": 1,
        "group_removed_offsets,group=expired,cause=expired": 1,
        "group_removed_offsets,group=returned,cause=expired": 1,
        "group_removed_offsets,group=forgotten,cause=unknown": 1,
    }
    assert {series: float(value) for series, value in found.items()} == {
        labelled(series): value for series, value in wanted.items()
    }
    needs.program("promtool", "prometheus")
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=page.read_bytes(), capture_output=True, timeout=30
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["offsets.prom"]


def labelled(series: str) -> str:
    """Return a,b=c as a{check="offsets",b="c"}."""
    name, *labels = re.split(r",(?! )", series)
    pairs = [each.partition("=") for each in ("check=offsets", *labels)]
    return name + "{" + ",".join(f'{key}="{text}"' for key, _, text in pairs) + "}"


def test_a_lag_that_cannot_be_known_is_a_failure_and_leaves_the_file(
    log: Path, tmp_path: Path, capsys: Said
) -> None:
    """Otherwise the condition would never match, and the check would look healthy."""
    page = tmp_path / "old.prom"
    page.write_text("old\n")
    shutil.copytree(log / "__consumer_offsets-0", tmp_path / "log" / "__consumer_offsets-0")
    assert check(tmp_path / "log", "--lag-over", "1", "--json", "--prometheus", str(page)) == 1
    said = capsys.readouterr()
    assert said.out == "" and page.read_text() == "old\n"
    failure = json.loads(said.err)
    assert failure["exit_code"] == 1 and failure["error"].startswith("--lag-over: no lag is known")


def test_an_old_log_is_judged_as_of_now_with_a_remark(tmp_path: Path, now_ms: int, capsys: Said) -> None:
    """Otherwise the removals of its last hour would match for ever."""
    old = told(tmp_path, now_ms - 30 * DAY)
    conditions = ["--removed-since", "1h", "--rewind-since", "2h"]
    assert check(old, *conditions) == 0
    newest = f"the newest record is of {time_text(now_ms - 30 * DAY - 5 * MINUTE)}"
    assert f"{newest}: if this is a backup, use --as-of log" in capsys.readouterr().err
    assert check(old, *conditions, "--as-of", "log") == 3
    assert "backup" not in capsys.readouterr().err


def test_cron_runs_it_without_a_home_a_terminal_or_a_path(log: Path, tmp_path: Path) -> None:
    """Cron's environment: PATH has two directories, the current one is the root, and there is no input."""
    java = Path(shutil.which("java") or "").resolve().parent.parent
    line = ["check", "--log-dir", str(log), *RETENTION, "--json", "--lag-over", "500"]
    page = tmp_path / "cron.prom"
    run = subprocess.run(
        [sys.executable, "-m", "tidemark_pipeline", *line, "--prometheus", str(page)],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "LOGNAME": "root", "JAVA_HOME": str(java)}
        | {"PYTHONPATH": os.pathsep.join(map(str, CODE))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert run.returncode == 3, run.stderr
    assert json.loads(run.stdout)["conditions"][0]["findings"][0]["group"] == "behind"
    assert json.loads(run.stderr)["exit_code"] == 3  # one line: no progress, and nothing of Java
    assert any('group_lag_records{check="cron",group="behind"} 1400' in line for line in samples(page))
