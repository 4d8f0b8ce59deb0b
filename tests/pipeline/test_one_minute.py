"""A broker with one minute of retention, which the command does not know.

`tidemark serve` acts as the broker, with moved time, and says why each offset was removed. The command must
infer the same cause, or say that it does not know.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clients.test_expiry_scenarios import SETTINGS, Scene
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.outdir import MARKER
from tidemark_pipeline.tables.small import SMALL
from tidemark_testing.wire import create_topic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java, pytest.mark.contract, pytest.mark.usefixtures("spark")]

SECOND: Final = 1_000
OFFSETS: Final = "offsets.retention.minutes"
OffsetKey = tuple[str, str, int]


@dataclass(slots=True)
class Written:
    """A log that a broker wrote, and the broker's own reason for each removal."""

    data_dir: Path
    causes: dict[OffsetKey, str]


def played(folder: Path, *ages_s: int) -> Written:
    """Run passes that expire offsets of these ages. Clients delete other offsets between the passes."""
    broker = BrokerProcess(folder, {**SETTINGS, OFFSETS: "1"})
    broker.start()
    scene = Scene(broker)
    try:
        create_topic(broker.bootstrap, "orders", 2, {})
        create_topic(broker.bootstrap, "payments", 1, {})
        for number, age_s in enumerate(ages_s):
            scene.client.commit(f"expires-{number}", "orders", {0: 1, 1: 2})
            member = scene.client.join(f"managed-{number}", "orders")
            scene.client.commit(
                f"managed-{number}", "orders", {0: 3}, generation_id_or_member_epoch=1, member_id=member
            )
            scene.client.leave(f"managed-{number}", member)
            member = scene.client.join(f"reads-orders-{number}", "orders")
            known = {"generation_id_or_member_epoch": 1, "member_id": member}
            scene.client.commit(f"reads-orders-{number}", "payments", {0: 6}, **known)
            scene.client.commit(f"deleted-{number}", "orders", {0: 4, 1: 5})
            scene.advance(30 * SECOND)
            scene.client.delete_offset(f"deleted-{number}", "orders", 0)
            scene.client.delete_group(f"deleted-{number}")
            scene.advance((age_s - 30) * SECOND)
            scene.api.post("/v1/cleanup")
            scene.advance(600 * SECOND)
        scene.client.commit("stays", "orders", {0: 7, 1: 8})
        removals = scene.api.get("/v1/expiry/log")["removals"]
        causes = {(each["group"], each["topic"], each["partition"]): each["cause"] for each in removals}
        broker.kill9()
        return Written(broker.data_dir, causes)
    finally:
        scene.close()
        broker.stop()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Run passes as often as in a test environment."""
    return played(tmp_path_factory.mktemp("often"), 61, 62, 63, 64)


def told(
    written: Written, out: Path, *options: str
) -> tuple[dict[OffsetKey, dict[str, Any]], dict[str, Any]]:
    """Return the rows of `removals`, and the facts printed with them."""
    command = ["removals", "--log-dir", str(written.data_dir), "--out", str(out), "--format", "json"]
    assert main([*command, *options]) == 0
    lines = [line for path in sorted(out.glob("part-*")) for line in path.read_text("utf-8").splitlines()]
    rows = {(row["group"], row["topic"], row["partition"]): row for row in map(json.loads, lines)}
    return rows, json.loads((out / MARKER).read_text("utf-8"))


def test_one_minute_is_inferred_and_every_cause_is_the_brokers(
    written: Written, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, facts = told(written, tmp_path / "out")
    assert {key: row["inferred_cause"] for key, row in rows.items()} == written.causes
    assert set(written.causes.values()) == {"expired", "offset_delete", "group_delete"}
    assert (facts["retention_ms"], facts["retention_origin"]) == ([60_000], "inferred")
    said = f"{OFFSETS}=1 (inferred: offsets were removed at ages of 1.0 to 1.1 min at 4 moments)"
    assert said in capsys.readouterr().err


def forecast(written: Written, out: Path, *options: str) -> tuple[list[dict[str, Any]], set[str]]:
    """Return the rows without the origin of the retention, and the origins."""
    command = ["forecast", "--log-dir", str(written.data_dir), "--out", str(out), "--format", "json"]
    assert main([*command, *options]) == 0
    lines = [line for path in out.glob("part-*") for line in path.read_text("utf-8").splitlines()]
    rows = [*map(json.loads, lines)]
    origins = {row.pop("retention_origin") for row in rows}
    for row in rows:
        del row["sentence"]  # it says where the retention is from
    return sorted(rows, key=lambda row: (row["group"], row["topic"], row["partition"])), origins


@pytest.fixture(scope="module")
def with_known(
    spark: SparkSession, written: Written, tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, Any]]:
    """Return the forecast with the retention given."""
    return forecast(written, tmp_path_factory.mktemp("known") / "out", "--retention-minutes", "1")[0]


@pytest.mark.parametrize("small", ["true", "false"])
def test_a_forecast_uses_the_inferred_minute(
    spark: SparkSession, small: str, written: Written, with_known: list[dict[str, Any]], tmp_path: Path
) -> None:
    spark.conf.set(SMALL, small)
    try:
        inferred, origins = forecast(written, tmp_path / "inferred")
    finally:
        spark.conf.unset(SMALL)
    assert origins == {"inferred"}
    assert inferred == with_known
    assert {row["retention_ms"] for row in inferred} == {60_000}


def test_with_the_brokers_settings_the_causes_are_the_same(written: Written, tmp_path: Path) -> None:
    config = tmp_path / "server.properties"
    config.write_text(f"node.id=1\n{OFFSETS} = 1\nsome.plugin=x\n")
    rows, facts = told(written, tmp_path / "out", "--config", str(config))
    assert {key: row["inferred_cause"] for key, row in rows.items()} == written.causes
    assert (facts["retention_ms"], facts["retention_origin"]) == ([60_000], "known")


def test_with_rare_passes_no_cause_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ages between one and eleven minutes do not repeat."""
    rarely = played(tmp_path / "rarely", 100, 250, 400, 600)
    rows, facts = told(rarely, tmp_path / "out")
    assert rows.keys() == rarely.causes.keys()
    assert [row for key, row in rows.items() if rarely.causes[key] not in row["possible_causes"]] == []
    stated = {row["inferred_cause"] for row in rows.values()}
    assert {"offset_delete", "group_delete"} <= stated
    assert (facts["retention_ms"], facts["retention_origin"]) == ([604_800_000], "assumed")
    assert f"{OFFSETS}=10080 (assumed: " in capsys.readouterr().err
