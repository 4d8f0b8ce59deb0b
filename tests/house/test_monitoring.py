"""docs/monitoring.md, the alert rules and the dashboard agree with each other and with the metrics."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tidemark.metrics.text import METRICS
from tidemark_tools.set_up import FILES, FOLDER

ROOT = Path(__file__).resolve().parents[2]
RULES = (FOLDER / FILES["rules"]).read_text()
PAGE = (ROOT / "docs" / "monitoring.md").read_text()
DASHBOARD = json.loads((FOLDER / FILES["dashboard"]).read_text())


def test_every_alert_is_tested_and_explained() -> None:
    tests = (ROOT / "docker" / "rules_test.yml").read_text()
    alerts = re.findall(r"alert: (\w+)", RULES)
    assert len(alerts) >= 5
    for alert in alerts:
        assert f"alertname: {alert}" in tests
        assert f"| `{alert}` |" in PAGE


def test_alerts_dashboard_and_page_use_metrics_that_exist() -> None:
    known = {metric.name for metric in METRICS}
    queries = " ".join(target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", []))
    used = set(re.findall(r"\b(?:tidemark|kafka)_\w+", f"{RULES} {queries} {PAGE}"))
    assert {re.sub("_(?:bucket|sum|count)$", "", name) for name in used} <= known


def test_panels_of_the_dashboard_do_not_overlap() -> None:
    cells = [
        (x, y)
        for at in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
