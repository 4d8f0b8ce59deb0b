"""No removal has a wrong cause, whether the retention is known or not.

The truth is what tidemark says about its own decisions in random stories (`truth_story`).
`make pipeline-truth` plays many stories of every plan and prints the share of unknown causes.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from tests.pipeline.truth_story import DAY_MS, MINUTE_MS, OffsetKey, Plan, Truth, played
from tidemark_pipeline.cli import reading
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.outdir import MARKER

pytestmark = [pytest.mark.slow, pytest.mark.java, pytest.mark.contract, pytest.mark.usefixtures("spark")]

WEEK_MS: Final = 7 * DAY_MS
TEN_MINUTES_MS: Final = 10 * MINUTE_MS  # Kafka's default between two passes
KNOWN: Final = "known"
NOT_KNOWN: Final = "not known"
STORIES: Final = int(os.environ.get("TIDEMARK_TEST_STORIES", "0"))
SEED: Final = int(os.environ.get("TIDEMARK_TEST_SEED", "1"))
PLANS: Final = {
    "1 minute, a pass every 5 s": Plan((MINUTE_MS,), 5_000),
    "1 minute": Plan((MINUTE_MS,), TEN_MINUTES_MS),
    "1 day": Plan((DAY_MS,), TEN_MINUTES_MS, log_partitions=50),
    "7 days": Plan((WEEK_MS,), TEN_MINUTES_MS),
    "7 days, a script deletes groups after a day": Plan((WEEK_MS,), TEN_MINUTES_MS, script_age_ms=DAY_MS),
    "7 days, the broker is down for two": Plan((WEEK_MS,), TEN_MINUTES_MS, downtime_ms=2 * DAY_MS),
    "1 day, then 7 days": Plan((DAY_MS, WEEK_MS), TEN_MINUTES_MS),
}
SHORT: Final = "1 minute"
LONGER: Final = "7 days, a script deletes groups after a day"
PLAYED: Final = [
    pytest.param(name, seed, marks=() if name == SHORT else pytest.mark.ecosystem)
    for name in (PLANS if STORIES else (SHORT, LONGER))
    for seed in range(SEED, SEED + max(1, STORIES))
]


@dataclass(slots=True)
class Shares:
    """Counts of removals: by their true cause, and those of an unknown cause."""

    every: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        return f"{100 * self.unknown.total() / self.every.total():.0f} %"


@pytest.fixture(scope="module")
def shares(request: pytest.FixtureRequest) -> Iterator[dict[tuple[str, str], Shares]]:
    """Collect the shares of all stories, and print them at the end as a table."""
    found: dict[tuple[str, str], Shares] = defaultdict(Shares)
    yield found
    lines = [
        f"| {name} | {found[name, KNOWN].every.total()} | {found[name, KNOWN].text} "
        f"| {found[name, NOT_KNOWN].text} |"
        for name in PLANS
        if (name, NOT_KNOWN) in found
    ]
    with request.config.pluginmanager.get_plugin("capturemanager").global_and_fixture_disabled():
        print("\n| retention | removals | unknown if it is given | if not |")
        print("| --- | ---: | ---: | ---: |")
        print("\n".join(lines))


def read(truth: Truth, out: Path, *options: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    command = ["removals", "--log-dir", str(truth.data_dir), "--out", str(out), "--format", "json"]
    assert main([*command, *options]) == 0
    lines = [line for path in sorted(out.glob("part-*")) for line in path.read_text("utf-8").splitlines()]
    return [json.loads(line) for line in lines], json.loads((out / MARKER).read_text("utf-8"))


def compare(truth: Truth, rows: list[dict[str, Any]], shares: Shares) -> list[str]:
    """Return the rows with a wrong cause. Count all."""
    left = {key: list(causes) for key, causes in truth.causes.items()}
    wrong: list[str] = []
    for row in in_order(rows):
        key: OffsetKey = (row["group"], row["topic"], row["partition"])
        if not left.get(key):
            continue  # only an open transaction had an offset there: the broker does not list its removal
        cause = left[key].pop(0)
        shares.every[cause] += 1
        if cause not in row["possible_causes"]:
            wrong.append(f"{cause}: {row}")
        if row["inferred_cause"] == "unknown":
            shares.unknown[cause] += 1
    assert not any(left.values()), left
    return wrong


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row["log_partition"], row["log_offset"]))


@pytest.mark.parametrize(("name", "seed"), PLAYED)
def test_no_cause_is_wrong(
    name: str,
    seed: int,
    tmp_path: Path,
    shares: dict[tuple[str, str], Shares],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A correct retention is not contradicted, either. Spark judges as `tidemark explain-log` does."""
    plan = PLANS[name]
    truth = played(tmp_path, plan, seed)
    minutes = ",".join(str(ms // MINUTE_MS) for ms in plan.retention_ms)
    config = tmp_path / "server.properties"
    config.write_text(f"offsets.retention.check.interval.ms={plan.interval_ms}\n")
    known, facts = read(truth, tmp_path / "known", "--config", str(config), "--retention-minutes", minutes)
    assert (facts["retention_origin"], facts.get("retention_contradiction")) == ("known", None)
    wrong = compare(truth, known, shares[name, KNOWN])
    rows, facts = read(truth, tmp_path / "not-known")
    assert facts["retention_origin"] in ("inferred", "assumed")
    wrong += compare(truth, rows, shares[name, NOT_KNOWN])
    assert not wrong, "\n".join(wrong)
    monkeypatch.setattr(reading, "SMALL_BYTES", 0)  # now Spark judges, and not this process
    assert in_order(read(truth, tmp_path / "by-spark")[0]) == in_order(rows)
