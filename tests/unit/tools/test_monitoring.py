"""`tidemark monitoring` prints the files that docs/monitoring.md describes."""

from __future__ import annotations

import json

import pytest
import yaml

from tidemark_tools.main import main
from tidemark_tools.set_up import FILES


def printed(capsys: pytest.CaptureFixture[str], name: str) -> str:
    assert main(["monitoring", name]) == 0
    return capsys.readouterr().out


def test_rules_are_alerts(capsys: pytest.CaptureFixture[str]) -> None:
    (group,) = yaml.safe_load(printed(capsys, "rules"))["groups"]
    assert all(rule["alert"].startswith("Tidemark") for rule in group["rules"])


def test_dashboard_is_json_with_panels(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(printed(capsys, "dashboard"))["panels"]


def test_configuration_reads_the_rules_by_their_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert yaml.safe_load(printed(capsys, "prometheus"))["rule_files"] == [FILES["rules"]]


@pytest.mark.parametrize("arguments", [[], ["alerts"], ["rules", "dashboard"]])
def test_another_name_is_a_usage_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitoring", *arguments]) == 2
    assert capsys.readouterr().err.startswith("usage: tidemark monitoring rules|dashboard|prometheus")
